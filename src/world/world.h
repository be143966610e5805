/* The inside of a world. Files of src/world: world.c (create, destroy, settings), definition.c (defaults and what a
 * definition may say), liquids.c (presets), world_solids.c and world_bed.c (solids, building the bed), world_moves.c
 * (solids that move), world_sources.c, world_bodies.c, body_insertion.c (room for new bodies), side_velocity.c
 * (velocity through a column's sides), drips.c (what leaves its column for the air), world_edges.c (edges that change), findings.c (what was mended), fill.c, drain.c,
 * field.c, query.c, rays.c and ray_liquid.c, ledger.c, energy.c, step.c (the table of contents of a step),
 * step_events.c (what it reports), validate.c, world_surface.c (what is drawn), world_kandemir.c, world_waves.c and
 * world_wang.c (what those methods alone have), world_tension.c (whether tension acts, and on which angles), world_falls.c (what falls through the air),
 * world_forces.c and
 * world_controls.c (fields, brushes, controls). */
#ifndef RILL_WORLD_WORLD_H
#define RILL_WORLD_WORLD_H

#include "base/array.h"
#include "base/message.h"
#include "bed/bed.h"
#include "bodies/bodies.h"
#include "falls/falls.h"
#include "flow/flow.h"
#include "flow/sources.h"
#include "motion/displace.h"
#include "shape/solid.h"
#include "tasks/tasks.h"
#include "waves/forces.h"
#include "waves/tension.h"

/* Names are for people and for columns of tables: longer ones are refused. */
enum { RILL_NAME_LENGTH = 255 };

/* Largest face velocity that may be set, m/s: faster than anything thin liquid does. */
#define RILL_SPEED_LIMIT 1000.0
/* m/s: no velocity is ever above it. Faster than light, yet small enough for products with depths to be finite
 * floats. */
#define RILL_SPEED_BOUND 1e9f

/* An account of the ledger, in quanta. The fixed ones are always there. */
typedef struct rill_book {
    char *name;
    int64_t poured, drained;
    bool used; /* by a source that is alive */
} rill_book;
enum { RILL_BOOK_FILL = 0, RILL_BOOK_WEST, RILL_BOOK_EAST, RILL_BOOK_SOUTH, RILL_BOOK_NORTH, RILL_BOOK_FIXED };

/* A slot of an id table (ids.h). */
typedef struct rill_solid_slot {
    rill_solid *solid; /* NULL: free, unless it is changed: then it still stands in the bed */
    uint16_t generation;
    bool hidden;      /* not to stand in the bed */
    bool changed;     /* what stands in the bed is not what it is now */
    bool touched;     /* reaches some cell of the bed */
    rill_area built;  /* cells that what stands in the bed has to do with */
    bool wet;         /* some column on it was when the last step ended: step_events.c */
    bool reached;     /* working memory of step_events.c: it is now */
    int64_t wet_cell; /* of `built`, row by row: where it was found to be wet */
    void *user;       /* what the program keeps beside it */
} rill_solid_slot;
enum { RILL_SLOTS_MAX = 65535, RILL_GENERATION_MAX = 65535 };

/* Whether a slot may be used again: columns of the bed name their floors by slot. */
static inline bool rill_slot_free(const rill_solid_slot *slot) {
    return !slot->solid && !slot->changed && slot->generation < RILL_GENERATION_MAX;
}

/* Where the bed has changed, for what is kept beside it (surfaces). Changes are numbered from 1, the first build. */
enum { RILL_BED_LOG = 64 };
typedef struct rill_bed_log {
    uint64_t number;    /* of the last change */
    uint64_t forgotten; /* changes up to this one are not in the list: everything may have changed */
    int32_t count;
    rill_area areas[RILL_BED_LOG]; /* cells */
    uint64_t numbers[RILL_BED_LOG];
} rill_bed_log;

/* Memory of methods beside the flow; at most one is there, and none before there is a bed. */
typedef struct rill_method_memory {
    struct rill_tank *tank;       /* kandemir/kandemir.h */
    struct rill_theta *theta;     /* waves/theta.h */
    struct rill_heights *heights; /* wang/wang.h */
} rill_method_memory;

/* Tells what has changed in a step (step_events.c). */
typedef struct rill_event_item {
    rill_event_kind kind;
    uint16_t slot, generation; /* of what it is about */
    double time;               /* s, from the beginning of the step */
} rill_event_item;
typedef struct rill_events {
    rill_array list; /* rill_event_item: of the last step */
    uint8_t *marks;  /* per tile of the bed: what is known about its floors */
    size_t mark_count;
    uint64_t bed_number; /* of the bed that the marks are for */
} rill_events;

