/* Shells alone: water on a ball of 163,842 columns, all of it wet, or a tenth in one patch on top. Half a millimetre apart, as on a
 * figure of twelve centimetres. */
#include "bench_internal.h"
#include "scene/ball_mesh.h"

#include <math.h>
#include <stdlib.h>

#define RADIUS 0.06 /* m */
#define CUTS 7

static rill_result add_ball(rill_world *world, rill_shell_id *id) {
    rill_ball_mesh ball;
    if (!rill_ball_mesh_make(RADIUS, CUTS, &ball)) return RILL_OUT_OF_MEMORY;
    rill_shell_def def = rill_default_shell_def();
    def.vertices = ball.vertices, def.vertex_count = 3 * ball.triangle_count;
    def.indices = ball.indices, def.triangle_count = ball.triangle_count;
    const rill_result result = rill_shell_create(world, &def, id);
    rill_ball_mesh_free(&ball);
    return result;
}

/* Wets what is higher than so much of the radius, unevenly. */
static rill_result wet(rill_world *world, double above) {
    rill_shell_id id;
    rill_shell_mesh mesh = { 0 };
    rill_result result = add_ball(world, &id);
    if (result == RILL_OK) result = rill_shell_get_mesh(world, id, &mesh);
    double *depths = calloc((size_t)mesh.column_count + 1, sizeof *depths);
    if (depths == NULL) return RILL_OUT_OF_MEMORY;
    for (int32_t i = 0; i < mesh.column_count; ++i) {
        const double *x = mesh.positions + 3 * (size_t)i;
        depths[i] = x[2] > above * RADIUS ? 2e-4 * (1.5 + sin(300.0 * x[0])) : 0.0;
    }
    if (result == RILL_OK) result = rill_shell_fill_depths(world, id, depths, (size_t)mesh.column_count, NULL);
    free(depths);
    return result;
}

rill_result rill_bench_build_ball(rill_world *world) {
    return wet(world, -2.0);
}

rill_result rill_bench_build_cap(rill_world *world) {
    return wet(world, 0.8);
}
