/* bodies.csv: where bodies are, one row per body and time. Written by `rill run` and by `rill bake`. */
#ifndef RILL_SCENE_BODIES_ROWS_H
#define RILL_SCENE_BODIES_ROWS_H

#include "rill/rill.h"

/* The first line, with its end. */
extern const char rill_bodies_head[];

typedef struct rill_bodies_row {
    char text[640];
} rill_bodies_row;
/* Returns the row of a body by its index, with its end; "" when there is none. `time` is the text of its first
 * column. */
rill_bodies_row rill_bodies_row_of(const rill_world *world, int32_t index, const char *time);

#endif
