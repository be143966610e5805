/* Fills the planes of wetting.h. */
#include "waves/wetting.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "shape/contact_angle.h"
#include "shape/solid.h"

double rill_wetting_s(double degrees) {
    double sine, cosine;
    RILL_ASSERT(degrees >= 0.0 && degrees <= 180.0);
    rill_sin_cos(0.5 * degrees, &sine, &cosine);
    return 2.0 * sine;
}

bool rill_wetting_make(rill_wetting *wetting, const rill_bed *bed, const rill_allocator *allocator) {
    const size_t size = (size_t)bed->plane_size;
    if (wetting->advancing && wetting->plane_size == size) return true;
    rill_wetting_free(wetting, allocator);
    wetting->plane_size = size;
    wetting->advancing = rill_alloc_zeroed(allocator, size, sizeof *wetting->advancing);
    wetting->receding = rill_alloc_zeroed(allocator, size, sizeof *wetting->receding);
    if (wetting->advancing && wetting->receding) return true;
    rill_wetting_free(wetting, allocator);
    return false;
}

void rill_wetting_free(rill_wetting *wetting, const rill_allocator *allocator) {
    rill_free(allocator, wetting->advancing, wetting->plane_size, sizeof *wetting->advancing);
    rill_free(allocator, wetting->receding, wetting->plane_size, sizeof *wetting->receding);
    *wetting = (rill_wetting){ 0 };
}

/* ----------------------------------------------------------------------------------------------------------- floors */

/* Who knows the angles of floors. */
typedef struct floor_lookup {
    const rill_contact_angle *liquid;
    rill_wetting_solid *solid_of;
    rill_wetting_paint *paint;
    const void *context;
} floor_lookup;

/* The floor that was asked for last, for the next column mostly stands on the same. */
typedef struct floor_memo {
    int32_t floor;             /* -1: none yet */
    const rill_solid *painted; /* the solid if it has a map; NULL otherwise */
    rill_contact_angle own;    /* the solid's, else the liquid's */
    rill_contact_angle angle;  /* that of the last column, */
    float advancing, receding; /* in numbers for the planes */
} floor_memo;

static void memo_set(floor_memo *memo, const rill_contact_angle *angle) {
    if (memo->floor >= 0 && angle->advancing == memo->angle.advancing && angle->receding == memo->angle.receding)
        return;
    memo->angle = *angle;
    memo->advancing = (float)rill_wetting_s(angle->advancing);
    memo->receding = (float)rill_wetting_s(angle->receding);
}

static void memo_step_on(floor_memo *memo, uint16_t floor, const rill_solid *solid, const rill_contact_angle *liquid) {
    memo->own = solid && rill_contact_angle_given(&solid->def.contact_angle) ? solid->def.contact_angle : *liquid;
    memo->painted = solid && solid->def.wettability ? solid : NULL;
    memo_set(memo, &memo->own);
    memo->floor = floor;
}

/* ------------------------------------------------------------------------------------------------------------ planes */

static void clear_area(rill_wetting *wetting, const rill_bed *bed, const rill_area *area) {
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        /* The ring of ghosts is the sheet's, too. */
        const rill_area all = { { sheet->x0 - 1, sheet->y0 - 1 },
                                { sheet->x0 + sheet->nx + 1, sheet->y0 + sheet->ny + 1 } };
        if (!rill_area_overlaps(area, &all)) continue;
        const int32_t west = area->low[0] > all.low[0] ? area->low[0] : all.low[0];
        const int32_t east = area->high[0] < all.high[0] ? area->high[0] : all.high[0];
        for (int32_t y = area->low[1] > all.low[1] ? area->low[1] : all.low[1]; y < area->high[1] && y < all.high[1];
             ++y) {
            const size_t row = (size_t)(sheet->first + (y - sheet->y0) * sheet->stride + west - sheet->x0);
            memset(wetting->advancing + row, 0, (size_t)(east - west) * sizeof *wetting->advancing);
            memset(wetting->receding + row, 0, (size_t)(east - west) * sizeof *wetting->receding);
        }
    }
}

/* Ghosts lie next to a column of their sheet. */
static void copy_to_ghosts(rill_wetting *wetting, const rill_bed *bed) {
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        const rill_ghost *ghost = &bed->ghosts[i];
        int32_t x, y;
        const int32_t stride = rill_bed_sheet_of(bed, ghost->place, &x, &y)->stride;
        const int32_t inwards[4] = { [RILL_WEST] = 1, [RILL_EAST] = -1, [RILL_SOUTH] = stride, [RILL_NORTH] = -stride };
        const int32_t column = ghost->place + inwards[ghost->edge];
        RILL_ASSERT(bed->b[column] < RILL_WALL);
        wetting->advancing[ghost->place] = wetting->advancing[column];
        wetting->receding[ghost->place] = wetting->receding[column];
    }
}

static void fill_cell(rill_wetting *wetting, const rill_bed *bed, const floor_lookup *lookup, floor_memo *memo,
                      int32_t x, int32_t y) {
    const int32_t *first = &bed->cell_first[y * bed->grid.cells[0] + x];
    const rill_contact_angle *painted = lookup->paint ? lookup->paint(lookup->context, x, y) : NULL;
    for (int32_t i = first[0]; i < first[1]; ++i) {
        const uint16_t floor = bed->floors[i];
        if (floor != memo->floor) memo_step_on(memo, floor, lookup->solid_of(lookup->context, floor), lookup->liquid);
        if (painted) {
            memo_set(memo, painted);
        } else if (memo->painted) {
            const double mean = rill_wettability_at(&memo->painted->def, &bed->grid, x, y);
            const rill_contact_angle angle = rill_contact_angle_around(mean, &memo->own);
            memo_set(memo, &angle);
        } else {
            memo_set(memo, &memo->own);
        }
        wetting->advancing[bed->places[i]] = memo->advancing;
        wetting->receding[bed->places[i]] = memo->receding;
    }
}

void rill_wetting_fill(rill_wetting *wetting, const rill_bed *bed, const rill_area *area,
                       const rill_contact_angle *liquid, rill_wetting_solid *solid_of, rill_wetting_paint *paint,
                       const void *context) {
    RILL_ASSERT(wetting->advancing && wetting->plane_size == (size_t)bed->plane_size);
    const int32_t *cells = bed->grid.cells;
    const floor_lookup lookup = { liquid, solid_of, paint, context };
    floor_memo memo = { .floor = -1 };
    /* A cell more on all sides, so that ghosts of columns that are no more are cleared with them. */
    const rill_area wide = { { area->low[0] - 1, area->low[1] - 1 }, { area->high[0] + 1, area->high[1] + 1 } };
    clear_area(wetting, bed, &wide);
    for (int32_t y = wide.low[1] < 0 ? 0 : wide.low[1]; y < wide.high[1] && y < cells[1]; ++y)
        for (int32_t x = wide.low[0] < 0 ? 0 : wide.low[0]; x < wide.high[0] && x < cells[0]; ++x)
            fill_cell(wetting, bed, &lookup, &memo, x, y);
    copy_to_ghosts(wetting, bed);
}
