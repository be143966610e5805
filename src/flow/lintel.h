/* LINTEL: faces whose lintel stands in the liquid while no column beside them is flooded: the slit under a wall, the
 * rim of a plate that hovers in a pool.
 *
 * The velocity u of a face is that of the liquid in its opening, and moves O u. Where the opening is as high as the
 * liquid, advection knows what to do with it; where a lintel leaves only a part of that, momentum over the depths of
 * both columns would be that of a much thicker stream: a slit of O -> 0 then runs at sqrt(g dh (H_l + H_r) / (2 O)),
 * without bound. Such a face obeys the law of covered ones instead (ceiling.h: inertance of two half cells, toll of
 * narrowing and widening, drag between walls), whose steady state is Bernoulli's sqrt(2 g dh). The
 *
 *     share = liquid below the lintel / liquid, both above the sill, on the side where it stands higher
 *
 * says how much of that it has to do: law and advection blend between a half and one, so that nothing jumps when a
 * level passes the lintel. What the face hands on to those around it, velocity and gain, is that of the column: the
 * slot's times the share, for the jet is spent behind it. */
#ifndef RILL_FLOW_LINTEL_H
#define RILL_FLOW_LINTEL_H

#include "flow/ceiling.h"
#include "flow/drive.h"

/* Whether a lintel stands in the liquid. */
static inline int32_t rill_lintel_stands(const rill_face_ends *ends) {
    return rill_max_i(ends->bl + ends->Hl, ends->br + ends->Hr) >
           rill_max_i(rill_min_i(ends->cl, ends->cr), rill_max_i(ends->bl, ends->br));
}

/* 1 where none does. */
static inline float rill_lintel_share(const rill_face_ends *ends) {
    int32_t zb = rill_max_i(ends->bl, ends->br), open = rill_max_i(rill_min_i(ends->cl, ends->cr) - zb, 0);
    int32_t highest = rill_max_i(ends->bl + ends->Hl, ends->br + ends->Hr) - zb;
    float share = (float)open / (float)rill_max_i(highest, 1);
    return highest > open ? share : 1.0f;
}

/* How fast a column can be filled through a face with a velocity u: where no pressure pushes liquid on, a nearly full
 * column takes just what it loses. Else the whole head above its ceiling would drive the face anew in every sub-step,
 * and its velocity would be many times that of what flows. */
static inline float rill_lintel_fills(const rill_face_ends *ends, float u, const rill_kernel_constants *constants) {
    int32_t room = rill_max_i(u >= 0.0f ? ends->cr - ends->br - ends->Hr : ends->cl - ends->bl - ends->Hl, 0);
    int32_t open = rill_max_i(rill_min_i(ends->cl, ends->cr) - rill_max_i(ends->bl, ends->br), 1);
    float most = (float)room / (constants->lambda * (float)open);
    return constants->slack > 0 ? most : constants->top_speed;
}

/* Returns the new velocity of a face with this share, that advection and the drive of open faces would make `advected`.
 * `u` is its velocity before. Bernoulli holds whether or not passages reckon with velocity heads. `pushed` is a constant. */
static inline float rill_lintel_blend(const rill_face_ends *ends, float share, float u, float advected, int32_t tilt,
                                      int pushed, const rill_kernel_constants *constants) {
    rill_kernel_constants fixed = *constants;
    fixed.toll = 0.5f * fixed.lambda;
    const rill_pressed_face face = rill_ceiling_drive(ends, u, pushed ? 0 : tilt, &fixed);
    const int32_t head = pushed ? rill_drive_upright(face.head, constants->upright) + tilt : face.head;
    const float law = face.base + face.gain * (float)head;
    const float blend = law + rill_max_f(0.0f, 2.0f * share - 1.0f) * (advected - law);
    const float most = rill_lintel_fills(ends, blend, &fixed);
    return share < 1.0f ? rill_max_f(rill_min_f(blend, most), -most) : advected;
}

/* Whether a column is so full that the covered stage may have driven its faces, with a pressure that levels do not
 * tell. */
static inline int32_t rill_lintel_full(int32_t b, int32_t c, int32_t H) {
    return c - b - H <= RILL_SUBMERGED;
}

#endif
