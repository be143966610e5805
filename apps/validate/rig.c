/* Worlds for the cases, built through the public API only. */
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fail(rill_rig *rig, const char *call, const char *why) {
    if (!rig->ok) return;
    char text[96];
    snprintf(text, sizeof text, "%s: %.70s", call, why);
    rill_validation_broken(rig->validation, text);
    rig->ok = false;
}

bool rill_rig_expect(rill_rig *rig, rill_result result, const char *call) {
    if (rig->ok && result != RILL_OK) {
        rig->validation->out_of_memory |= result == RILL_OUT_OF_MEMORY;
        const char *message = rig->world ? rill_world_message(rig->world) : "";
        fail(rig, call, *message ? message : rill_result_name(result));
    }
    return rig->ok;
}

double *rill_rig_numbers(rill_rig *rig, size_t count) {
    double *numbers = rig->ok ? calloc(count, sizeof *numbers) : NULL;
    if (!numbers && rig->ok) {
        rig->validation->out_of_memory = true;
        fail(rig, "allocate", "out of memory");
    }
    return numbers;
}

bool rill_rig_begin(rill_rig *rig, rill_validation *validation, int32_t nx, int32_t ny, double dx) {
    memset(rig, 0, sizeof *rig);
    rig->validation = validation;
    rig->ok = true;
    rig->nx = nx;
    rig->ny = ny;
    rig->dx = dx;
    rig->cells = (size_t)nx * (size_t)ny;
    rig->def = rill_default_world_def();
    rig->def.grid.cells[0] = nx;
    rig->def.grid.cells[1] = ny;
    rig->def.grid.cell_size = dx;
    rig->def.liquid.viscosity = 0;
    rig->def.solver.rest = false;
    rig->def.solver.tension = RILL_TENSION_OFF;
    rig->def.solver.friction = 1;
    rig->def.solver.max_substeps = 1000000;
    rig->def.runtime.tasks.threads = validation->threads;
    rig->def.runtime.scalar = validation->scalar;
    rig->heights = rill_rig_numbers(rig, rig->cells);
    return rig->ok;
}

bool rill_rig_begin_wetting(rill_rig *rig, rill_validation *validation, int32_t nx, int32_t ny, double dx,
                            double advancing, double receding) {
    const bool ok = rill_rig_begin(rig, validation, nx, ny, dx);
    rig->def.solver.tension = RILL_TENSION_ON;
    rig->def.solver.rest = true;
    rig->def.headroom = 0.02;
    rill_rig_pour(rig, "water");
    rig->def.liquid.contact_angle = (rill_contact_angle){ advancing, receding };
    return ok;
}

void rill_rig_pour(rill_rig *rig, const char *preset) {
    const rill_contact_angle angle = rig->def.liquid.contact_angle;
    if (!rill_liquid_preset(preset, &rig->def.liquid)) fail(rig, "rill_liquid_preset", preset);
    rig->def.liquid.contact_angle = angle;
}

double rill_rig_capillary_length(const rill_rig *rig) {
    const double *g = rig->def.gravity;
    return sqrt(rig->def.liquid.surface_tension /
                (rig->def.liquid.density * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])));
}

void rill_rig_add_box(rill_rig *rig, double x0, double y0, double z0, double x1, double y1, double z1) {
    if (rig->box_count == rig->box_room) {
        size_t room = rig->box_room ? 2 * rig->box_room : 16;
        rill_solid_def *boxes = rig->ok ? realloc(rig->boxes, room * sizeof *boxes) : NULL;
        if (!boxes) {
            rig->validation->out_of_memory |= rig->ok;
            fail(rig, "allocate", "out of memory");
            return;
        }
        rig->boxes = boxes;
        rig->box_room = room;
    }
    rill_solid_def box = rill_default_solid_def();
    box.shape.type = RILL_SHAPE_BOX;
    memcpy(box.shape.min, (double[3]){ x0, y0, z0 }, sizeof box.shape.min);
    memcpy(box.shape.max, (double[3]){ x1, y1, z1 }, sizeof box.shape.max);
    rig->boxes[rig->box_count++] = box;
}

static bool add_solids(rill_rig *rig) {
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = rig->heights;
    ground.shape.heights_size[0] = rig->nx;
    ground.shape.heights_size[1] = rig->ny;
    rill_solid_id id;
    rill_rig_expect(rig, rill_solid_create(rig->world, &ground, &id), "rill_solid_create");
    for (size_t i = 0; rig->ok && i < rig->box_count; ++i)
        rill_rig_expect(rig, rill_solid_create(rig->world, &rig->boxes[i], &id), "rill_solid_create");
    return rig->ok;
}

static bool read_layers(rill_rig *rig, rill_field field, double *out, size_t per_cell) {
    size_t count = per_cell * rig->cells;
    for (int32_t layer = 0; rig->ok && layer < rig->layers; ++layer) {
        rill_result result = rill_world_read_field(rig->world, field, layer, out + (size_t)layer * count, count);
        rill_rig_expect(rig, result, "rill_world_read_field");
    }
    return rig->ok;
}

