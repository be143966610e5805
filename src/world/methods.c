/* The table of methods (method.h). */
#include <math.h>

#include "kandemir/kandemir.h"
#include "world/method.h"

static double no_limit(const rill_step_context *step) {
    (void)step;
    return (double)INFINITY;
}

static rill_result any_bed(const rill_bed *bed, rill_message *message) {
    (void)bed, (void)message;
    return RILL_OK;
}

static rill_result make_nothing(const rill_world *world, rill_tank **out, rill_message *message) {
    (void)world, (void)message;
    *out = NULL;
    return RILL_OK;
}

static void stop_nothing(rill_world *world, int32_t x, int32_t y) {
    (void)world, (void)x, (void)y;
}

const rill_method_entry *rill_method_of(rill_method method) {
    static const rill_method_entry METHODS[] = {
        [RILL_METHOD_PIPES] = { .layered = true,
                                .wave_limit = rill_pipes_wave_limit,
                                .speed_limit = rill_pipes_speed_limit,
                                .chosen_limit = no_limit,
                                .substep = rill_pipes_substep,
                                .check_bed = any_bed,
                                .make = make_nothing,
                                .free = rill_tank_free,
                                .stop_cell = stop_nothing },
        [RILL_METHOD_KANDEMIR] = { .layered = false,
                                   .wave_limit = rill_kandemir_wave_limit,
                                   .speed_limit = no_limit,
                                   .chosen_limit = rill_kandemir_chosen_limit,
                                   .substep = rill_kandemir_substep,
                                   .check_bed = rill_tank_check,
                                   .make = rill_kandemir_make,
                                   .free = rill_tank_free,
                                   .stop_cell = rill_kandemir_stop_cell },
    };
    return &METHODS[method];
}
