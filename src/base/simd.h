/* Small scalar functions written so that compilers turn loops over them into vector code: no short-circuit logic, no
 * library calls, selections as `a > b ? a : b`. */
#ifndef RILL_BASE_SIMD_H
#define RILL_BASE_SIMD_H

#include <stdint.h>

static inline int32_t rill_max_i(int32_t a, int32_t b) {
    return a > b ? a : b;
}
static inline int32_t rill_min_i(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static inline float rill_max_f(float a, float b) {
    return a > b ? a : b;
}
static inline float rill_min_f(float a, float b) {
    return a < b ? a : b;
}
static inline int32_t rill_abs_i(int32_t a) {
    return a < 0 ? -a : a;
}

#endif
