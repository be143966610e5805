/* How fast a solid passes a cell, pressing liquid out of it or leaving it: see displace.h and swept_volume.h.
 *
 * From its exact form, if it has one, and how it was turned and placed before:
 *
 *        before   now                    Along a line through the centre of a cell that it has just passed, the face is
 *     #######:#####|                     where the solid ends. From where it ended before, in its former place, follows
 *     #######:##x##|  -->  side          its speed along that line, and the time per cell. The line is that of the four
 *     #######:#####|                     on which the end is nearest: it meets the face most squarely.
 *
 * Where a solid leaves a cell the same holds for what is not solid.
 *
 * Else from the cells behind. Poses come frame by frame, and a wall passes the centres of cells in whole frames: three
 * frames for a cell, then three, then four. What it pushes must not jump with that. So its speed is measured over
 * several cells behind the present one: from how long ago they were pressed follows the mean time per cell,
 *
 *     T = age of the cell k behind / k,     k up to LOOK_BACK, or so far that it was passed LONGEST ago,
 *
 * along the axis on which that is longest: on a slant wall the rows beside a cell came a moment ago, those behind it
 * earlier. Cells that are passed within one frame take as many times T together. Only what has happened since the solid
 * began to move counts. A wall that goes back has the cells behind it in front of it.
 *
 * A ceiling is another matter: it moves over the same cell in each frame, so that T is the time since the last. Of what
 * has not moved before nothing is known but that frames are hardly longer than FIRST. */
#include "motion/wall_speed.h"

#include <math.h>

#include "motion/motion_internal.h"
#include "motion/swept_volume.h"
#include "shape/solid.h"

enum {
    FARTHEST = 16,  /* cells to where a face is looked for */
    HALVINGS = 18,  /* of a cell, to find a place in it */
    LOOK_BACK = 16, /* cells behind the present one that are asked when they were passed */
};

static const double EDGE = 1.0 / 256.0; /* cells: a face so near to the centre may be on either side of it */

/* ----------------------------------------------------------------------------------------- from the form of a solid */

/* One solid that passes one cell. */
typedef struct cell_crossing {
    const rill_moving_solid *moving;
    double at[3], cell;         /* centre of the cell, at the height of interest; width, m */
    double turn[3][3], from[3]; /* from its former place to the present one: turn (p - from) + to */
    double to[3];
    bool leaves;
} cell_crossing;

/* Finds the turn back from where a solid was and then to where it is. Scales are equal, so that they do not matter. */
static void find_turn(cell_crossing *crossing) {
    rill_solid_def def = { .scale = 1.0 };
    for (int i = 0; i < 3; ++i) def.rotate[i] = crossing->moving->former[1][i];
    const rill_placing before = rill_placing_of(&def), now = rill_placing_of(&crossing->moving->solid->def);
    for (int i = 0; i < 3; ++i) {
        crossing->from[i] = crossing->moving->former[0][i];
        crossing->to[i] = now.shift[i];
        for (int k = 0; k < 3; ++k)
            crossing->turn[i][k] = (now.turn[i][0] * before.turn[k][0] + now.turn[i][1] * before.turn[k][1]) +
                                   now.turn[i][2] * before.turn[k][2];
    }
}

/* Tells whether a place some cells from the centre is on the side that the cell has come to: in the solid, or out of
 * it. */
static bool has_come(const cell_crossing *crossing, const int32_t step[2], double distance, bool before) {
    double at[3] = { crossing->at[0] + distance * crossing->cell * (double)step[0],
                     crossing->at[1] + distance * crossing->cell * (double)step[1], crossing->at[2] };
    if (before) {
        const double r[3] = { at[0] - crossing->from[0], at[1] - crossing->from[1], at[2] - crossing->from[2] };
        for (int i = 0; i < 3; ++i)
            at[i] = crossing->to[i] +
                    ((crossing->turn[i][0] * r[0] + crossing->turn[i][1] * r[1]) + crossing->turn[i][2] * r[2]);
    }
    double low[2], high[2];
    const int count = rill_line_cuts(crossing->moving->solid, at[0], at[1], low, high);
    bool inside = false;
    for (int k = 0; k < count; ++k) inside |= at[2] > low[k] && at[2] < high[k];
    return inside != crossing->leaves;
}

