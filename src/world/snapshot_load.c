/* Loading a snapshot: the format is in snapshot.h. Nothing in it is believed: the checksum finds damage, and as anybody
 * can compute a checksum, every count is compared with the bytes that are left before memory is taken for it, every
 * value with its range, and the finished world is validated as a whole. */
#include <math.h>
#include <string.h>

#include "bed/sheets.h"
#include "flow/covered.h"
#include "flow/held.h"
#include "world/snapshot.h"

/* Everything a section needs. */
typedef struct loading {
    rill_reader reader;
    rill_world *world; /* once there is one */
    rill_message *message;
} loading;

static rill_result refuse(loading *load, const char *what) {
    return rill_fail(load->message, RILL_INVALID_DATA, "snapshot, near byte %zu of %zu: %s", load->reader.at,
                     load->reader.size, what);
}

static rill_result no_memory(loading *load, const char *what) {
    return rill_fail(load->message, RILL_OUT_OF_MEMORY, "no memory for the %s of a snapshot", what);
}

/* What is wrong with a definition inside a snapshot is wrong with the data. The message says which member it was. */
static rill_result as_data(rill_result result) {
    return result == RILL_OUT_OF_MEMORY || result == RILL_OK ? result : RILL_INVALID_DATA;
}

static int32_t get_i32(rill_reader *reader) {
    const uint32_t value = rill_get_u32(reader);
    if (value > INT32_MAX) reader->failed = true; /* nothing stored is negative */
    return reader->failed ? 0 : (int32_t)value;
}

static int64_t get_i64(rill_reader *reader) {
    const uint64_t value = rill_get_u64(reader);
    if (value > INT64_MAX) reader->failed = true;
    return reader->failed ? 0 : (int64_t)value;
}

/* -------------------------------------------------------------------------------------------------------- sections */

static rill_result get_header(loading *load) {
    rill_reader *reader = &load->reader;
    if (reader->size < RILL_SNAPSHOT_HEADER || rill_get_u64(reader) != RILL_SNAPSHOT_MAGIC)
        return refuse(load, "this is no snapshot");
    const uint32_t version = rill_get_u32(reader);
    if (version != RILL_SNAPSHOT_VERSION)
        return rill_fail(load->message, RILL_INVALID_DATA, "snapshot of format version %u; expected %d", version,
                         RILL_SNAPSHOT_VERSION);
    if (rill_get_u32(reader) != 0) return refuse(load, "the reserved word is not zero");
    const uint64_t length = rill_get_u64(reader);
    if (length != reader->size)
        return rill_fail(load->message, RILL_INVALID_DATA,
                         "snapshot of %llu bytes; expected %llu, the length it states",
                         (unsigned long long)reader->size, (unsigned long long)length);
    if (rill_get_u64(reader) != rill_snapshot_checksum(reader->memory, reader->size))
        return refuse(load, "the checksum does not fit the content: it is damaged");
    return RILL_OK;
}

static void get_settings(rill_reader *reader, rill_world_def *def) {
    def->grid.cells[0] = get_i32(reader);
    def->grid.cells[1] = get_i32(reader);
    def->grid.cell_size = rill_get_f64(reader);
    rill_get_f64s(reader, def->grid.origin, 3);
    def->headroom = rill_get_f64(reader);
    def->min_opening = rill_get_f64(reader);
    for (int side = 0; side < 4; ++side) {
        def->edges[side].kind = (rill_edge_kind)rill_get_u8(reader);
        def->edges[side].level = rill_get_f64(reader);
    }
    rill_get_f64s(reader, def->gravity, 3);
    def->liquid.density = rill_get_f64(reader);
    def->liquid.viscosity = rill_get_f64(reader);
    def->liquid.surface_tension = rill_get_f64(reader);
    def->liquid.contact_angle = rill_get_f64(reader);
    def->solver.pipe_area = (rill_pipe_area)rill_get_u8(reader);
    def->solver.passages = (rill_passages)rill_get_u8(reader);
    def->solver.advection = rill_get_bool(reader);
    def->solver.rest = rill_get_bool(reader);
    def->solver.skip_idle = rill_get_bool(reader);
    def->solver.orifice = rill_get_f64(reader);
    def->solver.friction = rill_get_f64(reader);
    def->solver.max_substeps = get_i32(reader);
}