/* Working memory for solids that move (world_moves.c). */
typedef struct rill_moves rill_moves;

struct rill_world {
    rill_world_def def; /* as given; gravity, liquid and solver are the live values; name points to the member below */
    char *name;         /* owned */
    rill_allocator allocator;
    rill_pool *pool;

    rill_array solids;           /* rill_solid_slot; at most RILL_SLOTS_MAX */
    size_t solids_free;          /* how many of the slots may be used again */
    size_t changes;              /* how many are changed */
    rill_moves *moves;           /* NULL until something moves */
    bool squeezed;               /* liquid was pushed through solids since the last step */
    rill_array moving_solids;    /* rill_moving_solid: solids that have moved lately, by slot */
    rill_cell_times *cell_times; /* per cell: when solids had to do with it; NULL until one moves */
    bool built;
    rill_bed bed;
    rill_flow flow;
    rill_method_memory method;
    rill_tension_state *tension; /* NULL while there is none */
    uint64_t tension_change;     /* of the bed, as of which it is */
    rill_falls *falls;           /* NULL until something may fall, and again once nothing does */
    rill_wetting wetting;        /* without planes while there is no tension; up to date while a step is under way */
    rill_bed_log bed_log;
    int32_t *pipes_by_r; /* the numbers of the sparse pipes, ordered by pipe_r: a column's west and south sides */
    size_t by_r_capacity;
    rill_array sources; /* rill_source; flow/sources.h */
    size_t sources_free;
    rill_source found_source;     /* working memory for a source that is moved: its columns alone, */
    rill_source_work source_work; /* and what it takes to find them */
    rill_array books; /* rill_book; RILL_BOOK_FIXED, then those of sources; none has more than one at a time */
    int32_t dripped;  /* the account of that name, once a step has asked for it */

    rill_bodies bodies;
    rill_forces forces;

    rill_array shells;    /* rill_shell_slot; world/world_shells.h */
    double shell_quantum; /* m3: where there is no grid; 0: there was no shell yet */

    double time;
    rill_step_info step;
    rill_events events;
    rill_message message;
    rill_message *note; /* &message: also calls that only read say what was wrong */
};

static inline size_t rill_world_cells(const rill_world *world) {
    return (size_t)world->def.grid.cells[0] * (size_t)world->def.grid.cells[1];
}

static inline bool rill_world_has_grid(const rill_world *world) {
    return world->def.grid.cells[0] > 0;
}

/* definition.c: RILL_OK, or a message that names the member, the value found and the range. */
rill_result rill_check_world_def(const rill_world_def *def, rill_message *message);
rill_result rill_check_gravity(const double gravity[3], rill_message *message);
rill_result rill_check_liquid(const rill_liquid *liquid, rill_message *message);
rill_result rill_check_solver(const rill_solver *solver, rill_message *message);
rill_result rill_check_runtime(const rill_runtime *runtime, rill_message *message);
rill_result rill_check_edge(int32_t side, const rill_edge *edge, rill_message *message);
rill_result rill_check_source_def(const rill_source_def *def, rill_message *message);
rill_result rill_check_brush(const rill_brush *brush, rill_message *message);
/* All of a control but its shape. */
rill_result rill_check_control_def(const rill_control_def *def, rill_message *message);
rill_result rill_check_name(const char *what, const char *name, rill_message *message);

/* methods.c. Frees what is there, and leaves it empty. */
void rill_method_memory_free(rill_method_memory *memory, const rill_allocator *allocator);

/* m3 of one quantum of depth. */
static inline double rill_quantum_volume(const rill_bed *bed) {
    return bed->quantum * bed->grid.cell_size * bed->grid.cell_size;
}

/* world.c. A new world with no bed and nothing in it but the fixed books; the pool is not started. */
rill_result rill_world_make(const rill_world_def *def, rill_world **out, rill_message *message);
/* Starts the pool of a finished world and hands it out, or destroys it. */
rill_result rill_world_start(rill_world *world, rill_world **out, rill_message *message);
/* RILL_INVALID_STATE with a message when the bed is not built. */
rill_result rill_world_need_bed(const rill_world *world, const char *call);
/* A line for the user's log, if there is one. */
RILL_PRINTF(3, 4) void rill_world_log(const rill_world *world, rill_log_level level, const char *format, ...);

/* findings.c. Logs what was mended or ignored in a solid that is new, and in the bed: of the latter only what `before`
 * had none of, so that a solid that moves does not fill the log. */
void rill_world_log_solid(const rill_world *world, const rill_solid *solid);
void rill_world_log_bed(const rill_world *world, const rill_bed_info *before);

