/* Which kernels of flooded passages this processor runs. */
#include "base/dispatch.h"
#include "passages/passage_kernels.h"

extern const rill_passage_kernels rill_passage_kernels_scalar, rill_passage_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_passage_kernels rill_passage_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_passage_kernels rill_passage_kernels_avx512;
#endif

static const rill_passage_kernels *const COVERED[] = {
    &rill_passage_kernels_scalar,
    &rill_passage_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_passage_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_passage_kernels_avx512,
#endif
};

const rill_passage_kernels *rill_passage_kernels_pick(bool scalar) {
    return COVERED[scalar ? 0 : rill_processor_versions() - 1];
}

int32_t rill_passage_kernels_all(const rill_passage_kernels *out[4]) {
    const int32_t count = rill_processor_versions();
    for (int32_t i = 0; i < count; ++i) out[i] = COVERED[i];
    return count;
}
