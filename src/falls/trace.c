/* Where a parcel flies: along a parabola from cell to cell, through the void that it is in, until it meets a level.
 *
 *     x(t) = x0 + u t + a t^2 / 2      a gravity along the bed, for each of both axes
 *     z(t) = z0 + w t - g t^2 / 2
 *
 * From cell to cell the time at which it leaves is known, and so is the one at which it meets the level of the column below:
 * the earlier one decides. Where the next cell has solid at that height it has met a wall, and falls down along it. There is
 * no drag: that of air changes the time of a fall of 50 mm by less than 0.1 %. Only + - * / and square roots decide, so that
 * it is the same bits everywhere. */
#include <math.h>

#include "base/simd.h"
#include "falls/falls.h"

typedef struct flight {
    const rill_flow *flow;
    double from[3], velocity[3], along[2], g; /* lengths in cells along the bed, heights in quanta */
    int32_t cell[2];
} flight;

static double height_at(const flight *f, double t) {
    return f->from[2] + (f->velocity[2] - 0.5 * f->g * t) * t;
}

/* When it comes down to a height; not before `now`. */
static double down_to(const flight *f, double height, double now) {
    const double fall = f->from[2] - height, square = f->velocity[2] * f->velocity[2] + 2.0 * f->g * fall;
    if (!(square > 0.0)) return now;
    const double t = (f->velocity[2] + sqrt(square)) / f->g;
    return t > now ? t : now;
}

/* When something at `u`, with the acceleration `a`, has gone the distance d > 0 onwards. */
static double time_to(double d, double u, double a) {
    if (a == 0.0) return u > 0.0 ? d / u : (double)INFINITY; /* what follows gives the same bits, and is slow */
    const double square = u * u + 2.0 * a * d;
    if (!(square >= 0.0)) return (double)INFINITY;
    const double sum = u + sqrt(square);
    return sum > 0.0 ? 2.0 * d / sum : (double)INFINITY;
}

/* When it leaves its cell, and over which side. */
static double leaves(const flight *f, double now, int32_t *side) {
    double first = (double)INFINITY;
    for (int32_t axis = 0; axis < 2; ++axis) {
        const double u = f->velocity[axis], a = f->along[axis], x = f->from[axis], low = (double)f->cell[axis];
        const double times[2] = { time_to(x - low, -u, -a), time_to(low + 1.0 - x, u, a) };
        for (int32_t k = 0; k < 2; ++k) {
            const double t = times[k] > now ? times[k] : now, speed = u + a * t;
            if (times[k] == (double)INFINITY || (k ? speed <= 0.0 : speed >= 0.0) || t >= first) continue;
            first = t;
            *side = 2 * axis + k;
        }
    }
    return first;
}

/* The column of a cell whose void is at a height; -1: there is solid. */
static int32_t void_at(const rill_bed *bed, const int32_t cell[2], double height) {
    const size_t i = (size_t)cell[1] * (size_t)bed->grid.cells[0] + (size_t)cell[0];
    for (int32_t k = bed->cell_first[i + 1]; k-- > bed->cell_first[i];) {
        const int32_t place = bed->places[k];
        if ((double)bed->b[place] <= height) return height < (double)bed->c[place] ? place : -1;
    }
    return -1;
}

/* The column that something caught in solid comes out at: the lowest above, else the highest there is. */
static int32_t way_out(const rill_bed *bed, const int32_t cell[2], double height) {
    const size_t i = (size_t)cell[1] * (size_t)bed->grid.cells[0] + (size_t)cell[0];
    int32_t found = -1;
    for (int32_t k = bed->cell_first[i]; k < bed->cell_first[i + 1]; ++k) {
        found = bed->places[k];
        if ((double)bed->c[found] > height) break;
    }
    return found;
}

static bool is_outside(const rill_grid *grid, const int32_t cell[2]) {
    return cell[0] < 0 || cell[1] < 0 || cell[0] >= grid->cells[0] || cell[1] >= grid->cells[1];
}

/* Whether liquid may leave the domain over a side: then there are ghosts. */
static bool is_open(const rill_bed *bed, int32_t side) {
    for (int32_t i = 0; i < bed->ghost_count; ++i)
        if (bed->ghosts[i].edge == side) return true;
    return false;
}

static void land(rill_parcel *parcel, int32_t place, double flight_time, double hit) {
    parcel->place = place;
    parcel->flight = (float)flight_time;
    parcel->hit = (float)(hit < flight_time ? hit : flight_time);
}

/* Follows it from a column that it is over, from a time on. */
static void follow(flight *f, int32_t place, double now, rill_parcel *parcel) {
    const rill_bed *bed = f->flow->bed;
    for (int64_t left = 8 * ((int64_t)bed->grid.cells[0] + bed->grid.cells[1]); left > 0; --left) {
        int32_t side = 0;
        const double lands = down_to(f, (double)(bed->b[place] + f->flow->H[place]), now),
                     exits = leaves(f, now, &side);
        if (lands <= exits) {
            land(parcel, place, lands, lands);
            return;
        }
        const int32_t step = side % 2 ? 1 : -1;
        const int32_t next[2] = { f->cell[0] + (side < 2 ? step : 0), f->cell[1] + (side < 2 ? 0 : step) };
        if (is_outside(&bed->grid, next)) {
            if (is_open(bed, side))
                land(parcel, rill_parcel_over(side), exits, exits);
            else
                land(parcel, place, lands, exits);
            return;
        }
        const int32_t beyond = void_at(bed, next, height_at(f, exits));
        if (beyond < 0) {
            land(parcel, place, lands, exits);
            return;
        }
        place = beyond;
        now = exits;
        f->cell[0] = next[0], f->cell[1] = next[1];
    }
    land(parcel, place, now, now);
}

void rill_falls_trace(const rill_flow *flow, const rill_falls_gravity *gravity, int32_t x, int32_t y,
                      rill_parcel *parcel) {
    const rill_bed *bed = flow->bed;
    const double dx = bed->grid.cell_size, q = bed->quantum;
    flight f = { .flow = flow,
                 .from = { (double)parcel->from[0] / dx, (double)parcel->from[1] / dx, (double)parcel->from[2] / q },
                 .velocity = { (double)parcel->velocity[0] / dx, (double)parcel->velocity[1] / dx,
                               (double)parcel->velocity[2] / q },
                 .along = { gravity->along[0] / dx, gravity->along[1] / dx },
                 .g = gravity->into / q,
                 .cell = { x, y } };
    const int32_t place = void_at(bed, f.cell, f.from[2]);
    if (place >= 0)
        follow(&f, place, 0.0, parcel);
    else
        land(parcel, way_out(bed, f.cell, f.from[2]), 0.0, 0.0);
}

void rill_parcel_at(const rill_parcel *parcel, const rill_falls_gravity *gravity, double seconds, double position[3],
                    double velocity[3]) {
    const double along = seconds < (double)parcel->hit ? seconds : (double)parcel->hit;
    for (int axis = 0; axis < 2; ++axis) {
        const double u = (double)parcel->velocity[axis], a = gravity->along[axis];
        position[axis] = (double)parcel->from[axis] + (u + 0.5 * a * along) * along;
        velocity[axis] = seconds < (double)parcel->hit || parcel->hit == parcel->flight ? u + a * along : 0.0;
    }
    const double w = (double)parcel->velocity[2];
    position[2] = (double)parcel->from[2] + (w - 0.5 * gravity->into * seconds) * seconds;
    velocity[2] = w - gravity->into * seconds;
}
