/* Shared by the files that turn a scene into a world and move it share. */
#ifndef RILL_SCENE_SCENE_INTERNAL_H
#define RILL_SCENE_SCENE_INTERNAL_H

#include "scene.h"

/* Keys, of a solid or of a body. */
typedef struct rill_scene_track {
    const rill_scene_key *keys;
    size_t key_count;
    bool loop, ease;
} rill_scene_track;
/* Returns what the keys say about a time; what they say nothing about stays in `pose` as it is. scene_moves.c */
void rill_scene_track_read(const rill_scene_track *track, double time, rill_scene_pose *pose);

/* Returns how high a fill by volume stands. scene_drops.c */
double rill_scene_drop_height(const rill_scene *scene, const rill_scene_fill *fill);
/* Adds such a fill to what is there. `found`: there is a column for it. */
rill_result rill_scene_put_drop(const rill_scene *scene, rill_world *world, const rill_scene_fill *fill, bool *found,
                                rill_fill_report *report);

/* Adds a body to a world whose bed is built. scene_bodies.c */
rill_result rill_scene_add_body(const rill_scene_body *body, rill_world *world);
/* Gives bodies with keys the motion that takes them through a step. */
rill_result rill_scene_drive(const rill_scene *scene, rill_world *world, double time, double dt);
/* Returns what a probe of a body measures; NaN when there is none of that name. */
double rill_scene_body_value(const rill_scene_probe *probe, const rill_world *world);

#endif
