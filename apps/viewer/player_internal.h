/* Shared by the files of the player: player.c has the thread, player_orders.c what it is told to do, player_hand.c
 * what is done to liquid and solids by hand, player_bodies.c to bodies. */
#ifndef RILL_VIEWER_PLAYER_INTERNAL_H
#define RILL_VIEWER_PLAYER_INTERNAL_H

#include <pthread.h>

#include "physics/physics.h"
#include "player.h"

enum { RILL_ORDER_ROOM = 64 };

/* Liquid poured, sucked or dragged along where a ray ends, and shapes painted for it. */
typedef struct rill_hand_state {
    rill_hand mode;
    rill_ray ray;
    double rate, radius;
    rill_source_id source; /* null: none */
    double at[3];          /* where it is; of a hand that drags or paints: where it was before, */
    bool drags;            /* if there was one */
    bool told;             /* that it finds no place */
} rill_hand_state;

/* A solid that follows the pointer. */
typedef struct rill_grip {
    rill_solid_id solid; /* null: none */
    double at[3];        /* where it was taken hold of */
    double start[3];     /* its place then */
    double goal[3];      /* where it is to go */
    double rotate[3];    /* stays */
} rill_grip;

/* A body that follows the pointer, in a plane across the view. */
typedef struct rill_body_grip {
    rill_body_id body;       /* null: none */
    double own[3];           /* where it was taken hold of: from its centre of mass, in its own frame */
    double at[3], across[3]; /* m: the plane: a point, and a normal of any length */
    double goal[3];          /* m: where the pointer is in it */
} rill_body_grip;

struct rill_player {
    rill_player_options options;
    pthread_t thread;
    pthread_mutex_t mutex; /* over everything until the blank line */
    pthread_cond_t changed;
    rill_order orders[RILL_ORDER_ROOM];
    size_t order_count;
    uint64_t orders_given;
    rill_player_status status;
    bool quit, busy;     /* busy: the thread has the world ... */
    double busy_since;   /* ... since that clock */
    bool held;           /* the window has it */
    double wanted_until; /* clock: the window wants it, and will come back */
    double claimed, gap; /* clock of the last claim; s between claims, of late */

    /* Of the thread while it is busy, else of who has claimed the world. */
    rill_scene *scene;
    rill_world *world;
    rill_physics *physics;
    rill_surface *surface;
    uint64_t opened, version;
    bool playing;
    double speed, ahead;       /* ahead > 0: run to this time */
    double due;                /* the time the world should have by now, s */
    double last;               /* the clock when `due` was right */
    double rate_time, rate_at; /* where the present measurement of the rate began: world and clock */
    double rate;
    double step_seconds, surface_seconds;
    uint64_t steps, note_count;
    rill_message note;
    rill_hand_state hand;
    rill_grip grip;
    rill_body_grip body_grip;
    int dropped;                              /* bodies, so far */
    bool own_liquid, own_gravity, own_solver; /* set by hand, so that they survive a restart */
};

void rill_player_say(rill_player *player, const char *text, ...) __attribute__((format(printf, 2, 3)));
/* Does one step; false: it was refused and the player is paused. */
bool rill_player_step(rill_player *player, double dt);
/* Makes the surface fit the world. */
void rill_player_build(rill_player *player);
void rill_player_obey(rill_player *player, const rill_order *order);

/* Moves, before a step of `dt`, the hand's source to where its ray ends, or drags liquid there, and a solid that is held a bit of its way. */
void rill_hand_prepare(rill_player *player, double dt);
void rill_hand_stop(rill_player *player);
/* Adds what the hand has gone over since it was here last to a shape that draws liquid. */
void rill_hand_paint(rill_player *player);
/* Finds the nearest thing of some kinds under the pointer; false: there is none. */
bool rill_player_pick(const rill_player *player, const rill_ray *ray, uint32_t targets, rill_ray_hit *out);
void rill_grip_start(rill_player *player, const rill_ray *ray);
void rill_grip_aim(rill_player *player, const rill_ray *ray);
/* Moves what is held at most `reach` metres towards the goal. */
void rill_grip_follow(rill_player *player, double reach);

/* Takes hold of a body where a ray met it. */
void rill_body_grip_start(rill_player *player, const rill_ray *ray, const rill_ray_hit *hit);
void rill_body_grip_aim(rill_player *player, const rill_ray *ray);
/* Gives a held body, before a step, velocity towards the pointer. */
void rill_body_grip_pull(rill_player *player, double dt);
/* Drops a new body from above where the ray ends. */
void rill_body_drop(rill_player *player, const rill_ray *ray, bool box);

/* Makes a scene with a mesh as its bed; NULL with a message. */
rill_scene *rill_mesh_scene(const char *path, rill_message *message);

#endif
