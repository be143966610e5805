/* The sides of the liquid. Its surface ends at walls, where usually nobody can see below it; but through glass, and
 * at the borders of the grid, one looks into the liquid from the side, and through a lid of glass at what fills a
 * passage. So each wet column gets a face towards every neighbour that is solid or outside, and one below its
 * ceiling if it is full.
 *
 * Where the surface ends at a wall, faces hang from its edge, which is smooth along round walls; elsewhere they stand
 * where cells end.
 *
 * Faces look away from the liquid; shaders draw those that look at the eye. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render_internal.h"

static const double INSIDE = 0.03;  /* of a cell: faces lie this far inside, so as not to fight with walls */
static const double SHALLOW = 0.02; /* of a cell: thinner films have no sides */

typedef struct fields {
    rill_grid grid;
    int32_t layers;
    double *base, *ceiling, *depth; /* [layer][y][x] */
    bool *hung;                     /* the same: faces hang from the edge of the surface there */
    bool glass;                     /* something of it can be seen through */
    rill_sides *out;
} fields;

/* Four corners: from `a` to `b` at the foot, and the same at the top. */
static bool put_face(fields *grids, const double a[2], const double b[2], const double z[4], const float normal[3],
                     double depth) {
    rill_sides *out = grids->out;
    if (out->count == out->room) {
        size_t room = out->room ? 2 * out->room : 256;
        float *more = realloc(out->corners, room * 4 * RILL_SIDE_FLOATS * sizeof *more);
        if (!more) return false;
        out->corners = more;
        out->room = room;
    }
    float *corner = out->corners + out->count++ * 4 * RILL_SIDE_FLOATS;
    for (int i = 0; i < 4; ++i, corner += RILL_SIDE_FLOATS) {
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

static size_t at(const fields *grids, int32_t layer, int32_t x, int32_t y) {
    return ((size_t)layer * (size_t)grids->grid.cells[1] + (size_t)y) * (size_t)grids->grid.cells[0] + (size_t)x;
}

/* Foot and top of a column's face where it meets that of the next column along the border: half way between the two, so
 * that they have the same corners, and no crack is between them. */
static void join_ends(const fields *grids, int32_t layer, int32_t x, int32_t y, int32_t next[2], double *foot,
                      double *top) {
    size_t here = at(grids, layer, x, y);
    *foot = grids->base[here];
    *top = *foot + grids->depth[here];
    if (next[0] < 0 || next[1] < 0 || next[0] >= grids->grid.cells[0] || next[1] >= grids->grid.cells[1]) return;
    size_t there = at(grids, layer, next[0], next[1]);
    double low = grids->base[there], high = low + grids->depth[there];
    if (grids->depth[there] > SHALLOW * grids->grid.cell_size && low < *top && high > *foot) {
        *foot = 0.5 * (*foot + low);
        *top = 0.5 * (*top + high);
    }
}

static bool is_void(const fields *grids, int32_t x, int32_t y, double z) {
    if (x < 0 || y < 0 || x >= grids->grid.cells[0] || y >= grids->grid.cells[1]) return false;
    for (int32_t layer = 0; layer < grids->layers; ++layer) {
        size_t n = at(grids, layer, x, y);
        if (grids->base[n] < z && z < grids->ceiling[n]) { /* not for NaN */
            return true;
        }
    }
    return false;
}

/* Round walls are stairs of cells, whose faces would look like fluted glass: they get the normal of the wall, which is
 * the way to where most of the solid is, unless that leads away from their own. */
static void round_off(const fields *grids, int32_t x, int32_t y, double z, float normal[3]) {
    enum { REACH = 4 };
    double sum[2] = { 0, 0 };
    for (int32_t j = -REACH; j <= REACH; ++j) {
        for (int32_t i = -REACH; i <= REACH; ++i) {
            if (i * i + j * j <= REACH * REACH && !is_void(grids, x + i, y + j, z)) {
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
static bool put_side(fields *grids, int32_t layer, int32_t x, int32_t y, int direction, double low, double high) {
    static const int step[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    const double dx = grids->grid.cell_size;
    int32_t nx = x + step[direction][0], ny = y + step[direction][1];
    bool outside = nx < 0 || ny < 0 || nx >= grids->grid.cells[0] || ny >= grids->grid.cells[1];
    if (!outside && !grids->glass) return true;
    double a[2], b[2];
    int32_t cell[2] = { x, y };
    for (int k = 0; k < 2; ++k) {
        bool along = step[direction][k] == 0;
        double out = 0.5 + step[direction][k] * (0.5 - INSIDE);
        double more = outside ? 0 : INSIDE; /* faces of stairs meet at their edges */
        a[k] = grids->grid.origin[k] + (along ? cell[k] - more : cell[k] + out) * dx;
        b[k] = grids->grid.origin[k] + (along ? cell[k] + 1 + more : cell[k] + out) * dx;
    }
    float normal[3] = { (float)step[direction][0], (float)step[direction][1], 0 };
    if (outside) {
        int32_t sx = step[direction][0] == 0, sy = 1 - sx;
        double z[4];
        join_ends(grids, layer, x, y, (int32_t[2]){ x - sx, y - sy }, &z[0], &z[2]);
        join_ends(grids, layer, x, y, (int32_t[2]){ x + sx, y + sy }, &z[1], &z[3]);
        return put_face(grids, a, b, z, normal, high - low);
    }
    round_off(grids, x, y, 0.5 * (low + high), normal);
    double from = low;
    for (int32_t other = 0; other <= grids->layers && from < high; ++other) {
        bool more = other < grids->layers;
        size_t n = more ? at(grids, other, nx, ny) : 0;
        if (more && isnan(grids->base[n])) continue;
        double until = more ? fmin(grids->base[n], high) : high;
        bool hangs = until == high && grids->hung[at(grids, layer, x, y)];
        if (until > from && !hangs &&
            !put_face(grids, a, b, (const double[4]){ from, from, until, until }, normal, high - low))
            return false;
        from = more ? fmax(from, grids->ceiling[n]) : high;
        if (!more) break;
    }
    return true;
}

static bool put_column(fields *grids, int32_t layer, int32_t x, int32_t y) {
    static const float up[3] = { 0, 0, 1 };
    const double dx = grids->grid.cell_size, thin = SHALLOW * dx;
    size_t n = at(grids, layer, x, y);
    if (!(grids->depth[n] > thin)) { /* NaN: no column */
        return true;
    }
    double low = grids->base[n], high = low + grids->depth[n];
    for (int direction = 0; direction < 4; ++direction)
        if (!put_side(grids, layer, x, y, direction, low, high)) return false;
    if (!grids->glass || high < grids->ceiling[n] - 0.02 * dx) return true;
    double a[2] = { grids->grid.origin[0] + x * dx, grids->grid.origin[1] + y * dx }, b[2] = { a[0] + dx, a[1] };
    double c[2] = { a[0], a[1] + dx }, d[2] = { b[0], c[1] }, z = high - INSIDE * dx;
    const double flat[4] = { z, z, z, z };
    if (!put_face(grids, a, b, flat, up, grids->depth[n])) return false;
    float *corner = grids->out->corners + (grids->out->count - 1) * 4 * RILL_SIDE_FLOATS;
    for (int k = 0; k < 2; ++k) { /* lying instead of standing */
        corner[2 * RILL_SIDE_FLOATS + k] = (float)c[k];
        corner[3 * RILL_SIDE_FLOATS + k] = (float)d[k];
    }
    return true;
}

/* ------------------------------------------------------------------------------------- from the edge of the surface */

/* An edge of the surface at a wall, the liquid to its left. */
typedef struct edge {
    uint32_t ends[2];
} edge;

/* The edge of a triangle that ends at something, if it does; vertices below `columns` are inside, those from `end` on
 * below edges. */
static bool find_edge(const rill_surface_mesh *mesh, size_t triangle, size_t columns, size_t end, edge *out) {
    const uint32_t *corners = mesh->indices + 3 * triangle;
    for (int k = 0; k < 3; ++k) {
        uint32_t a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
        if (corners[k] < columns && a >= columns && b >= columns && a < end && b < end) {
            *out = (edge){ { a, b } };
            return mesh->wetness[a] == 1.0f && mesh->wetness[b] == 1.0f; /* else it is a shore */
        }
    }
    return false;
}

/* The column a vertex of the edge belongs to: it is on the way from its centre to the next one, which is where
 * `outward` leads. */
static bool find_owner(const fields *grids, const float *p, const double outward[2], size_t *out) {
    int32_t cell[2];
    double place[2];
    for (int i = 0; i < 2; ++i) place[i] = ((double)p[i] - grids->grid.origin[i]) / grids->grid.cell_size - 0.5;
    int along = fabs(place[0] - round(place[0])) > fabs(place[1] - round(place[1])) ? 0 : 1;
    for (int i = 0; i < 2; ++i) {
        double at_centre = i != along ? round(place[i]) : outward[i] > 0 ? floor(place[i]) : ceil(place[i]);
        if (!(at_centre >= 0 && at_centre < grids->grid.cells[i])) return false;
        cell[i] = (int32_t)at_centre;
    }
    for (int32_t layer = 0; layer < grids->layers; ++layer) {
        *out = at(grids, layer, cell[0], cell[1]);
        if (grids->depth[*out] > 0 && grids->base[*out] < (double)p[2] &&
            (double)p[2] <= grids->ceiling[*out] + grids->grid.cell_size)
            return true;
    }
    return false;
}

/* The cell behind an edge; false if that is outside of the grid, or open. Then the height from which on it is solid. */
static bool find_wall(const fields *grids, const float *p, const float *q, const double outward[2], double *foot) {
    int32_t cell[2];
    double z = 0.5 * ((double)p[2] + (double)q[2]) - SHALLOW * grids->grid.cell_size;
    for (int i = 0; i < 2; ++i) {
        double place =
            (0.5 * ((double)p[i] + (double)q[i]) - grids->grid.origin[i]) / grids->grid.cell_size + 0.75 * outward[i];
        if (!(place >= 0 && place < grids->grid.cells[i])) return false;
        cell[i] = (int32_t)place;
    }
    *foot = -INFINITY;
    for (int32_t layer = 0; layer < grids->layers; ++layer) {
        size_t n = at(grids, layer, cell[0], cell[1]);
        if (grids->ceiling[n] <= z) { /* not for NaN */
            *foot = fmax(*foot, grids->ceiling[n]);
        }
    }
    return !is_void(grids, cell[0], cell[1], z);
}

static bool find_outward(const rill_surface_mesh *mesh, edge e, double out[2]) {
    const float *p = mesh->positions + 3 * e.ends[0], *q = mesh->positions + 3 * e.ends[1];
    double x = (double)(q[0] - p[0]), y = (double)(q[1] - p[1]), length = hypot(x, y);
    out[0] = y / length;
    out[1] = -x / length;
    return length > 0;
}

/* A face below an edge. At its ends it looks where the faces beside it do on the average. */
static bool hang_face(fields *grids, const rill_surface_mesh *mesh, size_t columns, edge e, const float *normals) {
    double outward[2], a[2][2], z[4], foot;
    size_t owner[2];
    const float *ends[2] = { mesh->positions + 3 * e.ends[0], mesh->positions + 3 * e.ends[1] };
    if (!find_outward(mesh, e, outward) || !find_wall(grids, ends[0], ends[1], outward, &foot) ||
        !find_owner(grids, ends[0], outward, &owner[0]) || !find_owner(grids, ends[1], outward, &owner[1]))
        return true;
    for (int k = 0; k < 2; ++k) {
        a[k][0] = (double)ends[k][0];
        a[k][1] = (double)ends[k][1];
        z[2 + k] = (double)ends[k][2];
        z[k] = fmin(fmax(grids->base[owner[k]], foot), z[2 + k]);
        grids->hung[owner[k]] = true;
    }
    const float flat[3] = { (float)outward[0], (float)outward[1], 0 };
    if (!put_face(grids, a[0], a[1], z, flat, grids->depth[owner[0]])) return false;
    float *corner = grids->out->corners + (grids->out->count - 1) * 4 * RILL_SIDE_FLOATS;
    for (int i = 0; i < 4; ++i, corner += RILL_SIDE_FLOATS) {
        const float *sum = normals + 2 * (e.ends[i & 1] - columns);
        float length = hypotf(sum[0], sum[1]);
        for (int k = 0; k < 2 && length > 0.1f; ++k) corner[3 + k] = sum[k] / length;
    }
    return true;
}

static bool hang_faces(fields *grids, const rill_surface *surface) {
    rill_surface_mesh mesh;
    rill_surface_info info;
    if (rill_surface_get_mesh(surface, &mesh) != RILL_OK || rill_surface_get_info(surface, &info) != RILL_OK)
        return true;
    size_t ends = info.shore_vertices + info.extra_vertices, others = ends + info.skirt_vertices;
    if (info.vertices != mesh.vertex_count || others > mesh.vertex_count) return true; /* not a mesh, but grids */
    size_t columns = mesh.vertex_count - others;
    float *normals = calloc(2 * ends + 1, sizeof *normals);
    bool good = normals != NULL;
    edge e;
    double outward[2];
    for (size_t t = 0; t < mesh.triangle_count && good; ++t) {
        if (!find_edge(&mesh, t, columns, columns + ends, &e) || !find_outward(&mesh, e, outward)) continue;
        for (int k = 0; k < 4; ++k) normals[2 * (e.ends[k & 1] - columns) + (size_t)(k >> 1)] += (float)outward[k >> 1];
    }
    for (size_t t = 0; t < mesh.triangle_count && good; ++t)
        good = !find_edge(&mesh, t, columns, columns + ends, &e) || hang_face(grids, &mesh, columns, e, normals);
    free(normals);
    return good;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static bool read_fields(fields *grids, const rill_world *world) {
    size_t cells = (size_t)grids->grid.cells[0] * (size_t)grids->grid.cells[1];
    grids->base = malloc(3 * cells * (size_t)grids->layers * sizeof *grids->base);
    grids->hung = calloc(cells * (size_t)grids->layers, sizeof *grids->hung);
    if (!grids->base || !grids->hung) return false;
    grids->ceiling = grids->base + cells * (size_t)grids->layers;
    grids->depth = grids->ceiling + cells * (size_t)grids->layers;
    for (int32_t layer = 0; layer < grids->layers; ++layer) {
        size_t first = (size_t)layer * cells;
        rill_world_read_field(world, RILL_FIELD_BASE, layer, grids->base + first, cells);
        rill_world_read_field(world, RILL_FIELD_CEILING, layer, grids->ceiling + first, cells);
        rill_world_read_field(world, RILL_FIELD_DEPTH, layer, grids->depth + first, cells);
    }
    return true;
}

bool rill_sides_make(rill_sides *out, const rill_world *world, rill_surface *const *surfaces, size_t count,
                     bool glass) {
    rill_bed_info info;
    fields grids = { .glass = glass, .out = out };
    out->count = 0;
    if (rill_world_get_grid(world, &grids.grid) != RILL_OK || rill_bed_get_info(world, &info) != RILL_OK ||
        info.layers < 1)
        return true;
    grids.layers = info.layers;
    bool good = read_fields(&grids, world);
    for (size_t i = 0; i < count && glass && good; ++i) good = hang_faces(&grids, surfaces[i]);
    for (int32_t layer = 0; layer < grids.layers && good; ++layer) {
        for (int32_t y = 0; y < grids.grid.cells[1] && good; ++y)
            for (int32_t x = 0; x < grids.grid.cells[0] && good; ++x) good = put_column(&grids, layer, x, y);
    }
    free(grids.base);
    free(grids.hung);
    return good;
}

void rill_sides_free(rill_sides *sides) {
    free(sides->corners);
    memset(sides, 0, sizeof *sides);
}
