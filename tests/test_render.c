/* Pictures, judged by what they show: liquid where it should be, colours that follow from thickness, shadows on the
 * right side. Small and with few samples, on whatever GL there is (software on a server). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plain_world.h"
#include "render/gl.h"
#include "render/headless.h"
#include "render/render.h"

enum { WIDTH = 320, HEIGHT = 180 };

typedef struct stage {
    rill_headless *headless;
    rill_render *render;
    uint8_t pixels[4 * WIDTH * HEIGHT];
} stage;

typedef struct colour {
    double r, g, b;
} colour;

static rill_message message;

static int open_stage(void **state) {
    stage *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->headless = rill_headless_create(false, &message);
    if (!s->headless) {
        print_message("skipped: %s\n", message.text);
        exit(77);
    }
    s->render = rill_render_create(WIDTH, HEIGHT, &message);
    if (!s->render) fail_msg("%s", message.text);
    *state = s;
    return 0;
}

static int close_stage(void **state) {
    stage *s = *state;
    rill_render_destroy(s->render);
    rill_headless_destroy(s->headless);
    free(s);
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------- worlds */

static void put_box(rill_world *world, const char *name, double x0, double y0, double z0, double x1, double y1,
                    double z1) {
    rill_solid_def def = rill_default_solid_def();
    rill_solid_id id;
    def.name = name;
    def.shape.type = RILL_SHAPE_BOX;
    memcpy(def.shape.min, (const double[3]){ x0, y0, z0 }, sizeof def.shape.min);
    memcpy(def.shape.max, (const double[3]){ x1, y1, z1 }, sizeof def.shape.max);
    assert_int_equal(rill_solid_create(world, &def, &id), RILL_OK);
}

/* A grid of 80 x 80 mm with a chalk floor at z = 0. */
static rill_world *make_tray(void) {
    rill_world_def def = plain_world_def();
    rill_world *world;
    def.grid = (rill_grid){ .cells = { 80, 80 }, .cell_size = 0.001 };
    def.headroom = 0.04;
    assert_int_equal(rill_world_create(&def, &world, &message), RILL_OK);
    put_box(world, "chalk", -0.02, -0.02, -0.02, 0.1, 0.1, 0);
    return world;
}

static void fill(rill_world *world, double x, double y, double z, double level) {
    assert_int_equal(rill_world_fill_level(world, (const double[3]){ x, y, z }, level, NULL), RILL_OK);
}

/* Straight down, or from the south at an angle. */
static const rill_camera above = { { 0.04, 0.0399, 0.25 }, { 0.04, 0.04, 0 }, 60 };
static const rill_camera aslant = { { 0.04, -0.14, 0.12 }, { 0.04, 0.04, 0 }, 60 };

/* Without the large lamp, whose image would lie over what is seen through the liquid. */
static rill_render_options plain_options(const char *liquid) {
    rill_render_options options = rill_default_render_options();
    memset(options.studio, 0, sizeof options.studio);
    assert_true(rill_optics_preset(liquid, &options.optics));
    return options;
}

static void draw(stage *s, rill_world *world, const rill_camera *camera, const rill_render_options *options) {
    rill_surface_def def = rill_default_surface_def();
    rill_surface *surface;
    def.distances = true;
    assert_int_equal(rill_surface_create(world, &def, &surface), RILL_OK);
    assert_int_equal(rill_surface_build(surface), RILL_OK);
    if (!rill_render_scene(s->render, world, &surface, 1, camera, options, &message)) fail_msg("%s", message.text);
    rill_render_read(s->render, s->pixels);
    rill_surface_destroy(surface);
}

/* ---------------------------------------------------------------------------------------------------------- looking */

/* Where a point is on the picture: written anew, not with the renderer's matrices. */
static void find_pixel(const rill_camera *c, double x, double y, double z, double out[2]) {
    double d[3], right[3], up[3], p[3] = { x - c->from[0], y - c->from[1], z - c->from[2] }, length = 0, flat;
    for (int k = 0; k < 3; ++k) {
        d[k] = c->to[k] - c->from[k];
        length += d[k] * d[k];
    }
    for (int k = 0; k < 3; ++k) d[k] /= sqrt(length);
    flat = sqrt(d[0] * d[0] + d[1] * d[1]);
    right[0] = d[1] / flat, right[1] = -d[0] / flat, right[2] = 0;
    up[0] = right[1] * d[2] - right[2] * d[1];
    up[1] = right[2] * d[0] - right[0] * d[2];
    up[2] = right[0] * d[1] - right[1] * d[0];
    double depth = 0, across = 0, high = 0, scale = c->lens / 36 * WIDTH;
    for (int k = 0; k < 3; ++k) {
        depth += d[k] * p[k];
        across += right[k] * p[k];
        high += up[k] * p[k];
    }
    out[0] = WIDTH / 2.0 + scale * across / depth;
    out[1] = HEIGHT / 2.0 - scale * high / depth;
}

/* The mean around a point of the scene, 0 to 1 as displayed. */
static colour look_at(const stage *s, const rill_camera *camera, double x, double y, double z) {
    double at[2];
    colour sum = { 0, 0, 0 };
    find_pixel(camera, x, y, z, at);
    int cx = (int)at[0], cy = (int)at[1];
    assert_in_range(cx, 2, WIDTH - 3);
    assert_in_range(cy, 2, HEIGHT - 3);
    for (int py = cy - 1; py <= cy + 1; ++py) {
        for (int px = cx - 1; px <= cx + 1; ++px) {
            const uint8_t *p = &s->pixels[4 * (py * WIDTH + px)];
            sum.r += p[0] / (9 * 255.0);
            sum.g += p[1] / (9 * 255.0);
            sum.b += p[2] / (9 * 255.0);
        }
    }
    return sum;
}

