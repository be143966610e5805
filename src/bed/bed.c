/* The bed: planes, sparse pipes, tiles and ghosts made from columns, and finding one's way in them. The layout is
 * drawn in bed.h; which column goes into which sheet is decided in sheets.c. */
#include "bed/bed.h"

#include "base/assert.h"
#include "base/message.h"
#include "bed/sheets.h"

#include <math.h>
#include <string.h>

static size_t cell_count(const rill_grid *grid) {
    return (size_t)grid->cells[0] * (size_t)grid->cells[1];
}

/* Columns may come from a snapshot: nothing is taken for granted. */
static rill_result check_columns(const rill_columns *columns, rill_message *message) {
    const rill_grid *grid = &columns->grid;
    if (grid->cells[0] < 1 || grid->cells[0] > 32768 || grid->cells[1] < 1 || grid->cells[1] > 32768 ||
        cell_count(grid) > (size_t)1 << 28)
        return rill_fail(message, RILL_INVALID_DATA,
                         "columns: grid of %d x %d cells, expected 1 to 32768 each and at most 2^28 in all",
                         (int)grid->cells[0], (int)grid->cells[1]);
    if (!(grid->cell_size > 0.0 && grid->cell_size <= 1e9 && columns->quantum > 0.0 &&
          columns->quantum <= grid->cell_size && fabs(columns->datum) < INFINITY))
        return rill_fail(message, RILL_INVALID_DATA, "columns: cell size %g, quantum %g, datum %g make no sense",
                         grid->cell_size, columns->quantum, columns->datum);
    if (columns->opening < RILL_LEAST_OPENING || columns->opening > RILL_TOP)
        return rill_fail(message, RILL_INVALID_DATA, "columns: the lowest opening is %d quanta, expected %d to %d",
                         (int)columns->opening, RILL_LEAST_OPENING, RILL_TOP);
    if (columns->count < 0 || columns->count > INT32_MAX)
        return rill_fail(message, RILL_INVALID_DATA, "columns: there are %lld, expected 0 to 2^31 - 1",
                         (long long)columns->count);
    size_t cells = cell_count(grid);
    if (columns->cell_first[0] != 0 || columns->cell_first[cells] != columns->count)
        return rill_fail(message, RILL_INVALID_DATA, "columns: cells hold %d to %d, expected 0 to %lld",
                         (int)columns->cell_first[0], (int)columns->cell_first[cells], (long long)columns->count);
    for (size_t i = 0; i < cells; ++i) {
        int32_t first = columns->cell_first[i], end = columns->cell_first[i + 1], floor = 0;
        if (first > end || end > columns->count)
            return rill_fail(message, RILL_INVALID_DATA, "columns: cell %zu holds %d to %d", i, (int)first, (int)end);
        for (int32_t k = first; k < end; ++k) {
            if (columns->b[k] < floor || columns->c[k] <= columns->b[k] || columns->c[k] > RILL_TOP)
                return rill_fail(message, RILL_INVALID_DATA,
                                 "columns: void %d of cell %zu is %d to %d, expected it above %d and below %d",
                                 (int)(k - first), i, (int)columns->b[k], (int)columns->c[k], (int)floor, RILL_TOP);
            floor = columns->c[k];
            if (floor < RILL_TOP) floor += 1; /* there is solid between two voids */
        }
    }
    return RILL_OK;
}

/* ---------------------------------------------------------------------------------------------------------- planes */

static rill_result lay_out(rill_bed *bed, const rill_array *rectangles, rill_message *message) {
    const rill_sheet *from = rectangles->data;
    int64_t place = 0, tile = 0;
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        rill_sheet *sheet = &bed->sheets[s];
        *sheet = from[s];
        sheet->stride = rill_sheet_stride(sheet->nx);
        sheet->tiles_x = (sheet->nx + 2 + RILL_TILE_W - 1) / RILL_TILE_W;
        sheet->tiles_y = (sheet->ny + 2 + RILL_TILE_H - 1) / RILL_TILE_H;
        sheet->first = (int32_t)(place + (int64_t)RILL_PAD_Y * sheet->stride + RILL_PAD_X + 1);
        sheet->first_tile = (int32_t)tile;
        RILL_ASSERT(sheet->stride % RILL_TILE_W == 0 && (sheet->first - 1) % RILL_TILE_W == 0); /* tiles are aligned */
        RILL_ASSERT(sheet->nx >= 0 && sheet->ny >= 0 && rill_sheet_start(sheet) == place);
        place += rill_sheet_area(sheet->nx, sheet->ny);
        tile += (int64_t)sheet->tiles_x * sheet->tiles_y;
        if (place > INT32_MAX)
            return rill_fail(message, RILL_TOO_LARGE,
                             "bed: sheets take more than 2^31 - 1 places; use fewer cells or layers");
    }
    bed->plane_size = (int32_t)place;
    bed->tile_count = (int32_t)tile;
    return RILL_OK;
}

