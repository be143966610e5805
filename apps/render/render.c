/* A picture, pass by pass. See the header for what it is made of. */
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_internal.h"
#include "shader.h"

#define SKY "#define SKY\n"
#define GLASS "#define GLASS\n"

static const struct {
    const char *name, *defines;
    bool screen;
} program_texts[RILL_PROGRAM_COUNT] = {
    [RILL_PROGRAM_SHADOW] = { "shadow", "", false },
    [RILL_PROGRAM_GROUND] = { "solid", "#define MATERIAL (-1)\n", false },
    [RILL_PROGRAM_OCCLUSION] = { "occlusion", "", true },
    [RILL_PROGRAM_LIGHT] = { "light", "", true },
    [RILL_PROGRAM_LIGHT_SKY] = { "light", SKY, true },
    [RILL_PROGRAM_CAUSTIC] = { "caustic", "#define CAUSTIC_SIZE 1024.0\n", false }, /* RILL_CAUSTIC_SIZE */
    [RILL_PROGRAM_VEIL] = { "veil", "", false },
    [RILL_PROGRAM_PEEL] = { "peel", "", false },
    [RILL_PROGRAM_MERGE] = { "merge", "", true },
    [RILL_PROGRAM_LIQUID] = { "liquid", "", false },
    [RILL_PROGRAM_LIQUID_SKY] = { "liquid", SKY, false },
    [RILL_PROGRAM_GLASS] = { "liquid", GLASS, false },
    [RILL_PROGRAM_GLASS_SKY] = { "liquid", GLASS SKY, false },
    [RILL_PROGRAM_TONE] = { "tone", "", true },
    [RILL_PROGRAM_GATHER] = { "gather", "", true },
    [RILL_PROGRAM_OVERLAY] = { "overlay", "", false },
};

rill_render_options rill_default_render_options(void) {
    rill_render_options options = { .samples = 1,
                                    .peels = 5,
                                    .sun = { -0.55f, -0.25f, 0.95f },
                                    .studio = { -0.6f, 0.8f },
                                    .backdrop = { 0.56f, 0.55f, 0.53f },
                                    .exposure = 1,
                                    .ground = true,
                                    .step = 1.0 / 60 };
    rill_optics_preset("water", &options.optics);
    return options;
}

/* --------------------------------------------------------------------------------------------------------- renderer */

rill_render *rill_render_create(int32_t width, int32_t height, rill_message *message) {
    rill_render *render = calloc(1, sizeof *render);
    if (!render) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return NULL;
    }
    render->width = width;
    render->height = height;
    bool good = rill_targets_create(&render->targets, width, height, message);
    for (int i = 0; good && i < RILL_PROGRAM_COUNT; ++i) {
        render->programs[i] =
            rill_shader_build(program_texts[i].name, program_texts[i].defines, program_texts[i].screen, message);
        good = render->programs[i] != 0;
    }
    glGenBuffers(1, &render->frame_buffer);
    glGenVertexArrays(1, &render->empty_array);
    glGenQueries(1, &render->query);
    if (!good) {
        rill_render_destroy(render);
        return NULL;
    }
    return render;
}

void rill_render_destroy(rill_render *render) {
    if (!render) return;
    rill_targets_destroy(&render->targets);
    for (int i = 0; i < RILL_PROGRAM_COUNT; ++i) glDeleteProgram(render->programs[i]);
    for (int i = 0; i < 2 * RILL_MATERIALS; ++i)
        glDeleteProgram(render->materials[i / RILL_MATERIALS][i % RILL_MATERIALS]);
    glDeleteBuffers(1, &render->frame_buffer);
    glDeleteVertexArrays(1, &render->empty_array);
    glDeleteQueries(1, &render->query);
    rill_render_free_solids(render);
    rill_batch *batches[] = { &render->ground, &render->liquid, &render->overlay };
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; ++i) rill_batch_free(batches[i]);
    rill_wet_free(&render->wet);
    rill_sides_free(&render->sides);
    free(render);
}

