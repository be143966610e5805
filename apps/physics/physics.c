/* The step: liquid first, then the engine, which gets what the liquid has done and adds contacts.
 *
 * A body that touches nothing keeps the state that the library found for it, to the bit. One that touches something
 * gets the engine's, and as `acceleration` all that changed its velocity besides the liquid: nothing for a thing that
 * rests on dry ground, minus its buoyancy for one that rests under water. An impact is no acceleration that lasts: what
 * exceeds two g of the body and the liquid in its place is replaced by gravity.
 *
 * Liquid does not push steadily, as the engine does with what it gets. Along what a body touches it comes as much
 * farther than that would take it as it did in the library: were it put elsewhere, all liquid around it would have to
 * make room at once, which throws what is light to and fro.
 *
 * The engine makes sub-steps so short that a thing does not fall or fly far, measured by its own size, in one of
 * them. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "physics_internal.h"

static const double FALL = 0.02;   /* of the size of the smallest body, from rest in a sub-step */
static const double FLIGHT = 0.25; /* the same, at the speed it has */
static const double MOST_SUB_STEPS = 64;
static const double FAR = 1;      /* grids: what has fallen this deep below the bed will not come back */
static const double LASTING = 2;  /* g */
static const double DETOUR = 0.1; /* of the size of the smallest body: beyond that, contacts know better */
enum { SEED = 1 };

bool rill_physics_has_contacts(void) {
    return true;
}

/* ------------------------------------------------------------------------------------------------------- beginning */

/* Drops messages of the engine (that a hash table is full): they help nobody here. */
static void say_nothing(int number, const char *text, va_list list) {
    (void)number;
    (void)text;
    (void)list;
}

static void start_engine(void) {
    dInitODE2(0);
    dSetMessageHandler(say_nothing);
    atexit(dCloseODE);
}

/* Each thread that looks for contacts has working memory of its own. */
static bool ready_thread(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_engine);
    return dAllocateODEDataForThread((unsigned)dAllocateMaskAll) != 0;
}

rill_physics *rill_physics_create(const rill_scene *scene, rill_world *world) {
    rill_physics *physics = calloc(1, sizeof *physics);
    if (physics) {
        physics->scene = scene;
        physics->world = world;
    }
    return physics;
}

void rill_physics_destroy(rill_physics *physics) {
    if (physics) {
        rill_physics_forget(physics);
        free(physics);
    }
}

/* ---------------------------------------------------------------------------------------------------------- states */

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool has_gone(const rill_physics *physics, const rill_body_state *state) {
    const rill_grid *grid = &physics->scene->world.grid;
    rill_bed_info info;
    double reach = FAR * grid->cell_size * fmax(grid->cells[0], grid->cells[1]);
    return rill_bed_get_info(physics->world, &info) == RILL_OK && state->position[2] < info.lowest - reach;
}

static rill_result remember(rill_physics *physics) {
    rill_result result = RILL_OK;
    for (size_t i = 0; i < physics->body_count && result == RILL_OK; ++i) {
        rill_physics_body *body = &physics->bodies[i];
        result = rill_body_get_state(physics->world, body->id, &body->before);
        body->touched = false;
        body->gone = !body->kinematic && has_gone(physics, &body->before);
    }
    return result;
}

/* In the engine's sub-steps a body moves with the velocity that it has at the end of each. */
static void find_detour(const rill_physics *physics, rill_physics_body *body, double dt) {
    const rill_body_state *before = &body->before;
    for (int i = 0; i < 3; ++i) {
        double faster = before->acceleration[i] * dt + body->forces.impulse[i] / body->info.mass;
        double steady = before->position[i] + dt * before->velocity[i] + 0.5 * (dt + physics->sub_step) * faster;
        body->detour[i] = body->kinematic ? 0 : body->after.position[i] - steady;
    }
    double scale = fmin(1, DETOUR * physics->unit / fmax(length(body->detour), 1e-300));
    for (int i = 0; i < 3; ++i) body->detour[i] *= scale;
}

/* The engine's body where the step began. */
static void place(const rill_physics *physics, const rill_physics_body *body, const rill_body_state *state) {
    const double one = 1 / physics->unit, *p = state->position, *q = state->orientation;
    const double *v = state->velocity, *w = state->angular_velocity;
    dBodySetPosition(body->body, p[0] * one, p[1] * one, p[2] * one);
    dBodySetQuaternion(body->body, (const dReal[4]){ q[3], q[0], q[1], q[2] });
    dBodySetLinearVel(body->body, v[0] * one, v[1] * one, v[2] * one);
    dBodySetAngularVel(body->body, w[0], w[1], w[2]);
    if (body->gone)
        dBodyDisable(body->body);
    else
        dBodyEnable(body->body);
}

static void push(const rill_physics *physics, const rill_physics_body *body, double dt) {
    const double *impulse = body->forces.impulse, *turn = body->forces.angular_impulse;
    const double force = 1 / (dt * physics->weight * physics->unit), torque = force / physics->unit;
    if (!body->kinematic && !body->gone) {
        dBodyAddForce(body->body, impulse[0] * force, impulse[1] * force, impulse[2] * force);
        dBodyAddTorque(body->body, turn[0] * torque, turn[1] * torque, turn[2] * torque);
    }
}

