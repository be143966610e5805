/* Flat faces in a vertical plane y = constant: box, hull and mesh.
 *
 *   z ^        ______           Each triangle is cut in a stretch of x. Stretches are taken up from west to east;
 *     |   ____/      \__        between two of their ends always the same ones are there, and the lowest and the
 *     |   \___  ()  _____\      highest of them are the body's underside and topside. So a hold that is open to the
 *     |       \____/            sky stays open, and a cabin, or what is under an arch, counts as solid.
 *     +----------------------> x
 *
 * Triangles are taken up row by row from a table of lists, in which their place goes with the row that they begin in.
 * They stay in the order of the last plane, which is nearly that of the next. */
#include "base/assert.h"
#include "base/vec.h"
#include "shape/body_form_internal.h"

#include <math.h>

static int32_t bucket_of(const rill_body_form *form, int32_t row, int32_t first_row, int32_t rows) {
    return (int32_t)((int64_t)(row - first_row) * (int64_t)form->triangle_count / rows);
}

/* The corners of a triangle by y. */
static void order_corners(const rill_body_form *form, int32_t triangle, const double *out[3]) {
    const uint32_t *c = form->indices + 3 * (size_t)triangle;
    const double *p = form->turned + 3 * (size_t)c[0], *q = form->turned + 3 * (size_t)c[1],
                 *r = form->turned + 3 * (size_t)c[2], *swap;
    if (q[1] < p[1]) swap = p, p = q, q = swap;
    if (r[1] < q[1]) swap = q, q = r, r = swap;
    if (q[1] < p[1]) swap = p, p = q, q = swap;
    out[0] = p, out[1] = q, out[2] = r;
}

/* How an edge, from its southern end to its northern, goes along x and z with y; anything if it is along x. */
static void find_slopes(const double *from, const double *to, double *x, double *z) {
    const double height = to[1] - from[1], scale = height > 1e-30 ? 1.0 / height : 0.0;
    *x = (to[0] - from[0]) * scale;
    *z = (to[2] - from[2]) * scale;
}

static rill_slice make_slice(const double *const corners[3]) {
    const double *p = corners[0], *q = corners[1], *r = corners[2];
    rill_slice slice = {
        .south = p[1], .bend = q[1], .north = r[1], .x = p[0], .z = p[2], .bend_x = q[0], .bend_z = q[2]
    };
    find_slopes(p, r, &slice.whole_x, &slice.whole_z);
    find_slopes(p, q, &slice.first_x, &slice.first_z);
    find_slopes(q, r, &slice.last_x, &slice.last_z);
    return slice;
}

void rill_cuts_begin(const rill_body_form *form, const double turn[9], const double place[2], double unit,
                     int32_t first_row, int32_t rows) {
    const double shift[3] = { place[0], place[1], 0.0 }, scale = 1.0 / unit;
    for (size_t i = 0; i < form->vertex_count; ++i) {
        const double *p = form->vertices + 3 * i;
        for (int k = 0; k < 3; ++k) {
            const double *row = turn + 3 * k;
            form->turned[3 * i + (size_t)k] = rill_vec_dot(row, p) * scale + shift[k];
        }
    }
    const int32_t count = (int32_t)form->triangle_count;
    for (int32_t i = 0; i < count; ++i) form->heads[i] = -1;
    for (int32_t i = count; i-- > 0 && rows > 0;) {
        const double *corners[3];
        order_corners(form, i, corners);
        const double low = corners[0][1];
        if (!(low < (double)first_row + (double)rows && corners[2][1] > (double)first_row)) continue;
        const int32_t bucket = bucket_of(form, low > (double)first_row ? (int32_t)low : first_row, first_row, rows);
        RILL_ASSERT(bucket >= 0 && bucket < count);
        RILL_ASSERT(low <= corners[1][1] && corners[1][1] <= corners[2][1]);
        form->slices[i] = make_slice(corners);
        form->follow[i] = form->heads[bucket];
        form->heads[bucket] = i;
    }
}