static double luminance(colour c) {
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static bool is_near(colour c, double r, double g, double b) {
    return fabs(c.r - r) < 0.06 && fabs(c.g - g) < 0.06 && fabs(c.b - b) < 0.06;
}

static double encode(double linear) {
    return 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* Nothing is black (what a NaN becomes) or magenta (what an error becomes), and the whole is neither dark nor
 * glaring. */
static void check_sound(const stage *s) {
    double sum = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; ++i) {
        const uint8_t *p = &s->pixels[4 * i];
        assert_true(p[0] || p[1] || p[2]);
        assert_false(p[0] > 200 && p[2] > 200 && p[1] < 60);
        sum += (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255;
    }
    sum /= WIDTH * HEIGHT;
    if (sum < 0.2 || sum > 0.8) fail_msg("the mean luminance is %.3f", sum);
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static void liquid_is_where_it_stands(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    put_box(world, "wall", 0.039, -0.01, -0.001, 0.041, 0.09, 0.01);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.01, 0.04, 0.001, 0.004);
    rill_render_options options = plain_options("blood");
    draw(s, world, &above, &options);
    for (double y = 0.015; y < 0.07; y += 0.01) {
        colour wet = look_at(s, &above, 0.02, y, 0.004), dry = look_at(s, &above, 0.06, y, 0);
        assert_true(wet.r > 3 * wet.g && wet.r > 3 * wet.b && wet.r > 0.15);
        assert_true(fabs(dry.r - dry.g) < 0.08 && luminance(dry) > 0.5);
    }
    check_sound(s);
    rill_world_destroy(world);
}

/* Coffee 0.5, 2 and 8 mm deep on chalk. By Beer-Lambert, light from the floor goes down with exp(-k d), so that the
 * logarithm of what is seen falls by more from 2 to 8 mm than from 0.5 to 2, until only the body's own colour is
 * left. */
static void absorption_grows_with_thickness(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    put_box(world, "chalk high", 0, -0.01, -0.001, 0.026, 0.09, 0.0175);
    put_box(world, "chalk middle", 0.026, -0.01, -0.001, 0.053, 0.09, 0.016);
    put_box(world, "chalk low", 0.053, -0.01, -0.001, 0.09, 0.09, 0.010);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.07, 0.04, 0.011, 0.018);
    rill_render_options options = plain_options("coffee");
    draw(s, world, &above, &options);
    colour thin = look_at(s, &above, 0.013, 0.04, 0.018), middle = look_at(s, &above, 0.04, 0.04, 0.018);
    colour deep = look_at(s, &above, 0.067, 0.04, 0.018);
    assert_true(luminance(thin) > 1.3 * luminance(middle));
    assert_true(luminance(middle) > 1.3 * luminance(deep));
    /* Blue goes first, red last. */
    assert_true(thin.r > thin.g && thin.g > thin.b);
    assert_true(middle.r / middle.g > thin.r / thin.g);
    rill_world_destroy(world);
}

/* The row on which a line across the floor is seen through a surface at some height, by Snell's law; no surface:
 * level 0. */
static double expected_row(const rill_camera *c, double y, double level, double index) {
    double low = c->from[1], high = y; /* where the ray meets the surface */
    for (int i = 0; i < 60; ++i) {
        double mid = 0.5 * (low + high), sine = (mid - c->from[1]) / hypot(mid - c->from[1], c->from[2] - level);
        double inside = sine / index, reached = mid + level * inside / sqrt(1 - inside * inside);
        *(reached < y ? &low : &high) = mid;
    }
    double at[2];
    find_pixel(c, 0.04, low, level, at);
    return at[1];
}

/* The row of the steepest step from dark (above) to bright (below) in the middle columns. */
static int find_step(const stage *s, int from, int to) {
    double steepest = 0;
    int found = -1;
    for (int y = from; y < to; ++y) {
        double step = 0;
        for (int x = WIDTH / 2 - 8; x < WIDTH / 2 + 8; ++x)
            step += (double)s->pixels[4 * ((y + 1) * WIDTH + x) + 1] - (double)s->pixels[4 * (y * WIDTH + x) + 1];
        if (step > steepest) {
            steepest = step;
            found = y + 1;
        }
    }
    return found;
}

/* Blood under the scene's camera: the lamp hangs on the far side, wherever that is, and stays there for other cameras. Across the
 * pool it is brighter and darker in turns, by its flags, along straight bands. */
static void level_liquid_mirrors_the_lamp(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.04, 0.04, 0.001, 0.004);
    const rill_camera east = { { 0.22, 0.04, 0.12 }, { 0.04, 0.04, 0 }, 60 },
                      low = { { 0.04, -0.14, 0.12 }, { 0.04, 0.04, 0 }, 60 };
    const rill_camera *cameras[] = { &low, &east };
    rill_render_options options = plain_options("blood");
    for (int i = 0; i < 2; ++i) {
        double plain = 0, most = 0, least = 1;
        memset(options.studio, 0, sizeof options.studio);
        draw(s, world, cameras[i], &options);
        plain = luminance(look_at(s, cameras[i], 0.04, 0.04, 0.004));
        rill_studio_for(cameras[i], &options);
        draw(s, world, cameras[i], &options);
        for (int k = -30; k <= 30; ++k) {
            double at = 0.04 + 0.001 * k, here = luminance(look_at(s, cameras[i], i ? 0.04 : at, i ? at : 0.04, 0.004));
            most = fmax(most, here);
            least = fmin(least, here);
        }
        if (most < plain + 0.1 || most < least + 0.08) fail_msg("%g to %g, %g without a lamp", least, most, plain);
    }
    draw(s, world, &low,
         &options); /* the lamp hangs for the other camera: nothing is mirrored into this one from its side */
    double turned = luminance(look_at(s, &low, 0.04, 0.04, 0.004));
    rill_studio_for(&low, &options);
    draw(s, world, &low, &options);
    assert_true(luminance(look_at(s, &low, 0.04, 0.04, 0.004)) > turned + 0.03);
    rill_world_destroy(world);
}

