/* The panel on the right: everything that can be set, and how the world is. */
#include <math.h>
#include <string.h>

#include "viewer_internal.h"

static const double PI = 3.14159265358979323846;
static const double PAD_REACH = 30; /* degrees at the rim of the pad */
static const float PANEL_WIDTH = 340;

float rill_panel_width(const rill_viewer *viewer) {
    return viewer->with_panel && !viewer->in_gallery ? PANEL_WIDTH * viewer->density : 0;
}

/* -------------------------------------------------------------------------------------------------------- settings */

static void send(rill_viewer *viewer, const rill_order *order) {
    rill_viewer_order(viewer, order);
    viewer->settings.waiting = viewer->last_order;
}

void rill_panel_send_liquid(rill_viewer *viewer) {
    rill_order order = { .kind = RILL_ORDER_LIQUID, .liquid = viewer->status.liquid };
    rill_liquid_preset(rill_liquid_preset_name(viewer->settings.preset), &order.liquid);
    order.liquid.viscosity = viewer->settings.viscosity * 1e-6;
    order.liquid.contact_angle = viewer->settings.angles;
    order.liquid.drying = viewer->status.liquid.drying;
    send(viewer, &order);
}

/* Down, leaning by the two angles. */
void rill_panel_send_gravity(rill_viewer *viewer) {
    double x = tan(viewer->settings.tilt[0]), y = tan(viewer->settings.tilt[1]);
    double unit = viewer->settings.strength / sqrt(x * x + y * y + 1);
    rill_order order = { .kind = RILL_ORDER_GRAVITY, .numbers = { unit * x, unit * y, -unit } };
    send(viewer, &order);
}

static void send_solver(rill_viewer *viewer) {
    rill_order order = { .kind = RILL_ORDER_SOLVER, .solver = viewer->status.solver };
    order.solver.pipe_area = (rill_pipe_area)viewer->settings.scheme;
    order.solver.passages = (rill_passages)viewer->settings.passages;
    send(viewer, &order);
}

/* The slider stays where it was put: near 0 and 180 the mean of both angles is not quite that. */
static void follow_angles(rill_settings *s, const rill_contact_angle *angles) {
    if (angles->advancing == s->angles.advancing && angles->receding == s->angles.receding) return;
    s->angles = *angles;
    s->angle = 0.5 * (angles->advancing + angles->receding);
}

void rill_panel_follow(rill_viewer *viewer) {
    const rill_player_status *status = &viewer->status;
    rill_settings *s = &viewer->settings;
    if (!status->open || status->orders < s->waiting) return;
    const double *g = status->gravity;
    s->viscosity = status->liquid.viscosity * 1e6;
    follow_angles(s, &status->liquid.contact_angle);
    s->strength = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (s->strength > 0) { /* without gravity the tilt stays what it was */
        s->tilt[0] = atan2(g[0], -g[2]);
        s->tilt[1] = atan2(g[1], -g[2]);
    }
    s->scheme = (int)status->solver.pipe_area;
    s->passages = (int)status->solver.passages;
}

/* -------------------------------------------------------------------------------------------------------- sections */

static void show_time(rill_viewer *viewer) {
    const rill_player_status *status = &viewer->status;
    char text[128];
    bool slow = rill_pace_text(viewer, text, sizeof text), real = status->speed == 1;
    rill_gui_text(slow ? RILL_GUI_WARN : status->playing && real ? RILL_GUI_GOOD : RILL_GUI_DIM, text);
    if (status->playing || viewer->drag != RILL_DRAG_NONE) {
        snprintf(text, sizeof text, "%.0f fps", viewer->frame_seconds > 0 ? 1 / viewer->frame_seconds : 0);
        rill_gui_same_line(rill_panel_width(viewer) - 5.5f * rill_gui_em());
        rill_gui_text(RILL_GUI_DIM, text);
    }
}

static void show_transport(rill_viewer *viewer) {
    if (rill_gui_button(viewer->status.playing ? "Pause" : "Play"))
        rill_viewer_do(viewer, RILL_ORDER_PLAY, !viewer->status.playing);
    rill_gui_same_line(0);
    if (rill_gui_button("Step")) rill_viewer_do(viewer, RILL_ORDER_STEP, false);
    rill_gui_same_line(0);
    if (rill_gui_button("Restart")) rill_viewer_do(viewer, RILL_ORDER_RESTART, false);
    rill_gui_same_line(0);
    if (rill_gui_button("Gallery")) rill_viewer_go_to_gallery(viewer);
    rill_gui_same_line(0);
    if (rill_gui_button("Help")) viewer->with_help = !viewer->with_help;
}

static void show_files(rill_viewer *viewer) {
    if (rill_gui_button("Picture")) rill_keep_screenshot(viewer, false);
    rill_gui_same_line(0);
    if (rill_gui_button(viewer->recording ? "Stop movie" : "Movie")) rill_keep_record(viewer);
    rill_gui_same_line(0);
    if (rill_gui_button("Save")) rill_keep_snapshot(viewer, false);
    rill_gui_hint("A snapshot of the world, as it is now");
    rill_gui_same_line(0);
    if (rill_gui_button("Load")) rill_keep_snapshot(viewer, true);
}

static void show_speed(rill_viewer *viewer) {
    int speed = viewer->settings.speed;
    if (rill_gui_combo("Speed", &speed, rill_speed_names, RILL_SPEED_COUNT)) rill_viewer_set_speed(viewer, speed);
}

