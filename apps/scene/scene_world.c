/* From scene to world. What only the library can find out (a source outside the grid, a fill that starts in a wall) is
 * reported with the place in the scene file, all of it, like the errors of the reader. */
#include <math.h>
#include <stdlib.h>

#include "report.h"
#include "scene_internal.h"

static const double HEADROOM_DEFAULT = 0.05; /* m */
static const double FREEBOARD = 1.5;         /* waves on a filled basin rise above its level: half its height again */

typedef struct maker {
    const rill_scene *scene;
    const rill_runtime *runtime;
    rill_scene_report *report;
    rill_world *world;
    bool no_memory;
} maker;

static rill_scene_place whole_scene(const maker *m) {
    return (rill_scene_place){ m->scene->path, 0, 0 };
}

/* True when the call went well; otherwise its message is reported for a place. */
static bool good(maker *m, rill_result result, rill_scene_place place) {
    if (result == RILL_OK) {
        return true;
    }
    m->no_memory |= result == RILL_OUT_OF_MEMORY;
    if (result != RILL_OUT_OF_MEMORY) {
        rill_report_error(m->report, place, "%s", rill_world_message(m->world));
    }
    return false;
}

/* Solids and bed for a given headroom. False: reported, and no world is left. */
static bool build(maker *m, double headroom) {
    rill_world_def def = m->scene->world;
    rill_message message = { "" };
    def.headroom = headroom;
    def.runtime = m->runtime ? *m->runtime : rill_default_world_def().runtime;
    rill_result result = rill_world_create(&def, &m->world, &message);
    if (result != RILL_OK) {
        m->no_memory |= result == RILL_OUT_OF_MEMORY;
        rill_report_error(m->report, whole_scene(m), "%s", message.text);
        return false;
    }
    bool all = true;
    for (size_t i = 0; i < m->scene->solid_count && !m->no_memory; i++) {
        rill_solid_id id;
        all &= good(m, rill_solid_create(m->world, &m->scene->solids[i].def, &id), m->scene->solids[i].place);
    }
    all = all && good(m, rill_scene_move(m->scene, m->world, 0), whole_scene(m));
    if (all && good(m, rill_bed_build(m->world), whole_scene(m))) {
        return true;
    }
    rill_world_destroy(m->world);
    m->world = NULL;
    return false;
}

static double larger(double a, double b) {
    return a > b ? a : b; /* b when a is NaN */
}

/* Returns the highest floor, and the highest point that an array of depths puts liquid at: base and depth of the layer
 * that the fill is for, or of every layer without a fill. -infinity when there is none. */
static double highest(maker *m, const rill_scene_fill *fill, int32_t layers) {
    const rill_grid *grid = &m->scene->world.grid;
    size_t count = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    double top = -(double)INFINITY, *base = malloc(count * sizeof *base);
    if (!base) {
        m->no_memory = true;
        return top;
    }
    for (int32_t layer = fill ? fill->layer : 0; layer < (fill ? fill->layer + 1 : layers); layer++) {
        /* A layer that the bed does not have is reported when it is filled. */
        rill_result result = rill_world_read_field(m->world, RILL_FIELD_BASE, layer, base, count);
        for (size_t i = 0; result == RILL_OK && i < count; i++) {
            top = larger(fill ? base[i] + fill->depths[i] : base[i], top);
        }
    }
    free(base);
    return top;
}

/* 0.05 m, or more if what is filled, or stands outside a still edge, needs it. */
static double choose_headroom(maker *m) {
    const rill_scene *scene = m->scene;
    rill_bed_info info;
    if (rill_bed_get_info(m->world, &info) != RILL_OK) {
        return HEADROOM_DEFAULT;
    }
    double top = -(double)INFINITY, floor = highest(m, NULL, info.layers);
    for (size_t i = 0; i < scene->fill_count; i++) {
        const rill_scene_fill *fill = &scene->fills[i];
        top = larger(fill->depths ? highest(m, fill, info.layers) : fill->level, top);
    }
    for (int side = 0; side < 4; side++) {
        const rill_edge *edge = &scene->world.edges[side];
        top = edge->kind == RILL_EDGE_STILL ? larger(edge->level, top) : top;
    }
    double needed = FREEBOARD * (top - floor);
    /* The quantum is a power of two, so that there is often more room than was asked for. */
    return floor + needed > info.highest ? larger(needed, HEADROOM_DEFAULT) : HEADROOM_DEFAULT;
}

/* A level above the ceilings of passages is what floods them; above the range it cannot be reached. */
static bool is_cut_on_purpose(const maker *m, const rill_scene_fill *fill) {
    rill_bed_info info;
    return !fill->depths && rill_bed_get_info(m->world, &info) == RILL_OK && fill->level <= info.highest;
}

static void fill_one(maker *m, const rill_scene_fill *fill) {
    const rill_grid *grid = &m->scene->world.grid;
    size_t count = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    rill_fill_report done = { 0 };
    rill_result result = fill->depths ? rill_world_fill_depths(m->world, fill->layer, fill->depths, count, &done)
                                      : rill_world_fill_level(m->world, fill->at, fill->level, &done);
    if (good(m, result, fill->place) && done.columns_cut > 0 && !is_cut_on_purpose(m, fill)) {
        rill_report_note(m->report, fill->place,
                         "note: %lld of %lld filled columns were cut to full (ceiling or headroom)",
                         (long long)done.columns_cut, (long long)done.columns);
    }
}

