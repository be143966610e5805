/* Keys, mouse and dropped files: what they do. Everything comes through these functions, from GLFW's callbacks and from
 * scripts alike. The list of keys that people see is in viewer_help.c. */
#include <math.h>
#include <string.h>

#include <epoxy/gl.h> /* before GLFW, which else brings a GL of its own */

#include <GLFW/glfw3.h>

#include "scene/files.h"
#include "viewer_internal.h"

static const double PI = 3.14159265358979323846;
static const double TILT_STEP = 1;   /* degrees per press of an arrow key */
static const double TILT_LIMIT = 30; /* degrees */

const char *const rill_speed_names[] = { "1/8", "1/4", "1/2", "1", "2" };

/* ------------------------------------------------------------------------------------------------------------ rays */

static bool over_picture(const rill_viewer *viewer) {
    return !viewer->in_gallery && viewer->opened && viewer->mouse[0] >= 0 && viewer->mouse[0] < viewer->picture[0] &&
           viewer->mouse[1] >= 0 && viewer->mouse[1] < viewer->picture[1];
}

static rill_ray ray_under(const rill_viewer *viewer) {
    double x = 2 * viewer->mouse[0] / viewer->picture[0] - 1, y = 1 - 2 * viewer->mouse[1] / viewer->picture[1];
    return rill_orbit_ray(&viewer->orbit, x, y, (double)viewer->picture[0] / viewer->picture[1]);
}

static void send_hand(rill_viewer *viewer, rill_hand mode) {
    rill_order order = { .kind = RILL_ORDER_HAND,
                         .mode = mode,
                         .ray = ray_under(viewer),
                         .numbers = { viewer->settings.rate * 1e-6, viewer->settings.radius * 1e-3 } };
    rill_viewer_order(viewer, &order);
}

static void send_ray(rill_viewer *viewer, rill_order_kind kind) {
    rill_order order = { .kind = kind, .ray = ray_under(viewer) };
    rill_viewer_order(viewer, &order);
}

/* ----------------------------------------------------------------------------------------------------------- mouse */

static rill_drag choose_drag(int button, int mods) {
    if (button == GLFW_MOUSE_BUTTON_MIDDLE) return RILL_DRAG_PAN;
    if (button == GLFW_MOUSE_BUTTON_RIGHT) return mods & GLFW_MOD_SHIFT ? RILL_DRAG_PAN : RILL_DRAG_ORBIT;
    if (button != GLFW_MOUSE_BUTTON_LEFT) return RILL_DRAG_NONE;
    if (mods & GLFW_MOD_ALT) return mods & GLFW_MOD_CONTROL ? RILL_DRAG_HAND : RILL_DRAG_ORBIT;
    return (mods & GLFW_MOD_CONTROL) && !(mods & GLFW_MOD_SHIFT) ? RILL_DRAG_PUSH : RILL_DRAG_HAND;
}

static void end_drag(rill_viewer *viewer) {
    if (viewer->drag == RILL_DRAG_HAND)
        send_hand(viewer, RILL_HAND_IDLE);
    else if (viewer->drag == RILL_DRAG_PUSH)
        send_ray(viewer, RILL_ORDER_LET_GO);
    viewer->drag = RILL_DRAG_NONE;
}

void rill_input_button(rill_viewer *viewer, int button, bool down, int mods) {
    rill_gui_on_button(button, down);
    if (!down) {
        if (viewer->drag != RILL_DRAG_NONE && button == viewer->drag_button) end_drag(viewer);
        return;
    }
    if (viewer->drag != RILL_DRAG_NONE || rill_gui_has_mouse() || !over_picture(viewer)) return;
    viewer->drag = choose_drag(button, mods);
    viewer->drag_button = button;
    if (viewer->drag == RILL_DRAG_HAND) {
        viewer->hand = mods & GLFW_MOD_ALT       ? RILL_HAND_PAINTS
                       : mods & GLFW_MOD_CONTROL ? RILL_HAND_DRAGS
                       : mods & GLFW_MOD_SHIFT   ? RILL_HAND_SUCKS
                                                 : RILL_HAND_POURS;
        send_hand(viewer, viewer->hand);
    } else if (viewer->drag == RILL_DRAG_PUSH) {
        send_ray(viewer, RILL_ORDER_GRAB);
    }
}

void rill_input_move(rill_viewer *viewer, double x, double y) {
    double dx = (x - viewer->mouse[0]) / viewer->picture[1], dy = (y - viewer->mouse[1]) / viewer->picture[1];
    viewer->mouse[0] = x;
    viewer->mouse[1] = y;
    rill_gui_on_mouse((float)x, (float)y);
    if (viewer->drag == RILL_DRAG_ORBIT) {
        rill_orbit_rotate(&viewer->orbit, dx, dy);
        rill_viewer_touch(viewer);
    } else if (viewer->drag == RILL_DRAG_PAN) {
        rill_orbit_pan(&viewer->orbit, dx, dy, (double)viewer->picture[0] / viewer->picture[1]);
        rill_viewer_touch(viewer);
    } else if (viewer->drag == RILL_DRAG_PUSH) {
        send_ray(viewer, RILL_ORDER_DRAG);
    } else if (viewer->drag == RILL_DRAG_HAND) {
        send_hand(viewer, viewer->hand);
    }
}

void rill_input_wheel(rill_viewer *viewer, double amount) {
    rill_gui_on_wheel((float)amount);
    if (!rill_gui_has_mouse() && over_picture(viewer)) {
        rill_orbit_zoom(&viewer->orbit, amount);
        rill_viewer_touch(viewer);
    }
}

