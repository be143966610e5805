/* The allocator that keeps what is given back (base/blocks.h). */
#include "worlds.h"

#include "base/blocks.h"

/* Blocks are used again, also for somewhat less, and go back to the allocator behind at the end; a failure leaves
 * nothing. */
static void test_blocks(void **state) {
    (void)state;
    test_memory memory = { 0 };
    const rill_allocator behind = test_allocator(&memory);
    rill_blocks blocks = rill_blocks_make(&behind);
    const rill_allocator allocator = rill_blocks_allocator(&blocks);
    for (int frame = 0; frame < 5; ++frame) {
        const long before = memory.count;
        void *a = rill_alloc_zeroed(&allocator, 1000, 4), *b = rill_alloc_zeroed(&allocator, 100 - (size_t)frame, 1);
        assert_true(a && b && a != b && (uintptr_t)a % RILL_ALIGNMENT == 0);
        for (int i = 0; i < 4000; ++i) assert_int_equal(((char *)a)[i], 0);
        memset(a, 1, 4000);
        rill_free(&allocator, a, 1000, 4);
        rill_free(&allocator, b, 100 - (size_t)frame, 1);
        if (frame > 0) assert_int_equal(memory.count, before);
    }
    const long live = memory.live;
    memory.fail_at = memory.count + 1;
    assert_null(rill_alloc_zeroed(&allocator, 1 << 20, 1));
    memory.fail_at = 0;
    assert_int_equal(memory.live, live);
    void *large = rill_alloc_zeroed(&allocator, 3000, 4); /* takes the place of a block that is too small for it */
    assert_non_null(large);
    assert_int_equal(memory.live, live);
    rill_free(&allocator, large, 3000, 4);
    rill_blocks_free(&blocks);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_blocks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
