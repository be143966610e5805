/* Expectations of `rill bench` for each case, all of it as ratios, so that the verdict is about the engine and not
 * about the machine: to other cases, in beats of the clock; and times, frame rates and real time to those of a machine
 * at par, which are given. That one's clock and memory are below, and what a target is on another follows from these,
 * measured beside the case: mostly from the clock, for the engine is bound by instructions. */
#include "bench_internal.h"

#include <stdio.h>
#include <string.h>

typedef enum bench_measure {
    NS_PER_COLUMN_STEP = 0,
    MS_PER_FRAME,
    MS_LONGEST,  /* of all frames */
    US_OF_FALLS, /* per step */
    NS_RATIO,    /* time per column and step over that of the reference */
    MS_RATIO,    /* time per step over that of the reference */
    MS_PERCENT,  /* time per step in percent of the reference */
    SPEED_UP,    /* time per step of the reference over ours; at least */
    BYTES,       /* of the state */
    ASKED,       /* bytes, at once */
    REAL_TIME,   /* at least */
    FRAME_RATE   /* frames per second over the 25 of Kandemir et al.; at least */
} bench_measure;

#define PAR_CYCLE_NS 0.265 /* 3.8 GHz */
#define PAR_TRIAD_NS 0.82  /* for 28 bytes: 34 GB/s */
#define PAR_CLOCK 0.95     /* of the time is the clock's, the rest the memory's */

double rill_bench_par(const rill_bench_row *row) {
    return PAR_CLOCK * row->cycle_ns / PAR_CYCLE_NS + (1.0 - PAR_CLOCK) * row->triad_ns / PAR_TRIAD_NS;
}

typedef struct bench_target {
    const char *name;
    int32_t threads;
    bench_measure measure;
    double bound;
    const char *reference; /* measured earlier in the same run, on one thread */
} bench_target;

static const bench_target targets[] = {
    { "paper_200", 1, NS_PER_COLUMN_STEP, 2.0, NULL },
    { "physical_200", 1, NS_PER_COLUMN_STEP, 4.0, NULL },
    { "physical_200", 1, BYTES, 32.0, NULL },
    { "physical_1024", 1, BYTES, 32.0, NULL },
    { "physical_1024", 1, ASKED, 150.0, NULL },
    { "physical_1024", 2, SPEED_UP, 1.8, "physical_1024" },
    { "physical_4096", 1, NS_PER_COLUMN_STEP, 4.0, NULL },
    { "physical_4096", 1, BYTES, 32.0, NULL },
    { "layers_200x5", 1, NS_RATIO, 1.25, "physical_200" },
    { "layers_200x5", 1, BYTES, 32.0, NULL },
    { "layers_200x5", 1, ASKED, 150.0, NULL },
    { "layers_holes_200x5", 1, NS_RATIO, 1.5, "physical_200" },
    { "layers_holes_200x5", 1, BYTES, 32.0, NULL },
    { "kandemir_100", 1, FRAME_RATE, 300.0, NULL },
    { "moving_mesh", 1, MS_LONGEST, 5.0, NULL },
    { "boats_400", 1, MS_PER_FRAME, 16.67, NULL },
    { "spheres_400", 1, MS_PER_FRAME, 16.67, NULL },
    { "hundred_200", 1, MS_PER_FRAME, 66.5, NULL },
    { "passages_100x3", 1, MS_RATIO, 1.2, "passages_100x3_off" },
    { "flooded_200x3", 1, MS_RATIO, 3.0, "flooded_200x3_off" },
    { "flooded_200x3", 1, ASKED, 300.0, NULL },
    { "solids_3000", 1, NS_PER_COLUMN_STEP, 25.0, NULL },
    { "stems", 1, MS_RATIO, 2.0, "stems_off" },
    { "surgery", 1, REAL_TIME, 3.0, NULL },
    { "surgery_passages", 2, SPEED_UP, 1.6, "surgery_passages" },
    { "tension_200", 1, NS_RATIO, 6.5, "physical_200" },
    { "drops_400", 1, NS_PER_COLUMN_STEP, 10.4, NULL }, /* 600 sub-steps a second */
    { "pool_400", 1, NS_PER_COLUMN_STEP, 32.9, NULL },  /* 190 */
    { "surgery_tension", 1, REAL_TIME, 1.0, NULL },
    { "ball_160k", 1, NS_PER_COLUMN_STEP, 136.0, NULL },      /* 45 sub-steps a second */
    { "ball_160k_heavy", 1, NS_PER_COLUMN_STEP, 76.0, NULL }, /* 80 */
    { "cap_160k", 1, NS_PER_COLUMN_STEP, 15.3, NULL },        /* 400 */
    { "fall_steady", 1, US_OF_FALLS, 1.0, NULL },
    { "falls_100k", 1, MS_PER_FRAME, 0.5, NULL }, /* 1,000 start and 1,000 land in each */
    { "pond_1024", 1, MS_PERCENT, 2.5, "physical_1024" },
    { "puddles_1024", 1, MS_PERCENT, 12.0, "physical_1024" },
    { "rest_1024", 1, MS_PERCENT, 0.2, "physical_1024" },
    { "surface_200", 1, NS_PER_COLUMN_STEP, 6.0, NULL },
    { "surface_surgery", 1, MS_PER_FRAME, 1.0, NULL },
};