/* Water 4 mm deep mirrors the lamp; a film of a twentieth of a cell hardly more than the dry chalk does: its edges are stairs. */
static void films_mirror_little(void **state) {
    static const double levels[3] = { 0.004, 0.00005, 0 };
    stage *s = *state;
    double mirrored[3] = { 0 };
    for (int i = 0; i < 3; ++i) {
        rill_world *world = make_tray();
        assert_int_equal(rill_bed_build(world), RILL_OK);
        if (levels[i] > 0) fill(world, 0.04, 0.04, 0.5 * levels[i], levels[i]);
        rill_render_options options = plain_options("water");
        for (int lamp = 0; lamp < 2; ++lamp) {
            if (lamp) rill_studio_for(&aslant, &options);
            draw(s, world, &aslant, &options);
            for (int k = -30; k <= 30; ++k)
                mirrored[i] += (lamp ? 1 : -1) * luminance(look_at(s, &aslant, 0.04 + 0.001 * k, 0.04, levels[i]));
        }
        rill_world_destroy(world);
    }
    const double deep = mirrored[0] - mirrored[2], thin = mirrored[1] - mirrored[2];
    if (deep < 0.2 || fabs(thin) > 0.25 * deep) fail_msg("%g deep, %g thin", deep, thin);
}

/* Four panes around a pool, under a sun in the west: on the chalk in the east lies the shadow of the panes, and with juice between
 * them that of the juice, which is amber. In the west nothing changes. */
static void liquid_and_glass_cast_shadows(void **state) {
    stage *s = *state;
    colour shade[3], lit[3];
    for (int i = 0; i < 3; ++i) { /* nothing, panes, juice between them */
        rill_world *world = make_tray();
        if (i > 0) {
            put_box(world, "glass west", 0.028, 0.028, -0.001, 0.030, 0.052, 0.016);
            put_box(world, "glass east", 0.050, 0.028, -0.001, 0.052, 0.052, 0.016);
            put_box(world, "glass south", 0.0299, 0.028, -0.001, 0.0501, 0.030, 0.016);
            put_box(world, "glass north", 0.0299, 0.050, -0.001, 0.0501, 0.052, 0.016);
        }
        assert_int_equal(rill_bed_build(world), RILL_OK);
        if (i > 1) fill(world, 0.04, 0.04, 0.001, 0.014);
        rill_render_options options = plain_options("apple juice");
        rill_render_material looks[5] = { { RILL_MATERIAL_CHALK, { 0.5f, 0.5f, 0.5f }, 0.9f } };
        for (int k = 1; k < 5; ++k)
            looks[k] = (rill_render_material){ RILL_MATERIAL_GLASS, { 0.95f, 0.98f, 0.97f }, 0.02f };
        options.materials = looks;
        options.material_count = i > 0 ? 5 : 1;
        options.samples = 4;
        options.sun[0] = -0.8f, options.sun[1] = 0, options.sun[2] = 0.8f;
        draw(s, world, &above, &options);
        shade[i] = look_at(s, &above, 0.059, 0.04, 0);
        lit[i] = look_at(s, &above, 0.02, 0.04, 0);
        rill_world_destroy(world);
    }
    assert_true(luminance(shade[1]) < 0.97 * luminance(shade[0]) && luminance(shade[2]) < 0.9 * luminance(shade[1]));
    assert_true(shade[2].r / shade[2].b > 1.05 * shade[0].r / shade[0].b);
    assert_true(fabs(luminance(lit[2]) - luminance(lit[0])) < 0.02 &&
                fabs(luminance(lit[1]) - luminance(lit[0])) < 0.02);
}

static void refraction_displaces_what_is_below(void **state) {
    stage *s = *state;
    static const double EDGE = 0.045, LEVEL = 0.012;
    rill_render_material looks[2] = { { RILL_MATERIAL_AUTO, { 0.8f, 0.8f, 0.8f }, 0.9f },
                                      { RILL_MATERIAL_AUTO, { 0.03f, 0.03f, 0.03f }, 0.9f } };
    int rows[2];
    for (int wet = 0; wet < 2; ++wet) {
        rill_world *world = make_tray();
        /* The northern part of the floor is dark, and hardly higher. */
        put_box(world, "dark", -0.01, EDGE, -0.001, 0.09, 0.09, 0.0001);
        assert_int_equal(rill_bed_build(world), RILL_OK);
        if (wet) fill(world, 0.04, 0.01, 0.001, LEVEL);
        rill_render_options options = plain_options("water");
        options.materials = looks;
        options.material_count = 2;
        options.samples = 4;
        draw(s, world, &aslant, &options);
        rows[wet] = find_step(s, 40, 140);
        rill_world_destroy(world);
    }
    double dry = expected_row(&aslant, EDGE, 0, 1), wet = expected_row(&aslant, EDGE, LEVEL, 1.333);
    assert_true(fabs(dry - wet) > 4); /* else there is nothing to see */
    if (fabs(rows[0] - dry) > 1.5 || fabs(rows[1] - wet) > 2.5)
        fail_msg("rows %d and %d, expected %.1f and %.1f", rows[0], rows[1], dry, wet);
}

/* A white pillar stands in water on a dark floor. Right behind its top the floor is refracted towards it, but what is
 * seen there must still be floor: no halo. */
