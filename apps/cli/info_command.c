/* rill info: what a scene, a mesh or a heightmap is, and what of it columns cannot represent. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "scene/mesh_import.h"
#include "scene/npy.h"
#include "scene/png_heights.h"

typedef struct info_options {
    rill_text_list sets;
    rill_machine machine;
    double cell, scale;
} info_options;

static bool ends(const char *path, const char *ending) {
    size_t length = strlen(path), width = strlen(ending);
    return length > width && strcasecmp(path + length - width, ending) == 0;
}

static int refuse(const char *path, const char *why, rill_result result) {
    fprintf(stderr, "rill info: %s: %s\n", path, why);
    return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
}

/* -------------------------------------------------------------------------------------------------------------- bed */

static void print_count(const char *what, int64_t count, const char *meaning) {
    if (count) printf("  %-20s %" PRId64 "%s%s\n", what, count, meaning[0] ? " " : "", meaning);
}

/* Prints what every bed of a mesh has some of apart from what is a reason to look again: a teapot with thin walls is
 * all right. */
static void print_findings(const rill_bed_info *info) {
    const bool fitted = info->slivers_merged || info->faces_closed || info->walls_thickened || info->sheet_cells ||
                        info->doubled_triangles || info->degenerate_triangles;
    printf("fitted to the cells%s\n",
           fitted ? " (nothing to do: this is usual, and liquid is held as it is drawn)" : ": nothing");
    print_count("slivers merged", info->slivers_merged, "voids lower than min_opening, filled");
    print_count("faces closed", info->faces_closed, "openings between columns lower than min_opening");
    print_count("thin walls", info->walls_thickened, "cells closed, so that a wall thinner than a cell holds");
    print_count("thin sheets", info->sheet_cells, "cells in which an open mesh part is a floor without thickness");
    print_count("doubled triangles", info->doubled_triangles, "of faces that were there already, taken once");
    print_count("degenerate triangles", info->degenerate_triangles, "without area, left out");
    const bool lost = info->outside_solids || info->out_of_range;
    printf("not represented%s\n", lost ? " (look at these)" : ": nothing");
    print_count("outside", info->outside_solids,
                info->columns
                    ? "solids that touch no cell of the grid"
                    : "solids, and no floor: what stands upright alone has none; turn a y-up model with rotate: "
                      "[90, 0, 0]");
    print_count("out of range", info->out_of_range, "floors and solids too low or too high, cut off");
}

static int print_bed(const char *path, const rill_world *world) {
    rill_bed_info info;
    rill_grid grid;
    if (rill_bed_get_info(world, &info) != RILL_OK || rill_world_get_grid(world, &grid) != RILL_OK)
        return refuse(path, rill_world_message(world), RILL_INVALID_STATE);
    printf("bed\n");
    printf("  %-20s %d x %d cells of %g m = %g x %g m\n", "grid", info.cells[0], info.cells[1], grid.cell_size,
           info.cells[0] * grid.cell_size, info.cells[1] * grid.cell_size);
    printf("  %-20s %g, %g, %g m\n", "origin", grid.origin[0], grid.origin[1], grid.origin[2]);
    printf("  %-20s %d\n", "layers", info.layers);
    printf("  %-20s %" PRId64 " in %d sheets, %" PRId64 " sparse pipes\n", "columns", info.columns, info.sheets,
           info.sparse_pipes);
    printf("  %-20s %" PRId64 "\n", "cells without column", info.wall_cells);
    printf("  %-20s %g to %g m\n", "heights", info.lowest, info.highest);
    printf("  %-20s %.6g m\n", "quantum", info.quantum);
    print_count("closed mesh parts", info.closed_components, "(solid inside)");
    print_count("open mesh parts", info.open_components, "(solid if their holes are small, else thin sheets)");
    print_findings(&info);
    return RILL_EXIT_DONE;
}

/* ------------------------------------------------------------------------------------------------------------ scene */

static const char *shape_name(rill_shape shape) {
    static const char *const names[] = { "box",  "sphere",    "cylinder", "torus", "plane",
                                         "mesh", "heightmap", "capsule",  "hull" };
    return names[shape];
}

