/* Which pipes are brinks: those down to a column whose bed is more than two cells lower, with a lip.
 *
 * A lip, not a slope: behind the upper column the bed does not rise half as steeply as it falls before it,
 *     2 (b_behind - b_upper) <= b_upper - b_lower;
 * a wall behind makes no slope. It follows from the bed alone, and is found anew only where that has changed. What a brink
 * remembers (whether it falls, and what has fallen) it keeps as long as cell, side and sill are the same. */
#include "falls/falls.h"

#include "base/alloc.h"
#include "base/simd.h"

typedef struct search {
    const rill_falls *falls;
    const rill_bed *bed;
    const rill_flow *flow;
    const rill_area *areas;
    size_t area_count; /* 0: everywhere */
    int32_t two_dx;
    rill_brink *out; /* NULL: count only */
    int32_t count;
} search;

static size_t cell_index(const rill_bed *bed, int32_t x, int32_t y) {
    return (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
}

static bool is_inside(const rill_bed *bed, int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < bed->grid.cells[0] && y < bed->grid.cells[1];
}

/* The column of a cell that lies lower and whose void holds a height; -1: none. */
static int32_t column_below(const rill_bed *bed, int32_t x, int32_t y, int32_t height) {
    if (!is_inside(bed, x, y)) return -1;
    const size_t cell = cell_index(bed, x, y);
    for (int32_t k = bed->cell_first[cell + 1]; k-- > bed->cell_first[cell];) {
        const int32_t place = bed->places[k];
        if (bed->b[place] <= height) return bed->c[place] > height ? place : -1;
    }
    return -1;
}

/* Whether the bed does not just slope down to an edge. */
static bool has_lip(const rill_bed *bed, int32_t upper, int32_t x, int32_t y, int32_t lower) {
    if (!is_inside(bed, x, y)) return true;
    const size_t cell = cell_index(bed, x, y);
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t behind = bed->places[k];
        if (bed->b[behind] >= bed->c[upper] || bed->c[behind] <= bed->b[upper]) continue;
        return 2 * ((int64_t)bed->b[behind] - bed->b[upper]) <= (int64_t)bed->b[upper] - bed->b[lower];
    }
    return true;
}

/* Whether a cell's brinks may be others than they were: something has changed there, or as far as two cells away. */
static bool is_changed(const search *all, int32_t x, int32_t y) {
    enum { FAR = 2 };
    for (size_t i = 0; i < all->area_count; ++i) {
        const rill_area *area = &all->areas[i];
        if (x >= area->low[0] - FAR && x < area->high[0] + FAR && y >= area->low[1] - FAR && y < area->high[1] + FAR)
            return true;
    }
    return all->area_count == 0;
}

/* Orders brinks: by cells, from below, by sides. */
static int64_t key_of(const rill_bed *bed, const rill_brink *brink) {
    return (int64_t)cell_index(bed, brink->cell[0], brink->cell[1]);
}

static bool same_brink(const rill_brink *a, const rill_brink *b) {
    return a->cell[0] == b->cell[0] && a->cell[1] == b->cell[1] && a->side == b->side && a->sill == b->sill;
}

static void add(search *all, int32_t x, int32_t y, int32_t upper, int32_t side) {
    const rill_bed *bed = all->bed;
    const int32_t axis = rill_side_axis(side), step = rill_side_sign(side);
    const int32_t dx = axis == 0 ? step : 0, dy = axis == 1 ? step : 0;
    const int32_t lower = column_below(bed, x + dx, y + dy, bed->b[upper]);
    if (lower < 0 || bed->b[upper] - bed->b[lower] <= all->two_dx || !has_lip(bed, upper, x - dx, y - dy, lower))
        return;
    int32_t column, row;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, upper, &column, &row);
    int32_t pipe = -1;
    if (rill_bed_sheet_of(bed, lower, NULL, NULL) != sheet) {
        pipe = step > 0 ? rill_bed_find_pipe(bed, upper, lower) : rill_bed_find_pipe(bed, lower, upper);
        if (pipe < 0) return; /* their voids overlap too little to be joined */
    }
    if (all->out) {
        const int32_t face = axis == 0 && step > 0 ? column + 1 : column;
        all->out[all->count] = (rill_brink){ .cell = { x, y },
                                             .upper = upper,
                                             .lower = lower,
                                             .side = side,
                                             .sill = bed->b[upper],
                                             .lintel = rill_min_i(bed->c[upper], bed->c[lower]),
                                             .pipe = pipe,
                                             .column = face - sheet->x0 + 1 };
    }
    all->count += 1;
}

static void search_cell(search *all, int32_t x, int32_t y) {
    const rill_bed *bed = all->bed;
    const size_t cell = cell_index(bed, x, y);
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k)
        for (int32_t side = 0; side < 4; ++side) add(all, x, y, bed->places[k], side);
}

