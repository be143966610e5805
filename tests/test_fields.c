/* Parts of fields, as doubles and as floats, against the whole layer. */
#include "worlds.h"

#include <math.h>

enum { NX = 20, NY = 10, CELLS = NX * NY };

static const rill_field fields[] = { RILL_FIELD_BASE,     RILL_FIELD_CEILING, RILL_FIELD_DEPTH,
                                     RILL_FIELD_VELOCITY, RILL_FIELD_FACES,   RILL_FIELD_AWAKE };

static rill_world *make_moving(void) {
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    double depths[CELLS], velocities[2 * CELLS];
    for (int i = 0; i < CELLS; ++i) {
        depths[i] = i % 3 == 0 ? 0.0 : 0.0001 * (i % 7);
        velocities[2 * i] = 0.01 * (i % 11);
        velocities[2 * i + 1] = -0.02 * (i % 5);
    }
    for (int32_t layer = 0; layer < 2; ++layer) {
        must(world, rill_world_fill_depths(world, layer, depths, CELLS, NULL));
        must(world, rill_world_set_velocities(world, layer, velocities, 2 * CELLS));
    }
    return world;
}

static bool same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b;
}

static void compare(rill_world *world, rill_field field, const rill_field_area *area) {
    double whole[2 * CELLS], part[2 * CELLS + 1];
    float floats[2 * CELLS + 1];
    const size_t values = field == RILL_FIELD_VELOCITY || field == RILL_FIELD_FACES ? 2 : 1;
    const int32_t wide = area->high[0] - area->low[0], high = area->high[1] - area->low[1];
    const size_t count = values * (size_t)wide * (size_t)high;
    must(world, rill_world_read_field(world, field, area->layer, whole, values * CELLS));
    part[count] = 7.0;
    floats[count] = 7.0f;
    must(world, rill_world_read_field_area(world, field, area, part, count));
    must(world, rill_world_read_field_floats(world, field, area, floats, count));
    for (size_t i = 0; i < count; ++i) {
        const size_t cell = i / values, x = cell % (size_t)wide, y = cell / (size_t)wide;
        const size_t at = ((size_t)area->low[1] + y) * NX + (size_t)area->low[0] + x;
        assert_true(same(part[i], whole[values * at + i % values]));
        assert_true(same((double)floats[i], (double)(float)part[i]));
    }
    assert_true(part[count] == 7.0 && floats[count] == 7.0f);
}

static void test_parts(void **state) {
    (void)state;
    rill_world *world = make_moving();
    uint32_t random = 1;
    for (int turn = 0; turn < 300; ++turn) {
        rill_field_area area = { .layer = turn % 2 };
        const int32_t cells[2] = { NX, NY };
        for (int i = 0; i < 2; ++i) {
            random = random * 1664525u + 1013904223u;
            area.low[i] = (int32_t)(random >> 16) % (cells[i] + 1);
            random = random * 1664525u + 1013904223u;
            area.high[i] = area.low[i] + (int32_t)(random >> 16) % (cells[i] + 1 - area.low[i]);
        }
        compare(world, fields[turn % 6], &area);
    }
    for (int i = 0; i < 6; ++i) compare(world, fields[i], &(rill_field_area){ .layer = 1, .high = { NX, NY } });
    const rill_field_area none = { .low = { 3, 3 }, .high = { 3, 5 } };
    must(world, rill_world_read_field_area(world, RILL_FIELD_BASE, &none, NULL, 0));
    rill_world_destroy(world);
}

/* Refuses both forms of a call with the same message, and nothing is written. */
static void refuse(rill_world *world, int field, const rill_field_area *area, size_t count, rill_result result,
                   const char *message) {
    double doubles[4] = { 7.0, 7.0, 7.0, 7.0 };
    float floats[4] = { 7.0f, 7.0f, 7.0f, 7.0f };
    must_refuse(world, rill_world_read_field_area(world, (rill_field)field, area, doubles, count), result, message);
    must_refuse(world, rill_world_read_field_floats(world, (rill_field)field, area, floats, count), result, message);
    for (int i = 0; i < 4; ++i) assert_true(doubles[i] == 7.0 && floats[i] == 7.0f);
}

static void test_refused(void **state) {
    (void)state;
    rill_world *world = make_moving();
    const rill_field_area four = { .low = { 1, 1 }, .high = { 3, 3 } };
    refuse(world, RILL_FIELD_BASE, NULL, 4, RILL_INVALID_ARGUMENT, "area is NULL");
    refuse(world, 99, &four, 4, RILL_INVALID_ARGUMENT, "field is 99");
    refuse(world, RILL_FIELD_PRESSURE, &four, 4, RILL_INVALID_STATE, "KANDEMIR");
    refuse(world, RILL_FIELD_BASE, &four, 3, RILL_INVALID_ARGUMENT, "room for 4");
    refuse(world, RILL_FIELD_FACES, &four, 4, RILL_INVALID_ARGUMENT, "room for 8");
    refuse(world, RILL_FIELD_BASE, &(rill_field_area){ .layer = 9, .low = { 1, 1 }, .high = { 3, 3 } }, 4,
           RILL_INVALID_ARGUMENT, "layer is 9");
    refuse(world, RILL_FIELD_BASE, &(rill_field_area){ .low = { -1, 1 }, .high = { 1, 3 } }, 4, RILL_INVALID_ARGUMENT,
           "area.low[0] is -1");
    refuse(world, RILL_FIELD_BASE, &(rill_field_area){ .low = { 3, 1 }, .high = { 1, 3 } }, 4, RILL_INVALID_ARGUMENT,
           "area.low[0] is 3");
    refuse(world, RILL_FIELD_BASE, &(rill_field_area){ .low = { 1, 9 }, .high = { 3, 11 } }, 4, RILL_INVALID_ARGUMENT,
           "area.high[1] is 11");
    must_refuse(world, rill_world_read_field_area(world, RILL_FIELD_BASE, &four, NULL, 4), RILL_INVALID_ARGUMENT,
                "NULL");
    must_refuse(world, rill_world_read_field_floats(world, RILL_FIELD_BASE, &four, NULL, 4), RILL_INVALID_ARGUMENT,
                "NULL");
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_parts), cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