/* False for a column outside of its sheet, or where there is another: numberings may come from a snapshot, too. */
static bool set_planes(rill_bed *bed, const rill_columns *columns, const int32_t *sheet_of) {
    for (int32_t i = 0; i < bed->plane_size; ++i) bed->b[i] = bed->c[i] = RILL_WALL;
    int32_t nx = bed->grid.cells[0], ny = bed->grid.cells[1];
    const int32_t *first = columns->cell_first;
    for (int32_t y = 0; y < ny; ++y)
        for (int32_t x = 0; x < nx; ++x, ++first)
            for (int32_t k = first[0]; k < first[1]; ++k) {
                int32_t s = sheet_of ? sheet_of[k] : 0;
                if (s < 0 || s >= bed->sheet_count) return false;
                const rill_sheet *sheet = &bed->sheets[s];
                if (x < sheet->x0 || x >= sheet->x0 + sheet->nx || y < sheet->y0 || y >= sheet->y0 + sheet->ny)
                    return false;
                int32_t place = sheet->first + (y - sheet->y0) * sheet->stride + (x - sheet->x0);
                if (bed->b[place] != RILL_WALL) return false;
                bed->places[k] = place;
                bed->b[place] = columns->b[k];
                bed->c[place] = columns->c[k];
            }
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- pipes */

/* Appends the pipes from a column to the columns of a neighbouring cell, except the dense one. */
static int32_t pipes_to(const rill_bed *bed, int32_t place, int32_t dense, size_t cell, int32_t count, int32_t *left,
                        int32_t *right) {
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        int32_t other = bed->places[k];
        if (other == dense || rill_overlap(bed->b[place], bed->c[place], bed->b[other], bed->c[other]) < bed->opening)
            continue;
        if (left) left[count] = place, right[count] = other;
        count += 1;
    }
    return count;
}

/* All sparse pipes in the order of their left, then their right places; only counts when `left` is NULL. */
static int64_t list_pipes(const rill_bed *bed, int32_t *left, int32_t *right) {
    int64_t total = 0;
    int32_t nx = bed->grid.cells[0], ny = bed->grid.cells[1];
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const rill_sheet *sheet = &bed->sheets[s];
        for (int32_t y = sheet->y0; y < sheet->y0 + sheet->ny; ++y)
            for (int32_t x = sheet->x0; x < sheet->x0 + sheet->nx; ++x) {
                int32_t place = sheet->first + (y - sheet->y0) * sheet->stride + (x - sheet->x0), count = 0;
                if (bed->b[place] == RILL_WALL) continue;
                int32_t *l = left ? left + total : NULL, *r = left ? right + total : NULL;
                size_t cell = (size_t)y * (size_t)nx + (size_t)x;
                if (x + 1 < nx) count = pipes_to(bed, place, place + 1, cell + 1, count, l, r);
                if (y + 1 < ny) count = pipes_to(bed, place, place + sheet->stride, cell + (size_t)nx, count, l, r);
                total += count;
                for (int32_t i = 1; left && i < count; ++i) /* few, and nearly in order */
                    for (int32_t k = i; k > 0 && r[k] < r[k - 1]; --k) {
                        int32_t swap = r[k];
                        r[k] = r[k - 1], r[k - 1] = swap;
                    }
            }
    }
    return total;
}

