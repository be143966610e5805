/* IDS: what a user holds instead of pointers, 64 bits by value.
 *
 *     63 ........ 32  31 ..... 16  15 .... 0
 *     tag of a world  generation   slot           generations begin with 1: no id is 0
 *
 * A slot whose generation has reached 65535 is not used again, so that no stale id ever names a new object. The tag
 * follows from where the world is, so that ids of two worlds that live at once differ; nothing that is simulated or
 * saved knows it. */
#ifndef RILL_WORLD_IDS_H
#define RILL_WORLD_IDS_H

#include "base/message.h"
#include "world/world.h"

/* Mixes the bits of the world's address: one to one for addresses less than 2^38 bytes apart. */
static inline uint32_t rill_id_tag(const rill_world *world) {
    return (uint32_t)((uint64_t)(uintptr_t)world / 64) * 0x9e3779b1u;
}

static inline uint64_t rill_id_of(const rill_world *world, size_t slot, uint16_t generation) {
    return (uint64_t)rill_id_tag(world) << 32 | (uint64_t)generation << 16 | slot;
}

static inline size_t rill_id_slot(uint64_t value) {
    return value & 0xffffu;
}

/* Whether an id is that of a slot that has come to this generation, in this world. */
static inline bool rill_id_names(const rill_world *world, uint64_t value, uint16_t generation) {
    return value >> 32 == rill_id_tag(world) && (uint16_t)(value >> 16) == generation;
}

/* Says what is wrong with the id of a solid, source or body, of which there have been `slots`. */
static inline void rill_id_refuse(const rill_world *world, const char *what, uint64_t value, size_t slots) {
    rill_fail(world->note, RILL_INVALID_ID, "%s id %#llx is %s", what, (unsigned long long)value,
              value == 0                          ? "null"
              : value >> 32 != rill_id_tag(world) ? "of another world"
              : rill_id_slot(value) < slots       ? "stale: what it named was destroyed"
                                                  : "of nothing here");
}

#endif
