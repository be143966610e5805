/* Shared by tests of bodies: tanks with things that float in them. */
#ifndef RILL_TESTS_TANKS_AFLOAT_H
#define RILL_TESTS_TANKS_AFLOAT_H

#include "tanks.h"

/* A pond of open water with a little viscosity, mm deep; or dry. */
static inline rill_world *make_open_pond(int32_t nx, int32_t ny, double headroom, double level, int32_t threads) {
    rill_world_def def = tank_def(nx, ny, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-6;
    def.headroom = headroom;
    def.runtime.tasks.threads = threads;
    rill_world *world = make_tank(&def);
    build(world);
    if (level > 0.0) fill(world, 1, 1, 1, level);
    return world;
}

static inline rill_body_id add_body(rill_world *world, const rill_body_def *def) {
    rill_body_id id;
    must(world, rill_body_create(world, def, &id));
    return id;
}

static inline rill_body_state state_of(const rill_world *world, rill_body_id id) {
    rill_body_state state;
    assert_int_equal(rill_body_get_state(world, id, &state), RILL_OK);
    return state;
}

static inline double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static inline double energy_of(const rill_world *world) {
    rill_energy energy;
    assert_int_equal(rill_world_get_energy(world, &energy), RILL_OK);
    return energy.potential + energy.kinetic + energy.bodies;
}

#endif
