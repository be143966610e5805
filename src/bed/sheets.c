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
static int32_t neighbour(const numberer *n, int32_t cell, int32_t x, int direction) {
    switch (direction) {
    case RILL_WEST: return x > 0 ? cell - 1 : -1;
    case RILL_EAST: return x + 1 < n->nx ? cell + 1 : -1;
    case RILL_SOUTH: return cell >= n->nx ? cell - n->nx : -1;
    default: return cell + n->nx < n->nx * n->ny ? cell + n->nx : -1;
    }
}

static int32_t overlap(const numberer *n, int32_t i, int32_t j) {
    const rill_columns *c = n->columns;
    return rill_overlap(c->b[i], c->c[i], c->b[j], c->c[j]);
}

static bool has_piece(const numberer *n, int32_t cell, int32_t index) {
    for (int32_t k = n->columns->cell_first[cell]; k < n->columns->cell_first[cell + 1]; ++k)
        if (n->piece_of[k] == index) return true;
    return false;
}

/* The column of a cell that a column opens into with the nearest base; -1 when there is none. */
static int32_t best_match(const numberer *n, int32_t column, int32_t cell, bool only_free) {
    int32_t best = -1, nearest = 0;
    for (int32_t k = n->columns->cell_first[cell]; k < n->columns->cell_first[cell + 1]; ++k) {
        if ((only_free && n->piece_of[k] >= 0) || overlap(n, column, k) < n->columns->opening) continue;
        int32_t distance = abs(n->columns->b[k] - n->columns->b[column]);
        if (best < 0 || distance < nearest) best = k, nearest = distance;
    }
    return best;
}

/* Whether a column may join a piece: its cell is free there and no neighbour overlaps by too little. */
static bool may_join(const numberer *n, const spot *at, int32_t index) {
    if (n->piece_of[at->column] >= 0 || has_piece(n, at->cell, index)) return false;
    for (int d = 0; d < 4; ++d) {
        int32_t other = neighbour(n, at->cell, at->x, d);
        if (other < 0) continue;
        for (int32_t k = n->columns->cell_first[other]; k < n->columns->cell_first[other + 1]; ++k)
            if (n->piece_of[k] == index && rill_overlap_closed(overlap(n, at->column, k), n->columns->opening))
                return false;
    }
    return true;
}

static bool join(numberer *n, const spot *at, int32_t index) {
    piece *p = (piece *)n->pieces.data + index;
    int32_t x = at->x, y = (at->cell - x) / n->nx;
    RILL_ASSERT(n->piece_of[at->column] < 0 && at->cell % n->nx == x);
    n->piece_of[at->column] = index;
    p->x0 = x < p->x0 ? x : p->x0, p->x1 = x > p->x1 ? x : p->x1;
    p->y0 = y < p->y0 ? y : p->y0, p->y1 = y > p->y1 ? y : p->y1;
    p->size += 1;
    p->ground += at->column == n->columns->cell_first[at->cell];
    return rill_array_push(&n->next, n->allocator, at) != NULL;
}

static bool grow_from(numberer *n, const spot *from, int32_t index) {
    for (int d = 0; d < 4; ++d) {
        int32_t cell = neighbour(n, from->cell, from->x, d);
        if (cell < 0 || has_piece(n, cell, index)) continue;
        spot to = { best_match(n, from->column, cell, true), cell, from->x + (d == RILL_EAST) - (d == RILL_WEST) };
        if (to.column < 0 || abs(n->columns->b[to.column] - n->columns->b[from->column]) > n->step) continue;
        if (best_match(n, to.column, from->cell, false) != from->column || !may_join(n, &to, index)) continue;
        if (!join(n, &to, index)) return false;
    }
    return true;
}

static bool grow_piece(numberer *n, int32_t column, int32_t cell) {
    piece fresh = { .x0 = n->nx, .y0 = n->ny, .x1 = -1, .y1 = -1 };
    int32_t index = (int32_t)n->pieces.count;
    n->next.count = 0;
    if (!rill_array_push(&n->pieces, n->allocator, &fresh) || !join(n, &(spot){ column, cell, cell % n->nx }, index))
        return false;
    while (n->next.count > 0) {
        rill_array swap = n->now;
        n->now = n->next, n->next = swap;
        n->next.count = 0;
        for (size_t i = 0; i < n->now.count; ++i) {
            spot from = ((const spot *)n->now.data)[i];
            if (!grow_from(n, &from, index)) return false;
        }
    }
    return true;
}

