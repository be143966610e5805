/* Films: liquid on spheres, in bowls and on panes against what is known of it; its volume, energy and bits. */
#include "film_rigs.h"

#include "films/films_kernels.h"

static const double PI = 3.14159265358979323846;

/* --------------------------------------------------------------------------------------------------------------- spheres */

/* Thin liquid drains from the pole of a sphere by h = h0 / sqrt(1 + 4 g h0^2 t / (3 nu a)). */
static void a_film_drains_from_the_pole(void **state) {
    (void)state;
    const double radius = 0.035, h0 = 5e-4, nu = 1.118e-3, end = 10.0;
    surface sphere = surface_sphere(radius, 4);
    film_rig rig = film_rig_make(&sphere, false);
    const int32_t pole = rig.shell->count / 2;
    const double *up = rig.shell->normals[pole];
    film_rig_wet_by(&rig, 45.0, 35.0);
    rig.forces.strength = 0.0; /* contact angles mean nothing then */
    rig.forces.viscosity = nu;
    for (int k = 0; k < 3; ++k) rig.forces.gravity[k] = -9.81 * up[k];
    for (int32_t i = 0; i < rig.shell->count; ++i) {
        const double *x = rig.shell->positions[i];
        if (x[0] * up[0] + x[1] * up[1] + x[2] * up[2] > 0.0) film_rig_put(&rig, i, h0);
    }
    film_rig_run(&rig, end);
    const double expected = h0 / sqrt(1.0 + 4.0 * 9.81 * h0 * h0 * end / (3.0 * nu * radius));
    const double error = rill_films_depth(rig.films, pole) / expected - 1.0;
    print_message("pole after %g s: %+.2f %%, %ld sub-steps\n", rig.time, 100.0 * error, rig.steps);
    assert_true(rig.time > end - 1e-9);
    if (!(fabs(error) < 0.01)) fail_msg("the pole is off by %g", error);
    film_rig_free(&rig);
}

/* Surface harmonics of degree 1, 2 and 3. */
static double harmonic(int degree, const double *x, double radius) {
    const double a = x[0] / radius, b = x[1] / radius, c = x[2] / radius;
    return degree == 1 ? c : degree == 2 ? a * b : a * b * c;
}

/* Waves on a film all around a ball that draws it inwards: the period of a mode, by where it passes zero. */
static double period_of(int degree, double radius, int levels) {
    const double depth = 0.002, deviation = 1e-5;
    surface sphere = surface_sphere(radius, levels);
    film_rig rig = film_rig_make(&sphere, false);
    rig.forces = (rill_film_forces){ .inwards = 9.81, .strength = 0.0728 / 998.0, .friction = 1.0 };
    for (int32_t i = 0; i < rig.shell->count; ++i)
        film_rig_put(&rig, i, depth + deviation * harmonic(degree, rig.shell->positions[i], radius));
    double before = 1.0, at[3] = { 0.0 };
    int crossings = 0;
    while (crossings < 3 && rig.time < 10.0) {
        const double dt = film_rig_step(&rig, 0.0005);
        double now = 0.0;
        for (int32_t i = 0; i < rig.shell->count; ++i)
            now += (rill_films_depth(rig.films, i) - depth) * rig.shell->area[i] *
                   harmonic(degree, rig.shell->positions[i], radius);
        if ((now > 0.0) != (before > 0.0) && rig.steps > 1) at[crossings++] = rig.time - dt * now / (now - before);
        before = now;
    }
    film_rig_free(&rig);
    return at[2] - at[0];
}

static void waves_around_a_ball_have_their_periods(void **state) {
    (void)state;
    static const double exact[3] = { 1.58593, 0.910242,
                                     0.638038 }; /* s: 50 mm, 2 mm, water; the first feels no tension */
    for (int degree = 1; degree <= 3; ++degree) {
        const double error = period_of(degree, 0.05, 4) / exact[degree - 1] - 1.0;
        print_message("degree %d: %+.2f %%\n", degree, 100.0 * error);
        if (!(fabs(error) < 0.02)) fail_msg("degree %d: off by %g", degree, error);
    }
}

