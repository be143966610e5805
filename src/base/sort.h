/* RILL_SORT(name, type, before) defines a static function name(type *, size_t): Shell sort with Ciura's gaps. In
 * place, no allocation, fast on the handful of elements a cell has and never quadratic in practice on the many it
 * may have. Not stable: before(const type *, const type *) must be a total order. */
#ifndef RILL_BASE_SORT_H
#define RILL_BASE_SORT_H

#include "base/assert.h"

#include <stddef.h>

static const size_t rill_sort_gaps[] = { 24671263, 10965006, 4873336, 2165927, 962634, 427837, 190150,
                                         84511,    37560,    16694,   7419,    3298,   1466,   701,
                                         301,      132,      57,      23,      10,     4,      1 };

#define RILL_SORT(name, type, before)                                                                                  \
    static void name(type *data, size_t count) {                                                                       \
        if (count < 2) return;                                                                                         \
        if (count == 2) { /* as often as not */                                                                        \
            if (!before(&data[1], &data[0])) return;                                                                   \
            type first = data[1];                                                                                      \
            data[1] = data[0];                                                                                         \
            data[0] = first;                                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t g = count < 12 ? 19 : 0; g < sizeof rill_sort_gaps / sizeof rill_sort_gaps[0]; ++g) {              \
            size_t gap = rill_sort_gaps[g];                                                                            \
            for (size_t i = gap; i < count; ++i) {                                                                     \
                if (!before(&data[i], &data[i - gap])) continue; /* most of the time */                                \
                type held = data[i];                                                                                   \
                size_t j = i;                                                                                          \
                for (; j >= gap && before(&held, &data[j - gap]); j -= gap) data[j] = data[j - gap];                   \
                data[j] = held;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t i = 1; i < count; ++i) RILL_ASSERT(!before(&data[i], &data[i - 1]));                               \
    }

#endif
