/* Shared by the fuzz targets: reading numbers off the input, memory, and stopping when an invariant of the library is
 * broken. Past the end of the input every number is zero, so that any input is a whole one. */
#ifndef RILL_TESTS_FUZZ_H
#define RILL_TESTS_FUZZ_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/asan_interface.h>
#include <sanitizer/msan_interface.h>

#include "base/hash.h"
#include "flow/drive.h"
#include "passages/passages.h"
#include "world/energy.h"

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

/* A number that follows from the whole input, for what is costly: the search keeps what reaches something new, which is
 * what costs most, and begins from that. By this die the share of it stays the same for ever, and the rate, too. */
static inline uint64_t fuzz_die(const uint8_t *data, size_t size) {
    return rill_hash_bytes(RILL_HASH_START, data, size) >> 8;
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

/* ----------------------------------------------------------------------------------------------------------- memory */

/* All blocks of an execution come from one piece of memory, each behind a gap and none of it used twice, which the
 * sanitizer knows as well as those of malloc. Taking large blocks from there and giving them back was half of all the
 * time. */
enum { FUZZ_ARENA = 1 << 26, FUZZ_GAP = 64 };

typedef struct fuzz_memory {
    size_t used;
    long long live;
    int until_failure; /* calls that still succeed; negative: all */
} fuzz_memory;

static inline uint8_t *fuzz_arena(void) {
    static _Alignas(4096) uint8_t arena[FUZZ_ARENA];
    return arena;
}

static inline void *fuzz_allocate(size_t size, size_t alignment, void *user) {
    fuzz_memory *memory = user;
    const size_t from = (memory->used + FUZZ_GAP + alignment - 1) / alignment * alignment;
    if (memory->until_failure == 0 || size > FUZZ_ARENA || from + size > FUZZ_ARENA) return NULL;
    if (memory->until_failure > 0) memory->until_failure -= 1;
    uint8_t *block = fuzz_arena() + from;
    ASAN_POISON_MEMORY_REGION(fuzz_arena() + memory->used, from - memory->used);
    ASAN_UNPOISON_MEMORY_REGION(block, size);
#if __has_feature(memory_sanitizer)
    __msan_allocated_memory(block, size);
#endif
    memory->used = from + size;
    memory->live += 1;
    return block;
}

static inline void fuzz_release(void *block, size_t size, size_t alignment, void *user) {
    (void)alignment;
    ASAN_POISON_MEMORY_REGION(block, size);
    ((fuzz_memory *)user)->live -= 1;
}

static inline rill_allocator fuzz_allocator(fuzz_memory *memory) {
    return (rill_allocator){ .allocate = fuzz_allocate, .release = fuzz_release, .user = memory };
}

/* ----------------------------------------------------------------------------------------------------------- checks */

static inline void fuzz_check_ledger(const rill_world *world) {
    rill_ledger ledger;
    if (rill_world_get_ledger(world, &ledger) != RILL_OK) return; /* no bed yet */
    FUZZ_CHECK(ledger.error == 0, "ledger is off by %lld quanta", (long long)ledger.error);
    FUZZ_CHECK(ledger.columns >= 0 && ledger.poured >= 0 && ledger.drained >= 0, "a negative volume");
}

/* Everything that must hold between any two calls on a world. */
static inline void fuzz_check_world(const rill_world *world) {
    rill_message message = { "" };
    rill_result valid = rill_world_validate(world, &message);
    FUZZ_CHECK(valid == RILL_OK, "%s", message.text);
    fuzz_check_ledger(world);
}

/* Energy at the levels. Velocities of open pipes lie half a sub-step later, driven by the heads of these levels: what
 * those do in that time is taken off again. Of other pipes (flooded, under lintels) it is what may be in doubt. */
typedef struct fuzz_energy {
    const rill_world *world;
    double sum, moves, doubts;  /* J: all, motion, doubt */
    double driven, doubts_more; /* W: what heads do in half a sub-step, by its length; doubts about it */
} fuzz_energy;

/* A face under a roof that was flooded until now is driven by the law of such once more: heads accelerate what moves in
 * there, and not as much as both columns hold in the mean. Levels do not tell, so that it is in doubt. */
static inline double fuzz_law_doubt(const rill_moving *pipe, const rill_world *world, double half) {
    const double dx = world->bed.grid.cell_size, moves = world->def.liquid.density * dx * dx * pipe->opening;
    const bool roofed = rill_min_i(world->bed.c[pipe->l], world->bed.c[pipe->r]) < RILL_TOP;
    return roofed && pipe->mass > 0.0 ? fabs(half * (moves / pipe->mass - 1.0)) : 0.0;
}

static inline void fuzz_add_pipe(void *user, const rill_moving *pipe) {
    fuzz_energy *energy = user;
    const rill_world *world = energy->world;
    const rill_bed *bed = &world->bed;
    const int32_t *b = rill_flow_bases(&world->flow), *H = world->flow.H, l = pipe->l, r = pipe->r;
    const rill_face f = rill_face_at(b[l], b[r], H[l], H[r]);
    const int32_t between = rill_min_i(bed->c[l], bed->c[r]) - rill_max_i(b[l], b[r]);
    const int32_t tilt = rill_world_tilt(world, r == l + 1 ? 0 : 1);
    const int32_t clip = pipe->sparse ? 0 : rill_drive_clip(&f, (int32_t)(5.0 * bed->grid.cell_size / bed->quantum));
    const double head = (double)(rill_drive_head(&f, clip) + tilt) * bed->quantum;
    const double gain = rill_world_head_gravity(world) * head / bed->grid.cell_size; /* m/s2 */
    const bool open = !pipe->sparse && !pipe->waits && rill_max_i(f.l, f.r) + RILL_SUBMERGED < between;
    const double half = 0.5 * pipe->mass * pipe->u * gain;
    energy->driven += open ? half : 0.0;
    energy->doubts += open ? 0.0 : pipe->mass * pipe->u * pipe->u;
    energy->doubts_more += open ? fuzz_law_doubt(pipe, world, half) : fabs(half);
}

static inline double fuzz_square(const double a[3]) {
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/* Bodies move half a sub-step beside the levels as well, which is in doubt. */
static inline void fuzz_add_bodies(fuzz_energy *energy) {
    for (int32_t i = 0; i < rill_world_body_count(energy->world); ++i) {
        const rill_body_id id = rill_world_body_at(energy->world, i);
        rill_body_info info;
        rill_body_state state;
        if (rill_body_get_info(energy->world, id, &info) || rill_body_get_state(energy->world, id, &state)) continue;
        if (!isfinite(info.mass)) continue;
        const double turns =
            (info.inertia[0] + info.inertia[1] + info.inertia[2]) * fuzz_square(state.angular_velocity);
        energy->moves += 0.5 * info.mass * fuzz_square(state.velocity) + 0.5 * turns;
        energy->doubts_more += info.mass * sqrt(fuzz_square(state.velocity) * fuzz_square(state.acceleration));
    }
}

static inline fuzz_energy fuzz_energy_of(const rill_world *world) {
    fuzz_energy energy = { .world = world };
    rill_energy parts;
    if (rill_world_get_energy(world, &parts) != RILL_OK) return energy;
    energy.sum = parts.potential + parts.kinetic + parts.bodies;
    energy.moves = parts.kinetic;
    rill_world_each_pipe(world, fuzz_add_pipe, &energy);
    fuzz_add_bodies(&energy);
    FUZZ_CHECK(isfinite(energy.sum), "energy is %g", energy.sum);
    return energy;
}

/* A step without any help from outside: energy does not rise, beyond a tenth of what moves. */
static inline rill_result fuzz_quiet_step(rill_world *world, double dt) {
    const fuzz_energy before = fuzz_energy_of(world);
    const rill_result result = rill_world_step(world, dt);
    const rill_solver *solver = &world->def.solver;
    if (result || rill_world_status(world) || solver->method != RILL_METHOD_PIPES ||
        solver->papers != RILL_PAPERS_NONE || solver->pipe_area == RILL_PIPE_AREA_PAPER ||
        world->def.liquid.viscosity < 1e-6 || rill_world_has_tension(world, NULL)) /* heads are not all that drives */
        return result;
    const fuzz_energy after = fuzz_energy_of(world);
    const double part = world->step.smallest_dt;
    const double from = before.sum - part * before.driven, to = after.sum - part * after.driven;
    const double most = 0.1 * (before.moves + after.moves) + before.doubts + after.doubts +
                        part * (before.doubts_more + after.doubts_more) + 1e-12;
    FUZZ_CHECK(to <= from + most, "from %g to %g J, of which %g and %g move", from, to, before.moves, after.moves);
    return result;
}

#endif
