/* The liquid. Surfaces of all layers go into one buffer; peels bring them into order by themselves: each draws, of
 * all that is nearer than the scene so far, the farthest, and blends it over the scene. So liquid under a saucer
 * under liquid comes out right, whatever the layers are called. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_internal.h"
#include "shader.h"

static const float GLASS_THICKNESS = 0.25f; /* of a cell: how far glass shifts what is behind it */
enum { SMOOTHINGS = 2 };                    /* of normals */
static const float FILM = 0.03f;            /* of a cell: shores fade below this depth */

static bool has_glass(const rill_render *render) {
    for (size_t i = 0; i < render->solid_count; ++i)
        if (render->solids[i].drawn && render->solids[i].material.kind == RILL_MATERIAL_GLASS) return true;
    return false;
}

/* Where surfaces and sides are put together. */
typedef struct mixer {
    float *vertices, *vertex;
    uint32_t *indices, *index;
    uint32_t first;
} mixer;

static void put_surface(mixer *mixing, const rill_surface_mesh *mesh) {
    for (size_t v = 0; v < mesh->vertex_count; ++v, mixing->vertex += 8) {
        memcpy(mixing->vertex, &mesh->positions[3 * v], 3 * sizeof *mixing->vertex);
        memcpy(mixing->vertex + 3, &mesh->normals[3 * v], 3 * sizeof *mixing->vertex);
        mixing->vertex[6] = mesh->depths[v];
        mixing->vertex[7] = mesh->wetness[v];
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) *mixing->index++ = mixing->first + mesh->indices[i];
    mixing->first += (uint32_t)mesh->vertex_count;
}

/* Replaces normals by means over the triangles around them: how liquid bends at walls follows their stairs of cells, and light
 * shows every step. `sums`: three per vertex. */
static void smooth_normals(const mixer *mixing, const rill_surface_mesh *mesh, float *sums) {
    float *own = mixing->vertex - 8 * mesh->vertex_count;
    for (int pass = 0; pass < SMOOTHINGS; ++pass) {
        memset(sums, 0, 3 * mesh->vertex_count * sizeof *sums);
        for (size_t t = 0; t < mesh->triangle_count; ++t) {
            const uint32_t *corners = &mesh->indices[3 * t];
            float sum[3] = { 0 };
            for (int c = 0; c < 3; ++c)
                for (size_t k = 0; k < 3; ++k) sum[k] += own[8 * corners[c] + 3 + k];
            for (int c = 0; c < 3; ++c)
                for (size_t k = 0; k < 3; ++k) sums[3 * corners[c] + k] += sum[k];
        }
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            const float *n = &sums[3 * v], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            const bool shore = mesh->wetness[v] <= 0; /* where drops are steepest: they would flare */
            for (size_t k = 0; !shore && length > 0 && k < 3; ++k) own[8 * v + 3 + k] = n[k] / length;
        }
    }
}

static void put_sides(mixer *mixing, const rill_sides *sides) {
    static const uint32_t order[6] = { 0, 1, 2, 2, 1, 3 };
    if (sides->count) {
        memcpy(mixing->vertex, sides->corners, 4 * sides->count * RILL_SIDE_FLOATS * sizeof *mixing->vertex);
        mixing->vertex += 4 * sides->count * RILL_SIDE_FLOATS;
    }
    for (size_t i = 0; i < sides->count; ++i, mixing->first += 4)
        for (int k = 0; k < 6; ++k) *mixing->index++ = mixing->first + order[k];
}

static void measure(rill_render *render, const mixer *mixing) {
    for (int k = 0; k < 3; ++k) {
        float low = HUGE_VALF, high = -HUGE_VALF;
        for (const float *v = mixing->vertices; v < mixing->vertex; v += 8) {
            low = fminf(low, v[k]);
            high = fmaxf(high, v[k]);
        }
        render->liquid_low[k] = low;
        render->liquid_high[k] = high;
    }
}