static void what_stands_in_front_is_not_refracted(void **state) {
    stage *s = *state;
    static const double BACK = 0.044, TOP = 0.02, LEVEL = 0.014;
    rill_render_material looks[2] = { { RILL_MATERIAL_AUTO, { 0.03f, 0.03f, 0.03f }, 0.9f },
                                      { RILL_MATERIAL_AUTO, { 0.9f, 0.9f, 0.9f }, 0.9f } };
    rill_world *world = make_tray();
    put_box(world, "pillar", 0.03, 0.036, -0.001, 0.05, BACK, TOP);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.04, 0.01, 0.001, LEVEL);
    rill_render_options options = plain_options("water");
    options.materials = looks;
    options.material_count = 2;
    for (int32_t samples = 1; samples <= 16; samples += 15) {
        options.samples = samples;
        draw(s, world, &aslant, &options);
        double edge[2], beside[2];
        find_pixel(&aslant, 0.04, BACK, TOP, edge);
        find_pixel(&aslant, 0.062, BACK, TOP, beside);
        assert_true(s->pixels[4 * (((int)edge[1] + 3) * WIDTH + (int)edge[0]) + 1] > 180); /* the pillar is there */
        for (int up = 3; up < 14; ++up) {
            int here = s->pixels[4 * (((int)edge[1] - up) * WIDTH + (int)edge[0]) + 1];
            int there = s->pixels[4 * (((int)beside[1] - up) * WIDTH + (int)beside[0]) + 1];
            if (abs(here - there) > 16)
                fail_msg("%d rows above the pillar the green is %d, beside it %d", up, here, there);
        }
    }
    rill_world_destroy(world);
}

/* Blood sloshes on one side of a wall; of what is dry on the other side no pixel may change from frame to frame. */
static void what_does_not_move_does_not_flicker(void **state) {
    stage *s = *state;
    static uint8_t before[4 * WIDTH * HEIGHT];
    rill_world *world = make_tray();
    put_box(world, "wall", 0.039, -0.01, -0.001, 0.041, 0.09, 0.01);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.01, 0.04, 0.001, 0.004);
    assert_int_equal(rill_world_set_gravity(world, (const double[3]){ 0, 3, -9.3 }), RILL_OK);
    rill_render_options options = plain_options("blood");
    options.samples = 3;
    int changed = 0, edge = (int)(WIDTH / 2 + 0.004 * above.lens / 36 * WIDTH / above.from[2]);
    draw(s, world, &above, &options);
    for (int frame = 0; frame < 3; ++frame) {
        memcpy(before, s->pixels, sizeof before);
        rill_world_step(world, 1.0 / 30);
        draw(s, world, &above, &options);
        for (int i = 0; i < WIDTH * HEIGHT; ++i) {
            int difference = abs((int)s->pixels[4 * i + 1] - (int)before[4 * i + 1]);
            changed += difference > 8;
            assert_true(i % WIDTH < edge || difference <= 1);
        }
    }
    assert_true(changed > 200);
    rill_world_destroy(world);
}

static void shadows_fall_away_from_the_sun(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    put_box(world, "pillar", 0.037, 0.037, -0.001, 0.043, 0.043, 0.02);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    for (int side = -1; side <= 1; side += 2) {
        for (int32_t samples = 1; samples <= 16; samples += 15) {
            rill_render_options options = plain_options("water");
            options.sun[0] = (float)side;
            options.sun[1] = 0;
            options.sun[2] = 1;
            options.samples = samples;
            draw(s, world, &above, &options);
            colour lit = look_at(s, &above, 0.04 + side * 0.014, 0.04, 0);
            colour dark = look_at(s, &above, 0.04 - side * 0.014, 0.04, 0);
            assert_true(luminance(dark) < 0.8 * luminance(lit));
            assert_true(luminance(dark) > 0.1); /* the sky is still there */
        }
    }
    rill_world_destroy(world);
}

/* Two floors: blood on both, seen where the upper one ends. */
static void overlays_have_their_colours(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    put_box(world, "shelf", -0.01, -0.01, 0.015, 0.04, 0.09, 0.017);
    put_box(world, "rim", 0.038, -0.01, 0.015, 0.04, 0.09, 0.022);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.06, 0.04, 0.001, 0.008);
    fill(world, 0.02, 0.04, 0.018, 0.019);
    rill_render_options options = plain_options("blood");
    options.overlay = RILL_OVERLAY_LAYERS;
    draw(s, world, &above, &options);
    assert_true(is_near(look_at(s, &above, 0.06, 0.04, 0.008), encode(0.05), encode(0.22), encode(0.85)));
    assert_true(is_near(look_at(s, &above, 0.02, 0.04, 0.019), encode(0.05), encode(0.60), encode(0.15)));
    options.overlay = RILL_OVERLAY_NORMALS;
    draw(s, world, &above, &options);
    assert_true(is_near(look_at(s, &above, 0.06, 0.04, 0.008), encode(0.5), encode(0.5), 1));
    options.overlay = RILL_OVERLAY_DEPTH; /* 8 mm is the deepest: yellow; 2 mm a quarter of it: blue */
    draw(s, world, &above, &options);
    assert_true(is_near(look_at(s, &above, 0.06, 0.04, 0.008), 1, encode(0.9), encode(0.1)));
    colour shallow = look_at(s, &above, 0.02, 0.04, 0.019);
    assert_true(shallow.b > 1.3 * shallow.g && shallow.b > 2 * shallow.r);
    rill_world_destroy(world);
}