static void print_solid(const rill_scene_solid *solid) {
    const rill_solid_def *def = &solid->def;
    printf("  %-20s %s", def->name ? def->name : "", shape_name(def->shape.type));
    if (def->shape.type == RILL_SHAPE_MESH)
        printf(" %s, %zu triangles, %zu vertices", solid->file, def->shape.triangle_count, def->shape.vertex_count);
    else if (def->shape.type == RILL_SHAPE_HEIGHTMAP)
        printf(" %s, %d x %d", solid->file, def->shape.heights_size[0], def->shape.heights_size[1]);
    printf("\n");
}

static int info_scene(const char *path, const info_options *options) {
    rill_scene *scene;
    rill_world *world;
    int code = rill_cli_open(path, &options->sets, &options->machine, &scene, &world);
    if (code != RILL_EXIT_DONE) return code;
    rill_ledger ledger;
    const rill_liquid *liquid = &scene->world.liquid;
    printf("scene %s (%s)\n", scene->name, path);
    printf("  %-20s %g s in frames of %g s\n", "run", scene->until, scene->frame);
    const rill_contact_angle *angle = &liquid->contact_angle;
    printf(
        "  %-20s density %g kg/m3, viscosity %g m2/s, surface tension %g N/m, contact angle %g degrees (%g advancing, "
        "%g receding)\n",
        "liquid", liquid->density, liquid->viscosity, liquid->surface_tension,
        0.5 * (angle->advancing + angle->receding), angle->advancing, angle->receding);
    if (rill_world_get_ledger(world, &ledger) == RILL_OK)
        printf("  %-20s %.6g ml at the start\n", "filled", (double)ledger.columns * ledger.quantum_volume * 1e6);
    size_t sinks = 0;
    for (size_t i = 0; i < scene->source_count; ++i) sinks += scene->sources[i].def.sink;
    printf("  %-20s %zu, sinks %zu, probes %zu\n", "sources", scene->source_count - sinks, sinks, scene->probe_count);
    printf("solids\n");
    for (size_t i = 0; i < scene->solid_count; ++i) print_solid(&scene->solids[i]);
    code = print_bed(path, world);
    rill_world_destroy(world);
    rill_scene_free(scene);
    return code;
}

/* ------------------------------------------------------------------------------------------------------------- mesh */

