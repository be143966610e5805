/* Order along a Morton curve: what is near in it is near in space. */
#include "shape/morton.h"

#include <math.h>

/* Returns the bits of a number below RILL_MORTON_SIZE, two zeros between any two of them. */
static uint32_t spread(uint32_t n) {
    n = (n | n << 16) & 0x030000ffu;
    n = (n | n << 8) & 0x0300f00fu;
    n = (n | n << 4) & 0x030c30c3u;
    return (n | n << 2) & 0x09249249u;
}

uint64_t rill_morton_key(const double centre[3], const double low[3], double inverse, uint32_t triangle) {
    uint32_t at[3];
    for (int i = 0; i < 3; ++i) {
        const double place = (centre[i] - low[i]) * inverse;
        at[i] = place > 0.0 ? (uint32_t)fmin(place, (double)(RILL_MORTON_SIZE - 1)) : 0; /* tiny meshes: infinity */
    }
    return (uint64_t)(spread(at[0]) | spread(at[1]) << 1 | spread(at[2]) << 2) << 32 | triangle;
}

uint64_t *rill_morton_sort(uint64_t *keys, uint64_t *spare, size_t count) {
    for (int pass = 0; pass < 3; ++pass) { /* as a key has coordinates */
        const int shift = 32 + RILL_MORTON_BITS * pass;
        size_t first[RILL_MORTON_SIZE] = { 0 }, sum = 0;
        for (size_t i = 0; i < count; ++i) first[keys[i] >> shift & (RILL_MORTON_SIZE - 1)] += 1;
        for (int k = 0; k < RILL_MORTON_SIZE; ++k) {
            const size_t here = first[k];
            first[k] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; ++i) spare[first[keys[i] >> shift & (RILL_MORTON_SIZE - 1)]++] = keys[i];
        uint64_t *const swap = keys;
        keys = spare, spare = swap;
    }
    return keys;
}
