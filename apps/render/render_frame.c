/* Cameras, lamps and their matrices. Each sample looks through another part of the pixel, at another point of the
 * sun's disc and at another piece of the sky: points of the R2 sequence (Roberts 2018), which cover their square
 * evenly for any number of samples. */
#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#include "render_internal.h"

static const float CLEAR = 100;         /* 1/m: only liquids clearer than this throw caustics that one could see */
static const double SUN_RADIUS = 0.035; /* of its disc, radians: a large soft lamp rather than the real sun */

static void r2_point(int32_t i, int dimension, double out[2]) {
    static const double steps[3][2] = {
        { 0.7548776662466927, 0.5698402909980532 },
        { 0.8191725133961645, 0.6710436067037893 },
        { 0.8566748838545029, 0.7338918566271260 },
    };
    for (int k = 0; k < 2; ++k) {
        double x = 0.5 + steps[dimension][k] * (i + 1);
        out[k] = x - floor(x);
    }
}

/* Two directions that stand on a third one. */
static void frame_around(const vec3 d, vec3 u, vec3 v) {
    vec3 up = { 0, 0, 1 }, east = { 1, 0, 0 };
    vec3 axis;
    glm_vec3_copy((float *)d, axis);
    glm_vec3_cross(fabsf(axis[2]) < 0.95f ? up : east, axis, u);
    glm_vec3_normalize(u);
    glm_vec3_cross(axis, u, v);
}

/* Everything that is drawn, and the grid: a sphere around it. */
static void measure_scene(rill_render *render, const rill_world *world) {
    rill_grid grid;
    rill_world_get_grid(world, &grid);
    double low[3], high[3];
    for (int k = 0; k < 2; ++k) {
        low[k] = grid.origin[k];
        high[k] = grid.origin[k] + grid.cell_size * grid.cells[k];
    }
    rill_bed_info info;
    bool built = rill_bed_get_info(world, &info) == RILL_OK && isfinite(info.lowest) && info.columns > 0;
    low[2] = high[2] = built ? info.lowest : grid.origin[2];
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        if (solid->drawn && !solid->body) { /* bodies may fall from anywhere, to anywhere */
            low[2] = fmin(low[2], (double)solid->low[2]);
            high[2] = fmax(high[2], (double)solid->high[2]);
        }
    }
    double radius = 0;
    for (int k = 0; k < 3; ++k) {
        render->frame.bounds[k] = (float)(0.5 * (low[k] + high[k]));
        radius += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
    }
    render->frame.bounds[3] = (float)sqrt(radius);
    render->frame.backdrop[3] = (float)low[2];
    render->frame.grid[0] = (float)grid.origin[0];
    render->frame.grid[1] = (float)grid.origin[1];
    render->frame.grid[2] = (float)grid.cell_size;
    render->cell_size = (float)grid.cell_size;
}

void rill_frame_begin(rill_render *render, const rill_world *world, const rill_render_options *options) {
    rill_frame *frame = &render->frame;
    measure_scene(render, world);
    frame->grid[3] = render->wet.columns ? (float)render->wet.layers : 0;
    memcpy(frame->sun_colour, (const float[4]){ 1.40f, 1.30f, 1.16f, 0.45f }, sizeof frame->sun_colour);
    memcpy(frame->backdrop, options->backdrop, sizeof options->backdrop);
    memcpy(frame->studio, options->studio, sizeof options->studio);
    memcpy(frame->size,
           (const float[4]){ (float)render->width, (float)render->height, 1.0f / (float)render->width,
                             1.0f / (float)render->height },
           sizeof frame->size);
    frame->look[0] = options->exposure;
    frame->look[1] = 2 * frame->bounds[3] / RILL_SHADOW_SIZE;
    const float *e = options->optics.extinction;
    frame->look[2] = render->liquid.count > 0 && fminf(e[0], fminf(e[1], e[2])) < CLEAR ? 1 : 0;
    frame->look[3] = RILL_SHADOW_SIZE;
}

/* Orthographic, around the scene's sphere. */
static void aim_light(const rill_frame *frame, const vec3 direction, float clip[16], float map[16]) {
    mat4 view, proj, both, scale = GLM_MAT4_IDENTITY_INIT;
    vec3 centre = { frame->bounds[0], frame->bounds[1], frame->bounds[2] }, from, u, v;
    float r = frame->bounds[3];
    glm_vec3_copy(centre, from);
    glm_vec3_muladds((float *)direction, 2 * r, from);
    frame_around(direction, u, v);
    glm_lookat(from, centre, v, view);
    glm_ortho(-r, r, -r, r, 0.5f * r, 3.5f * r, proj);
    glm_mat4_mul(proj, view, both);
    memcpy(clip, both, sizeof both);
    for (int k = 0; k < 3; ++k) {
        scale[k][k] = 0.5f;
        scale[3][k] = 0.5f;
    }
    glm_mat4_mul(scale, both, both);
    memcpy(map, both, sizeof both);
}

