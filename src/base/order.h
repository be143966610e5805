/* Sorting without memory, for the C library's qsort may allocate behind the user's hooks; and finding in what is in
 * order. */
#ifndef RILL_BASE_ORDER_H
#define RILL_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Orders items by (keys[item], item), or by themselves when keys is NULL. Costs one pass when they are in order. */
void rill_order_items(int32_t *items, size_t count, const int32_t *keys);
/* Finds the item of `size` bytes with this key among items that begin with theirs, an int32_t, in
 * ascending order; NULL: there is none. */
void *rill_order_find(void *items, size_t count, size_t size, int32_t key);

#endif
