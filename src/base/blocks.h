/* Blocks that are used again: an allocator in front of another one that keeps what is given back. For work that is done
 * anew in every frame with about as much memory as in the frame before; blocks are few and looked for one by one. */
#ifndef RILL_BASE_BLOCKS_H
#define RILL_BASE_BLOCKS_H

#include "base/array.h"

typedef struct rill_blocks {
    rill_array all; /* what it has, free or in use */
    rill_allocator behind;
} rill_blocks;

rill_blocks rill_blocks_make(const rill_allocator *behind);
/* Gives all blocks back; none may be in use. */
void rill_blocks_free(rill_blocks *blocks);
/* Returns the allocator to work with; `blocks` must stay where it is meanwhile. */
rill_allocator rill_blocks_allocator(rill_blocks *blocks);

#endif