/* world_shells.c. Frees all shells. */
void rill_world_free_shells(rill_world *world);
/* shell_step.c. Moves liquid on all shells by dt. */
void rill_shells_step(rill_world *world, double dt, rill_step_info *info);
/* shell_liquid.c. What is on all shells, quanta; takes it away, and returns how much that was. */
int64_t rill_shells_quanta(const rill_world *world);
int64_t rill_shells_empty(rill_world *world);

/* world_tension.c. Whether surface tension acts on the world as it is set now. */
bool rill_world_tension(const rill_world *world);
/* Before a step, and when the bed was built anew: contact angles of all columns and what tension keeps of them while it
 * acts, and no memory for that while it does not, nor if there is not enough. */
rill_result rill_world_ready_tension(rill_world *world);
/* Fills the planes of contact angles anew where the bed or a solid has changed since; everywhere for another liquid, or when
 * controls have changed. There may be none. */
void rill_world_refresh_wetting(rill_world *world);
/* G = gamma / rho, m3/s2. */
double rill_world_tension_strength(const rill_world *world);

/* world_wang.c. Before a step: the account of what heights gain and lose, with papers wang. */
rill_result rill_world_ready_wang(rill_world *world);
/* world_falls.c. Whether what runs off edges falls, as the world is set now. */
bool rill_world_falls(const rill_world *world);
rill_falls_gravity rill_world_falls_gravity(const rill_world *world);
/* Before a step, and when the bed has changed: brinks of the bed as it is, flights through it, and memory for a step of `dt`. */
rill_result rill_world_ready_falls(rill_world *world, double dt);

/* drips.c. Liquid that leaves what it was on, for the air: whoever lets go of some, be it a pane, a shell or a brink, takes it from
 * where it was and hands it over here. */
typedef struct rill_drip {
    double position[3]; /* m */
    int64_t quanta;     /* of volume (rill_quantum_volume); more than 0 */
} rill_drip;
/* Before a step: the account `dripped`, if something may drip. */
rill_result rill_world_ready_drips(rill_world *world);
/* Takes it: it comes down at once, straight below, on the shell or column there, or on the body in it, which wakes. What meets
 * nothing is booked as drained, under `dripped`; so is what finds no room. */
void rill_world_hand_over(rill_world *world, const rill_drip *drip);

/* step_events.c. What a step reports. */
rill_events rill_events_make(void);
void rill_events_free(rill_events *events, const rill_allocator *allocator);
/* Before a step: memory for all that may be reported, and marks for the bed as it is. */
rill_result rill_world_ready_events(rill_world *world);
/* It begins: nothing has happened yet. */
void rill_events_begin(rill_world *world);
/* After each sub-step, which ended at a time from the beginning of the step; and at the end of the step. */
void rill_events_note_sources(rill_world *world, double time);
void rill_events_end(rill_world *world, double time);

/* step.c. What a metre of head is worth, m/s2: gravity into the bed, or off it, and at least an eighth of that along it, so that
 * heads along a wall are whole numbers, too; 1 without gravity. */
double rill_world_head_gravity(const rill_world *world);
/* The share of a level that counts as head: gravity into the bed over that, negative where it pulls off. */
double rill_world_upright(const rill_world *world);
/* Whether the method knows gravity along the bed and off it. */
bool rill_world_turns(const rill_world *world);
/* Gravity into the bed for bodies and methods that know no other, m/s2: at least an eighth of that along it. */
double rill_world_lifted_gravity(const rill_world *world);
/* Measures the flow, after it was changed by hand. */
void rill_world_measure_flow(rill_world *world);

/* world_solids.c. The solid of an id, or NULL with a message. */
const rill_solid_slot *rill_world_solid(const rill_world *world, rill_solid_id id);
/* A solid for this world's grid; `soft` if it is one whose vertices have been set. */
rill_result rill_world_make_solid(const rill_world *world, const rill_solid_def *def, bool soft, rill_solid **out,
                                  rill_message *message);

/* world_bed.c. Makes the flow over a bed, with what solves for its flooded columns; and frees both. */
rill_result rill_world_make_flow(const rill_world *world, const rill_bed *bed, rill_flow *out, rill_message *message);
void rill_world_free_flow(const rill_world *world, rill_flow *flow);
/* Makes flow and pipe index for the world's bed, which is freed on failure. */
rill_result rill_world_raise_bed(rill_world *world, rill_message *message);
/* The cells a slot's solid has to do with, as it is now; none if it is hidden or gone. */
rill_area rill_world_reach(const rill_world *world, const rill_solid_slot *slot);

