/* PARCELS: liquid in the air, and the brinks from which it fell.
 *
 *      upper                      A brink is a pipe, dense or sparse, from a column down to one whose bed is more than two
 *     ~~~~~~~~~~.                 cells lower. It falls while the level below is far enough beneath the sill: then what
 *     ########## `.               crosses it is taken out of the columns and, once a window of time is over, becomes a
 *     ########    `  parcel       parcel, whole quanta on one path. Between sub-steps all of it is in the ledger's account
 *     ########     :              `airborne`.
 *     ########~~~~~~~~~ lower
 *
 * What a brink does to the sweep is in brinks.c; which pipes are brinks, where parcels fly and how they land is the room
 * `falls`. Vocabulary of the paper (Thompson, Reducing Ineffectual Computations in Water Simulation, section 3.4): a brink is a
 * sharp drop, a parcel a waterfall particle. */
#ifndef RILL_FLOW_PARCELS_H
#define RILL_FLOW_PARCELS_H

#include "bed/bed.h"

/* Which way a brink falls: the side of its upper column, RILL_WEST .. RILL_NORTH. */
static inline int32_t rill_side_axis(int32_t side) {
    return side == RILL_SOUTH || side == RILL_NORTH;
}
/* 1 towards east and north, else -1. */
static inline int32_t rill_side_sign(int32_t side) {
    return side == RILL_EAST || side == RILL_NORTH ? 1 : -1;
}

typedef struct rill_brink {
    int32_t cell[2];      /* of the upper column */
    int32_t upper, lower; /* plane indices */
    int32_t side;         /* of the upper column */
    int32_t sill;         /* base of the upper column, quanta; with cell and side it names the brink in any bed */
    int32_t lintel;       /* the lower of both ceilings, quanta */
    int32_t pipe;         /* the sparse pipe; -1: a dense one */
    int32_t column;       /* dense: in its sheet's rows (kernels.h), of the column whose west or south face it is */
    bool falls;
    float t, u;      /* of the sweep under way: whole quanta that fall, and how fast they were */
    int64_t amount;  /* quanta that have fallen and are in no parcel yet */
    double momentum; /* sum of quanta times how fast they left, along `side`, m/s */
    double since;    /* s: when the first of them fell */
} rill_brink;

/* All brinks of a bed, by cells (row by row), from below, and by sides. */
typedef struct rill_brinks {
    rill_brink *list;
    int32_t count;
    size_t capacity;
    int32_t *dense; /* those of dense pipes, by the rows (all sheets counted through) of their faces: */
    int32_t *first; /* of row r: dense[first[r]] .. dense[first[r + 1] - 1] */
    int32_t *falling, *falling_first; /* those of them that fall in this sweep, likewise */
    int32_t row_count;
    int32_t *of_pipe; /* per sparse pipe: 1 + its brink; 0: it has none */
    size_t pipe_capacity;
    int32_t *open; /* brinks with an amount */
    int32_t open_count;
    double time;    /* at the end of the sub-step under way, s */
    int32_t two_dx; /* two cell sizes, quanta */
} rill_brinks;

/* A parcel's place when it leaves the domain: over the edge of a side. */
static inline int32_t rill_parcel_over(int32_t side) {
    return -1 - side;
}

/* Flies on a parabola from where it crossed the brink, the first of it at `begin`, the last at `end`, and lands after
 * `flight`. */
typedef struct rill_parcel {
    int64_t amount;    /* quanta that have not landed; 0: the slot is free */
    double begin, end; /* s */
    float from[3];     /* m, from the grid's origin and the bed's datum */
    float velocity[3]; /* m/s */
    float flight;      /* s until it lands */
    float hit;         /* s until it meets a wall and falls down along it; `flight` if it meets none */
    int32_t place;     /* plane index of the column it lands on, or rill_parcel_over */
    int32_t brink;     /* cell and side that it fell from, for who draws it: 4 cell + side; -1: none */
    int32_t next;      /* in its list of the calendar; -1: the last */
} rill_parcel;

#endif