static rill_result get_world(loading *load, const rill_runtime *runtime) {
    char name[RILL_NAME_LENGTH + 1];
    rill_world_def def = rill_default_world_def();
    get_settings(&load->reader, &def);
    rill_get_text(&load->reader, name, sizeof name);
    if (load->reader.failed) return refuse(load, "the settings make no sense");
    def.name = name;
    def.runtime = *runtime;
    const rill_result result = as_data(rill_check_world_def(&def, load->message));
    return result ? result : rill_world_make(&def, &load->world, load->message);
}

/* Arrays of a mesh or heightmap while its definition is read; rill_solid_make copies them. */
typedef struct solid_arrays {
    float *vertices;
    uint32_t *indices;
    double *heights;
    size_t vertex_count, index_count, height_count;
} solid_arrays;

static void free_arrays(const rill_allocator *allocator, solid_arrays *arrays) {
    rill_memory_give(allocator, arrays->vertices, arrays->vertex_count, sizeof *arrays->vertices);
    rill_memory_give(allocator, arrays->indices, arrays->index_count, sizeof *arrays->indices);
    rill_memory_give(allocator, arrays->heights, arrays->height_count, sizeof *arrays->heights);
}

static rill_result get_mesh(loading *load, rill_solid_def *def, solid_arrays *arrays) {
    rill_reader *reader = &load->reader;
    const uint64_t vertices = rill_get_u64(reader), triangles = rill_get_u64(reader);
    if (!rill_get_room(reader, vertices, 3 * sizeof(float)) || !rill_get_room(reader, triangles, 3 * sizeof(uint32_t)))
        return refuse(load, "a mesh has more points or triangles than there are bytes");
    def->vertex_count = (size_t)vertices;
    def->triangle_count = (size_t)triangles;
    arrays->vertex_count = 3 * def->vertex_count;
    arrays->index_count = 3 * def->triangle_count;
    arrays->vertices = rill_memory_take(&load->world->allocator, arrays->vertex_count, sizeof *arrays->vertices);
    arrays->indices = rill_memory_take(&load->world->allocator, arrays->index_count, sizeof *arrays->indices);
    if (!arrays->vertices || !arrays->indices) return no_memory(load, "meshes");
    for (size_t i = 0; i < arrays->vertex_count; ++i) arrays->vertices[i] = rill_get_f32(reader);
    for (size_t i = 0; i < arrays->index_count; ++i) arrays->indices[i] = rill_get_u32(reader);
    def->vertices = arrays->vertices;
    def->indices = arrays->indices;
    return RILL_OK;
}

static rill_result get_heights(loading *load, rill_solid_def *def, solid_arrays *arrays) {
    rill_reader *reader = &load->reader;
    def->heights_size[0] = get_i32(reader);
    def->heights_size[1] = get_i32(reader);
    const uint64_t count = (uint64_t)def->heights_size[0] * (uint64_t)def->heights_size[1];
    if (!rill_get_room(reader, count, sizeof(double)))
        return refuse(load, "a heightmap has more points than there are bytes");
    arrays->height_count = (size_t)count;
    arrays->heights = rill_memory_take(&load->world->allocator, arrays->height_count, sizeof *arrays->heights);
    if (!arrays->heights) return no_memory(load, "heightmaps");
    rill_get_f64s(reader, arrays->heights, arrays->height_count);
    def->heights = arrays->heights;
    return RILL_OK;
}

static rill_result get_solid(loading *load, bool soft, rill_solid **out) {
    rill_reader *reader = &load->reader;
    char name[RILL_NAME_LENGTH + 1];
    rill_solid_def def = rill_default_solid_def();
    solid_arrays arrays = { 0 };
    rill_get_text(reader, name, sizeof name);
    def.name = name[0] ? name : NULL;
    def.shape = (rill_shape)rill_get_u8(reader);
    double *vectors[] = {
        def.min, def.max, def.centre, def.from, def.to, def.axis, def.point, def.rotate, def.translate
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) rill_get_f64s(reader, vectors[i], 3);
    def.radius = rill_get_f64(reader);
    def.tube = rill_get_f64(reader);
    def.scale = rill_get_f64(reader);
    rill_result result = RILL_OK;
    if (def.shape == RILL_SHAPE_MESH) result = get_mesh(load, &def, &arrays);
    if (def.shape == RILL_SHAPE_HEIGHTMAP) result = get_heights(load, &def, &arrays);
    if (!result && reader->failed) result = refuse(load, "a solid ends early");
    if (!result) result = as_data(rill_world_make_solid(load->world, &def, soft, out, load->message));
    free_arrays(&load->world->allocator, &arrays);
    return result;
}

