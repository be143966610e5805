/* Which bodies and solids the world has, and what the engine knows of them. Looked at in every step, because anybody
 * may have added, moved or removed something. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics_internal.h"
#include "scene/turn.h"

static const double JUMP = 20; /* cells: a solid that goes farther in a step was put there and did not move */

static const double LAYER = 1e-3; /* of the smallest body: so deep things may touch, so that they do not lose touch */
enum { ITERATIONS = 40 };

/* ---------------------------------------------------------------------------------------------------------- engine */

static void forget_bodies(rill_physics *physics) {
    for (size_t i = 0; i < physics->body_count; ++i) {
        rill_geom_free(&physics->bodies[i].geom);
        if (physics->bodies[i].body) dBodyDestroy(physics->bodies[i].body);
    }
    free(physics->bodies);
    physics->bodies = NULL;
    physics->body_count = 0;
}

static void forget_solids(rill_physics *physics) {
    for (size_t i = 0; i < physics->solid_count; ++i) rill_geom_free(&physics->solids[i].geom);
    free(physics->solids);
    physics->solids = NULL;
    physics->solid_count = 0;
}

void rill_physics_forget(rill_physics *physics) {
    forget_bodies(physics);
    forget_solids(physics);
    if (physics->engine) {
        dJointGroupDestroy(physics->contacts);
        for (int i = 0; i < 4; ++i) {
            if (physics->walls[i]) dGeomDestroy(physics->walls[i]);
            physics->walls[i] = NULL;
        }
        dWorldDestroy(physics->engine);
    }
    physics->engine = NULL;
}

/* An upright wall where liquid meets one at an edge of the grid. */
static void add_walls(rill_physics *physics) {
    const rill_world_def *def = &physics->scene->world;
    for (int side = 0; side < 4; ++side) {
        int axis = side / 2, far = side % 2;
        double normal[2] = { 0, 0 };
        double place = def->grid.origin[axis] + (far ? def->grid.cells[axis] * def->grid.cell_size : 0);
        normal[axis] = far ? -1 : 1;
        if (def->edges[side].kind == RILL_EDGE_WALL)
            physics->walls[side] = dCreatePlane(NULL, normal[0], normal[1], 0, (far ? -place : place) / physics->unit);
    }
}

static void begin(rill_physics *physics) {
    physics->engine = dWorldCreate();
    physics->contacts = dJointGroupCreate(0);
    dWorldSetQuickStepNumIterations(physics->engine, ITERATIONS);
    dWorldSetContactSurfaceLayer(physics->engine, LAYER);
    add_walls(physics);
}

/* ---------------------------------------------------------------------------------------------------------- bodies */

static bool is_same(const rill_body_info *a, const rill_body_info *b) {
    return a->mass == b->mass && a->shape == b->shape && a->radius == b->radius && a->length == b->length &&
           a->vertices == b->vertices && a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->size, b->size, sizeof a->size) == 0 && memcmp(a->inertia, b->inertia, sizeof a->inertia) == 0;
}

/* Tells whether the engine has exactly the bodies that the world has. */
static bool knows_bodies(const rill_physics *physics) {
    int32_t count = rill_world_body_count(physics->world);
    bool same = physics->engine && physics->body_count == (size_t)count;
    for (int32_t i = 0; i < count && same; ++i) {
        rill_body_info info;
        rill_body_id id = rill_world_body_at(physics->world, i);
        same = id.value == physics->bodies[i].id.value && rill_body_get_info(physics->world, id, &info) == RILL_OK &&
               is_same(&info, &physics->bodies[i].info);
    }
    return same;
}

static rill_result list_bodies(rill_physics *physics) {
    size_t count = (size_t)rill_world_body_count(physics->world);
    rill_result result = RILL_OK;
    physics->bodies = calloc(count ? count : 1, sizeof *physics->bodies);
    if (!physics->bodies) return RILL_OUT_OF_MEMORY;
    physics->body_count = count;
    physics->unit = physics->weight = (double)INFINITY;
    for (size_t i = 0; i < count && result == RILL_OK; ++i) {
        rill_physics_body *body = &physics->bodies[i];
        body->id = rill_world_body_at(physics->world, (int32_t)i);
        result = rill_body_get_info(physics->world, body->id, &body->info);
        body->kinematic = isinf(body->info.mass);
        body->round = body->info.shape == RILL_SHAPE_SPHERE || body->info.shape == RILL_SHAPE_CAPSULE ||
                      body->info.shape == RILL_SHAPE_CYLINDER;
        if (result == RILL_OK && !body->kinematic) {
            physics->unit = fmin(physics->unit, 0.5 * cbrt(body->info.volume));
            physics->weight = fmin(physics->weight, body->info.mass);
        }
    }
    physics->unit = isinf(physics->unit) ? 1 : physics->unit; /* nothing can be pushed */
    physics->weight = isinf(physics->weight) ? 1 : physics->weight;
    return result;
}

