/* A tank: its memory, and a sub-step of Kandemir's method. The scheme is in kandemir.h.
 *
 * Everything is swept, row by row and in one order: drive all pipes, limit what columns would give (and take, where
 * liquid is near the top of the range), move. */
#include "kandemir/kandemir.h"

#include <math.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/power.h"
#include "flow/move.h"
#include "flow/stages.h"
#include "kandemir/kandemir_kernels.h"

RILL_DISPATCH(rill_kandemir_kernels)

enum { PLANES = 9, MARGIN = 2 * RILL_PAD_X + 2 };

/* ----------------------------------------------------------------------------------------------------------- memory */

rill_tank *rill_tank_make(const rill_grid *grid, const rill_allocator *allocator) {
    rill_tank *tank = rill_alloc_zeroed(allocator, 1, sizeof *tank);
    if (!tank) return NULL;
    tank->cells[0] = grid->cells[0];
    tank->cells[1] = grid->cells[1];
    tank->stride = (grid->cells[0] + MARGIN + RILL_TILE_W - 1) / RILL_TILE_W * RILL_TILE_W + RILL_PAD_X;
    tank->size = (size_t)tank->stride * (size_t)(grid->cells[1] + 4);
    tank->memory = rill_alloc_zeroed(allocator, PLANES * tank->size, sizeof *tank->memory);
    tank->flagged = rill_alloc_zeroed(allocator, (size_t)grid->cells[1] + 4, 1);
    if (!tank->memory || !tank->flagged) {
        rill_tank_free(tank, allocator);
        return NULL;
    }
    float **const planes[PLANES] = { &tank->ne,       &tank->nw,      &tank->set,     &tank->bodies, &tank->before,
                                     &tank->external, &tank->half[0], &tank->half[1], &tank->K };
    for (size_t i = 0; i < PLANES; ++i) *planes[i] = tank->memory + i * tank->size;
    for (size_t i = 0; i < tank->size; ++i) tank->K[i] = 1.0f;
    RILL_ASSERT(tank->stride >= tank->cells[0] + MARGIN && tank->K + tank->size == tank->memory + PLANES * tank->size);
    return tank;
}

void rill_tank_free(rill_tank *tank, const rill_allocator *allocator) {
    if (!tank) return;
    rill_free(allocator, tank->memory, PLANES * tank->size, sizeof *tank->memory);
    rill_free(allocator, tank->flagged, (size_t)tank->cells[1] + 4, 1);
    rill_free(allocator, tank, 1, sizeof *tank);
}

void rill_tank_stop(rill_tank *tank, int32_t x, int32_t y) {
    tank->ne[rill_tank_at(tank, x, y)] = 0.0f;
    tank->nw[rill_tank_at(tank, x, y)] = 0.0f;
    tank->ne[rill_tank_at(tank, x + 1, y + 1)] = 0.0f;
    tank->nw[rill_tank_at(tank, x - 1, y + 1)] = 0.0f;
}

void rill_tank_stop_all(rill_tank *tank) {
    float *const planes[] = { tank->ne, tank->nw, tank->bodies, tank->before };
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; ++i) memset(planes[i], 0, tank->size * sizeof(float));
    tank->has_bodies = false;
}

void rill_tank_lift(rill_tank *tank, double kept) {
    const float part = (float)kept, least = 1e-6f;
    float *const bodies = tank->before, *const before = tank->bodies;
    int32_t any = 0;
    RILL_ASSERT(kept >= 0.0 && kept <= 1.0);
    for (size_t i = 0; i < tank->size; ++i) {
        const float left = before[i] * part;
        bodies[i] = left > least ? left : 0.0f;
        any |= left > least;
    }
    tank->bodies = bodies;
    tank->before = before;
    tank->has_bodies = any;
}

/* --------------------------------------------------------------------------------------------------------- settings */

rill_kandemir rill_tank_controls(const rill_kandemir *controls, double cell_size) {
    rill_kandemir resolved = *controls;
    if (resolved.pipe_length == 0.0) resolved.pipe_length = cell_size;
    if (resolved.pipe_area == 0.0) resolved.pipe_area = cell_size * cell_size;
    RILL_ASSERT(resolved.pipe_length > 0.0 && resolved.pipe_area > 0.0);
    return resolved;
}

