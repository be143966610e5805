/* VELOCITY: the new velocity of a face: what head and viscosity make of it, what is carried there, and what ceilings
 * let of it. Functions of one face, for the loops of kernels.c; ceilings of its ends are given only where they matter. */
#ifndef RILL_FLOW_VELOCITY_H
#define RILL_FLOW_VELOCITY_H

#include "flow/advect.h"
#include "flow/ceiling.h"
#include "flow/drive.h"
#include "flow/kernels.h"
#include "flow/lintel.h"
#include "flow/viscosity.h"

#define RILL_INLINE static inline __attribute__((always_inline))

/* The flow around a face: its velocity before, as head and viscosity leave it, and the gain by them that it hands on;
 * volumes along its axis and across it, with the velocities and gains that are handed on there. */
typedef struct rill_surroundings {
    float u, forced, weight, gain;
    float q_before, q_after, u_before, u_after;
    float q_minus, q_plus, u_minus, u_plus, gain_minus, gain_plus;
} rill_surroundings;

/* Returns the share of a velocity that viscosity leaves, by the depths of both columns. */
RILL_INLINE float rill_velocity_slowed(const rill_face *face, int32_t both, const rill_kernel_constants *constants) {
    float twice = (float)rill_viscosity_depth(face, both);
    float square = twice * twice;
    return square * constants->keep / ((float)both * (square + constants->drag));
}

RILL_INLINE float rill_velocity_clamped(float u, float cap) {
    return rill_max_f(rill_min_f(u, cap), -cap);
}

/* Without advection nothing slows a free overfall but critical flow at the brink: (2/3)^1.5 sqrt(g E). */
RILL_INLINE float rill_velocity_capped(const rill_face *face, float u, const rill_kernel_constants *constants) {
    int32_t donor = u >= 0.0f ? face->l : face->r, receiver = u >= 0.0f ? face->r : face->l;
    float energy = (float)rill_max_i(donor, 0);
    float critical = constants->fall * __builtin_sqrtf(energy);
    return rill_velocity_clamped(u, (float)receiver * 1.5f < energy ? critical : constants->top_speed);
}

/* Under tilted gravity the drive may point out of a dry column for ever: such a face stays at rest. */
RILL_INLINE float rill_velocity_unless_dry(const rill_face *face, float u, int32_t head) {
    int32_t donor = head >= 0 ? face->l : face->r;
    float same_way = u * (float)head;
    return ((donor <= RILL_DRY) & (same_way > 0.0f)) ? 0.0f : u;
}

/* The paper's pipe: Eq. 1, then Eq. 4 with the donor's depth. */
RILL_INLINE float rill_velocity_paper(const rill_face_ends *sides, float u, const rill_kernel_constants *constants,
                                      int32_t head) {
    float pushed = u * constants->keep + constants->drive * (float)head;
    int32_t donor = pushed >= 0.0f ? sides->Hl : sides->Hr;
    float twice = 2.0f * (float)donor;
    float square = twice * twice;
    float slowed = pushed * square / (square + constants->drag + 1.0f);
    return donor <= RILL_DRY ? 0.0f : slowed;
}

RILL_INLINE bool rill_velocity_blocked(const rill_face_ends *sides, float u, const rill_kernel_constants *constants) {
    const int32_t sill = rill_max_i(sides->bl, sides->br);
    return rill_ceiling_blocks(sides->cl, sides->cr, sides->bl + sides->Hl, sides->br + sides->Hr, sill, u,
                               constants->slack);
}

/* Returns the head over a face. `guarded`, a constant: along the bed it is driven, too. */
RILL_INLINE int32_t rill_velocity_head(const rill_face *face, const rill_kernel_constants *constants, int32_t tilt,
                                       int guarded) {
    const int32_t levels = rill_drive_head(face, rill_drive_clip(face, constants->five_dx));
    if (guarded == RILL_PUSHED) return rill_drive_upright(levels, constants->upright) + tilt;
    return guarded ? levels + tilt : levels;
}

/* A face as its head and viscosity leave it: its velocity, and what a volume that is carried there adds by its own,
 * both 0 where nothing flows. And what it hands on: a velocity, and what of it was gained in this sub-step. Nothing of
 * a gain beside a full column, which it has from levels alone: pressures, that cancel it, are the covered stage's. */
typedef struct rill_forced {
    float u, weight, hands, gain;
} rill_forced;

