/* Sources and sinks: whole quanta into and out of columns, booked by name.
 *
 * The amount of a sub-step is rate * (overlap of the sub-step with the source's window), in quanta, plus the fraction
 * left from the sub-step before. It is dealt evenly over the source's columns; the odd quanta go round in turn. */
#ifndef RILL_FLOW_SOURCES_H
#define RILL_FLOW_SOURCES_H

#include "base/array.h"
#include "flow/landing.h"

typedef struct rill_source {
    rill_source_def def; /* its name points to the member below */
    char *name;          /* owned */
    uint16_t generation; /* of the slot */
    bool alive;
    int32_t book;    /* index into the world's books */
    int32_t *places; /* plane indices of its columns, ascending */
    size_t place_count, place_capacity;
    int32_t *tiles; /* the tiles they lie in, each once, and what waking their columns there means */
    uint16_t *wakes;
    size_t tile_count, tile_capacity;
    double pending;  /* fraction of a quantum owed, 0 <= pending < 1 */
    uint64_t turn;   /* index into places of the column that gets the next odd quantum */
    int64_t pushed;  /* quanta that it has put above ceilings in this sub-step, to be pushed on */
    int64_t moved;   /* quanta that it gave or took in this sub-step */
    bool lacking;    /* in this sub-step not all of it found room, or was there */
    bool noted;      /* a source that was refused, a sink that is reached: world/step_events.c */
    uint8_t changes; /* of that in this step */
    void *user;      /* what the program keeps beside it */
} rill_source;

/* Returns how much a source gives or a sink takes: m3/s, or mm/h of rain. */
static inline double rill_source_strength(const rill_source_def *def) {
    return def->shape == RILL_SOURCE_RAIN ? def->rain : def->rate;
}

/* Working memory of looking for columns. Kept from one time to the next, it allocates nothing where it is large
 * enough. */
typedef struct rill_source_work {
    rill_array order; /* int32_t: places as they were found */
    rill_array marks; /* uint16_t: per tile of the bed */
} rill_source_work;

rill_source_work rill_source_work_make(void);
void rill_source_work_free(rill_source_work *work, const rill_allocator *allocator);

/* Finds the source's columns; there may be none. Those that it had are lost on failure, the arrays for them are not. */
rill_result rill_source_find_columns(rill_source *source, const rill_bed *bed, rill_source_work *work,
                                     const rill_allocator *allocator, rill_message *message);
/* Finds the columns of a source that has had none yet; on failure it owns nothing more than before. */
rill_result rill_source_attach(rill_source *source, const rill_bed *bed, const rill_allocator *allocator,
                               rill_message *message);
/* Gives a source the columns of another, which keeps them. False, and nothing changed, without memory. */
bool rill_source_take_columns(rill_source *source, const rill_source *from, const rill_allocator *allocator);
/* RILL_INVALID_ARGUMENT when there is none. */
rill_result rill_source_check(const rill_source *source, rill_message *message);
/* The cells in which its columns are looked for. */
rill_area rill_source_area(const rill_source_def *def, const rill_grid *grid);
void rill_source_detach(rill_source *source, const rill_allocator *allocator);

/* Gives (or takes) what is due between `time` and `time + dt`, to land where `landing` says (NULL: in its columns); wakes
 * the tiles touched. Returns the quanta moved, always >= 0, and sets status bits (RILL_STATUS_SOURCE_REFUSED when there is no room, RILL_STATUS_SINK_DRY). What
 * finds no room, or is not there, is forgotten, not owed. Allocates nothing. */
int64_t rill_source_run(rill_source *source, rill_flow *flow, const rill_landing *landing, double time, double dt,
                        rill_status *status);

/* Gives to one column as much of `want` as there is `room` for; returns the rest. What then stands above a ceiling is
 * added to flow->pushed. */
int64_t rill_source_pour(rill_flow *flow, int32_t place, int32_t room, int64_t want);

/* How fast a source alone would raise its columns, m/s. */
double rill_source_rise(const rill_source *source, double cell_size);

#endif
