#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

/* Large planes ask for huge pages: scattered puddles touch a page per row and plane, more than the processor keeps track
 * of (100 puddles on 1024 x 1024 cells step a third faster). */
static void *default_allocate(size_t size, size_t alignment, void *user) {
    (void)user;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const size_t huge = (size_t)1 << 21;
    if (size >= 2 * huge && alignment <= huge) {
        size_t rounded = (size + huge - 1) / huge * huge;
        void *memory = aligned_alloc(huge, rounded);
        if (memory) madvise(memory, rounded, MADV_HUGEPAGE); /* a hint: failing changes nothing */
        return memory;
    }
#endif
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void default_release(void *memory, size_t size, size_t alignment, void *user) {
    (void)size, (void)alignment, (void)user;
    free(memory);
}

rill_allocator rill_memory_default(void) {
    return (rill_allocator){ .allocate = default_allocate, .release = default_release };
}

/* A zero-sized request still takes a byte: NULL then always means "no memory". */
static bool byte_count(size_t count, size_t size, size_t *out) {
    if (size != 0 && count > (SIZE_MAX - RILL_ALIGNMENT) / size) return false;
    *out = count * size == 0 ? 1 : count * size;
    return true;
}

void *rill_memory_claim(const rill_allocator *allocator, size_t count, size_t size) {
    size_t bytes;
    if (!byte_count(count, size, &bytes)) return NULL;
    return allocator->allocate(bytes, RILL_ALIGNMENT, allocator->user);
}

void *rill_memory_take(const rill_allocator *allocator, size_t count, size_t size) {
    void *memory = rill_memory_claim(allocator, count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void rill_memory_give(const rill_allocator *allocator, void *memory, size_t count, size_t size) {
    size_t bytes;
    if (memory && byte_count(count, size, &bytes)) allocator->release(memory, bytes, RILL_ALIGNMENT, allocator->user);
}

rill_array rill_array_make(size_t element) {
    return (rill_array){ .element = element };
}

static bool has_room(const rill_array *array, size_t count) {
    return count <= array->capacity && array->data; /* even an empty array is then one to point into */
}

static bool grow(rill_array *array, const rill_allocator *allocator, size_t capacity) {
    if (capacity < 8) capacity = 8;
    void *data = rill_memory_claim(allocator, capacity, array->element);
    if (!data) return false;
    if (array->count) memcpy(data, array->data, array->count * array->element);
    rill_memory_give(allocator, array->data, array->capacity, array->element);
    array->data = data;
    array->capacity = capacity;
    return true;
}

bool rill_array_reserve(rill_array *array, const rill_allocator *allocator, size_t count) {
    const size_t half_more = array->capacity + array->capacity / 2;
    return has_room(array, count) || grow(array, allocator, half_more > count ? half_more : count);
}

bool rill_array_provide(rill_array *array, const rill_allocator *allocator, size_t count) {
    return has_room(array, count) || grow(array, allocator, count + count / 16);
}

void *rill_array_push(rill_array *array, const rill_allocator *allocator, const void *value) {
    if (!rill_array_reserve(array, allocator, array->count + 1)) return NULL;
    char *place = (char *)array->data + array->count * array->element;
    array->count += 1;
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
    rill_memory_give(allocator, array->data, array->capacity, array->element);
    *array = rill_array_make(array->element);
}

char *rill_string_copy(const rill_allocator *allocator, const char *text) {
    size_t length = text ? strlen(text) : 0;
    char *copy = rill_memory_take(allocator, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void rill_string_free(const rill_allocator *allocator, char *text) {
    if (text) rill_memory_give(allocator, text, strlen(text) + 1, 1);
}
