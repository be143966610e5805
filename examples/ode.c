/* Couples a world with a physics engine, the Open Dynamics Engine: a ball lies in a puddle, and floats in a pond. */
#include <rill/rill.h>

#include <ode/ode.h>
#include <stdio.h>

static const double DT = 1.0 / 120, RADIUS = 0.05, DENSITY = 600; /* s, m, kg/m3 */
static const rill_body_state START = { .position = { 0.25, 0.25, 0.06 }, .orientation = { 0, 0, 0, 1 } };
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
    rill_solid_def plane = { .shape = RILL_SHAPE_PLANE, .axis = { 0, 0, 1 }, .scale = 1 };
    rill_body_def ball = { .radius = RADIUS, .density = DENSITY, .drag = 1, .state = START };
    def.grid = (rill_grid){ .cells = { 50, 50 }, .cell_size = 0.01 };
    def.headroom = 0.5;
    if (rill_world_create(&def, &world, NULL) || rill_solid_create(world, &plane, &ground) || rill_bed_build(world) ||
        rill_body_create(world, &ball, &id))
        return 1;
    dInitODE2(0);
    engine = dWorldCreate();
    contacts = dJointGroupCreate(0);
    dWorldSetGravity(engine, 0, 0, -9.81);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dBodyID body = dBodyCreate(engine);
    dMass mass;
    dMassSetSphere(&mass, DENSITY, RADIUS);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, START.position[0], START.position[1], START.position[2]);
    dGeomSetBody(dCreateSphere(space, RADIUS), body);
    dCreatePlane(space, 0, 0, 1, 0);
    double height[2] = { 0 }; /* at the end of each half */
    for (int step = 0; step < 480; step++) {
        rill_body_state state;
        rill_body_forces f;
        if (step % 240 == 0) rill_world_fill_level(world, (double[]){ 0.01, 0.01, 0.01 }, step ? 0.15 : 0.03, NULL);
        if (rill_world_step(world, DT) & RILL_STATUS_REFUSED) return 1;
        rill_body_get_state(world, id, &state);
        rill_body_get_forces(world, id, &f); /* what the liquid has done to it: the engine's ball gets that */
        dBodyAddForce(body, f.impulse[0] / DT, f.impulse[1] / DT, f.impulse[2] / DT);
        dBodyAddTorque(body, f.turn[0] / DT, f.turn[1] / DT, f.turn[2] / DT);
        dSpaceCollide(space, NULL, touch);
        dWorldStep(engine, DT);
        dJointGroupEmpty(contacts);
        const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body), *v = dBodyGetLinearVel(body);
        for (int k = 0; k < 3; k++) { /* where it is now, and what else has pushed it */
            state.acceleration[k] += (v[k] - state.velocity[k]) / DT;
            state.position[k] = p[k], state.velocity[k] = v[k], state.spin[k] = dBodyGetAngularVel(body)[k];
            state.orientation[k] = q[k + 1], state.orientation[3] = q[0];
        }
        rill_body_set_state(world, id, &state);
        height[step / 240] = p[2];
    }
    rill_world_destroy(world);
    printf("the middle of the ball was %.0f mm above the ground, then %.0f mm\n", 1e3 * height[0], 1e3 * height[1]);
    return height[0] > 0.98 * RADIUS && height[0] < 1.02 * RADIUS && height[1] > 0.12 ? 0 : 1;
}
