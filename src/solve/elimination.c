/* L D L^T row by row, with the pattern that elimination_order.c has found.
 *
 * A row of L is a triangular system with the rows before it, of which only the columns of its own pattern count: T. A.
 * Davis, "Algorithm 849: a concise sparse Cholesky factorization package", ACM Trans. Math. Softw. 31, 2005. Columns are
 * kept one after the other, so that a step through the row goes through the column above it. */
#include "solve/elimination.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

/* ----------------------------------------------------------------------------------------------------------- memory */

/* The arrays, each with what it has room for. */
typedef struct piece {
    void **data;
    size_t count, size;
} piece;

#define PIECE(POINTER, COUNT)                                                                                          \
    { (void **)&(problem->POINTER), (COUNT), sizeof *problem->POINTER }
#define PIECES(problem)                                                                                                \
    const size_t nodes = (size_t)(problem)->node_room, edges = (size_t)(problem)->edge_room;                           \
    const size_t fill = RILL_ELIMINATION_FILL * nodes;                                                                 \
    const piece pieces[] = { PIECE(edges, edges),      PIECE(order, nodes),      PIECE(rank, nodes),                   \
                             PIECE(column, nodes + 1), PIECE(below, fill),       PIECE(row, nodes + 1),                \
                             PIECE(across, fill),      PIECE(at, fill),          PIECE(entry, fill),                   \
                             PIECE(diagonal, nodes),   PIECE(inverse, nodes),    PIECE(y, nodes),                      \
                             PIECE(rest, nodes),       PIECE(begin, nodes),      PIECE(elements, nodes),               \
                             PIECE(variables, nodes),  PIECE(beside, 2 * edges), PIECE(degree, nodes),                 \
                             PIECE(head, nodes),       PIECE(next, nodes),       PIECE(previous, nodes),               \
                             PIECE(mark, nodes),       PIECE(left, nodes) };                                           \
    const size_t piece_count = sizeof pieces / sizeof *pieces

bool rill_elimination_make(rill_elimination *problem, int32_t node_room, int32_t edge_room,
                           const rill_allocator *allocator) {
    RILL_ASSERT(node_room > 0 && edge_room >= 0 && node_room < INT32_MAX / RILL_ELIMINATION_FILL);
    *problem = (rill_elimination){ .node_room = node_room, .edge_room = edge_room };
    PIECES(problem);
    bool good = true;
    for (size_t i = 0; i < piece_count; ++i)
        good = (*pieces[i].data = rill_alloc_zeroed(allocator, pieces[i].count, pieces[i].size)) && good;
    if (!good) rill_elimination_free(problem, allocator);
    return good;
}

void rill_elimination_free(rill_elimination *problem, const rill_allocator *allocator) {
    PIECES(problem);
    for (size_t i = 0; i < piece_count; ++i) rill_free(allocator, *pieces[i].data, pieces[i].count, pieces[i].size);
    *problem = (rill_elimination){ 0 };
}

/* ----------------------------------------------------------------------------------------------------------- direct */

/* Eliminates what is left of row i, and returns what remains of its diagonal. */
static double eliminate_row(const rill_elimination *problem, int32_t i, double pivot) {
    double *rest = problem->rest, *entry = problem->entry;
    const int32_t first = problem->row[i], end = problem->row[i + 1];
    for (int32_t q = first; q < end; ++q) rest[problem->across[q]] = entry[problem->at[q]];
    for (int32_t q = first; q < end; ++q) {
        const int32_t column = problem->across[q], at = problem->at[q];
        const double u = rest[column], scaled = u * problem->inverse[column];
        RILL_ASSERT(column < i && problem->below[at] == i);
        for (int32_t p = problem->column[column]; p < at; ++p) rest[problem->below[p]] -= entry[p] * u;
        pivot -= u * scaled;
        entry[at] = scaled;
    }
    return pivot;
}

/* The last pivot of a singular component is zero but for rounding. */
void rill_elimination_factorise(rill_elimination *problem) {
    for (int32_t i = 0; i < problem->count; ++i) {
        const double diagonal = problem->diagonal[problem->order[i]];
        RILL_ASSERT(diagonal >= 0.0);
        const double pivot = eliminate_row(problem, i, diagonal);
        problem->inverse[i] = pivot > 1e-10 * diagonal ? 1.0 / pivot : 0.0;
    }
}

void rill_elimination_solve(rill_elimination *problem) {
    const int32_t *column = problem->column, *below = problem->below;
    const double *entry = problem->entry;
    double *x = problem->rest;
    for (int32_t i = 0; i < problem->count; ++i) x[i] = problem->y[problem->order[i]];
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t p = column[i]; p < column[i + 1]; ++p) x[below[p]] -= entry[p] * x[i];
    for (int32_t i = problem->count - 1; i >= 0; --i) {
        double sum = x[i] * problem->inverse[i];
        for (int32_t p = column[i]; p < column[i + 1]; ++p) sum -= entry[p] * x[below[p]];
        x[i] = sum;
    }
    for (int32_t i = 0; i < problem->count; ++i) problem->y[problem->order[i]] = x[i];
}