static bool get_area(rill_reader *reader, const rill_grid *grid, rill_area *area) {
    for (int axis = 0; axis < 2; ++axis) {
        area->low[axis] = get_i32(reader);
        area->high[axis] = get_i32(reader);
        if (area->low[axis] > grid->cells[axis] || area->high[axis] > grid->cells[axis]) return false;
    }
    return !reader->failed;
}

static rill_result get_solids(loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(reader, count, 3)) return refuse(load, "there are too many solids");
    if (!rill_array_resize(&world->solids, &world->allocator, count)) return no_memory(load, "solids");
    rill_solid_slot *slots = world->solids.data;
    for (uint32_t i = 0; i < count; ++i) {
        slots[i].generation = rill_get_u16(reader);
        if (slots[i].generation == 0) return refuse(load, "a solid has no generation");
        const uint8_t bits = rill_get_u8(reader);
        if (bits & ~RILL_SLOT_BITS) return refuse(load, "the state of a solid makes no sense");
        slots[i].hidden = bits & RILL_SLOT_HIDDEN;
        slots[i].changed = bits & RILL_SLOT_CHANGED;
        slots[i].touched = bits & RILL_SLOT_TOUCHED;
        world->changes += slots[i].changed;
        if (slots[i].changed && !get_area(reader, &world->def.grid, &slots[i].built))
            return refuse(load, "the cells under a solid make no sense");
        if (bits & RILL_SLOT_ALIVE) {
            const rill_result result = get_solid(load, bits & RILL_SLOT_SOFT, &slots[i].solid);
            if (result) return result;
        }
        if (!slots[i].changed) slots[i].built = rill_world_reach(world, &slots[i]);
        world->solids_free += rill_slot_free(&slots[i]);
    }
    return reader->failed ? refuse(load, "the solids end early") : RILL_OK;
}

/* Columns of one cell stand above each other, each on a solid that exists. */
static bool good_cell(const rill_world *world, const rill_columns *columns, size_t cell) {
    const rill_solid_slot *slots = world->solids.data;
    int32_t below = 0;
    for (int32_t i = columns->cell_first[cell]; i < columns->cell_first[cell + 1]; ++i) {
        if (columns->b[i] < below || columns->c[i] <= columns->b[i] || columns->c[i] > RILL_TOP) return false;
        if (columns->floors[i] >= world->solids.count) return false;
        const rill_solid_slot *slot = &slots[columns->floors[i]];
        if (!slot->solid && !slot->changed) return false;
        below = columns->c[i] + 1; /* there is solid between */
    }
    return true;
}

/* Reads counts, bases, ceilings and floors; the arrays belong to `columns` also when it fails. */
static rill_result get_column_arrays(loading *load, rill_columns *columns, size_t cells) {
    rill_reader *reader = &load->reader;
    const rill_allocator *allocator = &load->world->allocator;
    if (!rill_get_room(reader, cells, sizeof(uint32_t))) return refuse(load, "there are fewer cells than the grid has");
    columns->cell_first = rill_memory_take(allocator, cells + 1, sizeof *columns->cell_first);
    if (!columns->cell_first) return no_memory(load, "cells");
    for (size_t i = 0; i < cells; ++i) {
        const uint32_t count = rill_get_u32(reader);
        if (count > INT32_MAX - (uint32_t)columns->cell_first[i]) return refuse(load, "there are too many columns");
        columns->cell_first[i + 1] = columns->cell_first[i] + (int32_t)count;
    }
    const size_t count = (size_t)columns->cell_first[cells];
    columns->count = (int64_t)count;
    if (!rill_get_room(reader, cells, sizeof(rill_notes))) return refuse(load, "there are fewer notes than cells");
    columns->notes = rill_memory_take(allocator, cells, sizeof *columns->notes);
    if (!columns->notes) return no_memory(load, "cells");
    for (size_t i = 0; i < cells; ++i) {
        const uint32_t notes = rill_get_u32(reader);
        columns->notes[i] =
            (rill_notes){ (uint8_t)notes, (uint8_t)(notes >> 8), (uint8_t)(notes >> 16), (uint8_t)(notes >> 24) };
    }
    if (!rill_get_room(reader, count, 2 * sizeof(int32_t) + sizeof(uint16_t)))
        return refuse(load, "there are fewer columns than the cells have");
    columns->b = rill_memory_take(allocator, count, sizeof *columns->b);
    columns->c = rill_memory_take(allocator, count, sizeof *columns->c);
    columns->floors = rill_memory_take(allocator, count, sizeof *columns->floors);
    if (!columns->b || !columns->c || !columns->floors) return no_memory(load, "columns");
    for (size_t i = 0; i < count; ++i) columns->b[i] = get_i32(reader);
    for (size_t i = 0; i < count; ++i) columns->c[i] = get_i32(reader);
    for (size_t i = 0; i < count; ++i) columns->floors[i] = rill_get_u16(reader);
    for (size_t i = 0; i < cells; ++i) {
        if (!good_cell(load->world, columns, i)) return refuse(load, "the columns of a cell make no sense");
    }
    return reader->failed ? refuse(load, "the columns make no sense") : RILL_OK;
}

