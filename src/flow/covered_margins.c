/* How far windows reach beyond the columns they are laid around (covered_windows.c).
 *
 * A member needs a node beyond each of its faces, so that a cell more is the least. Where members grow beyond the
 * window, all has to be solved once more in larger ones, which costs more than a few nodes too many. */
#include "flow/covered_parts.h"

static const double LITTLE = 0.125; /* cells: more than that does not rise in a sub-step */

/* Whether some of `count` columns from (x, y) on along an axis may be members: not ghosts, walls, and those under open sky. */
static bool may_be_members(const rill_bed *bed, const rill_sheet *sheet, int32_t x, int32_t y, int32_t axis,
                           int32_t count) {
    if (axis ? x < 1 || x > sheet->nx : y < 1 || y > sheet->ny) return false;
    const int32_t place = rill_sheet_place(sheet, x, y), step = axis ? sheet->stride : 1;
    int32_t any = 0;
    for (int32_t i = 0; i < count; ++i)
        any |= (bed->c[place + i * step] < RILL_TOP) & (bed->b[place + i * step] < RILL_TOP);
    return any;
}

/* Whether some of them might overfill if pressures reach them: they are full but for a quarter, and that is little. */
static bool may_overfill(const rill_flow *flow, const rill_sheet *sheet, int32_t x, int32_t y, int32_t axis,
                         int32_t count) {
    const rill_bed *bed = flow->bed;
    if (!may_be_members(bed, sheet, x, y, axis, count)) return false;
    const int32_t place = rill_sheet_place(sheet, x, y), step = axis ? sheet->stride : 1;
    const int32_t little = (int32_t)(LITTLE * bed->grid.cell_size / bed->quantum);
    int32_t any = 0;
    for (int32_t i = place; i < place + count * step; i += step) {
        const int32_t height = bed->c[i] - bed->b[i], room = height - flow->H[i];
        any |= (bed->c[i] < RILL_TOP) & (room < rill_min_i(height / 4, little));
    }
    return any;
}

/* How many cells a window reaches beyond the columns in question, on the side towards `step` along an axis of what lies beside
 * (x, y) and `count` columns across: one; two where members may come to be in the first; more as long as they might go on. */
static int32_t margin_beside(const rill_flow *flow, const rill_sheet *sheet, int32_t x, int32_t y, int32_t axis,
                             int32_t step, int32_t count) {
    const int32_t dx = axis ? 0 : step, dy = axis ? step : 0;
    const bool wide = flow->covered->spreads; /* they have outgrown a window already */
    int32_t margin = 1;
    if (!may_be_members(flow->bed, sheet, x + dx, y + dy, 1 - axis, count)) return margin;
    while (++margin < RILL_WINDOW_MARGIN)
        if (!wide && !may_overfill(flow, sheet, x + margin * dx, y + margin * dy, 1 - axis, count)) break;
    return margin;
}

rill_window rill_covered_surround(const rill_flow *flow, const rill_sheet *sheet, const rill_tile_box *box) {
    const int32_t across = box->x1 - box->x0 + 1, up = box->y1 - box->y0 + 1;
    const int32_t west = margin_beside(flow, sheet, box->x0, box->y0, 0, -1, up);
    const int32_t east = margin_beside(flow, sheet, box->x1, box->y0, 0, 1, up);
    const int32_t south = margin_beside(flow, sheet, box->x0, box->y0, 1, -1, across);
    const int32_t north = margin_beside(flow, sheet, box->x0, box->y1, 1, 1, across);
    const int32_t x0 = rill_max_i(box->x0 - west, 0), y0 = rill_max_i(box->y0 - south, 0);
    const int32_t x1 = rill_min_i(box->x1 + east, sheet->tiles_x * RILL_TILE_W - 1);
    const int32_t y1 = rill_min_i(box->y1 + north, rill_sheet_rows(sheet) - 1);
    return (rill_window){ .sheet = sheet,
                          .column = x0,
                          .row = y0,
                          .nx = x1 - x0 + 1,
                          .ny = y1 - y0 + 1,
                          .place = rill_sheet_place(sheet, x0, y0) };
}
