/* A store: memory that is given back all at once. A scene, its tree and every text in it live in one. */
#ifndef RILL_SCENE_STORE_H
#define RILL_SCENE_STORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rill_store rill_store;

rill_store *rill_store_create(void); /* NULL when there is no memory */
void rill_store_free(rill_store *store);

/* Returns zeroed memory, aligned for anything; NULL when count * size overflows or there is no memory. */
void *rill_store_take(rill_store *store, size_t count, size_t size);
/* Returns a zero-terminated copy of `length` bytes. */
char *rill_store_text(rill_store *store, const char *text, size_t length);
/* Makes the store the owner of memory from malloc. On false the caller still owns it. */
bool rill_store_adopt(rill_store *store, void *memory);

#endif