/* Sheets inside the grid, and one of them for each column. In a roomy bed they all span it. */
static rill_result get_sheets(loading *load, const rill_columns *columns, rill_numbering *numbering, bool *roomy) {
    rill_reader *reader = &load->reader;
    const rill_allocator *allocator = &load->world->allocator;
    const rill_grid *grid = &columns->grid;
    *roomy = rill_get_bool(reader);
    const uint32_t sheets = rill_get_u32(reader);
    if (sheets == 0 || sheets > INT32_MAX || !rill_get_room(reader, sheets, 4 * sizeof(uint32_t)) ||
        !rill_get_room(reader, (uint64_t)columns->count, sizeof(uint32_t)))
        return refuse(load, "the number of sheets makes no sense");
    if (!rill_array_resize(&numbering->sheets, allocator, sheets)) return no_memory(load, "sheets");
    rill_sheet *sheet = numbering->sheets.data;
    for (uint32_t i = 0; i < sheets; ++i) {
        sheet[i] = (rill_sheet){ .x0 = get_i32(reader) };
        sheet[i].y0 = get_i32(reader);
        sheet[i].nx = get_i32(reader);
        sheet[i].ny = get_i32(reader);
        const bool whole = sheet[i].nx == grid->cells[0] && sheet[i].ny == grid->cells[1];
        if (sheet[i].nx < 1 || sheet[i].nx > grid->cells[0] || sheet[i].x0 > grid->cells[0] - sheet[i].nx ||
            sheet[i].ny < 1 || sheet[i].ny > grid->cells[1] || sheet[i].y0 > grid->cells[1] - sheet[i].ny ||
            (*roomy && !whole))
            return refuse(load, "a sheet makes no sense");
    }
    numbering->sheet_of = rill_memory_take(allocator, (size_t)columns->count, sizeof(int32_t));
    if (!numbering->sheet_of) return no_memory(load, "sheets");
    for (int64_t i = 0; i < columns->count; ++i) numbering->sheet_of[i] = get_i32(reader);
    return reader->failed ? refuse(load, "the sheets of the columns make no sense") : RILL_OK;
}

static rill_result get_bed(loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    rill_columns columns = { .grid = world->def.grid,
                             .area = { { 0, 0 }, { world->def.grid.cells[0], world->def.grid.cells[1] } } };
    rill_numbering numbering = { .sheets = rill_array_make(sizeof(rill_sheet)) };
    bool roomy = false;
    int64_t findings[4];
    columns.quantum = rill_get_f64(reader);
    columns.datum = rill_get_f64(reader);
    for (size_t i = 0; i < sizeof findings / sizeof findings[0]; ++i) findings[i] = get_i64(reader);
    /* The bed chooses a power of two, between a cell and a cell / 2^26 (bed/columns.c): the flow counts on it. */
    int exponent;
    const double cell = columns.grid.cell_size, quantum = columns.quantum;
    if (reader->failed || !(fabs(columns.datum) <= 1e10) || !(quantum > 0.0 && quantum <= cell) ||
        cell / quantum > 0x1p26 || frexp(quantum, &exponent) != 0.5)
        return refuse(load, "the quantum or the datum makes no sense");
    const size_t cells = (size_t)columns.grid.cells[0] * (size_t)columns.grid.cells[1];
    rill_result result = get_column_arrays(load, &columns, cells);
    if (!result) result = get_sheets(load, &columns, &numbering, &roomy);
    if (!result)
        result = as_data(rill_bed_make_numbered(&columns, &numbering, roomy, world->def.edges, &world->allocator,
                                                &world->bed, load->message));
    rill_numbering_free(&numbering, &columns, &world->allocator);
    rill_columns_free(&columns, &world->allocator);
    if (result) return result;
    rill_bed_info *info = &world->bed.info;
    info->degenerate_triangles = findings[0];
    info->open_components = findings[1];
    info->closed_components = findings[2];
    info->outside_solids = findings[3];
    return as_data(rill_world_raise_bed(world, load->message));
}

