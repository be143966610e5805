/* How the hand pours, sucks and drags liquid, paints shapes for it, and pushes solids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "player_internal.h"

static const double PULL_BACK =
    0.75;                          /* cells: from what the ray meets back to the eye, out of walls and into the void */
static const double FOLLOWS = 0.5; /* of the hand's velocity, that liquid gains in a step in the middle of a stroke */
static const double LEAST_STROKE = 4; /* cells: radius */
static const double LEAST_PAINT = 2;  /* cells: radius */
static const double WETS = 15;        /* degrees, on what is painted: else liquid beads up there */
static const char PAINTED[] = "painted by hand";

/* --------------------------------------------------------------------------------------------------- pour and suck */

static void drop_source(rill_player *player) {
    if (player->hand.source.value) {
        rill_source_destroy(player->world, player->hand.source);
        player->hand.source.value = 0;
    }
}

void rill_hand_stop(rill_player *player) {
    drop_source(player);
    player->hand.mode = RILL_HAND_IDLE;
    player->hand.drags = false;
}

bool rill_player_pick(const rill_player *player, const rill_ray *ray, uint32_t targets, rill_ray_hit *out) {
    return rill_query_rays(player->world, ray, 1, targets, out) == RILL_OK && out->what != RILL_RAY_NOTHING;
}

/* Where the ray ends, a bit before it; false: nowhere over the grid. */
static bool aim(const rill_player *player, double cell, double at[3]) {
    const rill_ray *ray = &player->hand.ray;
    rill_ray_hit hit;
    if (!rill_player_pick(player, ray, RILL_RAY_ALL, &hit)) return false;
    double length = sqrt(ray->direction[0] * ray->direction[0] + ray->direction[1] * ray->direction[1] +
                         ray->direction[2] * ray->direction[2]);
    for (int k = 0; k < 3; ++k) at[k] = hit.point[k] - PULL_BACK * cell / length * ray->direction[k];
    return true;
}

