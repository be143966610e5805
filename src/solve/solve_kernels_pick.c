/* Which kernels this processor runs. */
#include "base/dispatch.h"
#include "solve/solve_kernels.h"

extern const rill_solve_kernels rill_solve_kernels_scalar, rill_solve_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_solve_kernels rill_solve_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_solve_kernels rill_solve_kernels_avx512;
#endif

static const rill_solve_kernels *const SOLVE[] = {
    &rill_solve_kernels_scalar,
    &rill_solve_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_solve_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_solve_kernels_avx512,
#endif
};

int32_t rill_solve_kernels_all(const rill_solve_kernels *out[4]) {
    const int32_t count = rill_processor_versions();
    for (int32_t i = 0; i < count; ++i) out[i] = SOLVE[i];
    return count;
}

const rill_solve_kernels *rill_solve_kernels_pick(bool scalar) {
    return SOLVE[scalar ? 0 : rill_processor_versions() - 1];
}
