/* FALLS: liquid that has run off an edge, on its way through the air.
 *
 * Based on: Thompson, Reducing Ineffectual Computations in Water Simulation, sections 3.4 and 4 (waterfalls, Eq. 3), with
 * other answers: a parcel's flight is known when it starts, so that nothing is updated while it is in the air; its launch
 * speed is u_b = q / y_b, flow by depth, where the paper takes the flow itself; and it arrives with its momentum.
 *
 * Symbols: q flow per width, m2/s; y_b depth at the brink, y_c = (q^2 / g)^(1/3) critical depth, m; u_b speed at the brink,
 * w = g T speed at which it comes down, m/s; T time in the air, s.
 *
 *     brink (flow/parcels.h)  ->  parcel: one per brink and window of time, flight traced at once (trace.c)
 *                             ->  calendar: a wheel of landings by time (calendar.c)
 *                             ->  column: what is due of it in each sub-step, with its momentum (falls_landing.c)
 *
 * A parcel left over a time and lands over as long a time: each sub-step gives (time in it) / (time left) of what is left,
 * rounded down, the rest at the end. All of it is serial and in the order of launches: the same bits on any threads. */
#ifndef RILL_FALLS_FALLS_H
#define RILL_FALLS_FALLS_H

#include "flow/kernels.h"
#include "flow/landing.h"
#include "flow/stages.h"

/* s: what falls over a brink meanwhile is one parcel; also the tick of the calendar. */
#define RILL_FALLS_WINDOW (1.0 / 240.0)
/* s: the longest that less than a drop waits at a brink. */
#define RILL_FALLS_PATIENCE 0.125
/* Of the cube of a cell: less than this is no parcel until patience is out. A sphere a quarter of a cell wide. */
#define RILL_FALLS_DROP 0.008
/* Depth at a brink over critical depth, where flow before it is slow (Rouse 1936): u_b = (g q)^(1/3) / 0.715. */
#define RILL_FALLS_BRINK 0.715
/* Reynolds number q / nu below which viscosity and not inertia decides how fast a film leaves a brink. */
#define RILL_FALLS_VISCOUS 20.0

enum { RILL_FALLS_WHEEL = 1024 }; /* buckets of the calendar; a power of two */

/* A list of parcels by rill_parcel.next. */
typedef struct rill_parcel_list {
    int32_t head, tail; /* -1: empty */
} rill_parcel_list;

typedef struct rill_falls {
    rill_brinks brinks;
    rill_parcel *parcels;
    size_t capacity;
    int32_t free, count; /* first free one (-1: none); how many are in the air */
    rill_parcel_list wheel[RILL_FALLS_WHEEL];
    rill_parcel_list landing; /* in the order in which they have begun to */
    int64_t tick;             /* of the calendar: buckets up to it are empty */
    double window;            /* s: when the window under way began */
    double rise;              /* m/s: how fast what lands has raised a column in the last sub-step */
    uint64_t bed;             /* change of the bed as of which brinks and flights are */
} rill_falls;

/* Gravity along the bed and into it, m/s2. */
typedef struct rill_falls_gravity {
    double along[2], into;
} rill_falls_gravity;

rill_falls *rill_falls_make(const rill_allocator *allocator);
void rill_falls_free(rill_falls *falls, const rill_allocator *allocator);

/* Finds the brinks of the flow's bed anew in some areas of cells, everywhere if there are none (find_brinks.c). What waits at
 * brinks that are no more becomes parcels. False without memory, and nothing is done. */
bool rill_falls_find_brinks(rill_falls *falls, const rill_flow *flow, const rill_area *areas, size_t count,
                            const rill_falls_gravity *gravity, double time, const rill_allocator *allocator);
/* Traces parcels again that fly through some areas of cells, all of them if there are none. */
void rill_falls_follow(rill_falls *falls, const rill_flow *flow, const rill_area *areas, size_t count,
                       const rill_falls_gravity *gravity, double time);
/* Takes memory for the parcels of a step of `dt`, and `more`; false without, and nothing is done. */
bool rill_falls_reserve(rill_falls *falls, double dt, size_t more, const rill_allocator *allocator);

/* Lets land what is due by time + dt; adds what leaves over edges to flows[4]. */
void rill_falls_land(rill_falls *falls, rill_flow *flow, const rill_landing *landing, const rill_falls_gravity *gravity,
                     double time, double dt, rill_edge_flow flows[4]);
/* Ends a window if one is over at a time: what has fallen over brinks becomes parcels (launch.c). */
void rill_falls_launch(rill_falls *falls, const rill_flow *flow, const rill_falls_gravity *gravity, double viscosity,
                       double time);
/* Makes parcels of all that waits at brinks; there is memory for them. */
void rill_falls_let_go(rill_falls *falls, const rill_flow *flow, const rill_falls_gravity *gravity, double time);
/* Returns all quanta in the air, those that have crossed a brink lately too. */
int64_t rill_falls_airborne(const rill_falls *falls);
/* Nothing is in the air any more; returns how much was. */
int64_t rill_falls_empty(rill_falls *falls);

/* Sets where a parcel lands from where it starts, in a cell: place, flight and hit. */
void rill_falls_trace(const rill_flow *flow, const rill_falls_gravity *gravity, int32_t x, int32_t y,
                      rill_parcel *parcel);
/* Where a parcel is after some time in the air, m, and how fast, m/s. */
void rill_parcel_at(const rill_parcel *parcel, const rill_falls_gravity *gravity, double seconds, double position[3],
                    double velocity[3]);

/* Calendar. Takes a slot, or returns NULL; gives it back; puts a parcel in, which is traced. */
rill_parcel *rill_calendar_take(rill_falls *falls);
void rill_calendar_drop(rill_falls *falls, rill_parcel *parcel);
void rill_calendar_add(rill_falls *falls, rill_parcel *parcel);
/* Moves what begins to land by a time to the list of what does. */
void rill_calendar_advance(rill_falls *falls, double until);
/* Makes the calendar anew from the parcels of a list, in its order. */
void rill_calendar_rebuild(rill_falls *falls, rill_parcel_list all);
/* Takes all parcels out into one list: those that land, then the others by their buckets. */
rill_parcel_list rill_calendar_list(rill_falls *falls);
/* Calls `visit` for each parcel in that order. */
typedef void rill_parcel_visit(void *context, const rill_parcel *parcel);
void rill_calendar_each(const rill_falls *falls, rill_parcel_visit *visit, void *context);
/* Appends to a list. */
void rill_calendar_append(rill_falls *falls, rill_parcel_list *list, int32_t index);

#endif
