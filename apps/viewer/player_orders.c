/* Orders, carried out between steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "player_internal.h"
#include "scene/files.h"

static const size_t SNAPSHOT_LIMIT = (size_t)1 << 34;

/* ---------------------------------------------------------------------------------------------------------- worlds */

static void close_world(rill_player *player) {
    rill_surface_destroy(player->surface);
    rill_physics_destroy(player->physics);
    rill_world_destroy(player->world);
    player->surface = NULL;
    player->physics = NULL;
    player->world = NULL;
    player->playing = false;
    player->ahead = 0;
    player->hand = (rill_hand_state){ .mode = RILL_HAND_IDLE };
    player->grip.solid.value = 0;
    player->body_grip.body.value = 0;
}

static void start_clock(rill_player *player) {
    player->due = player->rate_time = rill_world_time(player->world);
    player->last = player->rate_at = rill_player_clock();
    player->rate = player->speed;
}

/* The first complaint is for the window, all of them for the terminal. */
static void tell(rill_player *player, const char *path, const rill_scene_report *report) {
    rill_scene_report_print(report, stderr);
    for (size_t i = 0; i < report->count; ++i) {
        if (!report->items[i].note) {
            rill_player_say(player, "%s", report->items[i].text);
            return;
        }
    }
    rill_player_say(player, "%s: out of memory", path);
}

/* A world for the scene; on failure the one there was stays. */
static bool make_world(rill_player *player, const rill_scene *scene) {
    rill_scene_report report = { 0 };
    rill_world *world = NULL;
    rill_surface *surface = NULL;
    rill_surface_def def = rill_default_surface_def();
    def.distances = true; /* for an overlay that may be wanted at any time */
    rill_scene_result result = rill_scene_create_world(scene, &player->options.runtime, &world, &report);
    bool good = result == RILL_SCENE_OK && rill_surface_create(world, &def, &surface) == RILL_OK;
    rill_physics *physics = good ? rill_physics_create(scene, world) : NULL;
    good = physics != NULL;
    if (!good) {
        tell(player, scene->path, &report);
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    } else {
        close_world(player);
        player->world = world;
        player->physics = physics;
        player->surface = surface;
        ++player->opened;
        player->steps = 0;
        rill_player_build(player);
        start_clock(player);
    }
    rill_scene_report_free(&report);
    return good;
}

static void take_scene(rill_player *player, rill_scene *scene) {
    if (!make_world(player, scene)) {
        rill_scene_free(scene);
        return;
    }
    rill_scene_free(player->scene);
    player->scene = scene;
    player->own_liquid = player->own_gravity = player->own_solver = false;
}

static void open_scene(rill_player *player, const rill_order *order) {
    rill_scene_report report = { 0 };
    rill_scene *scene = NULL;
    uint64_t before = player->opened;
    rill_scene_result result =
        rill_scene_load(order->text, order->flag ? &player->options.scene : NULL, &scene, &report);
    if (result != RILL_SCENE_OK)
        tell(player, order->text, &report);
    else
        take_scene(player, scene);
    rill_scene_report_free(&report);
    if (player->opened != before) {
        player->ahead = fmin(order->numbers[0], 0.5 * player->scene->until);
        player->playing = !(player->ahead > 0);
    }
}

static void open_mesh(rill_player *player, const char *path) {
    rill_message message = { "" };
    uint64_t before = player->opened;
    rill_scene *scene = rill_mesh_scene(path, &message);
    rill_player_say(player, "%s", message.text);
    if (scene) take_scene(player, scene);
    player->playing |= player->opened != before;
}

static void restart(rill_player *player, bool anew) {
    rill_liquid liquid;
    rill_solver solver;
    double gravity[3];
    bool playing = player->playing;
    rill_world_get_liquid(player->world, &liquid);
    rill_world_get_solver(player->world, &solver);
    rill_world_get_gravity(player->world, gravity);
    if (!make_world(player, player->scene)) return;
    player->playing = playing;
    if (anew) player->own_liquid = player->own_gravity = player->own_solver = false;
    if (player->own_liquid) rill_world_set_liquid(player->world, &liquid);
    if (player->own_solver) rill_world_set_solver(player->world, &solver);
    if (player->own_gravity) rill_world_set_gravity(player->world, gravity);
}

/* ------------------------------------------------------------------------------------------------------- snapshots */

