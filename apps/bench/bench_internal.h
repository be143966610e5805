/* The parts of `rill bench`: bench.c (output), bench_cases.c, bench_crowded.c, bench_falls.c, bench_moving.c, bench_shells.c and
 * bench_bodies.c (the worlds), bench_measure.c (the clock, and what memory is asked for), bench_triad.c (the yardsticks), bench_targets.c
 * (what is expected).
 *
 * A *step* is one sub-step of rill_world_step, or one rill_surface_build. A *column* is a live column of the bed or of a
 * shell, wet or dry. Every time is the minimum over repeats: other programs only ever make a run slower. */
#ifndef RILL_BENCH_BENCH_INTERNAL_H
#define RILL_BENCH_BENCH_INTERNAL_H

#include "rill/rill.h"

/* Brings a case's world to the state that is measured. */
typedef rill_result rill_bench_build(rill_world *world);
/* Moves something before each frame, timed with it; `frame` counts from the start of a repeat. */
typedef rill_result rill_bench_move(rill_world *world, int64_t frame);

/* Of the pond with bodies, m. */
#define RILL_BENCH_POND_CELL 5e-3

/* Of the world of many falls, m; and s: what crosses a brink in so long is one parcel. */
#define RILL_BENCH_FALLS_CELL 1e-2
#define RILL_BENCH_FALLS_WINDOW (1.0 / 240.0)

typedef struct rill_bench_case {
    const char *name;
    int32_t threads;
    const char *scene;       /* the shipped scene that is run; NULL: the world is built */
    int32_t cells;           /* along each side of the grid; 0: there is none */
    double cell_size;        /* m; 0: a millimetre */
    double frame;            /* s per rill_world_step; a scene brings its own */
    rill_bench_build *build; /* solids, bed and liquid; NULL for a scene */
    rill_bench_move *move;   /* NULL: nothing moves */
    rill_method method;      /* solver.method */
    bool paper;              /* solver.pipe_area = paper */
    bool blocked;            /* solver.passages = off: what the same world costs without the pressure solve */
    bool tension;            /* solver.tension */
    bool falls;              /* solver.falls = flight, and what falls cost by themselves is timed as well */
    bool rest;               /* solver.rest, and the world is left alone until nothing is awake */
    bool rewind;             /* each repeat starts from the same snapshot, because the liquid does not stay as it is */
    bool surface;       /* making the surface's mesh is timed, in every frame, and not the step: for it read build */
    double triad_bytes; /* over which triad runs; 0: as much as the world's state */
} rill_bench_case;

typedef struct rill_bench_options {
    int32_t repeats;
    bool scalar;
    const char *scenes; /* folder; NULL: looked for around the program and where it was started */
} rill_bench_options;

typedef struct rill_bench_row {
    const char *name;
    int64_t columns;
    int32_t threads;
    double ns_per_column_step, ms_per_step;
    double beats_per_step;   /* the same in units of the clock: what ratios of cases compare */
    double ms_per_frame;     /* with what is moved before it */
    double ms_high, ms_most; /* where something moves: what 95 of 100 frames stay below, and the slowest; else 0 */
    double bytes_per_column; /* rill_bed_info.state_bytes over the columns */
    double times_triad;      /* ns_per_column_step over the time triad needs for 28 bytes */
    double us_of_falls;      /* per step: of the stage in which falls land and start, with what pours in it; else 0 */
    double real_time_factor; /* simulated seconds per second of wall time */
    double cycle_ns;         /* of the processor's clock beside the fastest steps */
    double triad_ns;         /* that triad needs for 28 bytes */
    double asked_per_column; /* bytes: the most that the library has asked for at once, without a surface */
} rill_bench_row;

const rill_bench_case *rill_bench_cases(size_t *count);

/* Adds ground and four platforms above it, with one block in twenty left out; the ground has no holes: a hole in it
 * would be no column at all. Then, once there is a bed, rippled liquid on every floor. */
rill_result rill_bench_add_platforms(rill_world *world, bool holes);
rill_result rill_bench_fill_platforms(rill_world *world, double depth);
/* Fills in gentle waves on liquid of a depth; what bodies displace is left out. */
rill_result rill_bench_fill_waves(rill_world *world, double depth);
/* Build worlds with bodies. bench_bodies.c */
rill_result rill_bench_build_boats(rill_world *world);
rill_result rill_bench_build_spheres(rill_world *world);
rill_result rill_bench_build_hundred(rill_world *world);
/* Build worlds of many solids. bench_crowded.c */
rill_result rill_bench_build_solids(rill_world *world);
rill_result rill_bench_build_stems(rill_world *world);
/* Build shells in worlds without a grid: a ball that is wet all over, and one with a tenth of it wet. bench_shells.c */
rill_result rill_bench_build_ball(rill_world *world);
rill_result rill_bench_build_cap(rill_world *world);
/* Build worlds with falls: a steady one from a plank, and a thousand brinks with a hundred parcels each. bench_falls.c */
rill_result rill_bench_build_fall(rill_world *world);
rill_result rill_bench_build_many_falls(rill_world *world);
/* Build and move a mesh in its liquid. bench_moving.c */
rill_result rill_bench_build_mesh(rill_world *world);
rill_result rill_bench_move_mesh(rill_world *world, int64_t frame);

/* Returns the seconds that a[i] = b[i] + s * c[i] takes per byte it reads and writes, over three float arrays of
 * `bytes` in all. Negative when there is no memory. */
double rill_bench_triad(double bytes, int32_t repeats);

/* Returns the time of a monotonic clock, s. */
double rill_bench_now(void);
/* Returns the seconds that a beat, so many of the processor's cycles, takes just now. */
enum { RILL_BENCH_BEAT_CYCLES = 8000 };
double rill_bench_beat(void);

/* Return 0, or an exit code after a message on stderr. The second one only finds how much memory is asked for. */
int rill_bench_measure(const rill_bench_case *which, const rill_bench_options *options, rill_bench_row *out);
int rill_bench_weigh(const rill_bench_case *which, const rill_bench_options *options, rill_bench_row *out);

/* Measures and prints Table 1 of Wang et al.; returns an exit code. bench_wang.c */
#define RILL_BENCH_WANG_TABLE "wang_table"
int rill_bench_wang_table(void);

/* Measures and prints what a picture of a scene takes; returns an exit code. bench_frame.c */
#define RILL_BENCH_FRAME "frame_surgery"
int rill_bench_frame(const char *path);

/* Finds the file of a shipped scene: in a folder, or, if that is NULL, around the program and where it was started. */
bool rill_bench_find_scene(const char *name, const char *folder, char *path, size_t capacity);

/* Returns how much longer than on a machine at par this one would take, by its clock and its memory. */
double rill_bench_par(const rill_bench_row *row);
/* Judges the last of `rows` against what is expected of it, the rows before it serving as references; writes target i
 * and its verdict, each shorter than 64 bytes. False when there is no target i. */
typedef enum rill_bench_verdict { RILL_BENCH_MET = 0, RILL_BENCH_MISSED, RILL_BENCH_UNJUDGED } rill_bench_verdict;
bool rill_bench_target(const rill_bench_row *rows, size_t count, int index, char text[64], rill_bench_verdict *verdict);

#endif
