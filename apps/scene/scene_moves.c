/* Keyframes at work: where what moves in a scene is at a time, and how the world is told.
 *
 * Between two keys that give it, a place or a turn changes linearly (or, with `ease`, by the smooth step 3 s^2 - 2
 * s^3); before the first and after the last it is constant. Whether a solid is visible changes at its key, at once.
 * */
#include <math.h>
#include <string.h>

#include "scene_internal.h"

/* Times are sums of frames: a key at 0.3 s belongs to the frame that ends at 0.30000000000000004 s and to the one that
 * ends at 0.29999999999999999 s as well. In parts of a frame. */
static const double SLIVER = 1e-6;

/* Returns where a stretch between two times stands, 0 to 1. */
static double share(bool ease, double from, double to, double time) {
    double s = to > from ? (time - from) / (to - from) : 1;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return ease ? s * s * (3 - 2 * s) : s;
}

static double wrap(bool loop, double time, double end) {
    return loop && end > 0 ? fmod(time, end) : time;
}

/* ------------------------------------------------------------------------------------------------------------- pose */

enum { PLACE, TURN };

static bool gives(const rill_scene_key *key, int channel) {
    return channel == PLACE ? key->moves : key->turns;
}

static const double *value_of(const rill_scene_key *key, int channel) {
    return channel == PLACE ? key->translate : key->rotate;
}

/* `out` stays as it is when no key says anything about the channel. */
static void read_channel(const rill_scene_track *track, int channel, double time, double out[3]) {
    const rill_scene_key *before = NULL, *after = NULL;
    for (size_t i = 0; i < track->key_count && !after; ++i) {
        const rill_scene_key *key = &track->keys[i];
        if (gives(key, channel) && key->time <= time)
            before = key;
        else if (gives(key, channel))
            after = key;
    }
    if (!before && !after) return;
    const rill_scene_key *low = before ? before : after, *high = after ? after : before;
    double s = share(track->ease, low->time, high->time, time);
    for (int i = 0; i < 3; ++i) {
        double a = value_of(low, channel)[i], b = value_of(high, channel)[i];
        out[i] = low == high ? a : a + s * (b - a);
    }
}

void rill_scene_track_read(const rill_scene_track *track, double time, rill_scene_pose *pose) {
    if (!track->key_count) return;
    time = wrap(track->loop, time, track->keys[track->key_count - 1].time);
    read_channel(track, PLACE, time, pose->translate);
    read_channel(track, TURN, time, pose->rotate);
    for (size_t i = 0; i < track->key_count && track->keys[i].time <= time; ++i)
        pose->visible = track->keys[i].switches ? track->keys[i].visible : pose->visible;
}

rill_scene_pose rill_scene_pose_at(const rill_scene_solid *solid, double time) {
    const rill_scene_track track = { solid->keys, solid->key_count, solid->loop, solid->ease };
    rill_scene_pose pose = { .visible = true };
    memcpy(pose.translate, solid->def.translate, sizeof pose.translate);
    memcpy(pose.rotate, solid->def.rotate, sizeof pose.rotate);
    rill_scene_track_read(&track, time, &pose);
    return pose;
}

/* ------------------------------------------------------------------------------------------------------------ morph */

static const float *vertices_at(const rill_scene_solid *solid, double time) {
    const rill_scene_morph *morphs = solid->morphs;
    size_t last = solid->morph_count - 1, high = 0;
    time = wrap(solid->loop, time, morphs[last].time);
    while (high < last && morphs[high].time <= time) ++high;
    size_t low = high > 0 ? high - 1 : 0;
    double s = share(solid->ease, morphs[low].time, morphs[high].time, time);
    for (size_t i = 0; i < 3 * solid->def.shape.vertex_count; ++i) {
        double a = (double)morphs[low].vertices[i], b = (double)morphs[high].vertices[i];
        solid->blend[i] = (float)(a + s * (b - a));
    }
    return solid->blend;
}

/* ------------------------------------------------------------------------------------------------------------ world */

static rill_result move_solid(const rill_scene_solid *solid, rill_world *world, double time) {
    rill_result result = RILL_OK;
    rill_solid_id id = rill_solid_find(world, solid->def.name);
    if (solid->morph_count)
        result = rill_solid_set_vertices(world, id, vertices_at(solid, time), solid->def.shape.vertex_count);
    if (result == RILL_OK && solid->key_count) {
        rill_scene_pose pose = rill_scene_pose_at(solid, time);
        result = rill_solid_set_pose(world, id, pose.translate, pose.rotate);
        result = result == RILL_OK ? rill_solid_set_visible(world, id, pose.visible) : result;
    }
    return result;
}

rill_result rill_scene_move(const rill_scene *scene, rill_world *world, double time) {
    rill_result result = RILL_OK;
    for (size_t i = 0; i < scene->solid_count && result == RILL_OK; ++i) {
        const rill_scene_solid *solid = &scene->solids[i];
        if (solid->key_count || solid->morph_count) result = move_solid(solid, world, time);
    }
    return result;
}

bool rill_scene_moves(const rill_scene *scene) {
    for (size_t i = 0; i < scene->solid_count; ++i)
        if (scene->solids[i].key_count || scene->solids[i].morph_count) return true;
    return false;
}

rill_result rill_scene_step(const rill_scene *scene, rill_world *world, double dt, rill_status *status) {
    rill_result result = rill_scene_move(scene, world, rill_world_time(world) + dt * (1 + SLIVER));
    result = result == RILL_OK ? rill_scene_drive(scene, world, rill_world_time(world), dt) : result;
    if (result != RILL_OK) return result;
    result = rill_world_step(world, dt);
    *status = rill_world_status(world);
    return result;
}
