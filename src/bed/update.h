/* A bed that follows its solids: the columns of some cells are replaced, all others stay where they are.
 *
 *   begin    rill_update_compare, once for each area that was built anew: which cells differ from the bed
 *   apply    the bed has the new columns; what it had before is kept
 *   undo     as if nothing had been done; or
 *   end      what was kept is dropped
 *
 * Only a roomy bed can be updated: there every sheet has a place for every cell, so that a column can come or go in any
 * of them. A new column takes the place of the old one of its cell that it goes on from, if there is one (the nearest
 * base among those whose voids overlap); else that in the sheet in which most of its neighbours are. */
#ifndef RILL_BED_UPDATE_H
#define RILL_BED_UPDATE_H

#include "base/array.h"
#include "bed/bed.h"

typedef struct rill_old_column {
    int32_t place, b, c;
} rill_old_column;

typedef struct rill_new_column {
    int32_t place, b, c;
    int32_t from; /* which of those it replaces it goes on from, at the same place; -1: none */
    uint16_t floor;
} rill_new_column;

/* A cell whose columns are not what they were: some of them are replaced, those below and above stay. */
typedef struct rill_cell_change {
    int32_t x, y;
    int32_t below;                /* so many of its columns stay below */
    int32_t old_first, old_count; /* in `old` */
    int32_t new_first, new_count; /* in `fresh` */
} rill_cell_change;

/* Marks of the places of columns that are replaced, and that replace them. */
enum {
    RILL_PLACE_CHANGED = 1 << 0,
    RILL_PLACE_KEPT = 1 << 1 /* the new column goes on from the old one */
};

/* The part of a bed that is replaced as a whole. */
typedef struct rill_bed_lists {
    int32_t *cell_first, *places;
    uint16_t *floors;
    int32_t *pipe_l, *pipe_r;
    rill_ghost *ghosts;
    size_t column_capacity, pipe_capacity, ghost_capacity;
    int32_t pipe_count, ghost_count;
    rill_bed_info info;
} rill_bed_lists;

/* The ends of a sparse pipe. */
typedef struct rill_pair {
    int32_t l, r;
} rill_pair;

/* Working memory is kept from update to update. */
typedef struct rill_update {
    rill_array parts;     /* rill_columns: of areas that do not overlap */
    rill_array changes;   /* rill_cell_change, by row and then by column */
    rill_array old;       /* rill_old_column */
    rill_array fresh;     /* rill_new_column; places once it is applied */
    rill_array pipe_from; /* int32_t: the number that each pipe of the bed had before; -1: it is new */
    rill_array pairs;     /* rill_pair: sparse pipes of the changed cells */
    uint8_t *marks;       /* per place; zero between updates */
    size_t mark_count;
    rill_bed_lists other; /* of the bed before, once it is applied */
    size_t cell_count;
    bool placed, exchanged, ghosts_moved, noted; /* how far it has come */
} rill_update;

rill_update rill_update_make(void);
void rill_update_free(rill_update *update, const rill_allocator *allocator);

/* Finds the cells of an area that differ from the bed. Takes over the columns, in any case; they are from
 * `columns_from`, to which they go back at the end. */
rill_result rill_update_compare(rill_update *update, const rill_bed *bed, rill_columns *columns,
                                const rill_allocator *columns_from, const rill_allocator *allocator,
                                rill_message *message);
/* Puts the new columns into a roomy bed. With `*full` the bed needs another sheet. On failure the bed is as it was. */
rill_result rill_update_apply(rill_update *update, rill_bed *bed, const rill_edge edges[4],
                              const rill_allocator *allocator, bool *full, rill_message *message);
void rill_update_undo(rill_update *update, rill_bed *bed, const rill_edge edges[4]);
/* Instead of applying, when no cell has changed: floors may belong to other solids now. */
void rill_update_touch(rill_update *update, rill_bed *bed);
/* Begins anew. */
void rill_update_end(rill_update *update, const rill_allocator *columns_from);

/* Steps of an update (update_lists.c): room for new lists; cells with the columns as they are placed; the rest of the
 * lists, once they are exchanged. */
bool rill_lists_reserve(rill_update *update, const rill_bed *bed, const rill_allocator *allocator);
void rill_lists_cells(rill_update *update, const rill_bed *bed);
void rill_lists_exchange(rill_bed *bed, rill_bed_lists *lists);
rill_result rill_lists_renew(rill_update *update, rill_bed *bed, const rill_edge edges[4],
                             const rill_allocator *allocator, rill_message *message);
void rill_lists_notes(rill_update *update, rill_bed *bed);
void rill_lists_clear(rill_bed *bed, const rill_ghost *ghosts, int32_t count);

#endif
