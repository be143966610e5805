/* Bodies in scene files: what is read and refused, how they get into a world, how keys drive them, what contacts do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "scene_texts.h"

#define SCENE(liquid, bodies)                                                                                          \
    "rill: 1\n"                                                                                                        \
    "bed:\n"                                                                                                           \
    "  grid: { cells: [30, 30], cell_size: 0.005 }\n"                                                                  \
    "  headroom: 0.2\n"                                                                                                \
    "  solids:\n"                                                                                                      \
    "    - { name: floor, shape: box, min: [0, 0, -0.01], max: [0.15, 0.15, 0] }\n" liquid "bodies:\n" bodies          \
    "run: { frame: 0.01, until: 1 }\n"
#define WATER "fill: [ { at: [0.01, 0.01, 0.001], level: 0.06 } ]\n"
#define GLYCEROL "liquid: { preset: glycerol }\n" WATER

#define EXPECT(bodies, ...) expect(SCENE("", bodies), (const char *const[]){ __VA_ARGS__, NULL })

static void bodies_are_checked(void **state) {
    (void)state;
    EXPECT("  - { shape: sphere, radius: 0, position: [0, 0] }\n",
           "s.yaml:8:30: found 0 for bodies.0.radius, expected a number above 0 and up to 1e+06 (m)",
           "s.yaml:8:43: found a list of 2 for bodies.0.position, expected a list of 3 numbers");
    EXPECT("  - { position: [0, 0, 0] }\n", "s.yaml:8:5: found a body without shape and mesh, expected one");
    EXPECT("  - { shape: ball, position: [0, 0, 0] }\n",
           "s.yaml:8:14: found the text 'ball' for bodies.0.shape, expected sphere, box, capsule, cylinder or hull");
    EXPECT("  - { name: a, shape: box, size: [1, 1, 1], density: 5, mass: 1 }\n",
           "s.yaml:8:5: found no key 'position' in a box, expected one",
           "s.yaml:8:63: found 1 for bodies.0.mass, expected only one of density and mass in a body");
    EXPECT(
        "  - { shape: sphere, radius: 1, position: [0, 0, 0], move: [ { time: 0, position: [0, 0, 0] } ] }\n",
        "s.yaml:8:60: found a list of 1 for bodies.0.move, expected 'kinematic: true' besides 'move': other bodies go "
        "where they are pushed");
    EXPECT("  - { shape: sphere, radius: 1, position: [0, 0, 0], kinematic: true, mass: 1, loop: true,\n"
           "      move: [ { time: 0, translate: [0, 0, 0] } ] }\n",
           "s.yaml:8:77: found 1 for bodies.0.mass, expected no 'mass' in a kinematic body, which nothing can push",
           "s.yaml:8:86: found true for bodies.0.loop, expected keys after 0 s, of which the last one ends the loop",
           "s.yaml:9:15: found a mapping for bodies.0.move.0, expected a key with at least one of position and rotate",
           "s.yaml:9:26: found the unknown key 'translate' in a key of a move, expected time, position or rotate");
    EXPECT("  - { name: a, shape: sphere, radius: 1, position: [0, 0, 0] }\n"
           "  - { name: a, shape: sphere, radius: 1, position: [0, 0, 0] }\n"
           "probes: [ { name: p, measure: z, body: b }, { name: q, measure: depth, body: a } ]\n",
           "s.yaml:9:13: found the text 'a' for bodies.1.name, expected a name that no other has",
           "s.yaml:10:40: found the text 'b' for probes.0.body, expected the name of a body of the scene",
           "s.yaml:10:65: found the text 'depth' for probes.1.measure, expected level, speed, volume, x, y or z, which "
           "are what a body has");
}

/* ----------------------------------------------------------------------------------------------------------- worlds */

typedef struct play {
    rill_scene *scene;
    rill_world *world;
    rill_physics *physics;
} play;

