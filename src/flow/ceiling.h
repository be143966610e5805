/* CEILINGS: what a face under a lintel lets through, when a column is full, and what the pressure plane says.
 *
 * A face under a ceiling obeys another law than one under open sky: its opening ends at the lintel, liquid that is
 * pressed through it speeds up and slows down (Borda and Carnot), and where it is full on both sides it drags on two
 * walls. Sweep and sparse pipes blend this law in where a lintel stands in the liquid (lintel.h); flooded passages
 * solve for the pressures at its ends (passages/passages.h). */
#ifndef RILL_FLOW_CEILING_H
#define RILL_FLOW_CEILING_H

#include "base/simd.h"
#include "flow/kernels.h"
#include "flow/move.h"
#include "flow/viscosity.h"

/* Quanta below the ceiling: a column is full between these two; sources and fills aim at FULL. */
enum { RILL_FULL_HIGH = 8, RILL_FULL = 16, RILL_FULL_LOW = 48, RILL_SUBMERGED = 64 };

/* The plain method (`passages = off`; Dagenais et al. 2018, left half of Fig. 3): a full column takes nothing more,
 * whatever stands above its mouth, so the velocity of a face that points into it is zero. Its level is not its head:
 * without this rule a flooded pocket at rest would carry a velocity for ever. A face whose lintel lies below its sill
 * is closed. 1 where a velocity u over the face meets a full column or no opening. */
static inline int32_t rill_ceiling_blocks(int32_t cl, int32_t cr, int32_t hl, int32_t hr, int32_t zb, float u,
                                          int32_t slack) {
    int32_t room = u >= 0.0f ? cr - hr : cl - hl;
    int32_t open = rill_min_i(cl, cr) - zb;
    return (int32_t)(room <= slack) | (int32_t)(open <= 0);
}

/* The columns at both ends of a face. */
typedef struct rill_face_ends {
    int32_t bl, br, cl, cr, Hl, Hr;
} rill_face_ends;

/* The velocity of a covered face as a function of the pressures at its ends: u = base + gain (head + pi_l - pi_r). */
typedef struct rill_pressed_face {
    float base, gain; /* m/s; m/s per quantum of head */
    int32_t head;     /* quanta */
} rill_pressed_face;

/* Returns the loss by speeding up and slowing down, as K in K u^2 / 2. From the donor's section to the opening's
 * nothing is lost, and the head falls by the velocity head that is gained. From there to the receiver's, Borda and
 * Carnot: (u - u_r)^2 / 2 is lost and the rest comes back, as far as the receiver's liquid reaches up the opening: a
 * free jet gives nothing back. And not more than the opening has taken, so that no face is ever driven by its own
 * speed: what a passage that widens step by step would give back is lost. Where it leaves into a space at least twice
 * as high, a sharp edge loses more: 1 / (2 Cd^2) in all. */
static inline float rill_ceiling_loss(const rill_face_ends *ends, int32_t zb, int32_t zt, float per_l, float per_r,
                                      float u, const rill_kernel_constants *constants) {
    int32_t ahead = u >= 0.0f, above = ahead ? ends->cr : ends->cl;
    int32_t donor = ahead ? ends->bl + ends->Hl : ends->br + ends->Hr,
            receiver = ahead ? ends->br + ends->Hr : ends->bl + ends->Hl;
    float opening = (float)rill_max_i(rill_min_i(zt, donor) - zb, 0);
    float from = rill_min_f(1.0f, opening * (ahead ? per_l : per_r));
    float to = rill_min_f(1.0f, opening * (ahead ? per_r : per_l));
    int32_t leaves = (int32_t)(donor >= zt - RILL_SUBMERGED) & (int32_t)(above - zt >= zt - zb);
    float drowned = (float)rill_max_i(rill_min_i(receiver, zt) - zb, 0) / (float)rill_max_i(zt - zb, 1);
    return rill_max_f(0.0f, (1.0f - from * from) - drowned * 2.0f * to * (1.0f - to)) +
           (leaves ? constants->edge : 0.0f);
}

