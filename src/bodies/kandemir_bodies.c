/* Bodies with Kandemir's method: see kandemir_bodies.h. */
#include "bodies/kandemir_bodies.h"

#include <math.h>

#include "base/power.h"

/* ---------------------------------------------------------------------------------------------------------- columns */

/* The column of a shade; -1: there is none. */
static int32_t column_of(const rill_body_stage *s, const rill_shade *shade) {
    const int32_t column = rill_bed_column(s->flow->bed, shade->x, shade->y, 0);
    return column < 0 ? -1 : s->flow->bed->places[column];
}

/* Pa per metre of head; never 0. */
static double weight_of(const rill_body_stage *s) {
    return fmax(s->density * s->gravity, 1e-9);
}

/* The pieces of a shade: all its quarters, however they lie to the surface. */
enum { PIECES = RILL_PARTS * 4 };
static const rill_quarter *piece_of(const rill_shade *shade, int i) {
    return &shade->quarter[i / 4][i % 4];
}

/* The area of a column that is covered, m2. */
static double area_of(const rill_body_stage *s, const rill_shade *shade) {
    const double dx = s->flow->bed->grid.cell_size;
    double parts = 0.0;
    for (int i = 0; i < PIECES; ++i) parts += (double)piece_of(shade, i)->part;
    return 0.25 * dx * dx * parts;
}

/* A column as a body meets it, m. */
typedef struct meeting {
    double base, head;
} meeting;

/* How much of a piece of a body is in a column, m; `*from` is where it begins. */
static double wet_of(const meeting *m, const rill_quarter *piece, double *from) {
    *from = fmax((double)piece->under, m->base);
    return piece->part > 0.0f ? fmin((double)piece->over, m->head) - *from : 0.0;
}

