/* Bodies that float on a film, let go just above where they belong, come to rest there, however short sub-steps are. The
 * liquid below gives a little; when that was made good a sub-step later, bodies leapt out of the film for ever, at up
 * to 0.2 m/s. */
#include "tanks_afloat.h"

static const double FRAMES[] = { 0.1, 0.2, 0.5, 1.0, 3.0 }; /* ms */

typedef struct afloat {
    rill_shape shape;
    double size[3];              /* mm: of a box; radius and length of others */
    double density, film, draft; /* kg/m3, mm, mm */
} afloat;

static const afloat CASES[] = {
    { RILL_SHAPE_BOX, { 9.1, 7.8, 1.26 }, 282, 0.86, 0.355 },
    { RILL_SHAPE_BOX, { 9.1, 7.8, 1.26 }, 50, 0.3, 0.063 },
    { RILL_SHAPE_BOX, { 15.1, 4.9, 3.0 }, 50, 0.3, 0.15 },
    { RILL_SHAPE_BOX, { 8.8, 8.8, 1.0 }, 900, 1.2, 0.9 },
    { RILL_SHAPE_SPHERE, { 4.0 }, 50, 1.5, 1.08 },
    { RILL_SHAPE_CYLINDER, { 5.0, 1.0 }, 300, 0.6, 0.3 },
    { RILL_SHAPE_CYLINDER, { 5.0, 1.0 }, 800, 1.1, 0.8 },
};

/* How fast anything is in the last quarter of half a second, m/s. */
static double last_speed(const afloat *c, double frame) {
    rill_world_def def = tank_def(14, 14, RILL_PASSAGES_ANY);
    def.grid.cell_size = 2.2 * MM;
    def.liquid.viscosity = 1e-6;
    def.headroom = 0.02;
    rill_world *world = make_tank(&def);
    build(world);
    fill(world, 1, 1, 0.1, c->film);
    rill_body_def body = rill_default_body_def();
    body.shape.type = c->shape;
    body.density = c->density;
    body.shape.radius = c->size[0] * MM;
    set_length(&body.shape, c->size[1] * MM);
    set_size(&body.shape, c->size[0] * MM, c->size[1] * MM, c->size[2] * MM);
    const double half = c->shape == RILL_SHAPE_BOX      ? 0.5 * c->size[2]
                        : c->shape == RILL_SHAPE_SPHERE ? c->size[0]
                                                        : 0.5 * c->size[1];
    const double at[3] = { 15.7, 15.2, c->film - c->draft + half + 0.05 };
    for (int k = 0; k < 3; ++k) body.state.position[k] = at[k] * MM;
    add_body(world, &body);
    double fastest = 0.0;
    const int frames = (int)(500.0 / frame);
    for (int i = 0; i < frames; ++i) {
        rill_step_info info;
        step(world, frame * 1e-3);
        must(world, rill_world_get_step_info(world, &info));
        if (4 * i >= 3 * frames) fastest = fmax(fastest, info.max_speed);
    }
    check(world);
    rill_world_destroy(world);
    return fastest;
}

static void test_come_to_rest(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i)
        for (size_t k = 0; k < sizeof FRAMES / sizeof FRAMES[0]; ++k) {
            const double speed = last_speed(&CASES[i], FRAMES[k]);
            if (!(speed < 2e-3)) fail_msg("case %zu, frames of %g ms: %g m/s", i, FRAMES[k], speed);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(test_come_to_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
