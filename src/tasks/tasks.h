/* parallel_for with fixed blocks, on the user's scheduler or on a small pool of our own. */
#ifndef RILL_TASKS_TASKS_H
#define RILL_TASKS_TASKS_H

#include "rill/rill.h"

typedef struct rill_pool rill_pool;

/* Starts the pool if the runtime asks for one; *out is NULL when tasks run on the caller or the user's scheduler. */
rill_result rill_pool_start(const rill_runtime *runtime, rill_pool **out, rill_message *message);
/* Whether job will follow job: workers then stay awake for milliseconds between two. The pool may be NULL. */
void rill_pool_attend(rill_pool *pool, bool attended);
void rill_pool_stop(rill_pool *pool, const rill_allocator *allocator);

/* How many tasks may run at once: runtime->tasks.threads. */
int32_t rill_tasks_width(const rill_runtime *runtime);

/* Runs task(context, i) for i in [0, count) and returns when all are done. */
void rill_parallel_for(const rill_runtime *runtime, rill_pool *pool, int32_t count, rill_task *task, void *context);

#endif