bool rill_render_resize(rill_render *render, int32_t width, int32_t height, rill_message *message) {
    rill_targets targets;
    if (width == render->width && height == render->height) return true;
    if (!rill_targets_create(&targets, width, height, message)) return false;
    rill_targets_destroy(&render->targets);
    render->targets = targets;
    render->shadow_key = 0;
    render->width = width;
    render->height = height;
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- passes */

static void set_target(const rill_render *render, const rill_target *target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    glViewport(0, 0, render->width, render->height);
}

static void draw_shadows(const rill_render *render, const rill_target *target, const float clip[16]) {
    GLuint program = render->programs[RILL_PROGRAM_SHADOW];
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    glViewport(0, 0, RILL_SHADOW_SIZE, RILL_SHADOW_SIZE);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(program);
    rill_shader_set_matrix(program, "light_proj", clip);
    rill_render_draw_solids(render, program, false);
}

static void draw_geometry(const rill_render *render) {
    set_target(render, &render->targets.geometry);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    rill_render_draw_materials(render);
    glUseProgram(render->programs[RILL_PROGRAM_GROUND]);
    rill_shader_set_matrix(render->programs[RILL_PROGRAM_GROUND], "model", rill_render_still);
    rill_batch_draw(&render->ground, GL_TRIANGLES);
}

static void draw_occlusion(const rill_render *render) {
    const rill_targets *targets = &render->targets;
    GLuint program = render->programs[RILL_PROGRAM_OCCLUSION];
    set_target(render, &targets->occlusion);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    rill_shader_set_texture(program, "depth_map", 0, GL_TEXTURE_2D, targets->geometry.depth);
    rill_shader_set_texture(program, "normal_map", 1, GL_TEXTURE_2D, targets->geometry.colours[1]);
    rill_render_cover(render);
}

static void copy_depth(const rill_render *render, const rill_target *from, const rill_target *to) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from->frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->frame);
    glBlitFramebuffer(0, 0, render->width, render->height, 0, 0, render->width, render->height, GL_DEPTH_BUFFER_BIT,
                      GL_NEAREST);
}

static void draw_light(const rill_render *render, const rill_optics *optics) {
    const rill_targets *targets = &render->targets;
    GLuint program = render->programs[render->frame.sky[3] > 0 ? RILL_PROGRAM_LIGHT_SKY : RILL_PROGRAM_LIGHT];
    copy_depth(render, &targets->geometry, &targets->scene[0]);
    set_target(render, &targets->scene[0]);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    rill_shader_set_texture(program, "colour_map", 0, GL_TEXTURE_2D, targets->geometry.colours[0]);
    rill_shader_set_texture(program, "normal_map", 1, GL_TEXTURE_2D, targets->geometry.colours[1]);
    rill_shader_set_texture(program, "depth_map", 2, GL_TEXTURE_2D, targets->geometry.depth);
    rill_shader_set_texture(program, "occlusion_map", 3, GL_TEXTURE_2D, targets->occlusion.colours[0]);
    rill_shader_set_texture(program, "sun_map", 4, GL_TEXTURE_2D, targets->sun.depth);
    rill_shader_set_texture(program, "sky_map", 5, GL_TEXTURE_2D, targets->sky.depth);
    rill_shader_set_texture(program, "caustic_map", 6, GL_TEXTURE_2D, targets->caustic.colours[0]);
    rill_shader_set_texture(program, "veil_map", 7, GL_TEXTURE_2D, targets->veil.colours[0]);
    rill_shader_set_floats(program, "extinction", optics->extinction, 3);
    rill_render_cover(render);
}

static void draw_tone(const rill_render *render, const rill_target *scene) {
    GLuint program = render->programs[RILL_PROGRAM_TONE];
    set_target(render, &render->targets.tone);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    rill_shader_set_texture(program, "scene_map", 0, GL_TEXTURE_2D, scene->colours[0]);
    rill_render_cover(render);
}

/* `share` 0: adds the present sample to the sum; otherwise writes the picture. Returns where the sum is now. */
static int gather(const rill_render *render, int now, bool first, float share) {
    const rill_targets *targets = &render->targets;
    GLuint program = render->programs[RILL_PROGRAM_GATHER];
    set_target(render, share > 0 ? &targets->picture : &targets->sum[1 - now]);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    rill_shader_set_texture(program, "sum_map", 0, GL_TEXTURE_2D, targets->sum[now].colours[0]);
    rill_shader_set_texture(program, "sample_map", 1, GL_TEXTURE_2D, targets->tone.colours[0]);
    rill_shader_set_floats(program, "step_of", (const float[2]){ first ? 0.0f : 1.0f, share }, 2);
    rill_render_cover(render);
    return 1 - now;
}