/* The face as the next move finds it, driven from velocity u:
 *     gain    drive / inertance: that of the two half cells in series, (dx/2) (1/H_l + 1/H_r) of the opening's depth D
 *     drag    12 nu / D^2 between two walls where the opening is under liquid on both sides, else as everywhere */
static inline rill_pressed_face rill_ceiling_drive(const rill_face_ends *ends, float u, int32_t tilt,
                                                   const rill_kernel_constants *constants) {
    int32_t zb = rill_max_i(ends->bl, ends->br), zt = rill_min_i(ends->cl, ends->cr);
    int32_t hl = rill_max_i(ends->bl + ends->Hl, zb), hr = rill_max_i(ends->br + ends->Hr, zb);
    int32_t lower = rill_min_i(hl, hr);
    float Hl = (float)rill_max_i(ends->Hl, 1), Hr = (float)rill_max_i(ends->Hr, 1), per_both = 1.0f / (Hl * Hr);
    float per_l = Hr * per_both, per_r = Hl * per_both;
    float depth = (float)rill_max_i(rill_min_i(zt, lower) - zb, 0);
    float inertance = rill_max_f(0.5f, 0.5f * (rill_min_f(1.0f, depth * per_l) + rill_min_f(1.0f, depth * per_r)));
    rill_face face = rill_face_under(rill_face_at(ends->bl, ends->br, ends->Hl, ends->Hr), zt - zb);
    float between = (float)rill_max_i(zt - zb, 0);
    float twice = rill_min_f((float)rill_viscosity_depth(&face, ends->Hl + ends->Hr), 2.0f * between);
    float wall = lower >= zt - RILL_SUBMERGED ? between : twice;
    float square = wall * wall + 1.0f;
    /* u keep = u - u (drag / square + toll / inertance) keep: the toll is paid at one place, however long the face
     * is. */
    float toll = constants->toll * __builtin_fabsf(u) * rill_ceiling_loss(ends, zb, zt, per_l, per_r, u, constants);
    float eased =
        constants->keep * square / (square * (inertance + toll) + constants->drag * inertance); /* keep / inertance */
    eased = zt > zb ? eased : 0.0f; /* pressure does not push through walls */
    return (rill_pressed_face){ u * (eased * inertance), eased * constants->drive, (hl - hr) + tilt };
}

/* The opening of a covered face in quanta, for a velocity u over it: where it is under liquid on both sides, sill to
 * lintel. */
static inline int32_t rill_ceiling_opening(const rill_face_ends *ends, float u) {
    int32_t between = rill_min_i(ends->cl, ends->cr) - rill_max_i(ends->bl, ends->br);
    rill_face face = rill_face_at(ends->bl, ends->br, ends->Hl, ends->Hr);
    int32_t drowned = rill_min_i(face.l, face.r) >= between - RILL_SUBMERGED;
    face = rill_face_under(face, between);
    int32_t opening = rill_move_opening(&face, u);
    return rill_max_i(0, drowned ? between : opening);
}

/* -------------------------------------------------------------------------------------------------------- pressures */

/* The pressure plane of the flow: 0 for a column that is not flooded, else 1 + 4 pi, pi in quanta; negative where
 * nothing leads out of the flooded space; RILL_PRESSURE_NEW for a column that was filled by hand, whose pressure is to
 * be found. */
#define RILL_PRESSURE_NEW (-INT32_MAX)

/* Over-pressure in quanta; 0 where there is none, and as long as it is to be found. */
static inline double rill_pressure_of(int32_t code) {
    return code == 0 || code == RILL_PRESSURE_NEW ? 0.0 : (double)((code < 0 ? -code : code) - 1) * 0.25;
}
/* The depth at which a column counts as full, where passages are solved for. */
static inline int32_t rill_ceiling_full(const rill_bed *bed, int32_t place) {
    int32_t height = bed->c[place] - bed->b[place];
    return bed->c[place] < RILL_TOP ? rill_max_i(height - RILL_FULL, 0) : height;
}

#endif