/* Versions of a kernel by what ceilings may have to do with its faces: nothing, or they may be blocked or under
 * pressure, or a lintel may stand in the liquid. */
enum { RILL_FACES_OPEN, RILL_FACES_COVERED, RILL_FACES_LINTEL };

/* The last two arguments are constants. */
RILL_INLINE rill_forced rill_velocity_forced(const rill_face_ends *sides, float u,
                                             const rill_kernel_constants *constants, int32_t tilt, int ceilings,
                                             int guarded) {
    rill_face face = rill_face_at(sides->bl, sides->br, sides->Hl, sides->Hr);
    int32_t both = sides->Hl + sides->Hr, head = rill_velocity_head(&face, constants, tilt, guarded);
    float weight = rill_velocity_slowed(&face, both, constants),
          r = (u + constants->drive * (float)head) * (float)both * weight, share = 1.0f;
    bool flows = rill_max_i(face.l, face.r) > RILL_DRY; /* liquid above the sill on some side */
    int32_t full = 0;
    if (ceilings == RILL_FACES_LINTEL) {
        share = rill_lintel_share(sides);
        weight *= rill_max_f(0.0f, 2.0f * share - 1.0f);
        r = rill_lintel_blend(sides, share, u, r, guarded ? tilt : 0, guarded == RILL_PUSHED, constants);
    }
    if (ceilings != RILL_FACES_OPEN) {
        flows &= !rill_velocity_blocked(sides, r, constants);
        full = rill_lintel_full(sides->bl, sides->cl, sides->Hl) | rill_lintel_full(sides->br, sides->cr, sides->Hr);
    }
    float gain = share * (r - u);
    return (rill_forced){ flows ? r : 0.0f, flows ? weight : 0.0f, share * u, (flows & !full) ? gain : 0.0f };
}

/* The new velocity of a face with what is carried to it. The last two arguments are constants. */
RILL_INLINE float rill_velocity_advected(const rill_face_ends *sides, const rill_surroundings *near,
                                         const rill_kernel_constants *constants, int32_t tilt, int covered,
                                         int guarded) {
    float s = rill_advect_axis(near->u, near->q_before, near->q_after, near->u_before, near->u_after) +
              rill_advect_axis(near->u, near->q_minus, near->q_plus, near->u_minus, near->u_plus);
    float both = (float)(sides->Hl + sides->Hr);
    s += rill_advect_gain(near->gain, both, near->q_minus, near->q_plus, near->gain_minus, near->gain_plus);
    float r = near->forced + s * near->weight;
    if (guarded) {
        rill_face face = rill_face_at(sides->bl, sides->br, sides->Hl, sides->Hr);
        r = rill_velocity_unless_dry(&face, r, rill_velocity_head(&face, constants, tilt, guarded));
    }
    if (covered) r = rill_velocity_blocked(sides, r, constants) ? 0.0f : r;
    return guarded ? rill_velocity_clamped(r, constants->top_speed) : r;
}

/* The new velocity of a face where nothing is carried. The last three arguments are constants. */
RILL_INLINE float rill_velocity_driven(const rill_face_ends *sides, float u, const rill_kernel_constants *constants,
                                       int32_t tilt, int covered, int guarded, int paper_pipe) {
    rill_face face = rill_face_at(sides->bl, sides->br, sides->Hl, sides->Hr);
    float r;
    if (paper_pipe) {
        int32_t head = (sides->bl + sides->Hl) - (sides->br + sides->Hr);
        r = rill_velocity_paper(sides, u, constants, guarded ? head + tilt : head);
    } else {
        int32_t head = rill_velocity_head(&face, constants, tilt, guarded);
        r = (u + constants->drive * (float)head) * (float)(sides->Hl + sides->Hr) *
            rill_velocity_slowed(&face, sides->Hl + sides->Hr, constants);
        r = rill_velocity_capped(&face, r, constants);
        if (covered)
            r = rill_lintel_blend(sides, rill_lintel_share(sides), u, r, guarded ? tilt : 0, guarded == RILL_PUSHED,
                                  constants);
        if (guarded) r = rill_velocity_unless_dry(&face, r, head);
        r = rill_max_i(face.l, face.r) > RILL_DRY ? r : 0.0f;
    }
    if (covered) r = rill_velocity_blocked(sides, r, constants) ? 0.0f : r;
    return guarded ? rill_velocity_clamped(r, constants->top_speed) : r;
}

#endif
