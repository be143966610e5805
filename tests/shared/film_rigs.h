/* Films on shells of known form, for tests of src/films: spheres from either side, and panes. */
#ifndef RILL_TESTS_FILM_RIGS_H
#define RILL_TESTS_FILM_RIGS_H

#include "worlds.h"

#include "base/alloc.h"
#include "films/films.h"
#include "surfaces.h"
#include "waves/wetting.h"

typedef struct film_rig {
    rill_shell *shell;
    rill_films *films;
    rill_runtime runtime;
    rill_film_forces forces;
    rill_film_means means;
    double quantum, time;
    long steps;
} film_rig;

static const double FILM_QUANTUM = 1e-17; /* m3 */

/* Water without tension, under gravity downwards. The surface is freed. */
static inline film_rig film_rig_make(surface *from, bool inside) {
    film_rig rig = { .runtime = rill_default_world_def().runtime, .quantum = FILM_QUANTUM };
    const rill_shell_input input = { .name = "test",
                                     .vertices = from->vertices,
                                     .vertex_count = from->vertex_count,
                                     .indices = from->indices,
                                     .triangle_count = from->triangle_count,
                                     .scale = 1.0,
                                     .inside = inside,
                                     .bumps = true };
    rill_message message = { "" };
    rig.runtime.allocator = rill_alloc_default();
    if (rill_shell_make(&input, &rig.runtime.allocator, &rig.shell, &message)) fail_msg("%s", message.text);
    if (rill_films_make(rig.shell, rig.quantum, &rig.runtime, &rig.films, &message)) fail_msg("%s", message.text);
    rig.forces = (rill_film_forces){
        .gravity = { 0.0, 0.0, -9.81 }, .hold = 0.0728 / 998.0, .viscosity = 1.004e-6, .friction = 1.0, .rest = true
    };
    surface_free(from);
    return rig;
}

static inline void film_rig_free(film_rig *rig) {
    rill_films_free(rig->films, &rig->runtime.allocator);
    rill_shell_free(rig->shell, &rig->runtime.allocator);
}

/* With tension, and a contact angle everywhere. */
static inline void film_rig_wet_by(film_rig *rig, double advancing, double receding) {
    rig->forces.strength = 0.0728 / 998.0;
    for (int32_t i = 0; i < rig->shell->count; ++i)
        rill_films_set_wetting(rig->films, i, rill_wetting_s(advancing), rill_wetting_s(receding));
}

static inline void film_rig_put(film_rig *rig, int32_t column, double depth) {
    if (depth > 0.0) rill_films_give(rig->films, column, (int64_t)(depth * rig->shell->area[column] / rig->quantum));
}

/* One sub-step, as long as it may be, but no longer than `most`; returns its length. */
static inline double film_rig_step(film_rig *rig, double most) {
    rig->means.runtime = &rig->runtime;
    const double dt = fmin(rill_films_limit(rig->films, &rig->forces), most);
    rig->time += dt;
    rig->steps += 1;
    rill_films_step(rig->films, &rig->forces, &rig->means, dt, rig->time);
    return dt;
}

/* As long as it takes, or until everything is at rest. */
static inline void film_rig_run(film_rig *rig, double duration) {
    const double end = rig->time + duration;
    while (rig->time < end) {
        film_rig_step(rig, fmin(end - rig->time, 1.0 / 60.0));
        if (rill_films_awake(rig->films) == 0) return;
    }
}

#endif
