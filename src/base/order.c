#include "base/order.h"
#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

static bool before(int32_t a, int32_t b, const int32_t *keys) {
    if (keys && keys[a] != keys[b]) return keys[a] < keys[b];
    return a < b;
}

/* Restores the heap (largest on top) below `root`. */
static void sift(int32_t *items, size_t root, size_t count, const int32_t *keys) {
    const int32_t item = items[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && before(items[child], items[child + 1], keys)) child += 1;
        if (!before(item, items[child], keys)) break;
        items[root] = items[child];
        root = child;
    }
    items[root] = item;
}

void rill_order_items(int32_t *items, size_t count, const int32_t *keys) {
    size_t ordered = 1;
    while (ordered < count && before(items[ordered - 1], items[ordered], keys)) ordered += 1;
    if (ordered >= count) return;
    for (size_t i = count / 2; i-- > 0;) sift(items, i, count, keys);
    for (size_t end = count; end-- > 1;) {
        const int32_t largest = items[0];
        items[0] = items[end];
        items[end] = largest;
        sift(items, 0, end, keys);
    }
    for (size_t i = 1; i < count; ++i) RILL_ASSERT(!before(items[i], items[i - 1], keys));
}

static int32_t key_of(const unsigned char *item) {
    int32_t key;
    memcpy(&key, item, sizeof key);
    return key;
}

void *rill_order_find(void *items, size_t count, size_t size, int32_t key) {
    unsigned char *bytes = items;
    size_t low = 0, high = count;
    RILL_ASSERT(size >= sizeof(int32_t));
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (key_of(bytes + middle * size) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && key_of(bytes + low * size) == key ? bytes + low * size : NULL;
}
