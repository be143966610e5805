/* Loads the solids, columns and sheets of a snapshot: see snapshot_load.c. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "bed/sheets.h"
#include "snapshot/snapshot.h"

typedef struct solid_arrays {
    float *vertices;
    uint32_t *indices;
    double *heights, *wettability;
    size_t vertex_count, index_count, height_count, wettability_count;
} solid_arrays;

static void free_arrays(const rill_allocator *allocator, solid_arrays *arrays) {
    rill_free(allocator, arrays->vertices, arrays->vertex_count, sizeof *arrays->vertices);
    rill_free(allocator, arrays->indices, arrays->index_count, sizeof *arrays->indices);
    rill_free(allocator, arrays->heights, arrays->height_count, sizeof *arrays->heights);
    rill_free(allocator, arrays->wettability, arrays->wettability_count, sizeof *arrays->wettability);
}

static rill_result get_mesh(rill_loading *load, rill_solid_def *def, solid_arrays *arrays) {
    rill_reader *reader = &load->reader;
    const uint64_t vertices = rill_get_u64(reader), triangles = rill_get_u64(reader);
    if (!rill_get_room(reader, vertices, 3 * sizeof(float)) || !rill_get_room(reader, triangles, 3 * sizeof(uint32_t)))
        return rill_loading_refuse(load, "a mesh has more points or triangles than there are bytes");
    def->shape.vertex_count = (size_t)vertices;
    def->shape.triangle_count = (size_t)triangles;
    arrays->vertex_count = 3 * def->shape.vertex_count;
    arrays->index_count = 3 * def->shape.triangle_count;
    arrays->vertices = rill_alloc_zeroed(&load->world->allocator, arrays->vertex_count, sizeof *arrays->vertices);
    arrays->indices = rill_alloc_zeroed(&load->world->allocator, arrays->index_count, sizeof *arrays->indices);
    if (!arrays->vertices || !arrays->indices) return rill_loading_starved(load, "meshes");
    for (size_t i = 0; i < arrays->vertex_count; ++i) arrays->vertices[i] = rill_get_f32(reader);
    for (size_t i = 0; i < arrays->index_count; ++i) arrays->indices[i] = rill_get_u32(reader);
    def->shape.vertices = arrays->vertices;
    def->shape.indices = arrays->indices;
    return RILL_OK;
}

/* Reads a map of numbers, in the order of its cells; `*values` belongs to the caller also when it fails. */
static rill_result get_map(rill_loading *load, int32_t size[2], double **values, size_t *value_count) {
    rill_reader *reader = &load->reader;
    size[0] = rill_loading_i32(reader);
    size[1] = rill_loading_i32(reader);
    const uint64_t count = (uint64_t)size[0] * (uint64_t)size[1];
    if (!rill_get_room(reader, count, sizeof(double)))
        return rill_loading_refuse(load, "a map has more points than there are bytes");
    *value_count = (size_t)count;
    *values = rill_alloc_zeroed(&load->world->allocator, *value_count, sizeof **values);
    if (!*values) return rill_loading_starved(load, "maps");
    rill_get_f64s(reader, *values, *value_count);
    return RILL_OK;
}

static rill_result get_wettability(rill_loading *load, rill_solid_def *def, solid_arrays *arrays) {
    rill_loading_angles(&load->reader, &def->contact_angle);
    const rill_result result = get_map(load, def->wettability_size, &arrays->wettability, &arrays->wettability_count);
    def->wettability = arrays->wettability_count > 0 ? arrays->wettability : NULL;
    return result;
}

static rill_result get_solid(rill_loading *load, bool soft, rill_solid **out) {
    rill_reader *reader = &load->reader;
    char name[RILL_NAME_LENGTH + 1];
    rill_solid_def def = rill_default_solid_def();
    solid_arrays arrays = { 0 };
    rill_get_text(reader, name, sizeof name);
    def.name = name[0] ? name : NULL;
    def.shape.type = (rill_shape)rill_get_u8(reader);
    double *vectors[] = { def.shape.min,  def.shape.max,   def.shape.centre, def.shape.from, def.shape.to,
                          def.shape.axis, def.shape.point, def.rotate,       def.translate };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) rill_get_f64s(reader, vectors[i], 3);
    def.shape.radius = rill_get_f64(reader);
    def.shape.tube = rill_get_f64(reader);
    def.scale = rill_get_f64(reader);
    rill_result result = RILL_OK;
    if (def.shape.type == RILL_SHAPE_MESH) result = get_mesh(load, &def, &arrays);
    if (def.shape.type == RILL_SHAPE_HEIGHTMAP)
        result = get_map(load, def.shape.heights_size, &arrays.heights, &arrays.height_count);
    def.shape.heights = arrays.heights;
    if (!result) result = get_wettability(load, &def, &arrays);
    if (!result && reader->failed) result = rill_loading_refuse(load, "a solid ends early");
    if (!result) result = rill_loading_result(rill_world_make_solid(load->world, &def, soft, out, load->message));
    free_arrays(&load->world->allocator, &arrays);
    return result;
}

