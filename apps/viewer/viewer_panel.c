/* The panel on the right: everything that can be set, and how the world is. */
#include <math.h>
#include <string.h>

#include "viewer_internal.h"

static const double PI = 3.14159265358979323846;
static const double PAD_REACH = 30; /* degrees at the rim of the pad */
static const float PANEL_WIDTH = 340;

float rill_panel_width(const rill_viewer *v) {
    return v->with_panel && !v->in_gallery ? PANEL_WIDTH * v->density : 0;
}

/* -------------------------------------------------------------------------------------------------------- settings */

static void send(rill_viewer *v, const rill_order *order) {
    rill_viewer_order(v, order);
    v->settings.waiting = v->last_order;
}

void rill_panel_send_liquid(rill_viewer *v) {
    rill_order order = { .kind = RILL_ORDER_LIQUID, .liquid = v->status.liquid };
    rill_liquid_preset(rill_liquid_preset_name(v->settings.preset), &order.liquid);
    order.liquid.viscosity = v->settings.viscosity * 1e-6;
    order.liquid.contact_angle = v->settings.angle;
    send(v, &order);
}

/* Down, leaning by the two angles. */
void rill_panel_send_gravity(rill_viewer *v) {
    double x = tan(v->settings.tilt[0]), y = tan(v->settings.tilt[1]);
    double unit = v->settings.strength / sqrt(x * x + y * y + 1);
    rill_order order = { .kind = RILL_ORDER_GRAVITY, .numbers = { unit * x, unit * y, -unit } };
    send(v, &order);
}

static void send_solver(rill_viewer *v) {
    rill_order order = { .kind = RILL_ORDER_SOLVER, .solver = v->status.solver };
    order.solver.pipe_area = (rill_pipe_area)v->settings.scheme;
    order.solver.passages = (rill_passages)v->settings.passages;
    send(v, &order);
}

void rill_panel_follow(rill_viewer *v) {
    const rill_player_status *status = &v->status;
    rill_settings *s = &v->settings;
    if (!status->open || status->orders < s->waiting) {
        return;
    }
    const double *g = status->gravity;
    s->viscosity = status->liquid.viscosity * 1e6;
    s->angle = status->liquid.contact_angle;
    s->strength = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (s->strength > 0) { /* without gravity the tilt stays what it was */
        s->tilt[0] = atan2(g[0], -g[2]);
        s->tilt[1] = atan2(g[1], -g[2]);
    }
    s->scheme = (int)status->solver.pipe_area;
    s->passages = (int)status->solver.passages;
}

/* -------------------------------------------------------------------------------------------------------- sections */

static void show_time(rill_viewer *v) {
    const rill_player_status *status = &v->status;
    char text[128];
    bool slow = rill_pace_text(v, text, sizeof text), real = status->speed == 1;
    rill_gui_text(slow ? RILL_GUI_WARN : status->playing && real ? RILL_GUI_GOOD : RILL_GUI_DIM, text);
    if (status->playing || v->drag != RILL_DRAG_NONE) {
        snprintf(text, sizeof text, "%.0f fps", v->frame_seconds > 0 ? 1 / v->frame_seconds : 0);
        rill_gui_same_line(rill_panel_width(v) - 5.5f * rill_gui_em());
        rill_gui_text(RILL_GUI_DIM, text);
    }
}

static void show_transport(rill_viewer *v) {
    if (rill_gui_button(v->status.playing ? "Pause" : "Play")) {
        rill_viewer_do(v, RILL_ORDER_PLAY, !v->status.playing);
    }
    rill_gui_same_line(0);
    if (rill_gui_button("Step")) {
        rill_viewer_do(v, RILL_ORDER_STEP, false);
    }
    rill_gui_same_line(0);
    if (rill_gui_button("Restart")) {
        rill_viewer_do(v, RILL_ORDER_RESTART, false);
    }
    rill_gui_same_line(0);
    if (rill_gui_button("Gallery")) {
        rill_viewer_go_to_gallery(v);
    }
    rill_gui_same_line(0);
    if (rill_gui_button("Help")) {
        v->with_help = !v->with_help;
    }
}

static void show_files(rill_viewer *v) {
    if (rill_gui_button("Picture")) {
        rill_keep_screenshot(v, false);
    }
    rill_gui_same_line(0);
    if (rill_gui_button(v->recording ? "Stop movie" : "Movie")) {
        rill_keep_record(v);
    }
    rill_gui_same_line(0);
    if (rill_gui_button("Save")) {
        rill_keep_snapshot(v, false);
    }
    rill_gui_hint("A snapshot of the world, as it is now");
    rill_gui_same_line(0);
    if (rill_gui_button("Load")) {
        rill_keep_snapshot(v, true);
    }
}