/* Fills a bowl up to a level. */
static void fill_bowl(film_rig *rig, double level) {
    for (int32_t i = 0; i < rig->shell->count; ++i) {
        const double z = rig->shell->positions[i][2], up = rig->shell->normals[i][2];
        if (z < level && up > 0.0) film_rig_put(rig, i, (level - z) / up);
    }
}

static int64_t *volumes_of(const film_rig *rig) {
    int64_t *all = malloc((size_t)rig->shell->count * sizeof *all);
    assert_non_null(all);
    for (int32_t i = 0; i < rig->shell->count; ++i) all[i] = rill_films_quanta(rig->films, i);
    return all;
}

static void a_lake_in_a_bowl_stays_as_it_is(void **state) {
    (void)state;
    surface sphere = surface_sphere(0.05, 4);
    film_rig rig = film_rig_make(&sphere, true);
    fill_bowl(&rig, -0.042);
    int64_t *before = volumes_of(&rig), *after;
    film_rig_step(&rig, 0.001);
    assert_int_equal(rill_films_awake(rig.films), 0);
    film_rig_run(&rig, 1.0);
    after = volumes_of(&rig);
    assert_memory_equal(before, after, (size_t)rig.shell->count * sizeof *before);
    rig.forces.gravity[0] = 0.01; /* and it can move */
    film_rig_run(&rig, 0.1);
    free(after);
    after = volumes_of(&rig);
    assert_memory_not_equal(before, after, (size_t)rig.shell->count * sizeof *before);
    free(before), free(after);
    film_rig_free(&rig);
}

static void a_blob_in_a_bowl_becomes_level(void **state) {
    (void)state;
    const double radius = 0.05;
    surface sphere = surface_sphere(radius, 3);
    film_rig rig = film_rig_make(&sphere, true);
    rig.forces.viscosity = 2e-5;
    for (int32_t i = 0; i < rig.shell->count; ++i) {
        const double *x = rig.shell->positions[i];
        if (hypot(x[0] - 0.012, x[1]) < 0.014 && x[2] < 0.0) film_rig_put(&rig, i, 0.005);
    }
    const int64_t total = rill_films_total(rig.films);
    film_rig_run(&rig, 30.0);
    assert_int_equal(rill_films_total(rig.films), total);
    double low = 1.0, high = -1.0;
    for (int32_t i = 0; i < rig.shell->count; ++i) {
        const double depth = rill_films_depth(rig.films, i);
        if (depth < 2e-4) continue; /* what is left on the shore is no part of the lake */
        const double level = rig.shell->positions[i][2] + depth * rig.shell->normals[i][2];
        low = fmin(low, level), high = fmax(high, level);
    }
    print_message("level within %.3g um after %g s\n", (high - low) * 1e6, rig.time);
    assert_true(high > low);
    if (!(high - low < 2e-6)) fail_msg("the lake is uneven by %g m", high - low);
    film_rig_free(&rig);
}

/* ----------------------------------------------------------------------------------------------------------------- drops */

/* A drop by Young and Laplace: kappa is that of its top, of the angle where it ends. */
typedef struct sessile {
    double radius, height, volume;
} sessile;

static sessile sessile_of(double kappa, double theta, double square) {
    sessile drop = { 0 };
    const int count = 4000;
    double phi = 0.0;
    for (int i = 0; i < count; ++i) { /* by the angle; midpoint rule */
        const double step = theta / count, middle = phi + 0.5 * step;
        double r = drop.radius, z = drop.height;
        for (int half = 0; half < 2; ++half) {
            const double bend = 2.0 * kappa + z / square - (r > 0.0 ? sin(half ? middle : phi) / r : kappa);
            const double along = step / bend * (half ? 1.0 : 0.5), at = half ? middle : phi;
            r = drop.radius + along * cos(at), z = drop.height + along * sin(at);
        }
        const double mean = 0.5 * (r + drop.radius);
        drop.volume += PI * mean * mean * (z - drop.height);
        drop.radius = r, drop.height = z;
        phi += step;
    }
    return drop;
}