static play start(const char *text) {
    play p = { 0 };
    rill_scene_report report;
    p.scene = parse(text, &report);
    if (report.count > 0) fail_msg("unexpected: %s", report.items[0].text);
    assert_int_equal(rill_scene_create_world(p.scene, NULL, &p.world, &report), RILL_SCENE_OK);
    p.physics = rill_physics_create(p.scene, p.world);
    assert_non_null(p.physics);
    return p;
}

static void finish(play *p) {
    rill_physics_destroy(p->physics);
    rill_world_destroy(p->world);
    rill_scene_free(p->scene);
}

static void go(play *p, int frames) {
    for (int i = 0; i < frames; ++i) {
        rill_status status;
        assert_int_equal(rill_physics_step(p->physics, p->scene->frame, &status), RILL_OK);
    }
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(p->world, &ledger), RILL_OK);
    assert_int_equal(ledger.error, 0);
}

static rill_body_state state_of(const play *p, const char *name) {
    rill_body_state state;
    assert_int_equal(rill_body_get_state(p->world, rill_body_find(p->world, name), &state), RILL_OK);
    return state;
}

static double speed_of(const rill_body_state *state) {
    const double *v = state->velocity;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

#define NEAR(a, b, tolerance)                                                                                          \
    do {                                                                                                               \
        double near_a = (a), near_b = (b);                                                                             \
        if (!(fabs(near_a - near_b) <= (tolerance))) {                                                                 \
            fail_msg("%s is %.9g, not %.9g", #a, near_a, near_b);                                                      \
        }                                                                                                              \
    } while (0)

/* `position` is that of a body's own frame: its centre of mass is elsewhere, and turned with it. */
static void centres_of_mass_are_where_the_frame_puts_them(void **state) {
    (void)state;
    play p = start(
        SCENE("", "  - { name: a, shape: box, size: [0.02, 0.02, 0.02], centre: [0.005, 0, 0], rotate: [0, 0, 90],\n"
                  "      position: [0.07, 0.08, 0.1], angular_velocity: [0, 0, 180], velocity: [0.1, 0, 0] }\n"));
    rill_body_state a = state_of(&p, "a");
    NEAR(a.position[0], 0.07, 1e-15);
    NEAR(a.position[1], 0.085, 1e-15);
    NEAR(a.position[2], 0.1, 1e-15);
    NEAR(a.orientation[2], sqrt(0.5), 1e-15);
    NEAR(a.angular_velocity[2], acos(-1.0), 1e-15);
    NEAR(a.acceleration[2], -9.81, 0);
    finish(&p);
}

static void keys_drive_kinematic_bodies(void **state) {
    (void)state;
    play p =
        start(SCENE(WATER, "  - { name: paddle, shape: box, size: [0.02, 0.1, 0.04], position: [0.03, 0.075, 0.06],\n"
                           "      kinematic: true, move: [ { time: 0.1, position: [0.03, 0.075, 0.06] },\n"
                           "      { time: 0.3, position: [0.07, 0.075, 0.06], rotate: [0, 0, 90] } ] }\n"));
    go(&p, 10);
    NEAR(state_of(&p, "paddle").position[0], 0.03, 1e-12);
    go(&p, 10);
    NEAR(state_of(&p, "paddle").position[0], 0.05, 1e-12);
    NEAR(state_of(&p, "paddle").velocity[0], 0.2, 1e-9);
    go(&p, 20);
    NEAR(state_of(&p, "paddle").position[0], 0.07, 1e-12);
    finish(&p);
}

static void light_ones_float(void **state) {
    (void)state;
    play p = start(SCENE(
        GLYCEROL, "  - { name: ball, shape: sphere, radius: 0.025, density: 300, position: [0.07, 0.08, 0.1] }\n"
                  "probes: [ { name: v, measure: volume, body: ball }, { name: s, measure: speed, body: ball } ]\n"));
    go(&p, 100);
    double volume = 4.0 / 3 * acos(-1.0) * pow(0.025, 3);
    NEAR(rill_scene_probe_value(&p.scene->probes[0], p.world), volume * 300 / 1260, 0.02 * volume);
    NEAR(rill_scene_probe_value(&p.scene->probes[1], p.world), 0, 0.01);
    finish(&p);
}

static void heavy_ones_land_and_stay(void **state) {
    (void)state;
    if (!rill_physics_has_contacts()) skip();
    play p = start(SCENE(
        GLYCEROL, "  - { name: ball, shape: sphere, radius: 0.02, density: 7800, position: [0.07, 0.08, 0.1] }\n"));
    go(&p, 100);
    rill_body_state before = state_of(&p, "ball");
    NEAR(before.position[2], 0.02, 0.0002);
    NEAR(speed_of(&before), 0, 0.001);
    go(&p, 50);
    NEAR(speed_of(&before), 0, 0.001);
    NEAR(state_of(&p, "ball").position[0], before.position[0], 0.0005);
    finish(&p);
}

static void walls_hold_them(void **state) {
    (void)state;
    if (!rill_physics_has_contacts()) skip();
    play p =
        start(SCENE(WATER, "  - { name: ball, shape: sphere, radius: 0.02, density: 300, position: [0.07, 0.08, 0.07], "
                           "velocity: [-1, 0.7, 0] }\n"));
    for (int i = 0; i < 60; ++i) {
        go(&p, 1);
        for (int k = 0; k < 2; ++k) NEAR(state_of(&p, "ball").position[k], 0.075, 0.056);
    }
    finish(&p);
}

/* All that decides the future is in the world: from a snapshot, with a coupling that begins anew in every step, it goes
 * on in the same bits. */
static void steps_can_be_repeated(void **state) {
    (void)state;
    const char *text = SCENE(
        WATER, "  - { name: a, shape: sphere, radius: 0.02, density: 2000, position: [0.07, 0.08, 0.09] }\n"
               "  - { name: b, shape: box, size: [0.03, 0.03, 0.03], density: 400, position: [0.075, 0.08, 0.14] }\n");
    play one = start(text), two = start(text);
    go(&one, 30);
    size_t size = rill_snapshot_size(one.world), written;
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(rill_snapshot_save(one.world, snapshot, size, &written), RILL_OK);
    go(&one, 30);
    assert_int_equal(rill_snapshot_restore(two.world, snapshot, written), RILL_OK);
    free(snapshot);
    for (int i = 0; i < 30; ++i) {
        rill_physics_destroy(two.physics);
        two.physics = rill_physics_create(two.scene, two.world);
        assert_non_null(two.physics);
        go(&two, 1);
    }
    assert_true(rill_world_hash(one.world) == rill_world_hash(two.world));
    for (int i = 0; i < 2; ++i) {
        rill_body_state a = state_of(&one, i ? "b" : "a"), b = state_of(&two, i ? "b" : "a");
        assert_memory_equal(&a, &b, sizeof a);
    }
    finish(&one);
    finish(&two);
}

/* Four of them on dry ground, the first one pushed: all lie in the end, each on the next but the last. */
static void dominoes_fall(void **state) {
    (void)state;
    if (!rill_physics_has_contacts()) skip();
    play p =
        start(SCENE("", "  - { name: a, shape: box, size: [0.008, 0.024, 0.048], position: [0.03, 0.07, 0.024], "
                        "velocity: [0.3, 0, 0],\n"
                        "      angular_velocity: [0, 700, 0] }\n"
                        "  - { name: b, shape: box, size: [0.008, 0.024, 0.048], position: [0.05, 0.07, 0.024] }\n"
                        "  - { name: c, shape: box, size: [0.008, 0.024, 0.048], position: [0.07, 0.07, 0.024] }\n"
                        "  - { name: d, shape: box, size: [0.008, 0.024, 0.048], position: [0.09, 0.07, 0.024] }\n"));
    go(&p, 5);
    NEAR(state_of(&p, "d").position[2], 0.024, 1e-4);
    NEAR(state_of(&p, "d").position[0], 0.09, 1e-4);
    go(&p, 95);
    assert_true(state_of(&p, "a").position[2] < 0.018);
    assert_true(state_of(&p, "c").position[2] < 0.018);
    NEAR(state_of(&p, "d").position[2], 0.004, 1e-4);
    for (int i = 0; i < 4; ++i) {
        rill_body_state body = state_of(&p, (char[]){ (char)('a' + i), 0 });
        NEAR(speed_of(&body), 0, 0.005);
    }
    finish(&p);
}

/* A stream through a flooded passage takes a light ball along under the ceiling, smoothly: neither does the ceiling let
 * go of it, which bears many times its weight, nor do contacts put it elsewhere than where liquid has made room for
 * it. */
static void light_balls_do_not_tremble(void **state) {
    (void)state;
    static const char *const densities[] = { "150", "300" };
    char text[1024];
    for (int k = 0; k < 2 && rill_physics_has_contacts(); ++k) {
        snprintf(
            text, sizeof text,
            "rill: 1\n"
            "bed:\n"
            "  grid: { cells: [80, 10], cell_size: 0.001 }\n"
            "  headroom: 0.05\n"
            "  solids:\n"
            "    - { name: floor, shape: box, min: [-1, -1, -0.01], max: [1, 1, 0] }\n"
            "    - { name: roof, shape: box, min: [0.02, -1, 0.006], max: [0.06, 1, 0.04] }\n"
            "fill: [ { at: [0.001, 0.001, 0.001], level: 0.02 } ]\n"
            "sources: [ { name: in, at: [0.008, 0.005, 0.03], radius: 0.003, rate: 3e-6 } ]\n"
            "sinks: [ { name: out, at: [0.072, 0.005, 0.03], radius: 0.003, rate: 3e-6 } ]\n"
            "bodies: [ { name: ball, shape: sphere, radius: 0.0022, density: %s, position: [0.03, 0.004, 0.0037] } ]\n"
            "run: { frame: 0.0083333, until: 1 }\n",
            densities[k]);
        play p = start(text);
        double before = 0;
        for (int i = 0; i < 60; ++i) {
            go(&p, 1);
            const rill_body_state ball = state_of(&p, "ball");
            NEAR(ball.velocity[0], before, 0.02);
            NEAR(ball.velocity[1], 0, 0.005);
            before = ball.velocity[0];
        }
        assert_true(state_of(&p, "ball").position[0] > 0.035); /* and it does go */
        finish(&p);
    }
}

/* A body that leaves the scene for good is let go of: it neither falls for ever nor holds anything up. */
static void what_falls_out_of_the_scene_comes_to_rest(void **state) {
    (void)state;
    play p = start(SCENE("  edges: { west: open }\n", "  - { name: lost, shape: sphere, radius: 0.02, density: 2000, "
                                                      "position: [-0.4, 0.08, 0.09] }\n"));
    go(&p, 100);
    rill_body_state lost = state_of(&p, "lost");
    if (rill_physics_has_contacts()) NEAR(speed_of(&lost), 0, 0);
    assert_true(lost.position[2] < -0.15);
    finish(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_checked),          cmocka_unit_test(centres_of_mass_are_where_the_frame_puts_them),
        cmocka_unit_test(keys_drive_kinematic_bodies), cmocka_unit_test(light_ones_float),
        cmocka_unit_test(heavy_ones_land_and_stay),    cmocka_unit_test(walls_hold_them),
        cmocka_unit_test(steps_can_be_repeated),       cmocka_unit_test(dominoes_fall),
        cmocka_unit_test(light_balls_do_not_tremble),  cmocka_unit_test(what_falls_out_of_the_scene_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