int32_t rill_cuts_row(const rill_body_form *form, int32_t count, int32_t row, int32_t first_row, int32_t rows) {
    const int32_t last = bucket_of(form, row, first_row, rows);
    for (int32_t bucket = row > first_row ? bucket_of(form, row - 1, first_row, rows) + 1 : 0; bucket <= last; ++bucket)
        for (int32_t i = form->heads[bucket]; i >= 0; i = form->follow[i]) form->active[count++] = i;
    RILL_ASSERT((size_t)count <= form->triangle_count);
    return count;
}

/* Cuts a triangle inside of the area; false when there is nothing, or the triangle stands on edge. Edges are met in the
 * same place for both of their triangles. */
static bool cut_triangle(const rill_slice *slice, const rill_line *line, rill_cut *cut) {
    const double up = line->y - slice->south, beyond = line->y - slice->bend;
    if (!(up >= 0.0)) return false;
    const bool bent = beyond >= 0.0;
    const double x0 = slice->x + up * slice->whole_x, z0 = slice->z + up * slice->whole_z;
    const double x1 = bent ? slice->bend_x + beyond * slice->last_x : slice->x + up * slice->first_x;
    const double z1 = bent ? slice->bend_z + beyond * slice->last_z : slice->z + up * slice->first_z;
    const bool ahead = x0 < x1;
    cut->left = ahead ? x0 : x1;
    cut->right = ahead ? x1 : x0;
    cut->z = ahead ? z0 : z1;
    if (!(cut->right - cut->left > 1e-12)) return false;
    cut->slope = (z1 - z0) / (x1 - x0);
    if (cut->left < 0.0) {
        cut->z -= cut->slope * cut->left;
        cut->left = 0.0;
    }
    cut->right = rill_min_d(cut->right, (double)line->columns);
    return cut->left < cut->right;
}

static double height_at(const rill_cut *cut, double x) {
    return cut->z + cut->slope * (x - cut->left);
}

/* A pair of cuts, whose heights go side by side. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_of_bits __attribute__((vector_size(16)));
typedef struct slab {
    pair z, slope, left; /* of its underside and topside, in either order */
} slab;

static inline pair heights_at(const slab *in, double x) {
    return in->z + in->slope * ((pair){ x, x } - in->left);
}

/* Adds the part of a slab in one quarter and on one side of the level. Heights are linear, so that the one in the
 * middle is the mean; which of the cuts is the lower one is seen there. */
static inline void add_piece(const rill_line *line, size_t k, double level, double from, double to, const slab *in) {
    const double middle = 0.5 * (from + to);
    const pair at = heights_at(in, middle);
    rill_line_add(line, k, level, line->weight * (to - from), middle, line->y, rill_min_d(at[0], at[1]),
                  rill_max_d(at[0], at[1]));
}

/* Adds a stretch where the level passes through one of the cuts, or both, from one end to the other. */
static void add_pieces(const rill_line *line, size_t k, double level, const double ends[2], pair at, pair at_end,
                       const slab *in) {
    const double a = rill_passes(ends[0], ends[1], at[0], at_end[0], level);
    const double b = rill_passes(ends[0], ends[1], at[1], at_end[1], level);
    const double stops[4] = { ends[0], rill_min_d(a, b), rill_max_d(a, b), ends[1] };
    for (int i = 0; i < 3; ++i)
        if (stops[i] < stops[i + 1]) add_piece(line, k, level, stops[i], stops[i + 1], in);
}

/* Gives the slab between two cuts to the quarters. */
static void spread(rill_line *line, double from, double to, const rill_cut *one, const rill_cut *other) {
    const slab in = { { one->z, other->z }, { one->slope, other->slope }, { one->left, other->left } };
    const rill_line as = *line; /* which no sum written can change: compilers keep it at hand */
    const size_t first = (size_t)from;
    size_t k = first;
    if (!(from < to)) return;
    pair at = heights_at(&in, from);
    for (; from < to; ++k) {
        const double end = rill_min_d((double)(k + 1), to), level = rill_line_level(&as, k);
        const pair at_end = heights_at(&in, end), levels = { level, level };
        const pair_of_bits passes = (at < levels) ^ (at_end < levels);
        if (passes[0] | passes[1])
            add_pieces(line, k, level, (const double[2]){ from, end }, at, at_end, &in);
        else
            add_piece(&as, k, level, from, end, &in);
        from = end, at = at_end;
    }
    rill_line_reach(line, (int32_t)first, (int32_t)k);
}

