/* The energy of the surface and of the wetted bed, of which the pressures of tension.h are the slopes:
 *
 *     gamma dx^2 [ sum over corners (sqrt(1 + |grad h|_c^2) - 1) + sum over brinks and sparse pipes (sqrt(1 + s^2) - 1) ]
 *     + gamma dx^2 sum over columns (s_i^2 / 2) (1 - (1 - H / h*)^2),   h* = c dx s_i, H no more than h*
 *
 * |grad h|_c^2 is, at a corner of four columns, the mean of two squared slopes along either axis. */
#include <math.h>

#include "waves/tension_internal.h"
#include "waves/tension_link.h"

typedef struct sum {
    const rill_tension_planes *planes;
    double per_quantum; /* slope */
    double foot;        /* c dx, quanta */
    int32_t five_dx;
    bool walls;
    double surface, wetting; /* over gamma dx^2 */
} sum;

/* The squared slope over a face where tension acts on both sides, else 0. */
static double squared(const sum *total, int32_t l, int32_t r) {
    const rill_face face = rill_tension_face(total->planes, l, r);
    if (!rill_tension_linked(total->planes, &face, l, r, total->five_dx) ||
        !(rill_min_f(total->planes->acting[l], total->planes->acting[r]) > 0.0f))
        return 0.0;
    const double slope = (double)(face.r - face.l) * total->per_quantum;
    return slope * slope;
}

/* Adds the south-west corner of a place. */
static void add_corner(sum *total, int32_t place, int32_t stride) {
    const int32_t south = place - stride;
    const double along = squared(total, place - 1, place) + squared(total, south - 1, south);
    const double across = squared(total, south, place) + squared(total, south - 1, place - 1);
    total->surface += sqrt(1.0 + 0.5 * (along + across)) - 1.0;
}

/* Adds the end of the surface at a face that is not linked. */
static void add_brink(sum *total, int32_t l, int32_t r) {
    const rill_face face = rill_tension_face(total->planes, l, r);
    const int32_t upper = face.step > 0 ? l : r;
    if (rill_tension_linked(total->planes, &face, l, r, total->five_dx)) return;
    if (total->planes->acting[upper] <= 0.0f || total->planes->acting[l] < 0.0f || total->planes->acting[r] < 0.0f)
        return;
    const double up = (double)total->planes->H[upper] * total->per_quantum;
    total->surface += sqrt(1.0 + up * up) - 1.0;
}

static void add_column(sum *total, int32_t place) {
    if (total->planes->acting[place] <= 0.0f) return;
    const double angle =
        (double)(total->planes->wet[place] ? total->planes->receding[place] : total->planes->advancing[place]);
    const double end = total->foot * angle,
                 left = end > 0.0 ? fmax(1.0 - (double)total->planes->H[place] / end, 0.0) : 0.0;
    total->wetting += 0.5 * angle * angle * (1.0 - left * left);
}

/* Walls beside a column: what they are wetted by counts negatively, by the cosine of the angle. */
static void add_walls(sum *total, int32_t place, int32_t stride) {
    const double along = rill_tension_walls(total->planes, place, 0, 1),
                 across = rill_tension_walls(total->planes, place, 1, stride);
    const double angle =
        (double)(total->planes->wet[place] ? total->planes->receding[place] : total->planes->advancing[place]);
    const double H = (double)total->planes->H[place], foot = total->foot * (double)total->planes->advancing[place];
    if (total->planes->acting[place] <= 0.0f) return;
    const double wets = H < foot ? 0.5 * H * H / foot : H - 0.5 * foot;
    total->wetting -= (1.0 - 0.5 * angle * angle) * sqrt(along * along + across * across) * wets * total->per_quantum;
}

static void add_pipe(sum *total, int32_t l, int32_t r) {
    total->surface += sqrt(1.0 + squared(total, l, r)) - 1.0;
    add_brink(total, l, r);
}

static void add_sheet(sum *total, const rill_sheet *sheet) {
    for (int32_t y = 0; y <= sheet->ny; ++y)
        for (int32_t x = 0; x <= sheet->nx; ++x) {
            const int32_t place = sheet->first + y * sheet->stride + x;
            add_corner(total, place, sheet->stride);
            add_brink(total, place - 1, place);
            add_brink(total, place - sheet->stride, place);
            if (total->planes->b[place] >= RILL_WALL) continue;
            add_column(total, place);
            if (total->walls) add_walls(total, place, sheet->stride);
        }
}

double rill_tension_energy(const rill_tension_state *tension, const rill_wetting *wetting, const rill_flow *flow,
                           bool walls) {
    const rill_bed *bed = flow->bed;
    const double dx = bed->grid.cell_size, q = bed->quantum;
    rill_tension_planes plane = tension->planes;
    plane.b = rill_flow_bases(flow), plane.c = bed->c, plane.H = flow->H;
    plane.advancing = wetting->advancing, plane.receding = wetting->receding, plane.sides = tension->sides;
    if (!plane.acting) plane.acting = tension->acting;
    sum total = { .planes = &plane,
                  .per_quantum = q / dx,
                  .foot = RILL_FOOT * dx / q,
                  .five_dx = (int32_t)(5.0 * dx / q),
                  .walls = walls };
    for (int32_t i = 0; i < bed->sheet_count; ++i) add_sheet(&total, &bed->sheets[i]);
    for (int32_t i = 0; i < bed->pipe_count; ++i) add_pipe(&total, bed->pipe_l[i], bed->pipe_r[i]);
    return (total.surface + total.wetting) * dx * dx;
}
