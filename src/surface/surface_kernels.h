/* Row kernels of the surface: plain C loops over a run of places of a row, compiled once per instruction set
 * (surface_kernels.c) and chosen at run time. Every variant gives the same bits. Pointers point to the first place of
 * the run; one place before and behind it may be read. Runs are multiples of 16: rows are widened into padding. */
#ifndef RILL_SURFACE_SURFACE_KERNELS_H
#define RILL_SURFACE_SURFACE_KERNELS_H

#include "mesh/surface_mesh.h"

/* Kinds of quads over quartets. */
enum {
    RILL_QUAD_NONE = 0,
    RILL_QUAD_RISING,  /* four wet columns linked around: two triangles, the diagonal from SW to NE */
    RILL_QUAD_FALLING, /* four wet columns linked around, the diagonal from SE to NW */
    RILL_QUAD_ODD      /* any other quartet with a wet column in it */
};

/* A row of the bed and the planes of a build, south and north of it by the stride. */
typedef struct rill_level_row {
    const int32_t *b, *H, *lid, *pressure, *floor; /* pressure may be NULL */
    uint8_t *state;
    int32_t *h, *top;
    int32_t film; /* quanta: columns that are no deeper are dry */
} rill_level_row;

typedef struct rill_link_row {
    const uint8_t *state, *state_n;
    const int32_t *h, *h_n, *m, *m_n, *lid, *lid_n;
    uint8_t *half;
} rill_link_row;

typedef struct rill_shape_row {
    const uint8_t *state, *state_s, *state_n;
    const uint8_t *half, *half_s, *half_n;
    const int32_t *top, *top_n;
    const uint8_t *quads_before;
    uint8_t *links, *rim, *quads;
} rill_shape_row;

/* Vertices of a run of wet columns, numbers one after the other. Outputs point to the first. Up to 15 places behind the
 * run are read too. Slopes are found between the neighbours in the sheet, whatever is there: see rill_column_mend. */
typedef struct rill_vertex_row {
    const int32_t *top, *top_s, *top_n, *H, *layer;
    const float *u, *v, *v_n;
    float *positions, *normals, *velocities, *depths, *opacities;
    int32_t *layers; /* NULL: they are there already */
} rill_vertex_row;

typedef struct rill_vertex_constants {
    float quantum, datum; /* m */
    float slope;          /* quantum / (2 dx) */
    float opacity;        /* per quantum */
    float x, dx, first;   /* m: of the grid's first column, and from one to the next; number of the run's first */
    float y;              /* m */
} rill_vertex_constants;

/* Counts of a row. */
typedef struct rill_row_counts {
    int32_t wet, rims, full, odd; /* wet columns, rims, full quads, odd ones */
} rill_row_counts;

typedef struct rill_shape_report {
    bool changed; /* some quad is not what it was */
    bool others;  /* a quad that has changed is full now, or was so before */
} rill_shape_report;

typedef struct rill_level_report {
    bool changed;   /* some state is not what it was */
    int32_t lifted; /* vertices that the floor has raised */
} rill_level_report;

struct rill_surface_kernels {
    const char *name;
    /* Tells whether anything is deeper than a film. */
    bool (*any_deep)(int32_t n, const int32_t *H, int32_t film);
    rill_level_report (*levels)(int32_t n, const rill_level_row *row);
    /* Links to E, NE, N and NW: where everything may be linked, and by the ranges of columns; whether some are not
     * what they were. */
    void (*link_open)(int32_t n, const rill_link_row *row);
    bool (*link)(int32_t n, const rill_link_row *row);
    /* Finds all links, rims and quads. */
    rill_shape_report (*shape)(int32_t n, const rill_shape_row *row);
    /* Finds quads where columns and links are what they were; whether some quads are not. */
    bool (*turn)(int32_t n, const rill_shape_row *row);
    /* Counts columns, rims and quads, and marks where they are: eight places to a byte, for each of the marks. */
    rill_row_counts (*count)(int32_t n, const uint8_t *state, const uint8_t *rim, const uint8_t *quads,
                             uint8_t *const marks[RILL_MARKS]);
    /* Numbers wet columns, one after the other from `first` on; numbers of other columns mean nothing. */
    void (*number)(int32_t n, const uint8_t *state, int32_t first, int32_t *vertex);
    /* Behind the run there is room up to `room` vertices from its first, which are written later. */
    void (*vertices)(int32_t n, int32_t room, const rill_vertex_row *row, const rill_vertex_constants *constants);
    /* Writes two triangles for each of a run of full quads, of any length, whose vertices follow each other from the
     * SW and the NW one of the first on. */
    void (*triangles)(int32_t n, const uint8_t *quads, uint32_t sw, uint32_t nw, uint32_t *out);
};

/* Picks the best variant for this processor, or the scalar one. */
const rill_surface_kernels *rill_surface_kernels_pick(bool scalar);
/* Lists all variants this processor can run, for tests that compare them; returns their count. */
int32_t rill_surface_kernels_all(const rill_surface_kernels *out[4]);

#endif
