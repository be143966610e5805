/* TENSION: the pressure of a curved surface and of the wetting of the bed, at the end of a sub-step of the pipes.
 *
 * Based on: Wang, Miller & Turk 2007, sections 3.2 and 4 (implicit surface tension, Eqs. 10 to 16), with other answers to
 * two questions: velocities and not heights are solved for, and the contact angle is an energy and not a virtual surface.
 *
 * Symbols: b, H, h = b + H, u, nu as in flow/flow.h; G = gamma / rho; s_f slope of h over a face, 0 where it is not linked;
 * theta contact angle, s = 2 sin(theta / 2), advancing on a dry column and receding on a wet one; q quantum; al the share of
 * a velocity that drag leaves; O opening; Pi pressure over density. Over the columns that are swept, with C what a change of
 * depths does to pressures and D what pressures move in a sub-step,
 *
 *     linked(f): the drive does not clip heads to the sill (flow/drive.h), both ends exist and are not flooded
 *     a_f  = mean of 1 / sqrt(1 + |grad h|^2) at the two corners of the face, |grad h|^2 the mean of its two s^2 on either axis
 *     P_i  = -(G / dx) sum_out a_f s_f + (G / (c dx)) max(0, s_i - H_i / (c dx))
 *     Pt   = P + g_n h - g_t . x
 *     u0   = u* - al (dt / dx) g_n (h_l - h_r) - ...               the velocity without gravity, over linked faces
 *     M_f  = al O,   D = -(dt^2 / dx^2) div M grad,   C = -(G / dx^2) div a grad - (G / (2 (c dx)^2) where s_i > H_i / (c dx))
 *     d0   = -(dt / dx) sum_out O u0                               what flies freely
 *     (I + C D) Pi = Pt + C d0
 *     u    = u0 - al (dt / dx) (Pi_r - Pi_l)
 *
 * by conjugate gradients in the scalar product of D, of which every iterate lowers the energy: a solve that is cut short is
 * stable. P is the slope of the energy in tension_energy.c by the level, to the letter. Gravity is in Pt and not in u0, since a solve cut short would not cancel it. It begins from the best combination
 * of Pt and the last change, Pi - Pt: the old Pi alone lags behind the force and pumps waves.
 *
 * The second term of P is the slope of a bounded wetting energy, gamma (1 - cos theta) (1 - (1 - H / h*)^2) for H below
 * h* = c dx s: the foot of a drop is h* high, (pi / 2) c cells wide, and dry columns stay exactly dry. A column counts as wet
 * from h* on, where the term is 0 for either angle, so that nothing jumps.
 *
 * Unlinked faces (walls, edges) have no part in C and D. At an edge the surface goes down to the sill, and the liquid is
 * held until g_n up^2 / 2 + up u^2 > G (1 - cos theta_e), theta_e the advancing angle turned by the edge.
 *
 * No tension acts where there is no room for a meniscus, in voids lower than 8 dx, nor at flooded columns and under bodies,
 * nor beside those: only gravity is solved for there. */
#ifndef RILL_WAVES_TENSION_H
#define RILL_WAVES_TENSION_H

#include "flow/kernels.h"
#include "waves/wetting.h"

typedef struct rill_tension_state rill_tension_state;

/* A sub-step, as it is about to be driven. */
typedef struct rill_tension_step {
    double strength; /* G, m3/s2 */
    double weight;   /* g: what a metre of head is worth, m/s2; g_n but on steep beds */
    double upright;  /* g_n / g, at most 1 (flow/drive.h) */
    double dt, time; /* s; time at the end of the sub-step */
    double drying;   /* s */
    bool walls;      /* the surface meets walls at its contact angle */
} rill_tension_step;

/* Makes it for a bed that the flow is over, at rest and without memory of what was wet. */
rill_result rill_tension_make(const rill_flow *flow, const rill_runtime *runtime, rill_tension_state **out,
                              rill_message *message);
void rill_tension_free(rill_tension_state *tension, const rill_allocator *allocator);
/* The bed has changed: looks at it anew. False without memory, and nothing is done. */
bool rill_tension_follow(rill_tension_state *tension, const rill_flow *flow, const rill_allocator *allocator);

/* Memory that it keeps from one sub-step to the next, by place and by sparse pipe. */
typedef struct rill_tension_memory {
    float *change;         /* what the last solve added to Pt, m2/s2 */
    int32_t *wet;          /* 0, or the time (ms) from which on the column is dry if nothing wets it */
    uint8_t *flowing;      /* edges, to the west and to the south, over which liquid runs */
    uint8_t *pipe_flowing; /* likewise */
} rill_tension_memory;
rill_tension_memory rill_tension_remembered(const rill_tension_state *tension);

/* Returns the longest sub-step for liquid of some depth, s. */
double rill_tension_limit(double strength, double depth, double cell_size);

/* Returns the energy of surface and wetted bed, over gamma: m2. */
double rill_tension_energy(const rill_tension_state *tension, const rill_wetting *wetting, const rill_flow *flow,
                           bool walls);

/* Drives all velocities that the sweep has left, and marks tiles that must not fall asleep. */
void rill_tension_drive(rill_tension_state *tension, const rill_wetting *wetting, rill_flow *flow,
                        const rill_flow_settings *settings, const rill_kernel_constants *constants,
                        const rill_tension_step *step);

#endif
