/* The order of elimination: of all nodes left, one with about the fewest neighbours comes next.
 *
 * Eliminating a node joins all of its neighbours with each other. These are not written down one by one: they are the
 * *element* of the node, and elements that share a node become one (a "quotient graph"). How many neighbours a node has
 * then is only bounded from above, at little cost: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum
 * degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17, 1996. The members of a node's element are the rows of the
 * entries in its column of L. */
#include <string.h>

#include "solve/elimination.h"

#include "base/assert.h"

enum { NONE = -1 };

/* ---------------------------------------------------------------------------------------------------------- buckets */

/* Nodes of one degree are a list. */
static void list_node(const rill_elimination *problem, int32_t node) {
    const int32_t degree = problem->degree[node], first = problem->head[degree];
    RILL_ASSERT(degree >= 0 && degree < problem->count);
    problem->next[node] = first;
    problem->previous[node] = NONE;
    if (first != NONE) problem->previous[first] = node;
    problem->head[degree] = node;
}

static void unlist_node(const rill_elimination *problem, int32_t node) {
    const int32_t next = problem->next[node], previous = problem->previous[node];
    if (next != NONE) problem->previous[next] = previous;
    if (previous != NONE)
        problem->next[previous] = next;
    else
        problem->head[problem->degree[node]] = next;
}

/* ------------------------------------------------------------------------------------------------------------ start */

/* Lists what is beside each node, once. `mark` says by whom a node was listed last. */
static void begin_lists(rill_elimination *problem) {
    int32_t *variables = problem->variables, at = 0;
    memset(variables, 0, (size_t)problem->count * sizeof *variables);
    for (int32_t i = 0; i < problem->edge_count; ++i) {
        RILL_ASSERT(problem->edges[i].a != problem->edges[i].b);
        variables[problem->edges[i].a] += 1, variables[problem->edges[i].b] += 1;
    }
    for (int32_t n = 0; n < problem->count; ++n) {
        problem->begin[n] = at;
        at += variables[n];
        variables[n] = problem->elements[n] = 0;
        problem->mark[n] = problem->head[n] = problem->rank[n] = NONE;
    }
    for (int32_t i = 0; i < problem->edge_count; ++i) {
        const int32_t a = problem->edges[i].a, b = problem->edges[i].b;
        problem->beside[problem->begin[a] + variables[a]++] = b;
        problem->beside[problem->begin[b] + variables[b]++] = a;
    }
    for (int32_t n = 0; n < problem->count; ++n) {
        int32_t *of = problem->beside + problem->begin[n], kept = 0;
        for (int32_t i = 0; i < variables[n]; ++i) {
            if (problem->mark[of[i]] == n) continue;
            problem->mark[of[i]] = n;
            of[kept++] = of[i];
        }
        variables[n] = problem->degree[n] = kept;
    }
    for (int32_t n = 0; n < problem->count; ++n) problem->mark[n] = NONE;
    for (int32_t n = problem->count - 1; n >= 0; --n) list_node(problem, n);
}

/* --------------------------------------------------------------------------------------------------------- elements */

/* Appends a node to the element of the node eliminated k-th, unless it is there. */
static void add_member(rill_elimination *problem, int32_t k, int32_t node) {
    if (problem->mark[node] == k || problem->rank[node] != NONE) return;
    problem->mark[node] = k;
    if (problem->entries < RILL_ELIMINATION_FILL * problem->count) problem->below[problem->entries] = node;
    problem->entries += 1;
}

/* Makes the element of the node that is eliminated k-th. Elements it was in become part of that. False if there are too
 * many entries. */
static bool make_element(rill_elimination *problem, int32_t k, int32_t node) {
    const int32_t *of = problem->beside + problem->begin[node];
    problem->order[k] = node;
    problem->rank[node] = k;
    problem->column[k] = problem->entries;
    for (int32_t i = 0; i < problem->elements[node]; ++i) {
        const int32_t element = of[i], end = problem->column[element + 1];
        for (int32_t m = problem->column[element]; m < end; ++m) add_member(problem, k, problem->below[m]);
        problem->left[element] = NONE; /* it is no more */
    }
    for (int32_t i = 0; i < problem->variables[node]; ++i) add_member(problem, k, of[problem->elements[node] + i]);
    problem->column[k + 1] = problem->entries;
    problem->left[k] = 0;
    return problem->entries <= RILL_ELIMINATION_FILL * problem->count;
}

