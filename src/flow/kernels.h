/* Row kernels of the dense sweep: plain C loops over a run of columns of a row, compiled once per instruction set
 * (kernels.c) and chosen at run time. Every variant gives the same bits.
 *
 * A run is [x, x + n) of a row; its faces are the west and the south faces of its columns. Counts are multiples of
 * RILL_RUN: runs are widened into padding rather than finished by scalar tails. */
#ifndef RILL_FLOW_KERNELS_H
#define RILL_FLOW_KERNELS_H

#include "flow/flow.h"

enum {
    RILL_RUN = 16,     /* columns a run is rounded up to: the widest vector */
    RILL_SEGMENT = 64, /* columns that share a limiter flag */
    RILL_TILE_CHECK =
        2 /* sub-steps from one look at the tiles to the next; a disturbance gets a column farther in each */
};

/* Constants of a sub-step. */
typedef struct rill_kernel_constants {
    float lambda;        /* dt / dx */
    float phase;         /* dither */
    float drive;         /* g dt q_m / dx: velocity per quantum of head; g is g_n but on steep beds */
    double upright;      /* what a level counts as head, g_n / g: at most 1, less only where `pushed` */
    float drag;          /* 12 dt nu / q_m^2, beside (2 H_v)^2 */
    float keep;          /* omega^dt */
    float toll;          /* lambda / 2 where velocity heads and their losses count in passages; else 0 */
    float edge;          /* 1 / Cd^2 - 1: what the sharp edge of a mouth loses besides, in velocity heads */
    float top_speed;     /* cap on |u|, where guarded */
    float fall;          /* (2/3)^1.5 sqrt(g q_m): free overfall speed per sqrt(quantum of head) */
    float weight;        /* |g_n| q_m: (m/s)^2 per quantum of depth */
    float speed_head;    /* 1 / (2 g q_m): quanta of head per (m/s)^2 */
    float paper_opening; /* dx in quanta */
    int32_t five_dx;     /* 5 dx in quanta */
    int32_t tilt[2];     /* S_x, S_y in quanta per cell */
    bool pushed;         /* faces are driven by force fields, too, or levels count less: rows have fx and fy (push.h) */
    bool capped;         /* sub-steps are longer than they should be: speeds must be capped */
    int32_t slack;       /* a column with no more room than this is full and takes nothing, quanta */
    int32_t thin;        /* speeds of columns of at most this depth do not count for the time step */
} rill_kernel_constants;

/* A row as the kernels see it, from column 0 on: the state, and working memory that is valid while the row is in
 * flight. */
typedef struct rill_row {
    const int32_t *b, *c;
    const int32_t *fx, *fy; /* heads by which west and south faces are pushed besides, quanta; only if `pushed` */
    int32_t *H;
    float *u, *v;
    float *qx, *qy; /* transfers over west and south faces: raw, scaled, finally whole quanta */
    float *ux, *vy; /* velocities before the drive */
    /* With advection: velocities as heads after the move and viscosity leave them, what a carried volume adds by its
     * velocity, and what volumes carry away from here: velocities, and what of them was gained. */
    float *px, *py, *wx, *wy, *ex, *ey, *gx, *gy;
    float *Ko, *Ki; /* limiter factors of columns, for giving and for taking; 1 unless flagged */
    float *kx, *ky; /* Ko of the donors of faces, where a column is flagged */
    float *tx, *ty; /* what falls over west and south faces, of those that are brinks (brinks.c); else not valid */
} rill_row;

/* Raw transfers, and copies of the velocities (the sweep works in place). `covered`: there may be ceilings. */
typedef void rill_raw_kernel(int32_t x, int32_t n, const rill_row *row, const rill_row *south, bool covered,
                             const rill_kernel_constants *constants);
/* New velocities. */
typedef void rill_drive_kernel(int32_t x, int32_t n, const rill_row *row, const rill_row *south, const rill_row *north,
                               bool covered, const rill_kernel_constants *constants);

/* Versions of the drive: on a level bed; with tilted gravity or capped speed; and with force fields besides, or on a bed so
 * steep that levels count less than they are. */
typedef enum rill_guard { RILL_UNGUARDED = 0, RILL_GUARDED, RILL_PUSHED, RILL_GUARDS } rill_guard;

static inline rill_guard rill_guard_of(const rill_kernel_constants *constants) {
    const bool guarded = constants->tilt[0] != 0 || constants->tilt[1] != 0 || constants->capped;
    return constants->pushed ? RILL_PUSHED : guarded ? RILL_GUARDED : RILL_UNGUARDED;
}

/* Rows and sides of a tile in which something is wet or moves. */
typedef struct rill_tile_look {
    int32_t rows;    /* bit y: something in row y does */
    bool west, east; /* something within RILL_TILE_CHECK columns of that side does */
    float fastest;   /* the largest |u| or |v| */
} rill_tile_look;

typedef struct rill_kernels {
    const char *name;
    rill_raw_kernel *raw, *raw_paper;
    /* Bit 0: some column would give too much, bit 1 (only if covered): one might take too much. */
    int32_t (*flag)(int32_t x, int32_t n, const rill_row *row, const rill_row *north, bool covered);
    /* Ko and Ki. */
    void (*limit_out)(int32_t x, int32_t n, const rill_row *row, const rill_row *north);
    void (*limit_in)(int32_t x, int32_t n, const rill_row *row, const rill_row *north);
    /* q *= Ko of the donor, u likewise. */
    void (*scale_out)(int32_t x, int32_t n, const rill_row *row, const rill_row *south);
    /* q *= Ki of the receiver, u likewise; then whole quanta: dithered where nothing was limited. */
    void (*scale_in)(int32_t x, int32_t n, const rill_row *row, const rill_row *south, float phase);
    /* Whole quanta: of unlimited faces, and of faces scaled by their donors. */
    void (*whole)(int32_t x, int32_t n, const rill_row *row, float phase);
    void (*whole_scaled)(int32_t x, int32_t n, const rill_row *row, float phase);
    /* The highest level of columns that hold anything; 0 if none does. */
    int32_t (*level)(int32_t x, int32_t n, const rill_row *row);
    /* H += t; widens the extent. Speeds of columns of at most `thin` quanta do not count. */
    void (*deposit)(int32_t x, int32_t n, const rill_row *row, const rill_row *north,
                    const rill_kernel_constants *constants, rill_flow_extent *extent);
    /* Looks at the first `rows` rows of a tile that begins at these places of the planes. */
    rill_tile_look (*look)(int32_t rows, int32_t stride, const int32_t *H, const float *u, const float *v);
    /* The lowest ceiling over RILL_TILE_W + 2 columns of `rows` rows from these places of the planes on, RILL_WALL
     * without any; 0 if nothing can pass between one of the columns and that west or south of it. */
    int32_t (*lintel)(int32_t rows, int32_t stride, const int32_t *b, const int32_t *c);
    /* px .. gy, for `drive` with advection. */
    void (*force)(int32_t x, int32_t n, const rill_row *row, const rill_row *south, bool covered, rill_guard guard,
                  const rill_kernel_constants *constants);
    rill_drive_kernel *drive[2][RILL_GUARDS];    /* [advection][guard] */
    rill_drive_kernel *drive_paper[RILL_GUARDS]; /* [guard] */
} rill_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_kernels *rill_kernels_pick(bool scalar);
/* All variants this processor can run, for tests that compare them; the count is returned. */
int32_t rill_kernels_all(const rill_kernels *out[4]);

#endif
