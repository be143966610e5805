/* Memory through the user's hooks. Everything is 64-byte aligned and zeroed; sizes are remembered by the caller, so that
 * hooks without headers of their own (arenas, pools) work. */
#ifndef RILL_BASE_MEMORY_H
#define RILL_BASE_MEMORY_H

#include "rill/rill.h"

enum { RILL_ALIGNMENT = 64 };

/* The C library's allocator, for definitions that name none. */
rill_allocator rill_memory_default(void);

/* NULL when count * size overflows or the hook refuses. A count of zero gives a non-NULL pointer. */
void *rill_memory_take(const rill_allocator *allocator, size_t count, size_t size);
/* The same without zeroing it: for what is written before it is read. */
void *rill_memory_claim(const rill_allocator *allocator, size_t count, size_t size);
/* `count` and `size` as they were taken. NULL is allowed. */
void rill_memory_give(const rill_allocator *allocator, void *memory, size_t count, size_t size);

/* A growing array of plain elements. */
typedef struct rill_array {
    void *data;
    size_t count, capacity, element;
} rill_array;

rill_array rill_array_make(size_t element);
/* Appends one element (zeroed if `value` is NULL) and returns its place; NULL when there is no memory (array unchanged). */
void *rill_array_push(rill_array *array, const rill_allocator *allocator, const void *value);
/* Makes room for `count` elements in all; what is behind those there are is not zeroed. */
bool rill_array_reserve(rill_array *array, const rill_allocator *allocator, size_t count);
/* The same for as many as there are columns: large, and about the same each time. */
bool rill_array_provide(rill_array *array, const rill_allocator *allocator, size_t count);
/* False when there is no memory (array unchanged). New elements are zeroed; `data` is not NULL, even for none. */
bool rill_array_resize(rill_array *array, const rill_allocator *allocator, size_t count);
void rill_array_free(rill_array *array, const rill_allocator *allocator);

/* A copied string; NULL copies as "". */
char *rill_string_copy(const rill_allocator *allocator, const char *text);
void rill_string_free(const rill_allocator *allocator, char *text);

#endif
