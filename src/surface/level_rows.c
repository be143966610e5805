/* Levels, links and what follows from them, row by row: the rows' kernels, and where they have to look. */
#include "surface/surface_internal.h"

#include "base/simd.h"

/* Runs begin and end at multiples of this. */
enum { RUN = 16 };

/* Finds the wet part of a row: [low, high). */
static void find_wet(const rill_surface *surface, const int32_t *H, int32_t film, rill_surface_row *row) {
    row->low = row->high = 0;
    if (!surface->kernels->any_deep(row->count, H, film)) return;
    row->high = row->count;
    while (!surface->kernels->any_deep(RUN, H + row->low, film)) row->low += RUN;
    while (!surface->kernels->any_deep(RUN, H + row->high - RUN, film)) row->high -= RUN;
    RILL_ASSERT(row->low < row->high && ((row->low | row->high) & (RUN - 1)) == 0);
}

/* Widens a range so that it holds another. */
static void widen(int32_t *from, int32_t *until, int32_t low, int32_t high) {
    if (low >= high) return;
    const bool empty = *from >= *until;
    *from = empty ? low : rill_min_i(*from, low);
    *until = empty ? high : rill_max_i(*until, high);
}

/* Finds where the wet part of a row may be linked to something: it is wider only where its first or its last column is
 * wet. */
static void find_near(const rill_surface *surface, rill_surface_row *row) {
    const uint8_t *state = surface->state + row->start;
    row->near_from = row->near_low;
    row->near_until = row->near_high;
    row->near_low = row->near_high = 0;
    if (row->low >= row->high) return;
    row->near_low = state[row->low] & RILL_WET ? rill_max_i(row->low - RUN, 0) : row->low;
    row->near_high = state[row->high - 1] & RILL_WET ? rill_min_i(row->high + RUN, row->count) : row->high;
    widen(&row->near_from, &row->near_until, row->near_low, row->near_high);
}

void rill_row_level(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    const rill_flow *flow = build->view->flow;
    if (!row->inside) return;
    row->from = row->low;
    row->until = row->high;
    find_wet(surface, flow->H + row->start, build->view->film, row);
    widen(&row->from, &row->until, row->low, row->high);
    row->changed = false;
    row->lifted = 0;
    row->near_from = row->near_until = 0;
    if (row->from >= row->until) return;
    RILL_ASSERT(row->from >= 0 && row->until <= row->count && ((row->from | row->until) & (RUN - 1)) == 0);
    const int32_t at = row->start + row->from;
    const rill_level_row levels = { .b = rill_flow_bases(flow) + at,
                                    .H = flow->H + at,
                                    .lid = surface->lid + at,
                                    .pressure = flow->pressure ? flow->pressure + at : NULL,
                                    .floor = surface->floor + at,
                                    .state = surface->state + at,
                                    .h = surface->h + at,
                                    .top = surface->top + at,
                                    .film = build->view->film };
    const rill_level_report report = surface->kernels->levels(row->until - row->from, &levels);
    row->changed = report.changed;
    row->lifted = report.lifted;
    find_near(surface, row);
}

void rill_draw_levels_apply(const rill_build *build) {
    const rill_surface *surface = build->surface;
    for (size_t i = 0; i < build->view->draw_level_count; ++i) {
        const int32_t place = build->view->draw_levels[i].place;
        RILL_ASSERT(place >= 0 && (size_t)place < surface->plane_size && surface->lid[place] > INT32_MIN);
        const int32_t level = rill_max_i(build->view->draw_levels[i].level, build->view->bed->b[place]);
        if (build->view->flow->H[place] <=
            build->view->film) { /* as high as its bed, whether it has been looked at or not */
            surface->state[place] = RILL_HERE;
            surface->h[place] = surface->top[place] = build->view->bed->b[place];
            continue;
        }
        if (!(surface->state[place] & RILL_WET) || level >= surface->lid[place]) continue;
        surface->h[place] = level;
        surface->top[place] = rill_max_i(level, surface->floor[place]);
    }
}

static rill_link_row links_of(const rill_surface *surface, const rill_surface_row *row, int32_t from) {
    const int32_t at = row->start + from, north = at + row->stride;
    return (rill_link_row){ .state = surface->state + at,
                            .state_n = surface->state + north,
                            .h = surface->h + at,
                            .h_n = surface->h + north,
                            .m = surface->m + at,
                            .m_n = surface->m + north,
                            .lid = surface->lid + at,
                            .lid_n = surface->lid + north,
                            .half = surface->half + at };
}

