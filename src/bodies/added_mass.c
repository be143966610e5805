/* Added mass: liquid that lies on them (deck_flow.c), and liquid that has to follow them up and down, of which columns
 * do not tell by themselves.
 *
 *   sunk      What is above a body comes down beside it when it rises, all within one column. Half of what is displaced
 *             takes part in that, which is exact for a sphere far from walls (H. Lamb, Hydrodynamics, 6th edition, art.
 *             92): let go, it starts with g (1 - s) / (s + 1/2), however small its relative density s.
 *   afloat    A layer of g dt^2 / 2 keeps what is light from being thrown farther in a sub-step than those can tell.
 *             Turning takes twice that along: it is driven from where the body would be if it went on as it did, and a
 *             thin plate of draft d rocks more in each sub-step unless g dt^2 / (d + layer) < 4/3.
 *
 *   light     What weighs less than a shallow layer, and less than a tenth of what it could displace, as a bubble of
 *             foil, has no inertia to speak of but that of the liquid around it: half of what a disc as large as what
 *             is wet of it has to move on either side of it (Lamb, art. 102), and along the bed half of what it
 *             displaces, but for flooded passages, whose columns tell of all of it. Without that, it would leave the
 *             liquid as fast as sub-steps are short. The less is missing to be no longer light, the less of it there
 *             is; what is heavier has nothing of it.
 *
 *   deck      All of it goes wherever the body does, and weighs on it where it lies. What falls on it brings its momentum:
 *             with m at u_in, v += m u_in / (mass with all of this), and the same about the centre of mass.
 *
 * Such liquid moves as the body does. What newly joins is at rest: a body that dives is slowed down by it (Th. von
 * Karman, NACA TN 321, 1929). What is left behind keeps its motion. So energy is only ever lost.
 *
 * Beside a body that is over a few cells only, heads do not follow it within a sub-step; such a body is `small`, and
 * moves by the buoyancy it will have (coupling.c). So does what is light: it would bob within sub-steps that cannot
 * follow it. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include <math.h>
#include <string.h>

typedef struct added_liquid {
    double mass;           /* kg */
    double xx, yy, xy;     /* its inertia, kg m2 */
    double cells;          /* cells that the body is over */
    double wet_cells;      /* cells in which the body is in the liquid */
    double displaced;      /* kg */
    double arms_squared;   /* sum of squares of arms over these cells, m2 */
    double mass_along, zz; /* what goes along the bed with what is light, kg, and its inertia, kg m2 */
} added_liquid;

/* Sums up what a body carries along over its touches; of a `round` one, none of it turns. */
static inline added_liquid sum_added(const rill_body_stage *stage, const rill_body *body, bool round) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const double dx = stage->flow->bed->grid.cell_size,
                 layer = RILL_ADDED_LAYER * stage->gravity * stage->dt * stage->dt;
    added_liquid added = { 0 };
    for (int32_t i = body->first_touch; i < body->end_touch; ++i) {
        const double e = nodes[touches[i].node].e;
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            const rill_body_piece *piece = &pieces[k];
            const double low = (double)piece->low, high = (double)piece->high, x = (double)piece->arm[0],
                         y = (double)piece->arm[1];
            added.cells += (double)piece->part;
            if (e <= low) continue;
            const double thick = e < high ? 0.0 : RILL_ADDED_SHARE * (high - low) * stage->flow->bed->quantum;
            const double mass = stage->density * dx * dx * (double)piece->part * (thick > layer ? thick : layer);
            added.mass += mass;
            if (round) continue;
            const double turns =
                fmax(mass, RILL_ADDED_TURNING * stage->density * dx * dx * (double)piece->part * layer);
            added.xx += turns * y * y;
            added.yy += turns * x * x;
            added.xy -= turns * x * y;
        }
    }
    return added;
}

static added_liquid find_added(const rill_body_stage *stage, const rill_body *body) {
    return body->form.shape == RILL_SHAPE_SPHERE ? sum_added(stage, body, true) : sum_added(stage, body, false);
}

/* Adds what of a light body is in the liquid. */
static void find_wet(const rill_body_stage *stage, const rill_body *body, added_liquid *added) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const double dx = stage->flow->bed->grid.cell_size;
    for (int32_t i = body->first_touch; i < body->end_touch; ++i) {
        const double e = nodes[touches[i].node].e, open = nodes[touches[i].node].flooded ? 0.0 : 1.0;
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            const rill_body_piece *piece = &pieces[k];
            const double low = (double)piece->low, high = (double)piece->high, x = (double)piece->arm[0],
                         y = (double)piece->arm[1];
            if (e <= low) continue;
            added->wet_cells += (double)piece->part;
            added->displaced += open * (double)piece->part * ((e < high ? e : high) - low);
            added->arms_squared += (double)piece->part * (x * x + y * y);
        }
    }
    added->displaced *= stage->density * dx * dx * stage->flow->bed->quantum;
}

