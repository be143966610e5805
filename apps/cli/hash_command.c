/* rill hash: the state after some frames as 16 hexadecimal digits. The same on any machine, thread count and vector
 * width; nothing else goes to stdout, so that scripts can compare it. */
#include <inttypes.h>

#include "cli.h"

static int hash_frames(const rill_scene *scene, rill_world *world, rill_physics *physics, int64_t steps) {
    for (int64_t k = 0; k < steps; ++k) {
        rill_status status;
        rill_result result = rill_physics_step(physics, scene->frame, &status);
        if (result != RILL_OK) {
            fprintf(stderr, "rill hash: frame %" PRId64 ": %s\n", k + 1, rill_world_message(world));
            return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
        }
    }
    printf("%016" PRIx64 "\n", rill_world_hash(world));
    return RILL_EXIT_DONE;
}

int rill_cli_hash(int argc, char **argv) {
    rill_text_list sets = { 0 };
    rill_machine machine = { .threads = 1 };
    int64_t steps = -1;
    const rill_option options[] = {
        { "--steps", "N", "frames to run (needed)", RILL_OPTION_COUNT, &steps, 0, 1e9 },
        RILL_OPTION_SET(&sets),
        RILL_OPTION_THREADS(&machine),
        RILL_OPTION_SIMD(&machine),
    };
    const rill_command command = { "hash",
                                   "SCENE --steps N",
                                   "Runs N frames of the scene's length and prints the hash of the state.",
                                   options,
                                   sizeof options / sizeof options[0],
                                   1,
                                   1 };
    const char *path;
    size_t count;
    int code = rill_options_read(&command, argc, argv, &path, &count);
    if (code != RILL_EXIT_NOT_YET) return code;
    if (steps < 0) {
        fprintf(stderr, "rill hash: no --steps N, expected how many frames to run\n");
        return RILL_EXIT_USAGE;
    }
    rill_scene *scene;
    rill_world *world;
    code = rill_cli_open(path, &sets, &machine, &scene, &world);
    if (code == RILL_EXIT_DONE) {
        rill_physics *physics = rill_console_physics(scene, world);
        code = physics ? hash_frames(scene, world, physics, steps) : RILL_EXIT_MACHINE;
        rill_physics_destroy(physics);
    }
    rill_world_destroy(world);
    rill_scene_free(scene);
    return code;
}
