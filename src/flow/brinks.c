/* Brinks in the sweep: what crosses one is taken out of the columns again, and its face is driven as that of a jet.
 *
 * The kernels move and limit it as any face. Then, with t the whole quanta that have fallen over it:
 *
 *     after deposit   H[lower] -= t: never negative, for outflow was limited by the depth before inflow. Then q = 0, so that
 *                     nothing is carried to the lower column, and the velocity that it hands on is 0, that of a wall
 *     after force and drive   its velocity as if t were all that stands below: both = H[upper] + t, and of the flows around
 *                     it only those of the upper column. The jet's inertia is its own, not that of a pool far below, with
 *                     which the brink grew thinner as the pool rose
 *
 * Advection stays a convex combination: let in be what flowed into the upper column and out what left it elsewhere. Then
 * H[upper] + t = H_before + in - out >= in + t, which is all that its face may weigh.
 *
 * A brink falls from a drop to the level below of more than max(2 dx, 3 d) on, d the depth above, and until one of less than
 * max(dx / 2, d). It does not where one end is flooded or under a body. */
#include "base/simd.h"
#include "flow/ceiling.h"
#include "flow/column.h"
#include "flow/flow_internal.h"
#include "flow/velocity.h"

static bool is_covered(const rill_flow *flow, int32_t place) {
    return rill_flow_flooded(flow, place) || (flow->lifted && flow->lifted[place] != flow->bed->b[place]);
}

bool rill_brink_falls(const rill_flow *flow, rill_brink *brink) {
    const int32_t two_dx = flow->brinks->two_dx, depth = flow->H[brink->upper];
    const int64_t drop = (int64_t)brink->sill - (flow->bed->b[brink->lower] + flow->H[brink->lower]);
    const int64_t enough = brink->falls ? rill_max_i(two_dx / 4, depth) : rill_max_i(two_dx, 0);
    brink->falls = brink->falls ? drop >= enough : drop > enough && drop > 3 * (int64_t)depth;
    if (is_covered(flow, brink->upper) || is_covered(flow, brink->lower)) brink->falls = false;
    return brink->falls;
}

void rill_brinks_choose(rill_flow *flow) {
    rill_brinks *brinks = flow->brinks;
    const int32_t *row_first = flow->scratch->row_first;
    int32_t count = 0;
    for (int32_t row = 0; row < brinks->row_count; ++row) {
        brinks->falling_first[row] = count;
        if (row_first[row] == row_first[row + 1]) continue;
        for (int32_t i = brinks->first[row]; i < brinks->first[row + 1]; ++i)
            if (rill_brink_falls(flow, &brinks->list[brinks->dense[i]])) brinks->falling[count++] = brinks->dense[i];
    }
    brinks->falling_first[brinks->row_count] = count;
}

/* ------------------------------------------------------------------------------------------------------------- take */

/* Returns what has fallen over a face with the transfer q. */
static float fallen(const rill_brink *brink, float q) {
    return rill_above_zero(rill_side_sign(brink->side) > 0 ? q : -q);
}

/* A face of the row itself: the lower column is in the row, or, of one that falls south, in that before it. */
static void take_here(rill_brink *brink, const rill_row_place *place) {
    const rill_row *row = &place->here->row;
    const int32_t x = brink->column, axis = rill_side_axis(brink->side);
    float *q = axis ? &row->qy[x] : &row->qx[x];
    const float t = fallen(brink, *q);
    (axis ? row->ty : row->tx)[x] = t;
    if (place->owned) {
        brink->t = t;
        brink->u = __builtin_fabsf(axis ? row->vy[x] : row->ux[x]);
    }
    if (t == 0.0f) return;
    if (brink->side != RILL_SOUTH) rill_column_lower(&row->H[brink->side == RILL_WEST ? x - 1 : x], (int32_t)t);
    *q = 0.0f;
}

void rill_brinks_take(const rill_flow *flow, const rill_row_place *place) {
    const rill_brinks *brinks = flow->brinks;
    const int32_t *first = brinks->falling_first + place->row;
    for (int32_t i = first[0]; i < first[1]; ++i) take_here(&brinks->list[brinks->falling[i]], place);
    for (int32_t i = first[1]; !place->last && i < first[2]; ++i) {
        const rill_brink *brink = &brinks->list[brinks->falling[i]];
        if (brink->side != RILL_SOUTH) continue;
        const float t = fallen(brink, place->north->row.qy[brink->column]);
        rill_column_lower(&place->here->row.H[brink->column], (int32_t)t);
    }
}

void rill_brink_add(rill_brinks *brinks, rill_brink *brink, int32_t t, float u) {
    if (t == 0) return;
    if (brink->amount == 0) {
        brinks->open[brinks->open_count++] = (int32_t)(brink - brinks->list);
        brink->since = brinks->time;
        brink->momentum = 0.0;
    }
    brink->amount += t;
    brink->momentum += (double)t * (double)u;
}

void rill_brinks_collect(rill_flow *flow) {
    rill_brinks *brinks = flow->brinks;
    const int32_t count = brinks->falling_first[brinks->row_count];
    for (int32_t i = 0; i < count; ++i) {
        rill_brink *brink = &brinks->list[brinks->falling[i]];
        rill_brink_add(brinks, brink, (int32_t)brink->t, brink->u);
        brink->t = 0.0f;
    }
}

/* ------------------------------------------------------------------------------------------------------------ drive */