/* How many neighbours overlap, but by too little. */
static int64_t count_closed(const rill_columns *columns) {
    const int32_t nx = columns->grid.cells[0], ny = columns->grid.cells[1], *first = columns->cell_first;
    int64_t count = 0;
    for (int32_t cell = 0; cell < nx * ny; ++cell)
        for (int side = 0; side < 2; ++side) {
            if (side == 0 ? cell % nx == nx - 1 : cell >= nx * (ny - 1)) continue;
            const int32_t other = cell + (side == 0 ? 1 : nx);
            for (int32_t i = first[cell]; i < first[cell + 1]; ++i)
                for (int32_t k = first[other]; k < first[other + 1]; ++k)
                    count += rill_overlap_closed(
                        rill_overlap(columns->b[i], columns->c[i], columns->b[k], columns->c[k]), columns->opening);
        }
    return count;
}

/* ---------------------------------------------------------------------------------------------------------- ghosts */

/* The floor beyond an open edge goes on falling as it did, so that liquid leaves as if there were more of it; never
 * steeper than 45 degrees, never below the datum. */
static int32_t ghost_base(const rill_bed *bed, int32_t place, int32_t inward) {
    int64_t b0 = bed->b[place], base = b0, step = (int64_t)(bed->grid.cell_size / bed->quantum);
    int32_t b1 = bed->b[inward];
    if (b1 != RILL_WALL && rill_overlap(bed->b[place], bed->c[place], b1, bed->c[inward]) >= bed->opening &&
        2 * b0 - b1 < base)
        base = 2 * b0 - b1;
    if (base < b0 - step) base = b0 - step;
    return base < 0 ? 0 : (int32_t)base;
}

static void set_ghost(rill_bed *bed, rill_ghost *ghost, int32_t place, int32_t outward, int side,
                      const rill_edge *edge) {
    int32_t at = place + outward;
    RILL_ASSERT(at >= 0 && at < bed->plane_size && bed->b[place] != RILL_WALL);
    *ghost = (rill_ghost){ .place = at, .edge = side };
    bed->c[at] = bed->c[place];
    if (edge->kind == RILL_EDGE_OPEN) {
        bed->b[at] = ghost_base(bed, place, place - outward);
        return;
    }
    bed->b[at] = bed->b[place];
    double depth = floor((edge->level - rill_bed_z(bed, bed->b[at])) / bed->quantum + 0.5),
           room = (double)(bed->c[at] - bed->b[at]);
    ghost->still = !(depth > 0.0) ? 0 : depth < room ? (int32_t)depth : (int32_t)room;
    RILL_ASSERT(ghost->still >= 0 && bed->b[at] + ghost->still <= bed->c[at]);
}

/* By edge, along the edge, and from below. */
int32_t rill_ghosts_list(rill_bed *bed, const rill_edge edges[4], rill_ghost *ghosts) {
    int32_t count = 0, nx = bed->grid.cells[0], ny = bed->grid.cells[1];
    for (int side = 0; side < 4; ++side) {
        if (edges[side].kind == RILL_EDGE_WALL) continue;
        bool upright = side == RILL_WEST || side == RILL_EAST;
        for (int32_t i = 0; i < (upright ? ny : nx); ++i) {
            int32_t x = upright ? (side == RILL_EAST ? nx - 1 : 0) : i,
                    y = upright ? i : (side == RILL_NORTH ? ny - 1 : 0);
            size_t cell = (size_t)y * (size_t)nx + (size_t)x;
            for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k, ++count) {
                if (!ghosts) continue;
                int32_t stride = rill_bed_sheet_of(bed, bed->places[k], NULL, NULL)->stride;
                int32_t outward = upright ? 1 : stride;
                if (side == RILL_WEST || side == RILL_SOUTH) outward = -outward;
                set_ghost(bed, &ghosts[count], bed->places[k], outward, side, &edges[side]);
            }
        }
    }
    return count;
}

/* ------------------------------------------------------------------------------------------------------------ make */