/* Goes through the cells: those that have not changed keep their brinks, whose pipes may have other numbers. */
static void search_all(search *all) {
    const rill_bed *bed = all->bed;
    const rill_brinks *old = &all->falls->brinks;
    int32_t next = 0;
    for (int32_t y = 0; y < bed->grid.cells[1]; ++y) {
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x) {
            const int64_t key = (int64_t)cell_index(bed, x, y);
            const bool changed = is_changed(all, x, y);
            if (changed) search_cell(all, x, y);
            for (; next < old->count && key_of(bed, &old->list[next]) <= key; ++next) {
                if (changed) continue;
                rill_brink *brink = all->out ? &all->out[all->count] : NULL;
                all->count += 1;
                if (!brink) continue;
                *brink = old->list[next];
                if (brink->pipe < 0) continue;
                const bool forth = rill_side_sign(brink->side) > 0;
                brink->pipe =
                    rill_bed_find_pipe(bed, forth ? brink->upper : brink->lower, forth ? brink->lower : brink->upper);
            }
        }
    }
}

/* Gives the new list what the old brinks remember; what those that are no more have let fall stays with the old. */
static void remember(const rill_bed *bed, rill_brinks *old, rill_brinks *fresh) {
    int32_t next = 0;
    for (int32_t i = 0; i < old->count; ++i) {
        rill_brink *was = &old->list[i];
        while (next < fresh->count && key_of(bed, &fresh->list[next]) < key_of(bed, was)) ++next;
        for (int32_t k = next; k < fresh->count && key_of(bed, &fresh->list[k]) == key_of(bed, was); ++k) {
            rill_brink *is = &fresh->list[k];
            if (!same_brink(is, was)) continue;
            is->falls = was->falls, is->amount = was->amount, is->momentum = was->momentum, is->since = was->since;
            was->amount = 0;
        }
    }
}

static void free_brinks(rill_brinks *brinks, const rill_allocator *allocator) {
    rill_free(allocator, brinks->list, brinks->capacity, sizeof *brinks->list);
    rill_free(allocator, brinks->dense, brinks->capacity, sizeof *brinks->dense);
    rill_free(allocator, brinks->falling, brinks->capacity, sizeof *brinks->falling);
    rill_free(allocator, brinks->open, brinks->capacity, sizeof *brinks->open);
    rill_free(allocator, brinks->first, (size_t)brinks->row_count + 1, sizeof *brinks->first);
    rill_free(allocator, brinks->falling_first, (size_t)brinks->row_count + 1, sizeof *brinks->falling_first);
    rill_free(allocator, brinks->of_pipe, brinks->pipe_capacity, sizeof *brinks->of_pipe);
    *brinks = (rill_brinks){ 0 };
}

void rill_falls_free(rill_falls *falls, const rill_allocator *allocator) {
    if (!falls) return;
    free_brinks(&falls->brinks, allocator);
    rill_free(allocator, falls->parcels, falls->capacity, sizeof *falls->parcels);
    rill_free(allocator, falls, 1, sizeof *falls);
}

static int32_t rows_of(const rill_bed *bed) {
    int32_t rows = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) rows += rill_sheet_rows(&bed->sheets[i]);
    return rows;
}

static bool make_brinks(rill_brinks *brinks, const rill_bed *bed, int32_t count, const rill_allocator *allocator) {
    *brinks = (rill_brinks){
        .count = count, .capacity = (size_t)count, .row_count = rows_of(bed), .pipe_capacity = (size_t)bed->pipe_count
    };
    brinks->list = rill_alloc_zeroed(allocator, brinks->capacity, sizeof *brinks->list);
    brinks->dense = rill_alloc_zeroed(allocator, brinks->capacity, sizeof *brinks->dense);
    brinks->falling = rill_alloc_zeroed(allocator, brinks->capacity, sizeof *brinks->falling);
    brinks->open = rill_alloc_zeroed(allocator, brinks->capacity, sizeof *brinks->open);
    brinks->first = rill_alloc_zeroed(allocator, (size_t)brinks->row_count + 1, sizeof *brinks->first);
    brinks->falling_first = rill_alloc_zeroed(allocator, (size_t)brinks->row_count + 1, sizeof *brinks->first);
    brinks->of_pipe = rill_alloc_zeroed(allocator, brinks->pipe_capacity, sizeof *brinks->of_pipe);
    if (brinks->list && brinks->dense && brinks->falling && brinks->open && brinks->first && brinks->falling_first &&
        brinks->of_pipe)
        return true;
    free_brinks(brinks, allocator);
    return false;
}

/* The row, all sheets counted through, of a dense brink's face. */
static int32_t face_row(const rill_bed *bed, const rill_brink *brink) {
    int32_t y, row = 0;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, brink->upper, NULL, &y);
    for (const rill_sheet *before = bed->sheets; before < sheet; ++before) row += rill_sheet_rows(before);
    return row + (y - sheet->y0 + 1) + (brink->side == RILL_NORTH);
}

