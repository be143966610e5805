/* Vertices at the same place are welded first, whatever their indices. The normal of a corner is then the sum of the
 * face normals around its place, weighted by angle (Thuermer and Wuethrich 1998), over those faces that are within
 * the crease angle of its own; corners with the same normal become one vertex again. */
#include "crease.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct crease {
    const rill_solid_mesh *mesh;
    uint32_t *place;   /* of each vertex: the first vertex at its position */
    uint32_t *start;   /* per place, one more than places: where its corners begin */
    uint32_t *corners; /* corners (3 per triangle), by place */
    double (*face)[3]; /* unit normals of triangles; 0 for slivers */
    double *angle;     /* at each corner */
} crease;

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalise(double v[3]) {
    double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; ++i) v[i] = length > 0 ? v[i] / length : 0;
}

static uint64_t hash_place(const double p[3]) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; ++i) {
        uint64_t bits;
        double value = p[i] + 0.0; /* -0 becomes 0 */
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static bool weld(crease *c) {
    const rill_solid_mesh *mesh = c->mesh;
    size_t room = 16;
    while (room < 2 * mesh->vertex_count) room *= 2;
    uint32_t *table = malloc(room * sizeof *table);
    if (!table) return false;
    memset(table, 0xff, room * sizeof *table);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const double *p = &mesh->vertices[3 * v];
        size_t slot = hash_place(p) & (room - 1);
        while (table[slot] != UINT32_MAX && memcmp(&mesh->vertices[3 * (size_t)table[slot]], p, 3 * sizeof *p) != 0)
            slot = (slot + 1) & (room - 1);
        if (table[slot] == UINT32_MAX) table[slot] = (uint32_t)v;
        c->place[v] = table[slot];
    }
    free(table);
    return true;
}

static void measure_faces(crease *c) {
    const rill_solid_mesh *mesh = c->mesh;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const double *p[3];
        double edge[3][3];
        for (int k = 0; k < 3; ++k) p[k] = &mesh->vertices[3 * (size_t)mesh->indices[3 * t + (size_t)k]];
        for (int k = 0; k < 3; ++k) subtract(p[(k + 1) % 3], p[k], edge[k]);
        double *n = c->face[t];
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = edge[0][j] * edge[1][k] - edge[0][k] * edge[1][j];
        }
        normalise(n);
        for (int k = 0; k < 3; ++k) normalise(edge[k]);
        for (int k = 0; k < 3; ++k) {
            double cosine = -dot(edge[k], edge[(k + 2) % 3]);
            c->angle[3 * t + (size_t)k] = acos(fmin(fmax(cosine, -1), 1));
        }
    }
}

static void sort_corners(crease *c) {
    const rill_solid_mesh *mesh = c->mesh;
    size_t count = 3 * mesh->triangle_count;
    for (size_t i = 0; i < count; ++i) c->start[c->place[mesh->indices[i]] + 1]++;
    for (size_t v = 0; v < mesh->vertex_count; ++v) c->start[v + 1] += c->start[v];
    /* Filled from the back, so that starts end up where they belong. */
    for (size_t i = count; i-- > 0;) c->corners[--c->start[c->place[mesh->indices[i]] + 1]] = (uint32_t)i;
    memmove(c->start, c->start + 1, mesh->vertex_count * sizeof *c->start);
    c->start[mesh->vertex_count] = (uint32_t)count;
}

static void corner_normal(const crease *c, uint32_t first, uint32_t end, uint32_t corner, double limit, double out[3]) {
    const double *own = c->face[corner / 3];
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = first; i < end; ++i) {
        const double *other = c->face[c->corners[i] / 3];
        if (dot(own, other) >= limit) {
            for (int k = 0; k < 3; ++k) out[k] += other[k] * c->angle[c->corners[i]];
        }
    }
    normalise(out);
    if (dot(out, out) < 0.5) memcpy(out, own, 3 * sizeof *out);
}

/* Returns the vertex of a place with this normal: one that was made before, or a new one. */
static uint32_t take_vertex(rill_draw_mesh *out, size_t since, const double p[3], const double n[3]) {
    for (size_t v = since; v < out->vertex_count; ++v) {
        const float *old = &out->vertices[6 * v + 3];
        if ((double)old[0] * n[0] + (double)old[1] * n[1] + (double)old[2] * n[2] > 0.99999) return (uint32_t)v;
    }
    float *vertex = &out->vertices[6 * out->vertex_count];
    for (int i = 0; i < 3; ++i) {
        vertex[i] = (float)p[i];
        vertex[3 + i] = (float)n[i];
    }
    return (uint32_t)out->vertex_count++;
}

