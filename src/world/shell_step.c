/* A step of all shells: each in as many sub-steps as it needs, one shell after the other; and drips, which are handed over (drips.c). */
#include <math.h>

#include "base/clock.h"
#include "base/simd.h"
#include "base/vec.h"
#include "waves/tension_constants.h"
#include "world/world_shells.h"

/* ---------------------------------------------------------------------------------------------------------------- drips */

typedef struct drips {
    rill_world *world;
    const rill_shell_slot *from;
} drips;

static void fall(void *context, int32_t column, int64_t quanta) {
    const drips *falling = context;
    const rill_shell_slot *from = falling->from;
    const double *X = from->shell->positions[column], *N = from->shell->normals[column];
    const double off = rill_films_depth(from->films, column) + 1e-3 * from->shell->spacing;
    rill_drip drip = { .quanta = quanta };
    double own[3];
    for (int k = 0; k < 3; ++k) own[k] = X[k] + off * N[k];
    rill_shell_turn_to_world(from, own, drip.position);
    for (int k = 0; k < 3; ++k) drip.position[k] += from->placing.shift[k];
    rill_world_hand_over(falling->world, &drip);
}

/* ----------------------------------------------------------------------------------------------------------------- step */

/* Whether tension acts on a shell, by the rule for cells. */
static bool is_tense(const rill_world *world, const rill_shell *shell, double gravity) {
    const rill_liquid *liquid = &world->def.liquid;
    const rill_tension wanted = world->def.solver.tension;
    if (wanted == RILL_TENSION_OFF || !(liquid->surface_tension > 0.0)) return false;
    const double square = liquid->surface_tension / (liquid->density * gravity), foot = RILL_FOOT * shell->spacing;
    return wanted == RILL_TENSION_ON || foot * foot < square;
}

static rill_film_forces forces_on(const rill_world *world, const rill_shell_slot *slot) {
    const double *g = world->def.gravity, hold = rill_world_tension_strength(world);
    const double friction = world->def.solver.friction;
    rill_film_forces forces = { .hold = hold,
                                .viscosity = world->def.liquid.viscosity,
                                .friction = friction > 0.0 ? friction : 1.0,
                                .drying = world->def.liquid.drying,
                                .rest = world->def.solver.rest };
    rill_shell_turn_to_own(slot, g, forces.gravity);
    if (is_tense(world, slot->shell, sqrt(rill_vec_dot(g, g)))) forces.strength = hold;
    return forces;
}

/* Moves one shell. Sub-steps are equal parts of what is left, and when there are too many of them longer than they should be: the
 * liquid is then slower, but stays what it is. */
static void step_shell(drips *falling, rill_shell_slot *slot, double dt, rill_step_info *info) {
    rill_world *world = falling->world;
    const rill_film_means means = { &world->def.runtime, world->pool, world->def.runtime.scalar };
    const rill_film_forces forces = forces_on(world, slot);
    double done = 0.0;
    slot->substeps = 0;
    rill_shell_wet(world, slot);
    falling->from = slot;
    while (dt - done > 1e-9 * dt) {
        const int32_t allowed = rill_max_i(1, world->def.solver.max_substeps - slot->substeps);
        double parts = fmax(1.0, ceil((dt - done) / rill_films_limit(slot->films, &forces)));
        if (parts > allowed) {
            parts = allowed;
            info->status |= RILL_STATUS_SUBSTEPS_CAPPED;
        }
        const double part = (dt - done) / parts;
        rill_films_step(slot->films, &forces, &means, part, world->time + done + part);
        rill_films_drip(slot->films, &forces, fall, falling);
        done += part;
        slot->substeps += 1;
        info->smallest_dt = fmin(info->smallest_dt, part);
    }
}

void rill_shells_step(rill_world *world, double dt, rill_step_info *info) {
    const double start = rill_clock();
    drips falling = { .world = world };
    for (size_t i = 0; i < world->shells.count; ++i)
        if (rill_shell_slot_at(world, i)->alive) step_shell(&falling, rill_shell_slot_at(world, i), dt, info);
    if (world->built) return;
    info->stage_seconds[RILL_STAGE_SHELLS] = rill_clock() - start;
    for (size_t i = 0; i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (!slot->alive) continue;
        info->substeps = rill_max_i(info->substeps, slot->substeps);
        info->awake_columns += (int64_t)rill_films_awake(slot->films) * RILL_SHELL_BLOCK;
    }
}
