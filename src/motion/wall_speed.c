/* The time in which a solid passes a cell, pressing liquid out of it or leaving it: see displace.h and swept_volume.h.
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

#include "motion/motion_internal.h"
#include "motion/swept_volume.h"

enum { LOOK_BACK = 16 };

static size_t cell_of(const rill_displace_job *job, int32_t x, int32_t y) {
    return (size_t)y * (size_t)job->bed->grid.cells[0] + (size_t)x;
}

/* What is looked for, from a cell on. */
typedef struct cell_query {
    const rill_displace_job *job;
    int32_t x, y;
    bool opened; /* else pressed */
    double since;
} cell_query;

static cell_query query_at(const rill_displace_job *job, int32_t x, int32_t y, bool opened) {
    return (cell_query){ job, x, y, opened, rill_motion_since(&job->how->motion, x, y) };
}

/* How long ago a wall passed a cell, s; infinity if it is of no more interest. */
static double age_of(const cell_query *query, int32_t x, int32_t y) {
    const int32_t *cells = query->job->bed->grid.cells;
    if (x < 0 || y < 0 || x >= cells[0] || y >= cells[1]) return (double)INFINITY;
    const rill_cell_times *times = &query->job->how->times[cell_of(query->job, x, y)];
    const double last = query->opened ? times->opened : times->pressed, other = query->opened ? times->pressed : times->opened;
    return last >= query->since && last > other ? query->job->how->motion.now - last : (double)INFINITY;
}

double rill_wall_speed_of_ceiling(const rill_displace_job *job, int32_t x, int32_t y) {
    const double age = job->how->motion.now - job->how->times[cell_of(job, x, y)].moved;
    return age > 0.0 && age < RILL_EXPELLED_LONGEST ? age : -1.0;
}

/* How many cells beside one, in a direction, are passed in this move as well. */
static int32_t run_length(const cell_query *query, int32_t dx, int32_t dy) {
    int32_t count = 0;
    while (age_of(query, query->x + (count + 1) * dx, query->y + (count + 1) * dy) == 0.0) ++count;
    return count;
}

/* The mean time per cell of a wall that came from a direction; 0 if none did. */
static double seconds_per_cell(const cell_query *query, int32_t dx, int32_t dy) {
    double age = 0.0, seconds = 0.0;
    for (int32_t k = 1; k <= LOOK_BACK && age < RILL_EXPELLED_LONGEST; ++k) {
        const double next = age_of(query, query->x + k * dx, query->y + k * dy);
        if (next < age || isinf(next)) break;
        age = next;
        seconds = age / (double)k;
    }
    return seconds;
}

/* From the forms of the solids that move, a little above a base; 0 seconds if they do not tell. */
static rill_wall_speed speed_from_forms(const cell_query *query, int32_t b) {
    const rill_bed *bed = query->job->bed;
    const rill_motion *motion = &query->job->how->motion;
    const double z = rill_bed_z(bed, b) + 0.25 * bed->grid.cell_size;
    rill_wall_speed found = { 0 };
    for (size_t i = 0; i < motion->count && !(found.seconds > 0.0); ++i)
        if (rill_moving_solid_near(&motion->movers[i], query->x, query->y))
            found = rill_moving_solid_passes(&motion->movers[i], &bed->grid, (int32_t[2]){ query->x, query->y }, z, query->opened);
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
    return found;
}

void rill_wall_speed_open(const rill_displace_job *job, int32_t x, int32_t y) {
    job->how->times[cell_of(job, x, y)].opened = job->how->motion.now;
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
    excess->seconds = excess->wall.seconds > 0.0 ? excess->wall.seconds * (double)excess->wall.deep : RILL_WALL_SPEED_FIRST;
}

void rill_wall_speed_find(const rill_displace_job *job) {
    rill_excess *excess = job->displace->excess.data;
    const rill_cell_change *changes = job->update->changes.data;
    const double now = job->how->motion.now;
    for (size_t i = 0; i < job->update->changes.count; ++i)
        job->how->times[cell_of(job, changes[i].x, changes[i].y)].moved = now;
    for (size_t i = 0; i < job->displace->excess.count; ++i) job->how->times[cell_of(job, excess[i].x, excess[i].y)].pressed = now;
    for (size_t i = 0; i < job->displace->excess.count; ++i) {
        rill_excess *e = &excess[i];
        e->wall.deep = 1;
        if (e->seconds < 0.0) time_excess(job, e);
        e->seconds = fmin(e->seconds + fmin(e->before, e->seconds), RILL_EXPELLED_SLOWEST);
    }
}