/* From the wall of a pool to its middle: yellow, green, blue, and grey beyond a capillary length. */
static void meniscus_overlay_shows_distances(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    put_box(world, "wall", -0.01, -0.01, -0.001, 0.02, 0.09, 0.02);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.06, 0.04, 0.001, 0.01);
    rill_liquid liquid;
    rill_liquid_preset("water", &liquid);
    liquid.surface_tension = 0.0728 * 9; /* three times as wide, so that there are pixels enough */
    assert_int_equal(rill_world_set_liquid(world, &liquid), RILL_OK);
    rill_render_options options = plain_options("water");
    options.overlay = RILL_OVERLAY_MENISCUS;
    draw(s, world, &above, &options);
    const double length = sqrt(liquid.surface_tension / (liquid.density * 9.81));
    colour at_wall = look_at(s, &above, 0.02 + 0.2 * length, 0.04, 0.01);
    colour half_way = look_at(s, &above, 0.02 + 0.5 * length, 0.04, 0.01);
    colour far = look_at(s, &above, 0.02 + 0.9 * length, 0.04, 0.01);
    assert_true(at_wall.r > 0.65 && at_wall.g > 0.85 && at_wall.b < 0.55);
    assert_true(half_way.g > 0.65 && half_way.g > 1.5 * half_way.r && half_way.g > half_way.b && half_way.b > 0.5);
    assert_true(far.b > 1.5 * far.g && far.b > 2 * far.r);
    assert_true(is_near(look_at(s, &above, 0.02 + 1.3 * length, 0.04, 0.01), encode(0.35), encode(0.36), encode(0.38)));

    rill_surface_def def = rill_default_surface_def(); /* without distances it says what is missing */
    rill_surface *surface;
    assert_int_equal(rill_surface_create(world, &def, &surface), RILL_OK);
    assert_int_equal(rill_surface_build(surface), RILL_OK);
    assert_false(rill_render_scene(s->render, world, &surface, 1, &above, &options, &message));
    assert_non_null(strstr(message.text, "no distances"));
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Two pools; one rests, into the other it drips. */
static void tiles_overlay_shows_what_is_awake(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    put_box(world, "wall", 0.036, -0.01, -0.001, 0.044, 0.09, 0.02);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.01, 0.04, 0.001, 0.004);
    fill(world, 0.07, 0.04, 0.001, 0.004);
    rill_render_options options = plain_options("water");
    options.overlay = RILL_OVERLAY_TILES;
    draw(s, world, &above, &options); /* what was just filled is awake */
    assert_true(is_near(look_at(s, &above, 0.02, 0.04, 0.004), 1, encode(0.38), encode(0.03)));
    rill_step_info info = { .awake_columns = 1 };
    for (int i = 0; i < 400 && info.awake_columns > 0; ++i) {
        rill_world_step(world, 0.05);
        assert_int_equal(rill_world_get_step_info(world, &info), RILL_OK);
    }
    assert_int_equal(info.awake_columns, 0);
    rill_source_def drip = rill_default_source_def();
    rill_source_id id;
    drip.at[0] = 0.07, drip.at[1] = 0.04, drip.rate = 1e-5;
    assert_int_equal(rill_source_create(world, &drip, &id), RILL_OK);
    rill_world_step(world, 0.1);
    draw(s, world, &above, &options);
    for (double y = 0.015; y < 0.07; y += 0.01) {
        assert_true(is_near(look_at(s, &above, 0.008, y, 0.004), encode(0.10), encode(0.22), encode(0.42)));
        assert_true(is_near(look_at(s, &above, 0.06, y, 0.004), 1, encode(0.38), encode(0.03)));
    }
    rill_world_destroy(world);
}

static size_t count_changes(const stage *s, const uint8_t *before) {
    size_t count = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; ++i) count += abs((int)s->pixels[4 * i + 2] - (int)before[4 * i + 2]) > 20;
    return count;
}

static void lines_are_drawn_over_liquid_only(void **state) {
    stage *s = *state;
    static uint8_t before[4 * WIDTH * HEIGHT];
    rill_world *world = make_tray();
    put_box(world, "wall", 0.039, -0.01, -0.001, 0.041, 0.09, 0.01);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.01, 0.04, 0.001, 0.004);
    rill_source_def source = rill_default_source_def();
    rill_source_id id;
    source.at[0] = 0.02, source.at[1] = 0.04, source.rate = 1e-5;
    assert_int_equal(rill_source_create(world, &source, &id), RILL_OK);
    assert_int_equal(rill_world_step(world, 0.05), RILL_OK);
    assert_int_equal(rill_world_status(world), 0);
    rill_render_options options = plain_options("blood");
    draw(s, world, &above, &options);
    memcpy(before, s->pixels, sizeof before);
    static const rill_overlay lines[2] = { RILL_OVERLAY_WIREFRAME, RILL_OVERLAY_VELOCITY };
    for (int i = 0; i < 2; ++i) {
        options.overlay = lines[i];
        draw(s, world, &above, &options);
        size_t count = count_changes(s, before);
        assert_in_range(count, 100, WIDTH * HEIGHT / 2);
        double at[2];
        find_pixel(&above, 0.044, 0.04, 0.004, at);
        for (int y = 0; y < HEIGHT; ++y) { /* nothing on the dry side */
            const size_t first = 4 * ((size_t)y * WIDTH + (size_t)at[0]);
            assert_memory_equal(&s->pixels[first], &before[first], 4 * 40);
        }
    }
    rill_world_destroy(world);
}

/* A pane of glass with a rim, over blood on a floor. */
static rill_world *make_pane(void) {
    rill_world *world = make_tray();
    put_box(world, "pane", -0.01, -0.01, 0.015, 0.05, 0.09, 0.016);
    put_box(world, "rim", 0.049, -0.01, 0.015, 0.05, 0.09, 0.022);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.06, 0.04, 0.001, 0.006);
    return world;
}

static void layers_come_in_the_right_order(void **state) {
    stage *s = *state;
    rill_world *world = make_pane();
    rill_render_options options = plain_options("blood");
    draw(s, world, &above, &options);
    colour through_pane = look_at(s, &above, 0.025, 0.04, 0.006), open = look_at(s, &above, 0.065, 0.04, 0.006);
    assert_true(through_pane.r > 1.8 * through_pane.g && open.r > 2 * open.g);
    assert_true(rill_render_peels(s->render) >= 2);
    options.peels = 1; /* then what is nearest counts: the blood beside the pane, but not under it */
    draw(s, world, &above, &options);
    colour one = look_at(s, &above, 0.065, 0.04, 0.006), hidden = look_at(s, &above, 0.025, 0.04, 0.006);
    assert_int_equal(rill_render_peels(s->render), 1);
    assert_true(one.r > 2 * one.g && hidden.r < 1.2 * hidden.g);
    rill_world_destroy(world);
}