static sessile sessile_solve(double volume, double theta, double square) {
    double flat = 1e-3, sharp = 1e5;
    for (int i = 0; i < 100; ++i) {
        const double kappa = sqrt(flat * sharp);
        if (sessile_of(kappa, theta, square).volume > volume)
            flat = kappa;
        else
            sharp = kappa;
    }
    return sessile_of(flat, theta, square);
}

/* Puts a paraboloid of some volume down. */
static void put_drop(film_rig *rig, double volume, double radius) {
    const double highest = 2.0 * volume / (PI * radius * radius);
    for (int32_t i = 0; i < rig->shell->count; ++i) {
        const double *x = rig->shell->positions[i];
        film_rig_put(rig, i, highest * (1.0 - (x[0] * x[0] + x[1] * x[1]) / (radius * radius)));
    }
}

/* The drop as it is: its radius by the area that it wets. */
static sessile measure(const film_rig *rig, double receding, double middle[2]) {
    sessile drop = { 0 };
    const double foot = 1.6 * rig->shell->spacing * rill_wetting_s(receding);
    double wetted = 0.0;
    middle[0] = middle[1] = 0.0;
    for (int32_t i = 0; i < rig->shell->count; ++i) {
        const double H = rill_films_depth(rig->films, i), left = fmax(1.0 - H / foot, 0.0);
        const double part = (1.0 - left * left) * rig->shell->area[i];
        wetted += part;
        drop.height = fmax(drop.height, H);
        drop.volume += H * rig->shell->area[i];
        for (int k = 0; k < 2; ++k) middle[k] += part * rig->shell->positions[i][k];
    }
    for (int k = 0; k < 2; ++k) middle[k] /= wetted;
    drop.radius = sqrt(wetted / PI);
    return drop;
}

static void drops_are_as_young_and_laplace_say(void **state) {
    (void)state;
    static const double angles[2] = { 30.0, 60.0 };
    for (int k = 0; k < 2; ++k) {
        surface pane = surface_pane(0.011, 0.00025, 0.2);
        film_rig rig = film_rig_make(&pane, false);
        double middle[2];
        film_rig_wet_by(&rig, angles[k], angles[k]);
        put_drop(&rig, 20e-9, k ? 0.003 : 0.0037);
        const int64_t total = rill_films_total(rig.films);
        const double volume = (double)total * rig.quantum;
        film_rig_run(&rig, 0.5);
        const sessile expected = sessile_solve(volume, angles[k] * PI / 180.0, rig.forces.strength / 9.81);
        const sessile found = measure(&rig, angles[k], middle);
        const double wide = found.radius / expected.radius - 1.0, high = found.height / expected.height - 1.0;
        print_message("%g degrees: R %.3f mm %+.1f %%, h %.3f mm %+.1f %%, %ld sub-steps\n", angles[k],
                      found.radius * 1e3, 100.0 * wide, found.height * 1e3, 100.0 * high, rig.steps);
        assert_int_equal(rill_films_total(rig.films), total);
        if (!(fabs(wide) < 0.05 && fabs(high) < 0.05))
            fail_msg("%g degrees: R off by %g, h by %g", angles[k], wide, high);
        film_rig_free(&rig);
    }
}

static void a_drop_comes_to_rest_and_does_not_creep(void **state) {
    (void)state;
    surface pane = surface_pane(0.013, 0.0005, 0.2);
    film_rig rig = film_rig_make(&pane, false);
    film_rig_wet_by(&rig, 35.0, 25.0);
    rig.forces.gravity[0] = 9.81 * sin(3.0 * PI / 180.0), rig.forces.gravity[2] = -9.81 * cos(3.0 * PI / 180.0);
    put_drop(&rig, 20e-9, 0.0037);
    film_rig_run(&rig, 5.0);
    assert_int_equal(rill_films_awake(rig.films), 0);
    double middle[2], later[2];
    measure(&rig, 25.0, middle);
    rig.forces.rest = false; /* nothing but physics holds it now */
    film_rig_run(&rig, 5.0);
    assert_true(rill_films_awake(rig.films) == 0 || rig.time > 5.0);
    measure(&rig, 25.0, later);
    const double way = hypot(later[0] - middle[0], later[1] - middle[1]);
    print_message("at rest; %.3g um in 5 s without any sleep\n", way * 1e6);
    if (!(way < 3e-7)) fail_msg("it creeps by %g m", way);
    film_rig_free(&rig);
}

