/* The surface of every scene that is shipped, for the first tenths of a second: whole meshes (mesh_check.h), whatever
 * moves, falls or is flooded. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh_check.h"
#include "physics/physics.h"
#include "surface/surface.h"

enum { BUILDS = 6 };
static const double LONGEST = 0.3; /* s */

static void check(const char *name, const rill_surface *surface, double size, double time) {
    const mesh_report report = mesh_check(surface, size);
    if (report.text[0]) fail_msg("%s, %g s: %s", name, time, report.text);
    if (report.unused > 0) fail_msg("%s, %g s: %zu vertices of no triangle", name, time, report.unused);
    if (report.broken_edges > surface->tears)
        fail_msg("%s, %g s: %zu edges end inside the liquid, expected at most %zu", name, time, report.broken_edges,
                 surface->tears);
}

static void run_scene(const char *name) {
    char path[1024];
    rill_scene_report report = { 0 };
    rill_scene *scene = NULL;
    rill_world *world = NULL;
    rill_surface *surface = NULL;
    snprintf(path, sizeof path, "%s/scenes/%s", RILL_SOURCE_DIR, name);
    assert_int_equal(rill_scene_load(path, NULL, &scene, &report), RILL_SCENE_OK);
    scene->world.solver.tension = RILL_TENSION_OFF;
    assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_OK);
    rill_scene_report_free(&report);
    rill_physics *physics = rill_physics_create(scene, world);
    assert_non_null(physics);
    const rill_surface_def def = rill_default_surface_def();
    assert_int_equal(rill_surface_create(world, &def, &surface), RILL_OK);
    const double until = fmin(scene->until, LONGEST / ALONE_PART);
    double next = 0.0;
    while (rill_world_time(world) < until) {
        const double time = rill_world_time(world);
        rill_status status;
        assert_int_equal(rill_physics_step(physics, scene->frame, &status), RILL_OK);
        if (time < next) continue;
        next += until / BUILDS;
        assert_int_equal(rill_surface_build(surface), RILL_OK);
        check(name, surface, scene->world.grid.cell_size, time);
    }
    rill_surface_destroy(surface);
    rill_physics_destroy(physics);
    rill_world_destroy(world);
    rill_scene_free(scene);
}

static void shipped_scenes(void **state) {
    (void)state;
    DIR *folder = opendir(RILL_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".yaml") != 0) continue;
        run_scene(entry->d_name);
        count += 1;
    }
    closedir(folder);
    assert_true(count >= 15);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(shipped_scenes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
