/* The audit finds a quantum that was stolen on purpose and names the stage that did it: builds with asserts only. */
#include "world/world.h"
#include "worlds.h"

static struct {
    int calls;
    char first[128];
} heard;

static void hear(const char *condition, const char *file, int32_t line, void *user) {
    (void)file, (void)line, (void)user;
    if (heard.calls++ == 0) snprintf(heard.first, sizeof heard.first, "%s", condition);
}

/* A scheduler that steals from a column in the middle of a stage that shares its work. */
static struct {
    rill_world *world;
    int32_t amount;
} thief;

static void run_and_steal(void *user, int32_t count, rill_task *task, void *context) {
    (void)user;
    for (int32_t i = 0; i < count; ++i) task(context, i);
    if (!thief.world || thief.amount == 0) return;
    thief.world->flow.H[thief.world->bed.places[0]] -= thief.amount;
    thief.amount = 0;
}

/* A pool that swashes, so that its tiles stay awake, and large enough for the sweep to share its work. */
static rill_world *make_pool(void) {
    rill_world_def def = plain_world_def();
    def.gravity[0] = 1.0;
    def.grid = (rill_grid){ .cells = { 128, 128 }, .cell_size = 0.001 };
    def.runtime.tasks = (rill_tasks){ .parallel_for = run_and_steal, .threads = 4 };
    rill_world *world;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    rill_solid_def floor = rill_default_solid_def();
    floor.shape.type = RILL_SHAPE_PLANE;
    floor.shape.axis[2] = 1.0;
    rill_solid_id id;
    assert_int_equal(rill_solid_create(world, &floor, &id), RILL_OK);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    const double at[3] = { 0.064, 0.064, 0.001 };
    assert_int_equal(rill_world_fill_level(world, at, 0.004, NULL), RILL_OK);
    return world;
}

static void listen(void) {
    if (!rill_asserts_enabled()) skip();
    memset(&heard, 0, sizeof heard);
    memset(&thief, 0, sizeof thief);
    rill_set_assert_hook(hear, NULL);
}

static int stop_listening(void **state) {
    (void)state;
    rill_set_assert_hook(NULL, NULL);
    return 0;
}

static void test_nothing_is_heard_of_an_honest_world(void **state) {
    (void)state;
    listen();
    rill_world *world = make_pool();
    for (int i = 0; i < 5; ++i) rill_world_step(world, 1.0 / 60.0);
    assert_int_equal(heard.calls, 0);
    rill_world_destroy(world);
}

static void test_quantum_stolen_between_steps(void **state) {
    (void)state;
    listen();
    rill_world *world = make_pool();
    rill_world_step(world, 1.0 / 60.0);
    world->flow.H[world->bed.places[7]] -= 1;
    rill_world_step(world, 1.0 / 60.0);
    assert_true(heard.calls > 0);
    assert_string_equal(heard.first, "ledger: 1 quanta missing after stage 'sources'");
    rill_world_destroy(world);
}

/* Quanta stolen from within the sweep, and one put in: by a task that runs behind its back. */
static void test_quanta_stolen_in_the_sweep(void **state) {
    (void)state;
    static const int32_t amounts[] = { 3, -1 };
    for (int i = 0; i < 2; ++i) {
        listen();
        rill_world *world = make_pool();
        rill_world_step(world, 1.0 / 60.0);
        assert_int_equal(heard.calls, 0);
        thief.world = world;
        thief.amount = amounts[i];
        rill_world_step(world, 1.0 / 60.0);
        assert_int_equal(thief.amount, 0);
        assert_true(heard.calls > 0);
        assert_string_equal(heard.first, i == 0 ? "ledger: 3 quanta missing after stage 'sweep'"
                                                : "ledger: 1 quanta too many after stage 'sweep'");
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_nothing_is_heard_of_an_honest_world, stop_listening),
        cmocka_unit_test_teardown(test_quantum_stolen_between_steps, stop_listening),
        cmocka_unit_test_teardown(test_quanta_stolen_in_the_sweep, stop_listening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