/* --------------------------------------------------------------------------------------------------- volume, energy, bits */

static double random_number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void no_quantum_is_lost_however_it_is_turned(void **state) {
    (void)state;
    surface sphere = surface_sphere(0.01, 3);
    film_rig rig = film_rig_make(&sphere, false);
    uint32_t seed = 1;
    film_rig_wet_by(&rig, 70.0, 30.0);
    for (int32_t i = 0; i < rig.shell->count; i += 3) film_rig_put(&rig, i, 4e-4);
    const int64_t total = rill_films_total(rig.films);
    for (int turn = 0; turn < 2000 / NEXT_CASE; ++turn) {
        for (int k = 0; k < 3; ++k) rig.forces.gravity[k] = 9.81 * random_number(&seed);
        film_rig_step(&rig, 0.01);
        assert_int_equal(rill_films_total(rig.films), total);
        for (int32_t i = 0; i < rig.shell->count; ++i) assert_true(rill_films_quanta(rig.films, i) >= 0);
        for (int32_t e = 0; e < rig.shell->edge_count; ++e) assert_true(isfinite(rill_films_velocity(rig.films, e)));
    }
    film_rig_free(&rig);
}

static void energy_does_not_rise(void **state) {
    (void)state;
    surface sphere = surface_sphere(0.02, 4);
    film_rig rig = film_rig_make(&sphere, false);
    film_rig_wet_by(&rig, 50.0, 40.0);
    for (int32_t i = 0; i < rig.shell->count; ++i) {
        const double *x = rig.shell->positions[i];
        film_rig_put(&rig, i, 1.5e-3 * (1.0 - (pow(x[0] - 0.006, 2) + x[1] * x[1]) / 2.5e-5) * (x[2] > 0.0));
    }
    enum { COUNT = 400 };
    double energies[COUNT + 1], worst = 0.0;
    for (int i = 0; i <= COUNT; ++i) {
        energies[i] = rill_films_energy(rig.films, &rig.forces);
        film_rig_step(&rig, 0.001);
        for (int k = i > 50 ? i - 50 : 0; k < i; ++k) worst = fmax(worst, energies[i] - energies[k]);
    }
    const double released = energies[0] - energies[COUNT];
    print_message("released %g, risen by %g of it at most, %g s\n", released, worst / released, rig.time);
    assert_true(released > 0.0);
    if (!(worst <= 1e-6 * released)) fail_msg("energy rises by %g of %g", worst, released);
    film_rig_free(&rig);
}

static int64_t *run_with(int32_t threads, bool scalar, int32_t *count) {
    surface sphere = surface_sphere(0.06, 6);
    film_rig rig = film_rig_make(&sphere, false);
    rill_message message = { "" };
    rill_films_free(rig.films, &rig.runtime.allocator);
    rig.runtime.tasks.threads = threads;
    rig.means.scalar = scalar;
    assert_int_equal(rill_pool_start(&rig.runtime, &rig.means.pool, &message), RILL_OK);
    assert_int_equal(rill_films_make(rig.shell, rig.quantum, &rig.runtime, &rig.films, &message), RILL_OK);
    film_rig_wet_by(&rig, 50.0, 30.0);
    for (int32_t i = 0; i < rig.shell->count; ++i)
        film_rig_put(&rig, i, 1e-4 * (1.5 + sin(900.0 * rig.shell->positions[i][0])));
    for (int i = 0; i < 12; ++i) film_rig_step(&rig, 0.01);
    int64_t *volumes = volumes_of(&rig);
    *count = rig.shell->count;
    rill_pool_stop(rig.means.pool, &rig.runtime.allocator);
    film_rig_free(&rig);
    return volumes;
}

