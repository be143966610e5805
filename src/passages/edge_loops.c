/* Loops over all nodes and edges: opening edges, what crosses them, and how full that makes every node. See passages.h.
 *
 * Loops over nodes and faces are cut into shares, for as many tasks. What happens to one of them does not depend on the
 * cut, and verdicts are bits that are or-ed, so that all is the same on any number of threads. Sparse pipes are few,
 * and follow one by one. */
#include <stdatomic.h>

#include "flow/limit.h"
#include "passages/passages_internal.h"

/* ----------------------------------------------------------------------------------------------------------- shares */

/* Nodes or faces: the faster loops take some microseconds for them, and starting tasks takes one. */
enum { WORTH_A_SHARE = 2048 };
_Static_assert(WORTH_A_SHARE % RILL_CHUNK == 0, "shares begin where chunks do");

typedef struct shared_loop {
    rill_passage_loop *loop;
    const rill_passage_work *work;
    int32_t from, to, shares;
    atomic_int verdict;
} shared_loop;

/* Returns where a share begins: where a chunk does, so that no chunk is parted. */
static int32_t begin_of(const shared_loop *shared, int32_t share) {
    const int64_t at = shared->from + (int64_t)(shared->to - shared->from) * share / shared->shares;
    return share == 0 ? shared->from : share == shared->shares ? shared->to : (int32_t)(at - at % RILL_CHUNK);
}

static void work_on_share(void *context, int32_t share) {
    shared_loop *shared = context;
    RILL_ASSERT(begin_of(shared, share) <= begin_of(shared, share + 1));
    const int32_t verdict = shared->loop(shared->work, begin_of(shared, share), begin_of(shared, share + 1));
    atomic_fetch_or(&shared->verdict, verdict);
}

int32_t rill_passages_run_loop(const rill_passage_solver *passages, int32_t from, int32_t to, rill_passage_loop *loop,
                               const rill_passage_work *work) {
    RILL_ASSERT(from > 0 && from <= to);
    const int32_t most = (to - from) / WORTH_A_SHARE;
    if (most < 2) return loop(work, from, to);
    shared_loop shared = { .loop = loop, .work = work, .from = from, .to = to };
    shared.shares = rill_min_i(rill_tasks_width(passages->runtime), most);
    rill_parallel_for(passages->runtime, passages->workers, shared.shares, work_on_share, &shared);
    return atomic_load(&shared.verdict);
}

/* ------------------------------------------------------------------------------------------------------------ edges */

static int32_t open_part(const rill_passage_work *work, int32_t from, int32_t to) {
    work->passages->kernels->open(from, to, &work->passages->nodes, work->edges, work->constants->lambda, work->paper);
    return 0;
}

void rill_passages_open(const rill_passage_stage *stage, int32_t first_face, int32_t first_pipe) {
    const rill_passage_solver *passages = stage->flow->passages;
    RILL_ASSERT(first_face > 0 && first_pipe > 0 && stage->constants->lambda >= 0.0f);
    const float paper = stage->settings->paper ? stage->constants->paper_opening : 0.0f;
    rill_passage_work work = { .passages = passages, .constants = stage->constants, .paper = paper };
    work.edges = &passages->faces;
    rill_passages_run_loop(passages, first_face, passages->faces.count, open_part, &work);
    work.edges = &passages->pipes;
    open_part(&work, first_pipe, passages->pipes.count);
}

static int32_t flow_part(const rill_passage_work *work, int32_t from, int32_t to) {
    return work->passages->kernels->flow(from, to, &work->passages->nodes, work->edges);
}

bool rill_passages_flow(const rill_passage_solver *passages) {
    rill_passage_work work = { .passages = passages, .edges = &passages->faces };
    const int32_t turned = rill_passages_run_loop(passages, 1, passages->faces.count, flow_part, &work);
    work.edges = &passages->pipes;
    return flow_part(&work, 1, passages->pipes.count) | turned;
}

/* ----------------------------------------------------------------------------------------------------------- excess */

static int32_t excess_part(const rill_passage_work *work, int32_t from, int32_t to) {
    work->passages->kernels->excess(from, to, &work->passages->nodes, work->edges);
    return 0;
}

void rill_passages_find_excess(const rill_passage_solver *passages) {
    const rill_passage_work work = { .passages = passages, .edges = &passages->faces };
    const rill_passage_edges *pipes = &passages->pipes;
    double *f = passages->nodes.f;
    rill_passages_run_loop(passages, 1, passages->node_count, excess_part, &work);
    for (int32_t i = 1; i < pipes->count; ++i) {
        RILL_ASSERT(pipes->l[i] > 0 && pipes->l[i] < passages->node_count);
        RILL_ASSERT(pipes->r[i] > 0 && pipes->r[i] < passages->node_count);
        f[pipes->l[i]] -= pipes->q[i];
        f[pipes->r[i]] += pipes->q[i];
    }
}

static bool pipe_drains(const rill_passage_solver *passages, int32_t i) {
    const rill_passage_edges *pipes = &passages->pipes;
    const double q = pipes->q[i], gives = q < 0.0 ? -q : q;
    const double has = (double)passages->nodes.H[q < 0.0 ? pipes->r[i] : pipes->l[i]];
    RILL_ASSERT(has >= 0.0);
    return gives > 0.0 && gives > has - (double)RILL_LIMIT_SLACK && rill_edge_flooded(passages, pipes, i);
}

static int32_t change_part(const rill_passage_work *work, int32_t from, int32_t to) {
    return work->passages->kernels->change(from, to, &work->passages->nodes, work->edges);
}

int32_t rill_passages_find_change(const rill_passage_solver *passages) {
    const rill_passage_work work = { .passages = passages, .edges = &passages->faces };
    int32_t verdict = rill_passages_run_loop(passages, 1, passages->node_count, change_part, &work);
    for (int32_t i = 1; i < passages->pipes.count && !(verdict & RILL_VERDICT_SHORT); ++i)
        if (pipe_drains(passages, i)) verdict |= RILL_VERDICT_SHORT;
    return verdict;
}
