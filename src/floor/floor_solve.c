/* How far the columns around a point of the terrain must be lifted (floor.h).
 *
 * Lagrange's multipliers with bounds: minimise sum(w_k l_k^2) with sum(a_k l_k) = delta and low_k <= l_k <= high_k.
 * The solution is
 *     l_k = clamp(lambda a_k / w_k, low_k, high_k)
 * for one lambda, which is found by holding columns at their bounds one after the other. */
#include "floor/floor.h"

#include <math.h>

enum { CORNERS = 4 };

/* Finds the smaller of two numbers: fmin and fmax are calls, because of NaN. */
static double smaller(double a, double b) {
    return a < b ? a : b;
}
static double larger(double a, double b) {
    return a > b ? a : b;
}

/* A weight below this counts as none: the point is on an edge of the quartet. */
static const double NO_WEIGHT = 1e-9;
/* 1 / w of columns that stand above the point. */
static const double STIFF = 1e-10;

/* The column of a quartet's corner, in quanta. */
typedef struct corner {
    int32_t place;
    bool there;
    double b, c, min; /* base, ceiling, underside of what it stands on */
    double low, high; /* bounds of l */
    double l;         /* as far as it is lifted by now */
    double give;      /* 1 / w */
} corner;

/* Finds the column of a cell to whose range a height belongs. */
static corner find_corner(const rill_bed *bed, int32_t x, int32_t y, double z) {
    const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    corner found = { .min = -1.0 };
    for (int32_t i = bed->cell_first[cell]; i < bed->cell_first[cell + 1]; ++i) {
        found.place = bed->places[i];
        found.c = (double)bed->c[found.place];
        if (z < found.c) {
            found.b = (double)bed->b[found.place];
            found.there = true;
            break;
        }
        found.min = found.c;
    }
    return found;
}

int32_t rill_floor_column(const rill_bed *bed, int32_t x, int32_t y, double z) {
    const corner found = find_corner(bed, x, y, z);
    return found.there ? found.place : -1;
}

static void set_bounds(const rill_floor *floor, corner *at, double z) {
    const double room = at->c - at->b - 1.0;
    at->high = smaller((double)floor->most, room);
    at->low = smaller((double)floor->least, at->high);
    at->l = at->low;
    at->give = larger((z - at->b) / (double)floor->most, STIFF);
    RILL_ASSERT(at->low <= at->high && at->give > 0.0);
}

/* A corner's part in an interpolation. */
typedef struct share {
    corner *of;
    double a; /* weight */
    double b, l, high;
} share;

/* Tells whether surfaces on both columns can ever be joined. */
static bool compatible(const corner *one, const corner *other) {
    return one->b < other->c && other->b < one->c;
}

/* Raises bases: a column below the underside of another's solid is joined to it only once its level is above that: it
 * counts as so high, and lifting it would show liquid where there is none. */
static void raise_bases(share *all, int count) {
    for (int k = 0; k < count; ++k)
        for (int j = 0; j < count; ++j) {
            const double underside = all[j].of->min;
            if (all[k].of->b + all[k].of->low > underside || underside <= all[k].b) continue;
            all[k].b = underside;
            all[k].l = all[k].high = 0.0;
        }
}

/* Lifts columns until the sum of a_k l_k is delta, which is within their bounds (Bitran and Hax: all are free; those
 * that are out of bounds by more in all, below or above, are held there; the rest is shared anew). */
static void spread(share *all, int count, double delta) {
    double wish[CORNERS];
    bool held[CORNERS] = { false };
    for (int turn = 0; turn <= count; ++turn) {
        double left = delta, give = 0.0, under = 0.0, over = 0.0;
        for (int k = 0; k < count; ++k) {
            left -= held[k] ? all[k].a * wish[k] : 0.0;
            give += held[k] ? 0.0 : all[k].a * all[k].a * all[k].of->give;
        }
        if (give == 0.0) break;
        for (int k = 0; k < count; ++k) {
            if (held[k]) continue;
            wish[k] = left / give * (all[k].a * all[k].of->give);
            if (wish[k] < all[k].l) under += all[k].a * (all[k].l - wish[k]);
            if (wish[k] > all[k].high) over += all[k].a * (wish[k] - all[k].high);
        }
        if (under == 0.0 && over == 0.0) break;
        for (int k = 0; k < count; ++k) {
            if (held[k]) continue;
            const bool low = under >= over && wish[k] < all[k].l, high = over >= under && wish[k] > all[k].high;
            held[k] = low || high;
            wish[k] = low ? all[k].l : high ? all[k].high : wish[k];
        }
    }
    for (int k = 0; k < count; ++k) all[k].l = larger(all[k].l, smaller(wish[k], all[k].high));
}

