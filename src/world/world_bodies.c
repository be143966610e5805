/* Bodies of a world, by id. They lie over columns, so the bed comes first. */
#include <math.h>
#include <string.h>

#include "world/ids.h"
#include "world/limits.h"
#include "world/method.h"

static rill_body_id id_of(const rill_world *world, size_t index, uint16_t generation) {
    return (rill_body_id){ rill_id_of(world, index, generation) };
}

/* The body of an id, or NULL with a message. */
static rill_body *body_of(const rill_world *world, rill_body_id id) {
    const size_t index = rill_id_slot(id.value), count = world->bodies.list.count;
    if (index < count) {
        rill_body *body = rill_body_at(&world->bodies, (int32_t)index);
        if (body->alive && rill_id_names(world, id.value, body->generation)) return body;
    }
    rill_id_refuse(world, "body", id.value, count);
    return NULL;
}

rill_body_id rill_body_find(const rill_world *world, const char *name) {
    if (!world || !name || !*name) return (rill_body_id){ 0 };
    for (size_t i = 0; i < world->bodies.list.count; ++i) {
        const rill_body *body = rill_body_at(&world->bodies, (int32_t)i);
        if (body->alive && strcmp(body->name, name) == 0) return id_of(world, i, body->generation);
    }
    return (rill_body_id){ 0 };
}

const char *rill_body_name(const rill_world *world, rill_body_id id) {
    const rill_body *body = world ? body_of(world, id) : NULL;
    return body ? body->name : NULL;
}

void *rill_body_user_data(const rill_world *world, rill_body_id id) {
    const rill_body *body = world ? body_of(world, id) : NULL;
    return body ? body->user : NULL;
}

rill_result rill_body_set_user_data(rill_world *world, rill_body_id id, void *user) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_body *body = body_of(world, id);
    if (!body) return RILL_INVALID_ID;
    body->user = user;
    return RILL_OK;
}

int32_t rill_world_body_count(const rill_world *world) {
    return world ? world->bodies.alive : 0;
}

rill_body_id rill_world_body_at(const rill_world *world, int32_t index) {
    for (size_t i = 0; world && index >= 0 && i < world->bodies.list.count; ++i) {
        const rill_body *body = rill_body_at(&world->bodies, (int32_t)i);
        if (body->alive && index-- == 0) return id_of(world, i, body->generation);
    }
    return (rill_body_id){ 0 };
}

/* ------------------------------------------------------------------------------------------------------------ state */

static rill_result check_members(const char *what, const double *values, int count, rill_message *message) {
    for (int i = 0; i < count; ++i) {
        if (fabs(values[i]) <= RILL_MOST_LENGTH) continue;
        return rill_fail(message, RILL_INVALID_ARGUMENT, "state.%s[%d] is %g; expected %g to %g", what, i, values[i],
                         -RILL_MOST_LENGTH, RILL_MOST_LENGTH);
    }
    return RILL_OK;
}

/* Checks a state and takes it over with its quaternion made a unit. */
static rill_result take_state(const rill_body_state *state, rill_body_state *out, rill_message *message) {
    rill_result result = check_members("position", state->position, 3, message);
    if (!result) result = check_members("orientation", state->orientation, 4, message);
    if (!result) result = check_members("velocity", state->velocity, 3, message);
    if (!result) result = check_members("angular_velocity", state->angular_velocity, 3, message);
    if (!result) result = check_members("acceleration", state->acceleration, 3, message);
    if (result) return result;
    double length = 0.0;
    for (int i = 0; i < 4; ++i) length += state->orientation[i] * state->orientation[i];
    if (!(length > 1e-12))
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "state.orientation has length %g; expected a quaternion x, y, z, w of length 1", sqrt(length));
    *out = *state;
    if (fabs(length - 1.0) > 1e-15)
        for (int i = 0; i < 4; ++i) out->orientation[i] /= sqrt(length);
    return RILL_OK;
}

