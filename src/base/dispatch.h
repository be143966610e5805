/* All that asks what the processor is: everything else is C and the vector types of compilers (tools/check_includes.py looks).
 *
 * Which version of the kernels this processor runs: files compiled once per instruction set (kernels.c and the like,
 * see cmake/RillCompile.cmake) come as scalar, base, avx2 and avx512, in this order, as far as the compiler makes them.
 * The build says so by RILL_HAVE_AVX2 and RILL_HAVE_AVX512; without them nothing here asks for more than C. */
#ifndef RILL_BASE_DISPATCH_H
#define RILL_BASE_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Set where a file is compiled for vectors of 64 bytes. */
#ifdef __AVX512F__
#define RILL_VECTORS_OF_64
#endif

/* Tells the processor that a loop does nothing but wait. */
static inline void rill_processor_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Returns how many versions run here, from the first on. */
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

/* The versions of a table that were compiled. */
#if defined(RILL_HAVE_AVX512)
#define RILL_COMPILED_VERSIONS(table) &table##_scalar, &table##_base, &table##_avx2, &table##_avx512
#elif defined(RILL_HAVE_AVX2)
#define RILL_COMPILED_VERSIONS(table) &table##_scalar, &table##_base, &table##_avx2
#else
#define RILL_COMPILED_VERSIONS(table) &table##_scalar, &table##_base
#endif

/* Defines, for the tables of a kind (rill_scan_kernels is both the type and what their names begin with),
 *     const table *table_pick(bool scalar)         the best version for this processor, or the scalar one
 *     int32_t table_all(const table *out[4])       all that it can run, for tests that compare them; returns their count
 * Stands once, outside of functions, in the file that uses them most; a header declares them. */
#define RILL_DISPATCH(table)                                                                                           \
    extern const table table##_scalar, table##_base, table##_avx2, table##_avx512;                                     \
    static const table *const table##_versions[] = { RILL_COMPILED_VERSIONS(table) };                                  \
    const table *table##_pick(bool scalar) {                                                                           \
        return table##_versions[scalar ? 0 : rill_processor_versions() - 1];                                           \
    }                                                                                                                  \
    int32_t table##_all(const table *out[4]) {                                                                         \
        const int32_t count = rill_processor_versions();                                                               \
        for (int32_t i = 0; i < count; ++i) out[i] = table##_versions[i];                                              \
        return count;                                                                                                  \
    }

#endif
