/* Surfaces of fields, lathed and swept shapes, noise.
 *
 * Polygonising is by surface nets (Gibson 1998): one vertex in each cell the surface runs through, one quadrilateral
 * around each grid edge it crosses. The vertices are then evened out along the surface and slid onto it along the
 * gradient, a few times over, which makes the mesh smooth and its triangles well shaped. */
#include "model_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double rill_model_blend_min(double a, double b, double k) {
    const double h = k - fabs(a - b);
    return (a < b ? a : b) - (h > 0 ? h * h / (4 * k) : 0);
}

double rill_model_blend_max(double a, double b, double k) {
    return -rill_model_blend_min(-a, -b, k);
}

/* ------------------------------------------------------------------------------------------------------------ noise */

static double lattice(int64_t x, int64_t y, int64_t z) {
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    h ^= (uint64_t)z * 0x165667b19e3779f9u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (double)(h >> 40) / 8388608.0 - 1.0;
}

static double fade(double t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

double rill_model_noise(double x, double y, double z) {
    const double floors[3] = { floor(x), floor(y), floor(z) };
    const int64_t i = (int64_t)floors[0], j = (int64_t)floors[1], k = (int64_t)floors[2];
    const double u = fade(x - floors[0]), v = fade(y - floors[1]), w = fade(z - floors[2]);
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
        sum += (a ? u : 1 - u) * (b ? v : 1 - v) * (c ? w : 1 - w) * lattice(i + a, j + b, k + c);
    }
    return sum;
}

/* ----------------------------------------------------------------------------------------------------- surface nets */

typedef struct net {
    int n[3]; /* samples along each axis; cells are one fewer */
    double low[3], step;
    double *samples;
    uint32_t *vertex; /* of each cell, numbered like the sample at its lower corner */
} net;

static size_t sample_index(const net *s, int x, int y, int z) {
    return ((size_t)z * (size_t)s->n[1] + (size_t)y) * (size_t)s->n[0] + (size_t)x;
}

/* One Newton step along the gradient. */
static void slide_to_surface(rill_model_field *field, double p[3], double probe) {
    const double value = field(p);
    double gradient[3], length2 = 0;
    for (int k = 0; k < 3; ++k) {
        double ahead[3] = { p[0], p[1], p[2] }, behind[3] = { p[0], p[1], p[2] };
        ahead[k] += probe;
        behind[k] -= probe;
        gradient[k] = (field(ahead) - field(behind)) / (2 * probe);
        length2 += gradient[k] * gradient[k];
    }
    if (length2 < 1e-6) return;
    for (int k = 0; k < 3; ++k) p[k] -= value * gradient[k] / length2;
}

/* The mean of the crossings on a cell's edges; false if the surface does not touch the cell. */
static bool cell_centre(const net *s, int x, int y, int z, double out[3]) {
    double sum[3] = { 0, 0, 0 };
    int crossings = 0;
    for (int edge = 0; edge < 12; ++edge) {
        const int axis = edge / 4;
        int a[3] = { x, y, z };
        a[(axis + 1) % 3] += edge & 1;
        a[(axis + 2) % 3] += edge >> 1 & 1;
        int b[3] = { a[0], a[1], a[2] };
        ++b[axis];
        const double fa = s->samples[sample_index(s, a[0], a[1], a[2])];
        const double fb = s->samples[sample_index(s, b[0], b[1], b[2])];
        if ((fa < 0) == (fb < 0)) continue;
        for (int k = 0; k < 3; ++k) sum[k] += s->low[k] + s->step * (a[k] + (k == axis ? fa / (fa - fb) : 0));
        ++crossings;
    }
    for (int k = 0; k < 3 && crossings > 0; ++k) out[k] = sum[k] / crossings;
    return crossings > 0;
}

static bool place_vertices(net *s, rill_model *out) {
    for (int z = 0; z + 1 < s->n[2]; ++z)
        for (int y = 0; y + 1 < s->n[1]; ++y)
            for (int x = 0; x + 1 < s->n[0]; ++x) {
                double p[3];
                if (!cell_centre(s, x, y, z, p)) continue;
                if (!rill_model_vertex(out, p, &s->vertex[sample_index(s, x, y, z)])) return false;
            }
    return true;
}