rill_result rill_body_set_state(rill_world *world, rill_body_id id, const rill_body_state *state) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_body *body = body_of(world, id);
    if (!body) return RILL_INVALID_ID;
    if (!state) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "state is NULL; expected where the body is");
    rill_body_state to;
    const rill_result result = take_state(state, &to, world->note);
    if (result) return result;
    rill_body_jump(body, &to, &world->flow);
    body->state = to;
    /* How it changed before is no guide to how it goes on: an engine's contacts happen at once, and are over. */
    memcpy(body->last_twist, body->state.velocity, sizeof body->state.velocity);
    memcpy(body->last_twist + 3, body->state.angular_velocity, sizeof body->state.angular_velocity);
    return RILL_OK;
}

rill_result rill_body_get_state(const rill_world *world, rill_body_id id, rill_body_state *out) {
    if (!world || !out) return RILL_INVALID_ARGUMENT;
    const rill_body *body = body_of(world, id);
    if (!body) return RILL_INVALID_ID;
    *out = body->state;
    return RILL_OK;
}

rill_result rill_body_get_forces(const rill_world *world, rill_body_id id, rill_body_forces *out) {
    if (!world || !out) return RILL_INVALID_ARGUMENT;
    const rill_body *body = body_of(world, id);
    if (!body) return RILL_INVALID_ID;
    *out = body->forces;
    out->deck_volume = body->deck_mass / world->def.liquid.density;
    return RILL_OK;
}

rill_result rill_body_get_info(const rill_world *world, rill_body_id id, rill_body_info *out) {
    if (!world || !out) return RILL_INVALID_ARGUMENT;
    const rill_body *body = body_of(world, id);
    if (!body) return RILL_INVALID_ID;
    const rill_body_form *form = &body->form;
    *out = (rill_body_info){ .mass = body->mass,
                             .volume = form->volume,
                             .shape = form->shape,
                             .radius = form->radius,
                             .length = form->length,
                             .vertices = form->vertices,
                             .vertex_count = form->vertex_count,
                             .indices = form->indices,
                             .triangle_count = form->triangle_count };
    memcpy(out->inertia, body->inertia, sizeof out->inertia);
    memcpy(out->centre, form->centre, sizeof out->centre);
    memcpy(out->middle, form->middle, sizeof out->middle);
    memcpy(out->size, form->size, sizeof out->size);
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- making */

rill_body_def rill_default_body_def(void) {
    return (rill_body_def){ .shape = { .type = RILL_SHAPE_SPHERE },
                            .density = 500.0,
                            .centre = { (double)NAN, (double)NAN, (double)NAN },
                            .drag = 1.0,
                            .state = { .orientation = { 0.0, 0.0, 0.0, 1.0 } } };
}

/* Of a symmetric matrix xx, yy, zz, xy, xz, yz. */
static double determinant(const double m[6]) {
    return m[0] * (m[1] * m[2] - m[5] * m[5]) - m[3] * (m[3] * m[2] - m[5] * m[4]) + m[4] * (m[3] * m[5] - m[1] * m[4]);
}

static bool is_positive(const double m[6]) {
    return m[0] > 0.0 && m[0] * m[1] - m[3] * m[3] > 0.0 && determinant(m) > 0.0;
}

/* Whether inertia is what a body of that mass and form can have, give or take nine orders of magnitude, and can be
 * inverted however it is turned: a needle may be a million times as long as it is wide. */
static bool is_plausible(const rill_body *body) {
    const double *own = body->inertia, *even = body->form.inertia, sum = own[0] + own[1] + own[2];
    const double usual = body->mass * (even[0] + even[1] + even[2]);
    if (!is_positive(own) || isinf(body->mass)) return is_positive(own);
    return sum >= 1e-9 * usual && sum <= 1e9 * usual && determinant(own) >= 1e-13 * sum * sum * sum;
}

/* Mass and inertia of a definition whose form is known. */
static rill_result weigh(const rill_body_def *def, rill_body *body, rill_message *message) {
    if (!(def->mass >= 0.0 && (def->mass <= RILL_MOST_MASS || isinf(def->mass))))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "body.mass is %g; expected 0 (use density) to %g, or infinity",
                         def->mass, RILL_MOST_MASS);
    if (def->mass == 0.0 && !(def->density > 0.0 && def->density <= 1e9))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "body.density is %g; expected more than 0 and at most 1e9",
                         def->density);
    if (!(def->drag >= 0.0 && def->drag <= RILL_MOST_DRAG))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "body.drag is %g; expected 0 to %g", def->drag,
                         RILL_MOST_DRAG);
    body->mass = def->mass > 0.0 ? def->mass : def->density * body->form.volume;
    if (!(body->mass >= RILL_LEAST_BODY_DENSITY * body->form.volume))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "body.mass is %g; expected at least %g for its volume",
                         body->mass, RILL_LEAST_BODY_DENSITY * body->form.volume);
    body->drag = def->drag;
    bool given = false;
    for (int i = 0; i < 6; ++i) given |= def->inertia[i] != 0.0;
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(def->inertia[i]))
            return rill_fail(message, RILL_INVALID_ARGUMENT, "body.inertia[%d] is %g; expected a finite number", i,
                             def->inertia[i]);
        const double mass = isinf(body->mass) ? 1.0 : body->mass;
        body->inertia[i] = given ? def->inertia[i] : mass * body->form.inertia[i];
    }
    if (!is_plausible(body))
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "body.inertia is not positive definite, or far from what %g kg can have; expected kg m2 about "
                         "the centre of mass",
                         body->mass);
    return RILL_OK;
}

