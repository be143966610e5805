/* The sides of the liquid. Its surface ends at walls, where usually nobody can see below it; but through glass, and
 * at the borders of the grid, one looks into the liquid from the side, and through a lid of glass at what fills a
 * passage. So each wet column gets a face towards every neighbour that is solid or outside, and one below its
 * ceiling if it is full.
 *
 * Faces look away from the liquid; shaders draw those that look at the eye. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render_parts.h"

static const double INSIDE = 0.03;  /* of a cell: faces lie this far inside, so as not to fight with walls */
static const double SHALLOW = 0.02; /* of a cell: thinner films have no sides */

typedef struct fields {
    rill_grid grid;
    int32_t layers;
    double *base, *ceiling, *depth; /* [layer][y][x] */
    bool glass;                     /* something of it can be seen through */
    rill_sides *out;
} fields;

/* Four corners: from `a` to `b` at the foot, and the same at the top. */
static bool put_face(fields *f, const double a[2], const double b[2], const double z[4], const float normal[3],
                     double depth) {
    rill_sides *out = f->out;
    if (out->count == out->room) {
        size_t room = out->room ? 2 * out->room : 256;
        float *more = realloc(out->corners, room * 4 * RILL_SIDE_FLOATS * sizeof *more);
        if (!more) {
            return false;
        }
        out->corners = more;
        out->room = room;
    }
    float *corner = out->corners + out->count++ * 4 * RILL_SIDE_FLOATS;
    for (int i = 0; i < 4; i++, corner += RILL_SIDE_FLOATS) {
        const double *p = i & 1 ? b : a;
        corner[0] = (float)p[0];
        corner[1] = (float)p[1];
        corner[2] = (float)z[i];
        memcpy(corner + 3, normal, 3 * sizeof *normal);
        corner[6] = (float)depth;
        corner[7] = RILL_SIDE_MARK;
    }
    return true;
}

static size_t at(const fields *f, int32_t layer, int32_t x, int32_t y) {
    return ((size_t)layer * (size_t)f->grid.cells[1] + (size_t)y) * (size_t)f->grid.cells[0] + (size_t)x;
}

/* Foot and top of a column's face where it meets that of the next column along the border: half way between the two, so
 * that they have the same corners, and no crack is between them. */
static void join_ends(const fields *f, int32_t layer, int32_t x, int32_t y, int32_t next[2], double *foot,
                      double *top) {
    size_t here = at(f, layer, x, y);
    *foot = f->base[here];
    *top = *foot + f->depth[here];
    if (next[0] < 0 || next[1] < 0 || next[0] >= f->grid.cells[0] || next[1] >= f->grid.cells[1]) {
        return;
    }
    size_t there = at(f, layer, next[0], next[1]);
    double low = f->base[there], high = low + f->depth[there];
    if (f->depth[there] > SHALLOW * f->grid.cell_size && low < *top && high > *foot) {
        *foot = 0.5 * (*foot + low);
        *top = 0.5 * (*top + high);
    }
}

static bool is_void(const fields *f, int32_t x, int32_t y, double z) {
    if (x < 0 || y < 0 || x >= f->grid.cells[0] || y >= f->grid.cells[1]) {
        return false;
    }
    for (int32_t layer = 0; layer < f->layers; layer++) {
        size_t n = at(f, layer, x, y);
        if (f->base[n] < z && z < f->ceiling[n]) { /* not for NaN */
            return true;
        }
    }
    return false;
}

/* Round walls are stairs of cells, whose faces would look like fluted glass: they get the normal of the wall, which is the
 * way to where most of the solid is, unless that leads away from their own. */
static void round_off(const fields *f, int32_t x, int32_t y, double z, float normal[3]) {
    enum { REACH = 4 };
    double sum[2] = { 0, 0 };
    for (int32_t j = -REACH; j <= REACH; j++) {
        for (int32_t i = -REACH; i <= REACH; i++) {
            if (i * i + j * j <= REACH * REACH && !is_void(f, x + i, y + j, z)) {
                sum[0] += i;
                sum[1] += j;
            }
        }
    }
    double length = hypot(sum[0], sum[1]);
    if (sum[0] * (double)normal[0] + sum[1] * (double)normal[1] > 0.05 * length) {
        normal[0] = (float)(sum[0] / length);
        normal[1] = (float)(sum[1] / length);
    }
}

