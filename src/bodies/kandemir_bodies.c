/* Bodies with Kandemir's method: see kandemir_bodies.h. */
#include "bodies/kandemir_bodies.h"

#include "base/power.h"
#include "bodies/bodies_internal.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------------------- columns */

/* Returns the column of a shade; -1: there is none. */
static int32_t column_of(const rill_body_stage *stage, const rill_shade *shade) {
    const int32_t column = rill_bed_column(stage->flow->bed, shade->x, shade->y, 0);
    return column < 0 ? -1 : stage->flow->bed->places[column];
}

/* Returns Pa per metre of head; never 0. */
static double weight_of(const rill_body_stage *stage) {
    return fmax(stage->density * stage->gravity, 1e-9);
}

/* The pieces of a shade: all its quarters, however they lie to the surface. */
enum { PIECES = RILL_PARTS * 4 };
static const rill_quarter *piece_of(const rill_shade *shade, int i) {
    return &shade->quarter[i / 4][i % 4];
}

/* Returns the area of a column that is covered, m2. */
static double area_of(const rill_body_stage *stage, const rill_shade *shade) {
    const double dx = stage->flow->bed->grid.cell_size;
    double parts = 0.0;
    for (int i = 0; i < PIECES; ++i) parts += (double)piece_of(shade, i)->part;
    return 0.25 * dx * dx * parts;
}

/* A column as a body meets it, m. */
typedef struct column_state {
    double base, head;
} column_state;

/* Returns how much of a piece of a body is in a column, m; `*from` is where it begins. */
static double wet_of(const column_state *column, const rill_quarter *piece, double *from) {
    *from = fmax((double)piece->under, column->base);
    return piece->part > 0.0f ? fmin((double)piece->over, column->head) - *from : 0.0;
}

