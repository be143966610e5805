/* Maps over the grid, from .png and .npy files (read_maps.c). */
#ifndef RILL_SCENE_READ_MAPS_H
#define RILL_SCENE_READ_MAPS_H

#include "reader.h"

/* Names what a map holds, in the words of complaints. */
typedef struct rill_map_kind {
    const char *what, *picture; /* "a heightmap", "a PNG heightmap" */
    const char *number;         /* "height" */
    const char *plural;         /* "metres": what an .npy file holds */
    const rill_range *range;    /* of its numbers */
    bool rises;                 /* white has to be more than black */
} rill_map_kind;

/* Reads the map that a key of a mapping names, row 0 south, with the `low` and `high` beside it; columns and rows go to `size`. The
 * numbers belong to the scene. Returns the file as it was opened; NULL: complained of. */
const char *rill_read_map(rill_reader *reader, const rill_node *node, const char *key, const rill_map_kind *kind,
                          double **out, int32_t size[2]);

/* Gives memory to the scene; false, and it is freed, when there is none for its note. */
bool rill_reader_keep(rill_reader *reader, void *memory);

#endif