double rill_tank_limit(const rill_kandemir *controls, double cell_size, double gravity) {
    const rill_kandemir resolved = rill_tank_controls(controls, cell_size);
    const double speed = sqrt(3.0 * gravity * resolved.pipe_area / resolved.pipe_length);
    return speed > 0.0 ? cell_size / speed : INFINITY;
}

/* Keeps what absurd but legal controls come to finite. */
static float finite(double value) {
    return (float)fmin(value, 1e30);
}

static rill_kandemir_constants constants_of(const rill_flow *flow, const rill_tank_step *step) {
    const double dx = flow->bed->grid.cell_size, q = flow->bed->quantum;
    const rill_kandemir controls = rill_tank_controls(&step->controls, dx);
    rill_kandemir_constants constants = { .phase = rill_move_phase(flow->substep), .thin = flow->extent.depth / 256 };
    constants.pressure = finite(step->density * step->gravity * q);
    constants.gain = finite(step->dt * step->slowed * step->slowed / (step->density * controls.pipe_length));
    constants.keep = (float)rill_power(controls.vanishing, step->dt);
    constants.viscosity = (float)controls.viscosity;
    constants.flux = finite(step->dt * controls.pipe_area / (dx * dx * q));
    constants.top_speed = finite(fmin((double)RILL_TOP / (double)constants.flux, 1e8));
    for (int i = 0; i < 2; ++i) constants.tilt[i] = (float)(step->density * step->tangent[i] * dx);
    RILL_ASSERT(constants.keep >= 0.0f && constants.keep <= 1.0f);
    RILL_ASSERT(constants.gain >= 0.0f && constants.flux >= 0.0f && constants.top_speed > 0.0f);
    RILL_ASSERT(isfinite(constants.pressure) && isfinite(constants.gain) && isfinite(constants.flux));
    return constants;
}

/* --------------------------------------------------------------------------------------------------------- sub-step */

typedef struct tank_sweep {
    rill_tank *tank;
    rill_flow *flow;
    const rill_sheet *sheet;
    const rill_kandemir_kernels *kernels;
    rill_kandemir_constants constants;
    int32_t rows, width; /* ghosts included; the width a multiple of 16 */
} tank_sweep;

/* Asserts that rows of the sheet, and a column beside each, fit into those of the tank: where cells have no column the
 * sheet is smaller than the grid. */
static inline void check_rows(const tank_sweep *sweep) {
    const rill_sheet *sheet = sweep->sheet;
    const rill_tank *tank = sweep->tank;
    RILL_ASSERT(sheet->x0 >= 0 && sheet->x0 + sheet->nx <= tank->cells[0]);
    RILL_ASSERT(sheet->y0 >= 0 && sheet->y0 + sheet->ny <= tank->cells[1]);
    RILL_ASSERT(sweep->width % 16 == 0 && sheet->x0 + RILL_PAD_X + sweep->width < tank->stride);
    RILL_ASSERT(sweep->rows <= tank->cells[1] + 4); /* `flagged` has one for each */
}

/* Asserts that all velocities of a row are finite. */
static inline void check_velocities(const rill_kandemir_row *row, int32_t width) {
    for (int32_t i = 0; i < width; ++i)
        RILL_ASSERT(isfinite(row->u[i]) && isfinite(row->v[i]) && isfinite(row->ne[i]) && isfinite(row->nw[i]));
}

/* Asserts that all of a row's depths are in range, and its limiter factors 1, as they are between sub-steps. */
static inline void check_columns(const rill_kandemir_row *row, int32_t width) {
    for (int32_t i = 0; i < width; ++i) {
        RILL_ASSERT(row->H[i] >= 0 && row->H[i] <= RILL_TOP);
        RILL_ASSERT(row->K[i] == 1.0f);
    }
}

