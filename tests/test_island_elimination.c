/* Flooded islands that sparse pipes tie together, as under leaning stems that stand in liquid: they are solved by
 * elimination, exactly, also where islands are taken for large of which pools have others, or sealed ones, in them. The
 * bits do not depend on threads, instruction sets and snapshots. */
#include <math.h>

#include "snapshots.h"
#include "tanks.h"

#include "passages/passages_internal.h"
#include "world/world.h"

enum { WIDE = 100, DEEP = 80 };

/* Stems that lean every way, close together, from the ground to above the liquid. */
static rill_world *vase(uint64_t number, const rill_runtime *runtime) {
    dice dice_of = { number * 0x2545f4914f6cdd1du }, *d = &dice_of;
    rill_world_def def = tank_def(WIDE, DEEP, RILL_PASSAGES_ANY);
    if (runtime) def.runtime = *runtime;
    def.headroom = 40 * MM;
    def.liquid.viscosity = 1e-6;
    rill_world *world = make_tank(&def);
    for (int i = 0; i < 50; ++i) {
        rill_solid_def stem = rill_default_solid_def();
        stem.shape.type = RILL_SHAPE_CYLINDER;
        const double x = between(d, 5, WIDE - 5), y = between(d, 5, DEEP - 5), round = between(d, 0, 6.28);
        const double reach = between(d, 20, 45);
        memcpy(stem.shape.from, (double[]){ x * MM, y * MM, -2 * MM }, sizeof stem.shape.from);
        memcpy(stem.shape.to, (double[]){ (x + reach * cos(round)) * MM, (y + reach * sin(round)) * MM, 40 * MM },
               sizeof stem.shape.to);
        stem.shape.radius = between(d, 1.0, 2.5) * MM;
        rill_solid_id id;
        must(world, rill_solid_create(world, &stem, &id));
    }
    build(world);
    fill(world, 1.5, 1.5, 0.5, 22);
    pour(world, 0.5 * WIDE, 0.5 * DEEP, 38, 3, 4e-5);
    return world;
}

/* Finds what the corrections x leave of f in the worst node, by the definition of the problem. */
static double worst_rest(const rill_passage_solver *passages, const double *f) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_edges *both[2] = { &passages->faces, &passages->pipes };
    double *rest = malloc((size_t)passages->node_count * sizeof *rest), worst = 0.0;
    assert_non_null(rest);
    memcpy(rest, f, (size_t)passages->node_count * sizeof *rest);
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 1; i < both[k]->count; ++i) {
            const int32_t l = both[k]->l[i], r = both[k]->r[i];
            const double w = (double)both[k]->gain[i] * (double)both[k]->reach[i],
                         flow = w * (nodes->x[l] - nodes->x[r]);
            rest[l] -= flow;
            rest[r] += flow;
        }
    for (int32_t n = 1; n < passages->node_count; ++n) worst = fmax(worst, nodes->active[n] ? fabs(rest[n]) : 0.0);
    free(rest);
    return worst;
}

/* Takes all islands for large, or every other one, and has these solved for anything. Returns whether that was by
 * elimination. */
static bool solves_anything(rill_passage_solver *passages, dice *d, int every) {
    rill_passage_nodes *nodes = &passages->nodes;
    const size_t count = (size_t)passages->node_count;
    double *f = calloc(count, sizeof *f);
    assert_non_null(f);
    rill_passages_find_islands(passages);
    passages->way = RILL_WAY_NONE;
    for (int32_t k = 0; k < passages->island_count; ++k) passages->islands[k].large = k % every == 0;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const bool solved = nodes->active[n] && passages->islands[passages->island_of[n]].large;
        nodes->x[n] = 0.0;
        nodes->f[n] = solved ? between(d, -1e4, 1e4) : 0.0;
    }
    rill_passages_balance_sealed(passages);
    memcpy(f, nodes->f, count * sizeof *f);
    const bool eliminated = rill_passages_choose_way(passages) == RILL_WAY_ELIMINATION;
    if (eliminated) {
        rill_passages_eliminate(passages);
        assert_true(worst_rest(passages, f) < 1e-3);
    }
    for (int32_t n = 1; n < passages->node_count; ++n) nodes->x[n] = 0.0;
    passages->way = RILL_WAY_NONE;
    free(f);
    return eliminated;
}

static void stems_are_eliminated(void **state) {
    (void)state;
    int32_t met = 0, solved = 0;
    for (uint64_t number = 1; number <= 4; ++number) {
        dice dice_of = { number };
        rill_world *world = vase(number, NULL);
        for (int i = 0; i < 10; ++i) {
            step(world, 4e-3);
            rill_passage_solver *passages = world->flow.passages;
            assert_true(passages->node_count > 200);
            met += passages->way == RILL_WAY_ELIMINATION;
            solved += solves_anything(passages, &dice_of, 1 + i % 3);
            check(world);
        }
        rill_world_destroy(world);
    }
    assert_true(met > 4 && solved > 20);
}

static uint64_t hash_after(uint64_t number, int32_t threads, bool scalar, bool saved_between) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = threads;
    runtime.scalar = scalar;
    rill_world *world = vase(number, &runtime);
    for (int i = 0; i < 8; ++i) {
        step(world, 4e-3);
        if (!saved_between || i % 2) continue;
        const saved kept = save(world);
        rill_world_destroy(world);
        world = load(kept, &runtime);
        free(kept.bytes);
    }
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void bits_are_the_same(void **state) {
    (void)state;
    for (uint64_t number = 1; number <= 3; ++number) {
        const uint64_t hash = hash_after(number, 1, false, false);
        assert_true(hash_after(number, 3, false, false) == hash);
        assert_true(hash_after(number, 1, true, false) == hash);
        assert_true(hash_after(number, 1, false, true) == hash);
    }
}

/* Wherever memory ends in a step: it is refused, or ends early, and goes on when there is some again. */
static void memory_may_be_refused(void **state) {
    (void)state;
    rill_world *world = vase(2, NULL);
    step(world, 4e-3);
    const saved kept = save(world);
    rill_world_destroy(world);
    int32_t refused_steps = 0, eliminated = 0;
    for (long call = 1; call < 64; call += 2) {
        test_memory memory = { .forever = true };
        rill_runtime runtime = rill_default_world_def().runtime;
        runtime.allocator = test_allocator(&memory);
        world = load(kept, &runtime);
        memory.fail_at = memory.count + call;
        const rill_result result = rill_world_step(world, 4e-3);
        assert_true(result == RILL_OUT_OF_MEMORY || (result == RILL_OK && memory.refused == 0));
        refused_steps += result != RILL_OK;
        check(world);
        memory.fail_at = 0;
        step(world, 4e-3);
        eliminated += world->flow.passages->way == RILL_WAY_ELIMINATION;
        check(world);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
    }
    free(kept.bytes);
    assert_true(refused_steps > 10 && eliminated > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stems_are_eliminated),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(memory_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
