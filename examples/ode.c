/* Couples a world with a physics engine, the Open Dynamics Engine: a ball lies in a puddle, then floats in a pond. */
#include <rill/rill.h>

#include <ode/ode.h>
#include <stdio.h>

static const double DT = 1.0 / 120, RADIUS = 0.05, DENSITY = 600; /* s, m, kg/m3 */
static dWorldID engine;
static dJointGroupID contacts;

static void touch(void *user, dGeomID one, dGeomID other) { /* what touches is joined for one step of the engine */
    dContact contact = { .surface = { .mode = dContactSoftCFM, .mu = 0.4, .soft_cfm = 1e-4 } };
    if (!user && dCollide(one, other, 1, &contact.geom, sizeof contact) > 0)
        dJointAttach(dJointCreateContact(engine, contacts, &contact), dGeomGetBody(one), dGeomGetBody(other));
}

int main(void) {
    rill_world *world;
    rill_solid_id ground;
    rill_body_id id;
    rill_world_def def = rill_default_world_def();
    rill_solid_def plane = { .shape = { .type = RILL_SHAPE_PLANE, .axis = { 0, 0, 1 } }, .scale = 1 };
    rill_body_def ball = { .shape = { .type = RILL_SHAPE_SPHERE, .radius = RADIUS },
                           .density = DENSITY,
                           .drag = 1,
                           .state = { { .2, .2, .06 }, { [3] = 1 } } };
    def.grid = (rill_grid){ .cells = { 40, 40 }, .cell_size = 0.01 };
    def.headroom = 0.5;
    if (rill_world_create(&def, &world, NULL) || rill_solid_create(world, &plane, &ground)) return 1;
    if (rill_bed_build(world) || rill_body_create(world, &ball, &id) || !dInitODE2(0)) return 1;
    dMass mass;
    dMassSetSphere(&mass, DENSITY, RADIUS);
    engine = dWorldCreate(), contacts = dJointGroupCreate(0);
    dWorldSetGravity(engine, 0, 0, -9.81);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dBodyID body = dBodyCreate(engine);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, .2, .2, .06);
    dGeomSetBody(dCreateSphere(space, RADIUS), body);
    dCreatePlane(space, 0, 0, 1, 0);
    rill_body_state state;
    for (int step = 0; step < 480; ++step) {
        if (step % 240 == 0) rill_world_fill_level(world, (double[]){ .01, .01, .01 }, step ? .15 : .03, NULL);
        if (rill_world_step(world, DT) != RILL_OK) return 1;
        rill_body_forces f; /* what the liquid has done to it: the engine's ball gets that */
        if (rill_body_get_state(world, id, &state) || rill_body_get_forces(world, id, &f)) return 1;
        dBodyAddForce(body, f.impulse[0] / DT, f.impulse[1] / DT, f.impulse[2] / DT);
        dBodyAddTorque(body, f.angular_impulse[0] / DT, f.angular_impulse[1] / DT, f.angular_impulse[2] / DT);
        dSpaceCollide(space, NULL, touch), dWorldStep(engine, DT), dJointGroupEmpty(contacts);
        const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body), *v = dBodyGetLinearVel(body);
        for (int k = 0; k < 3; ++k) { /* where it is now, and what else has pushed it */
            state.acceleration[k] += (v[k] - state.velocity[k]) / DT;
            state.position[k] = p[k], state.velocity[k] = v[k], state.angular_velocity[k] = dBodyGetAngularVel(body)[k];
            state.orientation[k] = q[k + 1], state.orientation[3] = q[0];
        }
        rill_body_set_state(world, id, &state);
        if (step == 239 && !(p[2] > 0.98 * RADIUS && p[2] < 1.02 * RADIUS)) return 1;
        if (step % 240 == 239) printf("the middle of the ball is %.0f mm above the ground\n", 1e3 * p[2]);
    }
    dSpaceDestroy(space), dWorldDestroy(engine), dJointGroupDestroy(contacts), dCloseODE();
    rill_world_destroy(world);
    return state.position[2] > 0.12 ? 0 : 1;
}