/* Points to a row, of which 0 is that of the ghosts south of the sheet. */
static rill_kandemir_row row_of(const tank_sweep *sweep, int32_t row) {
    const rill_bed *bed = sweep->flow->bed;
    const int32_t place = rill_sheet_place(sweep->sheet, 0, row);
    const size_t at = rill_tank_at(sweep->tank, sweep->sheet->x0 - 1, sweep->sheet->y0 + row - 1);
    return (rill_kandemir_row){ .b = bed->b + place,
                                .c = bed->c + place,
                                .H = sweep->flow->H + place,
                                .u = sweep->flow->u + place,
                                .v = sweep->flow->v + place,
                                .ne = sweep->tank->ne + at,
                                .nw = sweep->tank->nw + at,
                                .external = sweep->tank->external + at,
                                .half = { sweep->tank->half[0] + at, sweep->tank->half[1] + at },
                                .K = sweep->tank->K + at };
}

static bool add_pressures(rill_tank *tank) {
    if (!tank->has_set && !tank->has_half && !tank->has_bodies) return false;
    for (size_t i = 0; i < tank->size; ++i) tank->external[i] = tank->set[i] + tank->bodies[i];
    return true;
}

/* Lets no column give more than it has; or, if `taking`, take more than it has room for. */
static void limit_rows(const tank_sweep *sweep, bool taking) {
    uint8_t *flagged = sweep->tank->flagged, any = 0;
    for (int32_t row = 0; row < sweep->rows; ++row) {
        const rill_kandemir_row here = row_of(sweep, row), north = row_of(sweep, row + 1);
        flagged[row] = sweep->kernels->flag(sweep->width, &here, &north, taking, sweep->constants.flux);
        if (flagged[row]) sweep->kernels->limit(sweep->width, &here, &north, taking, sweep->constants.flux);
        any |= flagged[row];
    }
    for (int32_t row = 0; any && row <= sweep->rows; ++row) {
        const rill_kandemir_row here = row_of(sweep, row), south = row_of(sweep, row - 1);
        const bool at_row = row < sweep->rows && flagged[row], below = row > 0 && flagged[row - 1];
        if (row < sweep->rows && (at_row || below)) sweep->kernels->scale(sweep->width, &here, &south, taking);
        for (int32_t i = 0; below && i < sweep->width; ++i) south.K[i] = 1.0f;
    }
}

void rill_tank_move(rill_tank *tank, rill_flow *flow, const rill_tank_step *step, rill_edge_flow *flows) {
    const rill_sheet *sheet = flow->bed->sheets;
    const tank_sweep sweep = { .tank = tank,
                               .flow = flow,
                               .sheet = sheet,
                               .kernels = rill_kandemir_kernels_pick(step->scalar),
                               .constants = constants_of(flow, step),
                               .rows = rill_sheet_rows(sheet),
                               .width = sheet->tiles_x * RILL_TILE_W };
    RILL_ASSERT(step->dt > 0.0 && step->density > 0.0 && step->slowed >= 0.0 && step->slowed <= 1.0);
    check_rows(&sweep);
    rill_flow_wake_everything(flow);
    /* A column may get all that its eight neighbours have. */
    const bool near_top = flow->extent.level + 8 * (int64_t)flow->extent.depth > RILL_TOP;
    const bool pressed = add_pressures(tank);
    const rill_kandemir_drive how = tank->has_half ? RILL_TANK_PUSHED : pressed ? RILL_TANK_PRESSED : RILL_TANK_FREE;
    for (int32_t row = 0; row < sweep.rows; ++row) {
        const rill_kandemir_row here = row_of(&sweep, row), south = row_of(&sweep, row - 1);
        sweep.kernels->drive(sweep.width, &here, &south, how, &sweep.constants);
        check_velocities(&here, sweep.width);
    }
    limit_rows(&sweep, false);
    if (near_top) limit_rows(&sweep, true);
    flow->extent = (rill_flow_extent){ 0 };
    for (int32_t row = 0; row < sweep.rows; ++row) {
        const rill_kandemir_row here = row_of(&sweep, row), north = row_of(&sweep, row + 1);
        sweep.kernels->deposit(sweep.width, &here, &north, &sweep.constants, &flow->extent);
        check_columns(&here, sweep.width);
    }
    rill_edges_restore_widening(flow, flows);
}
