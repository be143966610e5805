/* What the fuzz targets share: reading numbers off the input, and stopping when an invariant of the library is broken.
 * Past the end of the input every number is zero, so that any input is a whole one. */
#ifndef RILL_TESTS_FUZZ_H
#define RILL_TESTS_FUZZ_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rill/rill.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

/* A finding: libFuzzer keeps the input that led here. */
#define FUZZ_CHECK(CONDITION, ...)                                                                                     \
    do {                                                                                                               \
        if (!(CONDITION)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #CONDITION);                                            \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline void fuzz_bytes(fuzz_input *in, void *out, size_t size) {
    size_t have = size < in->size ? size : in->size;
    memset(out, 0, size);
    if (have) memcpy(out, in->data, have);
    in->data += have;
    in->size -= have;
}

static inline uint8_t fuzz_u8(fuzz_input *in) {
    uint8_t value;
    fuzz_bytes(in, &value, 1);
    return value;
}

static inline int32_t fuzz_below(fuzz_input *in, int32_t limit) {
    return fuzz_u8(in) % limit;
}

/* Mostly tame numbers from low to high and a little beyond both ends, a zero byte in the middle; now and then a wild
 * one. */
static inline double fuzz_double(fuzz_input *in, double low, double high) {
    static const double wild[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e308, -1e308, 1e-308, 1e9, -1e9, 1e-9 };
    uint8_t kind = fuzz_u8(in);
    if (kind != 255) return low + (high - low) * (double)((kind + 128) % 255 - 8) / 239.0;
    kind = fuzz_u8(in);
    if (kind < sizeof wild / sizeof wild[0]) return wild[kind];
    double any;
    fuzz_bytes(in, &any, sizeof any);
    return any;
}

static inline void fuzz_vector(fuzz_input *in, double low, double high, double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = fuzz_double(in, low, high);
}

/* Everything that must hold between any two calls on a world. */
static inline void fuzz_check_world(const rill_world *world) {
    rill_message message = { "" };
    rill_result valid = rill_world_validate(world, &message);
    FUZZ_CHECK(valid == RILL_OK, "%s", message.text);
    rill_ledger ledger;
    if (rill_world_get_ledger(world, &ledger) != RILL_OK) return; /* no bed yet */
    FUZZ_CHECK(ledger.error == 0, "ledger is off by %lld quanta", (long long)ledger.error);
    FUZZ_CHECK(ledger.columns >= 0 && ledger.poured >= 0 && ledger.drained >= 0, "a negative volume");
}

#endif
