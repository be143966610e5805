/* Shared by the files of this room while the liquid of an update is dealt with: one job, and what each of them does
 * for it. */
#ifndef RILL_MOTION_MOTION_INTERNAL_H
#define RILL_MOTION_MOTION_INTERNAL_H

#include "base/assert.h"
#include "flow/ceiling.h"
#include "motion/displace.h"
#include "motion/swept_volume.h"

/* An update whose liquid is being displaced. */
typedef struct rill_displace_job {
    rill_displace *displace;
    rill_flow *flow;
    const rill_bed *bed;
    const rill_update *update;
    const rill_displace_how *how;
} rill_displace_job;

/* Counts all liquid there is, in columns and on its way, for asserts that none is lost; without asserts it is 0. */
static inline int64_t rill_motion_count(const rill_flow *flow) {
    int64_t sum = 0;
#ifdef RILL_ASSERTS
    for (int32_t i = 0; i < flow->bed->plane_size; ++i) sum += flow->H[i];
    sum += rill_swept_volume_total(flow);
#else
    (void)flow;
#endif
    return sum;
}

/* Returns the number of places, behind which old columns follow as nodes. */
static inline int32_t rill_displace_places(const rill_displace_job *job) {
    return job->bed->plane_size;
}

/* Returns the number of a cell, row by row. */
static inline size_t rill_displace_cell(const rill_displace_job *job, int32_t x, int32_t y) {
    RILL_ASSERT(x >= 0 && x < job->bed->grid.cells[0] && y >= 0 && y < job->bed->grid.cells[1]);
    return (size_t)y * (size_t)job->bed->grid.cells[0] + (size_t)x;
}

/* Returns what a column between b and c holds; a ceiling leaves some slack. */
static inline int32_t rill_displace_capacity(const rill_displace_job *job, int32_t b, int32_t c) {
    const int32_t height = c - b;
    RILL_ASSERT(height > 0 && job->how->slack >= 0);
    return c == RILL_TOP ? height : height > job->how->slack ? height - job->how->slack : 0;
}

/* Returns what a column has room for below that. */
static inline int32_t rill_displace_room(const rill_displace_job *job, int32_t place) {
    /* A flooded column may have a few quanta less than full, and counts as full with that. */
    const int32_t room = rill_displace_capacity(job, job->bed->b[place], job->bed->c[place]) - job->flow->H[place];
    const int32_t least = job->how->slack > 0 && job->bed->c[place] < RILL_TOP ? RILL_FULL_LOW - RILL_FULL : 0;
    return room > least ? room : 0;
}

/* ------------------------------------------------------------------------------------------------ deal_out.c */

/* Returns the height, in quanta, above which a floor that rose over a level is a wall that came from the side, and one
 * that fell a wall that left to a side. */
double rill_displace_tallest(const rill_displace_job *job);
/* Sets the depth of a column. */
void rill_displace_set(const rill_displace_job *job, int32_t place, int32_t H);
/* Sums up the space of all takers if none gets more than `rise`. */
int64_t rill_displace_room_below(const rill_displace_job *job, int64_t rise);
/* Deals out to all takers evenly, at once or over some seconds. Returns what they have no room for. */
int64_t rill_displace_deal(const rill_displace_job *job, int64_t total, bool expelled, double seconds);
/* Presses liquid through solids into whatever is nearest, square by square around a cell, no more than `most` into each
 * column. Returns what is left. */
int64_t rill_displace_press(const rill_displace_job *job, const rill_displace_spot *at, int64_t most, int64_t total);

/* ------------------------------------------------------------------------------------------------ displace.c */

/* Notes that a node has too much, or more than was noted: all of it will be displaced. */
rill_excess *rill_displace_add(const rill_displace_job *job, const rill_displace_spot *at, int64_t amount);
/* Displaces what is too much. */
void rill_displace_all(const rill_displace_job *job);

/* ---------------------------------------------------------------------------------------------- wall_speed.c */

/* The time in which a wall passes a cell if nothing is known: that of a usual frame, s. */
#define RILL_WALL_SPEED_FIRST (1.0 / 60.0)

/* Returns the time in which a ceiling over a cell has moved; < 0 if it has not done so lately. */
double rill_wall_speed_of_ceiling(const rill_displace_job *job, int32_t x, int32_t y);
/* Notes that a wall has left a cell. */
void rill_wall_speed_open(const rill_displace_job *job, int32_t x, int32_t y);
/* Tells whether a wall has left a cell in this update; false where there is no such cell. */
bool rill_wall_speed_opens(const rill_displace_job *job, int32_t x, int32_t y);
/* Tells how a wall left a cell that opened, a little above a base at b. */
rill_wall_speed rill_wall_speed_of_opening(const rill_displace_job *job, int32_t x, int32_t y, int32_t b);
/* Notes which cells are pressed now, and which moved, and finds the times of all that is too much. */
void rill_wall_speed_find(const rill_displace_job *job);

/* ------------------------------------------------------------------------------------------ opened_columns.c */

/* Gives back what was withdrawn at columns that change; before anything is displaced. */
void rill_withdrawn_release(const rill_displace_job *job);
/* Fills the columns that a wall has left, and draws at its new front. Columns have their depths. */
void rill_withdrawn_follow(const rill_displace_job *job);

/* ---------------------------------------------------------------------------------------- opening_ceilings.c */

/* Forgets ceilings over columns that change; before these get their depths. */
void rill_opening_forget(const rill_displace_job *job);
/* Notes a column that goes on, once it has its depth: if it was under pressure and has room now, that will open. */
void rill_opening_note(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh);

#endif
