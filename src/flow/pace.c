/* The time in which a solid has pressed liquid out of a cell: see displace.h.
 *
 * Poses come frame by frame, and a wall passes the centres of cells in whole frames: three frames for a cell, then
 * three, then four. What it pushes must not jump with that. So its pace is measured over several cells behind the
 * present one: from how long ago they were pressed follows the mean time per cell,
 *
 *     T = age of the cell k behind / k,     k up to LOOK_BACK, or so far that it was passed LONGEST ago,
 *
 * along the axis on which that is longest: on a slant wall the rows beside a cell came a moment ago, those behind it
 * earlier. Cells that are passed within one frame take as many times T together.
 *
 * A ceiling is another matter: it moves over the same cell in each frame, so that T is the time since the last. Of what
 * has not moved before nothing is known but that frames are hardly longer than FIRST. */
#include <math.h>

#include "flow/displace.h"
#include "flow/held.h"

enum { LOOK_BACK = 16 };
static const double FIRST = 1.0 / 60.0; /* s */

static size_t cell_of(const rill_displace_job *j, int32_t x, int32_t y) {
    return (size_t)y * (size_t)j->bed->grid.cells[0] + (size_t)x;
}

/* How long ago liquid was pressed out of a cell, s; infinity if it is of no more interest. */
static double age_of(const rill_displace_job *j, int32_t x, int32_t y) {
    const int32_t *cells = j->bed->grid.cells;
    if (x < 0 || y < 0 || x >= cells[0] || y >= cells[1]) return (double)INFINITY;
    const double age = j->how->now - j->how->times[cell_of(j, x, y)].pressed;
    return age < RILL_HELD_MEMORY ? age : (double)INFINITY;
}

double rill_pace_of_ceiling(const rill_displace_job *j, int32_t x, int32_t y) {
    const double age = j->how->now - j->how->times[cell_of(j, x, y)].moved;
    return age > 0.0 && age < RILL_HELD_LONGEST ? age : -1.0;
}

/* How many cells beside one, in a direction, are pressed in this move as well. */
static int32_t run_length(const rill_displace_job *j, int32_t x, int32_t y, int32_t dx, int32_t dy) {
    int32_t count = 0;
    while (age_of(j, x + (count + 1) * dx, y + (count + 1) * dy) == 0.0) ++count;
    return count;
}

/* The mean time per cell of a wall that came from a direction; 0 if none did. */
static double pace_from(const rill_displace_job *j, int32_t x, int32_t y, int32_t dx, int32_t dy) {
    double age = 0.0, pace = 0.0;
    for (int32_t k = 1; k <= LOOK_BACK && age < RILL_HELD_LONGEST; ++k) {
        const double next = age_of(j, x + k * dx, y + k * dy);
        if (next < age || isinf(next)) break;
        age = next;
        pace = age / (double)k;
    }
    return pace;
}

static void pace_of_wall(const rill_displace_job *j, rill_excess *excess) {
    static const int32_t from[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    const int32_t x = excess->x, y = excess->y;
    double longest = 0.0;
    int32_t dx = 0, dy = 0;
    for (int i = 0; i < 4; ++i) {
        const double pace = pace_from(j, x, y, from[i][0], from[i][1]);
        if (pace > longest) longest = pace, dx = from[i][0], dy = from[i][1];
    }
    if (longest > 0.0) excess->deep = 1 + run_length(j, x, y, dx, dy) + run_length(j, x, y, -dx, -dy);
    excess->seconds = longest > 0.0 ? longest * (double)excess->deep : FIRST;
}

void rill_pace_find(const rill_displace_job *j) {
    rill_excess *excess = j->d->excess.data;
    const rill_cell_change *changes = j->update->changes.data;
    for (size_t i = 0; i < j->update->changes.count; ++i)
        j->how->times[cell_of(j, changes[i].x, changes[i].y)].moved = j->how->now;
    for (size_t i = 0; i < j->d->excess.count; ++i)
        j->how->times[cell_of(j, excess[i].x, excess[i].y)].pressed = j->how->now;
    for (size_t i = 0; i < j->d->excess.count; ++i) {
        rill_excess *e = &excess[i];
        e->deep = 1;
        if (e->seconds < 0.0) pace_of_wall(j, e);
        e->seconds = fmin(e->seconds + fmin(e->before, e->seconds), RILL_HELD_LONGEST);
    }
}