bool rill_render_take_liquid(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t count,
                             rill_message *message) {
    static const int attributes[] = { 3, 3, 2, 0 };
    size_t vertex_count = 0, index_count = 0;
    rill_surface_mesh mesh;
    for (size_t s = 0; s < count; ++s) {
        if (rill_surface_get_mesh(surfaces[s], &mesh) != RILL_OK) {
            snprintf(message->text, sizeof message->text, "surface %zu was never built", s);
            return false;
        }
        vertex_count += mesh.vertex_count;
        index_count += 3 * mesh.triangle_count;
        if (rill_surface_get_falls(surfaces[s], &mesh) != RILL_OK) continue;
        vertex_count += mesh.vertex_count;
        index_count += 3 * mesh.triangle_count;
    }
    render->sides.count = 0;
    bool good = count == 0 || rill_sides_make(&render->sides, world, surfaces, count, has_glass(render));
    vertex_count += 4 * render->sides.count;
    index_count += 6 * render->sides.count;
    mixer mixing = { .vertices = malloc((8 * vertex_count + 1) * sizeof *mixing.vertices),
                     .indices = malloc((index_count + 1) * sizeof *mixing.indices) };
    mixing.vertex = mixing.vertices;
    mixing.index = mixing.indices;
    float *sums = malloc((3 * vertex_count + 1) * sizeof *sums);
    good = good && mixing.vertices && mixing.indices && sums;
    if (good) {
        for (size_t s = 0; s < count; ++s) {
            rill_surface_get_mesh(surfaces[s], &mesh);
            put_surface(&mixing, &mesh);
            smooth_normals(&mixing, &mesh, sums);
            if (rill_surface_get_falls(surfaces[s], &mesh) == RILL_OK) put_surface(&mixing, &mesh);
        }
        put_sides(&mixing, &render->sides);
        measure(render, &mixing);
        good = rill_batch_fill(&render->liquid, mixing.vertices, vertex_count, attributes, mixing.indices, index_count);
    }
    free(sums);
    free(mixing.vertices);
    free(mixing.indices);
    if (!good)
        snprintf(message->text, sizeof message->text, "out of memory for a surface of %zu vertices", vertex_count);
    return good;
}

void rill_render_draw_caustics(const rill_render *render, const rill_optics *optics) {
    GLuint program = render->programs[RILL_PROGRAM_CAUSTIC];
    glBindFramebuffer(GL_FRAMEBUFFER, render->targets.caustic.frame);
    glViewport(0, 0, RILL_CAUSTIC_SIZE, RILL_CAUSTIC_SIZE);
    glDisable(GL_DEPTH_TEST);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(program);
    rill_shader_set_matrix(program, "light_proj", render->light_proj[0]);
    rill_shader_set_floats(program, "index", &optics->index, 1);
    rill_batch_draw(&render->liquid, GL_TRIANGLES);
    glDisable(GL_BLEND);
}

void rill_render_draw_veil(const rill_render *render) {
    GLuint program = render->programs[RILL_PROGRAM_VEIL];
    glBindFramebuffer(GL_FRAMEBUFFER, render->targets.veil.frame);
    glViewport(0, 0, RILL_CAUSTIC_SIZE, RILL_CAUSTIC_SIZE);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    if (!(render->liquid.count > 0) && !has_glass(render)) return;
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBlendEquationSeparate(GL_FUNC_ADD, GL_MAX);
    glUseProgram(program);
    rill_shader_set_matrix(program, "light_proj", render->light_proj[0]);
    rill_shader_set_matrix(program, "model", rill_render_still);
    for (int part = 0; part < 2; ++part) {
        rill_shader_set_floats(program, "part", (const float[1]){ (float)part }, 1);
        rill_batch_draw(&render->liquid, GL_TRIANGLES);
    }
    rill_shader_set_floats(program, "part", (const float[1]){ 2 }, 1);
    rill_render_draw_solids(render, program, true);
    glBlendEquation(GL_FUNC_ADD);
    glDisable(GL_BLEND);
}

/* Depths of one peel, the farthest of all that is nearer than the scene so far, or the nearest; false when nothing was
 * left to peel. */
static bool peel(rill_render *render, const rill_target *below, bool nearest) {
    GLuint program = render->programs[RILL_PROGRAM_PEEL], drawn = 0;
    glBindFramebuffer(GL_FRAMEBUFFER, render->targets.peel.frame);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(nearest ? GL_LESS : GL_GREATER);
    glClearDepthf(nearest ? 1 : 0);
    glClear(GL_DEPTH_BUFFER_BIT);
    glClearDepthf(1);
    glUseProgram(program);
    rill_shader_set_texture(program, "below_map", 0, GL_TEXTURE_2D, below->depth);
    rill_shader_set_texture(program, "lid_map", 1, GL_TEXTURE_2D, render->targets.lid.depth);
    rill_shader_set_texture(program, "keel_map", 2, GL_TEXTURE_2D, render->targets.keel.depth);
    rill_shader_set_matrix(program, "hull_matrix", render->hull_matrix);
    rill_shader_set_floats(program, "hulls", (const float[1]){ render->hulls ? 1.0f : 0.0f }, 1);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, render->query);
    rill_shader_set_floats(program, "glass", (const float[1]){ 0 }, 1);
    rill_shader_set_matrix(program, "model", rill_render_still);
    rill_shader_set_floats(program, "lean", (const float[1]){ 0 }, 1);
    rill_batch_draw(&render->liquid, GL_TRIANGLES);
    rill_shader_set_floats(program, "glass", (const float[1]){ 1 }, 1);
    rill_render_draw_solids(render, program, true);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glGetQueryObjectuiv(render->query, GL_QUERY_RESULT, &drawn);
    return drawn != 0;
}