/* Ids of each world are other numbers, whose bits mean nothing to a picture. */
static void equal_worlds_look_equal(void **state) {
    enum { WORLDS = 8 };
    static uint8_t first[4 * WIDTH * HEIGHT];
    stage *s = *state;
    rill_render_options options = plain_options("blood");
    rill_world *worlds[WORLDS];
    uint64_t seen = 0, missed = 0; /* bits of ids */
    for (int i = 0; i < WORLDS; ++i) {
        worlds[i] = make_pane(); /* all live at once, so that their ids differ */
        const uint64_t id = rill_world_solid_at(worlds[i], 0).value;
        seen |= id;
        missed |= ~id;
        draw(s, worlds[i], &aslant, &options);
        if (i == 0) memcpy(first, s->pixels, sizeof first);
        assert_memory_equal(s->pixels, first, sizeof first);
    }
    assert_int_not_equal((seen & missed) >> 32, 0);
    for (int i = 0; i < WORLDS; ++i) rill_world_destroy(worlds[i]);
}

/* A red ball over the tray, then elsewhere: it is drawn where it is, and throws a shadow. */
static void bodies_are_where_they_are(void **state) {
    stage *s = *state;
    static const rill_render_material red = { RILL_MATERIAL_AUTO, { 0.8f, 0.02f, 0.02f }, 0.6f };
    rill_world *world = make_tray();
    assert_int_equal(rill_bed_build(world), RILL_OK);
    rill_body_def def = rill_default_body_def();
    rill_body_id id;
    rill_body_state now;
    def.name = "ball";
    def.shape.radius = 0.006;
    def.state.position[0] = 0.025, def.state.position[1] = 0.04, def.state.position[2] = 0.01;
    assert_int_equal(rill_body_create(world, &def, &id), RILL_OK);
    rill_render_options options = plain_options("water");
    options.body_materials = &red;
    options.body_material_count = 1;
    options.sun[0] = -1, options.sun[1] = 0, options.sun[2] = 1;
    for (int turn = 0; turn < 2; ++turn) {
        double here = turn ? 0.05 : 0.025, there = turn ? 0.025 : 0.05;
        draw(s, world, &above, &options);
        colour ball = look_at(s, &above, here, 0.04, 0.015), bare = look_at(s, &above, there, 0.06, 0);
        colour shadow = look_at(s, &above, here + 0.012, 0.04, 0);
        assert_true(ball.r > 2 * ball.g && ball.r > 0.4);
        assert_true(fabs(bare.r - bare.g) < 0.08 && luminance(shadow) < 0.8 * luminance(bare));
        colour gone = look_at(s, &above, there, 0.04, 0);
        assert_true(gone.r < 1.3 * gone.g);
        assert_int_equal(rill_body_get_state(world, id, &now), RILL_OK);
        now.position[0] = 0.05;
        assert_int_equal(rill_body_set_state(world, id, &now), RILL_OK);
    }
    assert_int_equal(rill_body_destroy(world, id), RILL_OK);
    draw(s, world, &above, &options);
    colour empty = look_at(s, &above, 0.05, 0.04, 0);
    assert_true(empty.r < 1.3 * empty.g);
    rill_world_destroy(world);
}

/* An open tub, 24 mm wide and 10 mm high, its wall 3 mm and its floor 2 mm thick: rings from the foot over the rim to
 * the floor inside, and two caps. It stands fast. */
static rill_body_id put_tub(rill_world *world, double x, double y, double z) {
    static const float rings[4][2] = { { 0.012f, 0 }, { 0.012f, 0.01f }, { 0.009f, 0.01f }, { 0.009f, 0.002f } };
    float vertices[48];
    uint32_t indices[84], count = 0;
    for (uint32_t ring = 0; ring < 4; ++ring) {
        for (uint32_t i = 0; i < 4; ++i) {
            uint32_t next = (i + 1) % 4, a = 4 * ring, b = a + 4;
            float *v = &vertices[3 * (a + i)];
            v[0] = i == 0 || i == 3 ? -rings[ring][0] : rings[ring][0];
            v[1] = i < 2 ? -rings[ring][0] : rings[ring][0];
            v[2] = rings[ring][1];
            const uint32_t quad[6] = { a + i, a + next, b + next, a + i, b + next, b + i };
            memcpy(&indices[count], quad, sizeof quad);
            count += ring < 3 ? 6 : 0;
        }
    }
    static const uint32_t caps[12] = { 0, 2, 1, 0, 3, 2, 12, 13, 14, 12, 14, 15 };
    memcpy(&indices[count], caps, sizeof caps);
    rill_body_def def = rill_default_body_def();
    rill_body_id id;
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = vertices;
    def.shape.vertex_count = 16;
    def.shape.indices = indices;
    def.shape.triangle_count = 28;
    def.mass = (double)INFINITY;
    def.centre[0] = def.centre[1] = def.centre[2] = 0;
    def.state.position[0] = x, def.state.position[1] = y, def.state.position[2] = z;
    assert_int_equal(rill_body_create(world, &def, &id), RILL_OK);
    return id;
}

/* The surface of the blood goes on through the tub, and must not be seen in it; what is poured into it must. */
static void boats_look_as_they_are_inside(void **state) {
    stage *s = *state;
    static const rill_render_material white = { RILL_MATERIAL_AUTO, { 0.8f, 0.8f, 0.8f }, 0.8f };
    rill_world *world = make_tray();
    assert_int_equal(rill_bed_build(world), RILL_OK);
    rill_body_id tub = put_tub(world, 0.03, 0.04, 0.001);
    fill(world, 0.07, 0.04, 0.001, 0.006);
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    assert_int_equal(rill_world_status(world), 0);
    rill_render_options options = plain_options("blood");
    options.body_materials = &white;
    options.body_material_count = 1;
    draw(s, world, &above, &options);
    colour inside = look_at(s, &above, 0.03, 0.04, 0.003), beside = look_at(s, &above, 0.06, 0.04, 0.006);
    assert_true(inside.r < 1.2 * inside.g);
    assert_true(beside.r > 2 * beside.g);
    rill_source_def jug = rill_default_source_def(); /* unless some is poured into it */
    rill_source_id source;
    jug.at[0] = 0.03, jug.at[1] = 0.04, jug.at[2] = 0.01;
    jug.shape = RILL_SOURCE_DISC;
    jug.radius = 0.004;
    jug.rate = 4e-6;
    assert_int_equal(rill_source_create(world, &jug, &source), RILL_OK);
    for (int i = 0; i < 20; ++i) assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    draw(s, world, &above, &options);
    inside = look_at(s, &above, 0.03, 0.04, 0.003);
    assert_true(inside.r > 2 * inside.g);
    assert_int_equal(rill_body_destroy(world, tub), RILL_OK);
    rill_world_destroy(world);
}

