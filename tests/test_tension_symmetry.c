/* Surface tension knows no direction: what is turned by quarter turns, flipped or transposed comes to what was not, turned
 * likewise, to the bit; so a drop that is symmetric stays so. */
#include "drops.h"

enum { N = 72, CELLS = N * N, SYMMETRIES = 8 }; /* tiles are not square, so that what is swept differs */

typedef struct place {
    int32_t x, y;
} place;

/* Symmetry k of the square: a transposition (bit 2), then flips of x (bit 0) and y (bit 1). */
static place image(int k, place p) {
    place q = k & 4 ? (place){ p.y, p.x } : p;
    q.x = k & 1 ? N - 1 - q.x : q.x;
    q.y = k & 2 ? N - 1 - q.y : q.y;
    return q;
}

static double at(const double *values, place p) {
    return values[p.y * N + p.x];
}

/* The velocity from cell a to its neighbour b; faces hold that through the west and the south side of each cell. */
static double velocity_between(const double *faces, place a, place b) {
    const bool forward = b.x > a.x || b.y > a.y;
    const place upper = forward ? b : a;
    const double u = faces[2 * (upper.y * N + upper.x) + (a.y != b.y)];
    return forward ? u : -u;
}

/* A world before it is turned. */
typedef struct pattern {
    double heights[CELLS], depths[CELLS];
} pattern;

typedef struct look {
    double depths[CELLS], faces[2 * CELLS];
} look;

static rill_world *make_turned(const pattern *made, int k, double advancing, double receding) {
    static double heights[CELLS], depths[CELLS];
    rill_world_def def = plate_def(N, N, 5e-4, advancing, receding);
    rill_world *world = NULL;
    rill_message message = { "" };
    for (int32_t i = 0; i < CELLS; ++i) {
        const place there = image(k, (place){ i % N, i / N });
        heights[there.y * N + there.x] = made->heights[i];
        depths[there.y * N + there.x] = made->depths[i];
    }
    if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
    rill_solid_def ground = rill_default_solid_def();
    rill_solid_id id;
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = N;
    must(world, rill_solid_create(world, &ground, &id));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
    return world;
}

static void look_at(const rill_world *world, look *out) {
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, out->depths, CELLS), RILL_OK);
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, 0, out->faces, 2 * CELLS), RILL_OK);
}

/* Counts depths and velocities of `turned` that are not the image of those of `plain`. */
static int differences(int k, const look *plain, const look *turned) {
    int count = 0;
    for (int32_t i = 0; i < CELLS; ++i) {
        const place here = { i % N, i / N }, there = image(k, here);
        const place before[2] = { { here.x - 1, here.y }, { here.x, here.y - 1 } };
        count += at(plain->depths, here) != at(turned->depths, there);
        for (int axis = 0; axis < 2; ++axis)
            if (axis ? here.y > 0 : here.x > 0)
                count += velocity_between(plain->faces, before[axis], here) !=
                         velocity_between(turned->faces, image(k, before[axis]), there);
    }
    return count;
}

static double fastest(const look *seen) {
    double most = 0.0;
    for (int i = 0; i < 2 * CELLS; ++i) most = fmax(most, fabs(seen->faces[i]));
    return most;
}

/* A drop in the middle of rings, even to the bit: squares of whole numbers. */
static void draw_rings(pattern *out, double deep, double bumps) {
    for (int32_t i = 0; i < CELLS; ++i) {
        const int32_t dx = 2 * (i % N) + 1 - N, dy = 2 * (i / N) + 1 - N;
        const double r2 = (double)(dx * dx + dy * dy) / (N * N);
        out->heights[i] = bumps * cos(40.0 * r2);
        out->depths[i] = r2 < 0.06 ? deep : 0.0;
    }
}

static void round_drops_stay_round(void **state) {
    (void)state;
    static pattern made;
    static look seen;
    const struct {
        double deep, bumps, advancing, receding;
    } cases[] = { { 2e-3, 0.0, 60, 60 }, { 3e-3, 0.0, 80, 20 }, { 2e-3, 4e-4, 40, 30 }, { 6e-4, 0.0, 120, 100 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        draw_rings(&made, cases[i].deep, cases[i].bumps);
        rill_world *world = make_turned(&made, 0, cases[i].advancing, cases[i].receding);
        for (int step = 0; step < 30 / NEXT_CASE; ++step) {
            must(world, rill_world_step(world, 1.0 / 120));
            look_at(world, &seen);
            for (int k = 1; k < SYMMETRIES; ++k)
                if (differences(k, &seen, &seen))
                    fail_msg("drop %zu, step %d: %d values differ from their image %d", i, step,
                             differences(k, &seen, &seen), k);
        }
        assert_true(fastest(&seen) > 1e-4);
        rill_world_destroy(world);
    }
}

/* Puddles and drops on rough ground with steps and holes. */
static void draw_puddles(pattern *out, uint64_t seed) {
    memset(out, 0, sizeof *out);
    for (int32_t i = 0; i < CELLS; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int32_t x = i % N, y = i / N;
        out->heights[i] = 2e-4 * sin(0.4 * x) * cos(0.27 * y) + 1e-5 * (double)(seed >> 60);
        if (x > 40 && y < 30) out->heights[i] += 1.5e-3;
        if ((x - 20) * (x - 20) + (y - 50) * (y - 50) < 60) out->heights[i] -= 2e-3;
    }
    for (int drops = 0; drops < 14; ++drops) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int32_t cx = (int32_t)(seed >> 33) % N, cy = (int32_t)(seed >> 40) % N, r = 3 + (int32_t)(seed >> 50) % 7;
        for (int32_t i = 0; i < CELLS; ++i) {
            const int32_t r2 = (i % N - cx) * (i % N - cx) + (i / N - cy) * (i / N - cy);
            if (r2 < r * r) out->depths[i] += 2e-3 * (1.0 - (double)r2 / (r * r));
        }
    }
}

static void turned_puddles_keep_their_bits(void **state) {
    (void)state;
    enum { STEPS = 12 };
    static pattern made;
    static look plain, turned;
    for (uint64_t seed = 1; seed <= 3; seed += NEXT_CASE) {
        draw_puddles(&made, seed);
        rill_world *first = make_turned(&made, 0, 70, 35);
        for (int step = 0; step < STEPS; ++step) must(first, rill_world_step(first, 1.0 / 120));
        look_at(first, &plain);
        assert_true(fastest(&plain) > 0.01 && ledger_error(first) == 0);
        for (int k = 1; k < SYMMETRIES; ++k) {
            rill_world *world = make_turned(&made, k, 70, 35);
            for (int step = 0; step < STEPS; ++step) must(world, rill_world_step(world, 1.0 / 120));
            look_at(world, &turned);
            const int count = differences(k, &plain, &turned);
            if (count) fail_msg("seed %d, image %d: %d values differ", (int)seed, k, count);
            rill_world_destroy(world);
        }
        rill_world_destroy(first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(round_drops_stay_round),
                                        unit_test_alone(turned_puddles_keep_their_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
