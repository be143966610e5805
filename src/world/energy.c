/* The energy of the liquid and of free bodies.
 *
 * Potential: of each column the first moment of what is in it. Under a body that is what stands below the head e and is
 * not displaced by it; what a column holds beyond that (bodies.h: made good in the next sub-step) counts as if it stood
 * at e:
 *
 *     b H + e^2 / 2 - sum over pieces of (high^2 - low^2) / 2 + e (H - (e - D)),      heights above b, cut to e.
 *
 * As far as e is the pressure of a blow it is no height: the level that the flow is shown stands for it then.
 *
 * Kinetic: a pipe stands for half a cell on either side of its face. It moves u O per width, so that liquid H deep
 * there has the velocity u s / H, s <= H what of it lies between sill and lintel, and its share of the energy is H (u s
 * / H)^2 / 2:
 *
 *        ~~~~~~~~~~~  zt   ___________        On open ground s = H: the mean of both depths moves with u. A slot under a
 *     H              .  s  ~~~~~~~~~~~        lintel moves little of the deep column before it, which is the series
 *        ############ zb ##############       inertance of passages.h; as there at least half of the opening is counted.
 *
 * Liquid below a sill moves only as far as that is drowned on both sides (viscosity.h has the same of its drag). */
#include "world/energy.h"
#include "world/method.h"

#include <math.h>

#include "waves/theta.h"

#include "motion/swept_volume.h"
#include "passages/passages.h"

int32_t rill_world_tilt(const rill_world *world, int axis) {
    const double worth = rill_world_head_gravity(world), dx = world->def.grid.cell_size;
    return worth > 0.0 ? (int32_t)lrint(world->def.gravity[axis] * dx / (worth * world->bed.quantum)) : 0;
}

/* ---------------------------------------------------------------------------------------------------------- kinetic */

/* Returns the depth of half a cell that moves with the velocity of its face, in quanta: s^2 / H. */
static double moves_along(int32_t level, int32_t between, int32_t below, int32_t depth) {
    const double s = (double)(rill_min_i(rill_max_i(level, 0), between) + below);
    return s < (double)depth ? s * s / (double)depth : depth > 0 ? s : 0.0;
}

static double moving_depth(const rill_face_ends *ends) {
    const rill_face face = rill_face_at(ends->bl, ends->br, ends->Hl, ends->Hr);
    const int32_t between = rill_max_i(rill_min_i(ends->cl, ends->cr) - rill_max_i(ends->bl, ends->br), 0);
    const int32_t drowned = rill_max_i(rill_min_i(face.l, face.r), 0), step = rill_abs_i(face.step);
    /* Flooded faces take nothing along from below their sill (rill_ceiling_opening). */
    const int32_t along = drowned >= between - RILL_SUBMERGED ? 0 : rill_min_i(step, 2 * drowned);
    const double l = moves_along(face.l, between, face.step < 0 ? along : 0, ends->Hl);
    const double r = moves_along(face.r, between, face.step > 0 ? along : 0, ends->Hr);
    const double opening = (double)rill_min_i(rill_max_i(rill_max_i(face.l, face.r), 0), between);
    return 0.5 * (l + r > opening ? l + r : opening);
}

typedef struct tour {
    const rill_world *world;
    rill_moving_visit *visit;
    void *user;
} tour;

static void show_pipe(const tour *around, int32_t l, int32_t r, float u, bool sparse) {
    const rill_world *world = around->world;
    const rill_bed *bed = &world->bed;
    const int32_t *b = rill_flow_bases(&world->flow), *H = world->flow.H;
    const rill_face_ends ends = { b[l], b[r], bed->c[l], bed->c[r], H[l], H[r] };
    const double dx = bed->grid.cell_size;
    const bool paper = world->def.solver.pipe_area == RILL_PIPE_AREA_PAPER;
    const double open = (double)rill_ceiling_opening(&ends, u) * bed->quantum;
    const double depth = paper ? open > 0.0 ? dx : 0.0 : moving_depth(&ends) * bed->quantum;
    const rill_moving pipe = { .l = l,
                               .r = r,
                               .sparse = sparse,
                               .waits = rill_flow_flooded(&world->flow, l) || rill_flow_flooded(&world->flow, r),
                               .u = (double)u,
                               .opening = paper ? depth : open,
                               .mass = world->def.liquid.density * dx * dx * depth };
    around->visit(around->user, &pipe);
}

void rill_world_each_pipe(const rill_world *world, rill_moving_visit *visit, void *user) {
    const rill_bed *bed = &world->bed;
    const tour around = { world, visit, user };
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = 0; y < sheet->ny; ++y) {
            for (int32_t x = 0; x < sheet->nx; ++x) {
                const int32_t p = sheet->first + y * sheet->stride + x;
                if (x > 0 && rill_face_joined(bed, p - 1, p)) show_pipe(&around, p - 1, p, world->flow.u[p], false);
                if (y > 0 && rill_face_joined(bed, p - sheet->stride, p))
                    show_pipe(&around, p - sheet->stride, p, world->flow.v[p], false);
            }
        }
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i)
        show_pipe(&around, bed->pipe_l[i], bed->pipe_r[i], world->flow.pipe_u[i], true);
}