/* Returns where the part of the solid that is at the centre now was before. */
static double place_before(const cell_crossing *crossing, int axis) {
    double at = crossing->from[axis];
    for (int i = 0; i < 3; ++i) at += crossing->turn[i][axis] * (crossing->at[i] - crossing->to[i]);
    return at;
}

/* Finds where the face is along a line, cells from the centre: ahead as it is now, or behind as it was before. False if
 * it is farther away than `most`. */
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

rill_wall_speed rill_moving_solid_passes(const rill_moving_solid *moving, const rill_grid *grid, const int32_t cell[2],
                                         double z, bool leaves) {
    rill_wall_speed speed = { 0 };
    if (!moving->solid || !(moving->interval > 0.0)) return speed;
    cell_crossing crossing = { .moving = moving, .cell = grid->cell_size, .leaves = leaves };
    for (int i = 0; i < 2; ++i) crossing.at[i] = grid->origin[i] + ((double)cell[i] + 0.5) * crossing.cell;
    crossing.at[2] = z;
    find_turn(&crossing);
    double nearest = FARTHEST, behind;
    int32_t best = -1;
    for (int32_t i = 0; i < 4; ++i) {
        double ahead;
        if (!find_face(&crossing, rill_beside[i], false, (int32_t)ceil(nearest), &ahead) || !(ahead < nearest))
            continue;
        nearest = ahead;
        best = i;
    }
    if (best < 0 || !find_face(&crossing, rill_beside[best], true, FARTHEST, &behind)) return speed;
    RILL_ASSERT(isfinite(nearest) && isfinite(behind));
    speed.side = best;
    speed.interval = moving->interval;
    speed.seconds = moving->interval / (nearest - behind);
    for (int i = 0; i < 2; ++i) speed.velocity[i] = (crossing.at[i] - place_before(&crossing, i)) / moving->interval;
    return speed;
}

/* ------------------------------------------------------------------------------------------------ from cells behind */

/* A question about the wall that has passed a cell. */
typedef struct cell_query {
    const rill_displace_job *job;
    int32_t x, y;
    bool opened; /* else pressed */
    double since;
} cell_query;

static cell_query query_at(const rill_displace_job *job, int32_t x, int32_t y, bool opened) {
    return (cell_query){ job, x, y, opened, rill_motion_since(&job->how->motion, x, y) };
}

/* Returns how long ago a wall passed a cell, s; infinity if it is of no more interest. */
static double age_of(const cell_query *query, int32_t x, int32_t y) {
    const int32_t *cells = query->job->bed->grid.cells;
    if (x < 0 || y < 0 || x >= cells[0] || y >= cells[1]) return (double)INFINITY;
    const rill_cell_times *times = &query->job->how->times[rill_displace_cell(query->job, x, y)];
    const double last = query->opened ? times->opened : times->pressed,
                 other = query->opened ? times->pressed : times->opened;
    RILL_ASSERT(last <= query->job->how->motion.now && other <= query->job->how->motion.now);
    return last >= query->since && last > other ? query->job->how->motion.now - last : (double)INFINITY;
}

double rill_wall_speed_of_ceiling(const rill_displace_job *job, int32_t x, int32_t y) {
    const double age = job->how->motion.now - job->how->times[rill_displace_cell(job, x, y)].moved;
    return age > 0.0 && age < RILL_EXPELLED_LONGEST ? age : -1.0;
}

/* Counts the cells beside one, in a direction, that are passed in this move as well. */
static int32_t run_length(const cell_query *query, int32_t dx, int32_t dy) {
    int32_t count = 0;
    while (age_of(query, query->x + (count + 1) * dx, query->y + (count + 1) * dy) == 0.0) ++count;
    return count;
}

/* Returns the mean time per cell of a wall that came from a direction; 0 if none did. */
static double seconds_per_cell(const cell_query *query, int32_t dx, int32_t dy) {
    double age = 0.0, seconds = 0.0;
    for (int32_t k = 1; k <= LOOK_BACK && age < RILL_EXPELLED_LONGEST; ++k) {
        const double next = age_of(query, query->x + k * dx, query->y + k * dy);
        if (next < age || isinf(next)) break;
        age = next;
        RILL_ASSERT(age >= 0.0);
        seconds = age / (double)k;
    }
    return seconds;
}