static bool get_column(rill_reader *reader, rill_world *world, int32_t place) {
    rill_flow *flow = &world->flow;
    flow->H[place] = get_i32(reader);
    flow->u[place] = rill_get_f32(reader);
    flow->v[place] = rill_get_f32(reader);
    const int32_t code = flow->pressure ? (int32_t)rill_get_u32(reader) : 0;
    if (flow->pressure) flow->pressure[place] = code;
    return flow->H[place] <= flow->bed->c[place] - flow->bed->b[place] && code >= RILL_PRESSURE_NEW;
}

static rill_result get_state(loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const rill_bed *bed = &world->bed;
    rill_flow *flow = &world->flow;
    if (get_i32(reader) != bed->ghost_count || get_i32(reader) != bed->pipe_count || get_i32(reader) != bed->tile_count)
        return refuse(load, "edges, pipes or tiles are not those of the bed");
    bool good = true;
    for (int64_t i = 0; good && i < bed->info.columns; ++i) good = get_column(reader, world, bed->places[i]);
    for (int32_t i = 0; good && i < bed->ghost_count; ++i) good = get_column(reader, world, bed->ghosts[i].place);
    for (int32_t i = 0; i < bed->pipe_count; ++i) flow->pipe_u[i] = rill_get_f32(reader);
    for (int32_t i = 0; i < bed->tile_count; ++i) flow->tiles[i] = rill_get_u16(reader);
    flow->stale = rill_get_bool(reader);
    flow->substep = rill_get_u64(reader);
    flow->extent.depth = get_i32(reader);
    flow->extent.level = get_i32(reader);
    flow->extent.speed = rill_get_f32(reader);
    world->time = rill_get_f64(reader);
    if (reader->failed || !good) return refuse(load, "depths or velocities make no sense");
    rill_flow_resume(flow);
    return RILL_OK;
}

/* Places and times are checked with the whole world. */
static rill_result get_held(loading *load) {
    rill_reader *reader = &load->reader;
    rill_flow *flow = &load->world->flow;
    const uint32_t count = rill_get_u32(reader);
    int64_t left = INT64_C(1) << 60; /* as of the accounts */
    if (count > (uint64_t)flow->bed->info.columns || !rill_get_room(reader, count, 20))
        return refuse(load, "what solids have pressed out makes no sense");
    if (!rill_array_resize(&flow->held, &load->world->allocator, count)) return no_memory(load, "liquid");
    rill_held *held = flow->held.data;
    for (uint32_t i = 0; i < count; ++i) {
        held[i] = (rill_held){ .amount = get_i64(reader) };
        held[i].seconds = rill_get_f64(reader);
        held[i].place = get_i32(reader);
        if (reader->failed || held[i].amount > left) return refuse(load, "what solids have pressed out makes no sense");
        left -= held[i].amount;
    }
    return RILL_OK;
}

/* Written so that NaN fails. */
static bool good_time(const rill_world *world, double time) {
    return time == -1.0 || (time >= 0.0 && time <= world->time);
}

static rill_result get_cell_times(loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > rill_world_cells(world) || !rill_get_room(reader, count, 20))
        return refuse(load, "solids have moved in more cells than there are");
    if (count > 0 && !rill_world_time_cells(world)) return no_memory(load, "cells");
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t cell = rill_get_u32(reader);
        rill_cell_times times = { .moved = rill_get_f64(reader) };
        times.pressed = rill_get_f64(reader);
        if (reader->failed || cell >= rill_world_cells(world) || !good_time(world, times.moved) ||
            !good_time(world, times.pressed))
            return refuse(load, "when a solid moved in a cell makes no sense");
        world->cell_times[cell] = times;
    }
    return reader->failed ? refuse(load, "the times of cells end early") : RILL_OK;
}

