/* The thread that plays. See player.h for the rules between it and the window. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "player_internal.h"

static const double BATCH = 0.012;       /* s: steps go on for so long before the window gets a chance */
static const double MOST_BEHIND = 0.1;   /* s: what is missing beyond is given up */
static const double RATE_WINDOW = 0.5;   /* s */
static const double AHEAD_BATCH = 0.05;  /* s, when running ahead, where nobody looks */
static const double LONGEST_SLEEP = 0.1; /* s */
static const double WAITING = 0.03;      /* s: at least, for a window that has claimed the world in vain */
static const double MOST_WAITING = 0.3;  /* s: at most; else 1.5 times as long as it took between claims */

double rill_player_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void rill_player_say(rill_player *player, const char *text, ...) {
    va_list list;
    va_start(list, text);
    vsnprintf(player->note.text, sizeof player->note.text, text, list);
    va_end(list);
    ++player->note_count;
}

/* ----------------------------------------------------------------------------------------------------------- steps */

bool rill_player_step(rill_player *player, double dt) {
    rill_status status = 0;
    rill_hand_prepare(player, dt);
    rill_body_grip_pull(player, dt);
    double start = rill_player_clock();
    if (rill_physics_step(player->physics, dt, &status) != RILL_OK) {
        rill_player_say(player, "Paused: %s", rill_world_message(player->world));
        player->playing = false;
        player->ahead = 0;
        return false;
    }
    player->step_seconds = rill_player_clock() - start;
    ++player->steps;
    return true;
}

void rill_player_build(rill_player *player) {
    double start = rill_player_clock();
    rill_result result = rill_surface_build(player->surface);
    if (result != RILL_OK) rill_player_say(player, "The surface could not be built: %s", rill_result_name(result));
    player->surface_seconds = rill_player_clock() - start;
    ++player->version;
}

/* Steps are frames of the scene, shortened in slow motion so that it stays smooth. */
static double step_length(const rill_player *player) {
    return player->scene->frame * fmin(player->speed, 1);
}

static void measure_rate(rill_player *player, double now) {
    double spent = now - player->rate_at;
    if (spent >= RATE_WINDOW) {
        double time = rill_world_time(player->world);
        player->rate = fmax(time - player->rate_time, 0) / spent;
        player->rate_time = time;
        player->rate_at = now;
    }
}

static void run_ahead(rill_player *player) {
    double start = rill_player_clock(), frame = player->scene->frame;
    while (player->ahead > 0 && rill_player_clock() - start < AHEAD_BATCH) {
        if (rill_world_time(player->world) + 0.5 * frame >= player->ahead)
            player->ahead = 0;
        else
            rill_player_step(player, frame);
    }
    if (!(player->ahead > 0)) rill_player_build(player);
}

static void play_on(rill_player *player) {
    double now = rill_player_clock(), start = now, dt = step_length(player);
    double time = rill_world_time(player->world);
    player->due = fmin(player->due + (now - player->last) * player->speed, time + dt + MOST_BEHIND * player->speed);
    player->last = now;
    bool stepped = false;
    while (player->playing && time + dt <= player->due && now - start < BATCH) {
        stepped |= rill_player_step(player, dt);
        time = rill_world_time(player->world);
        now = rill_player_clock();
    }
    if (stepped) rill_player_build(player);
    measure_rate(player, now);
}

/* ---------------------------------------------------------------------------------------------------------- status */

static void read_controls(rill_player_status *status, const rill_world *world) {
    const int32_t count = rill_world_control_count(world);
    status->control_count = count < RILL_PLAYER_CONTROLS ? count : RILL_PLAYER_CONTROLS;
    for (int32_t i = 0; i < status->control_count; ++i) {
        rill_player_control *out = &status->controls[i];
        rill_control_def def = rill_default_control_def();
        rill_control_get_def(world, rill_world_control_at(world, i), &def);
        snprintf(out->name, sizeof out->name, "%s", def.name ? def.name : "");
        out->strength = def.strength;
        out->acts = def.from <= status->time && status->time < def.until;
    }
}

