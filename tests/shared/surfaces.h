/* Triangle meshes of known surfaces, in metres. */
#ifndef RILL_TESTS_SURFACES_H
#define RILL_TESTS_SURFACES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct surface {
    float *vertices; /* x, y, z each */
    uint32_t *indices;
    size_t vertex_count, triangle_count;
} surface;

static inline void surface_free(surface *s) {
    free(s->vertices);
    free(s->indices);
    *s = (surface){ 0 };
}

static inline surface surface_alloc(size_t vertices, size_t triangles) {
    return (surface){ .vertices = calloc(3 * vertices + 1, sizeof(float)),
                      .indices = calloc(3 * triangles + 1, sizeof(uint32_t)),
                      .vertex_count = vertices,
                      .triangle_count = triangles };
}

/* Puts a vertex at a distance from the origin. */
static inline void surface_push_out(float *vertex, double radius) {
    const double x = (double)vertex[0], y = (double)vertex[1], z = (double)vertex[2];
    const double scale = radius / sqrt(x * x + y * y + z * z);
    vertex[0] = (float)(x * scale), vertex[1] = (float)(y * scale), vertex[2] = (float)(z * scale);
}

/* Cuts each triangle into four; every triangle gets its own vertices in the middle of its sides. */
static inline surface surface_cut(const surface *from) {
    surface to = surface_alloc(6 * from->triangle_count, 4 * from->triangle_count);
    for (size_t t = 0; t < from->triangle_count; ++t) {
        const size_t base = 6 * t;
        for (size_t k = 0; k < 3; ++k)
            for (size_t i = 0; i < 3; ++i) {
                const float a = from->vertices[3 * from->indices[3 * t + k] + i];
                const float b = from->vertices[3 * from->indices[3 * t + (k + 1) % 3] + i];
                to.vertices[3 * (base + k) + i] = a;
                to.vertices[3 * (base + 3 + k) + i] = 0.5f * (a + b);
            }
        static const uint32_t corners[12] = { 0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5 };
        for (size_t c = 0; c < 12; ++c) to.indices[12 * t + c] = (uint32_t)base + corners[c];
    }
    return to;
}

/* A sphere about the origin of 20 * 4^levels triangles; its vertices are not shared. */
static inline surface surface_sphere(double radius, int levels) {
    static const uint32_t faces[60] = { 0,  4, 1, 0, 9, 4, 9, 5,  4, 4, 5,  8,  4,  8, 1, 8,  10, 1,  8, 3,
                                        10, 5, 3, 8, 5, 2, 3, 2,  7, 3, 7,  10, 3,  7, 6, 10, 7,  11, 6, 11,
                                        0,  6, 0, 1, 6, 6, 1, 10, 9, 0, 11, 9,  11, 2, 9, 2,  5,  7,  2, 11 };
    const float x = 0.525731112119133606f, z = 0.850650808352039932f;
    const float corners[36] = { -x, 0,  z, x, 0,  z,  -x, 0, -z, x,  0, -z, 0, z,  x, 0,  z,  -x,
                                0,  -z, x, 0, -z, -x, z,  x, 0,  -z, x, 0,  z, -x, 0, -z, -x, 0 };
    surface sphere = surface_alloc(12, 20);
    memcpy(sphere.vertices, corners, sizeof corners);
    memcpy(sphere.indices, faces, sizeof faces);
    for (int level = 0; level < levels; ++level) {
        surface finer = surface_cut(&sphere);
        surface_free(&sphere);
        sphere = finer;
        for (size_t v = 0; v < sphere.vertex_count; ++v) surface_push_out(sphere.vertices + 3 * v, 1.0);
    }
    for (size_t v = 0; v < sphere.vertex_count; ++v) surface_push_out(sphere.vertices + 3 * v, radius);
    /* so that triangles are counter-clockwise from outside */
    const float *p = sphere.vertices + 3 * sphere.indices[0], *q = sphere.vertices + 3 * sphere.indices[1],
                *r = sphere.vertices + 3 * sphere.indices[2];
    const float side =
        p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    for (size_t t = 0; side < 0.0f && t < sphere.triangle_count; ++t) {
        const uint32_t swap = sphere.indices[3 * t + 1];
        sphere.indices[3 * t + 1] = sphere.indices[3 * t + 2], sphere.indices[3 * t + 2] = swap;
    }
    return sphere;
}

/* A pane about the origin, of triangles of about this spacing whose corners are moved by as much of it at most, which is level. */
static inline surface surface_pane(double size, double spacing, double jitter) {
    const int32_t nx = (int32_t)(size / spacing) + 1, ny = (int32_t)(size / (spacing * 0.866025404)) + 1;
    surface pane = surface_alloc((size_t)(nx * ny), (size_t)(2 * (nx - 1) * (ny - 1)));
    uint32_t random = 12345, *index = pane.indices;
    for (int32_t y = 0; y < ny; ++y)
        for (int32_t x = 0; x < nx; ++x) {
            float *vertex = pane.vertices + 3 * (y * nx + x);
            double off[2];
            for (int k = 0; k < 2; ++k) {
                random = random * 1664525u + 1013904223u;
                off[k] = jitter * spacing * ((double)(random >> 8) / 8388608.0 - 1.0);
            }
            vertex[0] = (float)(((double)x + 0.5 * (y % 2) - 0.5 * nx) * spacing + off[0]);
            vertex[1] = (float)(((double)y - 0.5 * ny) * spacing * 0.866025404 + off[1]);
        }
    for (int32_t y = 0; y + 1 < ny; ++y)
        for (int32_t x = 0; x + 1 < nx; ++x) {
            const uint32_t a = (uint32_t)(y * nx + x), b = a + 1, c = a + (uint32_t)nx, d = c + 1;
            const uint32_t even[6] = { a, b, c, b, d, c }, odd[6] = { a, b, d, a, d, c };
            memcpy(index, y % 2 ? odd : even, sizeof even);
            index += 6;
        }
    return pane;
}

#endif
