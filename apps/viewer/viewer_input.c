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

static bool over_picture(const rill_viewer *v) {
    return !v->in_gallery && v->opened && v->mouse[0] >= 0 && v->mouse[0] < v->picture[0] && v->mouse[1] >= 0 &&
           v->mouse[1] < v->picture[1];
}

static rill_ray ray_under(const rill_viewer *v) {
    double x = 2 * v->mouse[0] / v->picture[0] - 1, y = 1 - 2 * v->mouse[1] / v->picture[1];
    return rill_orbit_ray(&v->orbit, x, y, (double)v->picture[0] / v->picture[1]);
}

static void send_hand(rill_viewer *v, rill_hand mode) {
    rill_order order = { .kind = RILL_ORDER_HAND,
                         .mode = mode,
                         .ray = ray_under(v),
                         .numbers = { v->settings.rate * 1e-6, v->settings.radius * 1e-3 } };
    rill_viewer_order(v, &order);
}

static void send_ray(rill_viewer *v, rill_order_kind kind) {
    rill_order order = { .kind = kind, .ray = ray_under(v) };
    rill_viewer_order(v, &order);
}

/* ----------------------------------------------------------------------------------------------------------- mouse */

static rill_drag choose_drag(int button, int mods) {
    if (button == GLFW_MOUSE_BUTTON_MIDDLE) {
        return RILL_DRAG_PAN;
    }
    if (button == GLFW_MOUSE_BUTTON_RIGHT) {
        return mods & GLFW_MOD_SHIFT ? RILL_DRAG_PAN : RILL_DRAG_ORBIT;
    }
    if (button != GLFW_MOUSE_BUTTON_LEFT) {
        return RILL_DRAG_NONE;
    }
    return mods & GLFW_MOD_ALT ? RILL_DRAG_ORBIT : mods & GLFW_MOD_CONTROL ? RILL_DRAG_PUSH : RILL_DRAG_HAND;
}

static void end_drag(rill_viewer *v) {
    if (v->drag == RILL_DRAG_HAND) {
        send_hand(v, RILL_HAND_IDLE);
    } else if (v->drag == RILL_DRAG_PUSH) {
        send_ray(v, RILL_ORDER_LET_GO);
    }
    v->drag = RILL_DRAG_NONE;
}

void rill_input_button(rill_viewer *v, int button, bool down, int mods) {
    rill_gui_on_button(button, down);
    if (!down) {
        if (v->drag != RILL_DRAG_NONE && button == v->drag_button) {
            end_drag(v);
        }
        return;
    }
    if (v->drag != RILL_DRAG_NONE || rill_gui_has_mouse() || !over_picture(v)) {
        return;
    }
    v->drag = choose_drag(button, mods);
    v->drag_button = button;
    if (v->drag == RILL_DRAG_HAND) {
        v->hand = mods & GLFW_MOD_SHIFT ? RILL_HAND_SUCKS : RILL_HAND_POURS;
        send_hand(v, v->hand);
    } else if (v->drag == RILL_DRAG_PUSH) {
        send_ray(v, RILL_ORDER_GRAB);
    }
}

void rill_input_move(rill_viewer *v, double x, double y) {
    double dx = (x - v->mouse[0]) / v->picture[1], dy = (y - v->mouse[1]) / v->picture[1];
    v->mouse[0] = x;
    v->mouse[1] = y;
    rill_gui_on_mouse((float)x, (float)y);
    if (v->drag == RILL_DRAG_ORBIT) {
        rill_orbit_rotate(&v->orbit, dx, dy);
        rill_viewer_touch(v);
    } else if (v->drag == RILL_DRAG_PAN) {
        rill_orbit_pan(&v->orbit, dx, dy, (double)v->picture[0] / v->picture[1]);
        rill_viewer_touch(v);
    } else if (v->drag == RILL_DRAG_PUSH) {
        send_ray(v, RILL_ORDER_DRAG);
    } else if (v->drag == RILL_DRAG_HAND) {
        send_hand(v, v->hand);
    }
}

void rill_input_wheel(rill_viewer *v, double amount) {
    rill_gui_on_wheel((float)amount);
    if (!rill_gui_has_mouse() && over_picture(v)) {
        rill_orbit_zoom(&v->orbit, amount);
        rill_viewer_touch(v);
    }
}

void rill_input_frame(rill_viewer *v) {
    if (v->in_gallery) {
        v->drag = RILL_DRAG_NONE; /* the world it was about is gone */
    }
}

void rill_input_drop(rill_viewer *v, const char *path) {
    rill_viewer_open(v, path);
}

/* ------------------------------------------------------------------------------------------------------------ keys */