/* Counts, of each element that shares a node with the k-th, how many nodes it does not share: into `left`. */
static void count_left(const rill_elimination *problem, int32_t k) {
    for (int32_t m = problem->column[k]; m < problem->column[k + 1]; ++m) {
        const int32_t node = problem->below[m], *of = problem->beside + problem->begin[node];
        for (int32_t i = 0; i < problem->elements[node]; ++i)
            if (problem->left[of[i]] != NONE)
                problem->left[of[i]] = problem->column[of[i] + 1] - problem->column[of[i]];
    }
    for (int32_t m = problem->column[k]; m < problem->column[k + 1]; ++m) {
        const int32_t node = problem->below[m], *of = problem->beside + problem->begin[node];
        for (int32_t i = 0; i < problem->elements[node]; ++i)
            if (problem->left[of[i]] != NONE) problem->left[of[i]] -= 1;
    }
}

/* Makes a member of the k-th element know of it, and forget what is within it: elements that are no more, and nodes that
 * are members, too. There is room for it, as it takes the place of a node or of an element. Bounds how many neighbours
 * the member has. */
static void renew_member(rill_elimination *problem, int32_t k, int32_t node) {
    int32_t *of = problem->beside + problem->begin[node], elements = 0, variables = 0;
    const int32_t had = problem->elements[node], all = had + problem->variables[node];
    int32_t degree = problem->column[k + 1] - problem->column[k] - 1;
    unlist_node(problem, node);
    for (int32_t i = 0; i < had; ++i) {
        if (problem->left[of[i]] <= 0) continue; /* it is no more, or all of it is in the new one */
        degree += problem->left[of[i]];
        of[elements++] = of[i];
    }
    for (int32_t i = had; i < all; ++i)
        if (problem->mark[of[i]] != k && problem->rank[of[i]] == NONE) of[had + variables++] = of[i];
    RILL_ASSERT(elements < had || had + variables < all);
    if (elements == had)
        of[had + variables] = of[had];
    else
        memmove(of + elements + 1, of + had, (size_t)variables * sizeof *of);
    of[elements] = k;
    problem->elements[node] = elements + 1;
    problem->variables[node] = variables;
    const int32_t others = problem->count - k - 2; /* all that are left, but for itself */
    problem->degree[node] = degree + variables < others ? degree + variables : others;
    list_node(problem, node);
}

/* Eliminates all nodes: `below` gets the members of elements. False if there are too many. */
static bool eliminate_all(rill_elimination *problem) {
    int32_t least = 0;
    problem->entries = 0;
    for (int32_t k = 0; k < problem->count; ++k) {
        while (problem->head[least] == NONE) ++least;
        const int32_t node = problem->head[least];
        unlist_node(problem, node);
        if (!make_element(problem, k, node)) return false;
        count_left(problem, k);
        for (int32_t m = problem->column[k]; m < problem->column[k + 1]; ++m) {
            renew_member(problem, k, problem->below[m]);
            const int32_t degree = problem->degree[problem->below[m]];
            least = degree < least ? degree : least;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- pattern */

/* Writes the pattern down row by row, and by column with rows in their order, which `below` gets for the nodes. */
static void lay_out_rows(rill_elimination *problem) {
    int32_t *row = problem->row, *filled = problem->left;
    memset(row, 0, ((size_t)problem->count + 1) * sizeof *row);
    for (int32_t m = 0; m < problem->entries; ++m) row[problem->rank[problem->below[m]] + 1] += 1;
    for (int32_t i = 0; i < problem->count; ++i) {
        row[i + 1] += row[i];
        filled[i] = row[i];
    }
    for (int32_t k = 0; k < problem->count; ++k)
        for (int32_t m = problem->column[k]; m < problem->column[k + 1]; ++m)
            problem->across[filled[problem->rank[problem->below[m]]]++] = k;
    for (int32_t k = 0; k < problem->count; ++k) filled[k] = problem->column[k];
    for (int32_t i = 0; i < problem->count; ++i)
        for (int32_t q = row[i]; q < row[i + 1]; ++q) {
            problem->at[q] = filled[problem->across[q]]++;
            problem->below[problem->at[q]] = i;
        }
}

/* Returns where the entry of a row in a column is. */
static int32_t find_entry(const rill_elimination *problem, int32_t row, int32_t column) {
    int32_t low = problem->row[row], high = problem->row[row + 1] - 1;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (problem->across[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    RILL_ASSERT(low < problem->row[row + 1] && problem->across[low] == column);
    return problem->at[low];
}

bool rill_elimination_find_order(rill_elimination *problem) {
    RILL_ASSERT(problem->count <= problem->node_room && problem->edge_count <= problem->edge_room);
    begin_lists(problem);
    if (!eliminate_all(problem)) return false;
    lay_out_rows(problem);
    for (int32_t i = 0; i < problem->edge_count; ++i) {
        const int32_t a = problem->rank[problem->edges[i].a], b = problem->rank[problem->edges[i].b];
        problem->edges[i].at = a > b ? find_entry(problem, a, b) : find_entry(problem, b, a);
    }
    return true;
}
