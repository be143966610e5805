/* Numbering columns into sheets.
 *
 * Any numbering is right, as long as a sheet has at most one column per cell and no neighbours in it whose voids
 * overlap by less than the opening (no pipe, but the dense kernels would see one): pipes within a sheet are then
 * implicit and all others are listed. A good numbering has few sparse pipes and little area to sweep.
 *
 *   1. Pieces: from each column not yet numbered, ground floors first, a piece grows breadth first over neighbours that
 *      are each other's best match (the nearest base) and no steeper than 45 degrees.
 *   2. Packing: the piece with the most ground becomes the first sheet. Then, from the largest on, each goes where its
 *      cells are free and it is cheapest: little growth of the rectangle, many dense pipes to what is there. */
#include "bed/sheets.h"

#include "base/assert.h"
#include "base/sort.h"

#include <stdlib.h>

/* Costs in places swept: of a sheet, beside its area, since a sweep has to start and end; and of a sparse pipe. */
enum { SHEET_COST = 2048, PIPE_COST = 10 };

typedef struct spot {
    int32_t column, cell, x;
} spot;

typedef struct piece {
    int32_t x0, y0, x1, y1; /* cells, inclusive */
    int32_t size, ground;   /* columns; of those, lowest of their cells */
    int32_t first;          /* in members */
} piece;

typedef struct rank {
    int32_t piece, ground, size;
} rank;

typedef struct numberer {
    const rill_columns *columns;
    const rill_allocator *allocator;
    int32_t nx, ny;
    int32_t step;      /* a cell's width in quanta: the steepest match */
    int32_t *piece_of; /* of each column; -1: none yet. While pieces are packed: of one that is, ~ its sheet */
    rill_array pieces, now, next;
    int32_t *members;  /* cells of each piece */
    uint64_t *used;    /* per cell: bits of the first 64 sheets that have a column here */
    rill_array joints; /* int64_t: of each sheet, see find_joints */
    rill_array ranks;
    rill_array *sheets;
    bool roomy;
} numberer;

static bool rank_before(const rank *a, const rank *b) {
    if (a->ground != b->ground) return a->ground > b->ground;
    return a->size != b->size ? a->size > b->size : a->piece < b->piece;
}
RILL_SORT(sort_ranks, rank, rank_before)

/* The neighbour of cell `cell`, whose x is `x`, to the west, east, south or north; -1 beyond the rim. */
static int32_t neighbour(const numberer *work, int32_t cell, int32_t x, int direction) {
    switch (direction) {
    case RILL_WEST: return x > 0 ? cell - 1 : -1;
    case RILL_EAST: return x + 1 < work->nx ? cell + 1 : -1;
    case RILL_SOUTH: return cell >= work->nx ? cell - work->nx : -1;
    default: return cell + work->nx < work->nx * work->ny ? cell + work->nx : -1;
    }
}

static int32_t overlap(const numberer *work, int32_t i, int32_t j) {
    const rill_columns *c = work->columns;
    return rill_overlap(c->b[i], c->c[i], c->b[j], c->c[j]);
}

static bool has_piece(const numberer *work, int32_t cell, int32_t index) {
    for (int32_t k = work->columns->cell_first[cell]; k < work->columns->cell_first[cell + 1]; ++k)
        if (work->piece_of[k] == index) return true;
    return false;
}

/* The column of a cell that a column opens into with the nearest base; -1 when there is none. */
static int32_t best_match(const numberer *work, int32_t column, int32_t cell, bool only_free) {
    int32_t best = -1, nearest = 0;
    for (int32_t k = work->columns->cell_first[cell]; k < work->columns->cell_first[cell + 1]; ++k) {
        if ((only_free && work->piece_of[k] >= 0) || overlap(work, column, k) < work->columns->opening) continue;
        int32_t distance = abs(work->columns->b[k] - work->columns->b[column]);
        if (best < 0 || distance < nearest) best = k, nearest = distance;
    }
    return best;
}

/* Whether a column may join a piece: its cell is free there and no neighbour overlaps by too little. */
static bool may_join(const numberer *work, const spot *at, int32_t index) {
    if (work->piece_of[at->column] >= 0 || has_piece(work, at->cell, index)) return false;
    for (int d = 0; d < 4; ++d) {
        int32_t other = neighbour(work, at->cell, at->x, d);
        if (other < 0) continue;
        for (int32_t k = work->columns->cell_first[other]; k < work->columns->cell_first[other + 1]; ++k)
            if (work->piece_of[k] == index && rill_overlap_closed(overlap(work, at->column, k), work->columns->opening))
                return false;
    }
    return true;
}

