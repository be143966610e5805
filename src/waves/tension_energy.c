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
    const rill_tension_planes *p;
    double per_quantum; /* slope */
    double foot;        /* c dx, quanta */
    int32_t five_dx;
    bool walls;
    double surface, wetting; /* over gamma dx^2 */
} sum;

/* The squared slope over a face where tension acts on both sides, else 0. */
static double squared(const sum *s, int32_t l, int32_t r) {
    const rill_face f = rill_tension_face(s->p, l, r);
    if (!rill_tension_linked(s->p, &f, l, r, s->five_dx) || !(rill_min_f(s->p->acting[l], s->p->acting[r]) > 0.0f))
        return 0.0;
    const double slope = (double)(f.r - f.l) * s->per_quantum;
    return slope * slope;
}

/* Adds the south-west corner of a place. */
static void add_corner(sum *s, int32_t place, int32_t stride) {
    const int32_t south = place - stride;
    const double along = squared(s, place - 1, place) + squared(s, south - 1, south);
    const double across = squared(s, south, place) + squared(s, south - 1, place - 1);
    s->surface += sqrt(1.0 + 0.5 * (along + across)) - 1.0;
}

/* Adds the end of the surface at a face that is not linked. */
static void add_brink(sum *s, int32_t l, int32_t r) {
    const rill_face f = rill_tension_face(s->p, l, r);
    const int32_t upper = f.step > 0 ? l : r;
    if (rill_tension_linked(s->p, &f, l, r, s->five_dx)) return;
    if (s->p->acting[upper] <= 0.0f || s->p->acting[l] < 0.0f || s->p->acting[r] < 0.0f) return;
    const double up = (double)s->p->H[upper] * s->per_quantum;
    s->surface += sqrt(1.0 + up * up) - 1.0;
}

static void add_column(sum *s, int32_t place) {
    if (s->p->acting[place] <= 0.0f) return;
    const double angle = (double)(s->p->wet[place] ? s->p->receding[place] : s->p->advancing[place]);
    const double end = s->foot * angle, left = end > 0.0 ? fmax(1.0 - (double)s->p->H[place] / end, 0.0) : 0.0;
    s->wetting += 0.5 * angle * angle * (1.0 - left * left);
}

/* Walls beside a column: what they are wetted by counts negatively, by the cosine of the angle. */
static void add_walls(sum *s, int32_t place, int32_t stride) {
    const double along = rill_tension_walls(s->p, place, 0, 1), across = rill_tension_walls(s->p, place, 1, stride);
    const double angle = (double)(s->p->wet[place] ? s->p->receding[place] : s->p->advancing[place]);
    const double H = (double)s->p->H[place], foot = s->foot * (double)s->p->advancing[place];
    if (s->p->acting[place] <= 0.0f) return;
    const double wets = H < foot ? 0.5 * H * H / foot : H - 0.5 * foot;
    s->wetting -= (1.0 - 0.5 * angle * angle) * sqrt(along * along + across * across) * wets * s->per_quantum;
}

static void add_pipe(sum *s, int32_t l, int32_t r) {
    s->surface += sqrt(1.0 + squared(s, l, r)) - 1.0;
    add_brink(s, l, r);
}

static void add_sheet(sum *s, const rill_sheet *sheet) {
    for (int32_t y = 0; y <= sheet->ny; ++y)
        for (int32_t x = 0; x <= sheet->nx; ++x) {
            const int32_t place = sheet->first + y * sheet->stride + x;
            add_corner(s, place, sheet->stride);
            add_brink(s, place - 1, place);
            add_brink(s, place - sheet->stride, place);
            if (s->p->b[place] >= RILL_WALL) continue;
            add_column(s, place);
            if (s->walls) add_walls(s, place, sheet->stride);
        }
}

double rill_tension_energy(const rill_tension_state *tension, const rill_wetting *wetting, const rill_flow *flow,
                           bool walls) {
    const rill_bed *bed = flow->bed;
    const double dx = bed->grid.cell_size, q = bed->quantum;
    rill_tension_planes p = tension->planes;
    p.b = rill_flow_bases(flow), p.c = bed->c, p.H = flow->H;
    p.advancing = wetting->advancing, p.receding = wetting->receding, p.sides = tension->sides;
    if (!p.acting) p.acting = tension->acting;
    sum s = {
        .p = &p, .per_quantum = q / dx, .foot = RILL_FOOT * dx / q, .five_dx = (int32_t)(5.0 * dx / q), .walls = walls
    };
    for (int32_t i = 0; i < bed->sheet_count; ++i) add_sheet(&s, &bed->sheets[i]);
    for (int32_t i = 0; i < bed->pipe_count; ++i) add_pipe(&s, bed->pipe_l[i], bed->pipe_r[i]);
    return (s.surface + s.wetting) * dx * dx;
}
