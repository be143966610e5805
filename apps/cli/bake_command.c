/* rill bake: its options. What it does is in bake.c. */
#include <stdlib.h>
#include <string.h>

#include "bake/bake.h"
#include "cli.h"

typedef struct bake_arguments {
    rill_text_list sets;
    rill_machine machine;
    const char *folder, *format_name;
    rill_bake_options options;
} bake_arguments;

/* By rill_surface_form and rill_meniscus. */
static const char *const forms[] = { "mesh", "grids" };
static const char *const menisci[] = { "tilt", "lift", "none" };

/* Returns the place of a name in a list; -1: it is not there. */
static int find_name(const char *name, const char *const names[], int count) {
    int i = count - 1;
    while (i >= 0 && strcmp(name, names[i]) != 0) --i;
    return i;
}

/* How the surface is to be, by the names that were given. */
static int pick_look(rill_bake_options *options) {
    const int form = find_name(options->form_name, forms, (int)(sizeof forms / sizeof forms[0]));
    const int meniscus = find_name(options->meniscus_name, menisci, (int)(sizeof menisci / sizeof menisci[0]));
    if (form < 0) {
        fprintf(stderr, "rill bake: found '%s' for --form, expected mesh or grids\n", options->form_name);
        return RILL_EXIT_USAGE;
    }
    if (meniscus < 0) {
        fprintf(stderr, "rill bake: found '%s' for --meniscus, expected tilt, lift or none\n", options->meniscus_name);
        return RILL_EXIT_USAGE;
    }
    options->look.form = (rill_surface_form)form;
    options->look.meniscus = (rill_meniscus)meniscus;
    if (options->look.form == RILL_SURFACE_GRIDS && options->format == RILL_MESH_OBJ) {
        fprintf(stderr,
                "rill bake: found --form grids with --format obj, which has no opacity to tell where there is no "
                "surface, expected ply, glb or usda\n");
        return RILL_EXIT_USAGE;
    }
    return RILL_EXIT_NOT_YET;
}

static int read_bake_arguments(int argc, char **argv, bake_arguments *given, const char **path) {
    rill_bake_options *options = &given->options;
    const rill_option table[] = {
        { "-o", "DIR", "folder for the results (default out/<name of the scene file>)", RILL_OPTION_TEXT,
          &given->folder, 0, 0 },
        { "--out", "DIR", "the same", RILL_OPTION_TEXT, &given->folder, 0, 0 },
        { "--format", "F", "obj, ply, glb (default) or usda", RILL_OPTION_TEXT, &given->format_name, 0, 0 },
        { "--form", "F", "mesh (default), or grids: one per layer, with the same triangles in every frame",
          RILL_OPTION_TEXT, &options->form_name, 0, 0 },
        { "--until", "T", "stop at T seconds instead of the scene's run.until", RILL_OPTION_NUMBER, &options->until, 0,
          1e9 },
        { "--every", "T", "bake every T seconds (default: every frame)", RILL_OPTION_NUMBER, &options->every, 1e-9,
          1e9 },
        { "--meniscus", "M", "near solids: tilt normals (default), lift vertices too, or none", RILL_OPTION_TEXT,
          &options->meniscus_name, 0, 0 },
        { "--solids", "off", "bake the liquid alone", RILL_OPTION_OFF, &options->no_solids, 0, 0 },
        { "--fresh", NULL, "remove what an earlier bake left in the folder and start over", RILL_OPTION_FLAG,
          &options->fresh, 0, 0 },
        RILL_OPTION_SET(&given->sets),
        RILL_OPTION_THREADS(&given->machine),
        RILL_OPTION_SIMD(&given->machine),
    };
    const rill_command command = {
        "bake",
        "SCENE",
        "Simulates a scene and writes the surface of its liquid as meshes with normals, velocities, depths and\n"
        "opacities: a file per frame, or one .usda with samples in time. Metres, z up (glb: y up). Ctrl-C stops\n"
        "after the present frame; the same command then goes on, also after a kill or a full disk.",
        table,
        sizeof table / sizeof table[0],
        1,
        1
    };
    size_t count;
    int code = rill_options_read(&command, argc, argv, path, &count);
    if (code == RILL_EXIT_NOT_YET && !rill_mesh_format_find(given->format_name, &options->format)) {
        fprintf(stderr, "rill bake: found '%s' for --format, expected obj, ply, glb or usda\n", given->format_name);
        return RILL_EXIT_USAGE;
    }
    return code == RILL_EXIT_NOT_YET ? pick_look(options) : code;
}

int rill_cli_bake(int argc, char **argv) {
    bake_arguments given = { .machine = { .threads = 1 },
                             .format_name = "glb",
                             .options = { .until = -1,
                                          .every = -1,
                                          .form_name = "mesh",
                                          .meniscus_name = "tilt",
                                          .look = rill_default_surface_def() } };
    const char *path = NULL;
    int code = read_bake_arguments(argc, argv, &given, &path);
    if (code != RILL_EXIT_NOT_YET) return code;
    given.options.sets = given.sets.items;
    given.options.set_count = given.sets.count;
    rill_scene *scene;
    rill_world *world;
    char *folder = rill_cli_folder(path);
    code = rill_cli_open(path, &given.sets, &given.machine, &scene, &world);
    if (code == RILL_EXIT_DONE) {
        const char *chosen = given.folder ? given.folder : folder;
        code = chosen ? rill_bake(scene, world, &given.options, chosen) : RILL_EXIT_MACHINE;
    }
    free(folder);
    rill_world_destroy(world);
    rill_scene_free(scene);
    return code;
}