/* Returns how much less it weighs than what is not light, kg; negative if it is not. */
static double missing_mass(const rill_body_stage *stage, const rill_body *body, const added_liquid *added) {
    const double dx = stage->flow->bed->grid.cell_size, area = added->cells * dx * dx;
    return fmax(RILL_ADDED_LIGHT * stage->gravity * stage->dt * stage->dt, RILL_ADDED_SHALLOW * sqrt(area)) *
               stage->density * area -
           body->mass;
}

/* Tells whether it weighs so little beside what it could displace that its own inertia does not count; thin
 * plates do. */
static bool is_next_to_weightless(const rill_body_stage *stage, const rill_body *body) {
    return body->mass < RILL_ADDED_FOAM * stage->density * body->form.volume;
}

/* Tells whether it would bob within sub-steps that cannot follow it. */
static bool is_too_light_for_step(const rill_body_stage *stage, const rill_body *body, const added_liquid *added) {
    const double dx = stage->flow->bed->grid.cell_size;
    return body->mass <
           RILL_ADDED_LIGHT * stage->gravity * stage->dt * stage->dt * stage->density * added->cells * dx * dx;
}

/* Adds what goes with a body that is so much too light. */
static void add_to_light(const rill_body_stage *stage, const rill_body *body, double lacking, added_liquid *added) {
    find_wet(stage, body, added);
    const double dx = stage->flow->bed->grid.cell_size, area = added->wet_cells * dx * dx,
                 most = RILL_ADDED_FADE * lacking;
    const double disc = fmin(RILL_ADDED_DISC * sqrt(area / 3.141592653589793) * area * stage->density, most);
    if (added->wet_cells == 0.0) return;
    if (disc > added->mass) {
        const double more = disc / added->mass;
        added->mass = disc;
        added->xx *= more, added->yy *= more, added->xy *= more;
    }
    added->mass_along = fmin(RILL_ADDED_SHARE * added->displaced, most);
    added->zz = added->mass_along * added->arms_squared / added->wet_cells;
}

/* Adds the inertia of what a body carries along, `kept` of which turns already, and of what lies on it, of which
 * `joined` does; and turns it by the weight of that. Turning a sphere moves no liquid. */
static void add_inertia(const rill_body_stage *stage, rill_body *body, const added_liquid *added, double kept,
                        double joined) {
    const double more[9] = { added->xx, added->xy, 0.0, added->xy, added->yy, 0.0, 0.0, 0.0, added->zz },
                 *angular = body->state.angular_velocity;
    const double *deck_inertia = body->deck_load.inertia;
    double momentum[3], weight[6] = { 0 };
    if (body->form.shape == RILL_SHAPE_SPHERE) return;
    rill_deck_load_add_weight(&body->deck_load, stage->gravity, weight);
    rill_body_remove_round_torque(body, weight);
    for (int i = 0; i < 3; ++i) {
        const double *around = body->world_inertia + 3 * i, *row = more + 3 * i;
        momentum[i] = around[0] * angular[0] + around[1] * angular[1] + around[2] * angular[2];
        momentum[i] += kept * (row[0] * angular[0] + row[1] * angular[1] + row[2] * angular[2]);
        momentum[i] += joined * (deck_inertia[3 * i] * angular[0] + deck_inertia[3 * i + 1] * angular[1] +
                                 deck_inertia[3 * i + 2] * angular[2]);
        momentum[i] += stage->dt * weight[3 + i];
    }
    for (int i = 0; i < 9; ++i) body->effective_inertia[i] += more[i] + deck_inertia[i];
    rill_body_invert_matrix(body->effective_inertia, body->inverse_inertia);
    for (int i = 0; i < 3; ++i) {
        const double *row = body->inverse_inertia + 3 * i;
        body->predicted_twist[3 + i] = row[0] * momentum[0] + row[1] * momentum[1] + row[2] * momentum[2];
    }
}

/* Lets what has come down on a body in a column push it: it stays on it, and its mass counts already, as if it had come at
 * rest. Of the way down to the bed, of which its speed is, it has not fallen the rest. */
