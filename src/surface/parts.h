/* What the stages of a build share. */
#ifndef RILL_SURFACE_PARTS_H
#define RILL_SURFACE_PARTS_H

#include <string.h>

#include "surface/surface_kernels.h"

typedef struct rill_build {
    rill_surface *s;
    const rill_surface_view *view;
    int32_t dx, thin; /* quanta: the cell size, and the depth from which liquid reaches all the way to where it ends */
    bool fresh;       /* the mesh has nothing of the build before */
} rill_build;

/* A stage for one row. */
typedef void rill_row_task(const rill_build *build, rill_surface_row *row);

/* The next of `bytes` that is not zero, from i on; n if there is none. Reads whole words up to a multiple of 8. */
static inline int32_t rill_next_byte(const uint8_t *bytes, int32_t i, int32_t n) {
    while (i < n && i & 7 && !bytes[i]) ++i;
    for (; i < n && !(i & 7); i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        if (word) break;
    }
    while (i < n && !bytes[i]) ++i;
    return i < n ? i : n;
}

/* How many bits of a byte are set. */
static inline int32_t rill_bits(uint32_t byte) {
    const uint32_t pairs = byte - (byte >> 1 & 0x55u), fours = (pairs & 0x33u) + (pairs >> 2 & 0x33u);
    return (int32_t)((fours + (fours >> 4)) & 15u);
}

/* The vertex where the surface of a wet column ends in the direction of an axis. */
static inline uint32_t rill_rim_vertex(const rill_surface *s, int32_t place, int32_t direction) {
    const int32_t before = rill_bits(s->rim[place] & ((1u << direction) - 1));
    return (uint32_t)s->column_vertices + (uint32_t)(s->rim_first[place] + before);
}

/* levels.c. Which columns are wet, and how high; links to neighbours in the sheet; rims and quads; how many there
 * are. */
rill_row_task rill_row_level, rill_row_link, rill_row_shape, rill_row_count;

/* joints.c. Which columns of different sheets may be linked; false without memory. */
bool rill_joints_find(rill_surface *surface, const rill_bed *bed);
/* Which are linked; before the links of sheets. Then, once those are known: no surface ends
 * at a joint, and corners where sheets meet are marked. */
void rill_joints_test(const rill_build *build);
void rill_joints_close(const rill_build *build);
/* Slopes and velocities of columns that have joints, whose neighbours are not where the kernels look. */
void rill_joints_mend(const rill_build *build);

/* vertices.c. The numbers of columns' vertices, by place; and the vertices. */
rill_row_task rill_row_number, rill_row_vertices;
/* Normal and upward velocity of a column that is not linked to all its neighbours in the sheet. */
void rill_column_mend(const rill_build *build, int32_t place, int32_t stride);

/* The column of the cell (x, y) whose range a level is in; -1: none. `beside` is the place it most likely is. */
int32_t rill_column_at_level(const rill_build *build, int32_t level, int32_t beside, int32_t x, int32_t y);

/* rims.c. What rims are, once they are numbered; the numbers of the vertices below them; vertices of them, once those
 * of columns are made. */
rill_row_task rill_row_find_rims, rill_row_number_skirts, rill_row_place_rims;

/* corners.c. Triangles of a row of quartets, and of corners where sheets meet: the odd ones are found first, and
 * counted, and kept at first_odd, where there is room for so many. */
enum {
    RILL_ODD_MOST = 12
}; /* per quartet of a sheet: four columns that are on their own, with skirts; per column: 3 */
rill_row_task rill_row_count_triangles, rill_row_triangles;
void rill_mixed_count(const rill_build *build, int32_t row);
void rill_mixed_triangles(const rill_build *build, int32_t row);

/* printed.c. Instead of the last two, without smooth shores: numbers of the vertices beside those of wet columns, false
 * without memory; these vertices; triangles of a quartet that is not plain. */
enum { RILL_PRINTED_TAKEN = 64 };
typedef struct rill_printed_writer {
    uint32_t *out;
    size_t triangles;
    int32_t taken[RILL_PRINTED_TAKEN], taken_count; /* vertices of the quartet that have a triangle */
} rill_printed_writer;
bool rill_printed_number(const rill_build *build, size_t *count);
void rill_printed_place(const rill_build *build);
void rill_printed_quartet(const rill_build *build, rill_printed_writer *w, int32_t x, int32_t y);

#endif
