/* Shared by tests of the world: an allocator that counts and fails on demand, and one small house.
 *
 *   z ^                                                20 x 10 cells of 1 mm, the same in every y
 * 5mm |      ################                          "platform", cells 5 to 14, 4 to 5 mm above the floor
 * 3mm |                        #                       "wall", cell 17
 *   0 | ####################################           "floor"
 *     +---------------------------------------> x      so: two layers over cells 5 to 14, one elsewhere */
#ifndef RILL_TESTS_WORLDS_H
#define RILL_TESTS_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rill/rill.h>

#include "plain_world.h"

/* ---------------------------------------------------------------------------------------------------------- alone */

static inline void alone_is_left_out(void **state) {
    (void)state;
    skip();
}

/* A test in which one thread has all the work. The thread sanitizer sees nothing in it and takes ten times as long: it
 * leaves it out, unless it is asked for all (-DRILL_ALONE_PART=1). */
#define unit_test_alone(TEST)                                                                                          \
    { #TEST, ALONE_PART < 10 ? TEST : alone_is_left_out, NULL, NULL, NULL }

/* A test that is long for what comes of it, in code that others run as well: no sanitizer finds more by it. */
#define unit_test_long(TEST)                                                                                           \
    { #TEST, ALONE_PART == 1 ? TEST : alone_is_left_out, NULL, NULL, NULL }

/* A long test of threads: of the sanitizers the one for them runs it. */
#define unit_test_threads(TEST)                                                                                        \
    { #TEST, ALONE_PART == 1 || ALONE_PART >= 10 ? TEST : alone_is_left_out, NULL, NULL, NULL }

/* From one case to the next where many are of a few kinds: the sanitizers try one in five, and by that meet all kinds
 * that repeat after two, three or four. */
enum { NEXT_CASE = ALONE_PART > 1 ? 5 : 1 };

/* --------------------------------------------------------------------------------------------------------- memory */

typedef struct test_memory {
    long live;    /* blocks not yet released */
    long count;   /* blocks asked for */
    long fail_at; /* number of the request that is refused, from 1; 0: none */
    bool forever; /* and all later ones */
    long refused;
} test_memory;

static inline void *test_allocate(size_t size, size_t alignment, void *user) {
    test_memory *memory = user;
    memory->count += 1;
    if (memory->fail_at > 0 &&
        (memory->count == memory->fail_at || (memory->forever && memory->count > memory->fail_at))) {
        memory->refused += 1;
        return NULL;
    }
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    assert_non_null(block);
    memset(block, 0xa5, size); /* nobody may rely on zeros from the hook */
    memory->live += 1;
    return block;
}

static inline void test_release(void *block, size_t size, size_t alignment, void *user) {
    test_memory *memory = user;
    (void)alignment;
    assert_non_null(block);
    memset(block, 0x5a, size); /* also shows a wrong size to the sanitizer */
    memory->live -= 1;
    free(block);
}

static inline rill_allocator test_allocator(test_memory *memory) {
    return (rill_allocator){ .allocate = test_allocate, .release = test_release, .user = memory };
}

/* ---------------------------------------------------------------------------------------------------------- house */

static inline rill_solid_def box_def(const char *name, double x0, double y0, double z0, double x1, double y1,
                                     double z1) {
    rill_solid_def def = rill_default_solid_def();
    def.name = name;
    def.shape.type = RILL_SHAPE_BOX;
    memcpy(def.shape.min, (double[]){ x0, y0, z0 }, sizeof def.shape.min);
    memcpy(def.shape.max, (double[]){ x1, y1, z1 }, sizeof def.shape.max);
    return def;
}

static inline rill_world_def house_def(void) {
    rill_world_def def = plain_world_def();
    def.name = "house";
    def.grid.cells[0] = 20;
    def.grid.cells[1] = 10;
    def.headroom = 0.01;
    return def;
}

/* The first solid that cannot be created ends it. */
static inline rill_result add_house_solids(rill_world *world) {
    const rill_solid_def solids[] = {
        box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0),
        box_def("platform", 0.005, -1.0, 0.004, 0.015, 1.0, 0.005),
        box_def("wall", 0.017, -1.0, 0.0, 0.018, 1.0, 0.003),
    };
    rill_result result = RILL_OK;
    for (size_t i = 0; !result && i < sizeof solids / sizeof solids[0]; ++i) {
        rill_solid_id id;
        result = rill_solid_create(world, &solids[i], &id);
    }
    return result;
}

static inline void must(rill_world *world, rill_result result) {
    if (result != RILL_OK) fail_msg("%s: %s", rill_result_name(result), rill_world_message(world));
}

/* Expects a refusal whose message mentions `word`. */
static inline void must_refuse(rill_world *world, rill_result result, rill_result expected, const char *word) {
    assert_int_equal(result, expected);
    if (!strstr(rill_world_message(world), word)) fail_msg("\"%s\" is not in \"%s\"", word, rill_world_message(world));
}

static inline rill_world *make_house(const rill_world_def *def) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    must(world, add_house_solids(world));
    must(world, rill_bed_build(world));
    return world;
}

static inline rill_source_def point_source(const char *name, double x, double y, double z, double rate) {
    rill_source_def def = rill_default_source_def();
    def.name = name;
    memcpy(def.at, (double[]){ x, y, z }, sizeof def.at);
    def.rate = rate;
    return def;
}

/* A house with open and still edges, liquid on both layers and every kind of source: something in each section of a
 * snapshot. */
static inline rill_world *make_busy_house(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.0015 };
    if (runtime) def.runtime = *runtime;
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    must(world, rill_world_fill_level(world, (double[]){ 0.010, 0.005, 0.006 }, 0.006, NULL));
    rill_source_def well = point_source("well", 0.010, 0.005, 0.006, 2e-6);
    rill_source_def drain = point_source("drain", 0.002, 0.005, 0.001, 1e-6);
    drain.shape = RILL_SOURCE_DISC;
    drain.radius = 0.002;
    drain.sink = true;
    rill_source_def trough = point_source(NULL, 0.0, 0.0, 0.0, 1e-7);
    trough.shape = RILL_SOURCE_BOX;
    memcpy(trough.min, (double[]){ 0.006, 0.002, 0.0 }, sizeof trough.min);
    memcpy(trough.max, (double[]){ 0.009, 0.004, 0.001 }, sizeof trough.max);
    trough.until = 0.5;
    rill_source_def rain = point_source("rain", 0.0, 0.0, 0.0, 0.0);
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = 50.0;
    rill_source_id id, gone;
    must(world, rill_source_create(world, &well, &id));
    must(world, rill_source_create(world, &trough, &gone));
    must(world, rill_source_create(world, &drain, &id));
    must(world, rill_source_destroy(world, gone));
    must(world, rill_source_create(world, &rain, &id));
    must(world, rill_source_create(world, &trough, &id));
    return world;
}

static inline int64_t ledger_error(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    return ledger.error;
}

static inline void must_be_valid(const rill_world *world) {
    rill_message message = { "" };
    if (rill_world_validate(world, &message) != RILL_OK) fail_msg("%s", message.text);
}

#endif
