/* Opening a scene for a command: complaints to stderr, a code to leave with. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

rill_runtime rill_machine_runtime(const rill_machine *machine) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = (int32_t)machine->threads;
    runtime.scalar = machine->scalar;
    /* No log: what the library would tell is in reports and in the status of steps, with places and remedies. */
    return runtime;
}

int rill_cli_open(const char *path, const rill_text_list *sets, const rill_machine *machine, rill_scene **scene,
                  rill_world **world) {
    rill_scene_report report = { 0 };
    rill_runtime runtime = rill_machine_runtime(machine);
    rill_scene_options options = { .sets = sets->items, .set_count = sets->count };
    *world = NULL;
    rill_scene_result result = rill_scene_load(path, &options, scene, &report);
    if (result == RILL_SCENE_OK) result = rill_scene_create_world(*scene, &runtime, world, &report);
    rill_scene_report_print(&report, stderr);
    rill_scene_report_free(&report);
    if (result == RILL_SCENE_OUT_OF_MEMORY) fprintf(stderr, "rill: %s: out of memory\n", path);
    if (result != RILL_SCENE_OK) {
        rill_scene_free(*scene);
        *scene = NULL;
    }
    return rill_exit_code(result);
}

char *rill_cli_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *leaf = slash ? slash + 1 : path;
    const char *dot = strrchr(leaf, '.');
    size_t length = dot && dot != leaf ? (size_t)(dot - leaf) : strlen(leaf);
    char *folder = malloc(length + sizeof "out/");
    if (folder) {
        memcpy(folder, "out/", 4);
        memcpy(folder + 4, leaf, length);
        folder[4 + length] = 0;
    }
    return folder;
}
