/* How the hand takes hold of bodies, throws them, and drops new ones.
 *
 * A body that is held is pulled by an impulse J at the point r from its centre of mass where it was taken, so strong
 * that within a short time the point would have the velocity that takes it to the pointer. With a scalar moment of
 * inertia I,
 *
 *     dv = J / m,    dw = r x J / I,    J = share (wanted - v - w x r) / (1/m + r^2/I),
 *
 * share below 1: it never overshoots, whatever the mass and the step. What the liquid and contacts do comes on top, so
 * that a thing is felt to be dragged through water. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "player_internal.h"
#include "scene/turn.h"

static const double HASTE = 0.06;    /* s: to reach the pointer */
static const double GRIP = 0.02;     /* s: to have the velocity that is wanted */
static const double CALM = 0.3;      /* s: held things stop turning */
static const double BALL = 0.06;     /* radius of what is dropped, in shorter sides of the grid */
static const double HEIGHT = 2.5;    /* of its fall, in radii */
static const double DENSITY = 500;   /* kg/m3: wood */
static const double STANDARD = 9.81; /* m/s2 */

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void rill_body_grip_start(rill_player *player, const rill_ray *ray, const rill_ray_hit *hit) {
    rill_body_grip *grip = &player->body_grip;
    rill_body_info info;
    rill_body_state state;
    if (rill_body_get_info(player->world, hit->body, &info) != RILL_OK ||
        rill_body_get_state(player->world, hit->body, &state) != RILL_OK)
        return;
    if (!isfinite(info.mass)) {
        const char *name = rill_body_name(player->world, hit->body);
        rill_player_say(player, "%s moves by itself, as the scene says", name && *name ? name : "this body");
        return;
    }
    double from[3], back[4] = { 0, 0, 0, state.orientation[3] };
    for (int k = 0; k < 3; ++k) {
        from[k] = hit->point[k] - state.position[k];
        back[k] = -state.orientation[k];
    }
    rill_turn_vector(back, from, grip->own);
    memcpy(grip->at, hit->point, sizeof grip->at);
    memcpy(grip->goal, hit->point, sizeof grip->goal);
    memcpy(grip->across, ray->direction, sizeof grip->across);
    grip->body = hit->body;
}

void rill_body_grip_aim(rill_player *player, const rill_ray *ray) {
    rill_body_grip *grip = &player->body_grip;
    double towards[3];
    for (int k = 0; k < 3; ++k) towards[k] = grip->at[k] - ray->origin[k];
    double s = dot(towards, grip->across) / dot(ray->direction, grip->across);
    for (int k = 0; k < 3 && grip->body.value && s > 0 && s < 1e6; ++k)
        grip->goal[k] = ray->origin[k] + s * ray->direction[k];
}

/* The velocity that the point at `from` is to have; not faster than what falls over the length of the grid. */
static void want(const rill_player *player, const double from[3], double out[3]) {
    rill_grid grid;
    rill_world_get_grid(player->world, &grid);
    double most = sqrt(2 * STANDARD * grid.cell_size * fmax(grid.cells[0], grid.cells[1]));
    for (int k = 0; k < 3; ++k) out[k] = (player->body_grip.goal[k] - from[k]) / HASTE;
    double speed = sqrt(dot(out, out)), share = speed > most ? most / speed : 1;
    for (int k = 0; k < 3; ++k) out[k] *= share;
}

void rill_body_grip_pull(rill_player *player, double dt) {
    rill_body_grip *grip = &player->body_grip;
    rill_body_info info;
    rill_body_state state;
    if (!grip->body.value) return;
    if (rill_body_get_info(player->world, grip->body, &info) != RILL_OK ||
        rill_body_get_state(player->world, grip->body, &state) != RILL_OK) {
        grip->body.value = 0; /* it is no more */
        return;
    }
    double r[3], at[3], wanted[3], carried[3], j[3], twist[3];
    rill_turn_vector(state.orientation, grip->own, r);
    for (int k = 0; k < 3; ++k) at[k] = state.position[k] + r[k];
    want(player, at, wanted);
    cross(state.angular_velocity, r, carried);
    double inertia = (info.inertia[0] + info.inertia[1] + info.inertia[2]) / 3;
    double share = (1 - exp(-dt / GRIP)) / (1 / info.mass + dot(r, r) / inertia);
    for (int k = 0; k < 3; ++k) j[k] = share * (wanted[k] - state.velocity[k] - carried[k]);
    cross(r, j, twist);
    for (int k = 0; k < 3; ++k) {
        state.velocity[k] += j[k] / info.mass;
        state.angular_velocity[k] = (state.angular_velocity[k] + twist[k] / inertia) * exp(-dt / CALM);
    }
    if (rill_body_set_state(player->world, grip->body, &state) != RILL_OK) {
        rill_player_say(player, "%s", rill_world_message(player->world));
        grip->body.value = 0;
    }
}

void rill_body_drop(rill_player *player, const rill_ray *ray, bool box) {
    rill_ray_hit hit;
    rill_grid grid;
    rill_body_id id;
    char name[40];
    if (!rill_player_pick(player, ray, RILL_RAY_ALL, &hit) || rill_world_get_grid(player->world, &grid) != RILL_OK)
        return;
    double radius = BALL * grid.cell_size * fmin(grid.cells[0], grid.cells[1]);
    rill_body_def def = rill_default_body_def();
    do { /* what a snapshot has brought back keeps its name */
        snprintf(name, sizeof name, "wooden %s %d", box ? "box" : "ball", ++player->dropped);
    } while (rill_body_find(player->world, name).value);
    def.name = name;
    def.shape.type = box ? RILL_SHAPE_BOX : RILL_SHAPE_SPHERE;
    def.shape.radius = radius;
    def.density = DENSITY;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = 0.8 * radius, def.shape.min[k] = -def.shape.max[k];
        def.state.position[k] = hit.point[k] + (k == 2 ? HEIGHT * radius : 0);
    }
    if (rill_body_create(player->world, &def, &id) != RILL_OK) {
        rill_player_say(player, "No body: %s", rill_world_message(player->world));
        return;
    }
    ++player->version;
}
