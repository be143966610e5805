/* Reading a layer, or a part of one, as an array of doubles or floats: what is written to files, drawn and compared in
 * tests. */
#include <math.h>

#include "kandemir/kandemir.h"
#include "world/world.h"

/* Tiles that were woken since the last sub-step are not swept yet, but will be. */
static double awake(const rill_world *world, int32_t place) {
    const uint16_t tile = world->flow.tiles[rill_bed_tile_of(&world->bed, place)];
    return tile & (RILL_TILE_AWAKE | RILL_TILE_SWEPT) ? 1.0 : 0.0;
}

/* Eqs. 5.1 and 5.2. */
static double total_pressure(const rill_world *world, int32_t place) {
    int32_t x, y;
    rill_bed_sheet_of(&world->bed, place, &x, &y);
    const double depth = (double)world->flow.H[place] * world->bed.quantum;
    return depth * world->def.liquid.density * rill_world_lifted_gravity(world) +
           world->def.solver.kandemir.atmosphere + rill_tank_external(world->method.tank, x, y);
}

/* Returns how much lies on a body in a column, of which it is a part. */
static int32_t deck_at(const rill_world *world, int32_t place) {
    const rill_body_node *node = rill_bodies_node(&world->bodies, place);
    return node ? node->deck : 0;
}

/* A part of a layer, and where its values go: one of the arrays is NULL. */
typedef struct reading {
    const rill_world *world;
    rill_field field;
    rill_field_area area;
    double *doubles;
    float *floats;
    size_t done; /* values that are written */
} reading;

static int values_per_cell(rill_field field) {
    return field == RILL_FIELD_VELOCITY || field == RILL_FIELD_FACES ? 2 : 1;
}

static void put(reading *read, double value) {
    if (read->doubles)
        read->doubles[read->done++] = value;
    else
        read->floats[read->done++] = (float)value;
}

static double scalar_at(const rill_world *world, rill_field field, int32_t place) {
    const rill_bed *bed = &world->bed;
    return field == RILL_FIELD_BASE       ? rill_bed_z(bed, bed->b[place])
           : field == RILL_FIELD_CEILING  ? rill_world_ceiling(world, place)
           : field == RILL_FIELD_AWAKE    ? awake(world, place)
           : field == RILL_FIELD_PRESSURE ? total_pressure(world, place)
                                          : (double)(world->flow.H[place] + deck_at(world, place)) * bed->quantum;
}

static void put_vector(reading *read, const rill_sheet *sheet, int32_t place) {
    const rill_world *world = read->world;
    double u = rill_face_velocity(world, sheet, place, RILL_WEST);
    double v = rill_face_velocity(world, sheet, place, RILL_SOUTH);
    if (read->field == RILL_FIELD_VELOCITY) {
        u = 0.5 * (u + rill_face_velocity(world, sheet, place, RILL_EAST));
        v = 0.5 * (v + rill_face_velocity(world, sheet, place, RILL_NORTH));
    }
    put(read, u);
    put(read, v);
}

static void read_row(reading *read, int32_t y) {
    const rill_bed *bed = &read->world->bed;
    const size_t row = (size_t)y * (size_t)bed->grid.cells[0];
    const int values = values_per_cell(read->field);
    const rill_sheet *sheet = NULL;
    for (size_t i = row + (size_t)read->area.low[0]; i < row + (size_t)read->area.high[0]; ++i) {
        if (read->area.layer >= bed->cell_first[i + 1] - bed->cell_first[i]) {
            for (int k = 0; k < values; ++k) put(read, (double)NAN);
            continue;
        }
        const int32_t place = bed->places[bed->cell_first[i] + read->area.layer];
        if (values == 1) {
            put(read, scalar_at(read->world, read->field, place));
            continue;
        }
        sheet = rill_face_sheet(bed, place, sheet);
        put_vector(read, sheet, place);
    }
}

static rill_result check_field(const reading *read) {
    const rill_world *world = read->world;
    if ((unsigned)read->field > RILL_FIELD_PRESSURE)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "field is %d; expected %d to %d", (int)read->field,
                         RILL_FIELD_BASE, RILL_FIELD_PRESSURE);
    if (read->field == RILL_FIELD_PRESSURE && !world->method.tank)
        return rill_fail(world->note, RILL_INVALID_STATE,
                         "RILL_FIELD_PRESSURE: solver.method is not RILL_METHOD_KANDEMIR");
    return RILL_OK;
}

static rill_result check_area(const reading *read) {
    const rill_world *world = read->world;
    const rill_field_area *area = &read->area;
    for (int i = 0; i < 2; ++i) {
        const int32_t cells = world->bed.grid.cells[i];
        if (0 <= area->low[i] && area->low[i] <= area->high[i] && area->high[i] <= cells) continue;
        return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                         "area.low[%d] is %d and area.high[%d] is %d; expected 0 <= low <= high <= %d", i, area->low[i],
                         i, area->high[i], cells);
    }
    return RILL_OK;
}

static rill_result check_room(const reading *read, size_t count) {
    const rill_world *world = read->world;
    const rill_field_area *area = &read->area;
    const size_t cells = (size_t)(area->high[0] - area->low[0]) * (size_t)(area->high[1] - area->low[1]);
    const size_t needed = cells * (size_t)values_per_cell(read->field);
    const bool there = read->doubles || read->floats;
    if ((!there && needed > 0) || count != needed)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is %s for %zu numbers; expected room for %zu",
                         there ? "an array" : "NULL", count, needed);
    if (area->layer < 0 || area->layer >= world->bed.info.layers)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "layer is %d; expected 0 to %d", area->layer,
                         world->bed.info.layers - 1);
    return RILL_OK;
}

/* Reads all that is asked for, or nothing and says why not. */
static rill_result read_all(reading *read, size_t count) {
    rill_result result = check_field(read);
    if (!result) result = check_area(read);
    if (!result) result = check_room(read, count);
    for (int32_t y = read->area.low[1]; !result && y < read->area.high[1]; ++y) read_row(read, y);
    return result;
}

rill_result rill_world_read_field(const rill_world *world, rill_field field, int32_t layer, double *out, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = rill_world_need_bed(world, "rill_world_read_field");
    if (result) return result;
    const int32_t *cells = world->bed.grid.cells;
    const rill_field_area whole = { .layer = layer, .high = { cells[0], cells[1] } };
    return read_all(&(reading){ .world = world, .field = field, .area = whole, .doubles = out }, count);
}

static rill_result read_area(reading *read, const rill_field_area *area, const char *call, size_t count) {
    const rill_world *world = read->world;
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!area) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "area is NULL; expected cells of a layer");
    const rill_result result = rill_world_need_bed(world, call);
    if (result) return result;
    read->area = *area;
    return read_all(read, count);
}

rill_result rill_world_read_field_area(const rill_world *world, rill_field field, const rill_field_area *area,
                                       double *out, size_t count) {
    reading read = { .world = world, .field = field, .doubles = out };
    return read_area(&read, area, "rill_world_read_field_area", count);
}

rill_result rill_world_read_field_floats(const rill_world *world, rill_field field, const rill_field_area *area,
                                         float *out, size_t count) {
    reading read = { .world = world, .field = field, .floats = out };
    return read_area(&read, area, "rill_world_read_field_floats", count);
}
