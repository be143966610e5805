/* A small pool of threads. A job is one atomic counter of indices that nobody has claimed yet:
 *
 *      caller   write task, context, count;  unfinished = count;  unclaimed = count (published)
 *      anybody  r = unclaimed;  r > 0 and swapped to r - 1:  run index count - r;  unfinished -= 1
 *      caller   returns when unfinished == 0
 *
 * A worker reads the job only after it has claimed an index, and the job cannot change before that index is done: so a
 * worker that wakes late finds either nothing to claim or a job it may work on, and no generation count is needed.
 *
 * Waiting is some tens of microseconds of spinning, because a sleep and a wake-up cost more than the whole sweep of a
 * small bed. While the pool is attended, threads spin for longer than what a step does on one thread between two jobs
 * takes: else workers would fall asleep and be woken in every sub-step. The spin yields now and then, because on a
 * machine whose cores are taken a pure one delays the very thread it waits for. Then the thread sleeps. Both sides keep
 * one protocol against lost wake-ups, in sequentially consistent order: a sleeper announces itself and looks again
 * before it sleeps; a waker publishes and then looks for sleepers. */
#define _POSIX_C_SOURCE 200809L /* sigset_t, pthread_sigmask */

#include "tasks/tasks.h"

#ifndef RILL_NO_THREADS /* see no_threads.c */

#include "base/alloc.h"
#include "base/assert.h"
#include "base/dispatch.h"
#include "base/message.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>

enum {
    SPIN_PAUSES = 2000,      /* 30 to 90 us: a pause takes 40 to 140 cycles */
    ATTENDED_PAUSES = 64000, /* 1 to 3 ms */
    SPIN_YIELD = 50          /* of these; every so often, less than 1 us when nobody else wants the core */
};

/* Threads asleep on one condition, and how many of them there are. */
typedef struct sleepers {
    pthread_cond_t condition;
    atomic_int count;
} sleepers;

struct rill_pool {
    /* Hammered by everybody: a cache line each. */
    alignas(64) atomic_int unclaimed;
    alignas(64) atomic_int unfinished;
    alignas(64) rill_task *task;
    void *context;
    int32_t count;
    atomic_bool stop;
    atomic_bool attended;

    pthread_mutex_t mutex;
    sleepers workers; /* wait for unclaimed > 0 or stop */
    sleepers caller;  /* waits for unfinished == 0 */
    int32_t thread_count;
    size_t capacity; /* of threads[], for giving the memory back */
    pthread_t threads[];
};

/* ----------------------------------------------------------------------------------------------- waiting and waking */

typedef bool ready_function(rill_pool *pool);

static bool work_or_stop(rill_pool *pool) {
    return atomic_load(&pool->unclaimed) > 0 || atomic_load(&pool->stop);
}

static bool all_done(rill_pool *pool) {
    return atomic_load(&pool->unfinished) == 0;
}

static void wait_until(rill_pool *pool, sleepers *place, ready_function *ready) {
    for (int i = 1; i <= (atomic_load(&pool->attended) ? ATTENDED_PAUSES : SPIN_PAUSES); ++i) {
        if (ready(pool)) return;
        if (i % SPIN_YIELD == 0) {
            sched_yield();
        } else {
            rill_processor_pause();
        }
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&place->count, 1);
    while (!ready(pool)) pthread_cond_wait(&place->condition, &pool->mutex);
    atomic_fetch_sub(&place->count, 1);
    pthread_mutex_unlock(&pool->mutex);
}

/* To be called after what the sleepers wait for was published. The lock makes sure that a thread which announced itself
 * is really asleep, or has yet to look. */
static void wake(rill_pool *pool, sleepers *place) {
    if (atomic_load(&place->count) == 0) return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&place->condition);
    pthread_mutex_unlock(&pool->mutex);
}

/* --------------------------------------------------------------------------------------------------------- the work */

/* Runs indices until none is left to claim. */
static void work(rill_pool *pool) {
    int unclaimed = atomic_load(&pool->unclaimed);
    while (unclaimed > 0) {
        if (!atomic_compare_exchange_weak(&pool->unclaimed, &unclaimed, unclaimed - 1)) continue;
        RILL_ASSERT(unclaimed <= pool->count);
        pool->task(pool->context, pool->count - unclaimed);
        if (atomic_fetch_sub(&pool->unfinished, 1) == 1) wake(pool, &pool->caller);
        unclaimed = atomic_load(&pool->unclaimed);
    }
}

