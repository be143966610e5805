/* Which kernels this processor runs. */
#include "solve/solve_kernels.h"

extern const rill_solve_kernels rill_solve_kernels_scalar, rill_solve_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_solve_kernels rill_solve_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_solve_kernels rill_solve_kernels_avx512;
#endif

int32_t rill_solve_kernels_all(const rill_solve_kernels *out[4]) {
    int32_t count = 0;
    out[count++] = &rill_solve_kernels_scalar;
    out[count++] = &rill_solve_kernels_base;
#ifdef RILL_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) out[count++] = &rill_solve_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        out[count++] = &rill_solve_kernels_avx512;
#endif
    return count;
}

const rill_solve_kernels *rill_solve_kernels_pick(bool scalar) {
    const rill_solve_kernels *all[4];
    int32_t count = rill_solve_kernels_all(all);
    return scalar ? all[0] : all[count - 1];
}