/* Tells whether a body touches a column. */
static bool touches(const rill_body_stage *stage, const rill_tank *tank, const rill_shade *shade,
                    column_state *column) {
    const rill_bed *bed = stage->flow->bed;
    const int32_t place = column_of(stage, shade);
    if (place < 0 || stage->flow->H[place] <= RILL_DRY) return false;
    column->base = rill_bed_z(bed, bed->b[place]);
    column->head = rill_bed_z(bed, bed->b[place] + stage->flow->H[place]) +
                   (double)tank->before[rill_tank_at(tank, shade->x, shade->y)] / weight_of(stage);
    double from;
    for (int i = 0; i < PIECES; ++i)
        if (wet_of(column, piece_of(shade, i), &from) > 0.0) return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------------------- forces */

/* Sums over the columns of a body. */
typedef struct column_sums {
    rill_kandemir_push push;
    double moment[3], level, columns, depth;
} column_sums;

static void add_piece(const rill_body_stage *stage, const rill_quarter *piece, const column_state *column,
                      const double centre[2], column_sums *sum) {
    double under;
    const double dx = stage->flow->bed->grid.cell_size, wet = wet_of(column, piece, &under);
    if (!(wet > 0.0)) return;
    const double area = 0.25 * dx * dx * (double)piece->part, volume = area * wet, force = weight_of(stage) * volume;
    const double arm[2] = { (double)piece->at[0], (double)piece->at[1] };
    sum->push.force += force;
    sum->push.torque[0] += arm[1] * force;
    sum->push.torque[1] -= arm[0] * force;
    sum->push.touched += area;
    sum->push.volume += volume;
    for (int i = 0; i < 2; ++i) sum->moment[i] += volume * (centre[i] + arm[i]);
    sum->moment[2] += volume * (under + 0.5 * wet);
}

/* Adds the velocity of the liquid: what the eight pipes of all columns carry, over their depths. */
static void add_velocity(const rill_body_stage *stage, const rill_tank *tank, const rill_shade *shade, double pipe_area,
                         column_sums *sum) {
    const rill_flow *flow = stage->flow;
    const int32_t place = column_of(stage, shade), north = place + flow->bed->sheets[0].stride;
    const float *ne = tank->ne + rill_tank_at(tank, shade->x, shade->y), *nw = tank->nw + (ne - tank->ne);
    const double to_ne = (double)(ne[0] + ne[tank->stride + 1]), to_nw = (double)(nw[0] + nw[tank->stride - 1]);
    const double per = 0.5 * pipe_area / flow->bed->grid.cell_size;
    sum->depth += (double)flow->H[place] * flow->bed->quantum;
    sum->push.velocity[0] += per * ((double)(flow->u[place] + flow->u[place + 1]) + (to_ne - to_nw));
    sum->push.velocity[1] += per * ((double)(flow->v[place] + flow->v[north]) + (to_ne + to_nw));
}

static void fill_report(const column_sums *sum, const rill_shade *shades, size_t count, rill_body_forces *forces) {
    forces->submerged_volume = sum->push.volume;
    forces->wetted_area = sum->push.touched;
    for (int i = 0; i < 3; ++i)
        forces->submerged_centre[i] = sum->push.volume > 0.0 ? sum->moment[i] / sum->push.volume : 0.0;
    for (int i = 0; i < 2; ++i) forces->liquid_velocity[i] = sum->push.velocity[i];
    forces->level = sum->columns > 0.0 ? sum->level / sum->columns : INFINITY;
    for (size_t i = 0; sum->columns == 0.0 && i < count; ++i)
        for (int k = 0; k < PIECES; ++k)
            if (piece_of(&shades[i], k)->part > 0.0f)
                forces->level = fmin(forces->level, (double)piece_of(&shades[i], k)->under);
    if (!isfinite(forces->level)) forces->level = 0.0; /* beside the grid */
}

rill_kandemir_push rill_kandemir_body_push(const rill_body_stage *stage, const rill_tank *tank, double pipe_area,
                                           const rill_shade *shades, size_t count, const double centre[2],
                                           rill_body_forces *forces) {
    column_sums sum = { .level = 0.0 };
    for (size_t i = 0; i < count; ++i) {
        column_state column;
        sum.push.covered += area_of(stage, &shades[i]);
        if (!touches(stage, tank, &shades[i], &column)) continue;
        for (int k = 0; k < PIECES; ++k) add_piece(stage, piece_of(&shades[i], k), &column, centre, &sum);
        add_velocity(stage, tank, &shades[i], pipe_area, &sum);
        sum.level += column.head;
        sum.columns += 1.0;
    }
    for (int i = 0; i < 2 && sum.depth > 0.0; ++i) sum.push.velocity[i] /= sum.depth;
    fill_report(&sum, shades, count, forces);
    RILL_ASSERT(sum.push.touched >= 0.0 && sum.push.touched <= sum.push.covered * (1.0 + 1e-6));
    return sum.push;
}

void rill_kandemir_press(const rill_body_stage *stage, rill_tank *tank, const rill_shade *shades, size_t count,
                         double covered, double down) {
    const double dx = stage->flow->bed->grid.cell_size;
    if (!(down > 0.0)) return; /* nothing pulls at a liquid */
    for (size_t i = 0; i < count; ++i) {
        if (column_of(stage, &shades[i]) < 0) continue;
        RILL_ASSERT(covered > 0.0);
        const double pressure = down / covered * (area_of(stage, &shades[i]) / (dx * dx));
        float *external = &tank->bodies[rill_tank_at(tank, shades[i].x, shades[i].y)];
        *external = (float)fmin((double)*external + pressure, (double)RILL_PRESSURE_BOUND);
        tank->has_bodies = true;
    }
}

/* ----------------------------------------------------------------------------------------------------------- motion */

/* Slows a body's motion relative to the liquid; by the vanishing quotient once it floats, by less while it displaces
 * less. */
static void apply_drag(const rill_body_stage *stage, const rill_kandemir_push *push, double vanishing,
                       rill_body *body) {
    const double floats = fmin(1.0, stage->density * push->volume / body->mass);
    RILL_ASSERT(floats >= 0.0 && floats <= 1.0 && vanishing >= 0.0);
    const double keep = rill_power(vanishing, stage->dt * floats),
                 liquid[3] = { push->velocity[0], push->velocity[1], 0.0 };
    double w[3], speed = 0.0;
    for (int i = 0; i < 3; ++i) {
        w[i] = body->new_twist[i] - liquid[i];
        speed += w[i] * w[i];
    }
    const double form = 0.5 * stage->density * body->drag * push->touched * sqrt(speed) * stage->dt / body->mass;
    for (int i = 0; i < 3; ++i) {
        const double kept = w[i] * keep / (1.0 + form);
        body->new_twist[i] = liquid[i] + kept;
        body->wrench[i] += body->mass * (kept - w[i]) / stage->dt;
        body->new_twist[3 + i] *= keep;
    }
}

static void move_body(const rill_body_stage *stage, rill_tank *tank, const rill_kandemir *controls, double kept,
                      rill_body *body) {
    rill_body_shade(body, &stage->flow->bed->grid);
    const rill_shade *shades = body->shades.data;
    const size_t count = body->shades.count;
    const bool prescribed = isinf(body->mass);
    const rill_kandemir_push push =
        rill_kandemir_body_push(stage, tank, controls->pipe_area, shades, count, body->state.position, &body->forces);
    const double down = prescribed ? push.force : -body->mass * body->state.acceleration[2];
    const double stiff = prescribed ? 0.0 : stage->dt * stage->dt * weight_of(stage) * push.touched / body->mass;
    if (!(push.touched > 0.0)) return;
    rill_kandemir_press(stage, tank, shades, count, push.covered, (1.0 - kept) * down);
    body->wrench[2] = down + (push.force - down) / (1.0 + stiff);
    body->wrench[3] = push.torque[0] / (1.0 + stiff);
    body->wrench[4] = push.torque[1] / (1.0 + stiff);
    rill_body_accelerate(body, body->wrench, stage->dt, body->new_twist);
    if (!prescribed) apply_drag(stage, &push, controls->vanishing, body);
}

/* Returns the part of bodies' pressure that is left after a sub-step, while the rest follows what they press
 * with now. */
static double pressure_kept(const rill_body_stage *stage, const rill_kandemir *controls) {
    const double dx = stage->flow->bed->grid.cell_size;
    double reach = 0.0;
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (body->alive) reach = fmax(reach, body->form.reach);
    }
    const double time = 0.5 * reach / dx * rill_tank_limit(controls, dx, stage->gravity), e = 2.718281828459045;
    return time > 0.0 && isfinite(time) ? rill_power(1.0 / e, stage->dt / time) : 0.0;
}

void rill_kandemir_bodies(const rill_body_stage *stage, rill_tank *tank, const rill_kandemir *controls) {
    const rill_kandemir resolved = rill_tank_controls(controls, stage->flow->bed->grid.cell_size);
    const double kept = pressure_kept(stage, &resolved);
    RILL_ASSERT(kept >= 0.0 && kept <= 1.0);
    rill_tank_lift(tank, kept);
    rill_bodies_begin(stage);
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (body->alive) move_body(stage, tank, &resolved, kept, body);
    }
    rill_bodies_end(stage);
}
