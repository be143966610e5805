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

static double cost_of(const rill_viewer *v, int level) {
    return v->cost * levels[level].scale * levels[level].scale * levels[level].samples;
}

/* The sharpest within the time, else the lowest. */
static int choose_level(const rill_viewer *v, double time) {
    int level = 0;
    while (level + 1 < LEVELS && cost_of(v, level + 1) <= time) {
        level++;
    }
    return level;
}

static int wanted_level(const rill_viewer *v, double now) {
    bool shot = v->shoot || v->window_shot[0];
    if (shot || v->recording) { /* what is kept has full size */
        int sharp = choose_level(v, shot ? SHOT_COST : GOAL);
        return sharp > LEVEL_OF_FULL_SIZE ? sharp : LEVEL_OF_FULL_SIZE;
    }
    if (!(v->cost > 0)) {
        return LEVEL_AT_FIRST;
    }
    if (!v->status.playing && now - v->changed > STILL_AFTER) { /* a long step is no rest */
        return choose_level(v, STILL_COST);
    }
    int level = choose_level(v, GOAL), most = LEVEL_OF_FULL_SIZE;
    double too_long = TOO_LONG;
    if (level < LEVEL_OF_HALF_SIZE) { /* without a graphics card: not smooth any more, but alive */
        int slow = choose_level(v, CRAWL);
        level = slow < LEVEL_OF_HALF_SIZE ? slow : LEVEL_OF_HALF_SIZE;
        most = LEVEL_OF_HALF_SIZE;
        too_long = 1.6 * CRAWL;
    }
    bool fine = level < v->level && v->level <= most && cost_of(v, v->level) < too_long; /* no flicker */
    return fine ? v->level : level;
}

void rill_viewer_touch(rill_viewer *v) {
    v->changed = rill_player_clock();
    v->drawn = false;
}

/* ------------------------------------------------------------------------------------------------------------ take */

static void measure_box(rill_viewer *v, const rill_world *world) {
    rill_grid grid;
    rill_bed_info info;
    rill_world_get_grid(world, &grid);
    rill_bed_get_info(world, &info);
    for (int k = 0; k < 2; k++) {
        v->low[k] = grid.origin[k];
        v->high[k] = grid.origin[k] + grid.cell_size * grid.cells[k];
    }
    v->low[2] = v->high[2] = info.lowest;
    for (int32_t i = 0; i < rill_world_solid_count(world); i++) {
        rill_solid_mesh mesh;
        if (rill_solid_get_mesh(world, rill_world_solid_at(world, i), &mesh) == RILL_OK) {
            for (size_t k = 0; k < mesh.vertex_count; k++) {
                v->high[2] = fmax(v->high[2], fmin(mesh.vertices[3 * k + 2], info.highest));
            }
        }
    }
}

static bool set_materials(rill_viewer *v, const rill_scene *scene) {
    rill_render_material *materials = rill_materials_of(scene, &v->look);
    if (!materials) {
        return false;
    }
    free(v->materials);
    v->materials = materials;
    return true;
}

/* Another world: another look. The camera stays when it is the same scene again. */
static bool welcome(rill_viewer *v, const rill_player_view *view) {
    const rill_scene *scene = view->scene;
    if (!set_materials(v, scene)) {
        return false;
    }
    rill_render_forget(v->render);
    measure_box(v, view->world);
    if (v->another) {
        double size = hypot(v->high[0] - v->low[0], v->high[1] - v->low[1]);
        rill_camera camera = rill_camera_for(scene, view->world);
        v->orbit = rill_orbit_from(&camera, size);
        snprintf(v->name, sizeof v->name, "%s", scene->name);
        v->scene_preset = 0;
        for (int i = 0; i < rill_liquid_preset_count(); i++) {
            v->scene_preset = strcmp(rill_liquid_preset_name(i), scene->preset) == 0 ? i : v->scene_preset;
        }
        v->settings.preset = v->scene_preset;
    }
    memset(&v->plots, 0, sizeof v->plots);
    v->another = false;
    rill_optics_preset(rill_liquid_preset_name(v->settings.preset), &v->look.optics);
    v->watched = rill_world_time(view->world);
    v->opened = view->opened;
    return true;
}