static void draw_sample(rill_render *render, const rill_render_options *options) {
    uint64_t key = rill_render_shadow_key(render, render->light_proj[0]);
    if (key != render->shadow_key) { /* with one sample the sun stands still, and mostly so do solids */
        draw_shadows(render, &render->targets.sun, render->light_proj[0]);
        render->shadow_key = key;
    }
    if (render->frame.sky[3] > 0) draw_shadows(render, &render->targets.sky, render->light_proj[1]);
    if (render->frame.look[2] > 0) rill_render_draw_caustics(render, &options->optics);
    rill_render_draw_veil(render);
    draw_geometry(render);
    if (!(render->frame.sky[3] > 0)) draw_occlusion(render);
    draw_light(render, &options->optics);
    int scene = rill_render_draw_liquid(render, options);
    draw_tone(render, &render->targets.scene[scene]);
    if (options->overlay != RILL_OVERLAY_NONE) {
        copy_depth(render, &render->targets.geometry, &render->targets.tone);
        set_target(render, &render->targets.tone);
        if (options->overlay == RILL_OVERLAY_FORCES) { /* they begin inside of bodies, and are seen all the same */
            glDepthMask(GL_TRUE);
            glClear(GL_DEPTH_BUFFER_BIT);
        }
        rill_render_draw_overlay(render, options->overlay);
    }
}

/* Two triangles far around the scene, just below it. */
static bool lay_ground(rill_render *render, bool wanted) {
    static const int attributes[] = { 3, 3, 0 };
    static const uint32_t indices[] = { 0, 1, 2, 0, 2, 3 };
    const float *b = render->frame.bounds, z = render->frame.backdrop[3] - 0.002f * b[3], r = 12 * b[3];
    const float vertices[] = {
        b[0] - r, b[1] - r, z, 0, 0, 1, b[0] + r, b[1] - r, z, 0, 0, 1,
        b[0] + r, b[1] + r, z, 0, 0, 1, b[0] - r, b[1] + r, z, 0, 0, 1,
    };
    return rill_batch_fill(&render->ground, vertices, 4, attributes, indices, wanted ? 6 : 0);
}

static bool take_overlay(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t count,
                         const rill_render_options *options, rill_message *message) {
    return options->overlay == RILL_OVERLAY_FORCES
               ? rill_render_take_forces(render, world, options->step, message)
               : rill_render_take_overlay(render, world, surfaces, count, options->overlay, message);
}

bool rill_render_take(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t surface_count,
                      const rill_render_options *options, rill_message *message) {
    if (!rill_render_take_solids(render, world, options, message) ||
        !rill_render_take_liquid(render, world, surfaces, surface_count, message) ||
        !take_overlay(render, world, surfaces, surface_count, options, message))
        return false;
    rill_wet_upload(&render->wet);
    rill_frame_begin(render, world, options);
    if (!lay_ground(render, options->ground)) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return false;
    }
    return true;
}

/* Waits for the sample, so that what is told is true. */
static bool tell_sample(const rill_render_options *options, int32_t count) {
    if (!options->sampled) return true;
    glFinish();
    return options->sampled(options->context, count) || count == options->samples;
}

bool rill_render_draw(rill_render *render, const rill_camera *camera, const rill_render_options *options,
                      rill_message *message) {
    GLint window = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glClearDepthf(1);
    rill_render_draw_hulls(render);
    int sum = 0;
    bool going = true;
    for (int32_t sample = 0; going && sample < options->samples; ++sample) {
        rill_frame_sample(render, camera, options, sample);
        draw_sample(render, options);
        sum = gather(render, sum, sample == 0, 0);
        going = tell_sample(options, sample + 1);
    }
    gather(render, sum, false, 1.0f / (float)options->samples);
    glBindVertexArray(0);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)window);
    GLenum error = glGetError();
    if (error != GL_NO_ERROR)
        snprintf(message->text, sizeof message->text, "the graphics system failed (error 0x%04x)", (unsigned)error);
    else if (!going)
        snprintf(message->text, sizeof message->text, "stopped");
    return error == GL_NO_ERROR && going;
}

bool rill_render_scene(rill_render *render, const rill_world *world, rill_surface *const *surfaces,
                       size_t surface_count, const rill_camera *camera, const rill_render_options *options,
                       rill_message *message) {
    return rill_render_take(render, world, surfaces, surface_count, options, message) &&
           rill_render_draw(render, camera, options, message);
}

/* ---------------------------------------------------------------------------------------------------------- results */

void rill_render_read(rill_render *render, uint8_t *pixels) {
    size_t row = 4 * (size_t)render->width;
    GLint window = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &window);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, render->targets.picture.frame);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (int32_t y = 0; y < render->height; ++y) { /* GL counts rows from below */
        glReadPixels(0, render->height - 1 - y, render->width, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels + row * (size_t)y);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)window);
}

void rill_render_show(rill_render *render, int32_t width, int32_t height) {
    GLint window = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &window);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, render->targets.picture.frame);
    bool same = width == render->width && height == render->height;
    glBlitFramebuffer(0, 0, render->width, render->height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                      same ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)window);
}

int32_t rill_render_peels(const rill_render *render) {
    return render->peels;
}