static void put_account(rill_player_status *status, const rill_account *account, double unit) {
    int32_t i = 0;
    if (!account->poured && !account->drained) return;
    while (i < status->account_count && strncmp(status->accounts[i].name, account->name, 39) != 0) ++i;
    if (i == RILL_PLAYER_ACCOUNTS) return;
    rill_player_account *out = &status->accounts[i];
    if (i == status->account_count) {
        *out = (rill_player_account){ .poured = 0 };
        snprintf(out->name, sizeof out->name, "%s", account->name);
        ++status->account_count;
    }
    out->poured += (double)account->poured * unit;
    out->drained += (double)account->drained * unit;
}

static void read_world(const rill_player *player, rill_player_status *status) {
    const rill_world *world = player->world;
    status->time = rill_world_time(world);
    rill_world_get_step_info(world, &status->step);
    rill_world_get_ledger(world, &status->ledger);
    rill_world_get_liquid(world, &status->liquid);
    rill_world_get_solver(world, &status->solver);
    rill_world_get_gravity(world, status->gravity);
    read_controls(status, world);
    status->account_count = 0;
    for (int32_t i = 0; i < rill_world_account_count(world); ++i) {
        rill_account account;
        if (rill_world_get_account(world, i, &account) == RILL_OK)
            put_account(status, &account, status->ledger.quantum_volume);
    }
}

/* All that the window may know; not yet where it can see it. */
static void write_status(const rill_player *player, rill_player_status *status) {
    memset(status, 0, sizeof *status);
    status->open = player->world != NULL;
    status->playing = player->playing;
    status->ahead = player->ahead > 0;
    status->speed = player->speed;
    status->rate = player->playing ? player->rate : 0;
    status->steps = player->steps;
    status->opened = player->opened;
    status->step_seconds = player->step_seconds;
    status->surface_seconds = player->surface_seconds;
    status->note = player->note;
    status->note_count = player->note_count;
    if (player->world) {
        read_world(player, status);
        status->share = status->ahead ? status->time / player->ahead : 1;
    }
}

/* ---------------------------------------------------------------------------------------------------------- thread */

static void wait_until(rill_player *player, double clock) {
    struct timespec until = { .tv_sec = (time_t)clock };
    until.tv_nsec = (long)((clock - (double)until.tv_sec) * 1e9);
    pthread_cond_timedwait(&player->changed, &player->mutex, &until);
}

/* Carries out an order, or plays a bit. Returns when there is something to do again. */
static double work(rill_player *player, const rill_order *order) {
    double now = rill_player_clock();
    if (order) {
        rill_player_obey(player, order);
        return now;
    }
    if (player->ahead > 0) {
        run_ahead(player);
        return now;
    }
    if (!player->playing) {
        player->last = now;
        return now + LONGEST_SLEEP;
    }
    play_on(player);
    double missing = rill_world_time(player->world) + step_length(player) - player->due;
    return player->last + fmin(fmax(missing / player->speed, 0), LONGEST_SLEEP);
}

static void *run(void *user) {
    rill_player *player = user;
    double next = 0;
    rill_order order;
    rill_player_status status;
    pthread_mutex_lock(&player->mutex);
    while (!player->quit) {
        bool ordered = player->order_count > 0;
        if (player->held) {
            pthread_cond_wait(&player->changed, &player->mutex);
            continue;
        }
        if (rill_player_clock() < player->wanted_until) {
            wait_until(player, player->wanted_until);
            continue;
        }
        if (!ordered && rill_player_clock() < next) {
            wait_until(player, next);
            continue;
        }
        if (ordered) {
            order = player->orders[0];
            --player->order_count;
            memmove(player->orders, player->orders + 1, player->order_count * sizeof *player->orders);
            player->status.opening |= order.kind == RILL_ORDER_OPEN || order.kind == RILL_ORDER_OPEN_MESH;
        }
        player->busy = true;
        player->busy_since = rill_player_clock();
        pthread_mutex_unlock(&player->mutex);
        next = work(player, ordered ? &order : NULL);
        write_status(player, &status);
        pthread_mutex_lock(&player->mutex);
        player->busy = false;
        status.orders = player->status.orders + (ordered ? 1 : 0);
        player->status = status;
        pthread_cond_broadcast(&player->changed);
    }
    pthread_mutex_unlock(&player->mutex);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- window */

rill_player *rill_player_create(const rill_player_options *options) {
    rill_player *player = calloc(1, sizeof *player);
    if (!player) return NULL;
    pthread_condattr_t attributes;
    player->options = *options;
    player->speed = player->status.speed = 1;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&player->mutex, NULL);
    pthread_cond_init(&player->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&player->thread, NULL, run, player) != 0) {
        pthread_cond_destroy(&player->changed);
        pthread_mutex_destroy(&player->mutex);
        free(player);
        return NULL;
    }
    return player;
}