/* Written so that NaN fails. */
static rill_result check_within(const char *what, const double *values, int count, double bound,
                                rill_message *message) {
    for (int i = 0; i < count; ++i)
        if (!(fabs(values[i]) <= bound))
            return rill_fail(message, RILL_INVALID_DATA, "body: %s[%d] is %g; expected %g to %g", what, i, values[i],
                             -bound, bound);
    return RILL_OK;
}

rill_result rill_check_body(const rill_body *body, double bound, rill_message *message) {
    const rill_body_state *state = &body->state;
    const rill_body_forces *forces = &body->forces;
    const double most = 1e300, *q = state->orientation, length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const struct {
        const char *what;
        const double *values;
        int count;
        double bound;
    } members[] = { { "position", state->position, 3, bound },
                    { "velocity", state->velocity, 3, bound },
                    { "angular_velocity", state->angular_velocity, 3, bound },
                    { "acceleration", state->acceleration, 3, bound },
                    { "velocities before", body->last_twist, 6, bound },
                    { "lag", body->lag, 3, bound },
                    { "lag of turning", body->lag + 3, 3, 2.0 },
                    { "impulse", forces->impulse, 3, most },
                    { "angular_impulse", forces->angular_impulse, 3, most },
                    { "submerged volume", &forces->submerged_volume, 1, most },
                    { "submerged centre", forces->submerged_centre, 3, most },
                    { "wetted area", &forces->wetted_area, 1, most },
                    { "level", &forces->level, 1, most },
                    { "velocity of liquid", forces->liquid_velocity, 2, most } };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i) {
        const rill_result result =
            check_within(members[i].what, members[i].values, members[i].count, members[i].bound, message);
        if (result) return result;
    }
    if (!(fabs(length - 1.0) <= 1e-9))
        return rill_fail(message, RILL_INVALID_DATA, "body: its orientation has length %g; expected 1", sqrt(length));
    if (!(body->last_dt >= 0.0 && body->last_dt <= 1e6))
        return rill_fail(message, RILL_INVALID_DATA, "body: its last step is %g s; expected 0 to 1e6", body->last_dt);
    if (!(body->added_mass >= 0.0 && body->added_mass <= 1e30))
        return rill_fail(message, RILL_INVALID_DATA, "body: it carries along %g kg; expected 0 to 1e30",
                         body->added_mass);
    if (!(body->deck_mass >= 0.0 && body->deck_mass <= 1e30))
        return rill_fail(message, RILL_INVALID_DATA, "body: %g kg lie on it; expected 0 to 1e30", body->deck_mass);
    if (!(body->mass > 0.0 && body->mass >= RILL_LEAST_BODY_DENSITY * body->form.volume &&
          (body->mass <= 1e30 || isinf(body->mass))))
        return rill_fail(message, RILL_INVALID_DATA, "body: mass is %g; expected that of its volume", body->mass);
    if (!(body->drag >= 0.0 && body->drag <= RILL_MOST_DRAG))
        return rill_fail(message, RILL_INVALID_DATA, "body: drag is %g; expected 0 to %g", body->drag, RILL_MOST_DRAG);
    if (!is_plausible(body))
        return rill_fail(message, RILL_INVALID_DATA, "body: inertia is not what %g kg can have", body->mass);
    return RILL_OK;
}