/* world_moves.c. Brings the bed up to date with the solids. On failure bed and liquid are as they were. */
rill_result rill_world_follow(rill_world *world);
/* The solids that move, as they are known at the beginning of a step. */
rill_motion rill_world_motion(const rill_world *world);
/* Makes cell_times, if there is none yet. False without memory. */
bool rill_world_time_cells(rill_world *world);
void rill_moves_free(rill_world *world);

/* world_bed.c. Writes a change into the log: of some areas, or of everything if there are none. */
void rill_bed_log_change(rill_bed_log *log, const rill_area *areas, size_t count);

/* world_bodies.c. A sub-step as bodies see it. */
rill_body_stage rill_world_body_stage(rill_world *world, const rill_flow_settings *settings,
                                      const rill_kernel_constants *constants, double dt, double gravity);
/* Before a step: memory for bodies over the bed as it is now. */
rill_result rill_world_ready_bodies(rill_world *world);
/* It begins: no forces yet. */
void rill_world_forget_forces(rill_world *world);
/* Checks what holds for any body, with its motion within `bound` (m, m/s, rad/s, m/s2). */
#define RILL_BODY_BOUND 1e30
rill_result rill_check_body(const rill_body *body, double bound, rill_message *message);
/* Finds the columns that are under bodies now; for a fill holds are as full as what is around them. */
void rill_world_cover(rill_world *world, bool fill);
/* Liquid on bodies that found no room when they went away is booked as drained; false: there was none. */
bool rill_world_book_lost(rill_world *world);
/* body_insertion.c: makes room for a body that is new. `queue` has a place for each column of the bed. */
void rill_world_insert_body(rill_world *world, const rill_body *body, int32_t *queue);
void rill_world_free_bodies(rill_world *world);

/* world_forces.c. Drives flow or tank by the forces as they are now. */
void rill_world_apply_forces(rill_world *world, bool wake);
/* Drives it by controls when these begin or cease to act: columns have other contact angles then, too. */
void rill_world_follow_controls(rill_world *world);
/* Memory in a flow for what forces there are. */
rill_result rill_world_ready_forces(rill_world *world, rill_flow *flow);
/* world_controls.c. A control of a definition that is checked, without an id yet; it does not act yet. */
rill_result rill_control_make(const rill_world *world, const rill_control_def *def, rill_control *out);

/* world_sources.c: what a failed or destroyed source owns. */
void rill_world_drop_source(const rill_world *world, rill_source *source);

/* A column's ceiling in metres; infinity under open sky. */
double rill_world_ceiling(const rill_world *world, int32_t place);

/* side_velocity.c. Finds the order of pipes_by_r; RILL_OUT_OF_MEMORY leaves it NULL. */
rill_result rill_faces_make(rill_world *world);
void rill_faces_free(rill_world *world);
/* The order of the bed's pipes, written to `by_r`, from the `old_count` there were before: `from` is the number that
 * each had then, or -1. `fresh` has a place for each pipe, `renumber` one for each old pipe. */
void rill_faces_renew(const rill_bed *bed, const int32_t *from, const int32_t *old_by_r, int32_t old_count,
                      int32_t *by_r, int32_t *fresh, int32_t *renumber);
/* Is there a dense pipe between two neighbouring places of one sheet? */
bool rill_face_joined(const rill_bed *bed, int32_t low, int32_t high);
/* The velocity through a column's side (RILL_WEST ...), m/s: of its dense pipe, else the mean of its sparse ones. */
double rill_face_velocity(const rill_world *world, const rill_sheet *sheet, int32_t place, int side);
/* Sets it instead, for every pipe of that side; false, and nothing done, when there is none. */
bool rill_face_set(rill_world *world, const rill_sheet *sheet, int32_t place, int side, float velocity);
/* The sheet of a column, `hint` (may be NULL) first: columns asked for in order mostly share one. */
const rill_sheet *rill_face_sheet(const rill_bed *bed, int32_t place, const rill_sheet *hint);

/* ledger.c. The accounts that every world has. */
rill_result rill_books_make(rill_world *world);
void rill_books_free(rill_world *world);
/* Returns the account of a name that no source has: one there was, else a new one. -1: no memory. */
int32_t rill_book_open(rill_world *world, const char *name);
/* Books a change of columns: positive as poured, negative as drained. */
void rill_book_change(rill_world *world, int32_t book, int64_t quanta);
/* Takes back what was booked as poured, for it found no room. */
void rill_book_take_back(rill_world *world, int32_t book, int64_t quanta);
/* Counts all there is and returns how much that is above what the books say: always 0 between sub-steps. */
int64_t rill_world_imbalance(const rill_world *world);

/* audit.c. With asserts on: reports quanta that a stage has lost or made, but for those refused and not yet given
 * back. */
void rill_world_audit(const rill_world *world, rill_stage stage, int64_t refused);

#endif