static const rill_bench_row *find_row(const rill_bench_row *rows, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i)
        if (rows[i].threads == 1 && strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

static double value_of(const bench_target *target, const rill_bench_row *row, const rill_bench_row *reference) {
    const double times = row->beats_per_step / reference->beats_per_step;
    switch (target->measure) {
    case NS_PER_COLUMN_STEP: return row->ns_per_column_step;
    case MS_PER_FRAME: return row->ms_per_frame;
    case MS_LONGEST: return row->ms_most;
    case US_OF_FALLS: return row->us_of_falls;
    case NS_RATIO: return times * (double)reference->columns / (double)row->columns;
    case MS_RATIO: return times;
    case MS_PERCENT: return 100.0 * times;
    case SPEED_UP: return 1.0 / times;
    case BYTES: return row->bytes_per_column;
    case ASKED: return row->asked_per_column;
    case REAL_TIME: return row->real_time_factor;
    case FRAME_RATE: return 1e3 / row->ms_per_frame / 25.0;
    }
    return 0.0;
}

/* Measures in seconds, or per second, are so many times as much at par. */
static double at_par(const bench_target *target, const rill_bench_row *row) {
    switch (target->measure) {
    case NS_PER_COLUMN_STEP:
    case MS_PER_FRAME:
    case MS_LONGEST:
    case US_OF_FALLS: return 1.0 / rill_bench_par(row);
    case REAL_TIME:
    case FRAME_RATE: return rill_bench_par(row);
    default: return 1.0;
    }
}

bool rill_bench_target(const rill_bench_row *rows, size_t count, int index, char text[64],
                       rill_bench_verdict *verdict) {
    static const char *const units[] = {
        "ns at par",
        "ms per frame at par",
        "ms in any frame at par",
        "us of falls at par",
        "x",
        "x",
        "%",
        "x as fast as",
        "bytes",
        "bytes asked for",
        "x real time at par",
        "x 25 frames/s at par",
    };
    const rill_bench_row *row = &rows[count - 1];
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; ++i) {
        const bench_target *target = &targets[i];
        if (strcmp(target->name, row->name) != 0 || target->threads != row->threads || index-- > 0) continue;
        const bool at_least =
            target->measure == SPEED_UP || target->measure == REAL_TIME || target->measure == FRAME_RATE;
        const rill_bench_row *reference = target->reference ? find_row(rows, count, target->reference) : row;
        double here = 0.0, par = 1.0;
        char value[16] = "?";
        *verdict = RILL_BENCH_UNJUDGED; /* the reference was not asked for */
        if (reference != NULL) {
            here = value_of(target, row, reference);
            par = at_par(target, row);
            const double measured = here * par;
            snprintf(value, sizeof value, "%.2f", measured);
            *verdict =
                (at_least ? measured >= target->bound : measured <= target->bound) ? RILL_BENCH_MET : RILL_BENCH_MISSED;
        }
        const bool of = target->reference != NULL && target->measure != SPEED_UP;
        snprintf(text, 64, "%s %s %g %s%s%s", value, at_least ? ">=" : "<=", target->bound, units[target->measure],
                 of                          ? " of "
                 : target->reference != NULL ? " "
                                             : "",
                 target->reference != NULL ? target->reference : "");
        const size_t length = strlen(text);
        if (target->measure == MS_LONGEST) {
            snprintf(text + length, 64 - length, " (95 %%: %.2f, mean: %.2f)", par * row->ms_high,
                     par * row->ms_per_frame);
        } else if (par != 1.0) {
            snprintf(text + length, 64 - length, " (here %.2f)", here);
        }
        return true;
    }
    return false;
}