static void add_kinetic(void *user, const rill_moving *pipe) {
    *(double *)user += 0.5 * pipe->mass * pipe->u * pipe->u;
}

/* -------------------------------------------------------------------------------------------------------- potential */

/* Gravity as the flow has it, and what weighs: energies are quanta of depth times metres times this. */
typedef struct scale {
    double normal, slope[2]; /* m/s2; the part along the bed per metre */
    double weight;           /* kg per quantum */
    double quantum, dx;      /* m */
} scale;

static scale scale_of(const rill_world *world) {
    const rill_bed *bed = &world->bed;
    const double worth = rill_world_head_gravity(world), dx = bed->grid.cell_size;
    const double per_tilt = worth * bed->quantum / dx;
    return (scale){ .normal = worth * rill_world_upright(world),
                    .slope = { per_tilt * rill_world_tilt(world, 0), per_tilt * rill_world_tilt(world, 1) },
                    .weight = world->def.liquid.density * rill_quantum_volume(bed),
                    .quantum = bed->quantum,
                    .dx = dx };
}

/* Of an amount with a first moment (quanta squared, above the datum) in a cell. */
static double raised(const scale *unit, int32_t x, int32_t y, double amount, double moment) {
    const double along = unit->slope[0] * ((double)x + 0.5) * unit->dx + unit->slope[1] * ((double)y + 0.5) * unit->dx;
    return unit->weight * (unit->normal * moment * unit->quantum - amount * along);
}

static double square_to(double height, double e) {
    const double z = height < e ? height : e;
    return z > 0.0 ? z * z : 0.0;
}

/* The first moment above its base of what a column under bodies holds. */
static double moment_under(const rill_world *world, const rill_body_node *node) {
    const rill_bodies *bodies = &world->bodies;
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    const double H = (double)world->flow.H[node->place];
    const double lifted = (double)(rill_flow_bases(&world->flow)[node->place] - node->base) + H;
    const double e = rill_body_node_level(node, fmin(node->e, lifted));
    double twice = e * e;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            twice -=
                (double)pieces[k].part * (square_to((double)pieces[k].high, e) - square_to((double)pieces[k].low, e));
    return 0.5 * twice + e * (H - (e - rill_body_node_displaced(bodies, node, e)));
}

/* Returns the first moment of the liquid that lies on a body in a column, at one level over the lids of its
 * quarters. */
static double moment_on(const rill_body_node *node) {
    double level = INFINITY, twice = 0.0;
    for (int lower = 0; lower < 4; ++lower) { /* until no lid that counts is above the level */
        double sum = 4.0 * (double)node->deck, count = 0.0;
        for (int q = 0; q < 4; ++q)
            if ((double)node->lid[q] < level) sum += (double)node->lid[q], count += 1.0;
        level = sum / count;
    }
    for (int q = 0; q < 4; ++q) twice += 0.25 * (level * level - square_to((double)node->lid[q], level));
    return 0.5 * twice;
}

/* A flooded column may be some quanta fuller than full, or less (passages.h): what is pushed out of it or in takes
 * pressure along. */
static double within_band(const rill_world *world, int32_t place) {
    if (!rill_flow_flooded(&world->flow, place)) return 0.0;
    const int32_t beyond = world->flow.H[place] - rill_ceiling_full(&world->bed, place);
    return rill_pressure_of(world->flow.pressure[place]) * (double)beyond;
}

static double of_column(const rill_world *world, const scale *unit, int32_t x, int32_t y, int32_t place) {
    const double b = (double)world->bed.b[place], H = (double)world->flow.H[place];
    const rill_body_node *node = rill_bodies_node(&world->bodies, place);
    if (!node) return raised(unit, x, y, H, H * (b + 0.5 * H) + within_band(world, place));
    const double deck = (double)node->deck, under = moment_under(world, node);
    const double on = node->deck > 0 ? moment_on(node) : 0.0;
    return raised(unit, x, y, H + deck, b * (H + deck) + under + on);
}

/* Returns the energy of liquid that moving solids hold, which counts as if it stood on the column that it waits at. */
static double of_waiting(const rill_world *world, const scale *unit, int32_t place, int64_t amount) {
    int32_t x, y;
    rill_bed_sheet_of(&world->bed, place, &x, &y);
    const double level = (double)(world->bed.b[place] + world->flow.H[place]);
    return raised(unit, x, y, (double)amount, (double)amount * level);
}

/* Liquid in the air has the energy with which it left; the liquid at brinks counts as if it stood on the sill. */
typedef struct airborne_sum {
    scale unit;
    double potential, kinetic;
} airborne_sum;

static void add_airborne(airborne_sum *sum, double amount, double x, double y, double height, double speed_squared) {
    const scale *unit = &sum->unit;
    const double along = unit->slope[0] * x + unit->slope[1] * y;
    sum->potential += unit->weight * amount * (unit->normal * height * unit->quantum - along);
    sum->kinetic += 0.5 * unit->weight * amount * speed_squared;
}

