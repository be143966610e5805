/* Which kernels of Kandemir's method this processor runs. */
#include "base/dispatch.h"
#include "kandemir/kandemir_kernels.h"

extern const rill_kandemir_kernels rill_kandemir_kernels_scalar, rill_kandemir_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_kandemir_kernels rill_kandemir_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_kandemir_kernels rill_kandemir_kernels_avx512;
#endif

static const rill_kandemir_kernels *const VERSIONS[] = {
    &rill_kandemir_kernels_scalar,
    &rill_kandemir_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_kandemir_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_kandemir_kernels_avx512,
#endif
};

const rill_kandemir_kernels *rill_kandemir_kernels_pick(bool scalar) {
    return VERSIONS[scalar ? 0 : rill_processor_versions() - 1];
}