static void show_hand(rill_viewer *viewer) {
    if (!rill_gui_section("Pour and suck", true)) return;
    rill_gui_slider("Rate", &viewer->settings.rate, 0.05, 500, true, "%.3g ml/s");
    rill_gui_hint("Left button pours, shift + left sucks, ctrl + shift + left drags along, ctrl + alt + left paints");
    rill_gui_slider("Radius", &viewer->settings.radius, 0, 30, false, "%.1f mm");
}

/* Shows how strongly each control draws liquid: those of the scene, and the one that was painted by hand. */
static void show_controls(rill_viewer *viewer) {
    if (!viewer->status.control_count || !rill_gui_section("Control", true)) return;
    for (int32_t i = 0; i < viewer->status.control_count; ++i) {
        rill_player_control *control = &viewer->status.controls[i];
        rill_order order = { .kind = RILL_ORDER_CONTROL };
        if (rill_gui_slider(control->name, &control->strength, 0, 50, false,
                            control->acts ? "%.1f m/s2" : "%.1f m/s2, not now")) {
            order.numbers[0] = i;
            order.numbers[1] = control->strength;
            rill_viewer_order(viewer, &order);
        }
        rill_gui_hint("How strongly liquid is drawn into the shape");
    }
}

static void show_liquid(rill_viewer *viewer) {
    rill_settings *s = &viewer->settings;
    if (!rill_gui_section("Liquid", true)) return;
    const char *names[32];
    int count = 0;
    for (; count < 32 && count < rill_liquid_preset_count(); ++count) names[count] = rill_liquid_preset_name(count);
    if (rill_gui_combo("Preset", &s->preset, names, count)) {
        rill_liquid liquid;
        rill_liquid_preset(names[s->preset], &liquid);
        rill_optics_preset(names[s->preset], &viewer->look.optics);
        s->viscosity = liquid.viscosity * 1e6;
        follow_angles(s, &liquid.contact_angle);
        rill_panel_send_liquid(viewer);
        rill_viewer_touch(viewer);
    }
    bool changed = rill_gui_slider("Viscosity", &s->viscosity, 0.05, 20000, true, "%.3g mm2/s");
    if (rill_gui_slider("Contact angle", &s->angle, 0, 180, false, "%.0f deg")) {
        s->angles = rill_contact_angle_about(s->angle);
        changed = true;
    }
    if (changed) rill_panel_send_liquid(viewer);
}

/* The pad is seen as the picture is: to the right, and away. */
static void show_tilt(rill_viewer *viewer) {
    double c = cos(viewer->orbit.turn), s = sin(viewer->orbit.turn), *tilt = viewer->settings.tilt,
           reach = PAD_REACH * PI / 180;
    double knob[2] = { (-s * tilt[0] + c * tilt[1]) / reach, (-c * tilt[0] - s * tilt[1]) / reach };
    char text[64];
    if (rill_gui_pad("Tilt", 5.2f * rill_gui_em(), knob)) {
        tilt[0] = (-s * knob[0] - c * knob[1]) * reach;
        tilt[1] = (c * knob[0] - s * knob[1]) * reach;
        rill_panel_send_gravity(viewer);
    }
    rill_gui_hint("Drag to tilt the tray; arrow keys do too");
    rill_gui_same_line(0);
    double angle = atan(hypot(tan(tilt[0]), tan(tilt[1]))) * 180 / PI;
    snprintf(text, sizeof text, "tilted by\n%.1f deg", angle);
    rill_gui_text(RILL_GUI_DIM, text);
}

static void show_world(rill_viewer *viewer) {
    static const char *const schemes[] = { "physical", "paper" };
    static const char *const passages[] = { "any", "straight", "off" };
    rill_settings *s = &viewer->settings;
    if (!rill_gui_section("World", true)) return;
    if (rill_gui_slider("Gravity", &s->strength, 0, 25, false, "%.2f m/s2")) rill_panel_send_gravity(viewer);
    bool changed = rill_gui_combo("Scheme", &s->scheme, schemes, 2);
    changed |= rill_gui_combo("Passages", &s->passages, passages, 3);
    if (changed) send_solver(viewer);
    show_tilt(viewer);
}

static void show_overlays(rill_viewer *viewer) {
    const char *names[RILL_OVERLAY_COUNT];
    for (int i = 0; i < RILL_OVERLAY_COUNT; ++i) names[i] = rill_overlay_name(i);
    if (rill_gui_combo("Overlay", &viewer->settings.overlay, names, RILL_OVERLAY_COUNT)) {
        viewer->look.overlay = (rill_overlay)viewer->settings.overlay;
        rill_viewer_touch(viewer);
    }
}

void rill_panel_show(rill_viewer *viewer) {
    float width = rill_panel_width(viewer);
    if (!(width > 0)) return;
    rill_gui_panel_begin("panel", (float)viewer->size[0] - width, 0, width, (float)viewer->size[1]);
    rill_gui_title(viewer->name);
    show_time(viewer);
    show_transport(viewer);
    show_files(viewer);
    show_speed(viewer);
    show_overlays(viewer);
    rill_gui_gap();
    show_hand(viewer);
    show_controls(viewer);
    show_liquid(viewer);
    show_world(viewer);
    rill_plots_show(viewer);
    rill_gui_panel_end();
}
