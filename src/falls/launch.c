/* Launching: what has fallen over a brink in a window of time becomes a parcel.
 *
 * Its speed is that with which it moved. Where the flow has no room to speed up before the edge (a sparse pipe stands for the
 * last half cell of it) free overfall does: u_b = max(u, (g q)^(1/3) / 0.715), for the depth at a brink is 0.715 of the
 * critical (Rouse). That is inertia; it fades out for films so thin or viscous that q / nu is below RILL_FALLS_VISCOUS. It
 * starts in the middle of what stands on the sill, y_b = q / u_b, under the lintel. */
#include <math.h>

#include "base/power.h"
#include "base/simd.h"
#include "falls/falls.h"

/* The speed along the edge: the mean of the upper column's faces. */
static double sideways(const rill_flow *flow, const rill_brink *brink) {
    if (flow->H[brink->upper] == 0) return 0.0;
    if (rill_side_axis(brink->side) == 1)
        return 0.5 * ((double)flow->u[brink->upper] + (double)flow->u[brink->upper + 1]);
    const int32_t stride = rill_bed_sheet_of(flow->bed, brink->upper, NULL, NULL)->stride;
    return 0.5 * ((double)flow->v[brink->upper] + (double)flow->v[brink->upper + stride]);
}

/* `flow_rate`: m2/s over the brink. */
static double launch_speed(const rill_brink *brink, double flow_rate, double g, double viscosity) {
    const double speed = brink->momentum / (double)brink->amount;
    if (!(flow_rate > 0.0 && g > 0.0)) return speed;
    const double inertial = rill_power(g * flow_rate, 1.0 / 3.0) / RILL_FALLS_BRINK;
    const double share = fmin(1.0, flow_rate / (RILL_FALLS_VISCOUS * viscosity + 1e-30));
    return fmax(speed, share * inertial);
}

static void launch(rill_falls *falls, const rill_flow *flow, const rill_falls_gravity *gravity, double viscosity,
                   double time, rill_brink *brink, double across) {
    const rill_bed *bed = flow->bed;
    const double dx = bed->grid.cell_size, seconds = fmax(time - fmin(brink->since, falls->window), RILL_FALLS_WINDOW);
    const double flow_rate = (double)brink->amount * bed->quantum * dx / seconds;
    const double speed = launch_speed(brink, flow_rate, gravity->into, viscosity);
    const double depth = fmin(flow_rate / fmax(speed, 1e-6), (double)(brink->lintel - brink->sill) * bed->quantum);
    const int32_t axis = rill_side_axis(brink->side), sign = rill_side_sign(brink->side);
    rill_parcel *parcel = rill_calendar_take(falls);
    *parcel = (rill_parcel){ .amount = brink->amount, .begin = falls->window, .end = time };
    parcel->from[axis] = (float)(((double)brink->cell[axis] + (sign > 0 ? 1.0 : 0.0)) * dx);
    parcel->from[1 - axis] = (float)(((double)brink->cell[1 - axis] + 0.5) * dx);
    parcel->from[2] = (float)((double)brink->sill * bed->quantum + 0.5 * depth);
    parcel->velocity[axis] = (float)(sign * speed);
    parcel->velocity[1 - axis] = (float)across;
    parcel->brink = 4 * (brink->cell[1] * bed->grid.cells[0] + brink->cell[0]) + brink->side;
    rill_falls_trace(flow, gravity, brink->cell[0] + (axis == 0 ? sign : 0), brink->cell[1] + (axis == 1 ? sign : 0),
                     parcel);
    rill_calendar_add(falls, parcel);
    brink->amount = 0;
}

/* Whether enough has come together for a parcel. */
static bool is_ready(const rill_brink *brink, const rill_bed *bed, double time) {
    const double drop = RILL_FALLS_DROP * bed->grid.cell_size / bed->quantum;
    return (double)brink->amount >= drop || time - brink->since >= RILL_FALLS_PATIENCE;
}

void rill_falls_launch(rill_falls *falls, const rill_flow *flow, const rill_falls_gravity *gravity, double viscosity,
                       double time) {
    rill_brinks *brinks = &falls->brinks;
    const double early = 1e-3 * RILL_FALLS_WINDOW; /* steps of a window's length end one, whatever rounding says */
    if (time - falls->window < RILL_FALLS_WINDOW - early) return;
    int32_t kept = 0;
    for (int32_t i = 0; i < brinks->open_count; ++i) {
        rill_brink *brink = &brinks->list[brinks->open[i]];
        if (falls->free >= 0 && is_ready(brink, flow->bed, time))
            launch(falls, flow, gravity, viscosity, time, brink, sideways(flow, brink));
        else
            brinks->open[kept++] = brinks->open[i];
    }
    brinks->open_count = kept;
    falls->window = time;
}

void rill_falls_let_go(rill_falls *falls, const rill_flow *flow, const rill_falls_gravity *gravity, double time) {
    rill_brinks *brinks = &falls->brinks;
    for (int32_t i = 0; i < brinks->open_count; ++i) {
        rill_brink *brink = &brinks->list[brinks->open[i]];
        if (brink->amount > 0) launch(falls, flow, gravity, 0.0, time, brink, 0.0);
    }
    brinks->open_count = 0;
}
