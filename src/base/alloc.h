/* Memory through the user's hooks. Everything is 64-byte aligned; sizes are remembered by the caller, so
 * that hooks without headers of their own (arenas, pools) work. */
#ifndef RILL_BASE_ALLOC_H
#define RILL_BASE_ALLOC_H

#include "rill/rill.h"

enum { RILL_ALIGNMENT = 64 };

/* Returns the C library's allocator, for definitions that name none. */
rill_allocator rill_alloc_default(void);

/* Allocates zeroed memory. NULL when count * size overflows or the hook refuses. A count of zero gives a non-NULL
 * pointer. */
void *rill_alloc_zeroed(const rill_allocator *allocator, size_t count, size_t size);
/* Allocates without zeroing, for memory that is written before it is read. NULL as above. */
void *rill_alloc(const rill_allocator *allocator, size_t count, size_t size);
/* Gives memory back; `count` and `size` are those it was asked for with. NULL is allowed. */
void rill_free(const rill_allocator *allocator, void *memory, size_t count, size_t size);

/* A copied string; NULL copies as "". */
char *rill_string_copy(const rill_allocator *allocator, const char *text);
void rill_string_free(const rill_allocator *allocator, char *text);

#endif
