/* The inside of surface tension. Its files: tension.c (a sub-step), tension_runs.c (where), tension_pipes.c (sparse pipes),
 * tension_solve.c (pressures), tension_rest.c (what may sleep), tension_memory.c. */
#ifndef RILL_WAVES_TENSION_INTERNAL_H
#define RILL_WAVES_TENSION_INTERNAL_H

#include "flow/sparse.h"
#include "flow/stages.h"
#include "waves/tension.h"
#include "waves/tension_constants.h"
#include "waves/tension_edge.h"
#include "waves/tension_kernels.h"

/* Faces along the rim of what is swept, over which nothing may cross: what is beyond is asleep, or dry and out of reach.
 * `inner` ones belong to columns that are swept. */
typedef struct rill_tension_shut {
    int32_t place, count;
    int32_t axis; /* 0: west faces, 1: south faces */
    bool inner;
} rill_tension_shut;

/* Columns right beyond the rim. */
typedef struct rill_tension_beyond {
    int32_t place, count;
} rill_tension_beyond;

/* A sparse pipe whose ends are joined by tension. */
typedef struct rill_tension_pipe {
    int32_t index, l, r;
    float a, m, gain, free;        /* free: (dt / dx) O u0, m */
    float potential[2], change[2]; /* of its ends */
} rill_tension_pipe;

struct rill_tension_state {
    rill_tension_planes planes;
    int32_t plane_size, tile_count;
    float *floats;                 /* memory of the planes of floats */
    float *acting;                 /* as the bed has it */
    float *acting_now;             /* likewise, with what is flooded or under bodies; NULL until there is any */
    uint8_t *sides;                /* RILL_SHUT_WEST and so on */
    uint8_t *swept;                /* per place: 1 in a swept run */
    uint64_t spans_made;           /* the number of the spans that the lists are about */
    rill_tension_run *runs, *rims; /* what is swept; and with a row and a tile around it */
    int32_t run_count, rim_count;
    rill_tension_shut *shut;
    rill_tension_beyond *beyond;
    int32_t shut_count, beyond_count;
    uint8_t *marks; /* per tile of the widest sheet, and two more: in reach */
    int32_t mark_count;

    size_t pipe_capacity;
    uint8_t *pipe_flowing;    /* per sparse pipe: liquid runs over its edge */
    int32_t *pipe_behind;     /* per sparse pipe: the column west or south of its l */
    rill_tension_pipe *pipes; /* those that are linked in this sub-step */
    int32_t pipe_count;

    int32_t task_count;
    rill_tension_outcome *outcomes; /* per task */
};

/* A sub-step under way. */
typedef struct rill_tension_work {
    rill_tension_state *tension;
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *sweep;
    const rill_tension_kernels *kernels;
    rill_tension_constants constants;
} rill_tension_work;

/* tension_runs.c. Lists what is swept, if that has changed. */
void rill_tension_list_runs(rill_tension_state *tension, const rill_flow *flow);
/* Takes faces along the rim out of the solve; and what is beyond out of C. */
void rill_tension_shut_rim(const rill_tension_work *work);

/* tension_pipes.c. Which pipes are linked, and what their slopes add to the pressures; edges that hold liquid back. */
void rill_tension_link_pipes(const rill_tension_work *work);
/* Their mobility, and velocities without gravity. */
void rill_tension_free_pipes(const rill_tension_work *work);
/* Add the parts of pipes to D in and C moved, and return the largest of `out` at their ends, no less than `most`; to a sum add
 * rounded terms m (a_l - a_r) (b_l - b_r), with `stiff` a for m where that is not 0. */
float rill_tension_pipes_move(const rill_tension_state *tension, const float *in, float *out, float most);
void rill_tension_pipes_stiffen(const rill_tension_state *tension, float stiff, const float *moved, float *out);
int64_t rill_tension_pipes_sum(const rill_tension_state *tension, float stiff, const float *a, const float *b,
                               double scale);
/* Keep what the start of the solve takes from columns that have no other open face, and give it back with what flies freely
 * over pipes. */
void rill_tension_keep_pipes(rill_tension_state *tension);
void rill_tension_pipes_start(rill_tension_state *tension, rill_tension_outcome *started);
void rill_tension_drive_pipes(const rill_tension_work *work);

/* tension_solve.c. Finds the pressures: planes.change holds them, and then, remembered, what they add to the potential. */
void rill_tension_solve(const rill_tension_work *work);

/* tension_rest.c. Marks tiles that are driven as RESTLESS, before a check of the tiles. */
void rill_tension_unrest(const rill_tension_work *work);

/* tension.c. Runs a kernel of the solve over all that is swept, on all threads where that pays. */
rill_tension_outcome rill_tension_each(const rill_tension_work *work, rill_tension_solver *kernel,
                                       const rill_tension_factors *factors);

#endif
