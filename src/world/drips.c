/* DRIPS: liquid that leaves what it was on, for the air.
 *
 * Where gravity pulls off the bed (g_n < 0) tension holds a film, and drops that grow out of it, up to
 *
 *     2 sqrt(gamma / (rho |g_n|)),
 *
 * twice the capillary length there: about as deep as the deepest drop that hangs on a surface it wets. What a column holds
 * beyond that goes. Columns under a ceiling keep it: it would come down on that, which no column stands on.
 *
 * Shells let go of what is too deep for them by the same rule (films/films.h).
 *
 * What has left comes down at once, on the straight line that gravity draws through the place. It lands on the column whose
 * floor, or whose neighbour's side, the line meets first; one that comes down to the edge of the grid meets the wall there. */
#include <math.h>

#include "base/vec.h"
#include "flow/ceiling.h"
#include "world/method.h"
#include "world/world_shells.h"

/* --------------------------------------------------------------------------------------------------------------- line */

/* A line from cell to cell: lengths along the bed in cells, heights in quanta. */
typedef struct fall {
    const rill_bed *bed;
    double at[3], way[3];
    int32_t cell[2];
} fall;

/* The column of a cell in whose void a height is: an index into the bed's places; -1: it is inside of a solid. */
static int32_t void_at(const rill_bed *bed, const int32_t cell[2], double height) {
    const int32_t *first = &bed->cell_first[cell[1] * bed->grid.cells[0] + cell[0]];
    for (int32_t k = first[0]; k < first[1]; ++k)
        if ((double)bed->b[bed->places[k]] <= height && height < (double)bed->c[bed->places[k]]) return k;
    return -1;
}

/* The column of a cell on top of the solid that a height is inside of; -1: there is none. */
static int32_t top_above(const rill_bed *bed, const int32_t cell[2], double height) {
    const int32_t *first = &bed->cell_first[cell[1] * bed->grid.cells[0] + cell[0]];
    for (int32_t k = first[0]; k < first[1]; ++k)
        if ((double)bed->b[bed->places[k]] > height) return k;
    return -1;
}

static bool is_inside(const rill_bed *bed, const int32_t cell[2]) {
    return cell[0] >= 0 && cell[1] >= 0 && cell[0] < bed->grid.cells[0] && cell[1] < bed->grid.cells[1];
}

/* How far it is along the line to the next side of the cell across an axis; infinite if there is none. */
static double to_side(const fall *line, int axis) {
    const double way = line->way[axis];
    if (way == 0.0) return (double)INFINITY;
    return fmax(0.0, ((double)line->cell[axis] + (way > 0.0 ? 1.0 : 0.0) - line->at[axis]) / way);
}

/* Goes on to the next cell. */
static void cross(fall *line, int axis, double far) {
    for (int i = 0; i < 3; ++i) line->at[i] += far * line->way[i];
    line->cell[axis] += line->way[axis] > 0.0 ? 1 : -1;
}

/* Whether a line ends in the void that it is in, before it leaves the cell. */
static bool ends_in(const fall *line, int32_t column, double far) {
    const int32_t place = line->bed->places[column];
    if (line->way[2] < 0.0) return line->at[2] + far * line->way[2] <= (double)line->bed->b[place];
    return line->way[2] > 0.0 && line->bed->c[place] < RILL_TOP &&
           line->at[2] + far * line->way[2] >= (double)line->bed->c[place];
}

/* The column where it ends that comes from that one and has met the edge of the grid, or a solid. */
static int32_t stopped_by(const rill_world *world, const fall *line, int32_t column, int axis) {
    const bool down = line->way[2] < 0.0;
    if (is_inside(line->bed, line->cell)) {
        const int32_t top = down ? -1 : top_above(line->bed, line->cell, line->at[2]);
        return top < 0 ? column : top;
    }
    const int32_t side =
        axis == 0 ? (line->cell[0] < 0 ? RILL_WEST : RILL_EAST) : (line->cell[1] < 0 ? RILL_SOUTH : RILL_NORTH);
    return down && world->def.edges[side].kind == RILL_EDGE_WALL ? column : -1;
}

/* The column that a line from a place along gravity meets first, an index into the bed's places; -1: none. */
static int32_t column_below(const rill_world *world, const double position[3]) {
    const rill_bed *bed = &world->bed;
    const double dx = bed->grid.cell_size, *g = world->def.gravity;
    fall line = { .bed = bed,
                  .at = { (position[0] - bed->grid.origin[0]) / dx, (position[1] - bed->grid.origin[1]) / dx,
                          (position[2] - bed->datum) / bed->quantum },
                  .way = { g[0] / dx, g[1] / dx, g[2] / bed->quantum } };
    for (int i = 0; i < 2; ++i) {
        if (!(line.at[i] >= 0.0 && line.at[i] < (double)bed->grid.cells[i])) return -1;
        line.cell[i] = (int32_t)line.at[i];
    }
    for (int32_t column = void_at(bed, line.cell, line.at[2]); column >= 0;) {
        const double side[2] = { to_side(&line, 0), to_side(&line, 1) };
        const int axis = side[1] < side[0];
        if (ends_in(&line, column, side[axis])) return column;
        if (isinf(side[axis])) return -1;
        cross(&line, axis, side[axis]);
        const int32_t next = is_inside(bed, line.cell) ? void_at(bed, line.cell, line.at[2]) : -1;
        if (next < 0) return stopped_by(world, &line, column, axis);
        column = next;
    }
    return -1;
}

