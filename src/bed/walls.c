/* Walls that stand between the centres of two cells.
 *
 * Floors and ceilings are sampled at the centres of cells, so that a wall thinner than a cell may be missed, and an
 * inclined plate may leave an opening from its upper to its lower side:
 *
 *        P      Q            P      Q         Every edge P-Q of the lattice of centres has an *opening* wherever the
 *        :  ||  :            :     /:         voids of both overlap. The plane through both lines is cut by triangles
 *        :  ||  :            :    / :         into *pieces*; at every height where a piece lies in the opening, a solid
 *        :  ||  :            :   /  :         or a sheet stands between P and Q, and liquid would pass through it.
 *     ___:__||__:___         :__/   :
 *
 * Filled in one of the two cells is
 *   - the whole opening, if pieces block all of it: P and Q do not see each other at all; or
 *   - a blocked part of it that is steep on both sides (or a single steep sheet): a wall one could flow over or under.
 * What else protrudes is a crest between two samples, which is what sampling a slope means.
 *
 * A round pillar may bulge between P and Q without separating anything. At every height a wall goes on in both
 * squares of four centres beside the edge: it leaves the square through another edge, or one of the other centres is
 * inside. A bulge ends in the square, and is left out. Since this is decided height by height, what separates two
 * regions of space still separates their columns: any path of edges at some height must cross it, and but for gentle
 * crests no such crossing is left out. */
#include "bed/raster_internal.h"

#include "base/assert.h"
#include "base/sort.h"
#include "base/vec.h"

#include <math.h>

static const double STEEP = 2.0;     /* slope of a wall's face */
static const double CLEAR = 0.75;    /* quanta: nearer to an opening's rim is rounding */
static const double INTRUSION = 8.0; /* quanta: less is not worth a wall */
enum { MANY = 512 };                 /* with more pieces in one edge, steepness is not examined in pairs */

typedef struct wall_piece {
    double low, high; /* quanta */
    int32_t strip;    /* between the centres of cells strip and strip + 1 of the row */
    float offset;     /* of its middle from the border of the two cells, in cells */
    uint16_t solid;
    int8_t facing;
    bool steep;
} wall_piece;

/* An edge with pieces in its opening. */
typedef struct wall_edge {
    uint32_t key; /* row * cells along + strip */
    uint32_t count;
    size_t first;
} wall_edge;

typedef struct z_range {
    double low, high;
} z_range;

static bool piece_before(const wall_piece *a, const wall_piece *b) {
    if (a->strip != b->strip) return a->strip < b->strip;
    if (a->low != b->low) return a->low < b->low;
    if (a->high != b->high) return a->high < b->high;
    if (a->solid != b->solid) return a->solid < b->solid;
    if (a->facing != b->facing) return a->facing < b->facing;
    if (a->steep != b->steep) return a->steep < b->steep;
    return a->offset < b->offset;
}