/* Whether a body touches a column. */
static bool touches(const rill_body_stage *s, const rill_tank *tank, const rill_shade *shade, meeting *m) {
    const rill_bed *bed = s->flow->bed;
    const int32_t place = column_of(s, shade);
    if (place < 0 || s->flow->H[place] <= RILL_DRY) return false;
    m->base = rill_bed_z(bed, bed->b[place]);
    m->head = rill_bed_z(bed, bed->b[place] + s->flow->H[place]) +
              (double)tank->before[rill_tank_at(tank, shade->x, shade->y)] / weight_of(s);
    double from;
    for (int i = 0; i < PIECES; ++i)
        if (wet_of(m, piece_of(shade, i), &from) > 0.0) return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------------------- forces */

/* What the columns of a body say about it, summed. */
typedef struct sums {
    rill_kandemir_push push;
    double moment[3], level, columns, depth;
} sums;

static void add_piece(const rill_body_stage *s, const rill_quarter *piece, const meeting *m, const double centre[2],
                      sums *sum) {
    double under;
    const double dx = s->flow->bed->grid.cell_size, wet = wet_of(m, piece, &under);
    if (!(wet > 0.0)) return;
    const double area = 0.25 * dx * dx * (double)piece->part, volume = area * wet, force = weight_of(s) * volume;
    const double arm[2] = { (double)piece->at[0], (double)piece->at[1] };
    sum->push.force += force;
    sum->push.torque[0] += arm[1] * force;
    sum->push.torque[1] -= arm[0] * force;
    sum->push.touched += area;
    sum->push.volume += volume;
    for (int i = 0; i < 2; ++i) sum->moment[i] += volume * (centre[i] + arm[i]);
    sum->moment[2] += volume * (under + 0.5 * wet);
}

/* The velocity of the liquid: what the eight pipes of all columns carry, over their depths. */
static void add_velocity(const rill_body_stage *s, const rill_tank *tank, const rill_shade *shade, double pipe_area,
                         sums *sum) {
    const rill_flow *flow = s->flow;
    const int32_t place = column_of(s, shade), north = place + flow->bed->sheets[0].stride;
    const float *ne = tank->ne + rill_tank_at(tank, shade->x, shade->y), *nw = tank->nw + (ne - tank->ne);
    const double to_ne = (double)(ne[0] + ne[tank->stride + 1]), to_nw = (double)(nw[0] + nw[tank->stride - 1]);
    const double per = 0.5 * pipe_area / flow->bed->grid.cell_size;
    sum->depth += (double)flow->H[place] * flow->bed->quantum;
    sum->push.velocity[0] += per * ((double)(flow->u[place] + flow->u[place + 1]) + (to_ne - to_nw));
    sum->push.velocity[1] += per * ((double)(flow->v[place] + flow->v[north]) + (to_ne + to_nw));
}

static void tell(const sums *sum, const rill_shade *shades, size_t count, rill_body_forces *forces) {
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

rill_kandemir_push rill_kandemir_body(const rill_body_stage *s, const rill_tank *tank, double pipe_area,
                                      const rill_shade *shades, size_t count, const double centre[2],
                                      rill_body_forces *forces) {
    sums sum = { .level = 0.0 };
    for (size_t i = 0; i < count; ++i) {
        meeting m;
        sum.push.covered += area_of(s, &shades[i]);
        if (!touches(s, tank, &shades[i], &m)) continue;
        for (int k = 0; k < PIECES; ++k) add_piece(s, piece_of(&shades[i], k), &m, centre, &sum);
        add_velocity(s, tank, &shades[i], pipe_area, &sum);
        sum.level += m.head;
        sum.columns += 1.0;
    }
    for (int i = 0; i < 2 && sum.depth > 0.0; ++i) sum.push.velocity[i] /= sum.depth;
    tell(&sum, shades, count, forces);
    return sum.push;
}

void rill_kandemir_press(const rill_body_stage *s, rill_tank *tank, const rill_shade *shades, size_t count,
                         double covered, double down) {
    const double dx = s->flow->bed->grid.cell_size;
    if (!(down > 0.0)) return; /* nothing pulls at a liquid */
    for (size_t i = 0; i < count; ++i) {
        if (column_of(s, &shades[i]) < 0) continue;
        const double pressure = down / covered * (area_of(s, &shades[i]) / (dx * dx));
        float *external = &tank->bodies[rill_tank_at(tank, shades[i].x, shades[i].y)];
        *external = (float)fmin((double)*external + pressure, (double)RILL_PRESSURE_BOUND);
        tank->has_bodies = true;
    }
}

/* ----------------------------------------------------------------------------------------------------------- motion */

/* Slows a body's motion relative to the liquid; by the vanishing quotient once it floats, by less while it displaces less. */
static void slow_down(const rill_body_stage *s, const rill_kandemir_push *push, double vanishing, rill_body *body) {
    const double floats = fmin(1.0, s->density * push->volume / body->mass);
    const double keep = rill_power(vanishing, s->dt * floats),
                 liquid[3] = { push->velocity[0], push->velocity[1], 0.0 };
    double w[3], speed = 0.0;
    for (int i = 0; i < 3; ++i) {
        w[i] = body->moved[i] - liquid[i];
        speed += w[i] * w[i];
    }
    const double form = 0.5 * s->density * body->drag * push->touched * sqrt(speed) * s->dt / body->mass;
    for (int i = 0; i < 3; ++i) {
        const double kept = w[i] * keep / (1.0 + form);
        body->moved[i] = liquid[i] + kept;
        body->load[i] += body->mass * (kept - w[i]) / s->dt;
        body->moved[3 + i] *= keep;
    }
}

static void move_body(const rill_body_stage *s, rill_tank *tank, const rill_kandemir *controls, double kept,
                      rill_body *body) {
    rill_body_shade(body, &s->flow->bed->grid);
    const rill_shade *shades = body->shades.data;
    const size_t count = body->shades.count;
    const bool told = isinf(body->mass);
    const rill_kandemir_push push =
        rill_kandemir_body(s, tank, controls->pipe_area, shades, count, body->state.position, &body->forces);
    const double down = told ? push.force : -body->mass * body->state.acceleration[2];
    const double stiff = told ? 0.0 : s->dt * s->dt * weight_of(s) * push.touched / body->mass;
    if (!(push.touched > 0.0)) return;
    rill_kandemir_press(s, tank, shades, count, push.covered, (1.0 - kept) * down);
    body->load[2] = down + (push.force - down) / (1.0 + stiff);
    body->load[3] = push.torque[0] / (1.0 + stiff);
    body->load[4] = push.torque[1] / (1.0 + stiff);
    rill_body_accelerate(body, body->load, s->dt, body->moved);
    if (!told) slow_down(s, &push, controls->vanishing, body);
}

/* The part of bodies' pressure that is left after a sub-step, while the rest follows what they press with now. */
static double pressure_kept(const rill_body_stage *s, const rill_kandemir *controls) {
    const double dx = s->flow->bed->grid.cell_size;
    double reach = 0.0;
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (body->alive) reach = fmax(reach, body->form.reach);
    }
    const double time = 0.5 * reach / dx * rill_tank_limit(controls, dx, s->gravity), e = 2.718281828459045;
    return time > 0.0 && isfinite(time) ? rill_power(1.0 / e, s->dt / time) : 0.0;
}

void rill_kandemir_bodies(const rill_body_stage *s, rill_tank *tank, const rill_kandemir *controls) {
    const rill_kandemir resolved = rill_tank_controls(controls, s->flow->bed->grid.cell_size);
    const double kept = pressure_kept(s, &resolved);
    rill_tank_lift(tank, kept);
    rill_bodies_begin(s);
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (body->alive) move_body(s, tank, &resolved, kept, body);
    }
    rill_bodies_end(s);
}
