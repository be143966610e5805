/* Memory through hooks and kept blocks, growing arrays, hashes and messages. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/blocks.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An allocator that checks that sizes and alignments come back as they went out, and that fails when told to. */
typedef struct ledger {
    long long live_bytes;
    int live_blocks;
    int calls, fail_at; /* fail_at 0: never; n: the n-th call; negative: every call from the -n-th on */
} ledger;

static void *hook_allocate(size_t size, size_t alignment, void *user) {
    ledger *l = user;
    l->calls += 1;
    if (l->fail_at > 0 ? l->calls == l->fail_at : l->fail_at < 0 && l->calls >= -l->fail_at) return NULL;
    assert_true(size > 0);
    assert_int_equal(alignment, RILL_ALIGNMENT);
    size_t *memory = aligned_alloc(alignment, (size + 2 * alignment - 1) / alignment * alignment + alignment);
    assert_non_null(memory);
    memset(memory, 0xab, size + alignment); /* so that zeroing is seen to be done */
    memory[0] = size;
    l->live_bytes += (long long)size;
    l->live_blocks += 1;
    return (char *)memory + alignment;
}

static void hook_release(void *memory, size_t size, size_t alignment, void *user) {
    ledger *l = user;
    size_t *start = (size_t *)(void *)((char *)memory - alignment);
    assert_int_equal(start[0], size);
    l->live_bytes -= (long long)size;
    l->live_blocks -= 1;
    free(start);
}

static rill_allocator hooks(ledger *l) {
    return (rill_allocator){ .allocate = hook_allocate, .release = hook_release, .user = l };
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static void test_memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    ledger l = { 0 };
    rill_allocator allocators[] = { hooks(&l), rill_alloc_default() };
    for (size_t a = 0; a < 2; ++a) {
        for (size_t count = 0; count < 300; count += 7) {
            unsigned char *memory = rill_alloc_zeroed(&allocators[a], count, 3);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % RILL_ALIGNMENT, 0);
            for (size_t i = 0; i < 3 * count; ++i) assert_int_equal(memory[i], 0);
            rill_free(&allocators[a], memory, count, 3);
        }
    }
    assert_int_equal(l.live_bytes, 0);
}

static void test_memory_that_cannot_be(void **state) {
    (void)state;
    ledger l = { 0 };
    rill_allocator allocator = hooks(&l);
    assert_null(rill_alloc_zeroed(&allocator, SIZE_MAX / 2, 3));
    assert_null(rill_alloc_zeroed(&allocator, SIZE_MAX, 1));
    assert_null(rill_alloc_zeroed(&allocator, SIZE_MAX - RILL_ALIGNMENT + 1, 1));
    assert_int_equal(l.calls, 0); /* an overflow must not even reach the hook */
    l.fail_at = 1;
    assert_null(rill_alloc_zeroed(&allocator, 4, 4));
    rill_free(&allocator, NULL, 4, 4);
    rill_allocator libc = rill_alloc_default();
    assert_null(rill_alloc_zeroed(&libc, SIZE_MAX / 4, 2));
}

/* ------------------------------------------------------------------------------------------------------------ array */

static void test_array_grows(void **state) {
    (void)state;
    ledger l = { 0 };
    rill_allocator allocator = hooks(&l);
    rill_array array = rill_array_make(sizeof(int32_t));
    for (int32_t i = 0; i < 1000; ++i) {
        int32_t *place = rill_array_push(&array, &allocator, i % 3 == 0 ? NULL : &i);
        assert_non_null(place);
        assert_int_equal(*place, i % 3 == 0 ? 0 : i);
    }
    assert_int_equal(array.count, 1000);
    const int32_t *values = array.data;
    for (int32_t i = 0; i < 1000; ++i) assert_int_equal(values[i], i % 3 == 0 ? 0 : i);
    assert_true(l.calls < 20); /* grows in proportion, not one by one */
    rill_array_free(&array, &allocator);
    assert_int_equal(l.live_bytes, 0);
    assert_int_equal(array.count, 0);
    assert_int_equal(array.element, sizeof(int32_t));
}