static bool resize(rill_viewer *v, int level) {
    double scale = levels[level].scale;
    int32_t size[2];
    for (int k = 0; k < 2; k++) {
        size[k] = (int32_t)fmax(16, round(v->picture[k] * scale));
    }
    if (!rill_render_resize(v->render, size[0], size[1], v->message)) {
        return false;
    }
    memcpy(v->render_size, size, sizeof size);
    v->level = level;
    v->look.samples = levels[level].samples;
    v->look.peels = levels[level].scale < 1 ? PEELS_IN_MOTION : rill_default_render_options().peels;
    return true;
}

static bool take(rill_viewer *v, const rill_player_view *view, int level) {
    double time = rill_world_time(view->world);
    bool good = view->opened == v->opened || welcome(v, view);
    good = good && resize(v, level);
    good = good && rill_render_watch(v->render, view->world, fmax(time - v->watched, 0));
    v->watched = time;
    v->version = view->version;
    v->look.step = view->scene->frame * fmin(v->status.speed, 1);
    good = good && rill_render_take(v->render, view->world, &view->surface, 1, &v->look, v->message);
    return good;
}

/* ------------------------------------------------------------------------------------------------------------ draw */

static void fail(rill_viewer *v) {
    if (!v->message->text[0]) {
        snprintf(v->message->text, sizeof v->message->text, "out of memory");
    }
    v->result = RILL_VIEWER_NO_WINDOW;
    v->done = true;
}

static void draw(rill_viewer *v) {
    rill_camera camera = rill_orbit_camera(&v->orbit);
    double start = rill_player_clock();
    if (!rill_render_draw(v->render, &camera, &v->look, v->message)) {
        fail(v);
        return;
    }
    glFinish(); /* else the time would be that of asking, not of drawing */
    double spent = rill_player_clock() - start, scale = levels[v->level].scale;
    double cost = spent / (scale * scale * levels[v->level].samples);
    v->cost = v->cost > 0 ? v->cost + 0.2 * (cost - v->cost) : cost;
    v->drawn = true;
}

void rill_viewer_update_picture(rill_viewer *v) {
    rill_player_view view;
    double now = rill_player_clock();
    int level = wanted_level(v, now);
    bool fresh = false;
    double patience = fmin(fmax(PATIENCE, PATIENT_SHARE * cost_of(v, v->level)), MOST_PATIENCE);
    if (rill_player_claim(v->player, patience, &view)) {
        bool mine =
            view.world && v->status.orders >= v->opening; /* else it is a world from before, or of the gallery */
        bool news = mine && (view.version != v->version || view.opened != v->opened);
        bool another = v->level != level || (v->render_size[0] != (int32_t)round(v->picture[0] * levels[level].scale) ||
                                             v->render_size[1] != (int32_t)round(v->picture[1] * levels[level].scale));
        fresh = mine && (news || another || !v->drawn);
        bool good = !fresh || take(v, &view, level);
        rill_player_release(v->player);
        v->changed = news ? now : v->changed;
        if (!good) {
            fail(v);
            return;
        }
    }
    if (v->opened && (fresh || !v->drawn)) {
        draw(v);
    }
}

void rill_viewer_fit(rill_viewer *v) {
    rill_orbit_fit(&v->orbit, v->low, v->high, (double)v->picture[0] / v->picture[1]);
    rill_viewer_touch(v);
}

bool rill_viewer_draw_once(rill_viewer *v, const rill_player_view *view, int32_t width, int32_t height,
                           uint8_t *pixels) {
    rill_camera camera = rill_camera_for(view->scene, view->world);
    bool good = set_materials(v, view->scene) && rill_render_resize(v->render, width, height, v->message);
    rill_render_forget(v->render);
    rill_optics_preset(view->scene->preset, &v->look.optics);
    v->look.samples = 4;
    v->look.peels = rill_default_render_options().peels;
    v->opened = 0; /* whatever is opened next is welcomed */
    v->another = true;
    good = good && rill_render_watch(v->render, view->world, 0);
    good = good && rill_render_scene(v->render, view->world, &view->surface, 1, &camera, &v->look, v->message);
    if (good) {
        rill_render_read(v->render, pixels);
    } else {
        fail(v);
    }
    return good;
}