/* An arrow up from what floats; nothing on what is dry. */
static void forces_overlay_shows_what_is_carried(void **state) {
    stage *s = *state;
    for (int wet = 0; wet < 2; ++wet) {
        rill_world *world = make_tray();
        assert_int_equal(rill_bed_build(world), RILL_OK);
        rill_body_def def = rill_default_body_def();
        rill_body_id id;
        def.shape.radius = 0.006;
        def.state.position[0] = def.state.position[1] = 0.04;
        def.state.position[2] = wet ? 0.01 : 0.03;
        assert_int_equal(rill_body_create(world, &def, &id), RILL_OK);
        fill(world, 0.01, 0.04, 0.001, 0.01);
        assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
        assert_int_equal(rill_world_status(world), 0);
        rill_render_options options = plain_options("water");
        options.overlay = RILL_OVERLAY_FORCES;
        options.step = 0.01;
        draw(s, world, &aslant, &options);
        size_t orange = 0;
        for (size_t i = 0; i < WIDTH * HEIGHT; ++i) {
            const uint8_t *c = &s->pixels[4 * i];
            orange += c[0] > 150 && c[1] > 100 && c[2] < 90 && c[0] > c[1] + 20;
        }
        assert_true(wet ? orange > 20 : orange == 0);
        rill_world_destroy(world);
    }
}

static void what_was_wet_is_dark_until_it_dries(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    assert_int_equal(rill_bed_build(world), RILL_OK);
    rill_render_options options = plain_options("water");
    options.exposure = 0.5f; /* far from white, where differences are compressed */
    double seen[4];
    rill_render *shared = s->render;
    s->render = rill_render_create(WIDTH, HEIGHT, &message); /* one that has seen nothing yet */
    assert_non_null(s->render);
    for (int i = 0; i < 4; ++i) {
        static const double pauses[4] = { 0, 0, 0.1, 300 };
        static double depths[80 * 80];
        for (size_t k = 0; k < 80 * 80; ++k) depths[k] = i == 1 ? 0.003 : 0;
        assert_int_equal(rill_world_fill_depths(world, 0, depths, 80 * 80, NULL), RILL_OK);
        assert_true(rill_render_watch(s->render, world, pauses[i]));
        draw(s, world, &above, &options);
        seen[i] = luminance(look_at(s, &above, 0.03, 0.03, 0));
    }
    assert_true(seen[2] < 0.93 * seen[0]);
    assert_true(fabs(seen[3] - seen[0]) < 0.02);
    rill_render_destroy(s->render);
    s->render = shared;
    rill_world_destroy(world);
}

/* A tray with a box of every material, one of them glass over the liquid, which is clear enough for caustics. */
static rill_world *make_samples(void) {
    static const char *const names[] = {
        "bone", "wood", "ceramic", "steel", "tissue", "stone", "plain", "pane of glass"
    };
    rill_world *world = make_tray();
    for (int i = 0; i < 8; ++i) {
        double x = 0.008 + 0.018 * (i % 4), y = i < 4 ? 0.05 : 0.02;
        put_box(world, names[i], x, y, i == 7 ? 0.008 : -0.001, x + 0.01, y + 0.01, 0.01);
    }
    assert_int_equal(rill_bed_build(world), RILL_OK);
    fill(world, 0.04, 0.04, 0.001, 0.004);
    return world;
}

/* How many pixels of two pictures are clearly different. */
static size_t count_differences(const uint8_t *a, const uint8_t *b) {
    size_t count = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; ++i) {
        int most = 0;
        for (int k = 0; k < 3; ++k) {
            int difference = abs((int)a[4 * i + (size_t)k] - (int)b[4 * i + (size_t)k]);
            most = difference > most ? difference : most;
        }
        count += most > 12;
    }
    return count;
}

/* Draws by one set of shaders in OpenGL 3.3 core and in OpenGL ES 3.0, which WebGL2 is. (Many samples:
 * tests/test_render.sh.) */
static void both_languages_draw_the_same(void **state) {
    enum { LOOKS = 3 };
    stage *s = *state, es = { 0 };
    static uint8_t before[LOOKS][4 * WIDTH * HEIGHT];
    rill_world *world = make_samples();
    rill_render_options options[LOOKS] = { plain_options("olive oil"), plain_options("water"), plain_options("blood") };
    options[0].exposure = options[1].exposure = options[2].exposure = 0.7f; /* chalk is bright */
    options[1].samples = 2;
    options[2].overlay = RILL_OVERLAY_VELOCITY;
    assert_non_null(strstr((const char *)glGetString(GL_VERSION), "Core Profile"));
    for (int i = 0; i < LOOKS; ++i) {
        draw(s, world, &aslant, &options[i]);
        memcpy(before[i], s->pixels, sizeof before[i]);
    }
    rill_render_destroy(s->render); /* of the first context, which is about to be replaced */
    rill_headless_destroy(s->headless);
    es.headless = rill_headless_create(true, &message);
    assert_non_null(es.headless);
    assert_non_null(strstr((const char *)glGetString(GL_VERSION), "OpenGL ES 3"));
    es.render = rill_render_create(WIDTH, HEIGHT, &message);
    if (!es.render) fail_msg("%s", message.text);
    for (int i = 0; i < LOOKS; ++i) {
        draw(&es, world, &aslant, &options[i]);
        check_sound(&es);
        assert_true(count_differences(es.pixels, before[i]) < WIDTH * HEIGHT / 200);
    }
    colour liquid = look_at(&es, &aslant, 0.04, 0.04, 0.004), chalk = look_at(&es, &aslant, 0.04, -0.01, 0);
    assert_true(liquid.r > 2 * liquid.g && chalk.g > 0.5);                      /* the last was blood */
    assert_true(count_differences(before[0], before[2]) > WIDTH * HEIGHT / 10); /* they could have been different */
    rill_render_destroy(es.render);
    rill_headless_destroy(es.headless);
    rill_world_destroy(world);
    s->headless = rill_headless_create(false, &message);
    s->render = rill_render_create(WIDTH, HEIGHT, &message);
    assert_non_null(s->render);
}

