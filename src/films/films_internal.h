/* The inside of films. Its files: films.c (a sub-step), films_solve.c (pressures), films_reach.c (what is looked at, what sleeps),
 * films_memory.c, films_energy.c. */
#ifndef RILL_FILMS_FILMS_INTERNAL_H
#define RILL_FILMS_FILMS_INTERNAL_H

#include "films/films.h"
#include "films/films_constants.h"
#include "films/films_kernels.h"
#include "waves/tension_constants.h"

struct rill_films {
    const rill_shell *shell;
    double quantum; /* m3 */
    double middle[3];
    rill_films_planes planes;
    int32_t columns; /* with those that the last block has too many */
    float shortest, h_min;
    double widest; /* the largest sum of weights over its area, 1/m2 */

    /* The memory behind what kernels only read. */
    float *relief, *inverse_area, *area, *limit, *weight, *advancing, *receding, *least;
    double *per_quantum, *base, *rise;
    int32_t (*sides)[2];
    float (*cotangents)[2], *per_length, *reach;
    float (*slopes)[3];
    int32_t *first_edge, *first_triangle;

    rill_film_forces forces; /* as of the last sub-step */
    bool acted;              /* there was one */
    float deepest, outflow;  /* m; the largest share of a column that has left it, over dt: 1/s */
    uint64_t substep;

    /* Blocks that are looked at: those with columns at most two edges away from such that liquid may leave. */
    uint8_t *marked; /* per block */
    int32_t *blocks;
    int32_t block_count;
    bool stirred;      /* something was put there or woken: bodies that stand still may sleep at once */
    uint8_t *calm;     /* per column: through so many looks */
    uint32_t *bodies;  /* per column: of the same body, by union_find.h */
    uint8_t *restless; /* per column: some edge at it may not be stopped, and is it at rest */
    int32_t *queue;

    int32_t task_count;
    rill_films_outcome *outcomes; /* per task */
};

/* A sub-step under way. */
typedef struct rill_films_work {
    rill_films *films;
    const rill_film_means *means;
    const rill_films_kernels *kernels;
    rill_films_constants constants;
    double dt;
} rill_films_work;

/* films.c. Runs a kernel over all blocks that are looked at, on all threads where that pays. */
rill_films_outcome rill_films_each(const rill_films_work *work, rill_films_kernel *kernel,
                                   const rill_films_factors *factors);

/* films_solve.c. Finds the change of pressures; returns how many iterations that took. */
int32_t rill_films_solve(const rill_films_work *work);

/* films_reach.c. Adds blocks that columns which have just become wet reach, and wakes bodies that these touch. */
void rill_films_reach_out(rill_films *films);
/* Lists anew what is looked at. */
void rill_films_list(rill_films *films);
/* Lets bodies sleep that have been calm for long enough, as seen by pressures and velocities as they are. */
void rill_films_look(const rill_films_work *work);
/* Wakes the body of a column, and all of them. */
void rill_films_wake(rill_films *films, int32_t column);
void rill_films_wake_all(rill_films *films);

static inline bool rill_films_is_asleep(const rill_films *films, int32_t column) {
    return films->least[column] > films->h_min;
}

#endif
