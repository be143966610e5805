/* The thread pool: every index runs once, on any number of threads; idle workers cost nothing; a thread that cannot be
 * started is an error that leaves nothing behind. The linker wraps pthread_create, so that it can be made to fail. */
#define _POSIX_C_SOURCE 200809L

#include "base/alloc.h"
#include "tasks/tasks.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* --------------------------------------------------------------------------------------------- what is watched over */

static int creations_allowed = -1; /* negative: any number */
static int live_blocks;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    if (creations_allowed == 0) return EAGAIN;
    if (creations_allowed > 0) creations_allowed -= 1;
    return __real_pthread_create(thread, attributes, start, argument);
}

static void *counting_allocate(size_t size, size_t alignment, void *user) {
    if (*(bool *)user) return NULL;
    live_blocks += 1;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *memory, size_t size, size_t alignment, void *user) {
    (void)size, (void)alignment, (void)user;
    live_blocks -= 1;
    free(memory);
}

static bool refuse_memory;

static rill_runtime runtime_of(int32_t threads) {
    refuse_memory = false;
    return (rill_runtime){
        .allocator = { .allocate = counting_allocate, .release = counting_release, .user = &refuse_memory },
        .tasks = { .threads = threads },
    };
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -------------------------------------------------------------------------------------------------------- the tests */

enum { MOST = 1000 };

typedef struct tally {
    atomic_int runs[MOST];
    int32_t plain[MOST]; /* written without atomics: the pool itself must order this against the caller */
    int32_t round;
} tally;

static void count_index(void *context, int32_t index) {
    tally *t = context;
    atomic_fetch_add(&t->runs[index], 1);
    t->plain[index] = t->round + index;
}

static void run_rounds(rill_runtime *runtime, int32_t rounds) {
    static const int32_t counts[] = { 1, 2, 3, 7, 64, MOST };
    tally *t = calloc(1, sizeof *t);
    assert_non_null(t);
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(runtime, &pool, NULL), RILL_OK);
    for (t->round = 0; t->round < rounds; ++t->round) {
        int32_t count = counts[t->round % 6];
        memset(t->runs, 0, sizeof t->runs);
        rill_parallel_for(runtime, pool, count, count_index, t);
        for (int32_t i = 0; i < MOST; ++i) assert_int_equal(atomic_load(&t->runs[i]), i < count);
        for (int32_t i = 0; i < count; ++i) assert_int_equal(t->plain[i], t->round + i);
    }
    rill_pool_stop(pool, &runtime->allocator);
    free(t);
    assert_int_equal(live_blocks, 0);
}

static void test_every_index_runs_once(void **state) {
    (void)state;
    static const int32_t widths[] = { 1, 2, 3, 8, 33 };
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; ++w) {
        rill_runtime runtime = runtime_of(widths[w]);
        run_rounds(&runtime, 600);
    }
}

/* Sleeps between jobs, so that workers are found spinning, yielding, asleep and on the way to each. */
static void test_no_wake_up_is_lost(void **state) {
    (void)state;
    rill_runtime runtime = runtime_of(4);
    tally *t = calloc(1, sizeof *t);
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(&runtime, &pool, NULL), RILL_OK);
    for (int32_t round = 0; round < 400; ++round) {
        struct timespec nap = { 0, 700 * (round % 100) };
        nanosleep(&nap, NULL);
        memset(t->runs, 0, sizeof t->runs);
        rill_parallel_for(&runtime, pool, 9, count_index, t);
        for (int32_t i = 0; i < 9; ++i) assert_int_equal(atomic_load(&t->runs[i]), 1);
    }
    rill_pool_stop(pool, &runtime.allocator);
    free(t);
}

static void count_and_nap(void *context, int32_t index) {
    struct timespec nap = { 0, index == 0 ? 20000000 : 0 };
    nanosleep(&nap, NULL);
    atomic_fetch_add((atomic_int *)context, 1);
}

static void test_caller_waits_for_slow_tasks(void **state) {
    (void)state;
    rill_runtime runtime = runtime_of(3);
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(&runtime, &pool, NULL), RILL_OK);
    for (int round = 0; round < 5; ++round) {
        atomic_int done = 0;
        rill_parallel_for(&runtime, pool, 4, count_and_nap, &done);
        assert_int_equal(atomic_load(&done), 4);
    }
    rill_pool_stop(pool, &runtime.allocator);
}

typedef struct meeting {
    pthread_barrier_t barrier;
} meeting;

static void meet(void *context, int32_t index) {
    (void)index;
    pthread_barrier_wait(&((meeting *)context)->barrier);
}

