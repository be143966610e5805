/* A validator of surface meshes: what any mesh of the library must be, whatever the liquid does.
 *
 *     finite     no NaN, normals of length 1 that face up, attributes in their ranges
 *     triangles  indices in range, none without area, none twice, none that faces down
 *     edges      each in one direction at most once: so at most two triangles share it, and they agree on what is above
 *     closed     an edge of one triangle alone runs between vertices of the rim: nothing ends in the middle of the liquid
 *     joined     no vertex lies inside an edge of one triangle alone (T-junction)
 *     used       vertices of no triangle are counted, apart from those of skirts: between two tears there is none */
#ifndef RILL_TESTS_MESH_CHECK_H
#define RILL_TESTS_MESH_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rill/rill.h>

typedef struct mesh_report {
    char text[256];      /* the first thing that is wrong; "" if nothing is */
    size_t open_edges;   /* edges of one triangle */
    size_t broken_edges; /* of those: with an end that is no vertex of the rim */
    size_t unused;       /* vertices of no triangle, apart from those of skirts */
    double area;         /* seen from above, m2 */
} mesh_report;

typedef struct mesh_edge {
    uint32_t from, to;
} mesh_edge;

static int mesh_edge_order(const void *a, const void *b) {
    const mesh_edge *p = a, *q = b;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    return p->to < q->to ? -1 : p->to > q->to;
}

static bool mesh_fail(mesh_report *report, const char *what, size_t index) {
    if (!report->text[0]) snprintf(report->text, sizeof report->text, "%s (%zu)", what, index);
    return false;
}

static inline bool mesh_check_vertices(const rill_surface_mesh *mesh, mesh_report *report) {
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const float *p = mesh->positions + 3 * v, *n = mesh->normals + 3 * v, *u = mesh->velocities + 3 * v;
        for (int i = 0; i < 3; ++i)
            if (!isfinite(p[i]) || !isfinite(n[i]) || !isfinite(u[i])) return mesh_fail(report, "not finite", v);
        const double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        if (fabs(length - 1.0) > 1e-5) return mesh_fail(report, "a normal whose length is not 1", v);
        if (n[2] < 0.0f) return mesh_fail(report, "a normal that faces down", v);
        if (!(mesh->depths[v] >= 0.0f)) return mesh_fail(report, "a negative depth", v);
        if (!(mesh->opacities[v] >= 0.0f && mesh->opacities[v] <= 1.0f)) return mesh_fail(report, "an opacity", v);
        if (!(mesh->wetness[v] >= 0.0f && mesh->wetness[v] <= 1.0f)) return mesh_fail(report, "a wetness", v);
        if (mesh->layers[v] < 0) return mesh_fail(report, "a layer", v);
    }
    return true;
}

/* `size` is that of a cell: areas are judged by it. */
static inline bool mesh_check_triangles(const rill_surface_mesh *mesh, size_t skirts, double size,
                                        mesh_report *report) {
    char *used = calloc(mesh->vertex_count + 1, 1);
    bool good = true;
    for (size_t t = 0; t < mesh->triangle_count && good; ++t) {
        const uint32_t *c = mesh->indices + 3 * t;
        if (c[0] >= mesh->vertex_count || c[1] >= mesh->vertex_count || c[2] >= mesh->vertex_count) {
            good = mesh_fail(report, "an index out of range", t);
            break;
        }
        for (int i = 0; i < 3; ++i) used[c[i]] = 1;
        double e[2][3], n[3];
        const float *p[3] = { mesh->positions + 3 * (size_t)c[0], mesh->positions + 3 * (size_t)c[1],
                              mesh->positions + 3 * (size_t)c[2] };
        for (int i = 0; i < 3; ++i) {
            e[0][i] = (double)p[1][i] - (double)p[0][i];
            e[1][i] = (double)p[2][i] - (double)p[0][i];
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = e[0][j] * e[1][k] - e[0][k] * e[1][j];
        }
        report->area += 0.5 * n[2];
        if (sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) < 1e-6 * size * size)
            good = mesh_fail(report, "a triangle without area", t);
        if (n[2] < -1e-3 * size * size) good = mesh_fail(report, "a triangle that faces down", t);
    }
    for (size_t v = 0; v < mesh->vertex_count - skirts; ++v) report->unused += !used[v];
    free(used);
    return good;
}

