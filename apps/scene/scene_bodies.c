/* The bodies of a scene in a world: how they get there, how keys drive them, what probes see of them.
 *
 * A scene gives the place of a body's own frame, the library that of the centre of mass: they differ by `centre`,
 * turned with the body. */
#include <math.h>
#include <string.h>

#include "scene_internal.h"
#include "turn.h"

/* Where the centre of mass is at a time, and how the body is turned. */
static void place_at(const rill_scene_body *body, const double centre[3], double time, double position[3],
                     double turn[4]) {
    const rill_scene_track track = { body->keys, body->key_count, body->loop, body->ease };
    rill_scene_pose pose = { .visible = true };
    memcpy(pose.translate, body->def.state.position, sizeof pose.translate);
    memcpy(pose.rotate, body->rotate, sizeof pose.rotate);
    rill_scene_track_read(&track, time, &pose);
    rill_turn_of(pose.rotate, turn);
    rill_turn_vector(turn, centre, position);
    for (int i = 0; i < 3; ++i) position[i] += pose.translate[i];
}

rill_body_state rill_scene_body_at(const rill_scene_body *body, const double centre[3], double time, double dt) {
    rill_body_state state = body->def.state;
    place_at(body, centre, time, state.position, state.orientation);
    if (body->key_count && dt > 0) {
        double position[3], turn[4];
        place_at(body, centre, time + dt, position, turn);
        rill_turn_angular_velocity(state.orientation, turn, dt, state.angular_velocity);
        for (int i = 0; i < 3; ++i) state.velocity[i] = (position[i] - state.position[i]) / dt;
    }
    return state;
}

rill_result rill_scene_add_body(const rill_scene_body *body, rill_world *world) {
    rill_body_def def = body->def;
    rill_body_id id;
    rill_body_info info;
    rill_body_state state = { 0 };
    rill_result result = rill_body_create(world, &def, &id);
    /* Where its centre of mass is is known from here on, and so is its acceleration, which is that of gravity. */
    result = result == RILL_OK ? rill_body_get_info(world, id, &info) : result;
    result = result == RILL_OK ? rill_body_get_state(world, id, &state) : result;
    if (result != RILL_OK) return result;
    def.state = rill_scene_body_at(body, info.centre, 0, 0);
    memcpy(def.state.acceleration, state.acceleration, sizeof state.acceleration);
    return rill_body_set_state(world, id, &def.state);
}

rill_result rill_scene_drive(const rill_scene *scene, rill_world *world, double time, double dt) {
    rill_result result = RILL_OK;
    for (size_t i = 0; i < scene->body_count && result == RILL_OK; ++i) {
        const rill_scene_body *body = &scene->bodies[i];
        rill_body_id id = body->key_count ? rill_body_find(world, body->def.name) : (rill_body_id){ 0 };
        rill_body_info info;
        if (!id.value) continue; /* it goes by itself, or somebody has taken it away */
        result = rill_body_get_info(world, id, &info);
        if (result == RILL_OK) {
            rill_body_state state = rill_scene_body_at(body, info.centre, time, dt);
            result = rill_body_set_state(world, id, &state);
        }
    }
    return result;
}

double rill_scene_body_value(const rill_scene_probe *probe, const rill_world *world) {
    rill_body_id id = rill_body_find(world, probe->body);
    rill_body_state state;
    rill_body_forces forces;
    if (!id.value || rill_body_get_state(world, id, &state) != RILL_OK ||
        rill_body_get_forces(world, id, &forces) != RILL_OK)
        return (double)NAN;
    const double *v = state.velocity;
    switch (probe->measure) {
    case RILL_MEASURE_LEVEL: return forces.level;
    case RILL_MEASURE_SPEED: return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    case RILL_MEASURE_VOLUME: return forces.submerged_volume;
    case RILL_MEASURE_X: return state.position[0];
    case RILL_MEASURE_Y: return state.position[1];
    default: return state.position[2];
    }
}
