/* Inside the bed: the numbering of columns into sheets (sheets.c), and what its users share. */
#ifndef RILL_BED_SHEETS_H
#define RILL_BED_SHEETS_H

#include "base/array.h"
#include "bed/bed.h"

/* Height over which two voids overlap, in quanta; they are joined by a pipe when it is at least the bed's `opening`.
 * Under open sky it is as high as can be, however little of that is in the range: no ceiling makes it low. */
static inline int32_t rill_overlap(int32_t b0, int32_t c0, int32_t b1, int32_t c1) {
    const int32_t top = c0 < c1 ? c0 : c1, height = top - (b0 > b1 ? b0 : b1);
    return top == RILL_TOP && height >= RILL_LEAST_OPENING ? RILL_TOP : height;
}

/* Whether two voids overlap, but by too little for a pipe: such neighbours must not be in one sheet, where the flow
 * would see one. */
static inline bool rill_overlap_closed(int32_t overlap, int32_t opening) {
    return (overlap > 0) & (overlap < opening);
}

/* Elements of the planes that a sheet of nx x ny cells takes: whole tiles, ghosts included, between the padding. */
static inline int32_t rill_sheet_stride(int32_t nx) {
    return (nx + 2 + RILL_TILE_W - 1) / RILL_TILE_W * RILL_TILE_W + 2 * RILL_PAD_X;
}
static inline int64_t rill_sheet_area(int32_t nx, int32_t ny) {
    return (int64_t)rill_sheet_stride(nx) * (ny + 2 * RILL_PAD_Y);
}

/* Where in the planes a sheet begins. */
static inline int32_t rill_sheet_start(const rill_sheet *sheet) {
    return sheet->first - 1 - RILL_PAD_X - RILL_PAD_Y * sheet->stride;
}

typedef struct rill_numbering {
    int32_t *sheet_of; /* of each column; NULL: all in sheet 0 */
    rill_array sheets; /* rill_sheet: rectangles only */
} rill_numbering;

/* False when there is no memory; nothing is kept then. In a roomy numbering every sheet spans the whole grid. */
bool rill_numbering_make(rill_numbering *numbering, const rill_columns *columns, bool roomy,
                         const rill_allocator *allocator);
void rill_numbering_free(rill_numbering *numbering, const rill_columns *columns, const rill_allocator *allocator);

/* Makes a bed of columns that are numbered already; otherwise like rill_bed_make. A numbering that makes no sense is
 * RILL_INVALID_DATA. */
rill_result rill_bed_make_numbered(rill_columns *columns, const rill_numbering *numbering, bool roomy,
                                   const rill_edge edges[4], const rill_allocator *allocator, rill_bed *out,
                                   rill_message *message);
/* Makes a bed roomy, with `spare` sheets more than it needs. Places of columns stay if it was roomy before. */
rill_result rill_bed_make_roomy(const rill_bed *bed, int32_t spare, const rill_edge edges[4],
                                const rill_allocator *allocator, rill_bed *out, rill_message *message);

/* Lists the ghosts of all open and still edges and sets their columns; only counts while `ghosts` is NULL. */
int32_t rill_ghosts_list(rill_bed *bed, const rill_edge edges[4], rill_ghost *ghosts);

#endif
