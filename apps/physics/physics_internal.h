/* Shared by the files of the coupling.
 *
 * Units. The engine's tolerances are made for things of about a metre and a kilogram; here they have grams and
 * millimetres. So its lengths are counted in `unit` and its masses in `weight`, those of the smallest and the lightest
 * body; seconds stay. */
#ifndef RILL_PHYSICS_PHYSICS_INTERNAL_H
#define RILL_PHYSICS_PHYSICS_INTERNAL_H

#include <ode/ode.h>

#include "physics.h"

/* A shape in the engine, and the arrays that it points into. */
typedef struct rill_geom {
    dGeomID id; /* NULL: none */
    dTriMeshDataID mesh;
    dHeightfieldDataID heights;
    double *points, *planes;
    unsigned *faces;
} rill_geom;

typedef struct rill_physics_body {
    rill_body_id id;
    rill_body_info info; /* what it was made from */
    dBodyID body;
    rill_geom geom;
    bool kinematic, round;   /* it cannot be pushed; it rolls */
    bool touched;            /* by anything, in this step */
    bool gone;               /* it has left the scene for good */
    rill_body_state before;  /* as the step found it */
    rill_body_state after;   /* and as the library has left it */
    rill_body_forces forces; /* of the liquid, in this step */
    double detour[3];        /* m, along what it touches: how far it came besides what these forces tell */
} rill_physics_body;

typedef struct rill_physics_solid {
    rill_solid_id id;
    const rill_scene_solid *source; /* NULL: only its triangles are known */
    bool visible;
    double translate[3], rotate[3];          /* where it was when its shape was made */
    double velocity[3], angular_velocity[3]; /* m/s, rad/s about `translate`: how it moves in this step */
    rill_geom geom;
} rill_physics_solid;

struct rill_physics {
    const rill_scene *scene;
    rill_world *world;
    dWorldID engine;  /* NULL as long as there are no bodies */
    dGeomID walls[4]; /* at the edges of the grid; NULL where there is none */
    dJointGroupID contacts;
    double unit, weight; /* m, kg: half the width of the smallest body, the mass of the lightest */
    double sub_step;     /* s, the present one */
    rill_physics_body *bodies;
    size_t body_count;
    rill_physics_solid *solids;
    size_t solid_count;
};

/* Shapes: false when there is no memory. physics_shapes.c */
bool rill_geom_of_body(rill_physics *physics, const rill_body_info *info, rill_geom *out);
bool rill_geom_of_solid(rill_physics *physics, const rill_physics_solid *solid, rill_geom *out);
void rill_geom_free(rill_geom *geom);

/* Make the engine know the bodies and solids that the world has now. RILL_OUT_OF_MEMORY, or what the world said.
 * physics_things.c */
rill_result rill_physics_meet_bodies(rill_physics *physics);
rill_result rill_physics_meet_solids(rill_physics *physics, double dt);
void rill_physics_forget(rill_physics *physics);

/* Finds what touches, and joins it for the present sub-step. physics_contacts.c */
void rill_physics_touch(rill_physics *physics);

#endif
