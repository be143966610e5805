/* `rill bake`: simulates a scene and writes the surface of its liquid, and its solids, as meshes.
 *
 * A bake that was stopped, by Ctrl-C, a kill or a full disk, goes on where it was when the same command is given again,
 * and ends in the same bytes as one that was not. */
#ifndef RILL_BAKE_BAKE_H
#define RILL_BAKE_BAKE_H

#include "scene/mesh_export.h"
#include "scene/scene.h"

typedef struct rill_bake_options {
    const char *const *sets; /* values of the scene that were replaced, as "key=value" */
    size_t set_count;
    double until, every; /* s; below 0: as long as the scene says, every frame */
    rill_mesh_format format;
    rill_surface_def look;
    const char *form_name, *meniscus_name; /* what `look` has, by name: the record of a bake says them */
    bool no_solids;
    bool fresh; /* what an earlier bake has left in the folder is removed first */
} rill_bake_options;

/* Bakes into a folder, telling stdout of the results and stderr of the rest. Returns an exit code. */
int rill_bake(const rill_scene *scene, rill_world *world, const rill_bake_options *options, const char *folder);

#endif
