/* Which cells a body shades: the area it reaches, and the planes it is cut by (body_form_internal.h).
 *
 * Bits do not depend on the machine: sums are made in a fixed order, and the square root is all that is asked of
 * libm. */
#include "shape/body_form_internal.h"

#include "base/assert.h"
#include "base/simd.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------- area */

/* How far the body reaches from its centre of mass along x (axis 0) or y (axis 1) of the world. */
static void find_bounds(const rill_body_form *form, const double turn[9], int axis, double *low, double *high) {
    const double *row = turn + 3 * axis;
    if (form->turned) { /* flat faces */
        *low = INFINITY, *high = -INFINITY;
        for (size_t i = 0; i < form->vertex_count; ++i) {
            const double *p = form->vertices + 3 * i;
            const double at = rill_vec_dot(row, p);
            *low = at < *low ? at : *low;
            *high = at > *high ? at : *high;
        }
        return;
    }
    const double *m = form->middle;
    const double at = rill_vec_dot(row, m), lean = fabs(row[2]);
    double reach = form->radius;
    if (form->shape == RILL_SHAPE_CYLINDER) reach *= lean < 1.0 ? sqrt(1.0 - lean * lean) : 0.0;
    if (form->shape != RILL_SHAPE_SPHERE) reach += 0.5 * form->length * lean;
    *low = at - reach, *high = at + reach;
}

static int32_t clamp_cell(double cell, int32_t cells) {
    return !(cell > 0.0) ? 0 : cell < (double)cells ? (int32_t)cell : cells;
}

rill_area rill_body_area(const rill_body_form *form, const rill_pose *pose, const rill_grid *grid) {
    rill_area area;
    for (int i = 0; i < 2; ++i) {
        double low, high;
        find_bounds(form, pose->turn, i, &low, &high);
        const double place = pose->position[i] - grid->origin[i];
        area.low[i] = clamp_cell(floor((place + low) / grid->cell_size), grid->cells[i]);
        area.high[i] = clamp_cell(floor((place + high) / grid->cell_size) + 1.0, grid->cells[i]);
        if (area.high[i] < area.low[i]) area.high[i] = area.low[i];
        RILL_ASSERT(area.low[i] >= 0 && area.high[i] <= grid->cells[i]);
    }
    return area;
}

/* ----------------------------------------------------------------------------------------------------------- shades */

typedef struct rule {
    int32_t count;
    double nodes[RILL_MOST_PLANES], weights[RILL_MOST_PLANES]; /* of Gauss on 0 to 1 */
} rule;

/* Small bodies have few rows, and corners that no polynomial follows: they get more planes in each. */
static const rule *choose_rule(double rows, double height, bool exact) {
    static const rule rules[3] = {
        { 2, { 0.21132486540518712, 0.78867513459481288 }, { 0.5, 0.5 } },
        { 4,
          { 0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629 },
          { 0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693 } },
        { 8,
          { 0.019855071751231884, 0.10166676129318663, 0.23723379504183550, 0.40828267875217510, 0.59171732124782490,
            0.76276620495816450, 0.89833323870681337, 0.98014492824876812 },
          { 0.050614268145188130, 0.11119051722668724, 0.15685332293894364, 0.18134189168918099, 0.18134189168918099,
            0.15685332293894364, 0.11119051722668724, 0.050614268145188130 } }
    };
    return &rules[rows >= 24.0 || (exact && height < 0.5) ? 0 : rows >= 5.0 ? 1 : 2];
}

enum { MOST_STEPS = 16, GRADES = 4 };

/* Places along y where rows are divided, from south to north: where the area of the body's section has a corner, or
 * may have. An edge that is nearly parallel to x is the worst: the section is there at once, and planes on either
 * side of it would make much of a row too much or too little. */
typedef struct steps {
    int32_t count;
    bool exact; /* between them, the area is a polynomial of degree 2 */
    double at[MOST_STEPS];
} steps;

static void add_step(steps *all, double y) {
    int32_t i = all->count++;
    RILL_ASSERT(i < MOST_STEPS);
    for (; i > 0 && all->at[i - 1] > y; --i) all->at[i] = all->at[i - 1];
    all->at[i] = y;
}

/* `y`: of the centre of mass. */
static steps find_steps(const rill_body_form *form, const double turn[9], double y, double unit, double low,
                        double high) {
    static const double grades[GRADES] = { 0.05, 0.15, 0.4, 1.0 };
    steps all = { .exact = form->turned && form->vertex_count <= MOST_STEPS };
    const double *row = turn + 3, *m = form->middle;
    if (all.exact) {
        for (size_t i = 0; i < form->vertex_count; ++i) {
            const double *p = form->vertices + 3 * i;
            add_step(&all, y + rill_vec_dot(row, p) / unit);
        }
    } else if (form->turned) { /* close to the ends; a body of less than two rows all along */
        for (int i = 0; i < GRADES; ++i) {
            const double step = grades[i] * rill_min_d(1.0, 0.5 * (high - low));
            add_step(&all, low + step);
            add_step(&all, high - step);
        }
    } else if (form->shape == RILL_SHAPE_CYLINDER) { /* ends of the flat sides */
        const double middle = y + rill_vec_dot(row, m) / unit;
        const double far = 0.5 * form->length * fabs(row[2]) / unit, half = 0.5 * (high - low);
        add_step(&all, middle - (2.0 * far - half));
        add_step(&all, middle + (2.0 * far - half));
    }
    return all;
}