void rill_player_destroy(rill_player *player) {
    if (!player) return;
    pthread_mutex_lock(&player->mutex);
    player->quit = true;
    pthread_cond_broadcast(&player->changed);
    pthread_mutex_unlock(&player->mutex);
    pthread_join(player->thread, NULL);
    pthread_cond_destroy(&player->changed);
    pthread_mutex_destroy(&player->mutex);
    rill_surface_destroy(player->surface);
    rill_physics_destroy(player->physics);
    rill_world_destroy(player->world);
    rill_scene_free(player->scene);
    free(player);
}

/* Orders of which only the newest counts. */
static bool replaces(rill_order_kind kind) {
    return kind == RILL_ORDER_DRAG || kind == RILL_ORDER_LIQUID || kind == RILL_ORDER_GRAVITY ||
           kind == RILL_ORDER_SOLVER || kind == RILL_ORDER_SPEED;
}

uint64_t rill_player_give(rill_player *player, const rill_order *order) {
    pthread_mutex_lock(&player->mutex);
    rill_order *last = player->order_count ? &player->orders[player->order_count - 1] : NULL;
    bool again = last && last->kind == order->kind &&
                 (replaces(order->kind) || (order->kind == RILL_ORDER_HAND && last->mode == order->mode));
    if (again) {
        *last = *order;
    } else if (player->order_count < RILL_ORDER_ROOM) {
        player->orders[player->order_count++] = *order;
        ++player->orders_given;
        player->status.opening |= order->kind == RILL_ORDER_OPEN || order->kind == RILL_ORDER_OPEN_MESH;
    }
    uint64_t given = player->orders_given;
    pthread_cond_broadcast(&player->changed);
    pthread_mutex_unlock(&player->mutex);
    return given;
}

void rill_player_read(rill_player *player, rill_player_status *out) {
    pthread_mutex_lock(&player->mutex);
    *out = player->status;
    if (player->busy && out->playing && rill_player_clock() - player->busy_since > RATE_WINDOW)
        out->rate = 0; /* a single step takes longer than it is measured */
    for (size_t i = 0; i < player->order_count; ++i)
        out->opening |= player->orders[i].kind == RILL_ORDER_OPEN || player->orders[i].kind == RILL_ORDER_OPEN_MESH;
    pthread_mutex_unlock(&player->mutex);
}

bool rill_player_claim(rill_player *player, double patience, rill_player_view *out) {
    double now = rill_player_clock(), end = now + patience;
    pthread_mutex_lock(&player->mutex);
    player->gap = fmax(0.7 * player->gap, now - player->claimed);
    player->claimed = now;
    player->wanted_until = end + fmin(fmax(1.5 * player->gap, WAITING), MOST_WAITING);
    while (player->busy && rill_player_clock() < end) wait_until(player, end);
    bool mine = !player->busy;
    player->held = mine;
    pthread_mutex_unlock(&player->mutex);
    if (mine)
        *out = (rill_player_view){ player->scene, player->world, player->surface, player->opened, player->version };
    return mine;
}

void rill_player_release(rill_player *player) {
    pthread_mutex_lock(&player->mutex);
    player->held = false;
    player->wanted_until = 0;
    pthread_cond_broadcast(&player->changed);
    pthread_mutex_unlock(&player->mutex);
}
