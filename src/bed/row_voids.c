/* The columns of a row: spans piled up in each cell, and the voids between them in whole quanta.
 *
 * Runs of spans (boxes parallel to the grid) are rounded once for a row, as *bars*. If all of them pass the whole
 * row, cells without spans of their own are copies of one, and in others what is below and above their spans is a
 * copy, too. */
#include "bed/raster_internal.h"

#include "base/assert.h"

#include <string.h>

/* A solid part thinner than this share of a quantum is none. */
static const double NOTHING = 1.0 / 1024.0;

/* Rounded to nearest. A quantum is a power of two: multiplying by its inverse is dividing by it. */
static int32_t quantise(const rill_row_voids *voids, double z) {
    double height = (z - voids->columns->datum) * voids->inverse + 0.5;
    if (!(height > -(double)RILL_WALL)) return -RILL_WALL;
    if (height >= (double)RILL_TOP) return RILL_TOP;
    int32_t whole = (int32_t)height;
    return whole - (height < (double)whole);
}

/* A span in quanta. */
typedef struct bounds {
    int32_t low, high;
} bounds;

/* Thinner than a quantum is one quantum thick, from its top down. */
static bounds bounds_of(const rill_row_voids *voids, const rill_span *span) {
    bounds at = { quantise(voids, span->low), quantise(voids, span->high) };
    if (at.low < RILL_TOP && at.low >= at.high) at.low = at.high - 1;
    return at;
}

/* Rounding, not geometry. */
static bool is_nothing(const rill_row_voids *voids, const rill_span *span) {
    return !span->sheet && !(span->high - span->low > NOTHING * voids->columns->quantum);
}

/* A run of spans: the same in many cells, so that its bounds are found once. */
typedef struct bar {
    rill_span span;
    bounds at;
    int32_t from, until;
} bar;

static bool find_bars(rill_row_voids *voids, const rill_raster *raster, uint8_t *touched) {
    const rill_span_run *runs = raster->runs.data;
    const size_t count = raster->runs.count;
    if (!rill_array_reserve(&voids->bars, voids->allocator, count)) return false;
    voids->bars.count = 0;
    voids->even = true;
    for (size_t i = 0; i < count; ++i) {
        touched[runs[i].span.solid] = 1;
        voids->even = voids->even && runs[i].from <= 0 && runs[i].until >= raster->x.count;
        if (is_nothing(voids, &runs[i].span)) continue;
        ((bar *)voids->bars.data)[voids->bars.count++] =
            (bar){ runs[i].span, bounds_of(voids, &runs[i].span), runs[i].from, runs[i].until };
    }
    return true;
}

/* How high a cell's line is filled so far, from below. */
typedef struct pile {
    int32_t top;
    uint16_t floor; /* the solid that it belongs to */
    bool any;
} pile;

/* Puts a span on top of it, and stores the void in between. */
static inline void add_span(rill_columns *columns, int32_t opening, pile *stack, const bounds *at, uint16_t solid,
                            rill_notes *notes) {
    if (at->low >= RILL_TOP) {
        rill_notes_up(&notes->clipped);
        return;
    }
    if (stack->any && at->low > stack->top)
        rill_columns_keep(columns, opening, stack->top, at->low, stack->floor, notes);
    if (!stack->any || at->high > stack->top) {
        stack->top = at->high;
        stack->floor = solid;
    }
    stack->any = true;
}

/* The pile of a cell without spans of its own, after each bar. */
typedef struct step {
    pile stack;
    int32_t count; /* columns so far */
    rill_notes notes;
    bool quiet; /* there are no notes after this */
} step;

rill_row_voids rill_row_voids_make(rill_columns *columns, int32_t opening, const rill_allocator *allocator) {
    return (rill_row_voids){ .columns = columns,
                             .allocator = allocator,
                             .opening = opening,
                             .inverse = 1.0 / columns->quantum,
                             .bars = rill_array_make(sizeof(bar)),
                             .steps = rill_array_make(sizeof(step)),
                             .b = rill_array_make(sizeof(int32_t)),
                             .c = rill_array_make(sizeof(int32_t)),
                             .floors = rill_array_make(sizeof(uint16_t)) };
}

void rill_row_voids_free(rill_row_voids *voids) {
    rill_array *const arrays[] = { &voids->bars, &voids->steps, &voids->b, &voids->c, &voids->floors };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], voids->allocator);
}