/* ---------------------------------------------------------------------------------------------------------- hand over */

/* How much finds room on a column. */
static int32_t room_on(const rill_world *world, int32_t place) {
    const int32_t full = rill_ceiling_full(&world->bed, place);
    return rill_max_i(full - world->flow.H[place], 0);
}

/* The shell that a drip meets before it has fallen so far, m, and the column of it; NULL: none. `*meets` says whether it meets one at
 * all: it is lost on the back of one, where no liquid is. */
static const rill_shell_slot *shell_below(const rill_world *world, const double position[3], double far,
                                          int32_t *column, bool *meets) {
    const double *g = world->def.gravity, size = sqrt(rill_vec_dot(g, g));
    const rill_shell_slot *found = NULL;
    rill_ray_line line;
    for (int k = 0; k < 3; ++k) line.origin[k] = position[k], line.direction[k] = size > 0.0 ? g[k] / size : 0.0;
    *meets = false;
    for (size_t i = 0; size > 0.0 && i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        double normal[3];
        if (!slot->alive || !rill_shell_cast(slot, &line, &far, column, normal)) continue;
        found = rill_vec_dot(normal, line.direction) < 0.0 ? slot : NULL;
        *meets = true;
    }
    return found;
}

/* How far it is from a place down to the liquid of a column, m. */
static double fall_to(const rill_world *world, const double position[3], int32_t place) {
    const double *g = world->def.gravity,
                 down = position[2] - rill_bed_z(&world->bed, world->bed.b[place] + world->flow.H[place]);
    return g[2] != 0.0 ? fmax(0.0, -down / g[2]) * sqrt(rill_vec_dot(g, g)) : (double)INFINITY;
}

void rill_world_hand_over(rill_world *world, const rill_drip *drip) {
    const int32_t column = world->built ? column_below(world, drip->position) : -1;
    int32_t place = column >= 0 ? world->bed.places[column] : -1, on_shell = 0;
    bool meets;
    const rill_shell_slot *shell =
        shell_below(world, drip->position, place >= 0 ? fall_to(world, drip->position, place) : (double)INFINITY,
                    &on_shell, &meets);
    if (shell) {
        rill_films_give(shell->films, on_shell, drip->quanta);
        return;
    }
    if (meets) place = -1;
    const int64_t room = place >= 0 ? room_on(world, place) : 0, landed = drip->quanta < room ? drip->quanta : room;
    RILL_ASSERT(drip->quanta > 0);
    if (landed > 0) {
        const rill_landing landing = rill_bodies_landing(&world->bodies);
        rill_land(world->bodies.nodes.count > 0 ? &landing : NULL, &world->flow, place, (int32_t)landed);
        rill_flow_wake(&world->flow, place);
    }
    if (landed < drip->quanta) rill_book_change(world, world->dripped, landed - drip->quanta);
}

/* ---------------------------------------------------------------------------------------------------------------- rule */

static bool drips(const rill_world *world) {
    return world->def.gravity[2] > 0.0 && rill_world_turns(world);
}

rill_result rill_world_ready_drips(rill_world *world) {
    if (world->shells.count == 0 && !drips(world)) return RILL_OK;
    world->dripped = rill_book_open(world, "dripped");
    if (world->dripped >= 0) return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for an account of what drips");
}

/* The deepest that liquid hangs, quanta. */
static int32_t deepest(const rill_world *world) {
    const rill_liquid *liquid = &world->def.liquid;
    const double depth = 2.0 * sqrt(liquid->surface_tension / (liquid->density * world->def.gravity[2]));
    return (int32_t)fmin(depth / world->bed.quantum, (double)RILL_TOP);
}

static void let_go(rill_world *world, int32_t x, int32_t y, int32_t place, int32_t most) {
    const rill_bed *bed = &world->bed;
    const int32_t surplus = world->flow.H[place] - most;
    const rill_drip drip = { .position = { bed->grid.origin[0] + ((double)x + 0.5) * bed->grid.cell_size,
                                           bed->grid.origin[1] + ((double)y + 0.5) * bed->grid.cell_size,
                                           rill_bed_z(bed, bed->b[place] + most) },
                             .quanta = surplus };
    rill_column_take(&world->flow, place, surplus);
    rill_flow_wake(&world->flow, place);
    rill_world_hand_over(world, &drip);
}

void rill_step_drip(rill_step_context *step) {
    rill_world *world = step->world;
    const rill_bed *bed = &world->bed;
    if (!drips(world)) return;
    const int32_t most = deepest(world);
    if (world->flow.extent.depth <= most) return;
    for (int32_t y = 0, i = 0; y < bed->grid.cells[1]; ++y)
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x, ++i)
            for (int32_t k = bed->cell_first[i]; k < bed->cell_first[i + 1]; ++k) {
                const int32_t place = bed->places[k];
                if (world->flow.H[place] > most && bed->c[place] >= RILL_TOP &&
                    !rill_bodies_node(&world->bodies, place))
                    let_go(world, x, y, place, most);
            }
}
