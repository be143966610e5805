/* Which kernels of the scan this processor runs. */
#include "base/dispatch.h"
#include "bed/scan_kernels.h"

extern const rill_scan_kernels rill_scan_kernels_scalar, rill_scan_kernels_base;
#ifdef RILL_HAVE_AVX2
extern const rill_scan_kernels rill_scan_kernels_avx2;
#endif
#ifdef RILL_HAVE_AVX512
extern const rill_scan_kernels rill_scan_kernels_avx512;
#endif

static const rill_scan_kernels *const VERSIONS[] = {
    &rill_scan_kernels_scalar,
    &rill_scan_kernels_base,
#ifdef RILL_HAVE_AVX2
    &rill_scan_kernels_avx2,
#endif
#ifdef RILL_HAVE_AVX512
    &rill_scan_kernels_avx512,
#endif
};

int32_t rill_scan_kernels_all(const rill_scan_kernels *out[4]) {
    const int32_t count = rill_processor_versions();
    for (int32_t i = 0; i < count; ++i) out[i] = VERSIONS[i];
    return count;
}

const rill_scan_kernels *rill_scan_kernels_pick(void) {
    return VERSIONS[rill_processor_versions() - 1];
}
