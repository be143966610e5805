/* SHELL: a curved surface as columns of liquid along its normals.
 *
 * Based on: H. Wang, G. Miller, G. Turk 2007, "Solving General Shallow Wave Equations on Surfaces", sections 3 and 3.1, with
 * columns at the vertices of a triangle mesh and finite volumes around them in place of clouds of particles.
 *
 *            N                      X    position of a column, on the averaged surface
 *         ___|____ h = b + H        N    its normal, of length one, to the side where the liquid is
 *        |   |    |                 b    relief: how far the solid stands out of the averaged surface there (section 3)
 *     ___|___|b___|___ solid        A    area around it: mixed Voronoi, M. Meyer and others 2003
 *    ----'---X----'---- averaged    ks   k1 + k2, the sum of principal curvatures; less than 0 where the surface bulges to N
 *                                   kq   k1^2 + k2^2; each |k| is at most 1 / (3 spacing)
 *            j
 *          / | \                    Edges e = (i, j), i < j, ordered by i, then j:
 *        a   |   b                  w = (cot a + cot b) / 2 >= 0, d = |X_j - X_i|
 *          \ | /
 *            i                      Laplace's operator at i: (1 / A) sum over edges of w (x_j - x_i)
 *
 * Triangles are counter-clockwise seen from where the liquid is. All places are as the mesh has them: where a shell is moved
 * to is the business of who moves it. Columns are numbered along a Morton curve, so that neighbours are near in memory. */
#ifndef RILL_SHELL_SHELL_H
#define RILL_SHELL_SHELL_H

#include "base/alloc.h"

/* How many columns a block has whose neighbours are looked up side by side. */
enum { RILL_SHELL_BLOCK = 8 };

/* Flags of columns. */
enum {
    RILL_SHELL_BORDER = 1, /* at an open border: liquid does not leave there */
    RILL_SHELL_CREASE = 2, /* on an edge or corner of the solid */
    RILL_SHELL_LIMITED = 4 /* depth_limit is finite */
};

/* Where on the mesh as it was given a column stands: of that triangle, the shares of its corners, which add up to 1. */
typedef struct rill_shell_origin {
    uint32_t triangle;
    float shares[3];
} rill_shell_origin;

/* How the mesh was prepared. Counts are of triangles, vertices and edges of the mesh as it was given. */
typedef struct rill_shell_report {
    size_t given_vertices, given_triangles;
    size_t welded_vertices;             /* were in the place of another one */
    size_t degenerate_triangles;        /* had no area and were left out */
    size_t doubled_triangles;           /* were there already and were left out */
    size_t turned_triangles;            /* were wound the other way than their part */
    size_t opened_edges;                /* had more than two triangles: those that go on straightest stayed together */
    size_t opened_vertices;             /* held surfaces together by a single point */
    size_t cut_edges;                   /* a surface with one side alone was cut open there: no liquid crosses them */
    size_t closed_cracks;               /* vertices that were put together with a border next to them */
    size_t dropped_parts;               /* were too small for columns of that spacing */
    size_t parts, closed_parts;         /* what it consists of */
    size_t border_columns;              /* columns at open borders */
    size_t clamped_edges;               /* their weight would have been less than nothing and is 0 */
    size_t limited_columns;             /* of concave parts: their depth is limited */
    double smallest_limit;              /* of depths, m; INFINITY: none is limited */
    double worst_angle;                 /* the smallest angle of all triangles, degrees */
    double smallest_area, largest_area; /* of columns, m2 */
    double area;                        /* all of them, m2 */
    double highest_relief;              /* the largest |b|, m */
} rill_shell_report;

typedef struct rill_shell {
    double spacing; /* mean length of edges, m */
    double low[3], high[3];
    rill_shell_report report;

    /* Columns. Arrays of doubles that solvers take as planes go on to the end of the last block, with zeros. */
    int32_t count;
    double (*positions)[3]; /* X */
    double (*normals)[3];   /* N */
    double *area;           /* A, m2 */
    double *relief;         /* b, m */
    double *ks, *kq;        /* 1/m, 1/m2 */
    double *depth_limit;    /* beyond this depth columns would cross; INFINITY where they never do, m */
    uint8_t *flags;         /* RILL_SHELL_BORDER, ... */
    uint32_t *part;         /* which connected part it belongs to */
    rill_shell_origin *origins;

    /* Triangles. */
    int32_t triangle_count;
    uint32_t (*triangles)[3];
    double (*cotangents)[3]; /* of the angles at their corners */
    double *triangle_area;   /* m2 */

    /* Edges. Arrays have a place more, edge_count, with the weight 0. */
    int32_t edge_count;
    int32_t (*edges)[2]; /* columns i < j */
    double *weight;      /* w */
    double *length;      /* d, m; 1 in the place more */
    int32_t (*opposite)
        [2]; /* corners that face it, 3 triangle + corner: a is that of the triangle in which j follows i; -1: none */

    /* Neighbours of column i: places first[i] to first[i + 1] - 1, in ascending order. */
    int32_t *first; /* count + 1 */
    int32_t *neighbours, *neighbour_edges;

    /* Neighbours again, by blocks of 8 columns: those of column 8 b + k are at the places block_first[b] + k, + 8 + k, + 16 + k,
     * ... before block_first[b + 1]. Columns with fewer than the most of their block name themselves and edge_count, and so do
     * the columns that the last block has too many. */
    int32_t block_count, slot_count;
    int32_t *block_first; /* block_count + 1 */
    int32_t *slots, *slot_edges;
} rill_shell;

/* The surface that is to become a shell. */
typedef struct rill_shell_input {
    const char *name;      /* for messages */
    const float *vertices; /* x, y, z each, m */
    size_t vertex_count;
    const uint32_t *indices; /* three per triangle */
    size_t triangle_count;
    double scale;   /* metres per unit of the vertices */
    double spacing; /* of columns, m; 0: the mesh is taken as it is */
    bool inside;    /* liquid is on the inner side of closed parts, and on the back of open ones */
    bool bumps;     /* bumps finer than columns may bear are relief; else they are smoothed away */
} rill_shell_input;

/* Checks numbers and arrays, each by itself. */
rill_result rill_shell_check(const rill_shell_input *input, rill_message *message);
/* Makes a shell of any triangles: mended, turned alike, meshed anew at the spacing. Refuses with a message that says what
 * was found and what was expected. */
rill_result rill_shell_make(const rill_shell_input *input, const rill_allocator *allocator, rill_shell **out,
                            rill_message *message);
void rill_shell_free(rill_shell *shell, const rill_allocator *allocator);

/* Measures areas, normals, weights, curvatures and limits of depth anew, after positions have changed. */
void rill_shell_measure(rill_shell *shell);

#endif
