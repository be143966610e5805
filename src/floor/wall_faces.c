/* Walls: how far it is from a column to the face of the solid beside it, where that stands upright (floor.h).
 *
 *      i        |####### j         Where the next cell is solid at the level of a column, all that the bed knows is that its face is
 *      |~~~~~~~~|*######           somewhere between the two centres. Behind glass that is not enough: where the surface ends in the
 *      |        |#######           solid, round walls show the stairs of cells. So triangles that stand are cut with the lines from
 *                                  centre to centre, which gives the way to them for each column and direction.
 *
 * One byte says how far it is, the other how much of the height of the wall, from the base of the column up to the next
 * one, has been found to stand: if that is not almost all of it, the wall is not known. */
#include "floor/floor.h"

#include <math.h>

static const double UPRIGHT = 0.1; /* cells: a face that goes farther than this along a line does not stand there */

/* Finds where a triangle meets the line along an axis, at a whole place across it: both ends of a segment, along the
 * axis and in height. */
static bool cut_triangle(const double p[3][3], int axis, double line, double out[2][2]) {
    int count = 0;
    for (int k = 0; k < 3 && count < 2; ++k) {
        const double *const a = p[k], *const b = p[(k + 1) % 3];
        const double from = a[1 - axis] - line, until = b[1 - axis] - line;
        if ((from < 0.0) == (until < 0.0)) continue;
        const double t = from / (from - until);
        RILL_ASSERT(t >= 0.0 && t <= 1.0);
        out[count][0] = a[axis] + t * (b[axis] - a[axis]);
        out[count][1] = a[2] + t * (b[2] - a[2]);
        count += 1;
    }
    return count == 2;
}

/* Finds the height up to which there is a wall between a column and the next cell, if there is one. */
static double top_of_wall(const rill_bed *bed, int32_t place, size_t next) {
    int32_t top = bed->c[place];
    for (int32_t k = bed->cell_first[next]; k < bed->cell_first[next + 1]; ++k) {
        const int32_t b = bed->b[bed->places[k]];
        if (b > bed->b[place] && b < top) top = b;
    }
    return (double)top;
}

/* Adds part of the face of a solid to the columns of a cell beside it. */
static void add_face(rill_floor *floor, const rill_bed *bed, const int32_t cell[2], int32_t direction, double way,
                     const double z[2]) {
    const int32_t step_x = direction == 0   ? 1
                           : direction == 4 ? -1
                                            : 0,
                  step_y = direction == 2   ? 1
                           : direction == 6 ? -1
                                            : 0;
    const int32_t next[2] = { cell[0] + step_x, cell[1] + step_y };
    const rill_area *const cells = &floor->cells;
    RILL_ASSERT(!(direction & 1) && direction >= 0 && direction < 8);
    RILL_ASSERT(way >= 0.0 && way <= 1.0);
    for (int i = 0; i < 2; ++i)
        if (cell[i] < cells->low[i] || cell[i] >= cells->high[i] || next[i] < 0 || next[i] >= bed->grid.cells[i])
            return;
    const size_t wide = (size_t)bed->grid.cells[0], here = (size_t)cell[1] * wide + (size_t)cell[0];
    const size_t there = (size_t)next[1] * wide + (size_t)next[0];
    for (int32_t k = bed->cell_first[here]; k < bed->cell_first[here + 1]; ++k) {
        const int32_t place = bed->places[k];
        const double base = (double)bed->b[place], low = fmax(fmin(z[0], z[1]), base), most = fmax(z[0], z[1]);
        if (!(most > base && low < (double)bed->c[place])) continue;
        const double top = top_of_wall(bed, place, there), high = fmin(most, top);
        if (!(high > low)) continue;
        rill_wall_face *const wall = &floor->walls[place][direction / 2];
        const double found = (double)wall->share + ceil(255.0 * (high - low) / (top - base)), at = ceil(255.0 * way);
        wall->share = (uint8_t)fmin(found, 255.0);
        if (at > (double)wall->distance) wall->distance = (uint8_t)fmin(at, 255.0);
    }
}

void rill_wall_faces_cover(rill_floor *terrain, const rill_bed *bed, const rill_floor_window *window,
                           const double p[3][3], bool oriented) {
    for (int axis = 0; axis < 2; ++axis) {
        const int across = 1 - axis;
        const double low = fmin(p[0][across], fmin(p[1][across], p[2][across]));
        const double high = fmax(p[0][across], fmax(p[1][across], p[2][across]));
        /* The normal's component along the axis. */
        const double u[2] = { p[1][across] - p[0][across], p[2][across] - p[0][across] };
        const double v[2] = { p[1][2] - p[0][2], p[2][2] - p[0][2] };
        const double normal = (u[0] * v[1] - u[1] * v[0]) * (axis == 0 ? 1.0 : -1.0);
        for (double line = ceil(fmax(low, window->low[across])); line <= fmin(high, window->high[across]);
             line += 1.0) {
            double ends[2][2];
            if (!cut_triangle(p, axis, line, ends)) continue;
            const double near = fmin(ends[0][0], ends[1][0]), far = fmax(ends[0][0], ends[1][0]), first = floor(near);
            if (far - near > UPRIGHT || far >= first + 1.0) continue;
            if (!(first >= -1.0 && first < (double)bed->grid.cells[axis])) continue;
            const double z[2] = { ends[0][1], ends[1][1] };
            int32_t cell[2];
            cell[axis] = (int32_t)first;
            cell[across] = (int32_t)line;
            if (normal < 0.0 || !oriented) add_face(terrain, bed, cell, 2 * axis, far - first, z);
            cell[axis] += 1;
            if (normal > 0.0 || !oriented) add_face(terrain, bed, cell, 4 + 2 * axis, 1.0 - (near - first), z);
        }
    }
}
