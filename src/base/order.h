/* Sorting without memory: the C library's qsort may allocate behind the user's hooks. */
#ifndef RILL_BASE_ORDER_H
#define RILL_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Orders items by (keys[item], item), or by themselves when keys is NULL. Costs one pass when they are in order. */
void rill_order_items(int32_t *items, size_t count, const int32_t *keys);

#endif
