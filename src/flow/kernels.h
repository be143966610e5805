/* Row kernels of the dense sweep: plain C loops over a run of faces or columns, compiled once per instruction set
 * (kernels.c) and chosen at run time (kernels_pick.c). Every variant gives the same bits.
 *
 * A kernel works on faces of one direction; "l" is the column west or south of the face, "r" the one east or north.
 * Counts are multiples of RILL_RUN: runs are widened into padding rather than finished by scalar tails. */
#ifndef RILL_FLOW_KERNELS_H
#define RILL_FLOW_KERNELS_H

#include "flow/flow.h"

enum {
    RILL_RUN = 16,    /* columns a run is rounded up to: the widest vector */
    RILL_SEGMENT = 64 /* columns that share a limiter flag */
};

/* Constants of a sub-step. */
typedef struct rill_kernel_constants {
    float lambda;        /* dt / dx */
    float phase;         /* dither */
    float drive;         /* g_n dt q_m / dx: velocity per quantum of head */
    float drag;          /* 12 dt nu / q_m^2, beside (2 H_v)^2 */
    float keep;          /* omega^dt */
    float top_speed;     /* cap on |u|, where guarded */
    float fall;          /* (2/3)^1.5 sqrt(g_n q_m): free overfall speed per sqrt(quantum of head) */
    float speed_head;    /* 1 / (2 g_n q_m): quanta of head per (m/s)^2 */
    float paper_opening; /* dx in quanta */
    int32_t five_dx;     /* 5 dx in quanta */
    int32_t tilt[2];     /* S_x, S_y in quanta per cell */
    bool capped;         /* sub-steps are longer than they should be: speeds must be capped */
    int32_t thin;        /* speeds of columns of at most this depth do not count for the time step */
} rill_kernel_constants;

/* Columns on both sides of a run of faces. Ceilings are NULL where nothing hangs over the run. */
typedef struct rill_face_columns {
    const int32_t *bl, *br, *Hl, *Hr, *cl, *cr;
} rill_face_columns;

/* What the drive of a run of faces reads besides: transfers t and old velocities u. "minus" and "plus" lie across the
 * face's axis (south and north of a west face). */
typedef struct rill_face_flows {
    const float *t, *t_before, *t_after;
    const float *t_minus_l, *t_minus_r, *t_plus_l, *t_plus_r;
    const float *u, *u_before, *u_after, *u_minus, *u_plus;
} rill_face_flows;

/* What moves over the faces of a run of columns: transfers t and velocities; the east face is the next column's west. */
typedef struct rill_cell_flows {
    const float *t_west, *t_south, *t_north, *u_west, *v_south, *v_north;
} rill_cell_flows;

/* New velocities. */
typedef void rill_drive_kernel(int32_t n, const rill_face_columns *at, const rill_face_flows *flows,
                               const rill_kernel_constants *k, int32_t tilt, float *u);

typedef struct rill_kernels {
    const char *name;
    /* q = raw transfers, and a copy of u (the sweep works in place). */
    void (*raw)(int32_t n, const rill_face_columns *at, const float *u, const rill_kernel_constants *k, float *q,
                float *copy);
    void (*raw_paper)(int32_t n, const rill_face_columns *at, const float *u, const rill_kernel_constants *k, float *q,
                      float *copy);
    /* flags[s] |= bit 0 if some column of segment s would give too much, bit 1 (only if c) if one might take too much. Rows
     * are given by their column 0; the run is [x, x + n). Returns whether any flag is set. */
    bool (*flag)(int32_t x, int32_t n, const float *w, const float *s, const float *nn, const int32_t *b,
                 const int32_t *H, const int32_t *c, uint8_t *flags);
    /* K of the columns of a run. */
    void (*limit_out)(int32_t n, const float *w, const float *s, const float *nn, const int32_t *H, float *K);
    void (*limit_in)(int32_t n, const float *w, const float *s, const float *nn, const int32_t *b, const int32_t *H,
                     const int32_t *c, float *K);
    /* q *= K of the donor, u likewise; k gets the factor. */
    void (*scale_out)(int32_t n, const float *Kl, const float *Kr, float *q, float *u, float *k);
    /* q *= K of the receiver, u likewise; then whole quanta: dithered where nothing was limited. */
    void (*scale_in)(int32_t n, const float *Kl, const float *Kr, const float *k, float phase, float *q, float *u);
    /* Whole quanta: of unlimited faces, and of faces scaled by k. */
    void (*whole)(int32_t n, float phase, float *qx, float *qy);
    void (*whole_scaled)(int32_t n, const float *k, float phase, float *q);
    /* The highest level of a run's columns that hold anything; 0 if none does. */
    int32_t (*level)(int32_t n, const int32_t *b, const int32_t *H);
    /* H += t; widens the extent. Speeds of columns of at most `thin` quanta do not count. */
    void (*deposit)(int32_t n, const rill_cell_flows *at, const int32_t *b, int32_t thin, int32_t *H,
                    rill_flow_extent *extent);
    rill_drive_kernel *drive[2][2];    /* [advection][guarded]: tilted gravity or capped speed */
    rill_drive_kernel *drive_paper[2]; /* [guarded] */
} rill_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_kernels *rill_kernels_pick(bool scalar);
/* All variants this processor can run, for tests that compare them; the count is returned. */
int32_t rill_kernels_all(const rill_kernels *out[4]);

#endif
