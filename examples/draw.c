/* Draws the liquid's mesh with a renderer of one's own: here canvas.h, into a picture file (PPM).
 *
 * Shows: a surface that is built after a step, its arrays in the hands of a renderer, solids as triangles, and how to
 * make liquid transparent by the depth below each vertex (Beer-Lambert). */
#include <rill/rill.h>

#include <stdlib.h>

#include "canvas.h"

/* Seen from the south, 40 degrees above the ground, 3 pixels per millimetre. Parallel rays will do. */
static corner project(const double p[3]) {
    const double sine = sin(40 * 0.017453), cosine = cos(40 * 0.017453), y = p[1] - 0.03;
    return (corner){ .x = WIDTH / 2.0 + 3000 * (p[0] - 0.05),
                     .y = HEIGHT / 2.0 - 3000 * (y * sine + p[2] * cosine),
                     .away = y * cosine - p[2] * sine };
}

/* How bright a surface is under a lamp in the south-west, above. */
static double lit(const double n[3]) {
    return 0.3 + 0.7 * fmax(-0.4 * n[0] - 0.3 * n[1] + 0.87 * n[2], 0) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void draw_solid(picture *out, const rill_solid_mesh *mesh) {
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const double *p[3];
        double n[3];
        corner c[3];
        for (int k = 0; k < 3; ++k) p[k] = mesh->vertices + 3 * (size_t)mesh->indices[3 * t + (size_t)k];
        for (int k = 0; k < 3; ++k) { /* flat: the triangle's own normal */
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            n[k] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
        }
        for (int k = 0; k < 3; ++k) {
            c[k] = project(p[k]);
            for (int i = 0; i < 3; ++i) c[k].light[i] = 0.7 * lit(n);
        }
        put(out, c);
    }
}

static void draw_liquid(picture *out, const rill_surface_mesh *mesh) {
    static const double absorbed[3] = { 300, 2500, 2500 }, body[3] = { 0.25, 0.01, 0.01 }; /* 1/m; of a deep pool */
    corner *all = malloc((mesh->vertex_count + 1) * sizeof *all);
    for (size_t v = 0; all && v < mesh->vertex_count; ++v) {
        const float *p = mesh->positions + 3 * v, *m = mesh->normals + 3 * v;
        const double n[3] = { (double)m[0], (double)m[1], (double)m[2] }; /* these bend at walls: the meniscus */
        all[v] = project((double[]){ (double)p[0], (double)p[1], (double)p[2] });
        const double shine = 0.6 * pow(fmax(0.2 * n[1] - 0.2 * n[0] + 0.96 * n[2], 0), 200);
        for (int i = 0; i < 3; ++i) {
            all[v].clear[i] = exp(-absorbed[i] * 2 * (double)mesh->depths[v]); /* down to the floor and up again */
            all[v].light[i] = (1 - all[v].clear[i]) * body[i] * lit(n) + shine * 0.1;
        }
    }
    for (size_t t = 0; all && t < mesh->triangle_count; ++t) {
        const uint32_t *i = mesh->indices + 3 * t; /* counter-clockwise, seen from above */
        put(out, (corner[]){ all[i[0]], all[i[1]], all[i[2]] });
    }
    free(all);
}

/* A tray with a low wall in its middle, a ball, and blood that wells up west of the wall for half a second. */
static rill_world *make_world(void) {
    rill_world_def def = rill_default_world_def();
    rill_solid_def solids[3] = { rill_default_solid_def(), rill_default_solid_def(), rill_default_solid_def() };
    rill_source_def wound = rill_default_source_def();
    rill_world *world;
    rill_solid_id id;
    rill_source_id source;
    def.grid = (rill_grid){ .cells = { 100, 60 }, .cell_size = 0.001 };
    rill_liquid_preset("blood", &def.liquid);
    solids[0].shape.max[0] = 0.1, solids[0].shape.max[1] = 0.06,
    solids[0].shape.min[2] = -0.005; /* x and y from 0, z up to 0 */
    solids[1].shape.min[0] = 0.058, solids[1].shape.max[0] = 0.062, solids[1].shape.max[1] = 0.06,
    solids[1].shape.max[2] = 0.006;
    solids[2].shape.type = RILL_SHAPE_SPHERE, solids[2].shape.radius = 0.008;
    solids[2].shape.centre[0] = 0.02, solids[2].shape.centre[1] = 0.03;
    wound.at[0] = 0.04, wound.at[1] = 0.03, wound.rate = 16e-6, wound.until = 0.5;
    if (rill_world_create(&def, &world, NULL) != RILL_OK) return NULL;
    for (int i = 0; i < 3; ++i)
        if (rill_solid_create(world, &solids[i], &id) != RILL_OK) return NULL;
    return rill_bed_build(world) == RILL_OK && rill_source_create(world, &wound, &source) == RILL_OK ? world : NULL;
}

int main(int argc, char **argv) {
    static picture out;
    rill_world *world = make_world();
    rill_surface *surface;
    rill_surface_mesh liquid;
    rill_solid_mesh solid;
    const rill_surface_def look = rill_default_surface_def();
    if (!world || rill_surface_create(world, &look, &surface) != RILL_OK) return 1;
    for (int frame = 0; frame < 45; ++frame) rill_world_step(world, 1.0 / 60);

    for (int i = 0; i < WIDTH * HEIGHT; ++i) out.away[i] = INFINITY;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i) out.colour[i] = 0.1f; /* behind everything */
    for (int32_t i = 0; i < rill_world_solid_count(world); ++i)
        if (rill_solid_get_mesh(world, rill_world_solid_at(world, i), &solid) == RILL_OK) draw_solid(&out, &solid);
    if (rill_surface_build(surface) != RILL_OK || rill_surface_get_mesh(surface, &liquid) != RILL_OK) return 1;
    draw_liquid(&out, &liquid); /* after the solids, as it lets them through */

    const char *path = argc > 1 ? argv[1] : "liquid.ppm";
    printf("%s: %zu triangles of liquid after %g s\n", path, liquid.triangle_count, rill_world_time(world));
    rill_surface_destroy(surface);
    rill_world_destroy(world);
    return save(&out, path) ? 0 : 1;
}
