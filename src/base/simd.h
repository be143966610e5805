/* Small scalar functions written so that compilers turn loops over them into vector code: no short-circuit logic, no
 * library calls, selections as `a > b ? a : b`. */
#ifndef RILL_BASE_SIMD_H
#define RILL_BASE_SIMD_H

#include <float.h>
#include <stdint.h>

#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)
#error "results would have other bits: compile for SSE2 (-msse2 -mfpmath=sse) and without -ffast-math"
#endif

/* Before a loop: no pass of it depends on another, because what it reads and what it writes does not overlap. */
#ifdef __clang__
#define RILL_EACH_ALONE _Pragma("clang loop vectorize(assume_safety)")
#else
#define RILL_EACH_ALONE _Pragma("GCC ivdep")
#endif
/* Before a loop of a fixed and small number of passes, which gcc would write out one by one before it thinks of
 * vectors. */
#ifdef __clang__
#define RILL_NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#else
#define RILL_NOT_UNROLLED _Pragma("GCC unroll 1")
#endif

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
static inline double rill_max_d(double a, double b) {
    return a > b ? a : b;
}
static inline double rill_min_d(double a, double b) {
    return a < b ? a : b;
}
/* A float's bits: those of non-negative floats order like integers, whose maxima vectorise. */
static inline int32_t rill_float_bits(float f) {
    union {
        float f;
        int32_t i;
    } bits = { f };
    return bits.i;
}
/* Makes a float of its bits. */
static inline float rill_bits_float(int32_t i) {
    union {
        int32_t i;
        float f;
    } bits = { i };
    return bits.f;
}
/* The larger and the smaller of a float and zero. Bits are as good as floats for that, and take one instruction where
 * compilers make two. */
static inline float rill_above_zero(float f) {
    return rill_bits_float(rill_max_i(rill_float_bits(f), 0));
}
static inline float rill_below_zero(float f) {
    return rill_bits_float(rill_min_i(rill_float_bits(f), 0));
}
static inline int32_t rill_abs_i(int32_t a) {
    return a < 0 ? -a : a;
}

#endif
