/* The files that `rill bake` writes into a folder:
 *
 *     liquid_NNNNN.obj|ply|glb    the surface of the liquid, one file per baked frame
 *     solids.obj|ply|glb          solids that never move, once
 *     moving_NNNNN.obj|ply|glb    solids that do, and bodies, where they are then, if there are any
 *     bodies_NNNNN.csv            place, turn and motion of each body, if there are any
 *     bake.usda                   instead of all these: everything, with samples in time
 *     frames.csv                  which number was baked at which time
 *     .resume.rill, .samples      what the same command needs to go on after a stop (bake_record.h, scene/mesh_usda.h)
 *
 * All functions that return false have complained to stderr; the disk or the memory has failed. */
#ifndef RILL_BAKE_BAKE_OUTPUT_H
#define RILL_BAKE_BAKE_OUTPUT_H

#include "bake_folder.h"
#include "scene/mesh_usda.h"
#include "scene/scene.h"

typedef struct rill_bake_output {
    const char *folder;
    rill_mesh_format format;
    const rill_scene *scene;
    rill_world *world;
    rill_surface *surface;
    double until;
    rill_surface_def look;
    bool with_solids;
    rill_usda_solid *solids; /* as the scene has them, then its bodies; NULL when they are not wanted */
    float **places;          /* the positions of each */
    rill_mesh_part *chosen;  /* room for as many parts */
    rill_writer index, samples;
    int64_t written;            /* frames so far */
    size_t vertices, triangles; /* of the last frame */
} rill_bake_output;

/* Members above `surface`, `until`, `look` and `with_solids` are the caller's to set. Starts with the world as it is,
 * after `written` frames whose index and samples had these sizes. */
bool rill_bake_output_open(rill_bake_output *output, int64_t written, uint64_t index_size, uint64_t samples_size);
/* Bakes the world as it is at the end of frame k. */
bool rill_bake_output_frame(rill_bake_output *output, int64_t k);
/* Waits until index and samples are on the disk. */
bool rill_bake_output_sync(rill_bake_output *output);
/* Makes the .usda, if that is the format, of the frames so far; k is the last one. */
bool rill_bake_output_join(rill_bake_output *output, int64_t k);
void rill_bake_output_close(rill_bake_output *output);

/* Count, take, sample and write the bodies among the solids. bake_bodies.c */
size_t rill_bake_thing_count(const rill_bake_output *output);
bool rill_bake_take_bodies(rill_bake_output *output);
void rill_bake_sample_bodies(rill_bake_output *output, double code, size_t number);
bool rill_bake_write_bodies(rill_bake_output *output, double time);

/* Makes one mesh of that of a surface and of its falls, in memory to be freed by the latter; false without, and nothing is done.
 * bake_falls.c */
bool rill_bake_add_falls(const rill_surface *surface, rill_surface_mesh *mesh);
void rill_bake_free_falls(rill_surface_mesh *mesh);

#endif