static double distance2(const rill_model *model, uint32_t a, uint32_t b) {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double d = (double)model->vertices[3 * a + k] - (double)model->vertices[3 * b + k];
        sum += d * d;
    }
    return sum;
}

/* The quadrilateral around the grid edge that starts at sample `at` and runs along `axis`, cut along its shorter
 * diagonal. */
static bool join_around(const net *s, const int at[3], int axis, bool inward, rill_model *out) {
    uint32_t corner[4];
    for (int i = 0; i < 4; ++i) {
        int cell[3] = { at[0], at[1], at[2] };
        const int turn = inward ? 3 - i : i;
        if (turn == 0 || turn == 3) --cell[(axis + 1) % 3];
        if (turn < 2) --cell[(axis + 2) % 3];
        corner[i] = s->vertex[sample_index(s, cell[0], cell[1], cell[2])];
    }
    const int first = distance2(out, corner[0], corner[2]) <= distance2(out, corner[1], corner[3]) ? 0 : 1;
    return rill_model_triangle(out, corner[first], corner[first + 1], corner[(first + 2) % 4]) &&
           rill_model_triangle(out, corner[first], corner[(first + 2) % 4], corner[(first + 3) % 4]);
}

static bool join_vertices(const net *s, rill_model *out) {
    for (int z = 1; z + 1 < s->n[2]; ++z)
        for (int y = 1; y + 1 < s->n[1]; ++y)
            for (int x = 1; x + 1 < s->n[0]; ++x)
                for (int axis = 0; axis < 3; ++axis) {
                    const int at[3] = { x, y, z };
                    int to[3] = { x, y, z };
                    ++to[axis];
                    const bool a = s->samples[sample_index(s, x, y, z)] < 0;
                    const bool b = s->samples[sample_index(s, to[0], to[1], to[2])] < 0;
                    if (a != b && !join_around(s, at, axis, b, out)) return false;
                }
    return true;
}

/* Evens the triangles out: each vertex goes half way to the mean of its neighbours, then back onto the surface. */
static bool relax(rill_model *model, rill_model_field *field, double probe, int rounds) {
    double *sums = malloc((model->vertex_count + 1) * 4 * sizeof *sums);
    if (sums == NULL) return false;
    for (int round = 0; round < rounds; ++round) {
        memset(sums, 0, model->vertex_count * 4 * sizeof *sums);
        for (size_t i = 0; i < 3 * model->triangle_count; ++i) {
            const size_t to = model->triangles[i], from = model->triangles[i % 3 == 2 ? i - 2 : i + 1];
            for (size_t k = 0; k < 3; ++k) sums[4 * to + k] += (double)model->vertices[3 * from + k];
            sums[4 * to + 3] += 1;
        }
        for (size_t i = 0; i < model->vertex_count; ++i) {
            float *v = model->vertices + 3 * i;
            double p[3];
            for (size_t k = 0; k < 3; ++k) p[k] = 0.5 * ((double)v[k] + sums[4 * i + k] / sums[4 * i + 3]);
            slide_to_surface(field, p, probe);
            for (size_t k = 0; k < 3; ++k) v[k] = (float)p[k];
        }
    }
    free(sums);
    return true;
}

bool rill_model_polygonise(rill_model *out, rill_model_field *field, const double low[3], const double high[3],
                           double step) {
    net s = { .step = step };
    for (int k = 0; k < 3; ++k) {
        s.low[k] = low[k];
        s.n[k] = (int)((high[k] - low[k]) / step) + 2;
    }
    const size_t count = (size_t)s.n[0] * (size_t)s.n[1] * (size_t)s.n[2];
    s.samples = malloc(count * sizeof *s.samples);
    s.vertex = calloc(count, sizeof *s.vertex);
    bool done = s.samples != NULL && s.vertex != NULL;
    for (int z = 0; z < s.n[2] && done; ++z)
        for (int y = 0; y < s.n[1]; ++y)
            for (int x = 0; x < s.n[0]; ++x) {
                const double p[3] = { low[0] + step * x, low[1] + step * y, low[2] + step * z };
                s.samples[sample_index(&s, x, y, z)] = field(p);
            }
    done = done && place_vertices(&s, out) && join_vertices(&s, out) && relax(out, field, step / 64, 6);
    free(s.samples);
    free(s.vertex);
    return done;
}

