#include "base/array.h"
#include "base/assert.h"

#include <string.h>

rill_array rill_array_make(size_t element) {
    return (rill_array){ .element = element };
}

static bool has_room(const rill_array *array, size_t count) {
    return count <= array->capacity && array->data; /* even an empty array is then one to point into */
}

static bool grow(rill_array *array, const rill_allocator *allocator, size_t capacity) {
    RILL_ASSERT(array->element > 0 && capacity >= array->count);
    if (capacity < 8) capacity = 8;
    void *data = rill_alloc(allocator, capacity, array->element);
    if (!data) return false;
    if (array->count) memcpy(data, array->data, array->count * array->element);
    rill_free(allocator, array->data, array->capacity, array->element);
    array->data = data;
    array->capacity = capacity;
    return true;
}

bool rill_array_reserve(rill_array *array, const rill_allocator *allocator, size_t count) {
    const size_t half_more = array->capacity + array->capacity / 2;
    return has_room(array, count) || grow(array, allocator, half_more > count ? half_more : count);
}

bool rill_array_provide(rill_array *array, const rill_allocator *allocator, size_t count) {
    return has_room(array, count) || grow(array, allocator, count + count / 64);
}

void *rill_array_push(rill_array *array, const rill_allocator *allocator, const void *value) {
    if (!rill_array_reserve(array, allocator, array->count + 1)) return NULL;
    char *place = (char *)array->data + array->count * array->element;
    array->count += 1;
    RILL_ASSERT(array->count <= array->capacity);
    return value ? memcpy(place, value, array->element) : memset(place, 0, array->element);
}

bool rill_array_resize(rill_array *array, const rill_allocator *allocator, size_t count) {
    if (!rill_array_reserve(array, allocator, count)) return false;
    if (count > array->count)
        memset((char *)array->data + array->count * array->element, 0, (count - array->count) * array->element);
    array->count = count;
    return true;
}

void rill_array_free(rill_array *array, const rill_allocator *allocator) {
    RILL_ASSERT(array->count <= array->capacity);
    rill_free(allocator, array->data, array->capacity, array->element);
    *array = rill_array_make(array->element);
}