static void test_array_resize_zeroes_again(void **state) {
    (void)state;
    ledger l = { 0 };
    rill_allocator allocator = hooks(&l);
    rill_array array = rill_array_make(sizeof(double));
    assert_true(rill_array_resize(&array, &allocator, 0));
    assert_non_null(array.data); /* adding to a null pointer, even nothing, is undefined */
    assert_true(rill_array_resize(&array, &allocator, 10));
    for (size_t i = 0; i < 10; ++i) {
        assert_true(((double *)array.data)[i] == 0.0);
        ((double *)array.data)[i] = 7.0;
    }
    assert_true(rill_array_resize(&array, &allocator, 4));
    assert_true(rill_array_resize(&array, &allocator, 100));
    for (size_t i = 0; i < 100; ++i) assert_true(((double *)array.data)[i] == (i < 4 ? 7.0 : 0.0));
    assert_false(rill_array_resize(&array, &allocator, SIZE_MAX / 4));
    assert_int_equal(array.count, 100);
    rill_array_free(&array, &allocator);
    assert_int_equal(l.live_bytes, 0);
}

static void test_array_survives_no_memory(void **state) {
    (void)state;
    for (int fail = 1; fail <= 8; ++fail) {
        ledger l = { .fail_at = -fail };
        rill_allocator allocator = hooks(&l);
        rill_array array = rill_array_make(sizeof(uint16_t));
        uint16_t pushed = 0;
        while (rill_array_push(&array, &allocator, &pushed)) pushed += 1;
        assert_int_equal(array.count, pushed);
        for (uint16_t i = 0; i < pushed; ++i) assert_int_equal(((uint16_t *)array.data)[i], i);
        assert_false(rill_array_resize(&array, &allocator, 10000));
        assert_int_equal(array.count, pushed);
        rill_array_free(&array, &allocator);
        assert_int_equal(l.live_bytes, 0);
    }
}

static void test_strings_are_copied(void **state) {
    (void)state;
    ledger l = { 0 };
    rill_allocator allocator = hooks(&l);
    char original[] = "saucer";
    char *copy = rill_string_copy(&allocator, original);
    char *empty = rill_string_copy(&allocator, NULL);
    original[0] = 'x';
    assert_string_equal(copy, "saucer");
    assert_string_equal(empty, "");
    rill_string_free(&allocator, copy);
    rill_string_free(&allocator, empty);
    rill_string_free(&allocator, NULL);
    assert_int_equal(l.live_bytes, 0);
    l = (ledger){ .fail_at = 1 };
    assert_null(rill_string_copy(&allocator, "no room"));
}

/* ------------------------------------------------------------------------------------------------- hash and message */

/* The hash is written into files and compared across machines: these numbers must never change. */
static void test_hash_is_pinned(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } known[] = {
        { "", 0xaf63bd49fd1c5dbbull },
        { "a", 0x25be3ab836378023ull },
        { "columns joined by pipes", 0xb3f1c1ce8e5494c2ull },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        assert_int_equal(rill_hash_bytes(RILL_HASH_START, known[i].text, strlen(known[i].text)), known[i].hash);
}

/* Independent of the word-wise code: each byte flipped, each length, each order must matter. */
static void test_hash_sees_every_bit_length_and_order(void **state) {
    (void)state;
    unsigned char data[37];
    uint64_t seen[37 * 8 + 38];
    size_t count = 0;
    for (size_t i = 0; i < sizeof data; ++i) data[i] = (unsigned char)(i * 29);
    for (size_t bit = 0; bit < 8 * sizeof data; ++bit) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        seen[count++] = rill_hash_bytes(RILL_HASH_START, data, sizeof data);
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = 0; size <= sizeof data; ++size) seen[count++] = rill_hash_bytes(RILL_HASH_START, data, size);
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < i; ++k) assert_true(seen[i] != seen[k]);
    unsigned char zeros[16] = { 0 }; /* padding zeros are not "nothing" */
    assert_true(rill_hash_bytes(RILL_HASH_START, zeros, 8) != rill_hash_bytes(RILL_HASH_START, zeros, 16));
    uint64_t ab = rill_hash_u64(rill_hash_u64(RILL_HASH_START, 1), 2);
    uint64_t ba = rill_hash_u64(rill_hash_u64(RILL_HASH_START, 2), 1);
    assert_true(ab != ba);
}