bool rill_loading_area(rill_reader *reader, const rill_grid *grid, rill_area *area) {
    for (int axis = 0; axis < 2; ++axis) {
        area->low[axis] = rill_loading_i32(reader);
        area->high[axis] = rill_loading_i32(reader);
        if (area->low[axis] > grid->cells[axis] || area->high[axis] > grid->cells[axis]) return false;
    }
    return !reader->failed;
}

rill_result rill_loading_solids(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(reader, count, 3))
        return rill_loading_refuse(load, "there are too many solids");
    if (!rill_array_resize(&world->solids, &world->allocator, count)) return rill_loading_starved(load, "solids");
    rill_solid_slot *slots = world->solids.data;
    for (uint32_t i = 0; i < count; ++i) {
        slots[i].generation = rill_get_u16(reader);
        if (slots[i].generation == 0) return rill_loading_refuse(load, "a solid has no generation");
        const uint8_t bits = rill_get_u8(reader);
        if (bits & ~RILL_SLOT_BITS) return rill_loading_refuse(load, "the state of a solid makes no sense");
        slots[i].hidden = bits & RILL_SLOT_HIDDEN;
        slots[i].changed = bits & RILL_SLOT_CHANGED;
        slots[i].touched = bits & RILL_SLOT_TOUCHED;
        world->changes += slots[i].changed;
        if (slots[i].changed && !rill_loading_area(reader, &world->def.grid, &slots[i].built))
            return rill_loading_refuse(load, "the cells under a solid make no sense");
        if (bits & RILL_SLOT_ALIVE) {
            const rill_result result = get_solid(load, bits & RILL_SLOT_SOFT, &slots[i].solid);
            if (result) return result;
        }
        if (!slots[i].changed) slots[i].built = rill_world_reach(world, &slots[i]);
        world->solids_free += rill_slot_free(&slots[i]);
    }
    return reader->failed ? rill_loading_refuse(load, "the solids end early") : RILL_OK;
}

/* Tells whether columns of one cell stand above each other, each on a solid that exists. */
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
static rill_result get_column_arrays(rill_loading *load, rill_columns *columns, size_t cells) {
    rill_reader *reader = &load->reader;
    const rill_allocator *allocator = &load->world->allocator;
    if (!rill_get_room(reader, cells, sizeof(uint32_t)))
        return rill_loading_refuse(load, "there are fewer cells than the grid has");
    columns->cell_first = rill_alloc_zeroed(allocator, cells + 1, sizeof *columns->cell_first);
    if (!columns->cell_first) return rill_loading_starved(load, "cells");
    for (size_t i = 0; i < cells; ++i) {
        const uint32_t count = rill_get_u32(reader);
        if (count > INT32_MAX - (uint32_t)columns->cell_first[i])
            return rill_loading_refuse(load, "there are too many columns");
        columns->cell_first[i + 1] = columns->cell_first[i] + (int32_t)count;
    }
    const size_t count = (size_t)columns->cell_first[cells];
    columns->count = (int64_t)count;
    for (size_t i = 0; i < cells; ++i) RILL_ASSERT(columns->cell_first[i] <= columns->cell_first[i + 1]);
    if (!rill_get_room(reader, cells, sizeof(rill_notes)))
        return rill_loading_refuse(load, "there are fewer notes than cells");
    columns->notes = rill_alloc_zeroed(allocator, cells, sizeof *columns->notes);
    if (!columns->notes) return rill_loading_starved(load, "cells");
    for (size_t i = 0; i < cells; ++i) {
        const uint32_t notes = rill_get_u32(reader);
        columns->notes[i] = (rill_notes){ .slivers = (uint8_t)notes,
                                          .walls = (uint8_t)(notes >> 8),
                                          .sheets = (uint8_t)(notes >> 16),
                                          .clipped = (uint8_t)(notes >> 24) };
    }
    if (!rill_get_room(reader, count, 2 * sizeof(int32_t) + sizeof(uint16_t)))
        return rill_loading_refuse(load, "there are fewer columns than the cells have");
    columns->b = rill_alloc_zeroed(allocator, count, sizeof *columns->b);
    columns->c = rill_alloc_zeroed(allocator, count, sizeof *columns->c);
    columns->floors = rill_alloc_zeroed(allocator, count, sizeof *columns->floors);
    if (!columns->b || !columns->c || !columns->floors) return rill_loading_starved(load, "columns");
    for (size_t i = 0; i < count; ++i) columns->b[i] = rill_loading_i32(reader);
    for (size_t i = 0; i < count; ++i) columns->c[i] = rill_loading_i32(reader);
    for (size_t i = 0; i < count; ++i) columns->floors[i] = rill_get_u16(reader);
    for (size_t i = 0; i < cells; ++i) {
        if (!good_cell(load->world, columns, i))
            return rill_loading_refuse(load, "the columns of a cell make no sense");
    }
    return reader->failed ? rill_loading_refuse(load, "the columns make no sense") : RILL_OK;
}