static void shipped_scenes_look_sound(void **state) {
    static const char *const names[] = { "three_layers", "cave", "breathing", "tilted_tray" };
    stage *s = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[256];
        rill_scene *scene;
        rill_world *world;
        rill_scene_report report = { 0 };
        snprintf(path, sizeof path, RILL_SOURCE_DIR "/scenes/%s.yaml", names[i]);
        assert_int_equal(rill_scene_load(path, NULL, &scene, &report), RILL_SCENE_OK);
        scene->world.solver.tension = RILL_TENSION_OFF;
        assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_OK);
        for (int frame = 0; frame < 20; ++frame) {
            rill_status status;
            assert_int_equal(rill_scene_step(scene, world, scene->frame, &status), RILL_OK);
            assert_true(rill_render_watch(s->render, world, scene->frame));
        }
        rill_camera camera = rill_camera_for(scene, world);
        rill_render_options options = plain_options(scene->preset);
        options.samples = i == 0 ? 16 : 1;
        draw(s, world, &camera, &options);
        check_sound(s);
        rill_world_destroy(world);
        rill_scene_free(scene);
        rill_scene_report_free(&report);
    }
}

static void sizes_change_and_are_refused(void **state) {
    stage *s = *state;
    rill_world *world = make_tray();
    assert_int_equal(rill_bed_build(world), RILL_OK);
    rill_render_options options = plain_options("water");
    assert_true(rill_render_resize(s->render, 64, 64, &message));
    draw(s, world, &above, &options);
    assert_true(s->pixels[4 * 32 * 64 + 4 * 32] > 100);
    assert_false(rill_render_resize(s->render, 1 << 20, 16, &message));
    assert_non_null(strstr(message.text, "1048576 x 16"));
    assert_true(rill_render_resize(s->render, WIDTH, HEIGHT, &message));
    draw(s, world, &above, &options);
    assert_true(luminance(look_at(s, &above, 0.04, 0.04, 0)) > 0.4);
    rill_world_destroy(world);
}

static void materials_follow_names_and_scenes(void **state) {
    (void)state;
    rill_scene_material said = { .roughness = -1 };
    assert_int_equal(rill_material_for(&said, "left Vertebra", RILL_SHAPE_MESH).kind, RILL_MATERIAL_BONE);
    assert_int_equal(rill_material_for(&said, "saucer", RILL_SHAPE_MESH).kind, RILL_MATERIAL_CERAMIC);
    assert_int_equal(rill_material_for(&said, "", RILL_SHAPE_HEIGHTMAP).kind, RILL_MATERIAL_STONE);
    assert_int_equal(rill_material_for(&said, NULL, RILL_SHAPE_BOX).kind, RILL_MATERIAL_AUTO);
    said = (rill_scene_material){ RILL_MATERIAL_STEEL, true, { 0.1, 0.2, 0.3 }, 0.7 };
    rill_render_material material = rill_material_for(&said, "saucer", RILL_SHAPE_MESH);
    assert_int_equal(material.kind, RILL_MATERIAL_STEEL);
    assert_true(material.colour[1] == 0.2f && material.roughness == 0.7f);
    for (int32_t i = 0; i < rill_liquid_preset_count(); ++i) { /* every liquid has a look */
        rill_optics optics;
        assert_true(rill_optics_preset(rill_liquid_preset_name(i), &optics));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liquid_is_where_it_stands),
        cmocka_unit_test(absorption_grows_with_thickness),
        cmocka_unit_test(level_liquid_mirrors_the_lamp),
        cmocka_unit_test(liquid_and_glass_cast_shadows),
        cmocka_unit_test(refraction_displaces_what_is_below),
        cmocka_unit_test(what_stands_in_front_is_not_refracted),
        cmocka_unit_test(what_does_not_move_does_not_flicker),
        cmocka_unit_test(shadows_fall_away_from_the_sun),
        cmocka_unit_test(overlays_have_their_colours),
        cmocka_unit_test(meniscus_overlay_shows_distances),
        cmocka_unit_test(tiles_overlay_shows_what_is_awake),
        cmocka_unit_test(lines_are_drawn_over_liquid_only),
        cmocka_unit_test(layers_come_in_the_right_order),
        cmocka_unit_test(equal_worlds_look_equal),
        cmocka_unit_test(what_was_wet_is_dark_until_it_dries),
        cmocka_unit_test(bodies_are_where_they_are),
        cmocka_unit_test(both_languages_draw_the_same),
        cmocka_unit_test(shipped_scenes_look_sound),
        cmocka_unit_test(sizes_change_and_are_refused),
        cmocka_unit_test(materials_follow_names_and_scenes),
        cmocka_unit_test(boats_look_as_they_are_inside),
        cmocka_unit_test(forces_overlay_shows_what_is_carried),
        cmocka_unit_test(films_mirror_little),
    };
    return cmocka_run_group_tests(tests, open_stage, close_stage);
}