static bool join(numberer *work, const spot *at, int32_t index) {
    piece *part = (piece *)work->pieces.data + index;
    int32_t x = at->x, y = (at->cell - x) / work->nx;
    RILL_ASSERT(work->piece_of[at->column] < 0 && at->cell % work->nx == x);
    work->piece_of[at->column] = index;
    part->x0 = x < part->x0 ? x : part->x0, part->x1 = x > part->x1 ? x : part->x1;
    part->y0 = y < part->y0 ? y : part->y0, part->y1 = y > part->y1 ? y : part->y1;
    part->size += 1;
    part->ground += at->column == work->columns->cell_first[at->cell];
    return rill_array_push(&work->next, work->allocator, at) != NULL;
}

static bool grow_from(numberer *work, const spot *from, int32_t index) {
    for (int d = 0; d < 4; ++d) {
        int32_t cell = neighbour(work, from->cell, from->x, d);
        if (cell < 0 || has_piece(work, cell, index)) continue;
        spot to = { best_match(work, from->column, cell, true), cell, from->x + (d == RILL_EAST) - (d == RILL_WEST) };
        if (to.column < 0 || abs(work->columns->b[to.column] - work->columns->b[from->column]) > work->step) continue;
        if (best_match(work, to.column, from->cell, false) != from->column || !may_join(work, &to, index)) continue;
        if (!join(work, &to, index)) return false;
    }
    return true;
}

static bool grow_piece(numberer *work, int32_t column, int32_t cell) {
    piece fresh = { .x0 = work->nx, .y0 = work->ny, .x1 = -1, .y1 = -1 };
    int32_t index = (int32_t)work->pieces.count;
    work->next.count = 0;
    if (!rill_array_push(&work->pieces, work->allocator, &fresh) ||
        !join(work, &(spot){ column, cell, cell % work->nx }, index))
        return false;
    while (work->next.count > 0) {
        rill_array swap = work->now;
        work->now = work->next, work->next = swap;
        work->next.count = 0;
        for (size_t i = 0; i < work->now.count; ++i) {
            spot from = ((const spot *)work->now.data)[i];
            if (!grow_from(work, &from, index)) return false;
        }
    }
    return true;
}