static bool make_body(rill_physics *physics, rill_physics_body *body) {
    const rill_body_info *info = &body->info;
    const double *i = info->inertia, square = physics->weight * physics->unit * physics->unit;
    body->body = dBodyCreate(physics->engine);
    if (body->kinematic) {
        dBodySetKinematic(body->body);
    } else {
        dMass mass;
        dMassSetParameters(&mass, info->mass / physics->weight, 0, 0, 0, i[0] / square, i[1] / square, i[2] / square,
                           i[3] / square, i[4] / square, i[5] / square);
        dBodySetMass(body->body, &mass);
    }
    /* Its explicit gyroscopic torque is not stable for thin things that spin. */
    dBodySetGyroscopicMode(body->body, 0);
    if (!rill_geom_of_body(physics, info, &body->geom)) return false;
    dGeomSetBody(body->geom.id, body->body);
    dGeomSetData(body->geom.id, body);
    return true;
}

rill_result rill_physics_meet_bodies(rill_physics *physics) {
    if (knows_bodies(physics)) return RILL_OK;
    rill_physics_forget(physics); /* units follow from bodies, so solids are made anew as well */
    rill_result result = list_bodies(physics);
    if (result == RILL_OK) begin(physics);
    for (size_t i = 0; i < physics->body_count && result == RILL_OK; ++i)
        result = make_body(physics, &physics->bodies[i]) ? RILL_OK : RILL_OUT_OF_MEMORY;
    if (result != RILL_OK) rill_physics_forget(physics);
    return result;
}

/* ---------------------------------------------------------------------------------------------------------- solids */

static const rill_scene_solid *source_of(const rill_physics *physics, rill_solid_id id) {
    const char *name = rill_solid_name(physics->world, id);
    for (size_t i = 0; name && i < physics->scene->solid_count; ++i)
        if (strcmp(physics->scene->solids[i].def.name, name) == 0) return &physics->scene->solids[i];
    return NULL;
}

static rill_result list_solids(rill_physics *physics) {
    size_t count = (size_t)rill_world_solid_count(physics->world);
    bool same = physics->solids && count == physics->solid_count;
    for (size_t i = 0; i < count && same; ++i)
        same = physics->solids[i].id.value == rill_world_solid_at(physics->world, (int32_t)i).value;
    if (same) return RILL_OK;
    forget_solids(physics);
    physics->solids = calloc(count ? count : 1, sizeof *physics->solids);
    if (!physics->solids) return RILL_OUT_OF_MEMORY;
    physics->solid_count = count;
    for (size_t i = 0; i < count; ++i) {
        physics->solids[i].id = rill_world_solid_at(physics->world, (int32_t)i);
        physics->solids[i].source = source_of(physics, physics->solids[i].id);
    }
    return RILL_OK;
}

/* How a solid got to its new pose in a step. */
static void find_motion(const rill_physics *physics, rill_physics_solid *solid, const double translate[3],
                        const double rotate[3], double dt) {
    double from[4], to[4], far = 0;
    rill_turn_of(solid->rotate, from);
    rill_turn_of(rotate, to);
    rill_turn_angular_velocity(from, to, dt, solid->angular_velocity);
    for (int i = 0; i < 3; ++i) {
        far = fmax(far, fabs(translate[i] - solid->translate[i]));
        solid->velocity[i] = (translate[i] - solid->translate[i]) / dt;
    }
    if (far > JUMP * physics->scene->world.grid.cell_size) {
        memset(solid->velocity, 0, sizeof solid->velocity);
        memset(solid->angular_velocity, 0, sizeof solid->angular_velocity);
    }
}

static rill_result meet_solid(rill_physics *physics, rill_physics_solid *solid, double dt) {
    double translate[3], rotate[3];
    rill_result result = rill_solid_get_pose(physics->world, solid->id, translate, rotate);
    if (result != RILL_OK) return result;
    bool visible = rill_solid_is_visible(physics->world, solid->id), known = solid->geom.id != NULL;
    bool moved =
        memcmp(translate, solid->translate, sizeof translate) != 0 || memcmp(rotate, solid->rotate, sizeof rotate) != 0;
    bool soft = solid->source && solid->source->morph_count;
    memset(solid->velocity, 0, sizeof solid->velocity);
    memset(solid->angular_velocity, 0, sizeof solid->angular_velocity);
    if (known && moved && visible) find_motion(physics, solid, translate, rotate, dt);
    memcpy(solid->translate, translate, sizeof translate);
    memcpy(solid->rotate, rotate, sizeof rotate);
    if (visible == solid->visible && !moved && !soft && (known || !visible)) return RILL_OK;
    rill_geom_free(&solid->geom);
    solid->visible = visible;
    if (visible && !rill_geom_of_solid(physics, solid, &solid->geom)) return RILL_OUT_OF_MEMORY;
    if (solid->geom.id) dGeomSetData(solid->geom.id, solid);
    return RILL_OK;
}

rill_result rill_physics_meet_solids(rill_physics *physics, double dt) {
    rill_result result = list_solids(physics);
    for (size_t i = 0; i < physics->solid_count && result == RILL_OK; ++i)
        result = meet_solid(physics, &physics->solids[i], dt);
    return result;
}
