/* Couples a world with a physics engine, the Open Dynamics Engine: a cork floats, a stone sinks and lies on the ground. */
#include <rill/rill.h>

#include <ode/ode.h>
#include <stdio.h>

static const double DT = 1.0 / 120, RADIUS = 0.05,
                    DENSITY[2] = { 240, 2600 }; /* s, m, kg/m3: of the cork and the stone */
static dWorldID engine;
static dJointGroupID contacts;

static void touch(void *user, dGeomID one, dGeomID other) { /* what touches is joined for one step */
    dContact c = { .surface = {
                       .mode = dContactSoftERP | dContactSoftCFM, .mu = 0.4, .soft_erp = 0.2, .soft_cfm = 1e-4 } };
    if (user == NULL && dCollide(one, other, 1, &c.geom, sizeof c) > 0)
        dJointAttach(dJointCreateContact(engine, contacts, &c), dGeomGetBody(one), dGeomGetBody(other));
}

static void tell(rill_world *world, rill_body_id id, dBodyID body, const double *before, const double *impulse,
                 double mass) {
    const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body), *v = dBodyGetLinearVel(body),
                *w = dBodyGetAngularVel(body);
    rill_body_state state = { .orientation = { q[1], q[2], q[3], q[0] } };
    for (int k = 0; k < 3; k++) {
        state.position[k] = p[k], state.velocity[k] = v[k], state.spin[k] = w[k];
        state.acceleration[k] = (v[k] - before[k] - impulse[k] / mass) / DT; /* by all but the liquid */
    }
    rill_body_set_state(world, id, &state);
}

int main(void) {
    rill_world *world;
    rill_solid_id ground;
    rill_body_id ids[2];
    rill_world_def def = rill_default_world_def();
    rill_solid_def plane = rill_default_solid_def();
    def.grid = (rill_grid){ .cells = { 50, 50 }, .cell_size = 0.01 };
    def.headroom = 0.5;
    def.liquid.viscosity = 1e-4; /* so that waves are gone soon */
    plane.shape = RILL_SHAPE_PLANE;
    if (rill_world_create(&def, &world, NULL) != RILL_OK || rill_solid_create(world, &plane, &ground) != RILL_OK ||
        rill_bed_build(world) != RILL_OK)
        return 1;
    dInitODE2(0);
    engine = dWorldCreate();
    contacts = dJointGroupCreate(0);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dWorldSetGravity(engine, 0, 0, -9.81);
    dCreatePlane(space, 0, 0, 1, 0);
    dBodyID bodies[2];
    rill_body_info info[2];
    for (int i = 0; i < 2; i++) {
        rill_body_def ball = rill_default_body_def();
        ball.radius = RADIUS;
        ball.density = DENSITY[i];
        ball.state.position[0] = ball.state.position[1] = 0.17 + 0.16 * i;
        ball.state.position[2] = 0.3;
        if (rill_body_create(world, &ball, &ids[i]) != RILL_OK ||
            rill_body_get_info(world, ids[i], &info[i]) != RILL_OK)
            return 1;
        const double *at = ball.state.position, *inertia = info[i].inertia;
        dMass mass;
        dMassSetParameters(&mass, info[i].mass, 0, 0, 0, inertia[0], inertia[1], inertia[2], 0, 0, 0);
        bodies[i] = dBodyCreate(engine);
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], at[0], at[1], at[2]);
        dGeomSetBody(dCreateSphere(space, RADIUS), bodies[i]);
    }
    rill_world_fill_level(world, (double[]){ 0.01, 0.01, 0.01 }, 0.15, NULL);
    for (int frame = 0; frame < 360; frame++) {
        rill_body_forces forces[2];
        double before[2][3];
        if (rill_world_step(world, DT) & RILL_STATUS_REFUSED) return 1;
        for (int i = 0; i < 2; i++) { /* the engine's bodies get what the liquid has done to them in this step ... */
            rill_body_get_forces(world, ids[i], &forces[i]);
            const double *f = forces[i].impulse, *t = forces[i].turn;
            for (int k = 0; k < 3; k++) before[i][k] = dBodyGetLinearVel(bodies[i])[k];
            dBodyAddForce(bodies[i], f[0] / DT, f[1] / DT, f[2] / DT);
            dBodyAddTorque(bodies[i], t[0] / DT, t[1] / DT, t[2] / DT);
        }
        dSpaceCollide(space, NULL, touch);
        dWorldStep(engine, DT);
        dJointGroupEmpty(contacts);
        for (int i = 0; i < 2; i++)
            tell(world, ids[i], bodies[i], before[i], forces[i].impulse,
                 info[i].mass); /* ... and tell where they are */
    }
    const double cork = dBodyGetPosition(bodies[0])[2], stone = dBodyGetPosition(bodies[1])[2];
    printf("after 3 s the cork is %.0f mm above the ground, the stone %.0f mm\n", 1e3 * cork, 1e3 * stone);
    dSpaceDestroy(space);
    dWorldDestroy(engine);
    dCloseODE();
    rill_world_destroy(world);
    return cork > 0.15 && stone > 0.98 * RADIUS && stone < 1.02 * RADIUS ? 0 : 1;
}
