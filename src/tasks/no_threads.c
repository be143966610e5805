/* The pool of a library without threads (RILL_THREADS=OFF): there is none. The caller's thread runs one index after the
 * other, unless the user has a scheduler. The number of threads asked for still counts as that of tasks, so that work
 * is cut into the same blocks. */
#include "tasks/tasks.h"

#ifdef RILL_NO_THREADS

void rill_parallel_for(const rill_runtime *runtime, rill_pool *pool, int32_t count, rill_task *task, void *context) {
    (void)pool;
    if (count > 1 && runtime->tasks.parallel_for) {
        runtime->tasks.parallel_for(runtime->tasks.user, count, task, context);
        return;
    }
    for (int32_t i = 0; i < count; ++i) task(context, i);
}

void rill_pool_attend(rill_pool *pool, bool attended) {
    (void)pool, (void)attended;
}

int32_t rill_tasks_width(const rill_runtime *runtime) {
    return runtime->tasks.threads < 1 ? 1 : runtime->tasks.threads;
}

rill_result rill_pool_start(const rill_runtime *runtime, rill_pool **out, rill_message *message) {
    (void)runtime, (void)message;
    *out = NULL;
    return RILL_OK;
}

void rill_pool_stop(rill_pool *pool, const rill_allocator *allocator) {
    (void)pool, (void)allocator;
}

#endif
