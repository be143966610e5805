/* The energy of surface and wetting in the method `waves`, of which the pressures of theta.h are the slopes:
 *
 *     dx^2 [ sum over corners (sqrt(1 + |grad h|_c^2) - 1) + sum over columns (s^2 / 2) (1 - (1 - H / h*)^2) ],
 *
 * h* = c dx s, H no more than h*; |grad h|_c^2 is, at a corner of four columns, the mean of two squared slopes along either
 * axis. */
#include <math.h>

#include "flow/drive.h"
#include "waves/tension_constants.h"
#include "waves/theta.h"

typedef struct surface {
    const rill_flow *flow;
    const rill_sheet *sheet;
    double slope; /* per quantum */
    int32_t five_dx;
} surface;

static bool is_cell(const surface *s, int32_t x, int32_t y) {
    return x >= 0 && x < s->sheet->nx && y >= 0 && y < s->sheet->ny;
}

/* Returns the squared slope of the liquid between a cell and that west (axis 0) or south of it; 0 where it does not hang
 * together. */
static double squared(const surface *s, int32_t x, int32_t y, int axis) {
    if (!is_cell(s, x, y) || !is_cell(s, x - (axis == 0), y - (axis == 1))) return 0.0;
    const int32_t here = s->sheet->first + y * s->sheet->stride + x, back = here - (axis ? s->sheet->stride : 1);
    const int32_t *b = s->flow->bed->b, *H = s->flow->H;
    const rill_face face = rill_face_at(b[back], b[here], H[back], H[here]);
    if (rill_min_i(face.l, face.r) < rill_drive_clip(&face, s->five_dx)) return 0.0;
    const double slope = (double)(face.r - face.l) * s->slope;
    return slope * slope;
}

/* Returns what the south-west corner of a cell has. */
static double of_corner(const surface *s, int32_t x, int32_t y) {
    const double along = squared(s, x, y, 0) + squared(s, x, y - 1, 0);
    const double across = squared(s, x, y, 1) + squared(s, x - 1, y, 1);
    return sqrt(1.0 + 0.5 * (along + across)) - 1.0;
}

static double of_column(int32_t H, double angle, double cells) {
    const double foot = RILL_FOOT * angle, left = foot > 0.0 ? fmax(1.0 - (double)H * cells / foot, 0.0) : 0.0;
    return 0.5 * angle * angle * (1.0 - left * left);
}

double rill_theta_energy(const rill_theta *theta, const rill_wetting *wetting, const rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    const double dx = bed->grid.cell_size, cells = bed->quantum / dx;
    const surface over = { flow, bed->sheets, cells, (int32_t)(5.0 * dx / bed->quantum) };
    double sum = 0.0;
    for (int32_t y = 0; y <= over.sheet->ny; ++y) {
        for (int32_t x = 0; x <= over.sheet->nx; ++x) {
            sum += of_corner(&over, x, y);
            const int32_t place = over.sheet->first + y * over.sheet->stride + x;
            if (!is_cell(&over, x, y) || bed->b[place] >= RILL_WALL) continue;
            const bool wet = theta->wet[rill_theta_at(theta, over.sheet->x0 + x, over.sheet->y0 + y)] != 0;
            sum += of_column(flow->H[place], (double)(wet ? wetting->receding : wetting->advancing)[place], cells);
        }
    }
    return sum * dx * dx;
}