static bool grow_pieces(numberer *n) {
    const int32_t *first = n->columns->cell_first;
    int32_t cells = n->nx * n->ny;
    bool more = true;
    for (int32_t layer = 0; more; ++layer) {
        more = false;
        for (int32_t cell = 0; cell < cells; ++cell) {
            int32_t column = first[cell] + layer;
            if (column >= first[cell + 1]) continue;
            more = true;
            if (n->piece_of[column] < 0 && !grow_piece(n, column, cell)) return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------- packing */

/* A piece has one column per cell: listing the cells is enough. */
static bool list_members(numberer *n) {
    piece *pieces = n->pieces.data;
    n->members = rill_alloc_zeroed(n->allocator, (size_t)n->columns->count, sizeof(int32_t));
    if (!n->members || !rill_array_resize(&n->ranks, n->allocator, n->pieces.count)) return false;
    int32_t sum = 0;
    rank *ranks = n->ranks.data;
    for (size_t i = 0; i < n->pieces.count; ++i) {
        ranks[i] = (rank){ .piece = (int32_t)i, .ground = pieces[i].ground, .size = pieces[i].size };
        pieces[i].first = sum;
        sum += pieces[i].size;
    }
    RILL_ASSERT(sum == n->columns->count); /* every column is in one piece */
    for (int32_t cell = 0; cell < n->nx * n->ny; ++cell)
        for (int32_t k = n->columns->cell_first[cell]; k < n->columns->cell_first[cell + 1]; ++k)
            n->members[pieces[n->piece_of[k]].first++] = cell;
    for (size_t i = 0; i < n->pieces.count; ++i) pieces[i].first -= pieces[i].size;
    /* By size, but the piece with the most ground comes first of all. */
    sort_ranks(ranks, n->ranks.count);
    for (size_t i = 1; i < n->ranks.count; ++i) ranks[i].ground = 0;
    sort_ranks(ranks, n->ranks.count);
    return true;
}

/* The sheets in which some of a piece's cells have a column already have no joints with it: -1; of the first 64, those are also
 * returned as bits. */
static uint64_t find_taken(const numberer *n, const piece *p) {
    int64_t *joints = n->joints.data;
    const bool many = n->sheets->count > 64;
    uint64_t taken = 0;
    for (int32_t i = p->first; i < p->first + p->size; ++i) {
        const int32_t cell = n->members[i];
        taken |= n->used[cell];
        for (int32_t k = n->columns->cell_first[cell]; many && k < n->columns->cell_first[cell + 1]; ++k)
            if (n->piece_of[k] < 0) joints[~n->piece_of[k]] = -1;
    }
    for (size_t s = 0; s < 64 && s < n->sheets->count; ++s)
        if (taken >> s & 1) joints[s] = -1;
    return taken;
}

/* A column of a piece and those of a cell beside it. */
static void count_joints(const numberer *n, int32_t column, int32_t other) {
    int64_t *joints = n->joints.data;
    for (int32_t k = n->columns->cell_first[other]; k < n->columns->cell_first[other + 1]; ++k) {
        const int32_t s = ~n->piece_of[k];
        if (s < 0 || joints[s] < 0) continue;
        const int32_t height = overlap(n, column, k);
        joints[s] = rill_overlap_closed(height, n->columns->opening) ? -1 : joints[s] + (height > 0);
    }
}

/* How many dense pipes a piece would have to what is in each sheet; -1 where it does not fit. Looks at each column beside the
 * piece once, however many sheets there are. */
static void find_joints(const numberer *n, int32_t index) {
    const piece *p = (const piece *)n->pieces.data + index;
    const size_t sheets = n->sheets->count;
    int64_t *joints = n->joints.data;
    for (size_t s = 0; s < sheets; ++s) joints[s] = 0;
    const uint64_t taken = find_taken(n, p), all = sheets < 64 ? ((uint64_t)1 << sheets) - 1 : ~(uint64_t)0;
    bool any = false;
    for (size_t s = 0; s < sheets && !any; ++s) any = joints[s] == 0;
    for (int32_t i = p->first; any && i < p->first + p->size; ++i) {
        const int32_t cell = n->members[i], x = cell % n->nx;
        int32_t column = n->columns->cell_first[cell];
        while (n->piece_of[column] != index) ++column;
        for (int d = 0; d < 4; ++d) {
            const int32_t other = neighbour(n, cell, x, d);
            if (other >= 0 && (sheets > 64 || n->used[other] & all & ~taken)) count_joints(n, column, other);
        }
    }
}

static rill_sheet around(const rill_sheet *sheet, const piece *p) {
    int32_t x0 = sheet->x0 < p->x0 ? sheet->x0 : p->x0, y0 = sheet->y0 < p->y0 ? sheet->y0 : p->y0;
    int32_t x1 = sheet->x0 + sheet->nx - 1, y1 = sheet->y0 + sheet->ny - 1;
    x1 = x1 > p->x1 ? x1 : p->x1, y1 = y1 > p->y1 ? y1 : p->y1;
    return (rill_sheet){ .x0 = x0, .y0 = y0, .nx = x1 - x0 + 1, .ny = y1 - y0 + 1 };
}

/* The columns of a piece are in a sheet from now on. */
static void put_into(numberer *n, int32_t index, int32_t sheet) {
    const piece *p = (const piece *)n->pieces.data + index;
    for (int32_t i = p->first; i < p->first + p->size; ++i) {
        const int32_t cell = n->members[i];
        int32_t column = n->columns->cell_first[cell];
        while (n->piece_of[column] != index) ++column;
        RILL_ASSERT(column < n->columns->cell_first[cell + 1]);
        n->piece_of[column] = ~sheet;
        if (sheet < 64) n->used[cell] |= (uint64_t)1 << sheet;
    }
}

static bool pack_piece(numberer *n, int32_t index) {
    const piece *p = (const piece *)n->pieces.data + index;
    rill_sheet *sheets = n->sheets->data, whole = { .nx = n->nx, .ny = n->ny },
               tight = { .x0 = p->x0, .y0 = p->y0, .nx = p->x1 - p->x0 + 1, .ny = p->y1 - p->y0 + 1 },
               own = n->roomy ? whole : tight;
    int64_t least = rill_sheet_area(own.nx, own.ny) + SHEET_COST;
    int32_t best = -1;
    find_joints(n, index);
    RILL_ASSERT(n->joints.count >= n->sheets->count);
    for (int32_t s = 0; s < (int32_t)n->sheets->count; ++s) {
        const int64_t pipes = ((const int64_t *)n->joints.data)[s];
        if (pipes < 0) continue;
        rill_sheet grown = around(&sheets[s], p);
        int64_t growth = rill_sheet_area(grown.nx, grown.ny) - rill_sheet_area(sheets[s].nx, sheets[s].ny);
        if (growth - PIPE_COST * pipes < least) best = s, least = growth - PIPE_COST * pipes;
    }
    if (best >= 0)
        sheets[best] = around(&sheets[best], p);
    else {
        best = (int32_t)n->sheets->count;
        if (!rill_array_push(n->sheets, n->allocator, &own)) return false;
        if (!rill_array_resize(&n->joints, n->allocator, n->sheets->count)) return false;
    }
    put_into(n, index, best);
    return true;
}

static bool pack(numberer *n) {
    n->used = rill_alloc_zeroed(n->allocator, (size_t)n->nx * (size_t)n->ny, sizeof(uint64_t));
    if (!n->used || !list_members(n)) return false;
    const rank *ranks = n->ranks.data;
    for (size_t i = 0; i < n->ranks.count; ++i)
        if (!pack_piece(n, ranks[i].piece)) return false;
    for (int64_t k = 0; k < n->columns->count; ++k) n->piece_of[k] = ~n->piece_of[k]; /* now sheet_of */
    for (int64_t k = 0; k < n->columns->count; ++k)
        RILL_ASSERT(n->piece_of[k] >= 0 && (size_t)n->piece_of[k] < n->sheets->count);
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
    numberer n = { .columns = columns,
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
    n.piece_of = rill_alloc_zeroed(allocator, count, sizeof(int32_t));
    bool done = n.piece_of != NULL;
    for (size_t i = 0; done && i < count; ++i) n.piece_of[i] = -1;
    done = done && grow_pieces(&n) && pack(&n);
    rill_array_free(&n.pieces, allocator);
    rill_array_free(&n.now, allocator);
    rill_array_free(&n.next, allocator);
    rill_array_free(&n.joints, allocator);
    rill_array_free(&n.ranks, allocator);
    rill_free(allocator, n.members, count, sizeof(int32_t));
    rill_free(allocator, n.used, (size_t)n.nx * (size_t)n.ny, sizeof(uint64_t));
    numbering->sheet_of = n.piece_of;
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