static rill_result fill_bed(rill_bed *bed, const rill_columns *columns, const rill_numbering *numbering,
                            const rill_edge edges[4], const rill_allocator *allocator, rill_message *message) {
    bed->sheet_count = (int32_t)numbering->sheets.count;
    bed->sheets = rill_alloc_zeroed(allocator, (size_t)bed->sheet_count, sizeof(rill_sheet));
    if (!bed->sheets)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %d sheets", (int)bed->sheet_count);
    rill_result result = lay_out(bed, &numbering->sheets, message);
    if (result) return result;
    bed->column_capacity = (size_t)columns->count;
    bed->places = rill_alloc_zeroed(allocator, bed->column_capacity, sizeof(int32_t));
    bed->b = rill_alloc_zeroed(allocator, (size_t)bed->plane_size, sizeof(int32_t));
    bed->c = rill_alloc_zeroed(allocator, (size_t)bed->plane_size, sizeof(int32_t));
    if (!bed->places || !bed->b || !bed->c)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for planes of %d places", (int)bed->plane_size);
    if (!set_planes(bed, columns, numbering->sheet_of))
        return rill_fail(message, RILL_INVALID_DATA, "bed: the sheets of the columns make no sense");

    int64_t pipes = bed->sheet_count > 1 ? list_pipes(bed, NULL, NULL) : 0;
    if (pipes > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %lld sparse pipes, expected less than 2^31", (long long)pipes);
    bed->pipe_count = (int32_t)pipes;
    bed->pipe_capacity = (size_t)pipes;
    bed->pipe_l = rill_alloc_zeroed(allocator, (size_t)pipes, sizeof(int32_t));
    bed->pipe_r = rill_alloc_zeroed(allocator, (size_t)pipes, sizeof(int32_t));
    bed->ghost_count = rill_ghosts_list(bed, edges, NULL);
    bed->ghost_capacity = (size_t)bed->ghost_count;
    bed->ghosts = rill_alloc_zeroed(allocator, bed->ghost_capacity, sizeof(rill_ghost));
    if (!bed->pipe_l || !bed->pipe_r || !bed->ghosts)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %d pipes and %d ghosts", (int)bed->pipe_count,
                         (int)bed->ghost_count);
    if (pipes > 0) list_pipes(bed, bed->pipe_l, bed->pipe_r);
    for (int32_t i = 1; i < bed->pipe_count; ++i)
        RILL_ASSERT(bed->pipe_l[i - 1] < bed->pipe_l[i] ||
                    (bed->pipe_l[i - 1] == bed->pipe_l[i] && bed->pipe_r[i - 1] < bed->pipe_r[i]));
    rill_ghosts_list(bed, edges, bed->ghosts);
    rill_columns_describe(columns, &bed->info);
    bed->info.sheets = bed->sheet_count;
    bed->info.sparse_pipes = bed->pipe_count;
    bed->info.faces_closed = count_closed(columns);
    return RILL_OK;
}

/* Columns may have been made by hand, without notes. */
static rill_result complete(rill_columns *columns, const rill_allocator *allocator, rill_message *message) {
    columns->area = (rill_area){ { 0, 0 }, { columns->grid.cells[0], columns->grid.cells[1] } };
    if (!columns->notes) columns->notes = rill_alloc_zeroed(allocator, cell_count(&columns->grid), sizeof(rill_notes));
    return columns->notes ? RILL_OK : rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for notes on the cells");
}

rill_result rill_bed_make_numbered(rill_columns *columns, const rill_numbering *numbering, bool roomy,
                                   const rill_edge edges[4], const rill_allocator *allocator, rill_bed *out,
                                   rill_message *message) {
    rill_result result = check_columns(columns, message);
    if (!result) result = complete(columns, allocator, message);
    if (result) return result;
    rill_bed bed = { .grid = columns->grid,
                     .quantum = columns->quantum,
                     .datum = columns->datum,
                     .opening = columns->opening,
                     .cell_first = columns->cell_first,
                     .floors = columns->floors,
                     .notes = columns->notes,
                     .roomy = roomy };
    result = fill_bed(&bed, columns, numbering, edges, allocator, message);
    if (result) {
        bed.cell_first = NULL; /* still the columns' */
        bed.floors = NULL;
        bed.notes = NULL;
        rill_bed_free(&bed, allocator);
        return result;
    }
    columns->cell_first = NULL;
    columns->floors = NULL;
    columns->notes = NULL;
    *out = bed;
    return RILL_OK;
}