static void emit(const crease *c, double limit, rill_draw_mesh *out) {
    const rill_solid_mesh *mesh = c->mesh;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        size_t since = out->vertex_count;
        for (uint32_t i = c->start[v]; i < c->start[v + 1]; ++i) {
            double normal[3];
            corner_normal(c, c->start[v], c->start[v + 1], c->corners[i], limit, normal);
            out->indices[c->corners[i]] = take_vertex(out, since, &mesh->vertices[3 * v], normal);
        }
    }
}

bool rill_crease_mesh(const rill_solid_mesh *mesh, double degrees, rill_draw_mesh *out) {
    size_t corners = 3 * mesh->triangle_count;
    crease c = { .mesh = mesh };
    memset(out, 0, sizeof *out);
    c.place = malloc((mesh->vertex_count + 1) * sizeof *c.place);
    c.start = calloc(mesh->vertex_count + 1, sizeof *c.start);
    c.corners = malloc((corners + 1) * sizeof *c.corners);
    c.face = malloc((mesh->triangle_count + 1) * sizeof *c.face);
    c.angle = malloc((corners + 1) * sizeof *c.angle);
    out->vertices = malloc((corners + 1) * 6 * sizeof *out->vertices);
    out->indices = malloc((corners + 1) * sizeof *out->indices);
    bool good = c.place && c.start && c.corners && c.face && c.angle && out->vertices && out->indices && weld(&c);
    if (good) {
        measure_faces(&c);
        sort_corners(&c);
        out->index_count = corners;
        emit(&c, cos(degrees * 3.14159265358979323846 / 180), out);
    } else {
        rill_draw_mesh_free(out);
    }
    free(c.place);
    free(c.start);
    free(c.corners);
    free(c.face);
    free(c.angle);
    return good;
}

/* Which border of the grid a point lies on: 1 west, 2 east, 4 south, 8 north; sums at corners. */
static int border_of(const rill_grid *grid, const float p[3]) {
    int borders = 0;
    for (int k = 0; k < 2; ++k) {
        double along = ((double)p[k] - grid->origin[k]) / grid->cell_size, slack = 1e-3;
        borders |= fabs(along) < slack ? 1 << (2 * k) : fabs(along - grid->cells[k]) < slack ? 2 << (2 * k) : 0;
    }
    return borders;
}

static const float *vertex_at(const rill_draw_mesh *mesh, size_t index) {
    return &mesh->vertices[6 * (size_t)mesh->indices[index]];
}

/* A quad under the edge a b, facing away from the grid. */
static void put_wall(rill_draw_mesh *mesh, size_t index, int border, double z) {
    static const uint32_t order[6] = { 0, 1, 2, 2, 1, 3 };
    float normal[3] = { border & 1   ? -1.0f
                        : border & 2 ? 1.0f
                                     : 0.0f,
                        border & 4   ? -1.0f
                        : border & 8 ? 1.0f
                                     : 0.0f,
                        0 };
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (size_t i = 0; i < 4; ++i) {
        const float *p = vertex_at(mesh, i & 1 ? index / 3 * 3 + (index + 1) % 3 : index);
        float *out = &mesh->vertices[6 * mesh->vertex_count++];
        memcpy(out, p, 3 * sizeof *out);
        memcpy(out + 3, normal, sizeof normal);
        out[2] = i & 2 ? (float)z : out[2];
    }
    for (int i = 0; i < 6; ++i) mesh->indices[mesh->index_count++] = first + order[i];
}

/* The border along which the side of a triangle that begins at a corner runs; and whether all of it lies there. */
static int side_border(const rill_draw_mesh *mesh, const rill_grid *grid, size_t i, bool *stands) {
    size_t t = i / 3 * 3;
    int border = border_of(grid, vertex_at(mesh, i)) & border_of(grid, vertex_at(mesh, t + (i + 1) % 3));
    *stands = (border & border_of(grid, vertex_at(mesh, t + (i + 2) % 3))) != 0;
    return border;
}

bool rill_draw_mesh_wall(rill_draw_mesh *mesh, const rill_grid *grid, double z) {
    size_t walls = 0, count = mesh->index_count;
    int closed = 0; /* borders that have a wall already */
    bool stands;
    for (size_t i = 0; i < count; ++i) {
        int border = side_border(mesh, grid, i, &stands);
        closed |= stands ? border : 0;
        walls += border != 0;
    }
    float *vertices = realloc(mesh->vertices, (mesh->vertex_count + 4 * walls + 1) * 6 * sizeof *vertices);
    mesh->vertices = vertices ? vertices : mesh->vertices;
    uint32_t *indices = realloc(mesh->indices, (count + 6 * walls + 1) * sizeof *indices);
    mesh->indices = indices ? indices : mesh->indices;
    for (size_t i = 0; vertices && indices && i < count; ++i) {
        int border = side_border(mesh, grid, i, &stands) & ~closed;
        if (border) put_wall(mesh, i, border, z);
    }
    return vertices && indices;
}

void rill_draw_mesh_free(rill_draw_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}
