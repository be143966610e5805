/* Case 24: a fall of 50 mm.
 *
 * Problem: liquid is poured on a shelf 50 mm above a floor, q = 1e-4 m2/s of it, and runs off its edge; the far end of the
 * floor is open. Exact solution: it is sqrt(2 z / g) = 0.100964 s in the air, so that q times that is in flight once the stream
 * is steady, and it lands u_b times that from the edge, u_b its speed there. Measured: what is in flight, by the ledger; where
 * the sheet that rill_surface gives comes down, against the speed with which it leaves; what the ledger is off by. The shelf
 * is a block, whose edge is a dense pipe, or a plate on air, whose edge is a sparse one. */
#include "cases.h"
#include "rig.h"

#include <math.h>

static const double DROP = 0.05, RATE = 1e-4, SECONDS = 0.100964;
enum { SHELF = 40, LENGTH = 120, WIDTH = 6 };

static bool begin(rill_rig *rig, rill_validation *validation, bool plate) {
    if (!rill_rig_begin(rig, validation, LENGTH, WIDTH, 1e-3)) return false;
    rig->def.liquid.viscosity = 1e-6;
    rig->def.solver.falls = RILL_FALLS_FLIGHT;
    rig->def.solver.tension = RILL_TENSION_OFF;
    rig->def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    rill_rig_add_box(rig, -1, -1, plate ? DROP - 0.002 : -0.01, SHELF * rig->dx, 1, DROP);
    if (!rill_rig_build(rig)) return false;
    rill_source_def source = rill_default_source_def();
    source.shape = RILL_SOURCE_BOX;
    source.rate = RATE * WIDTH * rig->dx;
    const double low[3] = { 0, 0, DROP - 1e-4 }, high[3] = { 3 * rig->dx, WIDTH * rig->dx, DROP + 1e-4 };
    for (int i = 0; i < 3; ++i) source.min[i] = low[i], source.max[i] = high[i];
    rill_source_id id;
    return rill_rig_expect(rig, rill_source_create(rig->world, &source, &id), "rill_source_create");
}

static rill_ledger ledger_of(rill_rig *rig, double *worst) {
    rill_ledger ledger = { 0 };
    rill_rig_expect(rig, rill_world_get_ledger(rig->world, &ledger), "rill_world_get_ledger");
    *worst = fmax(*worst, fabs((double)ledger.error));
    return ledger;
}

/* Returns the mean over a second of what is in flight, over q t. */
static double in_flight(rill_rig *rig, double *worst) {
    double sum = 0;
    rill_rig_run(rig, 4, 1.0 / 60);
    for (int i = 0; rig->ok && i < 60; ++i) {
        rill_rig_step(rig, 1.0 / 60);
        const rill_ledger ledger = ledger_of(rig, worst);
        sum += (double)ledger.airborne * ledger.quantum_volume / 60;
    }
    return sum / (RATE * WIDTH * rig->dx * SECONDS);
}

/* Returns how far from the edge the sheet comes down, over the distance of a free fall with the speed of its top. */
static double reach(rill_rig *rig) {
    const rill_surface_def def = rill_default_surface_def();
    rill_surface *surface = NULL;
    rill_surface_mesh falls = { 0 };
    if (!rill_rig_expect(rig, rill_surface_create(rig->world, &def, &surface), "rill_surface_create")) return NAN;
    double speed = NAN, top = -1, far = NAN, low = 1;
    if (rill_rig_expect(rig, rill_surface_build(surface), "rill_surface_build") &&
        rill_rig_expect(rig, rill_surface_get_falls(surface, &falls), "rill_surface_get_falls")) {
        for (size_t v = 0; v < falls.vertex_count; ++v) {
            const double x = (double)falls.positions[3 * v], z = (double)falls.positions[3 * v + 2];
            if (z > top) top = z, speed = (double)falls.velocities[3 * v];
            if (z < low) low = z, far = x - SHELF * rig->dx;
        }
    }
    rill_surface_destroy(surface);
    return far / (speed * sqrt(2 * (top - low) / 9.81));
}

void rill_case_falls(rill_validation *validation) {
    for (int plate = 0; plate < 2; ++plate) {
        rill_rig rig = { 0 };
        double worst = 0;
        const char *edge = plate ? "plate" : "block";
        if (begin(&rig, validation, plate)) {
            const double flight = in_flight(&rig, &worst), distance = reach(&rig);
            rill_check check = { .mode = rill_rig_mode(&rig), .relation = RILL_NEAR, .target = 1, .tolerance = 0.02 };
            check.value = flight;
            if (rig.ok) rill_validation_add(validation, &check, "%s: in flight, over q t", edge);
            check.value = distance;
            check.tolerance = 0.05;
            if (rig.ok) rill_validation_add(validation, &check, "%s: lands, over u_b t", edge);
            check =
                (rill_check){ .mode = rill_rig_mode(&rig), .relation = RILL_ZERO, .value = worst, .unit = "quanta" };
            if (rig.ok) rill_validation_add(validation, &check, "%s: ledger", edge);
        }
        rill_rig_end(&rig);
    }
}
