/* Which kernels of the meniscus this processor runs. */
#include "base/dispatch.h"
#include "meniscus/meniscus.h"

extern const rill_meniscus_kernels rill_meniscus_kernels_scalar, rill_meniscus_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_meniscus_kernels rill_meniscus_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_meniscus_kernels rill_meniscus_kernels_avx512;
#endif

static const rill_meniscus_kernels *const VERSIONS[] = {
    &rill_meniscus_kernels_scalar,
    &rill_meniscus_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_meniscus_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_meniscus_kernels_avx512,
#endif
};

int32_t rill_meniscus_kernels_all(const rill_meniscus_kernels *out[4]) {
    const int32_t count = rill_processor_versions();
    for (int32_t i = 0; i < count; ++i) out[i] = VERSIONS[i];
    return count;
}

const rill_meniscus_kernels *rill_meniscus_kernels_pick(bool scalar) {
    return VERSIONS[scalar ? 0 : rill_processor_versions() - 1];
}
