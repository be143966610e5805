/* Arrays that grow. */
#ifndef RILL_BASE_ARRAY_H
#define RILL_BASE_ARRAY_H

#include "base/alloc.h"

/* Elements are plain bytes: copied, never constructed. */
typedef struct rill_array {
    void *data;
    size_t count, capacity, element;
} rill_array;

rill_array rill_array_make(size_t element);
/* Appends one element (zeroed if `value` is NULL) and returns its place; NULL when there is no memory (array
 * unchanged). */
void *rill_array_push(rill_array *array, const rill_allocator *allocator, const void *value);
/* Makes room for `count` elements in all; what is behind those there are is not zeroed. */
bool rill_array_reserve(rill_array *array, const rill_allocator *allocator, size_t count);
/* Makes room for as many elements as there are columns, which is a large number and nearly the same each time: so with
 * little to spare. */
bool rill_array_provide(rill_array *array, const rill_allocator *allocator, size_t count);
/* False when there is no memory (array unchanged). New elements are zeroed; `data` is not NULL, even for none. */
bool rill_array_resize(rill_array *array, const rill_allocator *allocator, size_t count);
void rill_array_free(rill_array *array, const rill_allocator *allocator);

#endif