static void place_source(rill_player *player, double cell) {
    rill_hand_state *hand = &player->hand;
    double at[3];
    if (!aim(player, cell, at)) {
        drop_source(player);
        return;
    }
    if (hand->source.value && fabs(at[0] - hand->at[0]) < 0.5 * cell && fabs(at[1] - hand->at[1]) < 0.5 * cell &&
        fabs(at[2] - hand->at[2]) < cell)
        return;
    drop_source(player);
    rill_source_def def = rill_default_source_def();
    def.sink = hand->mode == RILL_HAND_SUCKS;
    def.name = def.sink ? "sucked by hand" : "poured by hand";
    def.shape = hand->radius > 0.75 * cell ? RILL_SOURCE_DISC : RILL_SOURCE_POINT;
    def.radius = hand->radius;
    def.rate = hand->rate;
    memcpy(def.at, at, sizeof def.at);
    memcpy(hand->at, at, sizeof hand->at);
    if (rill_source_create(player->world, &def, &hand->source) != RILL_OK) {
        hand->source.value = 0;
        if (!hand->told) {
            rill_player_say(player, "No place for liquid there");
            hand->told = true;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ drag */

/* Lets liquid follow the hand, which has moved since the last step. */
static void drag_liquid(rill_player *player, double cell, double dt) {
    rill_hand_state *hand = &player->hand;
    double at[3];
    const bool there = aim(player, cell, at);
    rill_brush brush = { .radius = fmax(2 * hand->radius, LEAST_STROKE * cell) };
    for (int k = 0; there && k < 3; ++k) brush.at[k] = at[k];
    for (int k = 0; there && k < 2; ++k) brush.acceleration[k] = FOLLOWS * (at[k] - hand->at[k]) / (dt * dt);
    if (there && hand->drags && (brush.acceleration[0] != 0 || brush.acceleration[1] != 0) &&
        rill_world_brush(player->world, &brush) != RILL_OK)
        rill_player_say(player, "%s", rill_world_message(player->world));
    hand->drags = there;
    if (there) memcpy(hand->at, at, sizeof hand->at);
}

/* ----------------------------------------------------------------------------------------------------------- paint */

/* Sets the cells whose centres are near a line; true: some were not set before. */
static bool paint_line(const rill_grid *grid, const double from[2], const double to[2], double radius, uint8_t *mask) {
    const double x = to[0] - from[0], y = to[1] - from[1], square = x * x + y * y;
    bool changed = false;
    for (int32_t j = 0; j < grid->cells[1]; ++j) {
        for (int32_t i = 0; i < grid->cells[0]; ++i) {
            const double dx = grid->origin[0] + (i + 0.5) * grid->cell_size - from[0];
            const double dy = grid->origin[1] + (j + 0.5) * grid->cell_size - from[1];
            const double t = square > 0 ? fmin(fmax((dx * x + dy * y) / square, 0), 1) : 0;
            uint8_t *cell = &mask[(size_t)j * (size_t)grid->cells[0] + (size_t)i];
            if (*cell || hypot(dx - t * x, dy - t * y) > radius) continue;
            *cell = 1;
            changed = true;
        }
    }
    return changed;
}

/* A shape cannot be changed, so a larger one takes its place. */
static bool replace_painted(rill_player *player, rill_control_id before, const uint8_t *mask, size_t count) {
    rill_control_def def = rill_default_control_def();
    if (before.value && rill_control_get_def(player->world, before, &def) != RILL_OK) return false;
    if (before.value && rill_control_destroy(player->world, before) != RILL_OK) return false;
    def.name = PAINTED;
    def.mask = mask;
    def.mask_count = count;
    def.inside = (rill_contact_angle){ WETS, WETS };
    return rill_control_create(player->world, &def, NULL) == RILL_OK;
}

void rill_hand_paint(rill_player *player) {
    rill_hand_state *hand = &player->hand;
    rill_grid grid;
    double at[3];
    rill_world_get_grid(player->world, &grid);
    if (!aim(player, grid.cell_size, at)) {
        hand->drags = false;
        return;
    }
    const size_t count = (size_t)grid.cells[0] * (size_t)grid.cells[1];
    uint8_t *mask = calloc(count, 1);
    const rill_control_id before = rill_control_find(player->world, PAINTED);
    bool good = mask && (!before.value || rill_control_read_mask(player->world, before, mask, count) == RILL_OK);
    if (good &&
        paint_line(&grid, hand->drags ? hand->at : at, at, fmax(hand->radius, LEAST_PAINT * grid.cell_size), mask))
        good = replace_painted(player, before, mask, count);
    if (!good) rill_player_say(player, "%s", mask ? rill_world_message(player->world) : "out of memory");
    free(mask);
    hand->drags = true;
    memcpy(hand->at, at, sizeof hand->at);
}

/* ------------------------------------------------------------------------------------------------------------ push */

static bool movable(rill_player *player, int32_t index, rill_solid_id id) {
    const rill_scene_solid *solid = (size_t)index < player->scene->solid_count ? &player->scene->solids[index] : NULL;
    const char *name = rill_solid_name(player->world, id);
    name = name && *name ? name : "this solid";
    if (solid && solid->key_count) {
        rill_player_say(player, "%s moves by itself, as the scene says", name);
        return false;
    }
    rill_solid_mesh mesh;
    rill_grid grid;
    if (rill_solid_get_mesh(player->world, id, &mesh) != RILL_OK ||
        rill_world_get_grid(player->world, &grid) != RILL_OK)
        return false;
    bool whole = true; /* what lies under everything is the ground to stand on */
    for (size_t k = 0; k < 2; ++k) {
        double low = HUGE_VAL, high = -HUGE_VAL, from = grid.origin[k], size = grid.cell_size * grid.cells[k];
        for (size_t v = 0; v < mesh.vertex_count; ++v) {
            low = fmin(low, mesh.vertices[3 * v + k]);
            high = fmax(high, mesh.vertices[3 * v + k]);
        }
        whole &= low <= from + 0.02 * size && high >= from + 0.98 * size;
    }
    if (whole) rill_player_say(player, "%s lies under everything and stays", name);
    return !whole;
}

void rill_grip_start(rill_player *player, const rill_ray *ray) {
    rill_ray_hit hit;
    rill_grip *grip = &player->grip;
    grip->solid.value = 0;
    player->body_grip.body.value = 0;
    if (!rill_player_pick(player, ray, RILL_RAY_SOLIDS | RILL_RAY_BODIES, &hit)) return;
    if (hit.body.value) {
        rill_body_grip_start(player, ray, &hit);
        return;
    }
    int32_t index = 0;
    while (index < rill_world_solid_count(player->world) &&
           rill_world_solid_at(player->world, index).value != hit.solid.value)
        ++index;
    if (!movable(player, index, hit.solid) ||
        rill_solid_get_pose(player->world, hit.solid, grip->start, grip->rotate) != RILL_OK)
        return;
    grip->solid = hit.solid;
    memcpy(grip->at, hit.point, sizeof grip->at);
    memcpy(grip->goal, grip->start, sizeof grip->goal);
}

/* The solid keeps its height: the point it was taken at stays under the pointer, in a level plane. */
void rill_grip_aim(rill_player *player, const rill_ray *ray) {
    rill_grip *grip = &player->grip;
    double s = (grip->at[2] - ray->origin[2]) / ray->direction[2];
    rill_grid grid;
    if (!grip->solid.value || !(s > 0) || rill_world_get_grid(player->world, &grid) != RILL_OK) return;
    for (int k = 0; k < 2; ++k) {
        double size = grid.cell_size * grid.cells[k], at = ray->origin[k] + s * ray->direction[k];
        at = fmin(fmax(at, grid.origin[k]), grid.origin[k] + size);
        grip->goal[k] = grip->start[k] + at - grip->at[k];
    }
}

void rill_grip_follow(rill_player *player, double reach) {
    rill_grip *grip = &player->grip;
    double place[3], rotate[3];
    if (!grip->solid.value || rill_solid_get_pose(player->world, grip->solid, place, rotate) != RILL_OK) return;
    double dx = grip->goal[0] - place[0], dy = grip->goal[1] - place[1], way = hypot(dx, dy);
    double share = way > reach ? reach / way : 1;
    if (way == 0) return;
    place[0] += share * dx;
    place[1] += share * dy;
    if (rill_solid_set_pose(player->world, grip->solid, place, grip->rotate) != RILL_OK) {
        rill_player_say(player, "%s", rill_world_message(player->world));
        grip->solid.value = 0;
    }
}

/* ------------------------------------------------------------------------------------------------------------ both */

void rill_hand_prepare(rill_player *player, double dt) {
    rill_grid grid;
    rill_world_get_grid(player->world, &grid);
    if (player->hand.mode == RILL_HAND_DRAGS)
        drag_liquid(player, grid.cell_size, dt);
    else if (player->hand.mode == RILL_HAND_POURS || player->hand.mode == RILL_HAND_SUCKS)
        place_source(player, grid.cell_size);
    rill_grip_follow(player, 2 * grid.cell_size); /* liquid is pushed aside well only in small jumps */
}
