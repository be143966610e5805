/* The worlds of `boats_400` and `spheres_400`: bodies on a pond of 2 m x 2 m, 30 mm deep with waves on it, as the
 * scenes of the same names of Wang, Miller & Turk 2007 (figures there: 1.3 and 0.4 frames a second). Places come from a
 * fixed seed. And `hundred_200`, which has next to nothing but bodies in it. */
#include "bench_internal.h"

#include <math.h>
#include <stddef.h>

static const double CELL = RILL_BENCH_POND_CELL, DEPTH = 0.03; /* m */

static rill_result build_pool(rill_world *world) {
    rill_solid_def floor = rill_default_solid_def();
    floor.shape.type = RILL_SHAPE_PLANE;
    floor.shape.axis[2] = 1.0;
    rill_solid_id id;
    const rill_result result = rill_solid_create(world, &floor, &id);
    return result != RILL_OK ? result : rill_bed_build(world);
}

/* A hull with a pointed bow, a keel and a flat stern: length 1 along x, widest in the middle. */
static const float HULL[] = {
    0.5f,   0.0f,   0.12f,  0.15f, 0.14f,  0.11f,  -0.3f, 0.14f,  0.10f,  -0.5f, 0.10f, 0.10f, /* gunwale to port */
    -0.5f,  -0.10f, 0.10f,  -0.3f, -0.14f, 0.10f,  0.15f, -0.14f, 0.11f,                       /* back to starboard */
    0.42f,  0.0f,   -0.06f, 0.1f,  0.0f,   -0.10f, -0.5f, 0.0f,   -0.08f,                      /* keel */
    -0.05f, 0.0f,   0.11f,                                                                     /* middle of the deck */
};
static const uint32_t HULL_SIDES[] = {
    10, 0, 1, 10, 1, 2, 10, 2, 3, 10, 3, 4, 10, 4, 5, 10, 5, 6, 10, 6, 0, /* deck */
    0,  7, 1, 7,  8, 1, 1,  8, 2, 8,  9, 2, 2,  9, 3, 3,  9, 4,           /* port and stern */
    0,  6, 7, 7,  6, 8, 6,  5, 8, 8,  5, 9, 5,  4, 9,                     /* starboard */
};

/* Twenty boats, 0.12 m long, five rows of four, each on a course of its own. */
rill_result rill_bench_build_boats(rill_world *world) {
    float vertices[sizeof HULL / sizeof HULL[0]];
    for (size_t i = 0; i < sizeof HULL / sizeof HULL[0]; ++i) vertices[i] = 0.12f * HULL[i];
    rill_result result = build_pool(world);
    for (int i = 0; i < 20 && result == RILL_OK; ++i) {
        const double course = 2.4 * i, speed = 0.2;
        rill_body_def def = rill_default_body_def();
        def.shape.type = RILL_SHAPE_MESH;
        def.shape.vertices = vertices;
        def.shape.vertex_count = sizeof HULL / sizeof HULL[0] / 3;
        def.shape.indices = HULL_SIDES;
        def.shape.triangle_count = sizeof HULL_SIDES / sizeof HULL_SIDES[0] / 3;
        def.drag = 0.1;
        def.state.position[0] = CELL * (50.3 + 100.0 * (i % 4));
        def.state.position[1] = CELL * (40.7 + 80.0 * (i / 4));
        def.state.position[2] = DEPTH + 0.003;
        def.state.orientation[2] = sin(0.5 * course);
        def.state.orientation[3] = cos(0.5 * course);
        def.state.velocity[0] = speed * cos(course);
        def.state.velocity[1] = speed * sin(course);
        rill_body_id id;
        result = rill_body_create(world, &def, &id);
    }
    return result != RILL_OK ? result : rill_bench_fill_waves(world, DEPTH);
}

/* Twelve spheres of the same mass, 30 to 60 mm in radius, on a grid of four by three, somewhat apart from their
 * places. */
rill_result rill_bench_build_spheres(rill_world *world) {
    rill_result result = build_pool(world);
    for (int i = 0; i < 12 && result == RILL_OK; ++i) {
        rill_body_def def = rill_default_body_def();
        def.shape.type = RILL_SHAPE_SPHERE;
        def.shape.radius = CELL * (6.0 + (7 * i) % 12 * 0.5);
        def.mass = 0.03;
        def.state.position[0] = CELL * (50.0 + 100.0 * (i % 4) + 12.0 * sin(1.7 * i));
        def.state.position[1] = CELL * (67.0 + 133.0 * (i / 4) + 25.0 * sin(2.9 * i));
        def.state.position[2] = DEPTH + def.shape.radius;
        rill_body_id id;
        result = rill_body_create(world, &def, &id);
    }
    return result != RILL_OK ? result : rill_bench_fill_waves(world, DEPTH);
}

/* A hundred spheres of about six cells radius and a third to two thirds of the density, ten by ten on a pond of 1 m x 1
 * m, 60 mm deep. They float: none touches another or the bed. */
rill_result rill_bench_build_hundred(rill_world *world) {
    rill_result result = build_pool(world);
    for (int i = 0; i < 100 && result == RILL_OK; ++i) {
        rill_body_def def = rill_default_body_def();
        def.shape.type = RILL_SHAPE_SPHERE;
        def.shape.radius = CELL * (4.8 + 0.24 * ((7 * i) % 10));
        def.density = 300.0 + 40.0 * (i % 11);
        def.state.position[0] = CELL * (10.0 + 20.0 * (i % 10) + 0.3 * (i % 3));
        def.state.position[1] = CELL * (10.0 + 20.0 * (i / 10) + 0.2 * (i % 5));
        def.state.position[2] = 2.0 * DEPTH + 0.2 * def.shape.radius;
        def.state.acceleration[2] = -9.81;
        rill_body_id id;
        result = rill_body_create(world, &def, &id);
    }
    return result != RILL_OK ? result : rill_bench_fill_waves(world, 2.0 * DEPTH);
}