void rill_input_tilt(rill_viewer *v, double right, double away) {
    double c = cos(v->orbit.turn), s = sin(v->orbit.turn), limit = TILT_LIMIT * PI / 180;
    double *tilt = v->settings.tilt;
    tilt[0] += (-s * right - c * away) * PI / 180;
    tilt[1] += (c * right - s * away) * PI / 180;
    for (int k = 0; k < 2; k++) {
        tilt[k] = fmin(fmax(tilt[k], -limit), limit);
    }
    rill_panel_send_gravity(v);
}

static void set_overlay(rill_viewer *v, int overlay) {
    v->settings.overlay = overlay;
    v->look.overlay = (rill_overlay)overlay;
    rill_viewer_touch(v);
}

static void restart(rill_viewer *v, bool anew) {
    v->settings.preset = anew ? v->scene_preset : v->settings.preset;
    rill_viewer_do(v, RILL_ORDER_RESTART, anew);
}

static void drop_body(rill_viewer *v, bool box) {
    if (over_picture(v) && !rill_gui_has_mouse()) {
        rill_order order = { .kind = RILL_ORDER_BODY, .ray = ray_under(v), .flag = box };
        rill_viewer_order(v, &order);
    }
}

static void on_escape(rill_viewer *v) {
    if (v->with_help) {
        v->with_help = false;
    } else if (!v->in_gallery) {
        rill_viewer_go_to_gallery(v);
    }
}

/* Keys that mean the same everywhere. */
static bool general_key(rill_viewer *v, int key, int mods) {
    switch (key) {
    case GLFW_KEY_H:
    case GLFW_KEY_F1: v->with_help = !v->with_help; return true;
    case GLFW_KEY_ESCAPE: on_escape(v); return true;
    case GLFW_KEY_F12: rill_script_report(v, "key"); return true;
    case GLFW_KEY_Q: v->done |= (mods & GLFW_MOD_CONTROL) != 0; return true;
    default: return false;
    }
}

static void scene_key(rill_viewer *v, int key, int mods) {
    switch (key) {
    case GLFW_KEY_SPACE: rill_viewer_do(v, RILL_ORDER_PLAY, !v->status.playing); break;
    case GLFW_KEY_R: restart(v, (mods & GLFW_MOD_SHIFT) != 0); break;
    case GLFW_KEY_F: rill_viewer_fit(v); break;
    case GLFW_KEY_G: rill_viewer_go_to_gallery(v); break;
    case GLFW_KEY_TAB: v->with_panel = !v->with_panel; break;
    case GLFW_KEY_P: rill_keep_screenshot(v, (mods & GLFW_MOD_SHIFT) != 0); break;
    case GLFW_KEY_V: rill_keep_record(v); break;
    case GLFW_KEY_F5: rill_keep_snapshot(v, false); break;
    case GLFW_KEY_F9: rill_keep_snapshot(v, true); break;
    case GLFW_KEY_B: drop_body(v, (mods & GLFW_MOD_SHIFT) != 0); break;
    case GLFW_KEY_O: set_overlay(v, (v->settings.overlay + 1) % RILL_OVERLAY_COUNT); break;
    case GLFW_KEY_HOME:
        v->settings.tilt[0] = v->settings.tilt[1] = 0;
        rill_panel_send_gravity(v);
        break;
    default:
        if (key >= GLFW_KEY_0 && key < GLFW_KEY_0 + RILL_OVERLAY_COUNT) {
            set_overlay(v, key - GLFW_KEY_0);
        }
        break;
    }
}

/* Keys that repeat while they are held. */
static bool repeating_key(rill_viewer *v, int key) {
    switch (key) {
    case GLFW_KEY_PERIOD: rill_viewer_do(v, RILL_ORDER_STEP, false); return true;
    case GLFW_KEY_LEFT: rill_input_tilt(v, -TILT_STEP, 0); return true;
    case GLFW_KEY_RIGHT: rill_input_tilt(v, TILT_STEP, 0); return true;
    case GLFW_KEY_UP: rill_input_tilt(v, 0, TILT_STEP); return true;
    case GLFW_KEY_DOWN: rill_input_tilt(v, 0, -TILT_STEP); return true;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT: rill_viewer_set_speed(v, v->settings.speed - 1); return true;
    case GLFW_KEY_EQUAL: /* + without shift */
    case GLFW_KEY_KP_ADD: rill_viewer_set_speed(v, v->settings.speed + 1); return true;
    default: return false;
    }
}

void rill_input_key(rill_viewer *v, int key, bool down, bool repeat, int mods) {
    rill_gui_on_key(key, down);
    if (!down || rill_gui_has_keys()) {
        return;
    }
    if (!repeat && general_key(v, key, mods)) {
        return;
    }
    if (!v->in_gallery && !repeating_key(v, key) && !repeat) {
        scene_key(v, key, mods);
    }
}
