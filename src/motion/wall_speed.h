/* WALL SPEED: which solids move, where and since when, and how fast their faces pass cells. */
#ifndef RILL_MOTION_WALL_SPEED_H
#define RILL_MOTION_WALL_SPEED_H

#include "bed/bed.h"

#include <math.h>

/* A solid that has not moved for so long rests, s. */
#define RILL_MOVING_PATIENCE 0.25

typedef struct rill_moving_solid {
    rill_area area;     /* cells that it has to do with, where it was and where it is */
    double since, last; /* when it began to move, and when it did so last, s */
    double pose[2][3];  /* its translation and rotation then */
    int32_t slot;
    /* Of an update: */
    const rill_solid *solid; /* if its form is exact, and it moved before; else NULL */
    double former[2][3];     /* its pose before */
    double interval;         /* how long ago it had that pose, s */
} rill_moving_solid;

typedef struct rill_motion {
    const rill_moving_solid *solids;
    size_t count;
    double now; /* s */
} rill_motion;

/* The steps to the cells beside one. */
static const int32_t rill_beside[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };

/* How a wall passes a cell. */
typedef struct rill_wall_speed {
    double seconds;     /* per cell; 0: not known */
    double interval;    /* between its last two poses, s; 0: not known */
    double velocity[2]; /* of the solid at that face, m/s */
    int32_t side;       /* to which it goes: of rill_beside */
    int32_t deep;       /* count of cells behind each other that were passed at the same time */
    int32_t inner;      /* count of those that were passed before this one */
} rill_wall_speed;

/* Finds how a solid has just passed the centre of a cell, or left it, at some height, but for how deep; not known if
 * that was another solid. */
rill_wall_speed rill_moving_solid_passes(const rill_moving_solid *moving, const rill_grid *grid, const int32_t cell[2],
                                         double z, bool leaves);

/* Tells whether a cell is at most `REACH` cells away from those that a solid has to do with. */
static inline bool rill_moving_solid_near(const rill_moving_solid *moving, int32_t x, int32_t y) {
    enum { REACH = 2 };
    const rill_area *area = &moving->area;
    return x >= area->low[0] - REACH && x < area->high[0] + REACH && y >= area->low[1] - REACH &&
           y < area->high[1] + REACH;
}

/* Returns since when some solid has been moving near a cell; infinity if all rest. */
static inline double rill_motion_since(const rill_motion *motion, int32_t x, int32_t y) {
    double since = (double)INFINITY;
    for (size_t i = 0; i < motion->count; ++i) {
        const rill_moving_solid *moving = &motion->solids[i];
        const bool rests = motion->now - moving->last > RILL_MOVING_PATIENCE;
        if (!rests && moving->since < since && rill_moving_solid_near(moving, x, y)) since = moving->since;
    }
    return since;
}

#endif
