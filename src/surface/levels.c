/* Levels, links and what follows from them, row by row: the rows' kernels, and where they have to look. */
#include "surface/parts.h"

#include "base/simd.h"

/* Runs begin and end at multiples of this. */
enum { RUN = 16 };

/* The wet part of a row: [low, high). */
static void find_wet(const rill_surface *s, const int32_t *H, rill_surface_row *row) {
    row->low = row->high = 0;
    if (!s->kernels->any_deep(row->count, H)) return;
    row->high = row->count;
    while (!s->kernels->any_deep(RUN, H + row->low)) row->low += RUN;
    while (!s->kernels->any_deep(RUN, H + row->high - RUN)) row->high -= RUN;
}

/* Widens a range so that it holds another. */
static void widen(int32_t *from, int32_t *until, int32_t low, int32_t high) {
    if (low >= high) return;
    const bool empty = *from >= *until;
    *from = empty ? low : rill_min_i(*from, low);
    *until = empty ? high : rill_max_i(*until, high);
}

void rill_row_level(const rill_build *build, rill_surface_row *row) {
    const rill_surface *s = build->s;
    const rill_flow *flow = build->view->flow;
    if (!row->inside) return;
    row->from = row->low;
    row->until = row->high;
    find_wet(s, flow->H + row->start, row);
    widen(&row->from, &row->until, row->low, row->high);
    row->changed = false;
    row->lifted = 0;
    if (row->from >= row->until) return;
    const int32_t at = row->start + row->from;
    const rill_level_row levels = { .b = rill_flow_bases(flow) + at,
                                    .H = flow->H + at,
                                    .lid = s->lid + at,
                                    .pressure = flow->pressure ? flow->pressure + at : NULL,
                                    .floor = s->floor + at,
                                    .state = s->state + at,
                                    .h = s->h + at,
                                    .top = s->top + at };
    const rill_level_report report = s->kernels->levels(row->until - row->from, &levels);
    row->changed = report.changed;
    row->lifted = report.lifted;
}

void rill_levels_redraw(const rill_build *build) {
    const rill_surface *s = build->s;
    for (size_t i = 0; i < build->view->seen_count; ++i) {
        const int32_t place = build->view->seen[i].place;
        const int32_t level = rill_max_i(build->view->seen[i].level, build->view->bed->b[place]);
        if (build->view->flow->H[place] <= RILL_DRY) { /* as high as its bed, whether it has been looked at or not */
            s->state[place] = RILL_HERE;
            s->h[place] = s->top[place] = build->view->bed->b[place];
            continue;
        }
        if (!(s->state[place] & RILL_WET) || level >= s->lid[place]) continue;
        s->h[place] = level;
        s->top[place] = rill_max_i(level, s->floor[place]);
    }
}

typedef void link_kernel(int32_t n, const rill_link_row *row);

static void link_run(const rill_surface *s, const rill_surface_row *row, link_kernel *kernel, int32_t from,
                     int32_t until) {
    if (from >= until) return;
    const int32_t at = row->start + from, north = at + row->stride;
    const rill_link_row links = { .state = s->state + at,
                                  .state_n = s->state + north,
                                  .h = s->h + at,
                                  .h_n = s->h + north,
                                  .m = s->m + at,
                                  .m_n = s->m + north,
                                  .lid = s->lid + at,
                                  .lid_n = s->lid + north,
                                  .half = s->half + at };
    kernel(until - from, &links);
}

void rill_row_link(const rill_build *build, rill_surface_row *row) {
    const rill_surface *s = build->s;
    if (!row->inside) return;
    int32_t from = row->from, until = row->until, low = row->covered_low, high = row->covered_high;
    widen(&from, &until, row[1].from, row[1].until);
    if (from >= until) return;
    from = rill_max_i(from - RUN, 0);
    until = rill_min_i(until + RUN, row->count);
    widen(&low, &high, row[1].covered_low, row[1].covered_high);
    low = low < high ? rill_min_i(rill_max_i(low - RUN, from), until) : until;
    high = low < until ? rill_min_i(rill_max_i(high + RUN, low), until) : until;
    link_run(s, row, s->kernels->link_open, from, low);
    link_run(s, row, s->kernels->link, low, high);
    link_run(s, row, s->kernels->link_open, high, until);
}

/* Where rims and quads of a row may have changed, or be. */
static void shape_range(const rill_surface_row *row, int32_t *from, int32_t *until) {
    *from = *until = 0;
    for (int32_t i = row->inside ? -1 : 0; i <= 1; ++i) widen(from, until, row[i].from, row[i].until);
    if (*from >= *until) return;
    *from = rill_max_i(*from - RUN, 0);
    *until = rill_min_i(*until + RUN, row->count);
}

void rill_row_shape(const rill_build *build, rill_surface_row *row) {
    const rill_surface *s = build->s;
    int32_t from, until;
    row->reshaped = row->flipped = false;
    row->wet = row->rims = row->plain = row->odd = 0;
    if (row->above) return;
    shape_range(row, &from, &until);
    if (from >= until) return;
    const int32_t at = row->start + from, south = at - row->stride, north = at + row->stride;
    const rill_shape_row shape = { .state = s->state + at,
                                   .state_s = s->state + south,
                                   .state_n = s->state + north,
                                   .half = s->half + at,
                                   .half_s = s->half + south,
                                   .half_n = s->half + north,
                                   .top = s->top + at,
                                   .top_n = s->top + north,
                                   .links = s->links + at,
                                   .rim = s->rim + at,
                                   .quads_before = s->quads + at,
                                   .quads = s->quads_other + at };
    const rill_shape_report report = s->kernels->shape(until - from, &shape);
    row->reshaped = report.others;
    row->flipped = report.changed && !report.others;
    for (int32_t i = 0; report.changed && i < until - from; i += RUN) { /* exchanges them */
        uint8_t held[RUN];
        memcpy(held, shape.quads + i, RUN);
        memcpy(s->quads_other + at + i, s->quads + at + i, RUN);
        memcpy(s->quads + at + i, held, RUN);
    }
    const rill_row_counts counts = s->kernels->count(until - from, s->state + at, s->rim + at, s->quads + at);
    row->wet = counts.wet;
    row->rims = counts.rims;
    row->plain = counts.plain;
    row->odd = counts.odd;
}
