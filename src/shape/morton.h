/* Order along a Morton curve: what is near in it is near in space. */
#ifndef RILL_SHAPE_MORTON_H
#define RILL_SHAPE_MORTON_H

#include <stddef.h>
#include <stdint.h>

enum { RILL_MORTON_BITS = 10, RILL_MORTON_SIZE = 1 << RILL_MORTON_BITS };

/* Returns a place along the curve, above the 32 bits of which triangle it is. `inverse` is RILL_MORTON_SIZE over the size of what
 * is to be ordered, from its corner `low`. */
uint64_t rill_morton_key(const double centre[3], const double low[3], double inverse, uint32_t triangle);
/* Sorts keys by place; `spare` is as large as `keys`, and one of the two is returned with the result. */
uint64_t *rill_morton_sort(uint64_t *keys, uint64_t *spare, size_t count);

#endif
