/* Which of the versions of the kernels this processor runs: files compiled once per instruction set (kernels.c and the like)
 * come as scalar, base, avx2 and avx512, in this order, as far as the compiler makes them. The build says so by RILL_HAVE_AVX2
 * and RILL_HAVE_AVX512; without them nothing here asks for more than C. */
#ifndef RILL_BASE_DISPATCH_H
#define RILL_BASE_DISPATCH_H

#include <stdint.h>

/* How many of them run here, from the first on. */
static inline int32_t rill_processor_versions(void) {
    int32_t count = 2;
#ifdef RILL_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) count = 3;
#endif
#ifdef RILL_HAVE_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        count = 4;
#endif
    return count;
}

#endif