static void add_parcel(void *context, const rill_parcel *parcel) {
    airborne_sum *sum = context;
    const float *u = parcel->velocity;
    const double square = (double)u[0] * (double)u[0] + (double)u[1] * (double)u[1] + (double)u[2] * (double)u[2];
    add_airborne(sum, (double)parcel->amount, (double)parcel->from[0], (double)parcel->from[1],
                 (double)parcel->from[2] / sum->unit.quantum, square);
}

static airborne_sum airborne_of(const rill_world *world) {
    airborne_sum sum = { .unit = scale_of(world) };
    if (!world->falls) return sum;
    const rill_brinks *brinks = &world->falls->brinks;
    rill_calendar_each(world->falls, add_parcel, &sum);
    for (int32_t i = 0; i < brinks->open_count; ++i) {
        const rill_brink *brink = &brinks->list[brinks->open[i]];
        const double amount = (double)brink->amount, u = brink->momentum / amount, dx = sum.unit.dx;
        add_airborne(&sum, amount, ((double)brink->cell[0] + 0.5) * dx, ((double)brink->cell[1] + 0.5) * dx,
                     (double)brink->sill, u * u);
    }
    return sum;
}

static double potential_of(const rill_world *world) {
    const rill_bed *bed = &world->bed;
    const scale unit = scale_of(world);
    const rill_expelled *expelled = world->flow.expelled.data;
    const rill_withdrawn *withdrawn = world->flow.withdrawn.data;
    double sum = 0.0;
    for (int32_t y = 0, i = 0; y < bed->grid.cells[1]; ++y)
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x, ++i)
            for (int32_t k = bed->cell_first[i]; k < bed->cell_first[i + 1]; ++k)
                sum += of_column(world, &unit, x, y, bed->places[k]);
    for (size_t i = 0; i < world->flow.expelled.count; ++i)
        sum += of_waiting(world, &unit, expelled[i].place, expelled[i].amount);
    for (size_t i = 0; i < world->flow.withdrawn.count; ++i)
        sum += of_waiting(world, &unit, withdrawn[i].place, withdrawn[i].amount);
    return sum;
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

/* With the liquid that has to follow it up and down, and that which lies on it (added_mass.c). */
static double of_body(const rill_world *world, const rill_body *body) {
    const rill_body_state *state = &body->state;
    const rill_pose pose = rill_pose_of(state->position, state->orientation);
    const double *i = body->inertia, *v = state->velocity;
    const double zero[3] = { world->bed.grid.origin[0], world->bed.grid.origin[1], world->bed.datum };
    double angular[3] = { 0.0 }, sum = body->added_mass * v[2] * v[2];
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) angular[k] += pose.turn[3 * j + k] * state->angular_velocity[j];
        sum += (body->mass + body->deck_mass) * v[k] * v[k];
        sum -= 2.0 * body->mass * state->acceleration[k] * (state->position[k] - zero[k]);
    }
    const double *w = angular;
    sum += i[0] * w[0] * w[0] + i[1] * w[1] * w[1] + i[2] * w[2] * w[2];
    sum += 2.0 * (i[3] * w[0] * w[1] + i[4] * w[0] * w[2] + i[5] * w[1] * w[2]);
    return 0.5 * sum;
}

static double bodies_of(const rill_world *world) {
    double sum = 0.0;
    for (size_t i = 0; i < world->bodies.list.count; ++i) {
        const rill_body *body = rill_body_at(&world->bodies, (int32_t)i);
        if (body->alive && !isinf(body->mass)) sum += of_body(world, body);
    }
    return sum;
}

rill_energy rill_world_still_energy(const rill_world *world) {
    const airborne_sum air = airborne_of(world);
    return (rill_energy){ .potential = potential_of(world) + air.potential,
                          .kinetic = air.kinetic,
                          .bodies = bodies_of(world) };
}

rill_result rill_world_get_energy(const rill_world *world, rill_energy *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = rill_world_need_bed(world, "rill_world_get_energy");
    if (result) return result;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the energy");
    if (!rill_world_method(world)->energetic)
        return rill_fail(world->note, RILL_INVALID_STATE, "rill_world_get_energy: %s",
                         world->def.solver.papers == RILL_PAPERS_WANG
                             ? "solver.papers is RILL_PAPERS_WANG, whose heights and velocities are of two minds"
                             : "solver.method is RILL_METHOD_KANDEMIR, whose pipes hold no liquid");
    rill_energy energy = rill_world_still_energy(world);
    rill_world_each_pipe(world, add_kinetic, &energy.kinetic);
    if (world->method.theta && world->wetting.filled && rill_world_tension(world))
        energy.surface =
            world->def.liquid.surface_tension * rill_theta_energy(world->method.theta, &world->wetting, &world->flow);
    if (world->tension)
        energy.surface =
            world->def.liquid.surface_tension *
            rill_tension_energy(world->tension, &world->wetting, &world->flow, world->def.solver.wall_tension);
    *out = energy;
    return RILL_OK;
}