static void bounds(const rill_mesh *mesh, double scale, double low[3], double high[3]) {
    for (size_t axis = 0; axis < 3; ++axis) {
        low[axis] = (double)INFINITY;
        high[axis] = -(double)INFINITY;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            double at = (double)mesh->vertices[3 * v + axis] * scale;
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
}

/* A grid around the mesh with one cell to spare on each side; about 200 cells along its longer side unless told. */
static bool choose_grid(const char *path, const double low[3], const double high[3], double cell, rill_grid *grid) {
    double longer = fmax(high[0] - low[0], high[1] - low[1]);
    grid->cell_size = cell > 0 ? cell : fmax(longer / 200, 1e-6);
    for (int axis = 0; axis < 2; ++axis) {
        double cells = ceil((high[axis] - low[axis]) / grid->cell_size) + 2;
        if (!(cells <= 32768)) {
            fprintf(stderr,
                    "rill info: %s: found %g cells of %g m along its side, expected at most 32768: give a larger "
                    "--cell\n",
                    path, cells, grid->cell_size);
            return false;
        }
        grid->cells[axis] = (int32_t)cells;
        grid->origin[axis] = 0.5 * (low[axis] + high[axis] - cells * grid->cell_size);
    }
    grid->origin[2] = low[2];
    return true;
}

static int build_bed(const char *path, const rill_mesh *mesh, const rill_grid *grid, const info_options *options) {
    rill_world_def def = rill_default_world_def();
    rill_solid_def solid = rill_default_solid_def();
    rill_world *world = NULL;
    rill_solid_id id;
    rill_message message = { "" };
    def.grid = *grid;
    def.runtime = rill_machine_runtime(&options->machine);
    solid.shape.type = RILL_SHAPE_MESH;
    solid.scale = options->scale;
    solid.shape.vertices = mesh->vertices;
    solid.shape.vertex_count = mesh->vertex_count;
    solid.shape.indices = mesh->indices;
    solid.shape.triangle_count = mesh->triangle_count;
    rill_result result = rill_world_create(&def, &world, &message);
    if (result != RILL_OK) return refuse(path, message.text, result);
    result = rill_solid_create(world, &solid, &id);
    if (result == RILL_OK) result = rill_bed_build(world);
    int code = result == RILL_OK ? print_bed(path, world) : refuse(path, rill_world_message(world), result);
    rill_world_destroy(world);
    return code;
}

static int info_mesh(const char *path, const info_options *options) {
    rill_mesh mesh;
    rill_message message = { "" };
    rill_result result = rill_mesh_load(path, &mesh, &message);
    if (result != RILL_OK) return refuse(path, message.text, result);
    double low[3], high[3];
    rill_grid grid = { 0 };
    bounds(&mesh, options->scale, low, high);
    printf("mesh %s\n  %-20s %zu\n  %-20s %zu\n", path, "triangles", mesh.triangle_count, "vertices",
           mesh.vertex_count);
    printf("  %-20s %g, %g, %g to %g, %g, %g m\n", "bounding box", low[0], low[1], low[2], high[0], high[1], high[2]);
    printf("  %-20s %g x %g x %g m\n", "size", high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    int code =
        choose_grid(path, low, high, options->cell, &grid) ? build_bed(path, &mesh, &grid, options) : RILL_EXIT_USAGE;
    rill_mesh_free(&mesh);
    return code;
}

/* ------------------------------------------------------------------------------------------------------- heightmaps */

static void print_values(const double *values, size_t count, const char *unit) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    size_t absent = 0;
    for (size_t i = 0; i < count; ++i) {
        absent += isnan(values[i]) != 0;
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    if (absent < count) printf("  %-20s %g to %g%s\n", "values", low, high, unit);
    print_count("NaN", (int64_t)absent, "values");
}

static int info_array(const char *path) {
    rill_npy array;
    rill_message message = { "" };
    rill_result result = rill_npy_load(path, &array, &message);
    if (result != RILL_OK) return refuse(path, message.text, result);
    printf("array %s\n  %-20s", path, "shape");
    for (int32_t axis = 0; axis < array.axes; ++axis) printf("%s%zu", axis ? " x " : " ", array.shape[axis]);
    printf("\n");
    print_values(array.values, array.count, "");
    rill_npy_free(&array);
    return RILL_EXIT_DONE;
}

static int info_picture(const char *path) {
    double *values;
    int32_t size[2];
    rill_message message = { "" };
    rill_result result = rill_png_load(path, &values, size, &message);
    if (result != RILL_OK) return refuse(path, message.text, result);
    printf("picture %s\n  %-20s %d x %d\n", path, "size", size[0], size[1]);
    print_values(values, (size_t)size[0] * (size_t)size[1], " (0: low, 1: high)");
    free(values);
    return RILL_EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------------------- command */

int rill_cli_info(int argc, char **argv) {
    info_options options = { .machine = { .threads = 1 }, .scale = 1 };
    const rill_option table[] = {
        { "--cell", "S", "for a mesh: cell size in metres (default: its longer side / 200)", RILL_OPTION_NUMBER,
          &options.cell, 1e-6, 1e4 },
        { "--scale", "S", "for a mesh: metres per unit of the file (default 1)", RILL_OPTION_NUMBER, &options.scale,
          1e-9, 1e6 },
        RILL_OPTION_SET(&options.sets),
    };
    const rill_command command = {
        "info",
        "FILE",
        "Says what a scene (.yaml, .yml, .json), a mesh (.obj, .stl, .ply, .gltf, .glb) or a\n"
        "heightmap (.png, .npy) is: size, layers, and what cannot be represented.",
        table,
        sizeof table / sizeof table[0],
        1,
        1
    };
    const char *path;
    size_t count;
    int code = rill_options_read(&command, argc, argv, &path, &count);
    if (code != RILL_EXIT_NOT_YET) return code;
    if (ends(path, ".npy")) return info_array(path);
    if (ends(path, ".png")) return info_picture(path);
    return rill_mesh_is_kind(path) ? info_mesh(path, &options) : info_scene(path, &options);
}
