/* The files that `rill run` writes into a folder:
 *
 *     log.csv                               one row per frame
 *     bodies.csv                            one row per frame and body    (where there are bodies)
 *     base.npy, ceiling.npy                 [layers, ny, nx], once        (with --fields)
 *     base_NNNNN.npy, ceiling_NNNNN.npy     instead, every time, when solids move
 *     depth_NNNNN.npy, velocity_NNNNN.npy   [layers, ny, nx], [..., 2]    (with --fields)
 *     fields.csv                            which number was written at which time
 *
 * Every row and array is complete on disk when its call returns, so that a stopped run keeps what it has. */
#ifndef RILL_CLI_RESULTS_H
#define RILL_CLI_RESULTS_H

#include "scene/scene.h"

typedef struct rill_results {
    const char *folder;
    const rill_scene *scene;
    const rill_world *world;
    FILE *log, *index, *bodies;
    bool fields;
    bool moving;     /* floors, ceilings and even the number of layers may change */
    size_t shape[4]; /* layers, ny, nx, 2 */
    double *buffer;  /* room for the velocities of all layers */
    int64_t arrays;  /* numbers written so far */
} rill_results;

/* Makes the folder (and those above it) and starts the files. All functions complain to stderr by themselves and return
 * false when the disk or memory fails. */
bool rill_results_open(rill_results *results, const char *folder, const rill_scene *scene, const rill_world *world,
                       bool fields);
/* Writes one row of log.csv, and those of bodies.csv; `substeps` since the row before. */
bool rill_results_row(rill_results *results, double time, int64_t substeps);
bool rill_results_arrays(rill_results *results, double time);
bool rill_results_close(rill_results *results);

#endif