/* Reads sheets, which are inside the grid, and one of them for each column. In a roomy bed they all span the grid. */
static rill_result get_sheets(rill_loading *load, const rill_columns *columns, rill_numbering *numbering, bool *roomy) {
    rill_reader *reader = &load->reader;
    const rill_allocator *allocator = &load->world->allocator;
    const rill_grid *grid = &columns->grid;
    *roomy = rill_get_bool(reader);
    const uint32_t sheets = rill_get_u32(reader);
    if (sheets == 0 || sheets > INT32_MAX || !rill_get_room(reader, sheets, 4 * sizeof(uint32_t)) ||
        !rill_get_room(reader, (uint64_t)columns->count, sizeof(uint32_t)))
        return rill_loading_refuse(load, "the number of sheets makes no sense");
    if (!rill_array_resize(&numbering->sheets, allocator, sheets)) return rill_loading_starved(load, "sheets");
    rill_sheet *sheet = numbering->sheets.data;
    for (uint32_t i = 0; i < sheets; ++i) {
        sheet[i] = (rill_sheet){ .x0 = rill_loading_i32(reader) };
        sheet[i].y0 = rill_loading_i32(reader);
        sheet[i].nx = rill_loading_i32(reader);
        sheet[i].ny = rill_loading_i32(reader);
        const bool whole = sheet[i].nx == grid->cells[0] && sheet[i].ny == grid->cells[1];
        if (sheet[i].nx < 1 || sheet[i].nx > grid->cells[0] || sheet[i].x0 > grid->cells[0] - sheet[i].nx ||
            sheet[i].ny < 1 || sheet[i].ny > grid->cells[1] || sheet[i].y0 > grid->cells[1] - sheet[i].ny ||
            (*roomy && !whole))
            return rill_loading_refuse(load, "a sheet makes no sense");
    }
    numbering->sheet_of = rill_alloc_zeroed(allocator, (size_t)columns->count, sizeof(int32_t));
    if (!numbering->sheet_of) return rill_loading_starved(load, "sheets");
    for (int64_t i = 0; i < columns->count; ++i) numbering->sheet_of[i] = rill_loading_i32(reader);
    return reader->failed ? rill_loading_refuse(load, "the sheets of the columns make no sense") : RILL_OK;
}

rill_result rill_loading_bed(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    rill_columns columns = { .grid = world->def.grid,
                             .area = { { 0, 0 }, { world->def.grid.cells[0], world->def.grid.cells[1] } } };
    rill_numbering numbering = { .sheets = rill_array_make(sizeof(rill_sheet)) };
    bool roomy = false;
    int64_t findings[5];
    columns.quantum = rill_get_f64(reader);
    columns.datum = rill_get_f64(reader);
    for (size_t i = 0; i < sizeof findings / sizeof findings[0]; ++i) findings[i] = rill_loading_i64(reader);
    /* The bed chooses a power of two, between a cell and a cell / 2^26 (bed/columns.c): the flow counts on it. */
    int exponent;
    const double cell = columns.grid.cell_size, quantum = columns.quantum;
    if (reader->failed || !(fabs(columns.datum) <= 1e10) || !(quantum > 0.0 && quantum <= cell) ||
        cell / quantum > 0x1p26 || frexp(quantum, &exponent) != 0.5)
        return rill_loading_refuse(load, "the quantum or the datum makes no sense");
    columns.opening = rill_columns_opening(&world->def, quantum);
    if (columns.opening < RILL_LEAST_OPENING) columns.opening = RILL_LEAST_OPENING;
    const size_t cells = (size_t)columns.grid.cells[0] * (size_t)columns.grid.cells[1];
    rill_result result = get_column_arrays(load, &columns, cells);
    if (!result) result = get_sheets(load, &columns, &numbering, &roomy);
    if (!result)
        result = rill_loading_result(rill_bed_make_numbered(&columns, &numbering, roomy, world->def.edges,
                                                            &world->allocator, &world->bed, load->message));
    rill_numbering_free(&numbering, &columns, &world->allocator);
    rill_columns_free(&columns, &world->allocator);
    if (result) return result;
    rill_bed_info *info = &world->bed.info;
    info->degenerate_triangles = findings[0];
    info->doubled_triangles = findings[1];
    info->open_components = findings[2];
    info->closed_components = findings[3];
    info->outside_solids = findings[4];
    return rill_loading_result(rill_world_raise_bed(world, load->message));
}
