/* The table of methods (method.h). */
#include <math.h>

#include "kandemir/kandemir.h"
#include "wang/wang.h"
#include "waves/theta.h"
#include "world/method.h"

static double no_limit(const rill_step_context *step) {
    (void)step;
    return (double)INFINITY;
}

static double no_wave_limit(const rill_step_context *step, double depth) {
    (void)step, (void)depth;
    return (double)INFINITY;
}

static rill_result any_bed(const rill_bed *bed, rill_message *message) {
    (void)bed, (void)message;
    return RILL_OK;
}

static rill_result make_nothing(const rill_world *world, rill_method_memory *out, rill_message *message) {
    (void)world, (void)out, (void)message;
    return RILL_OK;
}

static void stop_nothing(rill_world *world, int32_t x, int32_t y) {
    (void)world, (void)x, (void)y;
}

const rill_method_entry *rill_method_of(const rill_solver *solver) {
    static const rill_method_entry WANG = { .layered = false,
                                            .has_bodies = true,
                                            .tense = true,
                                            .wave_limit = no_wave_limit,
                                            .speed_limit = no_limit,
                                            .chosen_limit = rill_wang_chosen_limit,
                                            .substep = rill_wang_substep,
                                            .check_bed = rill_wang_check,
                                            .make = rill_wang_make,
                                            .stop_cell = rill_wang_stop_cell };
    static const rill_method_entry METHODS[] = {
        [RILL_METHOD_PIPES] = { .layered = true,
                                .has_bodies = true,
                                .tense = true,
                                .energetic = true,
                                .wave_limit = rill_pipes_wave_limit,
                                .speed_limit = rill_pipes_speed_limit,
                                .chosen_limit = no_limit,
                                .substep = rill_pipes_substep,
                                .check_bed = any_bed,
                                .make = make_nothing,
                                .stop_cell = stop_nothing },
        [RILL_METHOD_KANDEMIR] = { .layered = false,
                                   .has_bodies = true,
                                   .wave_limit = rill_kandemir_wave_limit,
                                   .speed_limit = no_limit,
                                   .chosen_limit = rill_kandemir_chosen_limit,
                                   .substep = rill_kandemir_substep,
                                   .check_bed = rill_kandemir_check,
                                   .make = rill_kandemir_make,
                                   .stop_cell = rill_kandemir_stop_cell },
        [RILL_METHOD_WAVES] = { .layered = false,
                                .tense = true,
                                .energetic = true,
                                .wave_limit = no_wave_limit,
                                .speed_limit = no_limit,
                                .chosen_limit = rill_waves_chosen_limit,
                                .substep = rill_waves_substep,
                                .check_bed = rill_waves_check,
                                .make = rill_waves_make,
                                .stop_cell = stop_nothing },
    };
    return solver->papers == RILL_PAPERS_WANG ? &WANG : &METHODS[solver->method];
}

void rill_method_memory_free(rill_method_memory *memory, const rill_allocator *allocator) {
    rill_tank_free(memory->tank, allocator);
    rill_theta_free(memory->theta, allocator);
    rill_heights_free(memory->heights, allocator);
    *memory = (rill_method_memory){ 0 };
}
