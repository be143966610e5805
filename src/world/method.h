/* METHODS: what a method of stepping has of its own. Whoever would ask which method a world has finds what differs
 * here. */
#ifndef RILL_WORLD_METHOD_H
#define RILL_WORLD_METHOD_H

#include "flow/kernels.h"
#include "flow/stages.h"
#include "world/world.h"

/* A step under way. */
typedef struct rill_step_context {
    rill_world *world;
    rill_flow_settings settings;
    rill_kernel_constants constants;
    double head_gravity; /* what a metre of head is worth, m/s2: heads are counted in that */
    double upright;      /* what a level counts as head: gravity into the bed over that, -1 to 1; 1 but on steep beds */
    double tangent[2];   /* gravity along the bed, m/s2 */
    double lifted;       /* gravity into the bed for those who know no other, m/s2 */
    double start, dt, done; /* s */
    double clock;
    int64_t refused; /* quanta taken out of flooded passages, which sources and walls are to have back */
    rill_step_info info;
} rill_step_context;

typedef struct rill_method_entry {
    bool layered; /* layers, passages, bodies that displace, sleep; else one layer under open sky */
    bool has_bodies;
    bool tense;     /* knows surface tension */
    bool energetic; /* its pipes hold liquid: there is an energy */
    /* Longest stable sub-steps, s: for waves on liquid of some depth, for what they carry along, and by the user's
     * wish. */
    double (*wave_limit)(const rill_step_context *step, double depth);
    double (*speed_limit)(const rill_step_context *step);
    double (*chosen_limit)(const rill_step_context *step);
    /* Moves bodies and liquid by `dt`, after sources have poured. */
    void (*substep)(rill_step_context *step, double dt);
    /* Whether the method can do with a bed. */
    rill_result (*check_bed)(const rill_bed *bed, rill_message *message);
    /* Makes what it keeps beside the flow, over the world's bed. `out` is empty before. */
    rill_result (*make)(const rill_world *world, rill_method_memory *out, rill_message *message);
    /* Stops what flows in there at a cell. */
    void (*stop_cell)(rill_world *world, int32_t x, int32_t y);
} rill_method_entry;

const rill_method_entry *rill_method_of(const rill_solver *solver);
static inline const rill_method_entry *rill_world_method(const rill_world *world) {
    return rill_method_of(&world->def.solver);
}
/* Tells whether a method of Rill's own is in use, and that it is. */
static inline bool rill_world_uses(const rill_world *world, rill_method method) {
    return world->def.solver.papers == RILL_PAPERS_NONE && world->def.solver.method == method;
}

/* time_step.c: limits of the pipes; the next sub-step of a step; and what kernels need to know about it. */
double rill_pipes_wave_limit(const rill_step_context *step, double depth);
double rill_pipes_speed_limit(const rill_step_context *step);
double rill_step_next_dt(rill_step_context *step);
void rill_step_prepare(rill_step_context *step, double dt);

/* world_forces.c: brushes act from the beginning of a step to its end, controls from sub-step to sub-step. */
void rill_step_begin_forces(rill_step_context *step);
void rill_step_end_forces(rill_step_context *step);
void rill_step_switch_controls(rill_step_context *step);

/* drips.c: lets go what hangs too deep. */
void rill_step_drip(rill_step_context *step);

/* step.c: a sub-step of the pipes, and what methods share. */
void rill_pipes_substep(rill_step_context *step, double dt);
void rill_step_end_stage(rill_step_context *step, rill_stage stage);
void rill_step_book_edges(rill_world *world, const rill_edge_flow edges[4]);
void rill_step_take_back(rill_step_context *step);
rill_body_stage rill_step_body_stage(const rill_step_context *step, double dt);

/* world_kandemir.c: the tank. */
double rill_kandemir_wave_limit(const rill_step_context *step, double depth);
double rill_kandemir_chosen_limit(const rill_step_context *step);
void rill_kandemir_substep(rill_step_context *step, double dt);
rill_result rill_kandemir_check(const rill_bed *bed, rill_message *message);
rill_result rill_kandemir_make(const rill_world *world, rill_method_memory *out, rill_message *message);
void rill_kandemir_stop_cell(rill_world *world, int32_t x, int32_t y);

/* world_waves.c: implicit waves. */
double rill_waves_chosen_limit(const rill_step_context *step);
void rill_waves_substep(rill_step_context *step, double dt);
rill_result rill_waves_check(const rill_bed *bed, rill_message *message);
rill_result rill_waves_make(const rill_world *world, rill_method_memory *out, rill_message *message);

/* world_wang.c: Wang's heights. */
double rill_wang_chosen_limit(const rill_step_context *step);
void rill_wang_substep(rill_step_context *step, double dt);
rill_result rill_wang_check(const rill_bed *bed, rill_message *message);
rill_result rill_wang_make(const rill_world *world, rill_method_memory *out, rill_message *message);
void rill_wang_stop_cell(rill_world *world, int32_t x, int32_t y);

#endif