static void threads_and_vectors_make_no_difference(void **state) {
    (void)state;
    int32_t count;
    int64_t *one = run_with(1, false, &count), *four = run_with(4, false, &count), *scalar = run_with(1, true, &count);
    assert_memory_equal(one, four, (size_t)count * sizeof *one);
    assert_memory_equal(one, scalar, (size_t)count * sizeof *one);
    free(one), free(four), free(scalar);
}

/* A drop moves as if another one, which sleeps, were not there. */
static void what_sleeps_elsewhere_makes_no_difference(void **state) {
    (void)state;
    int64_t *alone = NULL;
    for (int both = 0; both < 2; ++both) {
        surface pane = surface_pane(0.02, 0.0005, 0.2);
        film_rig rig = film_rig_make(&pane, false);
        film_rig_wet_by(&rig, 50.0, 30.0);
        for (int32_t i = 0; both && i < rig.shell->count; ++i) {
            const double *x = rig.shell->positions[i];
            film_rig_put(&rig, i, 5e-4 * (1.0 - (pow(x[0] - 0.006, 2) + x[1] * x[1]) / 4e-6));
        }
        for (int i = 0; i < 8000; ++i) film_rig_step(&rig, 5e-4);
        assert_int_equal(rill_films_awake(rig.films), 0);
        for (int32_t i = 0; i < rig.shell->count; ++i) {
            const double *x = rig.shell->positions[i];
            film_rig_put(&rig, i, 1e-3 * (1.0 - (pow(x[0] + 0.004, 2) + x[1] * x[1]) / 9e-6));
        }
        for (int i = 0; i < 200; ++i) film_rig_step(&rig, 5e-4);
        assert_true(rill_films_awake(rig.films) > 0);
        int64_t *volumes = volumes_of(&rig);
        for (int32_t i = 0; both && i < rig.shell->count; ++i)
            if (rig.shell->positions[i][0] < 0.001) assert_int_equal(volumes[i], alone[i]);
        if (both)
            free(volumes);
        else
            alone = volumes;
        film_rig_free(&rig);
    }
    free(alone);
}

static void memory_that_is_refused_leaves_nothing(void **state) {
    (void)state;
    surface sphere = surface_sphere(0.01, 1);
    film_rig rig = film_rig_make(&sphere, false);
    test_memory memory = { 0 };
    rill_runtime runtime = rig.runtime;
    runtime.allocator = test_allocator(&memory);
    for (memory.fail_at = 1;; ++memory.fail_at) {
        rill_films *films = NULL;
        rill_message message = { "" };
        memory.count = memory.refused = 0;
        const rill_result result = rill_films_make(rig.shell, 1e-17, &runtime, &films, &message);
        if (result == RILL_OK) {
            assert_true(memory.refused == 0 && memory.fail_at > 20);
            rill_films_free(films, &runtime.allocator);
            assert_int_equal(memory.live, 0);
            break;
        }
        assert_int_equal(result, RILL_OUT_OF_MEMORY);
        assert_null(films);
        assert_non_null(strstr(message.text, "no memory"));
        assert_int_equal(memory.live, 0);
    }
    film_rig_free(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(a_film_drains_from_the_pole),
        unit_test_alone(waves_around_a_ball_have_their_periods),
        unit_test_alone(a_lake_in_a_bowl_stays_as_it_is),
        unit_test_alone(a_blob_in_a_bowl_becomes_level),
        unit_test_long(drops_are_as_young_and_laplace_say),
        unit_test_long(a_drop_comes_to_rest_and_does_not_creep),
        unit_test_alone(no_quantum_is_lost_however_it_is_turned),
        unit_test_alone(energy_does_not_rise),
        unit_test_threads(threads_and_vectors_make_no_difference),
        unit_test_alone(what_sleeps_elsewhere_makes_no_difference),
        cmocka_unit_test(memory_that_is_refused_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