static bool range_before(const z_range *a, const z_range *b) {
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static bool wall_before(const rill_thin_wall *a, const rill_thin_wall *b) {
    if (a->cell != b->cell) return a->cell < b->cell;
    if (a->low != b->low) return a->low < b->low;
    if (a->high != b->high) return a->high < b->high;
    return a->solid < b->solid;
}

RILL_SORT(sort_pieces, wall_piece, piece_before)
RILL_SORT(sort_ranges, z_range, range_before)
RILL_SORT(sort_walls, rill_thin_wall, wall_before)

static int32_t cell_at(const rill_walls *work, int axis, int32_t row, int32_t along) {
    int32_t x = axis == 0 ? along : row, y = axis == 0 ? row : along;
    RILL_ASSERT(x >= 0 && x < work->cells[0] && y >= 0 && y < work->cells[1]);
    return y * work->cells[0] + x;
}

/* --------------------------------------------------------------------------------------------------- collecting */

/* Rounded down; what is beyond all heights stays beyond them. */
static int32_t whole(double height) {
    const double most = 2.0 * (double)RILL_TOP;
    height = height > -most ? height : -most;
    height = height < most ? height : most;
    const int32_t near = (int32_t)height;
    return near - (height < (double)near);
}

/* Whether something from `low` to `high` stands in an opening. Both cells' voids are walked upwards together. */
static bool intrudes(const rill_columns *columns, int32_t p_cell, int32_t q_cell, double low, double high) {
    const int32_t below = whole(low + CLEAR), above = -whole(CLEAR - high); /* top - CLEAR > low, base + CLEAR < high */
    const int32_t *b = columns->b, *c = columns->c;
    int32_t p = columns->cell_first[p_cell], p_end = columns->cell_first[p_cell + 1];
    int32_t q = columns->cell_first[q_cell], q_end = columns->cell_first[q_cell + 1];
    while (p < p_end && q < q_end) {
        int32_t base = b[p] > b[q] ? b[p] : b[q], top = c[p] < c[q] ? c[p] : c[q];
        if (base >= above) return false;
        if (top - base > 1 && top > below) return true;
        const int32_t p_ends = c[p] < c[q];
        p += p_ends;
        q += 1 - p_ends;
    }
    return false;
}

/* By the triangle's own slope: a strip that meets a wall at a grazing angle sees a gentle one. */
static bool is_steep_triangle(const rill_solid *solid, uint32_t triangle) {
    const uint32_t *corner = solid->indices + 3 * (size_t)triangle;
    const double *p = solid->vertices + 3 * (size_t)corner[0], *q = solid->vertices + 3 * (size_t)corner[1];
    const double *r = solid->vertices + 3 * (size_t)corner[2];
    double a[3], b[3], normal[3];
    rill_vec_difference(q, p, a);
    rill_vec_difference(r, p, b);
    rill_vec_cross(a, b, normal);
    return normal[0] * normal[0] + normal[1] * normal[1] > STEEP * STEEP * normal[2] * normal[2];
}

/* The part of a cut from (x0, z0) to (x1, z1) in a strip, if it stands in an opening. */
static inline bool collect_piece(rill_walls *work, const rill_scan *scan, int32_t row, int32_t strip,
                                 const rill_cut *cut, const double from[2], const double until[2]) {
    const rill_columns *columns = work->columns;
    double low = ((from[1] < until[1] ? from[1] : until[1]) - columns->datum) * work->inverse;
    double high = ((from[1] < until[1] ? until[1] : from[1]) - columns->datum) * work->inverse;
    int32_t p_cell = cell_at(work, scan->axis, row, strip), q_cell = cell_at(work, scan->axis, row, strip + 1);
    if (!intrudes(columns, p_cell, q_cell, low, high)) return true;
    double border = 0.5 * (rill_lattice_at(&scan->along, strip) + rill_lattice_at(&scan->along, strip + 1));
    wall_piece piece = { .low = low,
                         .high = high,
                         .strip = strip,
                         .solid = cut->solid,
                         .facing = (int8_t)((cut->down[1] > cut->up[1]) - (cut->down[1] < cut->up[1])),
                         .offset = (float)((0.5 * (from[0] + until[0]) - border) * scan->along.inverse),
                         .steep = is_steep_triangle(scan->solids[cut->solid], cut->triangle) };
    return rill_array_push(&work->row, work->allocator, &piece) != NULL;
}

/* Chops a cut at the centres it passes. A point on a centre belongs to the strip before it, as it does in scan.c. */
static bool chop_cut(rill_walls *work, const rill_scan *scan, int32_t row, const rill_cut *cut, double near) {
    bool forward = cut->up_cell < cut->down_cell || (cut->up_cell == cut->down_cell && cut->up[0] <= cut->down[0]);
    const double *a = forward ? cut->up : cut->down, *b = forward ? cut->down : cut->up;
    int32_t first = (forward ? cut->up_cell : cut->down_cell) - 1, last = (forward ? cut->down_cell : cut->up_cell) - 1;
    double run = b[0] - a[0], rise = b[1] - a[1];
    /* Where something upright meets a line, rounding alone decides on which side of the line it is, and differently in
     * rows along x and along y: it stands on both sides then, all of it. */
    bool upright = fabs(run) <= near;
    if (upright) {
        first = rill_lattice_reach(&scan->along, fmin(a[0], b[0]) - near) - 1;
        last = rill_lattice_reach(&scan->along, fmax(a[0], b[0]) + near) - 1;
    }
    for (int32_t s = first < 0 ? 0 : first; s <= last && s < scan->along.count - 1; ++s) {
        double from[2] = { a[0], a[1] }, until[2] = { b[0], b[1] };
        if (!upright && s > first) {
            from[0] = rill_lattice_at(&scan->along, s);
            from[1] = a[1] + (from[0] - a[0]) / run * rise;
        }
        if (!upright && s < last) {
            until[0] = rill_lattice_at(&scan->along, s + 1);
            until[1] = a[1] + (until[0] - a[0]) / run * rise;
        }
        if (!collect_piece(work, scan, row, s, cut, from, until)) return false;
    }
    return true;
}

/* Most cuts lie within a strip. */
static bool collect_cut(rill_walls *work, const rill_scan *scan, int32_t row, const rill_cut *cut) {
    const double near = RILL_NEAR_LINE * scan->along.cell;
    if (cut->up[1] == cut->down[1]) return true; /* floors and ceilings block no height */
    if (cut->up_cell != cut->down_cell || fabs(cut->up[0] - cut->down[0]) <= near)
        return chop_cut(work, scan, row, cut, near);
    const int32_t strip = cut->up_cell - 1;
    if (strip < 0 || strip >= scan->along.count - 1) return true;
    return collect_piece(work, scan, row, strip, cut, cut->up, cut->down);
}

bool rill_walls_row(rill_walls *work, const rill_scan *scan, int32_t row) {
    rill_array *pieces = &work->pieces[scan->axis], *edges = &work->edges[scan->axis];
    const rill_cut *cuts = scan->cuts.data;
    work->row.count = 0;
    for (size_t i = 0; i < scan->cuts.count; ++i)
        if (!collect_cut(work, scan, row, &cuts[i])) return false;
    wall_piece *found = work->row.data;
    sort_pieces(found, work->row.count);
    for (size_t i = 0; i < work->row.count; ++i) {
        wall_edge edge = { .key = (uint32_t)row * (uint32_t)scan->along.count + (uint32_t)found[i].strip,
                           .first = pieces->count };
        if ((i == 0 || found[i].strip != found[i - 1].strip) && !rill_array_push(edges, work->allocator, &edge))
            return false;
        if (!rill_array_push(pieces, work->allocator, &found[i])) return false;
        ((wall_edge *)edges->data)[edges->count - 1].count += 1;
    }
    return true;
}

bool rill_walls_collect(rill_walls *work, rill_scan *scan) {
    rill_scan_rewind(scan);
    for (int32_t row = 0; row < scan->across.count; ++row)
        if (!rill_scan_row(scan, row) || !rill_walls_row(work, scan, row)) return false;
    return true;
}

static const wall_edge *find_edge(const rill_walls *work, int axis, int32_t row, int32_t strip) {
    const wall_edge *edges = work->edges[axis].data;
    uint32_t key = (uint32_t)row * (uint32_t)work->cells[axis] + (uint32_t)strip;
    size_t low = 0, high = work->edges[axis].count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (edges[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->edges[axis].count && edges[low].key == key ? &edges[low] : NULL;
}

/* -------------------------------------------------------------------------------------------- where a wall goes on */

static bool add_range(rill_walls *work, double low, double high) {
    z_range range = { low, high };
    return rill_array_push(&work->cover, work->allocator, &range) != NULL;
}

static bool cover_cell(rill_walls *work, int32_t cell) {
    const rill_columns *columns = work->columns;
    double top = -INFINITY;
    for (int32_t k = columns->cell_first[cell]; k < columns->cell_first[cell + 1]; ++k) {
        if (!add_range(work, top, (double)columns->b[k])) return false;
        top = (double)columns->c[k];
    }
    return columns->cell_first[cell] < columns->cell_first[cell + 1] || add_range(work, -INFINITY, INFINITY);
}

static bool cover_edge(rill_walls *work, int axis, int32_t row, int32_t strip) {
    const wall_edge *edge = find_edge(work, axis, row, strip);
    if (!edge) return true;
    const wall_piece *pieces = (const wall_piece *)work->pieces[axis].data + edge->first;
    for (uint32_t i = 0; i < edge->count; ++i)
        if (!add_range(work, pieces[i].low - 2.0, pieces[i].high + 2.0)) return false;
    return true;
}

/* Cuts the ranges of `in` down to what is covered in the square of centres on one side of an edge. */
static bool cover_square(rill_walls *work, int axis, int32_t row, int32_t strip, int32_t side, const rill_array *in,
                         rill_array *out) {
    int32_t other = row + side, between = side < 0 ? other : row;
    work->cover.count = 0;
    bool beyond = other < 0 || other >= work->cells[1 - axis]; /* the rim of the grid is a wall */
    if (beyond
            ? !add_range(work, -INFINITY, INFINITY)
            : !cover_cell(work, cell_at(work, axis, other, strip)) ||
                  !cover_cell(work, cell_at(work, axis, other, strip + 1)) || !cover_edge(work, axis, other, strip) ||
                  !cover_edge(work, 1 - axis, strip, between) || !cover_edge(work, 1 - axis, strip + 1, between))
        return false;
    z_range *cover = work->cover.data;
    sort_ranges(cover, work->cover.count);
    out->count = 0;
    const z_range *wanted = in->data;
    for (size_t i = 0; i < in->count; ++i) {
        z_range held = { wanted[i].low, wanted[i].low };
        for (size_t k = 0; k < work->cover.count; ++k) {
            double low = fmax(cover[k].low, wanted[i].low), high = fmin(cover[k].high, wanted[i].high);
            if (!(high > held.high)) continue;
            if (low > held.high + 1.0) { /* a gap of more than a quantum */
                if (held.high > held.low && !rill_array_push(out, work->allocator, &held)) return false;
                held.low = low;
            }
            held.high = high;
        }
        if (held.high > held.low && !rill_array_push(out, work->allocator, &held)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ deciding */

/* A blocked part of an opening: where it is blocked, and how far the pieces that do it reach in all. */
typedef struct blocked {
    z_range range, whole;
    double offset; /* mean of the pieces' */
    uint16_t solid;
} blocked;

/* Whether pieces of the part are steep where the solid's other side, if there is one at that height, is steep too. */
static bool is_steep(const wall_piece *pieces, uint32_t count, const z_range *part) {
    for (uint32_t i = 0; i < count; ++i) {
        double low = fmax(pieces[i].low, part->low), high = fmin(pieces[i].high, part->high);
        if (!pieces[i].steep || high - low <= (count > MANY ? 0.0 : INTRUSION)) continue;
        if (count > MANY) return true;
        double single = 0.0, done = low; /* heights with no other side */
        for (uint32_t k = 0; k < count; ++k) {
            if (pieces[k].solid != pieces[i].solid || pieces[k].facing == pieces[i].facing) continue;
            double from = fmax(pieces[k].low, low), until = fmin(pieces[k].high, high);
            if (!(from < until)) continue;
            if (pieces[k].steep && until - from > INTRUSION) return true;
            if (from > done) single += from - done;
            if (until > done) done = until;
        }
        if (single + fmax(0.0, high - done) > INTRUSION) return true;
    }
    return false;
}

static bool push_wall(rill_walls *work, int32_t cell, int32_t column, double low, double high, uint16_t solid) {
    int32_t b = work->columns->b[column], c = work->columns->c[column];
    low = fmax(floor(low), (double)b), high = fmin(ceil(high), (double)c);
    if (!(low < high)) return true;
    RILL_ASSERT(column >= work->columns->cell_first[cell] && column < work->columns->cell_first[cell + 1]);
    rill_thin_wall wall = { .cell = cell, .low = (int32_t)low, .high = (int32_t)high, .solid = solid };
    return rill_array_push(work->thin_walls, work->allocator, &wall) != NULL;
}

/* Fills one of the two cells: that in which the wall stands, unless it leans out of one cell's own floor; then the
 * other, so that floors stay where they were sampled and the ceiling under the plate comes down instead. What hangs
 * down is filled where the ceiling is lower, so that no pocket is left above it. */
static bool close_part(rill_walls *work, const int32_t cells[2], const int32_t columns[2], const z_range *opening,
                       const blocked *part, const z_range *held) {
    const int32_t b[2] = { work->columns->b[columns[0]], work->columns->b[columns[1]] };
    const int32_t c[2] = { work->columns->c[columns[0]], work->columns->c[columns[1]] };
    bool stands = held->low <= opening->low + 1.0, hangs = held->high >= opening->high - 1.0;
    int side = part->offset > 0.0;
    if (stands) {
        double lowest = (double)(b[0] < b[1] ? b[0] : b[1]);
        bool on_p = held->low - (double)b[0] <= INTRUSION, on_q = held->low - (double)b[1] <= INTRUSION;
        if (on_p != on_q && part->whole.low > lowest + INTRUSION) side = on_p;
    } else if (hangs && c[0] != c[1])
        side = c[1] < c[0];
    double low = stands ? fmin(opening->low, part->whole.low) : held->low;
    double high = hangs ? fmax(opening->high, part->whole.high) : held->high;
    return push_wall(work, cells[side], columns[side], low, high, part->solid);
}

static bool decide_part(rill_walls *work, int axis, const wall_edge *edge, const int32_t columns[2],
                        const z_range *opening, const blocked *part) {
    int32_t along = work->cells[axis];
    int32_t row = (int32_t)(edge->key / (uint32_t)along), strip = (int32_t)(edge->key % (uint32_t)along);
    int32_t cells[2] = { cell_at(work, axis, row, strip), cell_at(work, axis, row, strip + 1) };
    const int32_t *b = work->columns->b, *c = work->columns->c;
    const wall_piece *pieces = (const wall_piece *)work->pieces[axis].data + edge->first;
    bool all = part->range.low <= opening->low + 1.0 && part->range.high >= opening->high - 1.0;
    if (!all && !(part->range.high - part->range.low > INTRUSION && is_steep(pieces, edge->count, &part->range)))
        return true;
    /* From above a plate to below it: the plate passes both lines, so it cannot be a bulge. */
    bool plate =
        all && (b[columns[0]] < b[columns[1]] ? c[columns[0]] < c[columns[1]]
                                              : b[columns[0]] > b[columns[1]] && c[columns[0]] > c[columns[1]]);
    if (plate) return close_part(work, cells, columns, opening, part, &part->range);
    work->cover.count = 0;
    work->held[1].count = 0;
    if (!rill_array_push(&work->held[1], work->allocator, &part->range) ||
        !cover_square(work, axis, row, strip, -1, &work->held[1], &work->held[0]) ||
        !cover_square(work, axis, row, strip, 1, &work->held[0], &work->held[1]))
        return false;
    const z_range *held = work->held[1].data;
    for (size_t i = 0; i < work->held[1].count; ++i)
        if (!close_part(work, cells, columns, opening, part, &held[i])) return false;
    return true;
}

/* Joins the pieces in an opening into blocked parts and decides on each. */
static bool decide_opening(rill_walls *work, int axis, const wall_edge *edge, const int32_t columns[2],
                           const z_range *opening) {
    const wall_piece *pieces = (const wall_piece *)work->pieces[axis].data + edge->first;
    blocked part = { .range = { INFINITY, -INFINITY } };
    double offsets = 0.0, weight = 0.0;
    for (uint32_t i = 0; i <= edge->count; ++i) {
        bool inside = i < edge->count && pieces[i].high > opening->low + CLEAR && pieces[i].low < opening->high - CLEAR;
        if (i < edge->count && !inside) continue;
        z_range clipped = { INFINITY, INFINITY };
        if (inside) clipped = (z_range){ fmax(pieces[i].low, opening->low), fmin(pieces[i].high, opening->high) };
        if (weight > 0.0 && clipped.low > part.range.high + 1.0) {
            part.offset = offsets / weight;
            if (!decide_part(work, axis, edge, columns, opening, &part)) return false;
            weight = 0.0;
        }
        if (!inside) break;
        if (weight == 0.0) {
            part = (blocked){ .range = clipped, .whole = { pieces[i].low, pieces[i].high }, .solid = pieces[i].solid };
            offsets = 0.0;
        }
        if (pieces[i].high > part.whole.high) part.solid = pieces[i].solid;
        part.range.high = fmax(part.range.high, clipped.high);
        part.whole.low = fmin(part.whole.low, pieces[i].low);
        part.whole.high = fmax(part.whole.high, pieces[i].high);
        offsets += (double)pieces[i].offset;
        weight += 1.0;
    }
    return true;
}

static bool decide(rill_walls *work, int axis) {
    const rill_columns *columns = work->columns;
    const wall_edge *edges = work->edges[axis].data;
    int32_t along = work->cells[axis];
    for (size_t i = 0; i < work->edges[axis].count; ++i) {
        RILL_ASSERT(i == 0 || edges[i - 1].key < edges[i].key);
        RILL_ASSERT(edges[i].first + edges[i].count <= work->pieces[axis].count);
        int32_t row = (int32_t)(edges[i].key / (uint32_t)along), strip = (int32_t)(edges[i].key % (uint32_t)along);
        int32_t p_cell = cell_at(work, axis, row, strip), q_cell = cell_at(work, axis, row, strip + 1);
        for (int32_t p = columns->cell_first[p_cell]; p < columns->cell_first[p_cell + 1]; ++p)
            for (int32_t q = columns->cell_first[q_cell]; q < columns->cell_first[q_cell + 1]; ++q) {
                int32_t b = columns->b[p] > columns->b[q] ? columns->b[p] : columns->b[q];
                int32_t c = columns->c[p] < columns->c[q] ? columns->c[p] : columns->c[q];
                z_range opening = { (double)b, (double)c };
                if (c - b > 1 && !decide_opening(work, axis, &edges[i], (int32_t[2]){ p, q }, &opening)) return false;
            }
    }
    return true;
}

rill_walls rill_walls_make(const rill_columns *columns, const rill_allocator *allocator) {
    rill_walls work = { .columns = columns,
                        .allocator = allocator,
                        .inverse = 1.0 / columns->quantum,
                        .row = rill_array_make(sizeof(wall_piece)),
                        .cover = rill_array_make(sizeof(z_range)) };
    for (int i = 0; i < 2; ++i) {
        work.cells[i] = columns->area.high[i] - columns->area.low[i];
        work.pieces[i] = rill_array_make(sizeof(wall_piece));
        work.edges[i] = rill_array_make(sizeof(wall_edge));
        work.held[i] = rill_array_make(sizeof(z_range));
    }
    return work;
}

void rill_walls_free(rill_walls *work) {
    rill_array_free(&work->row, work->allocator);
    rill_array_free(&work->cover, work->allocator);
    for (int i = 0; i < 2; ++i) {
        rill_array_free(&work->pieces[i], work->allocator);
        rill_array_free(&work->edges[i], work->allocator);
        rill_array_free(&work->held[i], work->allocator);
    }
}

bool rill_walls_find(rill_walls *work, rill_array *thin_walls) {
    work->thin_walls = thin_walls;
    if (!decide(work, 0) || !decide(work, 1)) return false;
    sort_walls(thin_walls->data, thin_walls->count);
    return true;
}