/* Links a part where everything may be linked, which follows from what is wet. */
static void link_open(const rill_surface *surface, const rill_surface_row *row, int32_t from, int32_t until) {
    const rill_link_row links = links_of(surface, row, from);
    if (from < until && row->relinked) surface->kernels->link_open(until - from, &links);
}

void rill_row_link(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    row->relinked = false;
    if (!row->inside) return;
    row->relinked = row->changed || row[1].changed || build->redrawn;
    int32_t from = row->near_from, until = row->near_until, low = row->covered_low, high = row->covered_high;
    widen(&from, &until, row[1].near_from, row[1].near_until);
    if (from >= until) return;
    widen(&low, &high, row[1].covered_low, row[1].covered_high);
    low = low < high ? rill_min_i(rill_max_i(low - RUN, from), until) : until;
    high = low < until ? rill_min_i(rill_max_i(high + RUN, low), until) : until;
    RILL_ASSERT(from <= low && low <= high && high <= until && ((from | until | low | high) & (RUN - 1)) == 0);
    link_open(surface, row, from, low);
    link_open(surface, row, high, until);
    const rill_link_row links = links_of(surface, row, low);
    if (low < high) row->relinked |= surface->kernels->link(high - low, &links);
}

/* Finds where rims and quads of a row may have changed, or be. */
static void shape_range(const rill_surface_row *row, int32_t *from, int32_t *until) {
    *from = *until = 0;
    for (int32_t i = row->inside ? -1 : 0; i <= 1; ++i) widen(from, until, row[i].near_from, row[i].near_until);
}

/* Exchanges the quads of this build and of the one before. */
static void exchange_quads(const rill_surface *surface, int32_t at, int32_t count) {
    for (int32_t i = at; i < at + count; i += RUN) {
        uint8_t held[RUN];
        memcpy(held, surface->quads_other + i, RUN);
        memcpy(surface->quads_other + i, surface->quads + i, RUN);
        memcpy(surface->quads + i, held, RUN);
    }
}

void rill_row_shape(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    int32_t from, until;
    row->reshaped = row->flipped = false;
    if (row->above) return;
    const bool same = !row->relinked && !row[1].relinked && !(row->inside && row[-1].relinked);
    if (same && row->full == 0) return;
    if (!same) row->wet = row->rims = row->full = row->odd = 0;
    shape_range(row, &from, &until);
    if (from >= until) return;
    RILL_ASSERT(from >= 0 && until <= row->count && ((from | until) & (RUN - 1)) == 0);
    const int32_t at = row->start + from, south = at - row->stride, north = at + row->stride;
    const rill_shape_row shape = { .state = surface->state + at,
                                   .state_s = surface->state + south,
                                   .state_n = surface->state + north,
                                   .half = surface->half + at,
                                   .half_s = surface->half + south,
                                   .half_n = surface->half + north,
                                   .top = surface->top + at,
                                   .top_n = surface->top + north,
                                   .links = surface->links + at,
                                   .rim = surface->rim + at,
                                   .quads_before = surface->quads + at,
                                   .quads = surface->quads_other + at };
    if (same) {
        row->flipped = surface->kernels->turn(until - from, &shape);
        if (row->flipped) exchange_quads(surface, at, until - from);
        return;
    }
    const rill_shape_report report = surface->kernels->shape(until - from, &shape);
    row->reshaped = report.others;
    row->flipped = report.changed && !report.others;
    if (report.changed) exchange_quads(surface, at, until - from);
    uint8_t *marks[RILL_MARKS];
    for (int32_t k = 0; k < RILL_MARKS; ++k) marks[k] = (uint8_t *)rill_marks(surface, row, k) + from / 8;
    const rill_row_counts counts =
        surface->kernels->count(until - from, surface->state + at, surface->rim + at, surface->quads + at, marks);
    row->wet = counts.wet;
    row->rims = counts.rims;
    row->full = counts.full;
    row->odd = counts.odd;
    RILL_ASSERT(row->wet <= row->count && row->rims <= 4 * row->wet && row->full + row->odd <= row->count);
}
