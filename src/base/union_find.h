/* A forest of sets (union-find): each item points to its parent, a root to itself. */
#ifndef RILL_BASE_UNION_FIND_H
#define RILL_BASE_UNION_FIND_H

#include "base/assert.h"

#include <stdint.h>

static inline uint32_t rill_union_find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        RILL_ASSERT(parent[i] < i); /* so there is an end */
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The smaller root wins, so that sets can be numbered in the order of their first items. */
static inline void rill_union_find_unite(uint32_t *parent, uint32_t a, uint32_t b) {
    a = rill_union_find_root(parent, a), b = rill_union_find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