/* Makes one interpolation pass above the point; false when no lift within the bounds does. */
static bool satisfy(corner corners[CORNERS], const double weights[CORNERS], double height) {
    share all[CORNERS];
    int count = 0;
    for (int k = 0; k < CORNERS; ++k) {
        corner *const at = &corners[k];
        if (weights[k] < NO_WEIGHT) continue;
        if (!at->there) return true; /* no surface there */
        for (int j = 0; j < count; ++j)
            if (!compatible(all[j].of, at)) return true;
        all[count++] = (share){ .of = at, .a = weights[k], .b = at->b, .l = at->l, .high = at->high };
    }
    RILL_ASSERT(count > 0);
    raise_bases(all, count);
    double base = 0.0, reached = 0.0, most = 0.0;
    for (int k = 0; k < count; ++k) {
        base += all[k].a * all[k].b;
        reached += all[k].a * all[k].l;
        most += all[k].a * all[k].high;
    }
    if (base + reached >= height) return true;
    if (base + most < height) return false;
    spread(all, count, height - base);
    for (int k = 0; k < count; ++k)
        if (all[k].high > 0.0) all[k].of->l = all[k].l;
    return true;
}

/* Finds the weights of the corners (0, 0), (1, 0), (0, 1), (1, 1) at (u, v). */
static void set_weights(double u, double v, double weights[3][CORNERS]) {
    RILL_ASSERT(u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0);
    const double bilinear[] = { (1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v };
    const double rising[] = { u >= v ? 1.0 - u : 1.0 - v, u >= v ? u - v : 0.0, u >= v ? 0.0 : v - u, u >= v ? v : u };
    const double rest = 1.0 - u - v;
    const double falling[] = { rest >= 0.0 ? rest : 0.0, rest >= 0.0 ? u : 1.0 - v, rest >= 0.0 ? v : 1.0 - u,
                               rest >= 0.0 ? 0.0 : -rest };
    for (int k = 0; k < CORNERS; ++k)
        weights[0][k] = bilinear[k], weights[1][k] = rising[k], weights[2][k] = falling[k];
}

/* Rules points out early: most are below any surface, and most quartets simple: four columns that reach over and below
 * each other's bases. */
static bool is_below(const corner corners[CORNERS], double u, double v, double height, double least) {
    double ceiling = RILL_WALL, underside = -1.0, low = RILL_WALL, high = 0.0;
    for (int k = 0; k < CORNERS; ++k) {
        const corner *at = &corners[k];
        if (!at->there) return false;
        ceiling = at->c < ceiling ? at->c : ceiling;
        underside = at->min > underside ? at->min : underside;
        low = at->b < low ? at->b : low;
        high = at->b > high ? at->b : high;
    }
    if (high + least >= ceiling || low + least <= underside) return false;
    const double sw = corners[0].b, se = corners[1].b, nw = corners[2].b, ne = corners[3].b;
    const double rising = u >= v ? sw + u * (se - sw) + v * (ne - se) : sw + v * (nw - sw) + u * (ne - nw);
    const double falling =
        u + v <= 1.0 ? sw + u * (se - sw) + v * (nw - sw) : ne + (1.0 - u) * (nw - ne) + (1.0 - v) * (se - ne);
    return (rising < falling ? rising : falling) + least >= height; /* the bilinear surface is between the two */
}

bool rill_floor_cover(rill_floor *floor, const rill_bed *bed, const double point[3]) {
    const double across = (double)(bed->grid.cells[0] - 1), up = (double)(bed->grid.cells[1] - 1);
    if (!(point[0] >= -0.5 && point[0] <= across + 0.5 && point[1] >= -0.5 && point[1] <= up + 0.5)) return true;
    if (!(point[2] >= 0.0 && point[2] <= (double)RILL_TOP) || across < 1.0 || up < 1.0) return true;
    /* Beyond the outermost centres the surface goes on as it is there. */
    const double px = smaller(larger(point[0], 0.0), across), py = smaller(larger(point[1], 0.0), up);
    const int32_t x = (int32_t)smaller(px, across - 1.0), y = (int32_t)smaller(py, up - 1.0);
    const double z = point[2], height = z + (double)floor->above;
    RILL_ASSERT(x >= 0 && x + 1 < bed->grid.cells[0] && y >= 0 && y + 1 < bed->grid.cells[1]);
    corner corners[CORNERS];
    for (int k = 0; k < CORNERS; ++k) corners[k] = find_corner(bed, x + (k & 1), y + (k >> 1), z);
    const double u = px - (double)x, v = py - (double)y;
    if (is_below(corners, u, v, height, (double)floor->least)) return true;
    for (int k = 0; k < CORNERS; ++k)
        if (corners[k].there) set_bounds(floor, &corners[k], z);
    double weights[3][CORNERS];
    set_weights(u, v, weights);
    bool done = true;
    for (int i = 0; i < 3; ++i) done = satisfy(corners, weights[i], height) && done;
    for (int k = 0; k < CORNERS; ++k) {
        const corner *at = &corners[k];
        if (!at->there) continue;
        const int32_t needed = (int32_t)ceil(at->b + at->l);
        RILL_ASSERT(needed < bed->c[at->place]);
        if (needed > floor->heights[at->place]) floor->heights[at->place] = needed;
    }
    return done;
}
