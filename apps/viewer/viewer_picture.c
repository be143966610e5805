/* From the player's world to the picture.
 *
 * The world is taken over when it can be had at once; drawing does not need it any more. How sharp the picture is
 * follows from how long pictures take: smaller ones, stretched, where even one sample takes longer than a frame of the
 * screen, more samples where there is time; and when everything stands still, as many as a short moment allows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/gl.h"
#include "viewer_internal.h"

static const double PATIENCE = 0.006;      /* s, for the world ... */
static const double PATIENT_SHARE = 0.3;   /* ... or this part of what drawing takes: then nobody notices ... */
static const double MOST_PATIENCE = 0.012; /* ... but never longer: steps may take any time */
static const double GOAL = 0.014;          /* s, for a picture */
static const double CRAWL = 0.06;          /* s: half the size may take so long before it gets smaller still */
static const double TOO_LONG = 0.030;
static const double STILL_AFTER = 0.4; /* s */
static const double STILL_COST = 0.5;  /* s */
static const double SHOT_COST = 2;

static const struct {
    double scale;
    int32_t samples;
} levels[] = { { 0.25, 1 }, { 0.35, 1 }, { 0.5, 1 }, { 0.7, 1 }, { 1, 1 }, { 1, 2 }, { 1, 4 }, { 1, 8 }, { 1, 16 } };
enum { LEVELS = sizeof levels / sizeof levels[0], LEVEL_OF_HALF_SIZE = 2, LEVEL_AT_FIRST = 3, LEVEL_OF_FULL_SIZE = 4 };
enum { PEELS_IN_MOTION = 2 };

static double cost_of(const rill_viewer *viewer, int level) {
    return viewer->cost * levels[level].scale * levels[level].scale * levels[level].samples;
}

/* The sharpest within the time, else the lowest. */
static int choose_level(const rill_viewer *viewer, double time) {
    int level = 0;
    while (level + 1 < LEVELS && cost_of(viewer, level + 1) <= time) ++level;
    return level;
}

static int wanted_level(const rill_viewer *viewer, double now) {
    bool shot = viewer->shoot || viewer->window_shot[0];
    if (shot || viewer->recording) { /* what is kept has full size */
        int sharp = choose_level(viewer, shot ? SHOT_COST : GOAL);
        return sharp > LEVEL_OF_FULL_SIZE ? sharp : LEVEL_OF_FULL_SIZE;
    }
    if (!(viewer->cost > 0)) return LEVEL_AT_FIRST;
    if (!viewer->status.playing && now - viewer->changed > STILL_AFTER) { /* a long step is no rest */
        return choose_level(viewer, STILL_COST);
    }
    int level = choose_level(viewer, GOAL), most = LEVEL_OF_FULL_SIZE;
    double too_long = TOO_LONG;
    if (level < LEVEL_OF_HALF_SIZE) { /* without a graphics card: not smooth any more, but alive */
        int slow = choose_level(viewer, CRAWL);
        level = slow < LEVEL_OF_HALF_SIZE ? slow : LEVEL_OF_HALF_SIZE;
        most = LEVEL_OF_HALF_SIZE;
        too_long = 1.6 * CRAWL;
    }
    bool fine =
        level < viewer->level && viewer->level <= most && cost_of(viewer, viewer->level) < too_long; /* no flicker */
    return fine ? viewer->level : level;
}

void rill_viewer_touch(rill_viewer *viewer) {
    viewer->changed = rill_player_clock();
    viewer->drawn = false;
}

/* ------------------------------------------------------------------------------------------------------------ take */

static void measure_box(rill_viewer *viewer, const rill_world *world) {
    rill_grid grid;
    rill_bed_info info;
    rill_world_get_grid(world, &grid);
    rill_bed_get_info(world, &info);
    for (int k = 0; k < 2; ++k) {
        viewer->low[k] = grid.origin[k];
        viewer->high[k] = grid.origin[k] + grid.cell_size * grid.cells[k];
    }
    viewer->low[2] = viewer->high[2] = info.lowest;
    for (int32_t i = 0; i < rill_world_solid_count(world); ++i) {
        rill_solid_mesh mesh;
        if (rill_solid_get_mesh(world, rill_world_solid_at(world, i), &mesh) == RILL_OK) {
            for (size_t k = 0; k < mesh.vertex_count; ++k)
                viewer->high[2] = fmax(viewer->high[2], fmin(mesh.vertices[3 * k + 2], info.highest));
        }
    }
}

static bool set_materials(rill_viewer *viewer, const rill_scene *scene) {
    rill_render_material *materials = rill_materials_of(scene, &viewer->look);
    if (!materials) return false;
    free(viewer->materials);
    viewer->materials = materials;
    return true;
}