static void save(rill_player *player, const char *path) {
    rill_message message = { "" };
    char folder[1024];
    rill_hand_stop(player); /* a source that only the hand has must not pour for ever when it is loaded */
    snprintf(folder, sizeof folder, "%.*s", (int)(rill_file_leaf(path) - path), path);
    size_t capacity = rill_snapshot_size(player->world), size = 0;
    void *memory = malloc(capacity ? capacity : 1);
    bool good = memory && rill_snapshot_save(player->world, memory, capacity, &size) == RILL_OK;
    if (!good) {
        rill_player_say(player, "No snapshot: %s", memory ? rill_world_message(player->world) : "out of memory");
    } else if (*folder && !rill_file_make_folders(folder, &message)) {
        rill_player_say(player, "No snapshot: %s", message.text);
    } else {
        FILE *file = fopen(path, "wb");
        good = file && fwrite(memory, 1, size, file) == size;
        good = file && fclose(file) == 0 && good;
        rill_player_say(player, good ? "Snapshot: %s" : "No snapshot: %s cannot be written", path);
    }
    free(memory);
}

static void load(rill_player *player, const char *path) {
    rill_message message = { "" };
    char *memory = NULL;
    size_t size = 0;
    rill_hand_stop(player);
    player->grip.solid.value = 0;
    player->body_grip.body.value = 0;
    if (rill_file_read(path, SNAPSHOT_LIMIT, &memory, &size, &message) != RILL_OK) {
        rill_player_say(player, "No snapshot: %s: %s", path, message.text);
    } else if (rill_snapshot_restore(player->world, memory, size) != RILL_OK) {
        rill_player_say(player, "No snapshot: %s", rill_world_message(player->world));
    } else {
        rill_player_say(player, "Back to the snapshot at %.2f s", rill_world_time(player->world));
        rill_player_build(player);
        start_clock(player);
    }
    free(memory);
}

/* ---------------------------------------------------------------------------------------------------------- orders */

static void set(rill_player *player, rill_result result, bool *own) {
    if (result == RILL_OK)
        *own = true;
    else
        rill_player_say(player, "%s", rill_world_message(player->world));
}

static void set_hand(rill_player *player, const rill_order *order) {
    rill_hand_state *hand = &player->hand;
    if (order->mode != hand->mode || order->numbers[0] != hand->rate || order->numbers[1] != hand->radius)
        rill_hand_stop(player);
    hand->told &= order->mode == hand->mode;
    hand->mode = order->mode;
    hand->ray = order->ray;
    hand->rate = order->numbers[0];
    hand->radius = order->numbers[1];
    if (hand->mode == RILL_HAND_PAINTS) rill_hand_paint(player);
}

static void single_step(rill_player *player) {
    player->playing = false;
    if (rill_player_step(player, player->scene->frame)) rill_player_build(player);
}

/* While nothing steps, a solid goes where the pointer is at once. */
static void drag(rill_player *player, const rill_ray *ray) {
    rill_body_grip_aim(player, ray);
    rill_grip_aim(player, ray);
    if (!player->playing && player->grip.solid.value) {
        rill_grip_follow(player, 1e9);
        if (rill_bed_build(player->world) != RILL_OK) rill_player_say(player, "%s", rill_world_message(player->world));
        rill_player_build(player);
    }
}

void rill_player_obey(rill_player *player, const rill_order *order) {
    switch (order->kind) {
    case RILL_ORDER_OPEN: open_scene(player, order); return;
    case RILL_ORDER_OPEN_MESH: open_mesh(player, order->text); return;
    case RILL_ORDER_SPEED:
        player->speed = order->numbers[0];
        if (player->world) start_clock(player);
        return;
    default: break;
    }
    if (!player->world) return;
    switch (order->kind) {
    case RILL_ORDER_RESTART: restart(player, order->flag); break;
    case RILL_ORDER_PLAY:
        player->playing = order->flag;
        start_clock(player);
        break;
    case RILL_ORDER_STEP: single_step(player); break;
    case RILL_ORDER_HAND: set_hand(player, order); break;
    case RILL_ORDER_GRAB: rill_grip_start(player, &order->ray); break;
    case RILL_ORDER_DRAG: drag(player, &order->ray); break;
    case RILL_ORDER_LET_GO: player->grip.solid.value = player->body_grip.body.value = 0; break;
    case RILL_ORDER_BODY: rill_body_drop(player, &order->ray, order->flag); break;
    case RILL_ORDER_LIQUID:
        set(player, rill_world_set_liquid(player->world, &order->liquid), &player->own_liquid);
        break;
    case RILL_ORDER_GRAVITY:
        set(player, rill_world_set_gravity(player->world, order->numbers), &player->own_gravity);
        break;
    case RILL_ORDER_SOLVER:
        set(player, rill_world_set_solver(player->world, &order->solver), &player->own_solver);
        break;
    case RILL_ORDER_CONTROL:
        if (rill_control_set_strength(player->world, rill_world_control_at(player->world, (int32_t)order->numbers[0]),
                                      order->numbers[1]) != RILL_OK)
            rill_player_say(player, "%s", rill_world_message(player->world));
        break;
    case RILL_ORDER_SAVE: save(player, order->text); break;
    case RILL_ORDER_LOAD: load(player, order->text); break;
    default: break;
    }
}