/* `to` becomes `from` with the peel's depths. */
static void merge(rill_render *render, const rill_target *from, const rill_target *to) {
    GLuint program = render->programs[RILL_PROGRAM_MERGE];
    glBindFramebuffer(GL_FRAMEBUFFER, to->frame);
    glDepthFunc(GL_ALWAYS);
    glUseProgram(program);
    rill_shader_set_texture(program, "below_map", 0, GL_TEXTURE_2D, from->depth);
    rill_shader_set_texture(program, "scene_map", 1, GL_TEXTURE_2D, from->colours[0]);
    rill_shader_set_texture(program, "peel_map", 2, GL_TEXTURE_2D, render->targets.peel.depth);
    rill_render_cover(render);
}

static void use(const rill_render *render, GLuint program, const rill_target *from, float film) {
    glUseProgram(program);
    rill_shader_set_texture(program, "below_map", 0, GL_TEXTURE_2D, from->depth);
    rill_shader_set_texture(program, "scene_map", 1, GL_TEXTURE_2D, from->colours[0]);
    rill_shader_set_texture(program, "peel_map", 4, GL_TEXTURE_2D, render->targets.peel.depth);
    rill_shader_set_texture(program, "sun_map", 2, GL_TEXTURE_2D, render->targets.sun.depth);
    rill_shader_set_texture(program, "sky_map", 3, GL_TEXTURE_2D, render->targets.sky.depth);
    rill_shader_set_floats(program, "film", (const float[1]){ film * render->cell_size }, 1);
}

/* Draws where the depths are the peel's, over the scene so far. The shader compares them itself: software GL skips
 * what is discarded at once, but shades what fails a test for equality. */
static void shade(const rill_render *render, const rill_target *from, const rill_optics *optics) {
    bool many = render->frame.sky[3] > 0;
    GLuint program = render->programs[many ? RILL_PROGRAM_LIQUID_SKY : RILL_PROGRAM_LIQUID];
    glDisable(GL_DEPTH_TEST);
    use(render, program, from, FILM);
    rill_shader_set_matrix(program, "model", rill_render_still);
    rill_shader_set_floats(program, "lean", (const float[1]){ 0 }, 1);
    rill_shader_set_floats(program, "extinction", optics->extinction, 3);
    rill_shader_set_floats(program, "body",
                           (const float[4]){ optics->body[0], optics->body[1], optics->body[2], optics->index }, 4);
    rill_batch_draw(&render->liquid, GL_TRIANGLES);
    program = render->programs[many ? RILL_PROGRAM_GLASS_SKY : RILL_PROGRAM_GLASS];
    use(render, program, from, GLASS_THICKNESS);
    rill_render_draw_solids(render, program, true);
    glEnable(GL_DEPTH_TEST);
}

/* Makes a rectangle of the screen (x0, y0, x1, y1, from -1 to 1) hold the picture of a box. */
static void widen(const rill_render *render, const float low[3], const float high[3], float rectangle[4]) {
    const float *m = render->frame.view_proj;
    for (int corner = 0; corner < 8; ++corner) {
        float p[3], q[4];
        for (int k = 0; k < 3; ++k) p[k] = corner >> k & 1 ? high[k] : low[k];
        for (int k = 0; k < 4; ++k) q[k] = m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k];
        for (int k = 0; k < 2; ++k) { /* behind the eye: everywhere */
            rectangle[k] = q[3] > 0 ? fminf(rectangle[k], q[k] / q[3]) : -1;
            rectangle[2 + k] = q[3] > 0 ? fmaxf(rectangle[2 + k], q[k] / q[3]) : 1;
        }
    }
}

/* Peels cost time only where there is something to peel. False: nowhere. */
static bool set_scissors(const rill_render *render) {
    float r[4] = { 1, 1, -1, -1 };
    if (render->liquid.count > 0) widen(render, render->liquid_low, render->liquid_high, r);
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        if (solid->drawn && solid->material.kind == RILL_MATERIAL_GLASS) widen(render, solid->low, solid->high, r);
    }
    int box[4];
    for (int k = 0; k < 4; ++k) {
        float size = (float)(k & 1 ? render->height : render->width);
        box[k] = (int)floorf((fminf(fmaxf(r[k], -1), 1) * 0.5f + 0.5f) * size) + (k < 2 ? -1 : 2);
    }
    if (box[2] <= box[0] + 3 || box[3] <= box[1] + 3) return false;
    glEnable(GL_SCISSOR_TEST);
    glScissor(box[0], box[1], box[2] - box[0], box[3] - box[1]);
    return true;
}

int rill_render_draw_liquid(rill_render *render, const rill_render_options *options) {
    const rill_target *scenes = render->targets.scene;
    int now = 0, width = render->width, height = render->height;
    render->peels = 0;
    if (!set_scissors(render)) return now;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, scenes[0].frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scenes[1].frame);
    glDisable(GL_SCISSOR_TEST);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    glEnable(GL_SCISSOR_TEST);
    while (render->peels < options->peels && peel(render, &scenes[now], render->peels + 1 == options->peels)) {
        const rill_target *from = &scenes[now];
        now = 1 - now;
        merge(render, from, &scenes[now]);
        shade(render, from, &options->optics);
        ++render->peels;
    }
    glDisable(GL_SCISSOR_TEST);
    return now;
}