/* Where a cut that is `behind` another at x, and `ahead` of it at `end`, passes it. */
static double find_change(double x, double end, double behind, double ahead) {
    /* Steps that cannot be too small, whatever rounding does. */
    return rill_min_d(end, x + rill_max_d(1e-6, (end - x) * behind / (behind + ahead)));
}

/* How far the lowest and the highest of the cuts at x stay so, at most to `end`. */
static double find_end(const rill_cut *cuts, int32_t count, double x, double end, const rill_cut *low,
                       const rill_cut *high) {
    const double least = 1e-9; /* meeting there is not crossing */
    double lowest = height_at(low, end), highest = height_at(high, end);
    for (int32_t i = 0; i < count; ++i) {
        double z = height_at(&cuts[i], end);
        if (lowest - z > least) {
            end = find_change(x, end, height_at(&cuts[i], x) - height_at(low, x), lowest - z);
            lowest = height_at(low, end), highest = height_at(high, end), z = height_at(&cuts[i], end);
        }
        if (z - highest > least) {
            end = find_change(x, end, height_at(high, x) - height_at(&cuts[i], x), z - highest);
            lowest = height_at(low, end), highest = height_at(high, end);
        }
    }
    return end;
}

/* The lowest and the highest of the cuts from x on. Returns how far they are, at most to `end`: faces of a mesh may
 * pass through each other. */
static double choose(const rill_cut *cuts, int32_t count, double x, double end, const rill_cut **under,
                     const rill_cut **over) {
    const rill_cut *low = cuts, *high = cuts;
    double lowest = height_at(low, x), highest = lowest;
    for (int32_t i = 1; i < count; ++i) {
        const double z = height_at(&cuts[i], x), slope = cuts[i].slope;
        if (z < lowest || (z == lowest && slope < low->slope)) lowest = z, low = &cuts[i];
        if (z > highest || (z == highest && slope > high->slope)) highest = z, high = &cuts[i];
    }
    *under = low, *over = high;
    return find_end(cuts, count, x, end, low, high);
}

/* From west to east; cuts that are there at x are kept in the front of the array, where all have been taken. */
static void sweep(rill_line *line, rill_cut *cuts, int32_t count) {
    int32_t next = 0, held = 0;
    double x = 0.0;
    while (held > 0 || next < count) {
        if (held == 0) x = cuts[next].left;
        for (; next < count && cuts[next].left <= x; ++next, ++held)
            if (held < next) cuts[held] = cuts[next];
        double end = next < count ? cuts[next].left : INFINITY;
        for (int32_t i = 0; i < held; ++i) end = rill_min_d(end, cuts[i].right);
        const rill_cut *under = &cuts[0], *over = &cuts[1];
        if (held != 2) end = choose(cuts, held, x, end, &under, &over); /* of two, either may be the lower one */
        spread(line, x, end, under, over);
        x = end;
        int32_t kept = 0;
        for (int32_t i = 0; i < held; ++i) {
            if (!(cuts[i].right > x)) continue;
            if (kept < i) cuts[kept] = cuts[i];
            kept += 1;
        }
        held = kept;
    }
}

int32_t rill_cuts_line(const rill_body_form *form, int32_t count, rill_line *line) {
    rill_cut *cuts = form->cuts;
    int32_t kept = 0, cut_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t triangle = form->active[i];
        const rill_slice *slice = &form->slices[triangle];
        if (!(line->y < slice->north)) continue; /* over */
        rill_cut cut;
        if (!cut_triangle(slice, line, &cut)) {
            form->active[kept++] = triangle;
            continue;
        }
        cut.triangle = triangle;
        int32_t at = cut_count++;
        for (; at > 0 && cuts[at - 1].left > cut.left; --at) cuts[at] = cuts[at - 1];
        cuts[at] = cut;
    }
    for (int32_t i = 0; i < cut_count; ++i) form->active[kept++] = cuts[i].triangle;
    sweep(line, cuts, cut_count);
    return kept;
}
