/* Contacts: friction, little bounce, and a softness that does not depend on scale.
 *
 * The engine holds n.v = (erp / h) depth - cfm * force in a contact, with sub-step h. A thing at rest that presses with
 * its weight sinks in until both sides are zero: depth = cfm h m g / erp. From that depth, a small part of the smallest
 * body, cfm follows for the lighter of both bodies. Russell Smith, ODE manual, "Soft constraint: ERP and CFM". */
#include <math.h>

#include "physics_internal.h"

static const double FRICTION = 0.4;    /* wet */
static const double BOUNCE = 0.15;     /* part of the speed that comes back ... */
static const double BOUNCE_FROM = 0.1; /* ... above so many m/s */
static const double ERP = 0.2;         /* part of the depth that a sub-step takes back */
static const double SINKING = 2e-3;    /* of the size of the smallest body, under its own weight */
static const double ROLLING = 0.01;    /* of that size: arm of the force that brakes what rolls */
enum { PAIR_CONTACTS = 24 };

/* Of the lighter one, in the engine's units. */
static double lighter(const rill_physics_body *a, const rill_physics_body *b, double weight) {
    double mass = a->kinematic ? (double)INFINITY : a->info.mass;
    if (b && !b->kinematic) mass = fmin(mass, b->info.mass);
    return mass / weight;
}

/* The surface of a solid may move: what touches it is carried along. */
static void carry(const rill_physics *physics, const rill_physics_solid *solid, dContact *contact) {
    const dReal *n = contact->geom.normal, *at = contact->geom.pos;
    double arm[3], speed[3], along[3], across[3];
    for (int i = 0; i < 3; ++i) arm[i] = at[i] * physics->unit - solid->translate[i];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        speed[i] = (solid->velocity[i] + solid->angular_velocity[j] * arm[k] - solid->angular_velocity[k] * arm[j]) /
                   physics->unit;
    }
    dVector3 first, second;
    dPlaneSpace(n, first, second);
    for (int i = 0; i < 3; ++i) along[i] = contact->fdir1[i] = first[i];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        across[i] = n[j] * along[k] - n[k] * along[j];
    }
    contact->surface.mode |= dContactMotionN | dContactMotion1 | dContactMotion2 | dContactFDir1;
    contact->surface.motionN = n[0] * speed[0] + n[1] * speed[1] + n[2] * speed[2];
    contact->surface.motion1 = along[0] * speed[0] + along[1] * speed[1] + along[2] * speed[2];
    contact->surface.motion2 = across[0] * speed[0] + across[1] * speed[1] + across[2] * speed[2];
}

static dSurfaceParameters surface_of(const rill_physics *physics, const rill_physics_body *a,
                                     const rill_physics_body *b) {
    dVector3 gravity;
    dWorldGetGravity(physics->engine, gravity);
    double g = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    double weight = lighter(a, b, physics->weight) * g;
    dSurfaceParameters surface = { .mode = dContactBounce | dContactSoftERP | dContactSoftCFM | dContactApprox1,
                                   .mu = FRICTION,
                                   .bounce = BOUNCE,
                                   .bounce_vel = BOUNCE_FROM / physics->unit,
                                   .soft_erp = ERP };
    surface.soft_cfm = weight > 0 ? SINKING * ERP / (physics->sub_step * weight) : 1e-9;
    if (a->round || (b && b->round)) {
        surface.mode |= dContactRolling;
        surface.rho = surface.rho2 = surface.rhoN = ROLLING;
    }
    return surface;
}

/* The thing that is touched decides how near a body comes to it. */
static void stay_along(rill_physics_body *body, const dReal n[3]) {
    double towards = body->detour[0] * n[0] + body->detour[1] * n[1] + body->detour[2] * n[2];
    for (int i = 0; i < 3; ++i) body->detour[i] -= towards * n[i];
}

/* `one` is the shape of a body that can be pushed, `other` that of anything. */
static void join(rill_physics *physics, dGeomID one, dGeomID other) {
    dContact contacts[PAIR_CONTACTS];
    rill_physics_body *a = dGeomGetData(one);
    dBodyID other_body = dGeomGetBody(other);
    rill_physics_body *b = other_body ? dGeomGetData(other) : NULL;
    const rill_physics_solid *solid = other_body ? NULL : dGeomGetData(other); /* NULL: an edge of the grid */
    int count = dCollide(one, other, PAIR_CONTACTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; ++i) {
        contacts[i].surface = surface_of(physics, a, b);
        stay_along(a, contacts[i].geom.normal);
        if (b) stay_along(b, contacts[i].geom.normal);
        if (solid) carry(physics, solid, &contacts[i]);
        dJointID joint = dJointCreateContact(physics->engine, physics->contacts, &contacts[i]);
        dJointAttach(joint, a->body, other_body);
    }
    a->touched |= count > 0;
    if (b) b->touched |= count > 0;
}

static bool overlap(const dReal a[6], const dReal b[6]) {
    return a[0] <= b[1] && b[0] <= a[1] && a[2] <= b[3] && b[2] <= a[3] && a[4] <= b[5] && b[4] <= a[5];
}

static void meet(rill_physics *physics, dGeomID one, const dReal box[6], dGeomID other) {
    dReal others[6];
    if (other) {
        dGeomGetAABB(other, others);
        if (overlap(box, others)) join(physics, one, other);
    }
}

/* In the order of the world's things and not that of the engine's spaces, which depends on the past: contacts are
 * solved in the order in which they are found. */
void rill_physics_touch(rill_physics *physics) {
    for (size_t i = 0; i < physics->body_count; ++i) {
        const rill_physics_body *body = &physics->bodies[i];
        dReal box[6];
        if (body->gone) continue;
        dGeomGetAABB(body->geom.id, box);
        for (size_t j = i + 1; j < physics->body_count; ++j) {
            const rill_physics_body *other = &physics->bodies[j];
            if (!other->gone && !body->kinematic) {
                meet(physics, body->geom.id, box, other->geom.id);
            } else if (!other->gone && !other->kinematic) {
                dReal others[6];
                dGeomGetAABB(other->geom.id, others);
                meet(physics, other->geom.id, others, body->geom.id);
            }
        }
        for (size_t j = 0; j < physics->solid_count && !body->kinematic; ++j)
            meet(physics, body->geom.id, box, physics->solids[j].geom.id);
        for (int j = 0; j < 4 && !body->kinematic; ++j) meet(physics, body->geom.id, box, physics->walls[j]);
    }
}