/* Vertices on open edges, binned by cell of the plan, against the open edges that pass. */
static inline bool mesh_check_joints(const rill_surface_mesh *mesh, const mesh_edge *open, size_t count, double size,
                                     mesh_report *report) {
    enum { BINS = 4096 };
    size_t *first = calloc(BINS + 1, sizeof *first), *next = calloc(count + 1, sizeof *next);
    bool good = true;
#define MESH_BIN(x, y)                                                                                                 \
    (((size_t)(int64_t)floor((x) / size) * 73856093u ^ (size_t)(int64_t)floor((y) / size) * 19349663u) % BINS)
    for (size_t i = 0; i < count; ++i) {
        const float *p = mesh->positions + 3 * (size_t)open[i].from;
        const size_t bin = MESH_BIN((double)p[0], (double)p[1]);
        next[i] = first[bin];
        first[bin] = i + 1;
    }
    for (size_t i = 0; i < count && good; ++i) {
        const float *a = mesh->positions + 3 * (size_t)open[i].from, *b = mesh->positions + 3 * (size_t)open[i].to;
        const double low[2] = { fmin(a[0], b[0]), fmin(a[1], b[1]) }, high[2] = { fmax(a[0], b[0]), fmax(a[1], b[1]) };
        if (high[0] - low[0] < 1e-3 * size && high[1] - low[1] < 1e-3 * size)
            continue; /* curtains hang before each other */
        for (double y = low[1] - size; y <= high[1] + size && good; y += size) {
            for (double x = low[0] - size; x <= high[0] + size && good; x += size) {
                for (size_t k = first[MESH_BIN(x, y)]; k && good; k = next[k - 1]) {
                    const uint32_t v = open[k - 1].from;
                    if (v == open[i].from || v == open[i].to) continue;
                    const float *p = mesh->positions + 3 * (size_t)v;
                    double e[3], d[3], ee = 0.0, ed = 0.0, dd = 0.0;
                    for (int j = 0; j < 3; ++j) {
                        e[j] = (double)b[j] - (double)a[j], d[j] = (double)p[j] - (double)a[j];
                        ee += e[j] * e[j], ed += e[j] * d[j], dd += d[j] * d[j];
                    }
                    const double t = ed / ee;
                    if (t > 0.001 && t < 0.999 && dd - t * ed < 1e-10 * size * size)
                        good = mesh_fail(report, "a vertex inside an edge", v);
                }
            }
        }
    }
#undef MESH_BIN
    free(first);
    free(next);
    return good;
}

/* `columns` vertices are those of columns, the first ones; broken edges are counted, not judged. */
static inline bool mesh_check_edges(const rill_surface_mesh *mesh, size_t columns, double size, mesh_report *report) {
    const size_t count = 3 * mesh->triangle_count;
    mesh_edge *edges = calloc(count + 1, sizeof *edges), *open = calloc(count + 1, sizeof *open);
    bool good = true;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        for (size_t i = 0; i < 3; ++i)
            edges[3 * t + i] = (mesh_edge){ mesh->indices[3 * t + i], mesh->indices[3 * t + (i + 1) % 3] };
    qsort(edges, count, sizeof *edges, mesh_edge_order);
    for (size_t i = 0; i < count && good; ++i) {
        const mesh_edge back = { edges[i].to, edges[i].from };
        if (edges[i].from == edges[i].to) good = mesh_fail(report, "a triangle with a corner twice", i);
        if (i > 0 && mesh_edge_order(&edges[i - 1], &edges[i]) == 0)
            good = mesh_fail(report, "an edge that two triangles run along in one direction", edges[i].from);
        if (bsearch(&back, edges, count, sizeof *edges, mesh_edge_order)) continue;
        open[report->open_edges++] = edges[i];
        if (edges[i].from < columns || edges[i].to < columns) report->broken_edges += 1;
    }
    good = good && mesh_check_joints(mesh, open, report->open_edges, size, report);
    free(edges);
    free(open);
    return good;
}

/* Everything above. */
static inline mesh_report mesh_check(const rill_surface *surface, double size) {
    mesh_report report = { .text = "" };
    rill_surface_mesh mesh;
    rill_surface_info info;
    if (rill_surface_get_mesh(surface, &mesh) || rill_surface_get_info(surface, &info)) {
        mesh_fail(&report, "no mesh", 0);
        return report;
    }
    const size_t columns = info.vertices - info.shore_vertices - info.extra_vertices - info.skirt_vertices;
    if (mesh_check_vertices(&mesh, &report) && mesh_check_triangles(&mesh, info.skirt_vertices, size, &report))
        mesh_check_edges(&mesh, columns, size, &report);
    return report;
}

#endif