/* From sums to means, m. */
static bool find_means(rill_quarter *out, const rill_quarter *sum, double unit, const double from[3]) {
    const double most = 1e30;                /* a float, whatever the pose */
    if (!(sum->part > 1e-20f)) return false; /* far more than nothing, so that quotients are right */
    const double scale = unit / (double)sum->part;
    const double under = from[2] + (double)sum->under * scale, over = from[2] + (double)sum->over * scale;
    /* Covered but for rounding is covered. */
    out->part = sum->part < 0.999998f ? sum->part : 1.0f;
    RILL_ASSERT(sum->part < 1.001f);
    out->under = (float)rill_max_d(-most, rill_min_d(under, most));
    out->over = (float)rill_max_d(-most, rill_min_d(over, most));
    for (int i = 0; i < 2; ++i) out->at[i] = (float)((double)sum->at[i] * scale - from[i] * unit);
    return true;
}

/* The cells of a row with something in them; their sums are zero again then. `place`: of the centre of mass, in
 * quarters, and its height, m. */
static int32_t gather_row(const rill_line *line, int32_t x, int32_t y, double unit, const double place[3],
                          rill_shade *out) {
    int32_t count = 0;
    for (int32_t i = line->low >> 1; i < (line->high + 1) >> 1; ++i) {
        rill_quarter *sums = &line->cells[i].quarter[0][0], *means = &out[count].quarter[0][0];
        uint32_t left = line->cells[i].there, there = 0;
        RILL_ASSERT(left < 1u << (4 * RILL_PARTS) && 2 * i < line->columns && count <= i);
        line->cells[i].there = 0;
        for (; left; left &= left - 1) {
            const int k = __builtin_ctz(left);
            const rill_quarter sum = sums[k]; /* whose place may be that of the mean */
            sums[k] = (rill_quarter){ 0 };
            if (find_means(&means[k], &sum, unit, place)) there |= 1u << k;
        }
        if (!there) continue;
        for (int k = 0; k < RILL_PARTS * 4; ++k)
            if (!(there >> k & 1u)) means[k] = (rill_quarter){ 0 };
        out[count].x = x + i;
        out[count].y = y;
        out[count++].there = there;
    }
    return count;
}

/* The body, and how far along y it has been cut. */
typedef struct shading {
    const rill_body_form *form;
    rill_round round;
    steps all;
    double low, high;     /* extent along y */
    int32_t active, step; /* triangles, and the next of the steps */
} shading;

static void shade_row(shading *work, int32_t row, rill_line *line) {
    const double top = rill_min_d((double)row + 1.0, work->high);
    for (double from = rill_max_d((double)row, work->low), to; from < top; from = to) {
        while (work->step < work->all.count && !(work->all.at[work->step] > from)) work->step += 1;
        to = work->step < work->all.count ? rill_min_d(work->all.at[work->step], top) : top;
        const rule *by = choose_rule(work->high - work->low, to - from, work->all.exact);
        double y[RILL_MOST_PLANES], weights[RILL_MOST_PLANES];
        for (int32_t i = 0; i < by->count; ++i) {
            y[i] = from + by->nodes[i] * (to - from);
            weights[i] = by->weights[i] * (to - from);
        }
        if (work->form->shape == RILL_SHAPE_SPHERE) {
            rill_sphere_row(&work->round, line, by->count, y, weights);
            continue;
        }
        for (int32_t i = 0; i < by->count; ++i) {
            line->y = y[i];
            line->weight = weights[i];
            if (work->form->turned)
                work->active = rill_cuts_line(work->form, work->active, line);
            else
                rill_round_line(&work->round, line);
        }
    }
}

int32_t rill_body_shades(const rill_body_form *form, const rill_pose *pose, const rill_grid *grid, rill_area area,
                         const float *levels, rill_shade *out) {
    if (area.low[0] >= area.high[0] || area.low[1] >= area.high[1]) return 0;
    const int32_t width = area.high[0] - area.low[0], height = area.high[1] - area.low[1];
    const double unit = 0.5 * grid->cell_size;
    double place[3] = { 0.0, 0.0, pose->position[2] };
    shading work = { .form = form };
    for (int i = 0; i < 2; ++i) place[i] = (pose->position[i] - grid->origin[i]) / unit - 2.0 * (double)area.low[i];
    find_bounds(form, pose->turn, 1, &work.low, &work.high);
    work.low = place[1] + work.low / unit, work.high = place[1] + work.high / unit;
    const int32_t first = clamp_cell(floor(work.low), 2 * height), end = clamp_cell(floor(work.high) + 1.0, 2 * height);
    work.all = find_steps(form, pose->turn, place[1], unit, work.low, work.high);
    if (form->turned)
        rill_cuts_begin(form, pose->turn, place, unit, first, end - first);
    else
        work.round = rill_round_make(form, pose->turn, place, unit);
    /* Sums of a row of cells are made at the end of the room for results, which are never ahead of them. */
    rill_line line = {
        .cells = out + (size_t)width * (size_t)(height - 1), .columns = 2 * width, .z = place[2], .per_unit = 1.0 / unit
    };
    int32_t count = 0;
    memset(line.cells, 0, (size_t)width * sizeof *line.cells);
    for (int32_t y = first >> 1; y < (end + 1) >> 1; ++y) {
        line.low = line.columns;
        line.high = 0;
        line.levels = levels ? levels + (size_t)y * (size_t)width : NULL;
        for (int32_t row = rill_max_i(2 * y, first); row < rill_min_i(2 * y + 2, end); ++row) {
            if (form->turned) work.active = rill_cuts_row(form, work.active, row, first, end - first);
            line.north = 2 * ((size_t)row & 1);
            shade_row(&work, row, &line);
        }
        count += gather_row(&line, area.low[0], area.low[1] + y, unit, place, out + count);
    }
    RILL_ASSERT((size_t)count <= rill_area_cells(&area));
    return count;
}
