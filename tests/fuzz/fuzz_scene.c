/* Scene files from strangers, without the files they name: errors with places, or a scene; small scenes also run. */
#include "fuzz.h"
#include "scene/scene.h"

static bool small_enough(const rill_scene *scene) {
    const int32_t *cells = scene->world.grid.cells;
    return cells[0] <= 48 && cells[1] <= 48 && scene->solid_count <= 16 && scene->world.solver.max_substeps <= 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rill_scene_options options = { .no_files = true };
    rill_scene_report report = { 0 };
    rill_scene *scene = NULL;
    rill_world *world = NULL;
    rill_scene_result result = rill_scene_parse((const char *)data, size, "fuzz.yaml", &options, &scene, &report);
    FUZZ_CHECK((result == RILL_SCENE_OK) == (scene != NULL), "result %d", (int)result);
    FUZZ_CHECK(result != RILL_SCENE_WRONG || report.errors > 0, "refused without a word");
    if (scene && small_enough(scene)) {
        result = rill_scene_create_world(scene, NULL, &world, &report);
        FUZZ_CHECK((result == RILL_SCENE_OK) == (world != NULL), "result %d", (int)result);
    }
    for (int i = 0; world && i < 3; ++i) {
        rill_status status;
        FUZZ_CHECK(rill_scene_step(scene, world, scene->frame, &status) == RILL_OK, "a checked scene was refused: %s",
                   rill_world_message(world));
        fuzz_check_world(world);
    }
    rill_world_destroy(world);
    rill_scene_free(scene);
    rill_scene_report_free(&report);
    return 0;
}