static void strike(const rill_body_stage *stage, const rill_body_node *node) {
    const rill_body_touch *touch =
        (const rill_body_touch *)stage->bodies->touches.data + rill_body_node_carrier(stage->bodies, node);
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const rill_bed *bed = stage->flow->bed;
    rill_body *body = rill_body_at(stage->bodies, touch->body);
    double at[3] = { 0 }, parts = 0.0, wrench[6] = { 0 };
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const double part = (double)pieces[k].part;
        parts += part;
        for (int i = 0; i < 2; ++i) at[i] += part * (double)pieces[k].arm[i];
        at[2] += part * (double)node->lid[pieces[k].quarter];
    }
    if (!(parts > 0.0)) return;
    for (int i = 0; i < 3; ++i) at[i] /= parts;
    const double w = node->blow[2] / node->struck, rest = (at[2] - (double)stage->flow->H[node->place]) * bed->quantum;
    const double square = w * w - 2.0 * stage->gravity * rest, down = square > 0.0 ? -sqrt(square) : 0.0;
    const double mass = stage->density * bed->quantum * bed->grid.cell_size * bed->grid.cell_size;
    at[2] = bed->datum + ((double)node->base + at[2]) * bed->quantum - body->expected_position[2];
    for (int axis = 0; axis < 3; ++axis)
        rill_body_add_at_arm(axis, at, mass * (axis < 2 ? node->blow[axis] : node->struck * down), wrench);
    rill_body_remove_round_torque(body, wrench);
    for (int i = 0; i < 3; ++i) {
        const double *row = body->inverse_inertia + 3 * i;
        if (isinf(body->mass)) {
            body->forces.impulse[i] += wrench[i];
            body->forces.angular_impulse[i] += wrench[3 + i];
            continue;
        }
        body->predicted_twist[i] += wrench[i] / (i == 2 ? body->mass_upright : body->mass_along);
        body->predicted_twist[3 + i] += row[0] * wrench[3] + row[1] * wrench[4] + row[2] * wrench[5];
    }
}

/* Lets all that has come down on bodies push them, once. */
static void strike_all(const rill_body_stage *stage) {
    rill_body_node *nodes = stage->bodies->nodes.data;
    for (size_t n = stage->island->first_node; n < stage->island->end_node; ++n) {
        if (nodes[n].struck == 0.0) continue;
        if (nodes[n].apart && rill_body_node_carrier(stage->bodies, &nodes[n]) >= 0) strike(stage, &nodes[n]);
        nodes[n].struck = 0.0;
        memset(nodes[n].blow, 0, sizeof nodes[n].blow);
    }
}

void rill_bodies_add_mass(const rill_body_stage *stage) {
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        rill_body *body = rill_body_in_order(stage->bodies, i);
        const double deck_mass = body->deck_load.mass,
                     joined = deck_mass <= body->deck_mass ? 1.0 : body->deck_mass / deck_mass;
        body->deck_mass = deck_mass;
        RILL_ASSERT(deck_mass >= 0.0 && joined >= 0.0 && joined <= 1.0);
        if (isinf(body->mass)) continue;
        added_liquid added = find_added(stage, body);
        const double lacking = is_next_to_weightless(stage, body) ? missing_mass(stage, body, &added) : 0.0;
        if (lacking > 0.0) add_to_light(stage, body, lacking, &added);
        const double kept = body->fresh || added.mass <= body->added_mass ? 1.0 : body->added_mass / added.mass;
        RILL_ASSERT(added.mass >= 0.0 && isfinite(added.mass));
        RILL_ASSERT(added.cells >= 0.0 && added.xx >= 0.0 && added.yy >= 0.0);
        body->added_mass = added.mass;
        body->small = added.cells < RILL_ADDED_SMALL || lacking > 0.0 || is_too_light_for_step(stage, body, &added);
        RILL_ASSERT(kept >= 0.0 && kept <= 1.0);
        if (added.mass == 0.0 && deck_mass == 0.0) continue;
        body->mass_along = body->mass + added.mass_along + deck_mass;
        body->mass_upright = body->mass_stiff = body->mass + added.mass + deck_mass;
        RILL_ASSERT(body->mass_along > 0.0 && body->mass_upright >= body->mass);
        const double *velocity = body->state.velocity,
                     slope = stage->gravity * stage->flow->bed->quantum / stage->flow->bed->grid.cell_size;
        for (int k = 0; deck_mass + added.mass_along > 0.0 && k < 2; ++k) {
            const double pull = stage->dt * slope * (double)stage->constants->tilt[k],
                         with = kept * added.mass_along * velocity[k];
            body->predicted_twist[k] =
                (body->mass * body->predicted_twist[k] + with + deck_mass * (joined * velocity[k] + pull)) /
                body->mass_along;
        }
        const double lifted =
            kept * added.mass * velocity[2] + deck_mass * (joined * velocity[2] - stage->dt * stage->gravity);
        body->predicted_twist[2] = (body->mass * body->predicted_twist[2] + lifted) / body->mass_upright;
        add_inertia(stage, body, &added, kept, joined);
        RILL_ASSERT(rill_body_are_finite(body->predicted_twist, 6));
    }
    strike_all(stage);
}
