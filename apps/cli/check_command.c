/* rill check: everything that is wrong with scenes, without running them. */
#include "cli.h"

enum { SCENES_LIMIT = 4096 };

/* The world is made too: what only the bed can tell (a source over no floor) is found that way. */
static int check_one(const char *path, const rill_scene_options *options) {
    rill_scene *scene = NULL;
    rill_world *world = NULL;
    rill_scene_report report = { 0 };
    rill_scene_result result = rill_scene_load(path, options, &scene, &report);
    if (result == RILL_SCENE_OK) result = rill_scene_create_world(scene, NULL, &world, &report);
    rill_scene_report_print(&report, result == RILL_SCENE_UNREADABLE ? stderr : stdout);
    if (result == RILL_SCENE_OK)
        printf("%s: ok\n", path);
    else if (result == RILL_SCENE_OUT_OF_MEMORY)
        fprintf(stderr, "rill check: %s: out of memory\n", path);
    else if (result == RILL_SCENE_WRONG)
        printf("%s: %zu error%s\n", path, report.errors, report.errors == 1 ? "" : "s");
    rill_scene_report_free(&report);
    rill_world_destroy(world);
    rill_scene_free(scene);
    return result == RILL_SCENE_WRONG ? RILL_EXIT_WRONG : rill_exit_code(result);
}

int rill_cli_check(int argc, char **argv) {
    rill_text_list sets = { 0 };
    const rill_option options[] = { RILL_OPTION_SET(&sets) };
    const rill_command command = { "check",
                                   "SCENE...",
                                   "Reads scenes, builds their beds and prints all that is wrong, one line each:\n"
                                   "file:line:column: what was found, what was expected. Leaves with 1 if anything is.",
                                   options,
                                   sizeof options / sizeof options[0],
                                   1,
                                   SCENES_LIMIT };
    const char *paths[SCENES_LIMIT];
    size_t count;
    int code = rill_options_read(&command, argc, argv, paths, &count);
    if (code != RILL_EXIT_NOT_YET) return code;
    const rill_scene_options scene_options = { .sets = sets.items, .set_count = sets.count };
    int worst = RILL_EXIT_DONE;
    for (size_t i = 0; i < count; ++i) {
        int one = check_one(paths[i], &scene_options);
        worst = one > worst ? one : worst;
    }
    return worst;
}