/* Another world: another look. The camera stays when it is the same scene again. */
static bool welcome(rill_viewer *viewer, const rill_player_view *view) {
    const rill_scene *scene = view->scene;
    if (!set_materials(viewer, scene)) return false;
    rill_render_forget(viewer->render);
    measure_box(viewer, view->world);
    if (viewer->another) {
        double size = hypot(viewer->high[0] - viewer->low[0], viewer->high[1] - viewer->low[1]);
        rill_camera camera = rill_camera_for(scene, view->world);
        rill_studio_for(&camera, &viewer->look);
        viewer->orbit = rill_orbit_from(&camera, size);
        snprintf(viewer->name, sizeof viewer->name, "%s", scene->name);
        viewer->scene_preset = 0;
        for (int i = 0; i < rill_liquid_preset_count(); ++i)
            viewer->scene_preset = strcmp(rill_liquid_preset_name(i), scene->preset) == 0 ? i : viewer->scene_preset;
        viewer->settings.preset = viewer->scene_preset;
    }
    memset(&viewer->plots, 0, sizeof viewer->plots);
    viewer->another = false;
    rill_optics_preset(rill_liquid_preset_name(viewer->settings.preset), &viewer->look.optics);
    viewer->watched = rill_world_time(view->world);
    viewer->opened = view->opened;
    return true;
}

static bool resize(rill_viewer *viewer, int level) {
    double scale = levels[level].scale;
    int32_t size[2];
    for (int k = 0; k < 2; ++k) size[k] = (int32_t)fmax(16, round(viewer->picture[k] * scale));
    if (!rill_render_resize(viewer->render, size[0], size[1], viewer->message)) return false;
    memcpy(viewer->render_size, size, sizeof size);
    viewer->level = level;
    viewer->look.samples = levels[level].samples;
    viewer->look.peels = levels[level].scale < 1 ? PEELS_IN_MOTION : rill_default_render_options().peels;
    return true;
}

static bool take(rill_viewer *viewer, const rill_player_view *view, int level) {
    double time = rill_world_time(view->world);
    bool good = view->opened == viewer->opened || welcome(viewer, view);
    good = good && resize(viewer, level);
    good = good && rill_render_watch(viewer->render, view->world, fmax(time - viewer->watched, 0));
    viewer->watched = time;
    viewer->version = view->version;
    viewer->look.step = view->scene->frame * fmin(viewer->status.speed, 1);
    good = good && rill_render_take(viewer->render, view->world, &view->surface, 1, &viewer->look, viewer->message);
    return good;
}

/* ------------------------------------------------------------------------------------------------------------ draw */

static void fail(rill_viewer *viewer) {
    if (!viewer->message->text[0]) snprintf(viewer->message->text, sizeof viewer->message->text, "out of memory");
    viewer->result = RILL_VIEWER_NO_WINDOW;
    viewer->done = true;
}

static void draw(rill_viewer *viewer) {
    rill_camera camera = rill_orbit_camera(&viewer->orbit);
    double start = rill_player_clock();
    if (!rill_render_draw(viewer->render, &camera, &viewer->look, viewer->message)) {
        fail(viewer);
        return;
    }
    glFinish(); /* else the time would be that of asking, not of drawing */
    double spent = rill_player_clock() - start, scale = levels[viewer->level].scale;
    double cost = spent / (scale * scale * levels[viewer->level].samples);
    viewer->cost = viewer->cost > 0 ? viewer->cost + 0.2 * (cost - viewer->cost) : cost;
    viewer->drawn = true;
}

void rill_viewer_update_picture(rill_viewer *viewer) {
    rill_player_view view;
    double now = rill_player_clock();
    int level = wanted_level(viewer, now);
    bool fresh = false;
    double patience = fmin(fmax(PATIENCE, PATIENT_SHARE * cost_of(viewer, viewer->level)), MOST_PATIENCE);
    if (rill_player_claim(viewer->player, patience, &view)) {
        bool mine = view.world &&
                    viewer->status.orders >= viewer->opening; /* else it is a world from before, or of the gallery */
        bool news = mine && (view.version != viewer->version || view.opened != viewer->opened);
        bool another = viewer->level != level ||
                       (viewer->render_size[0] != (int32_t)round(viewer->picture[0] * levels[level].scale) ||
                        viewer->render_size[1] != (int32_t)round(viewer->picture[1] * levels[level].scale));
        fresh = mine && (news || another || !viewer->drawn);
        bool good = !fresh || take(viewer, &view, level);
        rill_player_release(viewer->player);
        viewer->changed = news ? now : viewer->changed;
        if (!good) {
            fail(viewer);
            return;
        }
    }
    if (viewer->opened && (fresh || !viewer->drawn)) draw(viewer);
}

void rill_viewer_fit(rill_viewer *viewer) {
    rill_orbit_fit(&viewer->orbit, viewer->low, viewer->high, (double)viewer->picture[0] / viewer->picture[1]);
    rill_viewer_touch(viewer);
}

bool rill_viewer_draw_once(rill_viewer *viewer, const rill_player_view *view, int32_t width, int32_t height,
                           uint8_t *pixels) {
    rill_camera camera = rill_camera_for(view->scene, view->world);
    bool good =
        set_materials(viewer, view->scene) && rill_render_resize(viewer->render, width, height, viewer->message);
    rill_studio_for(&camera, &viewer->look);
    rill_render_forget(viewer->render);
    rill_optics_preset(view->scene->preset, &viewer->look.optics);
    viewer->look.samples = 4;
    viewer->look.peels = rill_default_render_options().peels;
    viewer->opened = 0; /* whatever is opened next is welcomed */
    viewer->another = true;
    good = good && rill_render_watch(viewer->render, view->world, 0);
    good = good &&
           rill_render_scene(viewer->render, view->world, &view->surface, 1, &camera, &viewer->look, viewer->message);
    if (good)
        rill_render_read(viewer->render, pixels);
    else
        fail(viewer);
    return good;
}