/* Kandemir's external force as a pressure on the columns it acts on (Eq. 5.9). */
static void press(maker *m, const rill_scene_force *external) {
    const rill_grid *grid = &m->scene->world.grid;
    size_t nx = (size_t)grid->cells[0], cells = nx * (size_t)grid->cells[1], count = 0;
    double *pressures = calloc(cells, sizeof *pressures);
    if (!pressures) {
        m->no_memory = true;
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        double x = grid->origin[0] + ((double)(i % nx) + 0.5) * grid->cell_size;
        double y = grid->origin[1] + ((double)(i / nx) + 0.5) * grid->cell_size;
        bool inside = x >= external->min[0] && x <= external->max[0] && y >= external->min[1] && y <= external->max[1];
        pressures[i] = inside ? 1 : 0;
        count += inside;
    }
    for (size_t i = 0; i < cells && count > 0; i++) {
        pressures[i] *= external->force / ((double)count * grid->cell_size * grid->cell_size);
    }
    if (count == 0) {
        rill_report_error(m->report, external->place,
                          "found no column between (%g, %g) and (%g, %g) for the external force, expected one at least",
                          external->min[0], external->min[1], external->max[0], external->max[1]);
    } else {
        good(m, rill_world_set_external_pressure(m->world, pressures, cells), external->place);
    }
    free(pressures);
}

static void check_probe(maker *m, const rill_scene_probe *probe) {
    rill_sample sample;
    if (probe->body || probe->measure == RILL_MEASURE_VOLUME) {
        return;
    }
    if (good(m, rill_query_points(m->world, probe->at, 1, &sample), probe->place) && !sample.found) {
        rill_report_error(
            m->report, probe->place,
            "found no column at (%g, %g, %g) for the probe '%s', expected a place over a floor of the bed",
            probe->at[0], probe->at[1], probe->at[2], probe->name);
    }
}

static void furnish(maker *m) {
    const rill_scene *scene = m->scene;
    rill_bed_info info;
    if (rill_bed_get_info(m->world, &info) == RILL_OK && info.outside_solids > 0) {
        rill_report_note(m->report, whole_scene(m), "note: %lld of %zu solids touch no cell of the grid",
                         (long long)info.outside_solids, scene->solid_count);
    }
    /* Before the liquid, which is then left out where they are. */
    for (size_t i = 0; i < scene->body_count && !m->no_memory; i++) {
        good(m, rill_scene_add_body(&scene->bodies[i], m->world), scene->bodies[i].place);
    }
    for (size_t i = 0; i < scene->fill_count && !m->no_memory; i++) {
        fill_one(m, &scene->fills[i]);
    }
    if (scene->external.given && !m->no_memory) {
        press(m, &scene->external);
    }
    for (size_t i = 0; i < scene->source_count && !m->no_memory; i++) {
        rill_source_id id;
        good(m, rill_source_create(m->world, &scene->sources[i].def, &id), scene->sources[i].place);
    }
    for (size_t i = 0; i < scene->probe_count && !m->no_memory; i++) {
        check_probe(m, &scene->probes[i]);
    }
}

rill_scene_result rill_scene_create_world(const rill_scene *scene, const rill_runtime *runtime, rill_world **out,
                                          rill_scene_report *report) {
    maker m = { .scene = scene, .runtime = runtime, .report = report };
    size_t errors = report->errors;
    *out = NULL;
    bool automatic = scene->world.headroom == 0;
    if (build(&m, automatic ? HEADROOM_DEFAULT : scene->world.headroom)) {
        double headroom = automatic ? choose_headroom(&m) : 0;
        if (headroom > HEADROOM_DEFAULT) {
            rill_world_destroy(m.world);
            m.world = NULL;
            build(&m, headroom);
        }
    }
    if (m.world) {
        furnish(&m);
    }
    rill_report_sort(report);
    if (m.no_memory || report->errors > errors) {
        rill_world_destroy(m.world);
        return m.no_memory ? RILL_SCENE_OUT_OF_MEMORY : RILL_SCENE_WRONG;
    }
    *out = m.world;
    return RILL_SCENE_OK;
}

double rill_scene_probe_value(const rill_scene_probe *probe, const rill_world *world) {
    rill_sample sample = { 0 };
    double volume = 0;
    if (probe->body) {
        return rill_scene_body_value(probe, world);
    }
    if (probe->measure == RILL_MEASURE_VOLUME) {
        return rill_query_box_volume(world, probe->min, probe->max, &volume) == RILL_OK ? volume : (double)NAN;
    }
    if (rill_query_points(world, probe->at, 1, &sample) != RILL_OK || !sample.found) {
        return (double)NAN;
    }
    switch (probe->measure) {
    case RILL_MEASURE_LEVEL: return sample.level;
    case RILL_MEASURE_DEPTH: return sample.depth;
    default: return sqrt(sample.velocity[0] * sample.velocity[0] + sample.velocity[1] * sample.velocity[1]);
    }
}
