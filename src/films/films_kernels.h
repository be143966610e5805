/* Kernels of films: plain C loops over blocks of 8 columns and the edges and triangles that begin there, compiled once per
 * instruction set like those of the sweep (flow/kernels.h). Every variant gives the same bits.
 *
 * All of them are pure functions of a column, edge or triangle and what is around it, so that neither the order of blocks matters
 * nor which thread has them. Sums over columns are those of whole numbers. */
#ifndef RILL_FILMS_FILMS_KERNELS_H
#define RILL_FILMS_FILMS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rill_films_planes {
    /* By column. What the shell is: */
    const float *relief, *inverse_area, *area; /* m, 1/m2, m2 */
    const float *limit;                        /* m: the depth that there is room for */
    const double *per_quantum;                 /* depth of a quantum, m */
    /* Forces on it: */
    const double *base;                /* Pt of a dry column but for what its neighbours do, m2/s2 */
    const double *rise;                /* of Pt by depth, gn - G kq, m/s2 */
    const float *weight;               /* max(gn, 0), m/s2 */
    const float *advancing, *receding; /* s */
    const float *least;                /* no liquid leaves a column that is no deeper, m; infinite: it is asleep */
    /* Its liquid: */
    int64_t *volume; /* quanta */
    float *depth;    /* m */
    int32_t *wet;    /* 0, or the time (ms) from which on the column is dry if nothing wets it */
    float *change;   /* E of the last solve */
    /* Working memory: */
    double *potential;                              /* Pt */
    float *pressed;                                 /* Pt, 0 where no edge is open */
    float *s, *hollow;                              /* s as the column is wet or dry; what C has on its diagonal */
    float *free, *moved;                            /* d without any pressure, and d, m */
    float *residual, *direction, *product, *thrust; /* r, p, q = p + C D p, D p */
    float *pull;                                    /* y = D r; first C d */
    float *share;                                   /* of what would leave a column, how much may */

    /* By edge. */
    const int32_t (*ends)[2], (*sides)[2]; /* columns; triangles, which may be one more, of which a is 1 */
    const float (*cotangents)[2];          /* half of those that face it */
    const float *per_length, *reach;       /* 1 / d, w d */
    float *u, *a;                          /* velocity; w_a */
    float *gain, *open;                    /* al dt / d; dt w d H, 0 where closed */
    float *crossing;                       /* open al u without pressure; then whole quanta */

    /* By triangle. */
    const uint32_t (*corners)[3];
    const float (*slopes)[3]; /* cotangents over twice the area */
    float *slant;             /* a */

    /* By block: where its slots, edges and triangles begin. By slot, as in shell/shell.h. */
    const int32_t *first_slot, *first_edge, *first_triangle;
    const int32_t *slots, *slot_edges;
    float *slot_a, *slot_m; /* G w_a, dt^2 w M */
    uint8_t *fresh;         /* per block: which of its columns have just become deeper than h_min */
} rill_films_planes;

/* Constants of a sub-step. */
typedef struct rill_films_constants {
    float strength;     /* G */
    float foot, edge;   /* c l; G / (c l) */
    float hollow;       /* -G / (2 (c l)^2) */
    float slip;         /* 3 times 0.2 l */
    float drag, keep;   /* 3 dt nu; what friction leaves */
    float dt, hardness; /* s; 1/s2, of the limit */
    float least, stays; /* h_min; films no deeper stay where they are slow */
    float phase;        /* by which volumes are rounded */
    float per_volume;   /* quanta per m3 */
    int32_t now, dries; /* ms: the time, and that at which what is wet now will have dried */
} rill_films_constants;

enum { RILL_FILMS_MOST = 4, RILL_FILMS_SUMS = 5 };
/* The outcome of a pass: largest values of what it wrote, and scalar products, whose terms are rounded to whole multiples of
 * 1 / scale. */
typedef struct rill_films_outcome {
    float most[RILL_FILMS_MOST];
    int64_t sums[RILL_FILMS_SUMS];
} rill_films_outcome;

/* The numbers of a step of the solve. */
typedef struct rill_films_factors {
    float of_a, of_b;
    double scales[RILL_FILMS_SUMS];
} rill_films_factors;

/* Work for a kernel. */
typedef struct rill_films_part {
    const rill_films_planes *planes;
    const rill_films_constants *constants;
    const rill_films_factors *factors;
    const int32_t *blocks;
    int32_t count;
} rill_films_part;
typedef void rill_films_kernel(const rill_films_part *part, rill_films_outcome *out);

typedef struct rill_films_kernels {
    rill_films_kernel *slants;    /* slant */
    rill_films_kernel *weights;   /* a */
    rill_films_kernel *pressures; /* wet, s, hollow, potential, pressed */
    rill_films_kernel *faces;     /* u = us, gain, open, crossing */
    /* free, moved, slot_a, slot_m; pressed and change: 0 where no edge is open. Most: the sum of m, |change|, |pressed|, what C
     * makes of a column at most. */
    rill_films_kernel *gather;
    /* pull: C d; residual: f = Pt + C d without pressure. Most: |residual|. */
    rill_films_kernel *fly;
    /* direction: D Pt; thrust: D E of the last solve. Most: of these. Sums: residual D residual. */
    rill_films_kernel *probe;
    /* product: q of Pt; share: q of E. Sums: pull D Pt, pull D E, q of Pt D Pt, q of Pt D E, q of E D E. */
    rill_films_kernel *weigh;
    /* change: E = of_a Pt + of_b E; residual. Most: |residual|. */
    rill_films_kernel *begin;
    /* pull: y = D r. Most: |y|. Sums: r y. */
    rill_films_kernel *look;
    /* direction, thrust, product, of r and y and, by of_b, of themselves. Most: of these. Sums: q D p. */
    rill_films_kernel *apply;
    /* E += of_a p, r -= of_a q. Most: |r|. */
    rill_films_kernel *advance;
    /* u, and crossing: quanta, not yet whole, not yet limited. */
    rill_films_kernel *drive;
    rill_films_kernel *limit;   /* share. Most: of a column, the part that leaves; only of those that do not stay. */
    rill_films_kernel *round;   /* crossing: whole quanta */
    rill_films_kernel *deposit; /* volume, depth, fresh. Most: the depth of what is awake. */
} rill_films_kernels;

const rill_films_kernels *rill_films_kernels_pick(bool scalar);
int32_t rill_films_kernels_all(const rill_films_kernels *out[4]);

#endif