/* Piles up the bars alone, if they pass all cells. */
static bool stack_bars(rill_row_voids *voids) {
    enum { MORE = RILL_VOIDS_COPIED };
    const bar *bars = voids->bars.data;
    const size_t count = voids->bars.count;
    rill_columns *plain = &voids->plain;
    if (!voids->even) return true;
    if (!rill_array_reserve(&voids->steps, voids->allocator, count + 1) ||
        !rill_array_reserve(&voids->b, voids->allocator, count + MORE) ||
        !rill_array_reserve(&voids->c, voids->allocator, count + MORE) ||
        !rill_array_reserve(&voids->floors, voids->allocator, count + MORE))
        return false;
    plain->b = voids->b.data, plain->c = voids->c.data, plain->floors = voids->floors.data;
    plain->count = 0;
    step *steps = voids->steps.data;
    pile stack = { 0 };
    rill_notes notes = { 0 };
    for (size_t i = 0; i <= count; ++i) {
        steps[i] = (step){ .stack = stack, .count = (int32_t)plain->count, .notes = notes };
        if (i < count) add_span(plain, voids->opening, &stack, &bars[i].at, bars[i].span.solid, &notes);
    }
    if (stack.any) rill_columns_keep(plain, voids->opening, stack.top, RILL_TOP, stack.floor, &notes);
    voids->plain_notes = notes;
    for (size_t i = 0; i <= count; ++i) steps[i].quiet = memcmp(&steps[i].notes, &notes, sizeof notes) == 0;
    return true;
}

bool rill_row_voids_begin(rill_row_voids *voids, const rill_raster *raster, uint8_t *touched) {
    return find_bars(voids, raster, touched) && stack_bars(voids);
}

/* Copies columns of a cell without spans. */
static inline void copy_plain(rill_row_voids *voids, int64_t from, int64_t until) {
    enum { COPIED = RILL_VOIDS_COPIED };
    const rill_columns *plain = &voids->plain;
    rill_columns *columns = voids->columns;
    for (int64_t k = from; k < until; k += COPIED) {
        const int64_t to = columns->count + (k - from);
        memcpy(columns->b + to, plain->b + k, COPIED * sizeof *plain->b);
        memcpy(columns->c + to, plain->c + k, COPIED * sizeof *plain->c);
        memcpy(columns->floors + to, plain->floors + k, COPIED * sizeof *plain->floors);
    }
    RILL_ASSERT(from <= until && until <= plain->count);
    columns->count += until - from;
}

/* Merges a cell's spans with the bars that pass it, and stores the voids above them. If all bars do, what is below and
 * what is above the spans is as in a cell without any. */
static void store_cell(rill_row_voids *voids, int32_t x, const rill_span *span, const rill_span *end,
                       rill_notes *notes) {
    const bar *const bars = voids->bars.data, *next = bars, *const last = next + voids->bars.count;
    const step *steps = voids->steps.data;
    rill_columns *columns = voids->columns;
    const int32_t opening = voids->opening;
    pile stack = { 0 };
    if (voids->even) {
        while (next < last && rill_span_before(&next->span, span)) ++next;
        stack = steps[next - bars].stack;
        *notes = steps[next - bars].notes;
        copy_plain(voids, 0, steps[next - bars].count);
    }
    for (; span < end; ++span) {
        for (; next < last && rill_span_before(&next->span, span); ++next)
            if (x >= next->from && x < next->until)
                add_span(columns, opening, &stack, &next->at, next->span.solid, notes);
        if (span->sheet) notes->sheets = 1;
        if (is_nothing(voids, span)) continue;
        const bounds at = bounds_of(voids, span);
        add_span(columns, opening, &stack, &at, span->solid, notes);
    }
    for (; next < last; ++next) {
        const bool inside = stack.any && next->at.high <= stack.top && next->at.low < RILL_TOP;
        if (inside || x < next->from || x >= next->until) continue;
        add_span(columns, opening, &stack, &next->at, next->span.solid, notes);
        const step *same = voids->even ? &steps[next + 1 - bars] : NULL;
        if (same && same->quiet && same->stack.any && same->stack.top == stack.top &&
            same->stack.floor == stack.floor) {
            copy_plain(voids, same->count, voids->plain.count);
            return;
        }
    }
    if (stack.any) rill_columns_keep(columns, opening, stack.top, RILL_TOP, stack.floor, notes);
}

/* Whether voids of a cell lie one above the other with solid between them. */
static bool are_piled(const rill_columns *columns, int64_t first) {
    for (int64_t k = first; k < columns->count; ++k)
        if (columns->b[k] < (k > first ? columns->c[k - 1] + 1 : 0) || columns->c[k] <= columns->b[k] ||
            columns->c[k] > RILL_TOP)
            return false;
    return true;
}

void rill_row_voids_row(rill_row_voids *voids, const rill_raster *raster, size_t cell) {
    rill_columns *columns = voids->columns;
    const int32_t width = raster->x.count, *first = raster->span_first;
    for (int32_t x = 0; x < width; ++x, ++cell) {
        columns->cell_first[cell] = (int32_t)columns->count;
        if (voids->even && first[x] == first[x + 1]) {
            copy_plain(voids, 0, voids->plain.count);
            columns->notes[cell] = voids->plain_notes;
        } else
            store_cell(voids, x, raster->row + first[x], raster->row + first[x + 1], &columns->notes[cell]);
        RILL_ASSERT(are_piled(columns, columns->cell_first[cell]));
    }
    columns->cell_first[cell] = (int32_t)columns->count;
}
