/* Shared by tests of snapshots: saving and loading, and damage and forgery of all kinds. Looks inside for the
 * checksum. */
#ifndef RILL_TESTS_SNAPSHOTS_H
#define RILL_TESTS_SNAPSHOTS_H

#include "worlds.h"

#include "snapshot/snapshot.h"

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static inline saved save(const rill_world *world) {
    saved s = { .size = rill_snapshot_size(world) };
    assert_true(s.size > RILL_SNAPSHOT_HEADER);
    s.bytes = malloc(s.size); /* exactly: the sanitizer sees a write beyond */
    assert_non_null(s.bytes);
    size_t size = 0;
    assert_int_equal(rill_snapshot_save(world, s.bytes, s.size, &size), RILL_OK);
    assert_int_equal(size, s.size);
    return s;
}

static inline rill_world *load(saved s, const rill_runtime *runtime) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_snapshot_load(s.bytes, s.size, runtime, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    must_be_valid(world);
    return world;
}

static inline void run(rill_world *world, int steps, double dt) {
    for (int i = 0; i < steps; ++i) assert_int_equal(rill_world_step(world, dt), RILL_OK);
}

/* ---------------------------------------------------------------------------------------------------------- damage */

static inline void refused(const void *bytes, size_t size) {
    rill_world *world = NULL;
    rill_message message = { "" };
    assert_int_equal(rill_snapshot_load(bytes, size, NULL, &world, &message), RILL_INVALID_DATA);
    assert_null(world);
    assert_true(message.text[0] != '\0');
}

/* Every length but the right one. */
static inline void check_truncations(rill_world *world) {
    const saved s = save(world);
    for (size_t size = 0; size < s.size; ++size) {
        unsigned char *exact = malloc(size + 1); /* malloc(0) may be NULL */
        memcpy(exact, s.bytes, size);
        refused(exact, size);
        free(exact);
    }
    unsigned char *longer = calloc(1, s.size + 8);
    memcpy(longer, s.bytes, s.size);
    refused(longer, s.size + 8);
    free(longer);
    free(s.bytes);
}

static inline void check_bit_flips(rill_world *world) {
    const saved s = save(world);
    for (size_t i = 0; i < 8 * s.size; ++i) {
        s.bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        refused(s.bytes, s.size);
        s.bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
    rill_world_destroy(load(s, NULL));
    free(s.bytes);
}

static inline void put_u64(unsigned char *at, uint64_t value) {
    for (int i = 0; i < 8; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static inline void forge(saved s) {
    put_u64(s.bytes + 16, s.size);
    put_u64(s.bytes + RILL_SNAPSHOT_CHECKSUM_AT, rill_snapshot_checksum(s.bytes, s.size));
}

/* Loads what may be nonsense; what is accepted has to be a world that works. Returns whether it was. */
static inline bool try_forgery(saved s) {
    rill_world *world = NULL;
    rill_message message = { "" };
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    const rill_result result = rill_snapshot_load(s.bytes, s.size, &runtime, &world, &message);
    assert_true(result == RILL_OK || result == RILL_INVALID_DATA);
    if (!result) {
        must_be_valid(world);
        rill_solver solver;
        must(world, rill_world_get_solver(world, &solver));
        solver.max_substeps = 4; /* an absurd but legal cell size must not cost the test a minute */
        must(world, rill_world_set_solver(world, &solver));
        for (int i = 0; i < 2; ++i) rill_world_step(world, 0.001);
        must_be_valid(world);
        rill_world_destroy(world);
    }
    assert_int_equal(memory.live, 0);
    return result == RILL_OK;
}

/* Each byte of a part to each extreme, then runs of random bytes anywhere. */
static inline void check_forgeries(rill_world *world, size_t from, size_t to, int random) {
    const saved s = save(world);
    saved t = { .bytes = malloc(s.size) };
    uint64_t dice = 88172645463325252u;
    int accepted = 0, tried = 0;
    static const unsigned char extremes[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    for (size_t at = from; at < to; ++at) {
        for (size_t k = 0; k < sizeof extremes; ++k) {
            t.size = s.size;
            memcpy(t.bytes, s.bytes, s.size);
            t.bytes[at] = extremes[k];
            forge(t);
            accepted += try_forgery(t);
            tried += 1;
        }
    }
    for (int i = 0; i < random; ++i) { /* and cuts */
        t.size = s.size;
        memcpy(t.bytes, s.bytes, s.size);
        dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
        size_t at = RILL_SNAPSHOT_HEADER + dice % (s.size - RILL_SNAPSHOT_HEADER);
        const size_t length = 1 + (dice >> 32) % 8;
        for (size_t k = 0; k < length && at < s.size; ++k, ++at) {
            dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
            t.bytes[at] = (unsigned char)(dice >> 24);
        }
        if (i % 8 == 0) t.size = RILL_SNAPSHOT_HEADER + (dice >> 20) % (s.size - RILL_SNAPSHOT_HEADER);
        forge(t);
        accepted += try_forgery(t);
        tried += 1;
    }
    assert_true(accepted > tried / 100 && tried - accepted > tried / 100); /* both happen */
    free(t.bytes);
    free(s.bytes);
}

#endif
