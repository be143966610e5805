/* Bodies as buffers and poses. A body keeps its shape: its triangles go to the graphics card once, in its own frame
 * about the centre of mass, and from then on only two matrices change.
 *
 *     model   own space to world: x_world = R x + p,     R of the unit quaternion, p the centre of mass
 *     object  world to own space: x = R^T (x_world - p), in which materials have their patterns
 *
 * Both are stored column by column, as GL wants them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crease.h"
#include "render_internal.h"
#include "shader.h"

/* The matrix of a unit quaternion x, y, z, w. */
static void turn_of(const double q[4], double r[3][3]) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(r, m, sizeof m);
}

static void set_pose(rill_render_solid *out, const rill_body_state *state) {
    double r[3][3];
    turn_of(state->orientation, r);
    memcpy(out->model, rill_render_still, sizeof out->model);
    memcpy(out->object, rill_render_still, sizeof out->object);
    for (int row = 0; row < 3; ++row) {
        double back = 0, middle = state->position[row], reach = 0;
        for (int k = 0; k < 3; ++k) {
            out->model[4 * k + row] = (float)r[row][k];
            out->object[4 * k + row] = (float)r[k][row];
            back -= r[k][row] * state->position[k];
            middle += r[row][k] * 0.5 * ((double)out->own_low[k] + (double)out->own_high[k]);
            reach += fabs(r[row][k]) * 0.5 * ((double)out->own_high[k] - (double)out->own_low[k]);
        }
        out->model[12 + row] = (float)state->position[row];
        out->object[12 + row] = (float)back;
        out->low[row] = (float)(middle - reach);
        out->high[row] = (float)(middle + reach);
    }
}

static void measure(rill_render_solid *out, const rill_body_info *info) {
    for (size_t k = 0; k < 3; ++k) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t v = 0; v < info->vertex_count; ++v) {
            low = fmin(low, info->vertices[3 * v + k]);
            high = fmax(high, info->vertices[3 * v + k]);
        }
        out->own_low[k] = (float)low;
        out->own_high[k] = (float)high;
    }
}

/* False: no memory. */
static bool make_shape(rill_render_solid *out, const rill_body_info *info) {
    static const int attributes[] = { 3, 3, 0 };
    const rill_solid_mesh mesh = { info->vertices, info->vertex_count, info->indices, info->triangle_count };
    rill_draw_mesh smooth;
    bool good = rill_crease_mesh(&mesh, rill_render_crease, &smooth) &&
                rill_batch_fill(&out->batch, smooth.vertices, smooth.vertex_count, attributes, smooth.indices,
                                smooth.index_count);
    rill_draw_mesh_free(&smooth);
    measure(out, info);
    return good;
}

bool rill_render_take_body(rill_render_solid *out, const rill_world *world, rill_body_id id, rill_message *message) {
    rill_body_info info;
    rill_body_state state;
    rill_body_forces forces;
    if (rill_body_get_info(world, id, &info) != RILL_OK || rill_body_get_state(world, id, &state) != RILL_OK ||
        rill_body_get_forces(world, id, &forces) != RILL_OK)
        return true; /* gone: not drawn */
    /* Another world may have another body with the same number. */
    uint64_t shape = rill_render_hash(info.vertices, 3 * info.vertex_count);
    if (out->id != id.value || out->shape != shape) {
        out->id = 0; /* until there is a buffer for it */
        if (!make_shape(out, &info)) {
            snprintf(message->text, sizeof message->text, "out of memory for the %zu triangles of the body '%s'",
                     info.triangle_count, rill_body_name(world, id));
            return false;
        }
        out->id = id.value;
        out->shape = shape;
    }
    out->drawn = info.triangle_count > 0;
    out->hollow = info.shape == RILL_SHAPE_MESH && forces.deck_volume < 0.01 * info.volume;
    out->hash = shape ^ rill_render_hash(state.position, 3) ^ (rill_render_hash(state.orientation, 4) << 1);
    set_pose(out, &state);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ hulls */

static bool is_hull(const rill_render_solid *solid) {
    return solid->drawn && solid->body;
}

/* A box around them, onto the cube from -1 to 1; up is away from the eye. False: there are none. */
static bool aim_hulls(rill_render *render) {
    float low[3] = { HUGE_VALF, HUGE_VALF, HUGE_VALF }, high[3] = { -HUGE_VALF, -HUGE_VALF, -HUGE_VALF };
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        for (int k = 0; is_hull(solid) && k < 3; ++k) {
            low[k] = fminf(low[k], solid->low[k]);
            high[k] = fmaxf(high[k], solid->high[k]);
        }
    }
    memset(render->hull_matrix, 0, sizeof render->hull_matrix);
    render->hull_matrix[15] = 1;
    for (int k = 0; k < 3; ++k) {
        float half = fmaxf(0.51f * (high[k] - low[k]), 1e-9f);
        render->hull_matrix[5 * k] = 1 / half;
        render->hull_matrix[12 + k] = -0.5f * (low[k] + high[k]) / half;
    }
    return high[0] > low[0];
}

/* From below, or from above; then things that are open above, and dry inside, are closed by a lid over all of their
 * outline, as high as they are: it is not right to show liquid there. */
static void draw_hulls(const rill_render *render, const rill_target *target, bool from_above) {
    GLuint program = render->programs[RILL_PROGRAM_SHADOW];
    float clip[16];
    memcpy(clip, render->hull_matrix, sizeof clip);
    clip[10] *= from_above ? -1.0f : 1.0f;
    clip[14] *= from_above ? -1.0f : 1.0f;
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    glViewport(0, 0, RILL_HULL_SIZE, RILL_HULL_SIZE);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(program);
    rill_shader_set_matrix(program, "light_proj", clip);
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        float model[16];
        if (!is_hull(solid)) continue;
        memcpy(model, solid->model, sizeof model);
        if (solid->hollow && from_above) {
            model[2] = model[6] = model[10] = 0;
            model[14] = solid->high[2];
        }
        rill_shader_set_matrix(program, "model", model);
        rill_batch_draw(&solid->batch, GL_TRIANGLES);
    }
}

void rill_render_draw_hulls(rill_render *render) {
    render->hulls = aim_hulls(render);
    if (render->hulls) {
        glEnable(GL_DEPTH_TEST);
        glDepthMask(GL_TRUE);
        glDepthFunc(GL_LESS);
        draw_hulls(render, &render->targets.lid, true);
        draw_hulls(render, &render->targets.keel, false);
    }
}