rill_result rill_bed_make(rill_columns *columns, const rill_edge edges[4], const rill_allocator *allocator,
                          rill_bed *out, rill_message *message) {
    rill_result result = check_columns(columns, message);
    if (result) return result;
    rill_numbering numbering;
    if (!rill_numbering_make(&numbering, columns, false, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to number %lld columns",
                         (long long)columns->count);
    result = rill_bed_make_numbered(columns, &numbering, false, edges, allocator, out, message);
    rill_numbering_free(&numbering, columns, allocator);
    return result;
}

void rill_bed_free(rill_bed *bed, const rill_allocator *allocator) {
    const size_t plane = (size_t)bed->plane_size, cells = cell_count(&bed->grid);
    rill_free(allocator, bed->cell_first, cells + 1, sizeof(int32_t));
    rill_free(allocator, bed->places, bed->column_capacity, sizeof(int32_t));
    rill_free(allocator, bed->floors, bed->column_capacity, sizeof(uint16_t));
    rill_free(allocator, bed->notes, cells, sizeof(rill_notes));
    rill_free(allocator, bed->sheets, (size_t)bed->sheet_count, sizeof(rill_sheet));
    rill_free(allocator, bed->b, plane, sizeof(int32_t));
    rill_free(allocator, bed->c, plane, sizeof(int32_t));
    rill_free(allocator, bed->pipe_l, bed->pipe_capacity, sizeof(int32_t));
    rill_free(allocator, bed->pipe_r, bed->pipe_capacity, sizeof(int32_t));
    rill_free(allocator, bed->ghosts, bed->ghost_capacity, sizeof(rill_ghost));
    *bed = (rill_bed){ 0 };
}

/* ---------------------------------------------------------------------------------------------------------- roomy */

/* The columns a bed was made from. */
static bool copy_columns(const rill_bed *bed, const rill_allocator *allocator, rill_columns *out) {
    const size_t count = (size_t)bed->info.columns, cells = cell_count(&bed->grid);
    *out = (rill_columns){ .grid = bed->grid,
                           .area = { { 0, 0 }, { bed->grid.cells[0], bed->grid.cells[1] } },
                           .quantum = bed->quantum,
                           .datum = bed->datum,
                           .opening = bed->opening,
                           .count = bed->info.columns };
    out->cell_first = rill_alloc_zeroed(allocator, cells + 1, sizeof(int32_t));
    out->b = rill_alloc_zeroed(allocator, count, sizeof(int32_t));
    out->c = rill_alloc_zeroed(allocator, count, sizeof(int32_t));
    out->floors = rill_alloc_zeroed(allocator, count, sizeof(uint16_t));
    out->notes = rill_alloc_zeroed(allocator, cells, sizeof(rill_notes));
    if (!out->cell_first || !out->b || !out->c || !out->floors || !out->notes) return false;
    memcpy(out->cell_first, bed->cell_first, (cells + 1) * sizeof(int32_t));
    memcpy(out->floors, bed->floors, count * sizeof(uint16_t));
    memcpy(out->notes, bed->notes, cells * sizeof(rill_notes));
    for (size_t k = 0; k < count; ++k) {
        out->b[k] = bed->b[bed->places[k]];
        out->c[k] = bed->c[bed->places[k]];
    }
    return true;
}

/* The numbering a bed has. */
static bool copy_numbering(const rill_bed *bed, const rill_allocator *allocator, rill_numbering *out) {
    const size_t count = (size_t)bed->info.columns;
    *out = (rill_numbering){ .sheets = rill_array_make(sizeof(rill_sheet)) };
    out->sheet_of = rill_alloc_zeroed(allocator, count, sizeof(int32_t));
    if (!out->sheet_of) return false;
    for (int32_t s = 0; s < bed->sheet_count; ++s)
        if (!rill_array_push(&out->sheets, allocator, &bed->sheets[s])) return false;
    for (size_t k = 0; k < count; ++k)
        out->sheet_of[k] = (int32_t)(rill_bed_sheet_of(bed, bed->places[k], NULL, NULL) - bed->sheets);
    return true;
}

rill_result rill_bed_make_roomy(const rill_bed *bed, int32_t spare, const rill_edge edges[4],
                                const rill_allocator *allocator, rill_bed *out, rill_message *message) {
    rill_columns columns;
    rill_numbering numbering = { 0 };
    const rill_sheet whole = { .nx = bed->grid.cells[0], .ny = bed->grid.cells[1] };
    bool good = copy_columns(bed, allocator, &columns);
    if (good)
        good = bed->roomy ? copy_numbering(bed, allocator, &numbering)
                          : rill_numbering_make(&numbering, &columns, true, allocator);
    for (int32_t i = 0; good && i < spare; ++i) good = rill_array_push(&numbering.sheets, allocator, &whole) != NULL;
    rill_result result = RILL_OUT_OF_MEMORY;
    if (good)
        result = rill_bed_make_numbered(&columns, &numbering, true, edges, allocator, out, message);
    else
        rill_fail(message, result, "bed: no memory to make room for moving solids");
    rill_numbering_free(&numbering, &columns, allocator);
    rill_columns_free(&columns, allocator);
    return result;
}

/* --------------------------------------------------------------------------------------------------------- finding */

/* The cell of a coordinate; the far rim belongs to the last cell; -1 outside. */
static int32_t cell_of(const rill_grid *grid, int axis, double value) {
    double place = (value - grid->origin[axis]) / grid->cell_size;
    if (!(place >= 0.0 && place <= (double)grid->cells[axis])) return -1;
    int32_t cell = (int32_t)place;
    return cell < grid->cells[axis] ? cell : grid->cells[axis] - 1;
}

int32_t rill_bed_find(const rill_bed *bed, const double at[3], int32_t *layer) {
    int32_t x = cell_of(&bed->grid, 0, at[0]), y = cell_of(&bed->grid, 1, at[1]);
    if (x < 0 || y < 0) return -1;
    /* Rounded as floors are, so that a point on a floor is above it. */
    double height = floor((at[2] - bed->datum) / bed->quantum + 0.5);
    size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    int32_t first = bed->cell_first[cell];
    for (int32_t k = bed->cell_first[cell + 1] - 1; k >= first; --k)
        if ((double)bed->b[bed->places[k]] <= height) {
            if (layer) *layer = k - first;
            return k;
        }
    return -1;
}

int32_t rill_bed_column(const rill_bed *bed, int32_t x, int32_t y, int32_t layer) {
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1] || layer < 0) return -1;
    size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    return layer < bed->cell_first[cell + 1] - bed->cell_first[cell] ? bed->cell_first[cell] + layer : -1;
}