static void drop(const rill_world *world, rill_body *body) {
    rill_body_form_free(&body->form, &world->allocator);
    rill_array_free(&body->shades, &world->allocator);
    rill_array_free(&body->levels, &world->allocator);
    rill_string_free(&world->allocator, body->name);
    *body = (rill_body){ .generation = body->generation };
}

static rill_result check_new(const rill_world *world, const rill_body_def *def) {
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    rill_result result = rill_world_need_bed(world, "rill_body_create");
    if (!result) result = rill_check_name("body.name", def->name, world->note);
    if (result) return result;
    if (!rill_world_method(world)->has_bodies)
        return rill_fail(world->note, RILL_INVALID_STATE,
                         "rill_body_create: solver.method is RILL_METHOD_WAVES, which moves no bodies");
    if (rill_body_find(world, def->name).value != 0)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "body.name is \"%.64s\", which another body has already",
                         def->name);
    if (world->bodies.free_slots == 0 && world->bodies.list.count >= RILL_SLOTS_MAX)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %d bodies; expected at most %d", RILL_SLOTS_MAX,
                         RILL_SLOTS_MAX);
    return RILL_OK;
}

/* The slot that the next body takes: one that may be used again, else one behind the last. */
static size_t next_slot(const rill_bodies *bodies) {
    for (size_t i = 0; bodies->free_slots > 0 && i < bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        if (!body->alive && body->generation < RILL_GENERATION_MAX) return i;
    }
    return bodies->list.count;
}

/* Puts a finished body into the world with the memory that steps with it will need; all or nothing. */
static rill_result enlist(rill_world *world, rill_body *body, rill_body_id *out) {
    rill_bodies *bodies = &world->bodies;
    const size_t index = next_slot(bodies);
    const bool again = index < bodies->list.count;
    if (!again && !rill_array_push(&bodies->list, &world->allocator, NULL))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a body's id");
    rill_body *slot = rill_body_at(bodies, (int32_t)index);
    body->generation = (uint16_t)(slot->generation + 1);
    body->alive = true;
    const rill_body before = *slot;
    *slot = *body;
    if (!rill_bodies_reserve(bodies, &world->flow, &world->allocator)) {
        body->shades = slot->shades;
        body->levels = slot->levels;
        *slot = before;
        bodies->list.count -= !again;
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for what a body of reach %g m covers",
                         body->form.reach);
    }
    bodies->free_slots -= again;
    bodies->alive += 1;
    *out = id_of(world, index, slot->generation);
    return RILL_OK;
}