static rill_result get_books(loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count < RILL_BOOK_FIXED || count > INT32_MAX || !rill_get_room(reader, count, 20))
        return refuse(load, "the number of accounts makes no sense");
    int64_t poured = 0, drained = 0;
    for (uint32_t i = 0; i < count; ++i) {
        char name[RILL_NAME_LENGTH + 1];
        rill_get_text(reader, name, sizeof name);
        rill_book book = { .poured = get_i64(reader) };
        book.drained = get_i64(reader);
        const int64_t most = INT64_C(1) << 60; /* leaves room to go on booking */
        if (reader->failed || book.poured > most - poured || book.drained > most - drained)
            return refuse(load, "an account makes no sense");
        poured += book.poured;
        drained += book.drained;
        if (i < RILL_BOOK_FIXED) { /* is there already */
            rill_book *fixed = (rill_book *)world->books.data + i;
            if (strcmp(name, fixed->name) != 0) return refuse(load, "an account has another name than it should");
            fixed->poured = book.poured;
            fixed->drained = book.drained;
            continue;
        }
        book.name = rill_string_copy(&world->allocator, name);
        if (!book.name || !rill_array_push(&world->books, &world->allocator, &book)) {
            rill_string_free(&world->allocator, book.name);
            return no_memory(load, "accounts");
        }
    }
    return RILL_OK;
}

static rill_result get_source(loading *load, rill_source *source) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    rill_source_def *def = &source->def;
    char name[RILL_NAME_LENGTH + 1];
    rill_get_text(reader, name, sizeof name);
    def->shape = (rill_source_shape)rill_get_u8(reader);
    def->sink = rill_get_bool(reader);
    rill_get_f64s(reader, def->at, 3);
    def->radius = rill_get_f64(reader);
    rill_get_f64s(reader, def->min, 3);
    rill_get_f64s(reader, def->max, 3);
    def->rate = rill_get_f64(reader);
    def->from = rill_get_f64(reader);
    def->until = rill_get_f64(reader);
    source->book = get_i32(reader);
    source->pending = rill_get_f64(reader);
    source->turn = rill_get_u64(reader);
    if (reader->failed) return refuse(load, "a source makes no sense");
    rill_result result = as_data(rill_check_source_def(def, load->message));
    if (result) return result;

    source->name = rill_string_copy(&world->allocator, name);
    if (!source->name) return no_memory(load, "sources");
    def->name = source->name;
    result = as_data(rill_source_attach(source, &world->bed, &world->allocator, load->message));
    if (result) return result;
    if (source->book < RILL_BOOK_FIXED || (size_t)source->book >= world->books.count || !(source->pending >= 0.0) ||
        source->pending >= 1.0 || (source->turn > 0 && source->turn >= source->place_count))
        return refuse(load, "what a source owes makes no sense");
    return RILL_OK;
}

static rill_result get_sources(loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(reader, count, 3)) return refuse(load, "there are too many sources");
    if (!rill_array_resize(&world->sources, &world->allocator, count)) return no_memory(load, "sources");
    rill_source *sources = world->sources.data;
    for (uint32_t i = 0; i < count; ++i) {
        sources[i].generation = rill_get_u16(reader);
        sources[i].alive = rill_get_bool(reader);
        if (sources[i].generation == 0) return refuse(load, "a source has no generation");
        if (sources[i].alive) {
            const rill_result result = get_source(load, &sources[i]);
            if (result) return result;
        } else if (sources[i].generation < RILL_GENERATION_MAX) {
            world->sources_free += 1;
        }
    }
    return reader->failed ? refuse(load, "the sources end early") : RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------- all of them */

static rill_result get_contents(loading *load, const rill_runtime *runtime) {
    rill_result result = get_header(load);
    if (!result) result = get_world(load, runtime);
    if (!result) result = get_solids(load);
    if (!result) result = get_bed(load);
    if (!result) result = get_state(load);
    if (!result) result = get_held(load);
    if (!result) result = get_cell_times(load);
    if (!result) result = get_books(load);
    if (!result) result = get_sources(load);
    if (!result && load->reader.at != load->reader.size) result = refuse(load, "more bytes follow than belong to it");
    if (!result) result = as_data(rill_world_validate(load->world, load->message));
    return result;
}

rill_result rill_snapshot_read(const void *memory, size_t size, const rill_runtime *runtime, rill_world **out,
                               rill_message *message) {
    loading load = { .reader = { .memory = memory, .size = size }, .message = message };
    const rill_result result = get_contents(&load, runtime);
    if (result)
        rill_world_destroy(load.world);
    else
        *out = load.world;
    return result;
}
