/* Loops over all nodes or faces are cut into shares, for as many tasks. What happens to one of them does not depend on the cut,
 * and verdicts are bits that are or-ed, so that all is the same on any number of threads. */
#include <stdatomic.h>

#include "passages/passages_internal.h"

enum {
    WORTH_A_SHARE = 2048
}; /* nodes or faces: some microseconds of the faster loops, where starting tasks takes one */

typedef struct job {
    rill_passage_loop *loop;
    const rill_passage_work *work;
    int32_t from, to, shares;
    atomic_int verdict;
} job;

/* Shares begin where chunks do. */
static int32_t begin_of(const job *j, int32_t share) {
    const int64_t at = j->from + (int64_t)(j->to - j->from) * share / j->shares;
    return share == 0 ? j->from : share == j->shares ? j->to : (int32_t)(at - at % RILL_CHUNK);
}

static void work_on_share(void *context, int32_t share) {
    job *j = context;
    const int32_t verdict = j->loop(j->work, begin_of(j, share), begin_of(j, share + 1));
    atomic_fetch_or(&j->verdict, verdict);
}

int32_t rill_passages_share(const rill_passage_solver *passages, int32_t from, int32_t to, rill_passage_loop *loop,
                           const rill_passage_work *work) {
    const int32_t most = (to - from) / WORTH_A_SHARE;
    if (most < 2) return loop(work, from, to);
    job j = { .loop = loop, .work = work, .from = from, .to = to };
    j.shares = rill_min_i(rill_tasks_width(passages->runtime), most);
    rill_parallel_for(passages->runtime, passages->workers, j.shares, work_on_share, &j);
    return atomic_load(&j.verdict);
}