static bool grow_pieces(numberer *work) {
    const int32_t *first = work->columns->cell_first;
    int32_t cells = work->nx * work->ny;
    bool more = true;
    for (int32_t layer = 0; more; ++layer) {
        more = false;
        for (int32_t cell = 0; cell < cells; ++cell) {
            int32_t column = first[cell] + layer;
            if (column >= first[cell + 1]) continue;
            more = true;
            if (work->piece_of[column] < 0 && !grow_piece(work, column, cell)) return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------- packing */

/* A piece has one column per cell: listing the cells is enough. */
static bool list_members(numberer *work) {
    piece *pieces = work->pieces.data;
    work->members = rill_alloc_zeroed(work->allocator, (size_t)work->columns->count, sizeof(int32_t));
    if (!work->members || !rill_array_resize(&work->ranks, work->allocator, work->pieces.count)) return false;
    int32_t sum = 0;
    rank *ranks = work->ranks.data;
    for (size_t i = 0; i < work->pieces.count; ++i) {
        ranks[i] = (rank){ .piece = (int32_t)i, .ground = pieces[i].ground, .size = pieces[i].size };
        pieces[i].first = sum;
        sum += pieces[i].size;
    }
    RILL_ASSERT(sum == work->columns->count); /* every column is in one piece */
    for (int32_t cell = 0; cell < work->nx * work->ny; ++cell)
        for (int32_t k = work->columns->cell_first[cell]; k < work->columns->cell_first[cell + 1]; ++k)
            work->members[pieces[work->piece_of[k]].first++] = cell;
    for (size_t i = 0; i < work->pieces.count; ++i) pieces[i].first -= pieces[i].size;
    /* By size, but the piece with the most ground comes first of all. */
    sort_ranks(ranks, work->ranks.count);
    for (size_t i = 1; i < work->ranks.count; ++i) ranks[i].ground = 0;
    sort_ranks(ranks, work->ranks.count);
    return true;
}

/* The sheets in which some of a piece's cells have a column already have no joints with it: -1; of the first 64, those
 * are also returned as bits. */
static uint64_t find_taken(const numberer *work, const piece *part) {
    int64_t *joints = work->joints.data;
    const bool many = work->sheets->count > 64;
    uint64_t taken = 0;
    for (int32_t i = part->first; i < part->first + part->size; ++i) {
        const int32_t cell = work->members[i];
        taken |= work->used[cell];
        for (int32_t k = work->columns->cell_first[cell]; many && k < work->columns->cell_first[cell + 1]; ++k)
            if (work->piece_of[k] < 0) joints[~work->piece_of[k]] = -1;
    }
    for (size_t s = 0; s < 64 && s < work->sheets->count; ++s)
        if (taken >> s & 1) joints[s] = -1;
    return taken;
}

/* A column of a piece and those of a cell beside it. */
static void count_joints(const numberer *work, int32_t column, int32_t other) {
    int64_t *joints = work->joints.data;
    for (int32_t k = work->columns->cell_first[other]; k < work->columns->cell_first[other + 1]; ++k) {
        const int32_t s = ~work->piece_of[k];
        if (s < 0 || joints[s] < 0) continue;
        const int32_t height = overlap(work, column, k);
        joints[s] = rill_overlap_closed(height, work->columns->opening) ? -1 : joints[s] + (height > 0);
    }
}

/* How many dense pipes a piece would have to what is in each sheet; -1 where it does not fit. Looks at each column
 * beside the piece once, however many sheets there are. */
static void find_joints(const numberer *work, int32_t index) {
    const piece *part = (const piece *)work->pieces.data + index;
    const size_t sheets = work->sheets->count;
    int64_t *joints = work->joints.data;
    for (size_t s = 0; s < sheets; ++s) joints[s] = 0;
    const uint64_t taken = find_taken(work, part), all = sheets < 64 ? ((uint64_t)1 << sheets) - 1 : ~(uint64_t)0;
    bool any = false;
    for (size_t s = 0; s < sheets && !any; ++s) any = joints[s] == 0;
    for (int32_t i = part->first; any && i < part->first + part->size; ++i) {
        const int32_t cell = work->members[i], x = cell % work->nx;
        int32_t column = work->columns->cell_first[cell];
        while (work->piece_of[column] != index) ++column;
        for (int d = 0; d < 4; ++d) {
            const int32_t other = neighbour(work, cell, x, d);
            if (other >= 0 && (sheets > 64 || work->used[other] & all & ~taken)) count_joints(work, column, other);
        }
    }
}

static rill_sheet around(const rill_sheet *sheet, const piece *part) {
    int32_t x0 = sheet->x0 < part->x0 ? sheet->x0 : part->x0, y0 = sheet->y0 < part->y0 ? sheet->y0 : part->y0;
    int32_t x1 = sheet->x0 + sheet->nx - 1, y1 = sheet->y0 + sheet->ny - 1;
    x1 = x1 > part->x1 ? x1 : part->x1, y1 = y1 > part->y1 ? y1 : part->y1;
    return (rill_sheet){ .x0 = x0, .y0 = y0, .nx = x1 - x0 + 1, .ny = y1 - y0 + 1 };
}

/* The columns of a piece are in a sheet from now on. */
static void put_into(numberer *work, int32_t index, int32_t sheet) {
    const piece *part = (const piece *)work->pieces.data + index;
    for (int32_t i = part->first; i < part->first + part->size; ++i) {
        const int32_t cell = work->members[i];
        int32_t column = work->columns->cell_first[cell];
        while (work->piece_of[column] != index) ++column;
        RILL_ASSERT(column < work->columns->cell_first[cell + 1]);
        work->piece_of[column] = ~sheet;
        if (sheet < 64) work->used[cell] |= (uint64_t)1 << sheet;
    }
}

static bool pack_piece(numberer *work, int32_t index) {
    const piece *part = (const piece *)work->pieces.data + index;
    rill_sheet *sheets = work->sheets->data, whole = { .nx = work->nx, .ny = work->ny },
               tight = { .x0 = part->x0, .y0 = part->y0, .nx = part->x1 - part->x0 + 1, .ny = part->y1 - part->y0 + 1 },
               own = work->roomy ? whole : tight;
    int64_t least = rill_sheet_area(own.nx, own.ny) + SHEET_COST;
    int32_t best = -1;
    find_joints(work, index);
    RILL_ASSERT(work->joints.count >= work->sheets->count);
    for (int32_t s = 0; s < (int32_t)work->sheets->count; ++s) {
        const int64_t pipes = ((const int64_t *)work->joints.data)[s];
        if (pipes < 0) continue;
        rill_sheet grown = around(&sheets[s], part);
        int64_t growth = rill_sheet_area(grown.nx, grown.ny) - rill_sheet_area(sheets[s].nx, sheets[s].ny);
        if (growth - PIPE_COST * pipes < least) best = s, least = growth - PIPE_COST * pipes;
    }
    if (best >= 0)
        sheets[best] = around(&sheets[best], part);
    else {
        best = (int32_t)work->sheets->count;
        if (!rill_array_push(work->sheets, work->allocator, &own)) return false;
        if (!rill_array_resize(&work->joints, work->allocator, work->sheets->count)) return false;
    }
    put_into(work, index, best);
    return true;
}

static bool pack(numberer *work) {
    work->used = rill_alloc_zeroed(work->allocator, (size_t)work->nx * (size_t)work->ny, sizeof(uint64_t));
    if (!work->used || !list_members(work)) return false;
    const rank *ranks = work->ranks.data;
    for (size_t i = 0; i < work->ranks.count; ++i)
        if (!pack_piece(work, ranks[i].piece)) return false;
    for (int64_t k = 0; k < work->columns->count; ++k) work->piece_of[k] = ~work->piece_of[k]; /* now sheet_of */
    for (int64_t k = 0; k < work->columns->count; ++k)
        RILL_ASSERT(work->piece_of[k] >= 0 && (size_t)work->piece_of[k] < work->sheets->count);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- all */

/* One layer under open sky: a single sheet, whatever the bed looks like. */
static bool is_single(const rill_columns *columns) {
    for (int32_t cell = 0; cell < columns->grid.cells[0] * columns->grid.cells[1]; ++cell) {
        int32_t first = columns->cell_first[cell], count = columns->cell_first[cell + 1] - first;
        if (count > 1 || (count == 1 && columns->c[first] != RILL_TOP)) return false;
    }
    return true;
}

static bool number_single(rill_numbering *numbering, const rill_columns *columns, bool roomy,
                          const rill_allocator *allocator) {
    int32_t nx = columns->grid.cells[0], ny = columns->grid.cells[1], x0 = nx, x1 = -1, y0 = ny, y1 = -1;
    for (int32_t y = 0; y < ny; ++y)
        for (int32_t x = 0; x < nx; ++x) {
            const int32_t *first = columns->cell_first + (size_t)y * (size_t)nx + x;
            if (first[0] == first[1]) continue;
            x0 = x < x0 ? x : x0, x1 = x > x1 ? x : x1;
            y0 = y < y0 ? y : y0, y1 = y;
        }
    rill_sheet sheet = { .nx = 1, .ny = 1 }; /* walls all over: a sheet without columns */
    if (roomy)
        sheet = (rill_sheet){ .nx = nx, .ny = ny };
    else if (columns->count > 0)
        sheet = (rill_sheet){ .x0 = x0, .y0 = y0, .nx = x1 - x0 + 1, .ny = y1 - y0 + 1 };
    return rill_array_push(&numbering->sheets, allocator, &sheet) != NULL;
}

static bool number_layers(rill_numbering *numbering, const rill_columns *columns, bool roomy,
                          const rill_allocator *allocator) {
    double step = columns->grid.cell_size / columns->quantum;
    numberer work = { .columns = columns,
                      .allocator = allocator,
                      .nx = columns->grid.cells[0],
                      .ny = columns->grid.cells[1],
                      .step = step < (double)RILL_TOP ? (int32_t)step : RILL_TOP,
                      .pieces = rill_array_make(sizeof(piece)),
                      .now = rill_array_make(sizeof(spot)),
                      .next = rill_array_make(sizeof(spot)),
                      .joints = rill_array_make(sizeof(int64_t)),
                      .ranks = rill_array_make(sizeof(rank)),
                      .sheets = &numbering->sheets,
                      .roomy = roomy };
    size_t count = (size_t)columns->count;
    work.piece_of = rill_alloc_zeroed(allocator, count, sizeof(int32_t));
    bool done = work.piece_of != NULL;
    for (size_t i = 0; done && i < count; ++i) work.piece_of[i] = -1;
    done = done && grow_pieces(&work) && pack(&work);
    rill_array_free(&work.pieces, allocator);
    rill_array_free(&work.now, allocator);
    rill_array_free(&work.next, allocator);
    rill_array_free(&work.joints, allocator);
    rill_array_free(&work.ranks, allocator);
    rill_free(allocator, work.members, count, sizeof(int32_t));
    rill_free(allocator, work.used, (size_t)work.nx * (size_t)work.ny, sizeof(uint64_t));
    numbering->sheet_of = work.piece_of;
    return done;
}

bool rill_numbering_make(rill_numbering *numbering, const rill_columns *columns, bool roomy,
                         const rill_allocator *allocator) {
    *numbering = (rill_numbering){ .sheets = rill_array_make(sizeof(rill_sheet)) };
    bool done = is_single(columns) ? number_single(numbering, columns, roomy, allocator)
                                   : number_layers(numbering, columns, roomy, allocator);
    if (!done) rill_numbering_free(numbering, columns, allocator);
    return done;
}

void rill_numbering_free(rill_numbering *numbering, const rill_columns *columns, const rill_allocator *allocator) {
    rill_free(allocator, numbering->sheet_of, (size_t)columns->count, sizeof(int32_t));
    rill_array_free(&numbering->sheets, allocator);
    numbering->sheet_of = NULL;
}