void rill_input_frame(rill_viewer *viewer) {
    if (viewer->in_gallery) viewer->drag = RILL_DRAG_NONE; /* the world it was about is gone */
}

void rill_input_drop(rill_viewer *viewer, const char *path) {
    rill_viewer_open(viewer, path);
}

/* ------------------------------------------------------------------------------------------------------------ keys */

void rill_input_tilt(rill_viewer *viewer, double right, double away) {
    double c = cos(viewer->orbit.turn), s = sin(viewer->orbit.turn), limit = TILT_LIMIT * PI / 180;
    double *tilt = viewer->settings.tilt;
    tilt[0] += (-s * right - c * away) * PI / 180;
    tilt[1] += (c * right - s * away) * PI / 180;
    for (int k = 0; k < 2; ++k) tilt[k] = fmin(fmax(tilt[k], -limit), limit);
    rill_panel_send_gravity(viewer);
}

static void set_overlay(rill_viewer *viewer, int overlay) {
    viewer->settings.overlay = overlay;
    viewer->look.overlay = (rill_overlay)overlay;
    rill_viewer_touch(viewer);
}

static void restart(rill_viewer *viewer, bool anew) {
    viewer->settings.preset = anew ? viewer->scene_preset : viewer->settings.preset;
    rill_viewer_do(viewer, RILL_ORDER_RESTART, anew);
}

static void drop_body(rill_viewer *viewer, bool box) {
    if (over_picture(viewer) && !rill_gui_has_mouse()) {
        rill_order order = { .kind = RILL_ORDER_BODY, .ray = ray_under(viewer), .flag = box };
        rill_viewer_order(viewer, &order);
    }
}

static void on_escape(rill_viewer *viewer) {
    if (viewer->with_help)
        viewer->with_help = false;
    else if (!viewer->in_gallery)
        rill_viewer_go_to_gallery(viewer);
}

/* Keys that mean the same everywhere. */
static bool general_key(rill_viewer *viewer, int key, int mods) {
    switch (key) {
    case GLFW_KEY_H:
    case GLFW_KEY_F1: viewer->with_help = !viewer->with_help; return true;
    case GLFW_KEY_ESCAPE: on_escape(viewer); return true;
    case GLFW_KEY_F12: rill_script_report(viewer, "key"); return true;
    case GLFW_KEY_Q: viewer->done |= (mods & GLFW_MOD_CONTROL) != 0; return true;
    default: return false;
    }
}

static void scene_key(rill_viewer *viewer, int key, int mods) {
    switch (key) {
    case GLFW_KEY_SPACE: rill_viewer_do(viewer, RILL_ORDER_PLAY, !viewer->status.playing); break;
    case GLFW_KEY_R: restart(viewer, (mods & GLFW_MOD_SHIFT) != 0); break;
    case GLFW_KEY_F: rill_viewer_fit(viewer); break;
    case GLFW_KEY_G: rill_viewer_go_to_gallery(viewer); break;
    case GLFW_KEY_TAB: viewer->with_panel = !viewer->with_panel; break;
    case GLFW_KEY_P: rill_keep_screenshot(viewer, (mods & GLFW_MOD_SHIFT) != 0); break;
    case GLFW_KEY_V: rill_keep_record(viewer); break;
    case GLFW_KEY_F5: rill_keep_snapshot(viewer, false); break;
    case GLFW_KEY_F9: rill_keep_snapshot(viewer, true); break;
    case GLFW_KEY_B: drop_body(viewer, (mods & GLFW_MOD_SHIFT) != 0); break;
    case GLFW_KEY_O: set_overlay(viewer, (viewer->settings.overlay + 1) % RILL_OVERLAY_COUNT); break;
    case GLFW_KEY_HOME:
        viewer->settings.tilt[0] = viewer->settings.tilt[1] = 0;
        rill_panel_send_gravity(viewer);
        break;
    default:
        if (key >= GLFW_KEY_0 && key < GLFW_KEY_0 + RILL_OVERLAY_COUNT) set_overlay(viewer, key - GLFW_KEY_0);
        break;
    }
}

/* Keys that repeat while they are held. */
static bool repeating_key(rill_viewer *viewer, int key) {
    switch (key) {
    case GLFW_KEY_PERIOD: rill_viewer_do(viewer, RILL_ORDER_STEP, false); return true;
    case GLFW_KEY_LEFT: rill_input_tilt(viewer, -TILT_STEP, 0); return true;
    case GLFW_KEY_RIGHT: rill_input_tilt(viewer, TILT_STEP, 0); return true;
    case GLFW_KEY_UP: rill_input_tilt(viewer, 0, TILT_STEP); return true;
    case GLFW_KEY_DOWN: rill_input_tilt(viewer, 0, -TILT_STEP); return true;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT: rill_viewer_set_speed(viewer, viewer->settings.speed - 1); return true;
    case GLFW_KEY_EQUAL: /* + without shift */
    case GLFW_KEY_KP_ADD: rill_viewer_set_speed(viewer, viewer->settings.speed + 1); return true;
    default: return false;
    }
}

void rill_input_key(rill_viewer *viewer, int key, bool down, bool repeat, int mods) {
    rill_gui_on_key(key, down);
    if (!down || rill_gui_has_keys()) return;
    if (!repeat && general_key(viewer, key, mods)) return;
    if (!viewer->in_gallery && !repeating_key(viewer, key) && !repeat) scene_key(viewer, key, mods);
}