/* Four tasks that wait for each other finish only if four threads really run them at once, the caller among them. */
static void test_tasks_run_at_once(void **state) {
    (void)state;
    rill_runtime runtime = runtime_of(4);
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(&runtime, &pool, NULL), RILL_OK);
    meeting m;
    pthread_barrier_init(&m.barrier, NULL, 4);
    for (int round = 0; round < 50; ++round) rill_parallel_for(&runtime, pool, 4, meet, &m);
    pthread_barrier_destroy(&m.barrier);
    rill_pool_stop(pool, &runtime.allocator);
}

/* Idle workers use no time even while job is expected to follow job, but none does. */
static void test_idle_workers_use_no_time(void **state) {
    (void)state;
    rill_runtime runtime = runtime_of(3);
    tally *t = calloc(1, sizeof *t);
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(&runtime, &pool, NULL), RILL_OK);
    rill_pool_attend(pool, true);
    rill_parallel_for(&runtime, pool, 64, count_index, t);
    struct timespec nap = { 0, 20000000 };
    nanosleep(&nap, NULL); /* long enough to fall asleep on a busy machine */
    double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    nap.tv_nsec = 200000000;
    nanosleep(&nap, NULL);
    double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
    assert_true(used < 0.02); /* two spinning workers would have used 0.4 s */
    rill_pool_stop(pool, &runtime.allocator);
    free(t);
}

static void user_parallel_for(void *user, int32_t count, rill_task *task, void *context) {
    *(int32_t *)user += count;
    for (int32_t i = count - 1; i >= 0; --i) task(context, i);
}

static void test_users_scheduler_is_used(void **state) {
    (void)state;
    int32_t seen = 0;
    rill_runtime runtime = runtime_of(4);
    runtime.tasks.parallel_for = user_parallel_for;
    runtime.tasks.user = &seen;
    creations_allowed = 0; /* no thread may be started */
    run_rounds(&runtime, 12);
    creations_allowed = -1;
    assert_int_equal(seen, 2 * (2 + 3 + 7 + 64 + MOST)); /* a single index runs on the caller */
    assert_int_equal(rill_tasks_width(&runtime), 4);
}

static void test_one_thread_starts_none(void **state) {
    (void)state;
    creations_allowed = 0;
    rill_runtime runtime = runtime_of(1);
    run_rounds(&runtime, 12);
    runtime.tasks.threads = 0;
    run_rounds(&runtime, 12);
    assert_int_equal(rill_tasks_width(&runtime), 1);
    creations_allowed = -1;
}

static void test_thread_that_cannot_start(void **state) {
    (void)state;
    for (int allowed = 0; allowed < 5; ++allowed) {
        rill_runtime runtime = runtime_of(6);
        rill_message message = { "" };
        rill_pool *pool = NULL;
        creations_allowed = allowed;
        assert_int_equal(rill_pool_start(&runtime, &pool, &message), RILL_OUT_OF_MEMORY);
        creations_allowed = -1;
        assert_null(pool);
        assert_non_null(strstr(message.text, "of 6 could not be started"));
        assert_int_equal(message.text[7], '2' + allowed);
        assert_int_equal(live_blocks, 0);
    }
}

static void test_no_memory_for_the_pool(void **state) {
    (void)state;
    rill_runtime runtime = runtime_of(6);
    refuse_memory = true;
    rill_message message = { "" };
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(&runtime, &pool, &message), RILL_OUT_OF_MEMORY);
    assert_null(pool);
    assert_non_null(strstr(message.text, "6 threads"));
    assert_int_equal(live_blocks, 0);
}

static void test_nothing_to_do(void **state) {
    (void)state;
    rill_runtime runtime = runtime_of(2);
    rill_pool *pool = NULL;
    assert_int_equal(rill_pool_start(&runtime, &pool, NULL), RILL_OK);
    rill_parallel_for(&runtime, pool, 0, NULL, NULL); /* would crash if it called the task */
    rill_parallel_for(&runtime, pool, -3, NULL, NULL);
    rill_pool_stop(pool, &runtime.allocator);
    rill_pool_stop(NULL, &runtime.allocator);
    assert_int_equal(live_blocks, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_runs_once),       cmocka_unit_test(test_no_wake_up_is_lost),
        cmocka_unit_test(test_caller_waits_for_slow_tasks), cmocka_unit_test(test_tasks_run_at_once),
        cmocka_unit_test(test_idle_workers_use_no_time),    cmocka_unit_test(test_users_scheduler_is_used),
        cmocka_unit_test(test_one_thread_starts_none),      cmocka_unit_test(test_thread_that_cannot_start),
        cmocka_unit_test(test_no_memory_for_the_pool),      cmocka_unit_test(test_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
