/* Which kernels this processor runs. */
#include "base/dispatch.h"
#include "flow/sparse_kernels.h"

extern const rill_kernels rill_kernels_scalar, rill_kernels_base;
extern const rill_sparse_kernels rill_sparse_kernels_scalar, rill_sparse_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_kernels rill_kernels_avx2;
extern const rill_sparse_kernels rill_sparse_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_kernels rill_kernels_avx512;
extern const rill_sparse_kernels rill_sparse_kernels_avx512;
#endif

static const rill_kernels *const SWEEP[] = {
    &rill_kernels_scalar,
    &rill_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_kernels_avx512,
#endif
};

static const rill_sparse_kernels *const SPARSE[] = {
    &rill_sparse_kernels_scalar,
    &rill_sparse_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_sparse_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_sparse_kernels_avx512,
#endif
};

int32_t rill_kernels_all(const rill_kernels *out[4]) {
    const int32_t count = rill_processor_versions();
    for (int32_t i = 0; i < count; ++i) out[i] = SWEEP[i];
    return count;
}

const rill_kernels *rill_kernels_pick(bool scalar) {
    return SWEEP[scalar ? 0 : rill_processor_versions() - 1];
}

int32_t rill_sparse_kernels_all(const rill_sparse_kernels *out[4]) {
    const int32_t count = rill_processor_versions();
    for (int32_t i = 0; i < count; ++i) out[i] = SPARSE[i];
    return count;
}

const rill_sparse_kernels *rill_sparse_kernels_pick(bool scalar) {
    return SPARSE[scalar ? 0 : rill_processor_versions() - 1];
}