/* Deals the brinks out to rows and pipes. */
static void deal_brinks(rill_brinks *brinks, const rill_bed *bed) {
    for (int32_t i = 0; i < brinks->count; ++i) {
        const rill_brink *brink = &brinks->list[i];
        if (brink->pipe >= 0)
            brinks->of_pipe[brink->pipe] = i + 1;
        else
            brinks->first[face_row(bed, brink)] += 1;
        if (brink->amount > 0) brinks->open[brinks->open_count++] = i;
    }
    int32_t sum = 0;
    for (int32_t row = 0; row <= brinks->row_count; ++row) brinks->first[row] = sum += brinks->first[row];
    for (int32_t i = brinks->count; i-- > 0;)
        if (brinks->list[i].pipe < 0) brinks->dense[--brinks->first[face_row(bed, &brinks->list[i])]] = i;
}

bool rill_falls_find_brinks(rill_falls *falls, const rill_flow *flow, const rill_area *areas, size_t count,
                            const rill_falls_gravity *gravity, double time, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    search all = { .falls = falls,
                   .bed = bed,
                   .flow = flow,
                   .areas = areas,
                   .area_count = count,
                   .two_dx = (int32_t)(2.0 * bed->grid.cell_size / bed->quantum) };
    search_all(&all);
    rill_brinks fresh;
    if (!rill_falls_reserve(falls, 0.0, 0, allocator) || !make_brinks(&fresh, bed, all.count, allocator)) return false;
    all.out = fresh.list;
    all.count = 0;
    search_all(&all);
    fresh.two_dx = all.two_dx;
    remember(bed, &falls->brinks, &fresh);
    rill_falls_let_go(falls, flow, gravity, time);
    free_brinks(&falls->brinks, allocator);
    falls->brinks = fresh;
    deal_brinks(&falls->brinks, bed);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- flights */

/* Whether a parcel flies through some of the areas. */
static bool meets(const rill_parcel *parcel, const rill_falls_gravity *gravity, const rill_area *areas, size_t count,
                  double dx) {
    double from[3], to[3], velocity[3];
    rill_parcel_at(parcel, gravity, 0.0, from, velocity);
    rill_parcel_at(parcel, gravity, (double)parcel->flight, to, velocity);
    for (size_t i = 0; i < count; ++i) {
        bool inside = true;
        for (int axis = 0; axis < 2; ++axis) {
            const double low = from[axis] < to[axis] ? from[axis] : to[axis];
            const double high = from[axis] < to[axis] ? to[axis] : from[axis];
            inside = inside && high >= ((double)areas[i].low[axis] - 1.0) * dx &&
                     low <= ((double)areas[i].high[axis] + 1.0) * dx;
        }
        if (inside) return true;
    }
    return count == 0;
}

static int32_t cell_at(double position, double dx, int32_t cells) {
    const double cell = position / dx;
    return cell < 0.0 ? 0 : cell >= (double)cells ? cells - 1 : (int32_t)cell;
}

/* Traces the rest of a flight from where the middle of the parcel is now, or from where it is to land. */
static void trace_again(const rill_flow *flow, rill_parcel *parcel, const rill_falls_gravity *gravity, double time) {
    const double dx = flow->bed->grid.cell_size, age = time - 0.5 * (parcel->begin + parcel->end);
    const double past = age < 0.0 ? 0.0 : age > (double)parcel->flight ? (double)parcel->flight : age;
    double position[3], velocity[3];
    rill_parcel rest = *parcel;
    if (parcel->place < 0 && age > (double)parcel->flight) return; /* leaves the domain just now */
    rill_parcel_at(parcel, gravity, past, position, velocity);
    for (int axis = 0; axis < 3; ++axis) {
        rest.from[axis] = (float)position[axis];
        rest.velocity[axis] = (float)velocity[axis];
    }
    /* At the brink itself it is over the lower column, whichever side of the face rounding puts it. */
    const double ahead = 0.01 * dx;
    for (int axis = 0; axis < 2; ++axis)
        position[axis] += velocity[axis] > 0.0 ? ahead : velocity[axis] < 0.0 ? -ahead : 0.0;
    rill_falls_trace(flow, gravity, cell_at(position[0], dx, flow->bed->grid.cells[0]),
                     cell_at(position[1], dx, flow->bed->grid.cells[1]), &rest);
    rest.begin += past;
    rest.end += past;
    *parcel = rest;
}

void rill_falls_follow(rill_falls *falls, const rill_flow *flow, const rill_area *areas, size_t count,
                       const rill_falls_gravity *gravity, double time) {
    const rill_parcel_list all = rill_calendar_list(falls);
    for (int32_t i = all.head; i >= 0; i = falls->parcels[i].next) {
        rill_parcel *parcel = &falls->parcels[i];
        if (meets(parcel, gravity, areas, count, flow->bed->grid.cell_size)) trace_again(flow, parcel, gravity, time);
    }
    rill_calendar_rebuild(falls, all);
}