static void show_speed(rill_viewer *v) {
    int speed = v->settings.speed;
    if (rill_gui_combo("Speed", &speed, rill_speed_names, RILL_SPEED_COUNT)) {
        rill_viewer_set_speed(v, speed);
    }
}

static void show_hand(rill_viewer *v) {
    if (!rill_gui_section("Pour and suck", true)) {
        return;
    }
    rill_gui_slider("Rate", &v->settings.rate, 0.05, 500, true, "%.3g ml/s");
    rill_gui_hint("Left button pours, shift + left sucks");
    rill_gui_slider("Radius", &v->settings.radius, 0, 30, false, "%.1f mm");
}

static void show_liquid(rill_viewer *v) {
    rill_settings *s = &v->settings;
    if (!rill_gui_section("Liquid", true)) {
        return;
    }
    const char *names[32];
    int count = 0;
    for (; count < 32 && count < rill_liquid_preset_count(); count++) {
        names[count] = rill_liquid_preset_name(count);
    }
    if (rill_gui_combo("Preset", &s->preset, names, count)) {
        rill_liquid liquid;
        rill_liquid_preset(names[s->preset], &liquid);
        rill_optics_preset(names[s->preset], &v->look.optics);
        s->viscosity = liquid.viscosity * 1e6;
        s->angle = liquid.contact_angle;
        rill_panel_send_liquid(v);
        rill_viewer_touch(v);
    }
    bool changed = rill_gui_slider("Viscosity", &s->viscosity, 0.05, 20000, true, "%.3g mm2/s");
    changed |= rill_gui_slider("Contact angle", &s->angle, 0, 180, false, "%.0f deg");
    if (changed) {
        rill_panel_send_liquid(v);
    }
}

/* The pad is seen as the picture is: to the right, and away. */
static void show_tilt(rill_viewer *v) {
    double c = cos(v->orbit.turn), s = sin(v->orbit.turn), *tilt = v->settings.tilt, reach = PAD_REACH * PI / 180;
    double knob[2] = { (-s * tilt[0] + c * tilt[1]) / reach, (-c * tilt[0] - s * tilt[1]) / reach };
    char text[64];
    if (rill_gui_pad("Tilt", 5.2f * rill_gui_em(), knob)) {
        tilt[0] = (-s * knob[0] - c * knob[1]) * reach;
        tilt[1] = (c * knob[0] - s * knob[1]) * reach;
        rill_panel_send_gravity(v);
    }
    rill_gui_hint("Drag to tilt the tray; arrow keys do too");
    rill_gui_same_line(0);
    double angle = atan(hypot(tan(tilt[0]), tan(tilt[1]))) * 180 / PI;
    snprintf(text, sizeof text, "tilted by\n%.1f deg", angle);
    rill_gui_text(RILL_GUI_DIM, text);
}

static void show_world(rill_viewer *v) {
    static const char *const schemes[] = { "physical", "paper" };
    static const char *const passages[] = { "any", "straight", "off" };
    rill_settings *s = &v->settings;
    if (!rill_gui_section("World", true)) {
        return;
    }
    if (rill_gui_slider("Gravity", &s->strength, 0, 25, false, "%.2f m/s2")) {
        rill_panel_send_gravity(v);
    }
    bool changed = rill_gui_combo("Scheme", &s->scheme, schemes, 2);
    changed |= rill_gui_combo("Passages", &s->passages, passages, 3);
    if (changed) {
        send_solver(v);
    }
    show_tilt(v);
}

static void show_overlays(rill_viewer *v) {
    const char *names[RILL_OVERLAY_COUNT];
    for (int i = 0; i < RILL_OVERLAY_COUNT; i++) {
        names[i] = rill_overlay_name(i);
    }
    if (rill_gui_combo("Overlay", &v->settings.overlay, names, RILL_OVERLAY_COUNT)) {
        v->look.overlay = (rill_overlay)v->settings.overlay;
        rill_viewer_touch(v);
    }
}

void rill_panel_show(rill_viewer *v) {
    float width = rill_panel_width(v);
    if (!(width > 0)) {
        return;
    }
    rill_gui_panel_begin("panel", (float)v->size[0] - width, 0, width, (float)v->size[1]);
    rill_gui_title(v->name);
    show_time(v);
    show_transport(v);
    show_files(v);
    show_speed(v);
    show_overlays(v);
    rill_gui_gap();
    show_hand(v);
    show_liquid(v);
    show_world(v);
    rill_plots_show(v);
    rill_gui_panel_end();
}
