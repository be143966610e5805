/* Fields, controls and brushes, summed up for each column. What they are is in forces.h. */
#include "waves/forces.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "shape/contact_angle.h"

rill_forces rill_forces_make(const rill_grid *grid) {
    return (rill_forces){ .cells = (size_t)grid->cells[0] * (size_t)grid->cells[1],
                          .layers = rill_array_make(sizeof(rill_force_layer)),
                          .controls = rill_array_make(sizeof(rill_control)),
                          .brushes = rill_array_make(sizeof(rill_brush)) };
}

static void free_layer(const rill_forces *forces, rill_force_layer *layer, const rill_allocator *allocator) {
    rill_free(allocator, layer->pressures, forces->cells, sizeof *layer->pressures);
    rill_free(allocator, layer->accelerations, 2 * forces->cells, sizeof *layer->accelerations);
}

void rill_forces_clear(rill_forces *forces, const rill_allocator *allocator) {
    rill_force_layer *layers = forces->layers.data;
    for (size_t i = 0; i < forces->layers.count; ++i) free_layer(forces, &layers[i], allocator);
    forces->layers.count = 0;
    forces->mean[0] = forces->mean[1] = 0.0;
}

void rill_forces_free(rill_forces *forces, const rill_allocator *allocator) {
    rill_control *controls = forces->controls.data;
    rill_forces_clear(forces, allocator);
    for (size_t i = 0; i < forces->controls.count; ++i) rill_control_free(&controls[i], allocator);
    rill_array_free(&forces->layers, allocator);
    rill_array_free(&forces->controls, allocator);
    rill_array_free(&forces->brushes, allocator);
}

bool rill_forces_any(const rill_forces *forces) {
    const rill_control *controls = forces->controls.data;
    bool any = forces->layers.count > 0 || forces->brushes.count > 0;
    for (size_t i = 0; i < forces->controls.count; ++i) any |= controls[i].alive;
    return any;
}

bool rill_forces_accelerate(const rill_forces *forces) {
    const rill_force_layer *layers = forces->layers.data;
    bool any = forces->brushes.count > 0;
    for (size_t i = 0; i < forces->layers.count; ++i) any |= layers[i].accelerations != NULL;
    return any;
}

/* ----------------------------------------------------------------------------------------------------------- fields */

/* Returns a copy of numbers; NULL for none. `*good` becomes false without memory. */
static double *copy(const double *numbers, size_t count, const rill_allocator *allocator, bool *good) {
    double *own = numbers ? rill_alloc(allocator, count, sizeof *own) : NULL;
    if (own) memcpy(own, numbers, count * sizeof *own);
    *good &= own || !numbers;
    return own;
}

void rill_forces_find_mean(rill_forces *forces) {
    const rill_force_layer *layers = forces->layers.data;
    const double *accelerations = forces->layers.count == 1 ? layers[0].accelerations : NULL;
    for (int axis = 0; axis < 2; ++axis) {
        double sum = 0.0;
        for (size_t i = 0; accelerations && i < forces->cells; ++i) sum += accelerations[2 * i + (size_t)axis];
        forces->mean[axis] = sum / (double)forces->cells;
    }
}

bool rill_forces_set(rill_forces *forces, const rill_force_field *field, const rill_allocator *allocator) {
    bool good = rill_array_reserve(&forces->layers, allocator, forces->layers.count + 1);
    rill_force_layer fresh = { .layer = field->layer };
    fresh.pressures = copy(field->pressures, forces->cells, allocator, &good);
    fresh.accelerations = copy(field->accelerations, 2 * forces->cells, allocator, &good);
    if (!good) {
        free_layer(forces, &fresh, allocator);
        return false;
    }
    rill_force_layer *layers = forces->layers.data;
    if (field->layer == RILL_ALL_LAYERS) rill_forces_clear(forces, allocator);
    size_t at = 0;
    while (at < forces->layers.count && layers[at].layer < field->layer) ++at;
    if (at < forces->layers.count && layers[at].layer == field->layer) {
        free_layer(forces, &layers[at], allocator);
    } else {
        memmove(layers + at + 1, layers + at, (forces->layers.count - at) * sizeof *layers);
        forces->layers.count += 1;
    }
    layers[at] = fresh;
    rill_forces_find_mean(forces);
    return true;
}

/* Returns the field of a layer, else that of all; NULL if there is neither. */
static const rill_force_layer *field_of(const rill_forces *forces, int32_t layer) {
    const rill_force_layer *layers = forces->layers.data, *found = NULL;
    for (size_t i = 0; i < forces->layers.count; ++i)
        if (layers[i].layer == RILL_ALL_LAYERS || layers[i].layer == layer) found = &layers[i];
    return found;
}

/* --------------------------------------------------------------------------------------------------------- controls */

bool rill_forces_switch(rill_forces *forces, double now) {
    rill_control *controls = forces->controls.data;
    bool changed = false;
    for (size_t i = 0; i < forces->controls.count; ++i) {
        const bool due = rill_control_is_due(&controls[i], now);
        changed |= due != controls[i].active;
        controls[i].active = due;
    }
    return changed;
}