/* Finds the speed from the forms of the solids that move, a little above a base; 0 seconds if they do not tell. */
static rill_wall_speed speed_from_forms(const cell_query *query, int32_t b) {
    const rill_bed *bed = query->job->bed;
    const rill_motion *motion = &query->job->how->motion;
    const double z = rill_bed_z(bed, b) + 0.25 * bed->grid.cell_size;
    rill_wall_speed found = { 0 };
    for (size_t i = 0; i < motion->count && !(found.seconds > 0.0); ++i)
        if (rill_moving_solid_near(&motion->solids[i], query->x, query->y))
            found = rill_moving_solid_passes(&motion->solids[i], &bed->grid, (int32_t[2]){ query->x, query->y }, z,
                                             query->opened);
    return found;
}

static rill_wall_speed speed_of(const cell_query *query, int32_t b) {
    rill_wall_speed found = speed_from_forms(query, b);
    const bool known = found.seconds > 0.0;
    for (int32_t side = 0; side < 4 && !known; ++side) {
        const double seconds = seconds_per_cell(query, -rill_beside[side][0], -rill_beside[side][1]);
        if (seconds > found.seconds) found.seconds = seconds, found.side = side;
    }
    const int32_t dx = rill_beside[found.side][0], dy = rill_beside[found.side][1];
    for (int i = 0; i < 2 && !known && found.seconds > 0.0; ++i)
        found.velocity[i] = (double)rill_beside[found.side][i] * query->job->bed->grid.cell_size / found.seconds;
    found.inner = found.seconds > 0.0 ? run_length(query, -dx, -dy) : 0;
    found.deep = 1 + found.inner + (found.seconds > 0.0 ? run_length(query, dx, dy) : 0);
    RILL_ASSERT(found.inner >= 0 && found.inner < found.deep);
    RILL_ASSERT(found.side >= 0 && found.side < 4);
    RILL_ASSERT(isfinite(found.velocity[0]) && isfinite(found.velocity[1]));
    return found;
}

void rill_wall_speed_open(const rill_displace_job *job, int32_t x, int32_t y) {
    job->how->times[rill_displace_cell(job, x, y)].opened = job->how->motion.now;
}

bool rill_wall_speed_opens(const rill_displace_job *job, int32_t x, int32_t y) {
    const cell_query query = query_at(job, x, y, true);
    return age_of(&query, x, y) == 0.0;
}

rill_wall_speed rill_wall_speed_of_opening(const rill_displace_job *job, int32_t x, int32_t y, int32_t b) {
    const cell_query query = query_at(job, x, y, true);
    return speed_of(&query, b);
}

static void time_excess(const rill_displace_job *job, rill_excess *excess) {
    const cell_query query = query_at(job, excess->x, excess->y, false);
    const int32_t gone = excess->node - job->bed->plane_size;
    const rill_old_column *old = job->update->old.data;
    excess->wall = speed_of(&query, gone < 0 ? job->bed->b[excess->node] : old[gone].b);
    excess->seconds =
        excess->wall.seconds > 0.0 ? excess->wall.seconds * (double)excess->wall.deep : RILL_WALL_SPEED_FIRST;
}

void rill_wall_speed_find(const rill_displace_job *job) {
    rill_excess *all = job->displace->excess.data;
    const rill_cell_change *changes = job->update->changes.data;
    const double now = job->how->motion.now;
    for (size_t i = 0; i < job->update->changes.count; ++i)
        job->how->times[rill_displace_cell(job, changes[i].x, changes[i].y)].moved = now;
    for (size_t i = 0; i < job->displace->excess.count; ++i)
        job->how->times[rill_displace_cell(job, all[i].x, all[i].y)].pressed = now;
    for (size_t i = 0; i < job->displace->excess.count; ++i) {
        rill_excess *excess = &all[i];
        excess->wall.deep = 1;
        if (excess->seconds < 0.0) time_excess(job, excess);
        excess->seconds = fmin(excess->seconds + fmin(excess->before, excess->seconds), RILL_EXPELLED_SLOWEST);
        RILL_ASSERT(excess->seconds >= 0.0 && excess->before >= 0.0 && excess->wall.deep >= 1);
    }
}
