/* What the kernels do to one node after the other is cut by rows into shares, for as many tasks. A node's result does
 * not depend on the cut, and verdicts are bits that are or-ed, so that all is the same on any number of threads. */
#include <stdatomic.h>

#include "flow/covered_parts.h"

enum { WORTH_A_SHARE = 2048 }; /* nodes: some microseconds of the faster kernels, where starting tasks takes one */

typedef struct job {
    const rill_covered *covered;
    const rill_window *windows, *end;
    rill_covered_work *work;
    const void *context;
    int32_t shares;
    int64_t nodes;
    atomic_int verdict;
} job;

static int64_t count_nodes(const job *j) {
    int64_t count = 0;
    for (const rill_window *w = j->windows; w < j->end; ++w)
        EACH_STRIP(j->covered, w, strip) count += (int64_t)strip->n * strip->rows;
    return count;
}

/* How many rows of a strip begin among its first `nodes`. */
static int32_t rows_before(const rill_strip *strip, int64_t nodes) {
    const int64_t rows = (nodes + strip->n - 1) / strip->n;
    return (int32_t)(rows < 0 ? 0 : rows > strip->rows ? strip->rows : rows);
}

static void work_on_share(void *context, int32_t share) {
    job *j = context;
    const int64_t from = j->nodes * share / j->shares, to = j->nodes * (share + 1) / j->shares;
    int64_t before = 0;
    int32_t verdict = 0;
    for (const rill_window *w = j->windows; w < j->end; ++w)
        EACH_STRIP(j->covered, w, strip) {
            const int32_t first = rows_before(strip, from - before), end = rows_before(strip, to - before);
            const rill_strip part = { strip->x, strip->y + first, strip->n, end - first };
            before += (int64_t)strip->n * strip->rows;
            if (part.rows <= 0) continue;
            const rill_covered_run run = rill_covered_run_of(j->covered, w, &part);
            verdict |= j->work(j->context, &run);
        }
    atomic_fetch_or(&j->verdict, verdict);
}

static int32_t share(const rill_covered *covered, const rill_window *windows, int32_t count, rill_covered_work *work,
                     const void *context) {
    job j = { .covered = covered, .windows = windows, .end = windows + count, .work = work, .context = context };
    j.nodes = count_nodes(&j);
    const int64_t worth = j.nodes / WORTH_A_SHARE;
    const int32_t width = rill_tasks_width(covered->runtime);
    j.shares = worth < 1 ? 1 : worth < width ? (int32_t)worth : width;
    rill_parallel_for(covered->runtime, covered->pool, j.shares, work_on_share, &j);
    return atomic_load(&j.verdict);
}

int32_t rill_covered_share(const rill_covered *covered, rill_covered_work *work, const void *context) {
    return share(covered, covered->windows, covered->window_count, work, context);
}

int32_t rill_covered_share_window(const rill_covered *covered, const rill_window *w, rill_covered_work *work,
                                  const void *context) {
    return share(covered, w, 1, work, context);
}

void rill_covered_begin(rill_covered *covered, const rill_flow_settings *settings) {
    covered->kernels = rill_covered_kernels_pick(settings->scalar);
    covered->runtime = settings->runtime;
    covered->pool = settings->pool;
}