/* -------------------------------------------------------------------------------------------------- lathe and sweep */

enum { TURNS = 64, TUBE_TURNS = 16 };

/* Points of the unit circle, from cos 90 degrees = 0 by halving the angle four times. */
static void unit_circle(double out[TURNS][2]) {
    double c = 0, s = 1;
    for (int i = 0; i < 4; ++i) {
        s = sqrt((1 - c) / 2);
        c = sqrt((1 + c) / 2);
    }
    out[0][0] = 1;
    out[0][1] = 0;
    for (int i = 1; i < TURNS; ++i) {
        out[i][0] = out[i - 1][0] * c - out[i - 1][1] * s;
        out[i][1] = out[i - 1][0] * s + out[i - 1][1] * c;
    }
}

/* Two triangles per side between two rings of vertices; a ring may be a single point. */
static bool join_rings(rill_model *out, uint32_t turns, uint32_t lower, bool lower_point, uint32_t upper,
                       bool upper_point) {
    for (uint32_t i = 0; i < turns; ++i) {
        const uint32_t j = (i + 1) % turns;
        const uint32_t a = lower + (lower_point ? 0 : i), b = lower + (lower_point ? 0 : j);
        const uint32_t c = upper + (upper_point ? 0 : j), d = upper + (upper_point ? 0 : i);
        if (a != b && !rill_model_triangle(out, a, b, c)) return false;
        if (c != d && !rill_model_triangle(out, a, c, d)) return false;
    }
    return true;
}

bool rill_model_lathe(rill_model *out, const double (*profile)[2], int count) {
    double circle[TURNS][2];
    unit_circle(circle);
    uint32_t before = 0;
    for (int i = 0; i < count; ++i) {
        const double r = profile[i][0], z = profile[i][1];
        uint32_t first = 0, index;
        for (int turn = 0; turn < (r > 0 ? TURNS : 1); ++turn) {
            const double p[3] = { r * circle[turn][0], r * circle[turn][1], z };
            if (!rill_model_vertex(out, p, &index)) return false;
            if (turn == 0) first = index;
        }
        if (i > 0 && !join_rings(out, TURNS, before, profile[i - 1][0] <= 0, first, r <= 0)) return false;
        before = first;
    }
    return true;
}

/* A point of the path or, for odd i, between two of them: the four-point rule of Dyn, Levin and Gregory. */
static void path_point(const double (*path)[2], int count, int i, double out[2]) {
    const int b = i / 2, c = b + i % 2, a = b > 0 ? b - 1 : b, d = c + 1 < count ? c + 1 : c;
    for (int k = 0; k < 2; ++k) out[k] = (9 * (path[b][k] + path[c][k]) - path[a][k] - path[d][k]) / 16;
    if (i % 2 == 0)
        for (int k = 0; k < 2; ++k) out[k] = path[b][k];
}

bool rill_model_tube(rill_model *out, const double (*path)[2], int count, double half_width, double half_thickness) {
    double circle[TURNS][2];
    unit_circle(circle);
    const int last = 2 * count - 2;
    uint32_t before = 0, first = 0, index;
    for (int i = -1; i <= last + 1; ++i) {
        const int at = i < 0 ? 0 : i > last ? last : i;
        double centre[2], back[2], ahead[2];
        path_point(path, count, at, centre);
        path_point(path, count, at > 0 ? at - 1 : 0, back);
        path_point(path, count, at < last ? at + 1 : last, ahead);
        const double dx = ahead[0] - back[0], dz = ahead[1] - back[1], length = sqrt(dx * dx + dz * dz);
        const bool cap = i < 0 || i > last; /* the middle of a flat end */
        for (int turn = 0; turn < (cap ? 1 : TUBE_TURNS); ++turn) {
            const double *direction = circle[turn * (TURNS / TUBE_TURNS)];
            const double wide = cap ? 0 : half_width * direction[1], thick = cap ? 0 : half_thickness * direction[0];
            const double p[3] = { centre[0] + thick * dz / length, wide, centre[1] - thick * dx / length };
            if (!rill_model_vertex(out, p, &index)) return false;
            if (turn == 0) first = index;
        }
        if (i >= 0 && !join_rings(out, TUBE_TURNS, before, i == 0, first, cap)) return false;
        before = first;
    }
    return true;
}
