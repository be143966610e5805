/* Case 2: the ledger.
 *
 * Problem: liquid is poured, rained, drained, tilted to and fro over a layered bed for a very long time. Exact
 * solution: what was poured minus what was drained stands in the columns, to the last quantum, after every step; no
 * depth is ever negative and no level above its ceiling. Rates and gravity change at random all the while. One scene is
 * closed by walls, the other has an open edge and one against a reservoir. */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>

enum { SOURCE_COUNT = 4 };

typedef struct toll {
    int64_t worst_error; /* quanta */
    int64_t negative, above_ceiling;
    double poured; /* m3 */
} toll;

static void set_up_bed(rill_rig *rig, bool closed) {
    uint64_t seed = 2;
    for (size_t i = 0; i < rig->cells; ++i) rig->heights[i] = 4e-3 * rill_rig_random(&seed);
    double s = (double)rig->nx * rig->dx;
    rill_rig_add_box(rig, 0, 0, 6e-3, 0.4 * s, s, 7e-3);
    rill_rig_add_box(rig, 0.6 * s, 0, 6e-3, s, s, 7e-3);
    rill_rig_add_box(rig, 0.4 * s, 0.7 * s, 5e-3, 0.6 * s, s, 7e-3);
    rig->def.headroom = 0.02;
    rig->def.liquid.viscosity = 1e-6;
    if (!closed) {
        rig->def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
        rig->def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 5e-3 };
    }
}

static bool add_sources(rill_rig *rig, rill_source_id ids[SOURCE_COUNT]) {
    double s = (double)rig->nx * rig->dx;
    rill_source_def defs[SOURCE_COUNT];
    for (int i = 0; i < SOURCE_COUNT; ++i) defs[i] = rill_default_source_def();
    defs[0].name = "tap";
    defs[0].shape = RILL_SOURCE_DISC;
    defs[0].radius = 2.5 * rig->dx;
    defs[0].at[0] = defs[0].at[1] = 0.25 * s;
    defs[0].at[2] = 9e-3;
    defs[1].name = "rain";
    defs[1].shape = RILL_SOURCE_RAIN;
    defs[2].name = "drain";
    defs[2].shape = RILL_SOURCE_BOX;
    defs[2].sink = true;
    defs[2].max[0] = defs[2].max[1] = s;
    defs[2].max[2] = 5e-3;
    defs[3].name = "straw";
    defs[3].shape = RILL_SOURCE_POINT;
    defs[3].sink = true;
    defs[3].at[0] = defs[3].at[1] = 0.75 * s;
    defs[3].at[2] = 8e-3;
    for (int i = 0; rig->ok && i < SOURCE_COUNT; ++i)
        rill_rig_expect(rig, rill_source_create(rig->world, &defs[i], &ids[i]), "rill_source_create");
    return rig->ok;
}

/* Turns every tap and tilts the tray. */
static bool shake(rill_rig *rig, const rill_source_id ids[SOURCE_COUNT], uint64_t *seed) {
    static const double scale[SOURCE_COUNT] = { 3e-6, 8000, 4e-6, 1e-6 }; /* m3/s, but mm/h for rain */
    for (int i = 0; rig->ok && i < SOURCE_COUNT; ++i) {
        double rate = scale[i] * rill_rig_random(seed) * rill_rig_random(seed);
        if (i == 1)
            rill_rig_expect(rig, rill_source_set_rain(rig->world, ids[i], rate), "rill_source_set_rain");
        else
            rill_rig_expect(rig, rill_source_set_rate(rig->world, ids[i], rate), "rill_source_set_rate");
    }
    const double gravity[3] = { 4 * rill_rig_random(seed) - 2, 4 * rill_rig_random(seed) - 2, -9 };
    return rill_rig_expect(rig, rill_world_set_gravity(rig->world, gravity), "rill_world_set_gravity");
}

static bool take_stock(rill_rig *rig, const double *room, toll *found) {
    rill_ledger ledger;
    if (!rill_rig_expect(rig, rill_world_get_ledger(rig->world, &ledger), "rill_world_get_ledger") ||
        !rill_rig_look(rig))
        return false;
    int64_t error = ledger.error < 0 ? -ledger.error : ledger.error;
    found->worst_error = error > found->worst_error ? error : found->worst_error;
    found->poured = (double)ledger.poured * ledger.quantum_volume;
    for (size_t i = 0; i < (size_t)rig->layers * rig->cells; ++i) {
        found->negative += rig->depth[i] < 0;
        found->above_ceiling +=
            rig->depth[i] > room[i] + 0.25 * rig->quantum; /* base and ceiling are rounded doubles */
    }
    return true;
}

static double *read_room(rill_rig *rig) {
    double *room = rill_rig_numbers(rig, (size_t)rig->layers * rig->cells);
    for (int32_t layer = 0; room && rig->ok && layer < rig->layers; ++layer) {
        size_t first = (size_t)layer * rig->cells;
        rill_result result = rill_world_read_field(rig->world, RILL_FIELD_CEILING, layer, room + first, rig->cells);
        rill_rig_expect(rig, result, "rill_world_read_field");
        for (size_t i = first; i < first + rig->cells; ++i) room[i] -= rig->base[i];
    }
    return room;
}

static void report(rill_rig *rig, const char *scene, const toll *found) {
    rill_validation *validation = rig->validation;
    rill_check check = { .mode = rill_rig_mode(rig), .relation = RILL_ZERO };
    check.value = (double)found->worst_error;
    check.unit = "quanta";
    rill_validation_add(validation, &check, "%s: ledger error, %.3g sub-steps, %.3g l poured", scene,
                        (double)rig->substeps, 1e3 * found->poured);
    check.unit = NULL;
    check.value = (double)found->negative;
    rill_validation_add(validation, &check, "%s: negative depths seen", scene);
    check.value = (double)found->above_ceiling;
    rill_validation_add(validation, &check, "%s: levels above a ceiling seen", scene);
}

static void run_ledger(rill_validation *validation, const char *scene, bool closed, rill_pipe_area area,
                       int64_t steps) {
    rill_rig rig;
    if (rill_rig_begin(&rig, validation, 24, 20, 1e-3)) {
        set_up_bed(&rig, closed);
        rig.def.solver.pipe_area = area;
        rill_source_id ids[SOURCE_COUNT];
        uint64_t seed = 3;
        toll sum = { 0 };
        double *room = NULL;
        if (rill_rig_build(&rig) && add_sources(&rig, ids)) room = read_room(&rig);
        for (int64_t call = 0; rig.ok && rig.substeps < steps; ++call) {
            if (call % 50 == 0) shake(&rig, ids, &seed);
            if (rill_rig_step(&rig, 0.01)) take_stock(&rig, room, &sum);
        }
        if (rig.ok) report(&rig, scene, &sum);
        free(room);
    }
    rill_rig_end(&rig);
}

void rill_case_ledger(rill_validation *validation) {
    int64_t steps = validation->quick ? 20000 : 1000000;
    run_ledger(validation, "walls", true, RILL_PIPE_AREA_PHYSICAL, steps);
    run_ledger(validation, "open and still edges", false, RILL_PIPE_AREA_PHYSICAL, steps / 10);
    run_ledger(validation, "walls", true, RILL_PIPE_AREA_PAPER, steps / 10);
}
