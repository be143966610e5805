/* Reading a layer as an array: what is written to files and compared in tests. */
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
    return depth * world->def.liquid.density * rill_world_normal_gravity(world) +
           world->def.solver.kandemir.atmosphere + rill_tank_external(world->tank, x, y);
}

/* What lies on bodies is of the column. */
static int32_t deck_at(const rill_world *world, int32_t place) {
    const rill_body_node *node = rill_bodies_node(&world->bodies, place);
    return node ? node->deck : 0;
}

static void read_scalar(const rill_world *world, rill_field field, int32_t layer, double *out, size_t count) {
    const rill_bed *bed = &world->bed;
    for (size_t i = 0; i < count; ++i) {
        if (layer >= bed->cell_first[i + 1] - bed->cell_first[i]) {
            out[i] = (double)NAN;
            continue;
        }
        const int32_t place = bed->places[bed->cell_first[i] + layer];
        out[i] = field == RILL_FIELD_BASE       ? rill_bed_z(bed, bed->b[place])
                 : field == RILL_FIELD_CEILING  ? rill_world_ceiling(world, place)
                 : field == RILL_FIELD_AWAKE    ? awake(world, place)
                 : field == RILL_FIELD_PRESSURE ? total_pressure(world, place)
                                                : (double)(world->flow.H[place] + deck_at(world, place)) * bed->quantum;
    }
}

static void read_vector(const rill_world *world, rill_field field, int32_t layer, double *out, size_t cells) {
    const rill_bed *bed = &world->bed;
    const rill_sheet *sheet = NULL;
    for (size_t i = 0; i < cells; ++i) {
        if (layer >= bed->cell_first[i + 1] - bed->cell_first[i]) {
            out[2 * i] = out[2 * i + 1] = (double)NAN;
            continue;
        }
        const int32_t place = bed->places[bed->cell_first[i] + layer];
        sheet = rill_face_sheet(bed, place, sheet);
        double u = rill_face_velocity(world, sheet, place, RILL_WEST);
        double v = rill_face_velocity(world, sheet, place, RILL_SOUTH);
        if (field == RILL_FIELD_VELOCITY) {
            u = 0.5 * (u + rill_face_velocity(world, sheet, place, RILL_EAST));
            v = 0.5 * (v + rill_face_velocity(world, sheet, place, RILL_NORTH));
        }
        out[2 * i] = u;
        out[2 * i + 1] = v;
    }
}

rill_result rill_world_read_field(const rill_world *world, rill_field field, int32_t layer, double *out, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = rill_world_need_bed(world, "rill_world_read_field");
    if (result) return result;
    if ((unsigned)field > RILL_FIELD_PRESSURE)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "field is %d; expected %d to %d", (int)field,
                         RILL_FIELD_BASE, RILL_FIELD_PRESSURE);
    if (field == RILL_FIELD_PRESSURE && !world->tank)
        return rill_fail(world->note, RILL_INVALID_STATE,
                         "RILL_FIELD_PRESSURE: solver.method is not RILL_METHOD_KANDEMIR");
    const size_t cells = (size_t)world->bed.grid.cells[0] * (size_t)world->bed.grid.cells[1];
    const bool vector = field == RILL_FIELD_VELOCITY || field == RILL_FIELD_FACES;
    if (!out || count != cells * (vector ? 2 : 1))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is %s for %zu doubles; expected room for %zu",
                         out ? "an array" : "NULL", count, cells * (vector ? 2 : 1));
    if (layer < 0 || layer >= world->bed.info.layers)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "layer is %d; expected 0 to %d", layer,
                         world->bed.info.layers - 1);
    if (vector)
        read_vector(world, field, layer, out, cells);
    else
        read_scalar(world, field, layer, out, cells);
    return RILL_OK;
}
