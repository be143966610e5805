/* How the face of a solid passes a cell, from its exact form and how it was turned and placed before: see wall_speed.h.
 *
 *        before   now                    Along a line through the centre of a cell that it has just passed, the face is
 *     #######:#####|                     where the solid ends. From where it ended before, in its former place, follows
 *     #######:##x##|  -->  side          its speed along that line, and the time per cell. The line is that of the four on
 *     #######:#####|                     which the end is nearest: it meets the face most squarely.
 *
 * Where a solid leaves a cell the same holds for what is not solid. */
#include "motion/wall_speed.h"

#include "shape/solid.h"

#include <math.h>

enum { FARTHEST = 16, HALVINGS = 18 }; /* cells; and how often one is halved to find a place in it */

static const double EDGE = 1.0 / 256.0; /* cells: a face so near to the centre may be on either side of it */

/* One solid that passes one cell. */
typedef struct cell_crossing {
    const rill_moving_solid *mover;
    double at[3], cell;         /* centre of the cell, at the height of interest; width, m */
    double turn[3][3], from[3]; /* of the mover from its former place to the present one: turn (p - from) + to */
    double to[3];
    bool leaves;
} cell_crossing;

/* Turning back from where it was, and then to where it is. Scales are the same, so that they do not matter. */
static void find_turn(cell_crossing *crossing) {
    rill_solid_def def = { .scale = 1.0 };
    for (int i = 0; i < 3; ++i) def.rotate[i] = crossing->mover->former[1][i];
    const rill_placing before = rill_placing_of(&def), now = rill_placing_of(&crossing->mover->solid->def);
    for (int i = 0; i < 3; ++i) {
        crossing->from[i] = crossing->mover->former[0][i];
        crossing->to[i] = now.shift[i];
        for (int k = 0; k < 3; ++k)
            crossing->turn[i][k] = (now.turn[i][0] * before.turn[k][0] + now.turn[i][1] * before.turn[k][1]) +
                            now.turn[i][2] * before.turn[k][2];
    }
}

/* Whether a place some cells from the centre is on the side that the cell has come to: in the solid, or out of it. */
static bool has_come(const cell_crossing *crossing, const int32_t step[2], double distance, bool before) {
    double at[3] = { crossing->at[0] + distance * crossing->cell * (double)step[0], crossing->at[1] + distance * crossing->cell * (double)step[1],
                     crossing->at[2] };
    if (before) {
        const double r[3] = { at[0] - crossing->from[0], at[1] - crossing->from[1], at[2] - crossing->from[2] };
        for (int i = 0; i < 3; ++i)
            at[i] = crossing->to[i] + ((crossing->turn[i][0] * r[0] + crossing->turn[i][1] * r[1]) + crossing->turn[i][2] * r[2]);
    }
    double low[2], high[2];
    const int count = rill_line_cuts(crossing->mover->solid, at[0], at[1], low, high);
    bool inside = false;
    for (int k = 0; k < count; ++k) inside |= at[2] > low[k] && at[2] < high[k];
    return inside != crossing->leaves;
}

/* Where what is at the centre now was before. */
static double place_before(const cell_crossing *crossing, int axis) {
    double at = crossing->from[axis];
    for (int i = 0; i < 3; ++i) at += crossing->turn[i][axis] * (crossing->at[i] - crossing->to[i]);
    return at;
}

/* Where the face is along a line, cells from the centre: ahead as it is now, or behind as it was before. False if it is
 * farther away than `most`. */
static bool find_face(const cell_crossing *crossing, const int32_t step[2], bool before, int32_t most, double *out) {
    const double way = before ? -1.0 : 1.0;
    int32_t k = 0; /* up to there it has come, or had not yet come */
    if (has_come(crossing, step, -way * EDGE, before) == before) return false;
    while (k < most && has_come(crossing, step, way * (double)(k + 1), before) != before) ++k;
    if (k == most) return false;
    double near = k > 0 ? (double)k : -EDGE, far = (double)(k + 1);
    for (int i = 0; i < HALVINGS; ++i) {
        const double middle = 0.5 * (near + far);
        *(has_come(crossing, step, way * middle, before) != before ? &near : &far) = middle;
    }
    *out = way * 0.5 * (near + far);
    return true;
}

rill_wall_speed rill_moving_solid_passes(const rill_moving_solid *mover, const rill_grid *grid, const int32_t cell[2], double z,
                            bool leaves) {
    rill_wall_speed speed = { 0 };
    if (!mover->solid || !(mover->interval > 0.0)) return speed;
    cell_crossing crossing = { .mover = mover, .cell = grid->cell_size, .leaves = leaves };
    for (int i = 0; i < 2; ++i) crossing.at[i] = grid->origin[i] + ((double)cell[i] + 0.5) * crossing.cell;
    crossing.at[2] = z;
    find_turn(&crossing);
    double nearest = FARTHEST, behind;
    int32_t best = -1;
    for (int32_t i = 0; i < 4; ++i) {
        double ahead;
        if (!find_face(&crossing, rill_beside[i], false, (int32_t)ceil(nearest), &ahead) || !(ahead < nearest)) continue;
        nearest = ahead;
        best = i;
    }
    if (best < 0 || !find_face(&crossing, rill_beside[best], true, FARTHEST, &behind)) return speed;
    speed.side = best;
    speed.interval = mover->interval;
    speed.seconds = mover->interval / (nearest - behind);
    for (int i = 0; i < 2; ++i) speed.velocity[i] = (crossing.at[i] - place_before(&crossing, i)) / mover->interval;
    return speed;
}