/* Whether a row's column is swept: elsewhere faces stand still. */
static bool in_spans(const rill_slot *slot, int32_t column) {
    for (int32_t i = 0; i < slot->span_count; ++i)
        if (column >= slot->spans[i].from && column < slot->spans[i].from + slot->spans[i].count) return true;
    return false;
}

/* The columns at both ends of a face, as if the jet were all there is below. */
static rill_face_ends ends_of(const rill_brink *brink, const rill_row_place *place, float *jet) {
    const int32_t axis = rill_side_axis(brink->side), x = brink->column, xl = axis ? x : x - 1;
    const rill_row *r = &place->here->row, *l = axis ? &place->south->row : r;
    rill_face_ends ends = { l->b[xl], r->b[x], l->c[xl], r->c[x], l->H[xl], r->H[x] };
    *jet = (axis ? r->ty : r->tx)[x];
    if (rill_side_sign(brink->side) > 0)
        ends.Hr = (int32_t)*jet;
    else
        ends.Hl = (int32_t)*jet;
    return ends;
}

/* Returns the head by which a face is driven along the bed. */
static int32_t along(const rill_row *row, int32_t axis, int32_t x, const rill_kernel_constants *constants) {
    return constants->tilt[axis] + (constants->pushed ? (axis ? row->fy : row->fx)[x] : 0);
}

void rill_brinks_force(const rill_flow *flow, const rill_row_place *place, bool covered,
                       const rill_kernel_constants *constants) {
    const rill_brinks *brinks = flow->brinks;
    const rill_row *row = &place->here->row;
    const bool guarded = rill_guard_of(constants) != RILL_UNGUARDED;
    for (int32_t i = brinks->falling_first[place->row]; i < brinks->falling_first[place->row + 1]; ++i) {
        const rill_brink *brink = &brinks->list[brinks->falling[i]];
        const int32_t x = brink->column, axis = rill_side_axis(brink->side);
        if (!in_spans(place->here, x)) continue;
        float jet;
        const rill_face_ends ends = ends_of(brink, place, &jet);
        const rill_forced forced =
            rill_velocity_forced(&ends, (axis ? row->vy : row->ux)[x], constants, along(row, axis, x, constants),
                                 covered ? RILL_FACES_LINTEL : RILL_FACES_OPEN, guarded);
        (axis ? row->py : row->px)[x] = forced.u;
        (axis ? row->wy : row->wx)[x] = forced.weight;
        (axis ? row->ey : row->ex)[x] = 0.0f;
        (axis ? row->gy : row->gx)[x] = forced.gain;
    }
}

/* Returns what flows around a face that falls: volumes of the upper column alone, and the jet. */
static rill_surroundings around(const rill_brink *brink, const rill_row_place *place, float jet) {
    const rill_row *row = &place->here->row, *south = &place->south->row, *north = &place->north->row;
    const int32_t x = brink->column;
    const bool forth = rill_side_sign(brink->side) > 0;
    rill_surroundings near = { .q_before = -2.0f * jet, .q_after = 2.0f * jet };
    if (rill_side_axis(brink->side) == 0) {
        const int32_t upper = forth ? x - 1 : x;
        near.u = row->ux[x], near.forced = row->px[x], near.weight = row->wx[x], near.gain = row->gx[x];
        if (forth)
            near.q_before = row->qx[x - 1] + jet, near.u_before = row->ex[x - 1];
        else
            near.q_after = row->qx[x + 1] - jet, near.u_after = row->ex[x + 1];
        near.q_minus = row->qy[upper], near.q_plus = north->qy[upper];
        near.u_minus = south->ux[x], near.u_plus = north->ux[x];
        near.gain_minus = south->gx[x], near.gain_plus = north->gx[x];
        return near;
    }
    const rill_row *upper = forth ? south : row;
    near.u = row->vy[x], near.forced = row->py[x], near.weight = row->wy[x], near.gain = row->gy[x];
    if (forth)
        near.q_before = south->qy[x] + jet, near.u_before = south->ey[x];
    else
        near.q_after = north->qy[x] - jet, near.u_after = north->ey[x];
    near.q_minus = upper->qx[x], near.q_plus = upper->qx[x + 1];
    near.u_minus = row->vy[x - 1], near.u_plus = row->vy[x + 1];
    near.gain_minus = row->gy[x - 1], near.gain_plus = row->gy[x + 1];
    return near;
}

void rill_brinks_drive(const rill_flow *flow, const rill_row_place *place, bool covered, bool advection,
                       const rill_kernel_constants *constants) {
    const rill_brinks *brinks = flow->brinks;
    const rill_row *row = &place->here->row;
    const bool guarded = rill_guard_of(constants) != RILL_UNGUARDED;
    for (int32_t i = brinks->falling_first[place->row]; i < brinks->falling_first[place->row + 1]; ++i) {
        const rill_brink *brink = &brinks->list[brinks->falling[i]];
        const int32_t x = brink->column, axis = rill_side_axis(brink->side), head = along(row, axis, x, constants);
        if (!in_spans(place->here, x)) continue;
        float jet;
        const rill_face_ends ends = ends_of(brink, place, &jet);
        const rill_surroundings near = around(brink, place, jet);
        (axis ? row->v : row->u)[x] =
            advection
                ? rill_velocity_advected(&ends, &near, constants, head, covered, guarded)
                : rill_velocity_driven(&ends, (axis ? row->vy : row->ux)[x], constants, head, covered, guarded, 0);
    }
}
