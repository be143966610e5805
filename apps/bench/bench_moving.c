/* The world of `moving_mesh`: a lumpy cushion of 15,000 triangles, 92 cells wide, that wanders and turns through five
 * wet floors.
 *
 * The cells under it, where it was and where it is, are a quarter of the grid: these are built anew in every frame,
 * and what stands there makes way. A frame is as long as a sub-step or two. */
#include "bench_internal.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586

enum { AROUND = 123, RINGS = 61 }; /* vertices of the cushion, without the two poles */

static void make_vertices(float *vertices) {
    float *v = vertices;
    for (int j = 0; j < RINGS; ++j) {
        for (int i = 0; i < AROUND; ++i, v += 3) {
            const double down = 0.5 * TWO_PI * (j + 1) / (RINGS + 1), round = TWO_PI * i / AROUND;
            const double r = 0.046 * (1.0 + 0.05 * sin(5.0 * round) * sin(4.0 * down));
            v[0] = (float)(r * sin(down) * cos(round));
            v[1] = (float)(r * sin(down) * sin(round));
            v[2] = (float)(0.4 * r * cos(down));
        }
    }
    for (int pole = 0; pole < 2; ++pole, v += 3) {
        v[0] = v[1] = 0.0f;
        v[2] = pole == 0 ? 0.0184f : -0.0184f;
    }
}

static void make_triangles(uint32_t *indices) {
    const uint32_t top = AROUND * RINGS, bottom = top + 1, last = AROUND * (RINGS - 1);
    uint32_t *t = indices;
    for (uint32_t i = 0; i < AROUND; ++i) {
        const uint32_t next = (i + 1) % AROUND;
        for (uint32_t j = 0; j + 1 < RINGS; ++j, t += 6) {
            const uint32_t a = j * AROUND + i, b = j * AROUND + next;
            t[0] = a, t[1] = a + AROUND, t[2] = b;
            t[3] = b, t[4] = a + AROUND, t[5] = b + AROUND;
        }
        t[0] = top, t[1] = i, t[2] = next;
        t[3] = bottom, t[4] = last + next, t[5] = last + i;
        t += 6;
    }
}

static rill_result add_cushion(rill_world *world) {
    const size_t vertex_count = AROUND * RINGS + 2, triangle_count = 2 * AROUND * RINGS;
    float *vertices = malloc(3 * vertex_count * sizeof *vertices);
    uint32_t *indices = malloc(3 * triangle_count * sizeof *indices);
    rill_result result = RILL_OUT_OF_MEMORY;
    if (vertices != NULL && indices != NULL) {
        make_vertices(vertices);
        make_triangles(indices);
        rill_solid_def def = rill_default_solid_def();
        def.name = "cushion";
        def.shape.type = RILL_SHAPE_MESH;
        def.shape.vertices = vertices;
        def.shape.vertex_count = vertex_count;
        def.shape.indices = indices;
        def.shape.triangle_count = triangle_count;
        def.translate[0] = def.translate[1] = 0.1;
        def.translate[2] = 0.02;
        rill_solid_id id;
        result = rill_solid_create(world, &def, &id);
    }
    free(vertices);
    free(indices);
    return result;
}

rill_result rill_bench_build_mesh(rill_world *world) {
    rill_result result = rill_bench_add_platforms(world, false);
    result = result != RILL_OK ? result : add_cushion(world);
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : rill_bench_fill_platforms(world, 2e-3);
}

/* By a tenth of a millimetre or two per frame. */
rill_result rill_bench_move_mesh(rill_world *world, int64_t frame) {
    const double a = 0.02 * (double)frame;
    const double place[3] = { 0.1 + 0.006 * sin(a), 0.094 + 0.006 * cos(a), 0.02 + 0.001 * sin(2.0 * a) };
    const double turn[3] = { 0.0, 0.0, 5.0 * sin(a) };
    return rill_solid_set_pose(world, rill_solid_find(world, "cushion"), place, turn);
}