static void test_messages_are_cut_not_overrun(void **state) {
    (void)state;
    struct {
        rill_message message;
        char guard[8];
    } box;
    memset(&box, 'x', sizeof box);
    char text[600];
    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(rill_fail(&box.message, RILL_TOO_LARGE, "solid %s", text), RILL_TOO_LARGE);
    assert_int_equal(strlen(box.message.text), sizeof box.message.text - 1);
    assert_memory_equal(box.message.text, "solid yyy", 9);
    assert_memory_equal(box.guard, "xxxxxxxx", 8);
    assert_int_equal(rill_fail(NULL, RILL_INVALID_ID, "%d", 1), RILL_INVALID_ID);
}

static void test_found_where_it_is(void **state) {
    (void)state;
    typedef struct entry {
        int32_t key;
        double rest;
    } entry;
    entry entries[9];
    assert_null(rill_order_find(NULL, 0, sizeof(entry), 3));
    for (size_t count = 1; count <= 9; ++count) {
        for (size_t i = 0; i < count; ++i) entries[i] = (entry){ 3 * (int32_t)i - 7, 0.0 };
        for (int32_t key = -9; key < 3 * (int32_t)count; ++key) {
            const entry *found = rill_order_find(entries, count, sizeof(entry), key);
            const bool there = (key + 9) % 3 == 2 && key >= -7 && key <= entries[count - 1].key;
            assert_true(there ? found && found->key == key : !found);
        }
    }
}

/* Blocks are used again, also for somewhat less, and go back to the allocator behind at the end; a failure leaves
 * nothing. */
static void test_blocks(void **state) {
    (void)state;
    ledger l = { 0 };
    const rill_allocator behind = hooks(&l);
    rill_blocks blocks = rill_blocks_make(&behind);
    const rill_allocator allocator = rill_blocks_allocator(&blocks);
    for (int frame = 0; frame < 5; ++frame) {
        const int before = l.calls;
        void *a = rill_alloc_zeroed(&allocator, 1000, 4), *b = rill_alloc_zeroed(&allocator, 100 - (size_t)frame, 1);
        assert_true(a && b && a != b && (uintptr_t)a % RILL_ALIGNMENT == 0);
        for (int i = 0; i < 4000; ++i) assert_int_equal(((char *)a)[i], 0);
        memset(a, 1, 4000);
        rill_free(&allocator, a, 1000, 4);
        rill_free(&allocator, b, 100 - (size_t)frame, 1);
        if (frame > 0) assert_int_equal(l.calls, before);
    }
    const int live = l.live_blocks;
    l.fail_at = l.calls + 1;
    assert_null(rill_alloc_zeroed(&allocator, 1 << 20, 1));
    l.fail_at = 0;
    assert_int_equal(l.live_blocks, live);
    void *large = rill_alloc_zeroed(&allocator, 3000, 4); /* takes the place of a block that is too small for it */
    assert_non_null(large);
    assert_int_equal(l.live_blocks, live);
    rill_free(&allocator, large, 3000, 4);
    rill_blocks_free(&blocks);
    assert_int_equal(l.live_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_zeroed_and_aligned),
        cmocka_unit_test(test_memory_that_cannot_be),
        cmocka_unit_test(test_array_grows),
        cmocka_unit_test(test_array_resize_zeroes_again),
        cmocka_unit_test(test_array_survives_no_memory),
        cmocka_unit_test(test_strings_are_copied),
        cmocka_unit_test(test_found_where_it_is),
        cmocka_unit_test(test_hash_is_pinned),
        cmocka_unit_test(test_hash_sees_every_bit_length_and_order),
        cmocka_unit_test(test_messages_are_cut_not_overrun),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
