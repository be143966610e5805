/* The time in which a solid passes a cell, pressing liquid out of it or leaving it: see displace.h and drawn.h.
 *
 * Poses come frame by frame, and a wall passes the centres of cells in whole frames: three frames for a cell, then
 * three, then four. What it pushes must not jump with that. So its pace is measured over several cells behind the
 * present one: from how long ago they were pressed follows the mean time per cell,
 *
 *     T = age of the cell k behind / k,     k up to LOOK_BACK, or so far that it was passed LONGEST ago,
 *
 * along the axis on which that is longest: on a slant wall the rows beside a cell came a moment ago, those behind it
 * earlier. Cells that are passed within one frame take as many times T together. Only what has happened since the solid
 * began to move counts. A wall that goes back has the cells behind it in front of it.
 *
 * A ceiling is another matter: it moves over the same cell in each frame, so that T is the time since the last. Of what
 * has not moved before nothing is known but that frames are hardly longer than FIRST. */
#include <math.h>

#include "motion/displace.h"
#include "motion/expelled.h"

enum { LOOK_BACK = 16 };

static size_t cell_of(const rill_displace_job *j, int32_t x, int32_t y) {
    return (size_t)y * (size_t)j->bed->grid.cells[0] + (size_t)x;
}

/* What is looked for, from a cell on. */
typedef struct look {
    const rill_displace_job *j;
    int32_t x, y;
    bool opened; /* else pressed */
    double since;
} look;

static look look_at(const rill_displace_job *j, int32_t x, int32_t y, bool opened) {
    return (look){ j, x, y, opened, rill_motion_since(&j->how->motion, x, y) };
}

/* How long ago a wall passed a cell, s; infinity if it is of no more interest. */
static double age_of(const look *l, int32_t x, int32_t y) {
    const int32_t *cells = l->j->bed->grid.cells;
    if (x < 0 || y < 0 || x >= cells[0] || y >= cells[1]) return (double)INFINITY;
    const rill_cell_times *times = &l->j->how->times[cell_of(l->j, x, y)];
    const double last = l->opened ? times->opened : times->pressed, other = l->opened ? times->pressed : times->opened;
    return last >= l->since && last > other ? l->j->how->motion.now - last : (double)INFINITY;
}

double rill_wall_speed_of_ceiling(const rill_displace_job *j, int32_t x, int32_t y) {
    const double age = j->how->motion.now - j->how->times[cell_of(j, x, y)].moved;
    return age > 0.0 && age < RILL_EXPELLED_LONGEST ? age : -1.0;
}

/* How many cells beside one, in a direction, are passed in this move as well. */
static int32_t run_length(const look *l, int32_t dx, int32_t dy) {
    int32_t count = 0;
    while (age_of(l, l->x + (count + 1) * dx, l->y + (count + 1) * dy) == 0.0) ++count;
    return count;
}

/* The mean time per cell of a wall that came from a direction; 0 if none did. */
static double pace_from(const look *l, int32_t dx, int32_t dy) {
    double age = 0.0, pace = 0.0;
    for (int32_t k = 1; k <= LOOK_BACK && age < RILL_EXPELLED_LONGEST; ++k) {
        const double next = age_of(l, l->x + k * dx, l->y + k * dy);
        if (next < age || isinf(next)) break;
        age = next;
        pace = age / (double)k;
    }
    return pace;
}

/* From the forms of the solids that move, a little above a base; 0 seconds if they do not tell. */
static rill_wall_speed pace_of_forms(const look *l, int32_t b) {
    const rill_bed *bed = l->j->bed;
    const rill_motion *motion = &l->j->how->motion;
    const double z = rill_bed_z(bed, b) + 0.25 * bed->grid.cell_size;
    rill_wall_speed found = { 0 };
    for (size_t i = 0; i < motion->count && !(found.seconds > 0.0); ++i)
        if (rill_moving_solid_near(&motion->movers[i], l->x, l->y))
            found = rill_moving_solid_passes(&motion->movers[i], &bed->grid, (int32_t[2]){ l->x, l->y }, z, l->opened);
    return found;
}

static rill_wall_speed pace_of(const look *l, int32_t b) {
    rill_wall_speed found = pace_of_forms(l, b);
    const bool known = found.seconds > 0.0;
    for (int32_t side = 0; side < 4 && !known; ++side) {
        const double seconds = pace_from(l, -rill_beside[side][0], -rill_beside[side][1]);
        if (seconds > found.seconds) found.seconds = seconds, found.side = side;
    }
    const int32_t dx = rill_beside[found.side][0], dy = rill_beside[found.side][1];
    for (int i = 0; i < 2 && !known && found.seconds > 0.0; ++i)
        found.velocity[i] = (double)rill_beside[found.side][i] * l->j->bed->grid.cell_size / found.seconds;
    found.inner = found.seconds > 0.0 ? run_length(l, -dx, -dy) : 0;
    found.deep = 1 + found.inner + (found.seconds > 0.0 ? run_length(l, dx, dy) : 0);
    return found;
}

void rill_wall_speed_open(const rill_displace_job *j, int32_t x, int32_t y) {
    j->how->times[cell_of(j, x, y)].opened = j->how->motion.now;
}

bool rill_wall_speed_opens(const rill_displace_job *j, int32_t x, int32_t y) {
    const look l = look_at(j, x, y, true);
    return age_of(&l, x, y) == 0.0;
}

rill_wall_speed rill_wall_speed_of_opening(const rill_displace_job *j, int32_t x, int32_t y, int32_t b) {
    const look l = look_at(j, x, y, true);
    return pace_of(&l, b);
}

static void pace_of_wall(const rill_displace_job *j, rill_excess *excess) {
    const look l = look_at(j, excess->x, excess->y, false);
    const int32_t gone = excess->node - j->bed->plane_size;
    const rill_old_column *old = j->update->old.data;
    excess->pace = pace_of(&l, gone < 0 ? j->bed->b[excess->node] : old[gone].b);
    excess->seconds = excess->pace.seconds > 0.0 ? excess->pace.seconds * (double)excess->pace.deep : RILL_WALL_SPEED_FIRST;
}

void rill_wall_speed_find(const rill_displace_job *j) {
    rill_excess *excess = j->d->excess.data;
    const rill_cell_change *changes = j->update->changes.data;
    const double now = j->how->motion.now;
    for (size_t i = 0; i < j->update->changes.count; ++i)
        j->how->times[cell_of(j, changes[i].x, changes[i].y)].moved = now;
    for (size_t i = 0; i < j->d->excess.count; ++i) j->how->times[cell_of(j, excess[i].x, excess[i].y)].pressed = now;
    for (size_t i = 0; i < j->d->excess.count; ++i) {
        rill_excess *e = &excess[i];
        e->pace.deep = 1;
        if (e->seconds < 0.0) pace_of_wall(j, e);
        e->seconds = fmin(e->seconds + fmin(e->before, e->seconds), RILL_EXPELLED_SLOWEST);
    }
}