/* The face of a column in a direction, without the parts where the neighbour has a void. */
static bool put_side(fields *f, int32_t layer, int32_t x, int32_t y, int direction, double low, double high) {
    static const int step[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    const double dx = f->grid.cell_size;
    int32_t nx = x + step[direction][0], ny = y + step[direction][1];
    bool outside = nx < 0 || ny < 0 || nx >= f->grid.cells[0] || ny >= f->grid.cells[1];
    if (!outside && !f->glass) {
        return true;
    }
    double a[2], b[2];
    int32_t cell[2] = { x, y };
    for (int k = 0; k < 2; k++) {
        bool along = step[direction][k] == 0;
        double out = 0.5 + step[direction][k] * (0.5 - INSIDE);
        double more = outside ? 0 : INSIDE; /* faces of stairs meet at their edges */
        a[k] = f->grid.origin[k] + (along ? cell[k] - more : cell[k] + out) * dx;
        b[k] = f->grid.origin[k] + (along ? cell[k] + 1 + more : cell[k] + out) * dx;
    }
    float normal[3] = { (float)step[direction][0], (float)step[direction][1], 0 };
    if (outside) {
        int32_t sx = step[direction][0] == 0, sy = 1 - sx;
        double z[4];
        join_ends(f, layer, x, y, (int32_t[2]){ x - sx, y - sy }, &z[0], &z[2]);
        join_ends(f, layer, x, y, (int32_t[2]){ x + sx, y + sy }, &z[1], &z[3]);
        return put_face(f, a, b, z, normal, high - low);
    }
    round_off(f, x, y, 0.5 * (low + high), normal);
    double from = low;
    for (int32_t other = 0; other <= f->layers && from < high; other++) {
        bool more = other < f->layers;
        size_t n = more ? at(f, other, nx, ny) : 0;
        if (more && isnan(f->base[n])) {
            continue;
        }
        double until = more ? fmin(f->base[n], high) : high;
        if (until > from && !put_face(f, a, b, (const double[4]){ from, from, until, until }, normal, high - low)) {
            return false;
        }
        from = more ? fmax(from, f->ceiling[n]) : high;
        if (!more) {
            break;
        }
    }
    return true;
}

static bool put_column(fields *f, int32_t layer, int32_t x, int32_t y) {
    static const float up[3] = { 0, 0, 1 };
    const double dx = f->grid.cell_size, thin = SHALLOW * dx;
    size_t n = at(f, layer, x, y);
    if (!(f->depth[n] > thin)) { /* NaN: no column */
        return true;
    }
    double low = f->base[n], high = low + f->depth[n];
    for (int direction = 0; direction < 4; direction++) {
        if (!put_side(f, layer, x, y, direction, low, high)) {
            return false;
        }
    }
    if (!f->glass || high < f->ceiling[n] - 0.02 * dx) {
        return true;
    }
    double a[2] = { f->grid.origin[0] + x * dx, f->grid.origin[1] + y * dx }, b[2] = { a[0] + dx, a[1] };
    double c[2] = { a[0], a[1] + dx }, d[2] = { b[0], c[1] }, z = high - INSIDE * dx;
    const double flat[4] = { z, z, z, z };
    if (!put_face(f, a, b, flat, up, f->depth[n])) {
        return false;
    }
    float *corner = f->out->corners + (f->out->count - 1) * 4 * RILL_SIDE_FLOATS;
    for (int k = 0; k < 2; k++) { /* lying instead of standing */
        corner[2 * RILL_SIDE_FLOATS + k] = (float)c[k];
        corner[3 * RILL_SIDE_FLOATS + k] = (float)d[k];
    }
    return true;
}

static bool read_fields(fields *f, const rill_world *world) {
    size_t cells = (size_t)f->grid.cells[0] * (size_t)f->grid.cells[1];
    f->base = malloc(3 * cells * (size_t)f->layers * sizeof *f->base);
    if (!f->base) {
        return false;
    }
    f->ceiling = f->base + cells * (size_t)f->layers;
    f->depth = f->ceiling + cells * (size_t)f->layers;
    for (int32_t layer = 0; layer < f->layers; layer++) {
        size_t first = (size_t)layer * cells;
        rill_world_read_field(world, RILL_FIELD_BASE, layer, f->base + first, cells);
        rill_world_read_field(world, RILL_FIELD_CEILING, layer, f->ceiling + first, cells);
        rill_world_read_field(world, RILL_FIELD_DEPTH, layer, f->depth + first, cells);
    }
    return true;
}

bool rill_sides_make(rill_sides *out, const rill_world *world, bool glass) {
    rill_bed_info info;
    fields f = { .glass = glass, .out = out };
    out->count = 0;
    if (rill_world_get_grid(world, &f.grid) != RILL_OK || rill_bed_get_info(world, &info) != RILL_OK ||
        info.layers < 1) {
        return true;
    }
    f.layers = info.layers;
    bool good = read_fields(&f, world);
    for (int32_t layer = 0; layer < f.layers && good; layer++) {
        for (int32_t y = 0; y < f.grid.cells[1] && good; y++) {
            for (int32_t x = 0; x < f.grid.cells[0] && good; x++) {
                good = put_column(&f, layer, x, y);
            }
        }
    }
    free(f.base);
    return good;
}

void rill_sides_free(rill_sides *sides) {
    free(sides->corners);
    memset(sides, 0, sizeof *sides);
}