static void *worker_main(void *argument) {
    rill_pool *pool = argument;
    while (!atomic_load(&pool->stop)) {
        work(pool);
        wait_until(pool, &pool->workers, work_or_stop);
    }
    return NULL;
}

void rill_parallel_for(const rill_runtime *runtime, rill_pool *pool, int32_t count, rill_task *task, void *context) {
    if (count > 1 && runtime->tasks.parallel_for) {
        runtime->tasks.parallel_for(runtime->tasks.user, count, task, context);
        return;
    }
    if (count <= 1 || !pool) {
        for (int32_t i = 0; i < count; ++i) task(context, i);
        return;
    }
    RILL_ASSERT(atomic_load(&pool->unclaimed) == 0 && atomic_load(&pool->unfinished) == 0); /* no job within a job */
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store(&pool->unfinished, count);
    atomic_store(&pool->unclaimed, count);
    wake(pool, &pool->workers);
    work(pool);
    wait_until(pool, &pool->caller, all_done);
    RILL_ASSERT(atomic_load(&pool->unclaimed) == 0);
}

void rill_pool_attend(rill_pool *pool, bool attended) {
    if (pool) atomic_store(&pool->attended, attended);
}

int32_t rill_tasks_width(const rill_runtime *runtime) {
    return runtime->tasks.threads < 1 ? 1 : runtime->tasks.threads;
}

/* --------------------------------------------------------------------------------------------------- start and stop */

static size_t pool_bytes(size_t threads) {
    return sizeof(rill_pool) + threads * sizeof(pthread_t);
}

static bool make_locks(rill_pool *pool) {
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) return false;
    if (pthread_cond_init(&pool->workers.condition, NULL) == 0) {
        if (pthread_cond_init(&pool->caller.condition, NULL) == 0) return true;
        pthread_cond_destroy(&pool->workers.condition);
    }
    pthread_mutex_destroy(&pool->mutex);
    return false;
}

/* Returns zero or the error of the first thread that could not be started. Workers take no signals: an interrupt is the
 * program's business. */
static int start_threads(rill_pool *pool) {
#ifndef _WIN32 /* which has no such signals */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
    int error = 0;
    while (error == 0 && (size_t)pool->thread_count < pool->capacity) {
        error = pthread_create(&pool->threads[pool->thread_count], NULL, worker_main, pool);
        if (error == 0) pool->thread_count += 1;
    }
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
    return error;
}

rill_result rill_pool_start(const rill_runtime *runtime, rill_pool **out, rill_message *message) {
    *out = NULL;
    int32_t width = rill_tasks_width(runtime);
    if (runtime->tasks.parallel_for || width == 1) return RILL_OK;
    size_t capacity = (size_t)width - 1;
    rill_pool *pool = rill_alloc_zeroed(&runtime->allocator, 1, pool_bytes(capacity));
    if (!pool) return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for a pool of %d threads", (int)width);
    pool->capacity = capacity;
    if (!make_locks(pool)) {
        rill_free(&runtime->allocator, pool, 1, pool_bytes(capacity));
        return rill_fail(message, RILL_OUT_OF_MEMORY, "the system has no room for the locks of a thread pool");
    }
    int error = start_threads(pool);
    if (error != 0) {
        int32_t started = pool->thread_count;
        rill_pool_stop(pool, &runtime->allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY,
                         "thread %d of %d could not be started (error %d): use fewer threads", (int)started + 2,
                         (int)width, error);
    }
    *out = pool;
    return RILL_OK;
}

void rill_pool_stop(rill_pool *pool, const rill_allocator *allocator) {
    if (!pool) return;
    atomic_store(&pool->stop, true);
    RILL_ASSERT(atomic_load(&pool->unfinished) == 0 && (size_t)pool->thread_count <= pool->capacity);
    wake(pool, &pool->workers);
    for (int32_t i = 0; i < pool->thread_count; ++i) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->caller.condition);
    pthread_cond_destroy(&pool->workers.condition);
    pthread_mutex_destroy(&pool->mutex);
    rill_free(allocator, pool, 1, pool_bytes(pool->capacity));
}

#endif
