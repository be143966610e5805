/* The yardsticks of `rill bench`: memory and clock.
 *
 * For memory McCalpin's STREAM triad, a[i] = b[i] + s * c[i], in float and on one thread. Counted as STREAM counts it:
 * two reads and one write, 12 bytes per element, without the read that a cache does before a write. Every vector width
 * the processor has is tried and the fastest taken, so that the yardstick is never the default x86-64 code of the
 * build. */
#define _POSIX_C_SOURCE 200809L

#include "bench_internal.h"

#include <stdlib.h>
#include <time.h>

#define KERNEL_SECONDS 0.3 /* no further repeat after this */

typedef void triad_kernel(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t count);

#define TRIAD_BODY                                                                                                     \
    for (size_t i = 0; i < count; ++i) {                                                                               \
        a[i] = b[i] + s * c[i];                                                                                        \
    }

static void triad_plain(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t count) {
    TRIAD_BODY
}

#if defined(__x86_64__) && defined(__GNUC__)
#define TRIAD_WIDE 1
#if defined(__clang__)
#define TRIAD_512 "avx512f"
#else
#define TRIAD_512 "avx512f,prefer-vector-width=512" /* gcc would use half of each register */
#endif
__attribute__((target("avx2"))) static void triad_avx2(float *restrict a, const float *restrict b,
                                                       const float *restrict c, float s, size_t count) {
    TRIAD_BODY
}

__attribute__((target(TRIAD_512))) static void triad_avx512(float *restrict a, const float *restrict b,
                                                            const float *restrict c, float s, size_t count) {
    TRIAD_BODY
}
#endif

double rill_bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs a chain in which every operation waits for the one before it: it takes the same number of cycles always, three
 * for the multiplication and one for the sum, on every processor of the last ten years. */
double rill_bench_beat(void) {
    enum { CHAINS = 5, LENGTH = RILL_BENCH_BEAT_CYCLES / 4 };
    static volatile uint32_t sink;
    double best = 1.0;
    for (int chain = 0; chain < CHAINS; ++chain) {
        const double start = rill_bench_now();
        uint32_t x = sink;
        for (int i = 0; i < LENGTH; ++i) x = x * 1664525u + 1013904223u;
        sink = x;
        const double seconds = rill_bench_now() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

enum { CHUNK = 1 << 16 }; /* elements: a fraction of a millisecond */

/* Returns the best time of a pass over all, s, as the sum of the best times of its chunks: a pass over much memory
 * takes so long that something always interrupts it. `best` has room for the chunks. */
static double time_kernel(triad_kernel *kernel, float *memory, size_t count, int32_t repeats, double *best) {
    float *a = memory, *b = memory + count, *c = memory + 2 * count;
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    const double begin = rill_bench_now();
    double sum = 0.0;
    for (int32_t repeat = 0; repeat < repeats && (repeat < 4 || rill_bench_now() - begin < KERNEL_SECONDS); ++repeat) {
        sum = 0.0;
        for (size_t i = 0; i < chunks; ++i) {
            const size_t first = i * CHUNK, n = count - first < CHUNK ? count - first : CHUNK;
            const double start = rill_bench_now();
            kernel(a + first, b + first, c + first, 3.0f, n);
            const double seconds = rill_bench_now() - start;
            best[i] = repeat == 0 || seconds < best[i] ? seconds : best[i];
            sum += best[i];
        }
    }
    return sum;
}

static double triad_seconds(float *memory, size_t count, int32_t repeats, double *chunks) {
    double best = time_kernel(triad_plain, memory, count, repeats, chunks);
#if defined(TRIAD_WIDE)
    if (__builtin_cpu_supports("avx2")) {
        const double seconds = time_kernel(triad_avx2, memory, count, repeats, chunks);
        best = seconds < best ? seconds : best;
    }
    if (__builtin_cpu_supports("avx512f")) {
        const double seconds = time_kernel(triad_avx512, memory, count, repeats, chunks);
        best = seconds < best ? seconds : best;
    }
#endif
    return best;
}

double rill_bench_triad(double bytes, int32_t repeats) {
    const size_t count = (size_t)(bytes / (3.0 * sizeof(float))) / 16 * 16 + 16;
    float *memory = aligned_alloc(64, 3 * count * sizeof(float));
    double *chunks = malloc((count / CHUNK + 1) * sizeof *chunks);
    double seconds = -1.0;
    if (memory != NULL && chunks != NULL) {
        for (size_t i = 0; i < 3 * count; ++i) memory[i] = (float)(i & 7u);
        seconds = triad_seconds(memory, count, repeats, chunks);
    }
    free(memory);
    free(chunks);
    return seconds / (12.0 * (double)count);
}