/* Takes over what the engine made of a body that touches something. */
static void read_back(const rill_physics *physics, const rill_physics_body *body, const double gravity[3], double dt,
                      rill_body_state *out) {
    const dReal *p = dBodyGetPosition(body->body), *q = dBodyGetQuaternion(body->body);
    const dReal *v = dBodyGetLinearVel(body->body), *w = dBodyGetAngularVel(body->body);
    for (int i = 0; i < 3; ++i) {
        out->position[i] = p[i] * physics->unit + body->detour[i];
        out->orientation[i] = q[i + 1];
        out->velocity[i] = v[i] * physics->unit;
        out->angular_velocity[i] = w[i];
        out->acceleration[i] =
            (out->velocity[i] - body->before.velocity[i] - body->forces.impulse[i] / body->info.mass) / dt;
    }
    out->orientation[3] = q[0];
    rill_liquid liquid;
    rill_world_get_liquid(physics->world, &liquid);
    double most = LASTING * length(gravity) * (1 + liquid.density * body->forces.submerged_volume / body->info.mass);
    if (!(length(out->acceleration) <= most)) memcpy(out->acceleration, gravity, sizeof out->acceleration);
}

static bool is_finite(const rill_body_state *state) {
    return isfinite(length(state->position) + length(state->velocity) + length(state->angular_velocity));
}

static rill_result tell(const rill_physics *physics, const rill_physics_body *body, const double gravity[3],
                        double dt) {
    rill_body_state state = body->after;
    if (body->kinematic) return RILL_OK;
    if (body->gone) {
        state = body->before;
        memset(state.velocity, 0, sizeof state.velocity);
        memset(state.angular_velocity, 0, sizeof state.angular_velocity);
        memset(state.acceleration, 0, sizeof state.acceleration);
    } else {
        rill_body_state found = state;
        memcpy(state.acceleration, gravity, sizeof state.acceleration);
        if (body->touched) {
            read_back(physics, body, gravity, dt, &found);
            state = is_finite(&found) ? found : state;
        }
    }
    return rill_body_set_state(physics->world, body->id, &state);
}

/* ------------------------------------------------------------------------------------------------------------ step */

static int sub_steps(const rill_physics *physics, double gravity, double dt) {
    double speed = 0;
    for (size_t i = 0; i < physics->body_count; ++i) {
        const rill_physics_body *body = &physics->bodies[i];
        speed = body->gone ? speed : fmax(speed, length(body->before.velocity));
    }
    double by_fall = dt * sqrt(gravity / (2 * FALL * physics->unit));
    double by_flight = speed * dt / (FLIGHT * physics->unit);
    return (int)fmin(ceil(fmax(fmax(by_fall, by_flight), 1)), MOST_SUB_STEPS);
}

/* From where bodies were before the step to where contacts let them be after it. */
static void run_engine(rill_physics *physics, const double gravity[3], double dt) {
    int count = sub_steps(physics, length(gravity), dt);
    physics->sub_step = dt / count;
    dWorldSetGravity(physics->engine, gravity[0] / physics->unit, gravity[1] / physics->unit,
                     gravity[2] / physics->unit);
    for (size_t i = 0; i < physics->body_count; ++i) {
        place(physics, &physics->bodies[i], &physics->bodies[i].before);
        find_detour(physics, &physics->bodies[i], dt);
    }
    for (int k = 0; k < count; ++k) {
        for (size_t i = 0; i < physics->body_count; ++i) push(physics, &physics->bodies[i], dt);
        rill_physics_touch(physics);
        dRandSetSeed(SEED); /* its solver shuffles */
        dWorldQuickStep(physics->engine, physics->sub_step);
        dJointGroupEmpty(physics->contacts);
    }
}

/* Gives the engine what the liquid has done. Keys give kinematic bodies their motion only when the step begins. */
static rill_result look(rill_physics *physics) {
    rill_result result = RILL_OK;
    for (size_t i = 0; i < physics->body_count && result == RILL_OK; ++i) {
        rill_physics_body *body = &physics->bodies[i];
        result = rill_body_get_forces(physics->world, body->id, &body->forces);
        result = result == RILL_OK ? rill_body_get_state(physics->world, body->id, &body->after) : result;
        if (body->kinematic) {
            memcpy(body->before.velocity, body->after.velocity, sizeof body->after.velocity);
            memcpy(body->before.angular_velocity, body->after.angular_velocity, sizeof body->after.angular_velocity);
        }
    }
    return result;
}

static rill_result add_contacts(rill_physics *physics, double dt) {
    double gravity[3];
    rill_result result = rill_world_get_gravity(physics->world, gravity);
    result = result == RILL_OK ? look(physics) : result;
    if (result == RILL_OK) run_engine(physics, gravity, dt);
    for (size_t i = 0; i < physics->body_count && result == RILL_OK; ++i)
        result = tell(physics, &physics->bodies[i], gravity, dt);
    return result;
}

rill_result rill_physics_step(rill_physics *physics, double dt, rill_status *status) {
    if (rill_world_body_count(physics->world) == 0) return rill_scene_step(physics->scene, physics->world, dt, status);
    if (!ready_thread()) return RILL_OUT_OF_MEMORY;
    rill_result result = rill_physics_meet_bodies(physics);
    result = result == RILL_OK ? remember(physics) : result;
    result = result == RILL_OK ? rill_scene_step(physics->scene, physics->world, dt, status) : result;
    result = result == RILL_OK ? rill_physics_meet_solids(physics, dt) : result;
    return result == RILL_OK ? add_contacts(physics, dt) : result;
}