const rill_contact_angle *rill_forces_contact_angle(const rill_forces *forces, size_t cell) {
    const rill_control *controls = forces->controls.data;
    const rill_contact_angle *angle = NULL;
    for (size_t i = 0; i < forces->controls.count; ++i) {
        if (!controls[i].active) continue;
        const rill_contact_angle *own = rill_control_angle(&controls[i], cell);
        if (rill_contact_angle_given(own)) angle = own;
    }
    return angle;
}

/* ---------------------------------------------------------------------------------------------------------- brushes */

/* Adds what a brush does at a distance r from its middle: (1 - r^2 / R^2)^2 of its acceleration. */
static void add_brush(const rill_brush *brush, const rill_bed *bed, const rill_force_scale *scale,
                      const double centre[2], int32_t x, int32_t y, int32_t layer, rill_force *force) {
    const double dx = centre[0] - brush->at[0], dy = centre[1] - brush->at[1];
    const double left = 1.0 - (dx * dx + dy * dy) / (brush->radius * brush->radius);
    if (!(left > 0.0)) return;
    const int32_t found = rill_bed_find(bed, (const double[3]){ centre[0], centre[1], brush->at[2] }, NULL);
    if (found < 0 || found != rill_bed_column(bed, x, y, layer)) return;
    const double *a = brush->acceleration, size = sqrt(a[0] * a[0] + a[1] * a[1]);
    const double part = left * left * (size > scale->most ? scale->most / size : 1.0);
    for (int axis = 0; axis < 2; ++axis) force->acceleration[axis] += part * a[axis];
}

rill_area rill_forces_brushed(const rill_forces *forces, const rill_grid *grid) {
    const rill_brush *brushes = forces->brushes.data;
    rill_area all = { { grid->cells[0], grid->cells[1] }, { 0, 0 } };
    for (size_t i = 0; i < forces->brushes.count; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            const double middle = (brushes[i].at[axis] - grid->origin[axis]) / grid->cell_size;
            const double reach = brushes[i].radius / grid->cell_size + 1.0, end = (double)grid->cells[axis];
            const int32_t low = (int32_t)fmax(0.0, fmin(end, floor(middle - reach)));
            const int32_t high = (int32_t)fmax(0.0, fmin(end, ceil(middle + reach)));
            if (low < all.low[axis]) all.low[axis] = low;
            if (high > all.high[axis]) all.high[axis] = high;
        }
    }
    return all;
}

/* ----------------------------------------------------------------------------------------------------------- columns */

rill_force rill_forces_at(const rill_forces *forces, const rill_bed *bed, const rill_force_scale *scale, int32_t x,
                          int32_t y, int32_t layer) {
    const rill_grid *grid = &bed->grid;
    const size_t cell = (size_t)y * (size_t)grid->cells[0] + (size_t)x;
    const rill_force_layer *field = field_of(forces, layer);
    const rill_control *controls = forces->controls.data;
    const rill_brush *brushes = forces->brushes.data;
    rill_force force = { 0 };
    if (field && field->pressures) force.pressure = field->pressures[cell];
    for (int axis = 0; field && field->accelerations && axis < 2; ++axis)
        force.acceleration[axis] = field->accelerations[2 * cell + (size_t)axis];
    for (size_t i = 0; i < forces->controls.count; ++i)
        if (controls[i].active)
            force.pressure += scale->density * controls[i].def.strength * (double)controls[i].slide[cell];
    const double centre[2] = { grid->origin[0] + ((double)x + 0.5) * grid->cell_size,
                               grid->origin[1] + ((double)y + 0.5) * grid->cell_size };
    for (size_t i = 0; scale->brushes && i < forces->brushes.count; ++i)
        add_brush(&brushes[i], bed, scale, centre, x, y, layer, &force);
    return force;
}

/* Returns a whole number of quanta that is not too large. */
static double whole(double quanta, double most) {
    return rint(fmax(-most, fmin(most, quanta)));
}

void rill_forces_apply(const rill_forces *forces, const rill_force_scale *scale, rill_flow *flow,
                       const rill_area *cells, bool wake) {
    const rill_bed *bed = flow->bed;
    rill_push *push = &flow->push;
    const double per_head = 1.0 / ((scale->gravity > 0.0 ? scale->gravity : 1.0) * bed->quantum);
    const double per_half = 0.5 * bed->grid.cell_size * per_head, per_pressure = per_head / scale->density;
    for (int32_t y = cells->low[1]; y < cells->high[1]; ++y) {
        for (int32_t x = cells->low[0]; x < cells->high[0]; ++x) {
            const int32_t *first = bed->cell_first + (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
            for (int32_t i = first[0]; i < first[1]; ++i) {
                const rill_force force = rill_forces_at(forces, bed, scale, x, y, i - first[0]);
                const double *a = force.acceleration, *mean = forces->mean;
                const double along = 2.0 * per_half * (mean[0] * (double)x + mean[1] * (double)y);
                const int32_t place = bed->places[i];
                push->potential[place] = whole(force.pressure * per_pressure - along, 0x1p52);
                for (int axis = 0; axis < 2; ++axis)
                    push->half[axis][place] = (int32_t)whole((a[axis] - mean[axis]) * per_half, RILL_PUSH_MOST);
            }
        }
    }
    for (int axis = 0; axis < 2; ++axis) push->along[axis] = whole(2.0 * per_half * forces->mean[axis], RILL_PUSH_MOST);
    push->unit = 1.0 / per_head;
    rill_push_find(flow, cells, wake);
}