int32_t rill_bed_first_pipe(const rill_bed *bed, const int32_t *by_r, int32_t place) {
    int32_t low = 0, high = bed->pipe_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((by_r ? bed->pipe_r[by_r[middle]] : bed->pipe_l[middle]) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Pipes are sorted by both ends. */
int32_t rill_bed_find_pipe(const rill_bed *bed, int32_t l, int32_t r) {
    int32_t low = 0, high = bed->pipe_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (bed->pipe_l[middle] < l || (bed->pipe_l[middle] == l && bed->pipe_r[middle] < r))
            low = middle + 1;
        else
            high = middle;
    }
    return low < bed->pipe_count && bed->pipe_l[low] == l && bed->pipe_r[low] == r ? low : -1;
}

const rill_sheet *rill_bed_sheet_of(const rill_bed *bed, int32_t place, int32_t *x, int32_t *y) {
    int32_t low = 0, high = bed->sheet_count - 1;
    if (bed->roomy) /* all are of one size */
        low = high = place / (int32_t)rill_sheet_area(bed->grid.cells[0], bed->grid.cells[1]);
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (rill_sheet_start(&bed->sheets[middle]) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    const rill_sheet *sheet = &bed->sheets[low];
    RILL_ASSERT(low >= 0 && low < bed->sheet_count && place >= rill_sheet_start(sheet) && place < bed->plane_size);
    int32_t inside = place - rill_sheet_start(sheet);
    if (x) *x = sheet->x0 + inside % sheet->stride - RILL_PAD_X - 1;
    if (y) *y = sheet->y0 + inside / sheet->stride - RILL_PAD_Y;
    return sheet;
}

bool rill_bed_roofed(const rill_bed *bed) {
    for (int32_t i = 0; i < bed->plane_size; ++i)
        if (bed->c[i] < RILL_TOP) return true;
    return false;
}

int32_t rill_bed_tile_of(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    int32_t tx = (x - sheet->x0 + 1) / RILL_TILE_W, ty = (y - sheet->y0 + 1) / RILL_TILE_H;
    RILL_ASSERT(tx >= 0 && tx < sheet->tiles_x && ty >= 0 && ty < sheet->tiles_y);
    return sheet->first_tile + ty * sheet->tiles_x + tx;
}