bool rill_rig_build(rill_rig *rig) {
    if (!rig->ok) return false;
    rill_message message = { "" };
    rill_result result = rill_world_create(&rig->def, &rig->world, &message);
    if (result != RILL_OK) {
        rig->world = NULL;
        rig->validation->out_of_memory |= result == RILL_OUT_OF_MEMORY;
        fail(rig, "rill_world_create", message.text);
        return false;
    }
    rill_bed_info info = { 0 };
    if (!add_solids(rig) || !rill_rig_expect(rig, rill_bed_build(rig->world), "rill_bed_build") ||
        !rill_rig_expect(rig, rill_bed_get_info(rig->world, &info), "rill_bed_get_info"))
        return false;
    rig->layers = info.layers;
    rig->quantum = info.quantum;
    size_t columns = (size_t)rig->layers * rig->cells;
    rig->base = rill_rig_numbers(rig, columns);
    rig->depth = rill_rig_numbers(rig, columns);
    rig->faces = rill_rig_numbers(rig, 2 * columns);
    return rig->ok && read_layers(rig, RILL_FIELD_BASE, rig->base, 1);
}

bool rill_rig_fill(rill_rig *rig) {
    for (int32_t layer = 0; rig->ok && layer < rig->layers; ++layer) {
        const double *depth = rig->depth + (size_t)layer * rig->cells;
        const double *faces = rig->faces + 2 * (size_t)layer * rig->cells;
        rill_rig_expect(rig, rill_world_fill_depths(rig->world, layer, depth, rig->cells, NULL),
                        "rill_world_fill_depths");
        rill_rig_expect(rig, rill_world_set_velocities(rig->world, layer, faces, 2 * rig->cells),
                        "rill_world_set_velocities");
    }
    return rig->ok;
}

bool rill_rig_step(rill_rig *rig, double dt) {
    if (!rig->ok) return false;
    rill_step_info info = { 0 };
    if (!rill_rig_expect(rig, rill_world_step(rig->world, dt), "rill_world_step")) return false;
    if (rill_world_status(rig->world) & RILL_STATUS_SUBSTEPS_CAPPED)
        fail(rig, "rill_world_step", "more sub-steps asked for than allowed: the case would not be what it says");
    rill_rig_expect(rig, rill_world_get_step_info(rig->world, &info), "rill_world_get_step_info");
    rig->substeps += info.substeps;
    return rig->ok;
}

bool rill_rig_run(rill_rig *rig, double duration, double dt) {
    double count = ceil(duration / dt * (1 - 1e-12));
    for (double i = 0; rig->ok && i < count; ++i) rill_rig_step(rig, duration / count);
    return rig->ok;
}

bool rill_rig_look(rill_rig *rig) {
    return rig->ok && read_layers(rig, RILL_FIELD_DEPTH, rig->depth, 1) &&
           read_layers(rig, RILL_FIELD_FACES, rig->faces, 2);
}

void rill_rig_end(rill_rig *rig) {
    rill_world_destroy(rig->world);
    free(rig->boxes);
    free(rig->heights);
    free(rig->base);
    free(rig->depth);
    free(rig->faces);
    memset(rig, 0, sizeof *rig);
}

bool rill_rig_audit(rill_rig *rig, int64_t *worst) {
    rill_ledger ledger;
    if (!rill_rig_expect(rig, rill_world_get_ledger(rig->world, &ledger), "rill_world_get_ledger")) return false;
    int64_t error = ledger.error < 0 ? -ledger.error : ledger.error;
    *worst = error > *worst ? error : *worst;
    return true;
}

double rill_rig_stable_step(const rill_rig *rig, double depth) {
    const double *g = rig->def.gravity;
    bool paper = rig->def.solver.pipe_area == RILL_PIPE_AREA_PAPER;
    return 0.7 * rig->dx / sqrt(2 * fabs(g[2]) * (paper ? rig->dx : depth));
}

size_t rill_rig_differences(const rill_rig *rig, const double *depth) {
    size_t differences = 0;
    for (size_t i = 0; i < (size_t)rig->layers * rig->cells; ++i) {
        bool both_absent = isnan(depth[i]) && isnan(rig->depth[i]);
        differences += !both_absent && depth[i] != rig->depth[i];
    }
    return differences;
}

double rill_rig_max_speed(const rill_rig *rig) {
    double speed = 0;
    for (size_t i = 0; i < 2 * (size_t)rig->layers * rig->cells; ++i) {
        double s = fabs(rig->faces[i]);
        speed = s > speed ? s : speed;
    }
    return speed;
}

double rill_rig_max_depth(const rill_rig *rig) {
    double depth = 0;
    for (size_t i = 0; i < (size_t)rig->layers * rig->cells; ++i) depth = rig->depth[i] > depth ? rig->depth[i] : depth;
    return depth;
}

rill_shape_def rill_rig_box(double x, double y, double z) {
    return (rill_shape_def){ .type = RILL_SHAPE_BOX,
                             .min = { -0.5 * x, -0.5 * y, -0.5 * z },
                             .max = { 0.5 * x, 0.5 * y, 0.5 * z } };
}

const char *rill_rig_mode(const rill_rig *rig) {
    return rig->def.solver.pipe_area == RILL_PIPE_AREA_PAPER ? "paper" : "physical";
}

double rill_rig_mean_period(const double *signal, int count, double dt) {
    double first = (double)NAN, last = (double)NAN;
    int crossings = 0;
    for (int k = 1; k < count; ++k) {
        if (signal[k - 1] > 0 && signal[k] <= 0) {
            last = dt * (k - 1 + signal[k - 1] / (signal[k - 1] - signal[k]));
            first = crossings++ == 0 ? last : first;
        }
    }
    return (last - first) / (crossings - 1);
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
double rill_rig_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}
