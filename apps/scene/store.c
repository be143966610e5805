/* Small pieces are cut from chunks; large ones get a chunk of their own; adopted memory hangs on a list entry that is
 * itself cut from a chunk. */
#include "store.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 32768 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size; /* of the bytes that follow this head */
} chunk;

typedef struct adopted {
    struct adopted *next;
    void *memory;
} adopted;

struct rill_store {
    chunk *chunks; /* the first is the one being cut */
    adopted *guests;
};

static size_t round_up(size_t size) {
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

rill_store *rill_store_create(void) {
    return calloc(1, sizeof(rill_store));
}

void rill_store_free(rill_store *store) {
    if (!store) return;
    for (adopted *guest = store->guests; guest; guest = guest->next) free(guest->memory);
    for (chunk *piece = store->chunks; piece;) {
        chunk *next = piece->next;
        free(piece);
        piece = next;
    }
    free(store);
}

static chunk *add_chunk(rill_store *store, size_t size) {
    size_t head = round_up(sizeof(chunk));
    if (size > SIZE_MAX - head) return NULL;
    chunk *fresh = calloc(1, head + size);
    if (!fresh) return NULL;
    fresh->size = size;
    /* A large piece goes behind the chunk being cut, so that the rest of that one is not lost. */
    if (store->chunks && size > CHUNK) {
        fresh->next = store->chunks->next;
        store->chunks->next = fresh;
    } else {
        fresh->next = store->chunks;
        store->chunks = fresh;
    }
    return fresh;
}

void *rill_store_take(rill_store *store, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 2) / size) return NULL;
    size_t bytes = round_up(count && size ? count * size : 1);
    chunk *from = store->chunks;
    if (!from || from->size - from->used < bytes) from = add_chunk(store, bytes > CHUNK ? bytes : CHUNK);
    if (!from) return NULL;
    void *place = (char *)from + round_up(sizeof(chunk)) + from->used;
    from->used += bytes;
    return place;
}

char *rill_store_text(rill_store *store, const char *text, size_t length) {
    char *copy = length < SIZE_MAX ? rill_store_take(store, length + 1, 1) : NULL;
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

bool rill_store_adopt(rill_store *store, void *memory) {
    adopted *guest = rill_store_take(store, 1, sizeof *guest);
    if (!guest) return false;
    *guest = (adopted){ store->guests, memory };
    store->guests = guest;
    return true;
}
