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

static rill_scene_place whole_scene(const maker *making) {
    return (rill_scene_place){ making->scene->path, 0, 0 };
}

/* True when the call went well; otherwise its message is reported for a place. */
static bool good(maker *making, rill_result result, rill_scene_place place) {
    if (result == RILL_OK) return true;
    making->no_memory |= result == RILL_OUT_OF_MEMORY;
    if (result != RILL_OUT_OF_MEMORY) rill_report_error(making->report, place, "%s", rill_world_message(making->world));
    return false;
}

/* Solids and bed for a given headroom. False: reported, and no world is left. */
static bool build(maker *making, double headroom) {
    rill_world_def def = making->scene->world;
    rill_message message = { "" };
    def.headroom = headroom;
    def.runtime = making->runtime ? *making->runtime : rill_default_world_def().runtime;
    rill_result result = rill_world_create(&def, &making->world, &message);
    if (result != RILL_OK) {
        making->no_memory |= result == RILL_OUT_OF_MEMORY;
        rill_report_error(making->report, whole_scene(making), "%s", message.text);
        return false;
    }
    bool all = true;
    for (size_t i = 0; i < making->scene->solid_count && !making->no_memory; ++i) {
        rill_solid_id id;
        all &= good(making, rill_solid_create(making->world, &making->scene->solids[i].def, &id),
                    making->scene->solids[i].place);
    }
    all = all && good(making, rill_scene_move(making->scene, making->world, 0), whole_scene(making));
    if (all && good(making, rill_bed_build(making->world), whole_scene(making))) return true;
    rill_world_destroy(making->world);
    making->world = NULL;
    return false;
}

static double larger(double a, double b) {
    return a > b ? a : b; /* b when a is NaN */
}

/* Returns the highest floor, and the highest point that an array of depths puts liquid at: base and depth of the layer
 * that the fill is for, or of every layer without a fill. -infinity when there is none. */
static double highest(maker *making, const rill_scene_fill *fill, int32_t layers) {
    const rill_grid *grid = &making->scene->world.grid;
    size_t count = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    double top = -(double)INFINITY, *base = malloc(count * sizeof *base);
    if (!base) {
        making->no_memory = true;
        return top;
    }
    for (int32_t layer = fill ? fill->layer : 0; layer < (fill ? fill->layer + 1 : layers); ++layer) {
        /* A layer that the bed does not have is reported when it is filled. */
        rill_result result = rill_world_read_field(making->world, RILL_FIELD_BASE, layer, base, count);
        for (size_t i = 0; result == RILL_OK && i < count; ++i)
            top = larger(fill ? base[i] + fill->depths[i] : base[i], top);
    }
    free(base);
    return top;
}

/* Returns the highest point that one fill puts liquid at. */
static double top_of(maker *making, const rill_scene_fill *fill, int32_t layers) {
    rill_sample sample;
    if (fill->depths) return highest(making, fill, layers);
    if (!(fill->volume > 0)) return fill->level;
    /* Where there is no column is reported when it is filled. */
    return rill_query_points(making->world, fill->at, 1, &sample) == RILL_OK && sample.found
               ? sample.level + rill_scene_drop_height(making->scene, fill)
               : -(double)INFINITY;
}

/* 0.05 m, or more if what is filled, or stands outside a still edge, needs it. */
static double choose_headroom(maker *making) {
    const rill_scene *scene = making->scene;
    rill_bed_info info;
    if (rill_bed_get_info(making->world, &info) != RILL_OK) return HEADROOM_DEFAULT;
    double top = -(double)INFINITY, floor = highest(making, NULL, info.layers);
    for (size_t i = 0; i < scene->fill_count; ++i) {
        top = larger(top_of(making, &scene->fills[i], info.layers), top);
    }
    for (int side = 0; side < 4; ++side) {
        const rill_edge *edge = &scene->world.edges[side];
        top = edge->kind == RILL_EDGE_STILL ? larger(edge->level, top) : top;
    }
    double needed = FREEBOARD * (top - floor);
    /* The quantum is a power of two, so that there is often more room than was asked for. */
    return floor + needed > info.highest ? larger(needed, HEADROOM_DEFAULT) : HEADROOM_DEFAULT;
}

/* A level above the ceilings of passages is what floods them; above the range it cannot be reached. */
static bool is_cut_on_purpose(const maker *making, const rill_scene_fill *fill) {
    rill_bed_info info;
    return !fill->depths && !(fill->volume > 0) && rill_bed_get_info(making->world, &info) == RILL_OK &&
           fill->level <= info.highest;
}

static void fill_one(maker *making, const rill_scene_fill *fill) {
    const rill_grid *grid = &making->scene->world.grid;
    size_t count = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    rill_fill_report done = { 0 };
    bool found = true;
    rill_result result = fill->depths ? rill_world_fill_depths(making->world, fill->layer, fill->depths, count, &done)
                         : fill->volume > 0 ? rill_scene_put_drop(making->scene, making->world, fill, &found, &done)
                                            : rill_world_fill_level(making->world, fill->at, fill->level, &done);
    if (!found) {
        rill_report_error(making->report, fill->place,
                          "found no column at (%g, %g, %g) for a drop, expected a place over a floor of the bed",
                          fill->at[0], fill->at[1], fill->at[2]);
    } else if (good(making, result, fill->place) && done.columns_cut > 0 && !is_cut_on_purpose(making, fill)) {
        rill_report_note(making->report, fill->place,
                         "note: %lld of %lld filled columns were cut to full (ceiling or headroom)",
                         (long long)done.columns_cut, (long long)done.columns);
    }
}

