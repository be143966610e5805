/* Plays a world in a thread of its own, in real time or as near to it as the machine can.
 *
 * The window gives orders, which the thread carries out between steps, and reads a status that is copied out after
 * each. To draw, it claims the world: the thread then waits after its present step, until it is released. A claim never
 * waits for longer than it was told to, so that the window stays alive however long a step takes; after a claim in vain
 * the thread waits for a moment, so that the next one has better luck. */
#ifndef RILL_VIEWER_PLAYER_H
#define RILL_VIEWER_PLAYER_H

#include "rill/rill.h"
#include "scene/scene.h"

typedef struct rill_player rill_player;

typedef enum rill_order_kind {
    RILL_ORDER_OPEN =
        0, /* text: a scene file; numbers[0] > 0: run that far (or half of it) at once, then pause; flag: with --set */
    RILL_ORDER_OPEN_MESH, /* text: a mesh file, which becomes the bed */
    RILL_ORDER_RESTART,   /* flag: settings of the liquid and so on are the scene's again, too */
    RILL_ORDER_PLAY,      /* flag: go on, or pause */
    RILL_ORDER_STEP,      /* one frame */
    RILL_ORDER_SPEED,     /* numbers[0]: 1 is real time */
    RILL_ORDER_HAND,      /* mode: rill_hand; ray; numbers: rate in m3/s, radius in m */
    RILL_ORDER_GRAB,      /* ray: the solid or body that is met follows ... */
    RILL_ORDER_DRAG,      /* ray: ... to here ... */
    RILL_ORDER_LET_GO,    /* ... and no more: bodies fly on */
    RILL_ORDER_BODY,      /* ray: a ball is dropped there; flag: a box */
    RILL_ORDER_LIQUID,
    RILL_ORDER_GRAVITY, /* numbers */
    RILL_ORDER_SOLVER,
    RILL_ORDER_CONTROL, /* numbers[1]: strength in m/s2 of the control of index numbers[0] */
    RILL_ORDER_SAVE,    /* text: file for a snapshot */
    RILL_ORDER_LOAD     /* text: of a snapshot */
} rill_order_kind;

typedef enum rill_hand {
    RILL_HAND_IDLE = 0,
    RILL_HAND_POURS,
    RILL_HAND_SUCKS,
    RILL_HAND_DRAGS,
    RILL_HAND_PAINTS
} rill_hand;

typedef struct rill_order {
    rill_order_kind kind;
    bool flag;
    rill_hand mode;
    double numbers[3];
    rill_ray ray;
    rill_liquid liquid;
    rill_solver solver;
    char text[1024];
} rill_order;

enum { RILL_PLAYER_ACCOUNTS = 16 };
typedef struct rill_player_account {
    char name[40];
    double poured, drained; /* m3 */
} rill_player_account;

enum { RILL_PLAYER_CONTROLS = 8 };
typedef struct rill_player_control {
    char name[40];
    double strength; /* m/s2 */
    bool acts;       /* now: it has its times */
} rill_player_control;

typedef struct rill_player_status {
    bool open;       /* there is a world */
    bool opening;    /* there will be one soon */
    bool playing;    /* not paused */
    bool ahead;      /* runs as fast as it can, to the time that was asked for */
    double share;    /* of that time, 0 to 1 */
    double time;     /* s, of the world */
    double speed;    /* that is wanted */
    double rate;     /* simulated seconds per second, of late */
    uint64_t steps;  /* so far */
    uint64_t opened; /* as in rill_player_view */
    rill_step_info step;
    double step_seconds, surface_seconds; /* of the last step, and of building the surface after it */
    rill_ledger ledger;
    rill_player_account accounts[RILL_PLAYER_ACCOUNTS]; /* those that are not empty; of the same name together */
    int32_t account_count;
    rill_player_control controls[RILL_PLAYER_CONTROLS]; /* the first ones, in order of creation */
    int32_t control_count;
    rill_liquid liquid;
    rill_solver solver;
    double gravity[3];
    rill_message note;   /* the last thing worth telling */
    uint64_t note_count; /* how many there have been */
    uint64_t orders;     /* carried out */
} rill_player_status;

typedef struct rill_player_options {
    rill_runtime runtime;
    rill_scene_options scene; /* what is pointed to must live on */
} rill_player_options;

/* Makes a player. NULL: no memory, or no thread. */
rill_player *rill_player_create(const rill_player_options *options);
void rill_player_destroy(rill_player *player); /* NULL is allowed */

/* Queues an order; one of the same kind that waits at the end of the queue is replaced if only the newest counts.
 * Returns the value that rill_player_status.orders will have when it is carried out. */
uint64_t rill_player_give(rill_player *player, const rill_order *order);
void rill_player_read(rill_player *player, rill_player_status *out);

/* Returns what there is to draw. NULL and 0 when nothing is open. */
typedef struct rill_player_view {
    const rill_scene *scene;
    rill_world *world;
    rill_surface *surface; /* built */
    uint64_t opened;       /* counts worlds: another number, another world */
    uint64_t version;      /* counts changes of what can be seen */
} rill_player_view;
/* Waits for at most `patience` seconds. True: the world is the caller's until rill_player_release. */
bool rill_player_claim(rill_player *player, double patience, rill_player_view *out);
void rill_player_release(rill_player *player);

/* Returns seconds, from an arbitrary start. */
double rill_player_clock(void);

#endif