static void aim_camera(rill_render *render, const rill_camera *camera, const double shift[2]) {
    rill_frame *frame = &render->frame;
    vec3 from, to, up = { 0, 0, 1 }, away;
    for (int k = 0; k < 3; ++k) {
        from[k] = (float)camera->from[k];
        to[k] = (float)camera->to[k];
    }
    glm_vec3_sub(to, from, away);
    glm_vec3_normalize(away);
    if (fabsf(away[2]) > 0.999f) { /* straight down: north is up */
        up[1] = 1;
        up[2] = 0;
    }
    mat4 view, proj, both, inverse;
    glm_lookat(from, to, up, view);
    float aspect = (float)render->width / (float)render->height;
    float half_width = (float)(18 / camera->lens), far, near;
    float distance = glm_vec3_distance(from, frame->bounds), r = frame->bounds[3];
    near = fmaxf(0.02f * distance, 0.6f * (distance - 1.6f * r));
    near = fmaxf(near, 0.01f * r);
    far = distance + 14 * r;
    glm_frustum(-half_width * near, half_width * near, -half_width / aspect * near, half_width / aspect * near, near,
                far, proj);
    proj[2][0] += (float)(2 * shift[0] - 1) / (float)render->width;
    proj[2][1] += (float)(2 * shift[1] - 1) / (float)render->height;
    glm_mat4_mul(proj, view, both);
    glm_mat4_inv(both, inverse);
    memcpy(frame->view_proj, both, sizeof both);
    memcpy(frame->inv_view_proj, inverse, sizeof inverse);
    memcpy(frame->eye, from, sizeof from);
}

void rill_frame_sample(rill_render *render, const rill_camera *camera, const rill_render_options *options,
                       int32_t sample) {
    rill_frame *frame = &render->frame;
    bool many = options->samples >= RILL_SKY_SAMPLES;
    double pixel[2], disc[2], dome[2];
    r2_point(sample, 0, pixel);
    r2_point(sample, 1, disc);
    r2_point(sample, 2, dome);
    if (options->samples <= 1) pixel[0] = pixel[1] = 0.5;
    aim_camera(render, camera, pixel);
    frame->eye[3] = (float)sample;

    vec3 sun = { options->sun[0], options->sun[1], options->sun[2] }, u, v, sky;
    glm_vec3_normalize(sun);
    if (options->samples > 1) {
        double a = 6.283185307179586 * disc[0], r = SUN_RADIUS * sqrt(disc[1]);
        frame_around(sun, u, v);
        glm_vec3_muladds(u, (float)(r * cos(a)), sun);
        glm_vec3_muladds(v, (float)(r * sin(a)), sun);
        glm_vec3_normalize(sun);
    }
    memcpy(frame->sun, sun, sizeof sun);
    frame->sun[3] = options->samples > 1 ? 0.0f : 1.0f;
    aim_light(frame, sun, render->light_proj[0], frame->sun_matrix);

    /* Even over the upper hemisphere. */
    double z = dome[0], across = sqrt(1 - z * z), turn = 6.283185307179586 * dome[1];
    sky[0] = (float)(across * cos(turn));
    sky[1] = (float)(across * sin(turn));
    sky[2] = (float)z;
    memcpy(frame->sky, sky, sizeof sky);
    frame->sky[3] = many ? 1 : 0;
    if (many) aim_light(frame, sky, render->light_proj[1], frame->sky_matrix);
    glBindBuffer(GL_UNIFORM_BUFFER, render->frame_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *frame, frame, GL_DYNAMIC_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, render->frame_buffer);
}

void rill_studio_for(const rill_camera *camera, rill_render_options *options) {
    const double x = camera->to[0] - camera->from[0], y = camera->to[1] - camera->from[1], length = hypot(x, y);
    const double steep = fabs(camera->to[2] - camera->from[2]);
    if (length < 1e-3 * steep) return; /* straight down there is no far side */
    options->studio[0] = (float)(x / length);
    options->studio[1] = (float)(y / length);
}

rill_camera rill_camera_for(const rill_scene *scene, const rill_world *world) {
    rill_camera camera = { .lens = 35 };
    if (scene && scene->camera.given) {
        memcpy(camera.from, scene->camera.from, sizeof camera.from);
        memcpy(camera.to, scene->camera.to, sizeof camera.to);
        camera.lens = scene->camera.lens;
        return camera;
    }
    rill_grid grid;
    rill_world_get_grid(world, &grid);
    rill_bed_info info = { 0 };
    rill_bed_get_info(world, &info);
    double wide = grid.cell_size * (grid.cells[0] > grid.cells[1] ? grid.cells[0] : grid.cells[1]);
    for (int k = 0; k < 2; ++k) camera.to[k] = grid.origin[k] + 0.5 * grid.cell_size * grid.cells[k];
    camera.to[2] = info.lowest;
    camera.from[0] = camera.to[0] + 0.9 * wide;
    camera.from[1] = camera.to[1] - 1.2 * wide;
    camera.from[2] = camera.to[2] + 1.05 * wide;
    return camera;
}