/* An external force as a pressure on the columns it acts on (Kandemir et al., Eq. 5.9). */
static void press(maker *making, const rill_scene_force *external) {
    const rill_grid *grid = &making->scene->world.grid;
    size_t nx = (size_t)grid->cells[0], cells = nx * (size_t)grid->cells[1], count = 0;
    double *pressures = calloc(cells, sizeof *pressures);
    if (!pressures) {
        making->no_memory = true;
        return;
    }
    for (size_t i = 0; i < cells; ++i) {
        double x = grid->origin[0] + ((double)(i % nx) + 0.5) * grid->cell_size;
        double y = grid->origin[1] + ((double)(i / nx) + 0.5) * grid->cell_size;
        bool inside = x >= external->min[0] && x <= external->max[0] && y >= external->min[1] && y <= external->max[1];
        pressures[i] = inside ? 1 : 0;
        count += inside;
    }
    for (size_t i = 0; i < cells && count > 0; ++i)
        pressures[i] *= external->force / ((double)count * grid->cell_size * grid->cell_size);
    if (count == 0) {
        rill_report_error(making->report, external->place,
                          "found no column between (%g, %g) and (%g, %g) for the external force, expected one at least",
                          external->min[0], external->min[1], external->max[0], external->max[1]);
    } else {
        const rill_force_field field = { .layer = RILL_ALL_LAYERS, .pressures = pressures, .count = cells };
        good(making, rill_world_set_force_field(making->world, &field), external->place);
    }
    free(pressures);
}

static void check_probe(maker *making, const rill_scene_probe *probe) {
    rill_sample sample;
    if (probe->body || probe->measure == RILL_MEASURE_VOLUME) return;
    if (good(making, rill_query_points(making->world, probe->at, 1, &sample), probe->place) && !sample.found) {
        rill_report_error(
            making->report, probe->place,
            "found no column at (%g, %g, %g) for the probe '%s', expected a place over a floor of the bed",
            probe->at[0], probe->at[1], probe->at[2], probe->name);
    }
}

static void furnish(maker *making) {
    const rill_scene *scene = making->scene;
    rill_bed_info info;
    if (rill_bed_get_info(making->world, &info) == RILL_OK && info.outside_solids > 0) {
        rill_report_note(making->report, whole_scene(making), "note: %lld of %zu solids touch no cell of the grid",
                         (long long)info.outside_solids, scene->solid_count);
    }
    /* Before the liquid, which is then left out where they are. */
    for (size_t i = 0; i < scene->body_count && !making->no_memory; ++i)
        good(making, rill_scene_add_body(&scene->bodies[i], making->world), scene->bodies[i].place);
    for (size_t i = 0; i < scene->fill_count && !making->no_memory; ++i) fill_one(making, &scene->fills[i]);
    if (scene->external.given && !making->no_memory) press(making, &scene->external);
    for (size_t i = 0; i < scene->source_count && !making->no_memory; ++i) {
        rill_source_id id;
        good(making, rill_source_create(making->world, &scene->sources[i].def, &id), scene->sources[i].place);
    }
    for (size_t i = 0; i < scene->control_count && !making->no_memory; ++i)
        good(making, rill_control_create(making->world, &scene->controls[i].def, NULL), scene->controls[i].place);
    for (size_t i = 0; i < scene->probe_count && !making->no_memory; ++i) check_probe(making, &scene->probes[i]);
}

rill_scene_result rill_scene_create_world(const rill_scene *scene, const rill_runtime *runtime, rill_world **out,
                                          rill_scene_report *report) {
    maker making = { .scene = scene, .runtime = runtime, .report = report };
    size_t errors = report->errors;
    *out = NULL;
    bool automatic = scene->world.headroom == 0;
    if (build(&making, automatic ? HEADROOM_DEFAULT : scene->world.headroom)) {
        double headroom = automatic ? choose_headroom(&making) : 0;
        if (headroom > HEADROOM_DEFAULT) {
            rill_world_destroy(making.world);
            making.world = NULL;
            build(&making, headroom);
        }
    }
    if (making.world) furnish(&making);
    rill_report_sort(report);
    if (making.no_memory || report->errors > errors) {
        rill_world_destroy(making.world);
        return making.no_memory ? RILL_SCENE_OUT_OF_MEMORY : RILL_SCENE_WRONG;
    }
    *out = making.world;
    return RILL_SCENE_OK;
}

double rill_scene_probe_value(const rill_scene_probe *probe, const rill_world *world) {
    rill_sample sample = { 0 };
    double volume = 0;
    if (probe->body) return rill_scene_body_value(probe, world);
    if (probe->measure == RILL_MEASURE_VOLUME)
        return rill_query_box_volume(world, probe->min, probe->max, &volume) == RILL_OK ? volume : (double)NAN;
    if (rill_query_points(world, probe->at, 1, &sample) != RILL_OK || !sample.found) return (double)NAN;
    switch (probe->measure) {
    case RILL_MEASURE_LEVEL: return sample.level;
    case RILL_MEASURE_DEPTH: return sample.depth;
    default: return sqrt(sample.velocity[0] * sample.velocity[0] + sample.velocity[1] * sample.velocity[1]);
    }
}