rill_result rill_body_create(rill_world *world, const rill_body_def *def, rill_body_id *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = check_new(world, def);
    if (result) return result;
    rill_body body = { .name = rill_string_copy(&world->allocator, def->name),
                       .shades = rill_array_make(sizeof(rill_shade)),
                       .levels = rill_array_make(sizeof(float)) };
    if (!body.name) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a body's name");
    result = rill_body_form_make(def, &world->allocator, &body.form, world->note);
    if (!result) result = weigh(def, &body, world->note);
    if (!result) result = take_state(&def->state, &body.state, world->note);
    bool falls = true;
    for (int i = 0; i < 3; ++i) falls &= def->state.acceleration[i] == 0.0;
    for (int i = 0; falls && i < 3; ++i) body.state.acceleration[i] = world->def.gravity[i];
    const size_t columns = (size_t)world->bed.info.columns;
    int32_t *queue = result ? NULL : rill_alloc_zeroed(&world->allocator, columns, sizeof *queue);
    if (!result && !queue) result = rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory to make room for a body");
    rill_body_id id = { 0 };
    if (!result) result = enlist(world, &body, &id);
    if (!result) rill_world_insert_body(world, body_of(world, id), queue);
    rill_free(&world->allocator, queue, columns, sizeof *queue);
    if (result)
        drop(world, &body);
    else if (out)
        *out = id;
    return result;
}

rill_result rill_body_destroy(rill_world *world, rill_body_id id) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_body *body = body_of(world, id);
    if (!body) return RILL_INVALID_ID;
    drop(world, body);
    world->bodies.alive -= 1;
    if (world->bodies.alive == 0) rill_bodies_uncover(&world->bodies, &world->flow);
    rill_world_book_lost(world);
    if (body->generation < RILL_GENERATION_MAX) world->bodies.free_slots += 1;
    return RILL_OK;
}

void rill_world_free_bodies(rill_world *world) {
    for (size_t i = 0; i < world->bodies.list.count; ++i) drop(world, rill_body_at(&world->bodies, (int32_t)i));
    rill_bodies_free(&world->bodies, &world->allocator);
}

/* ------------------------------------------------------------------------------------------------------- in the bed */

rill_body_stage rill_world_body_stage(rill_world *world, const rill_flow_settings *settings,
                                      const rill_kernel_constants *constants, double dt, double gravity) {
    bool pours = false;
    for (size_t i = 0; i < world->sources.count; ++i) {
        const rill_source *source = (const rill_source *)world->sources.data + i;
        pours |= source->alive && !source->def.sink;
    }
    return (rill_body_stage){ .bodies = &world->bodies,
                              .flow = &world->flow,
                              .settings = settings,
                              .constants = constants,
                              .pipes_by_r = world->pipes_by_r,
                              .dt = dt,
                              .density = world->def.liquid.density,
                              .gravity = gravity,
                              .has_sources = pours || world->falls,
                              .runtime = &world->def.runtime,
                              .pool = world->pool };
}

rill_result rill_world_ready_bodies(rill_world *world) {
    rill_bodies *bodies = &world->bodies;
    if (bodies->alive == 0) return RILL_OK;
    if (!rill_bodies_reserve(bodies, &world->flow, &world->allocator))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for bodies over %lld columns",
                         (long long)world->bed.info.columns);
    world->flow.lifted = bodies->lifted;
    return RILL_OK;
}

void rill_world_forget_forces(rill_world *world) {
    rill_bodies *bodies = &world->bodies;
    for (size_t i = 0; i < bodies->list.count; ++i) rill_body_at(bodies, (int32_t)i)->forces = (rill_body_forces){ 0 };
}

void rill_world_cover(rill_world *world, bool fill) {
    if (world->bodies.alive == 0 || !rill_world_method(world)->layered) return; /* Kandemir's bodies displace nothing */
    rill_body_stage stage = rill_world_body_stage(world, NULL, NULL, 0.0, 0.0);
    stage.at_once = fill;
    stage.lag_left = 1.0;
    rill_bodies_cover(&stage);
    rill_world_book_lost(world);
}

bool rill_world_book_lost(rill_world *world) {
    const int64_t lost = world->bodies.lost;
    rill_book_change(world, RILL_BOOK_FILL, -lost);
    world->bodies.lost = 0;
    return lost > 0;
}
