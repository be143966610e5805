/* All keys on one card, and short notes at the foot of the picture. docs/viewer.md has the same table. */
#include <stdarg.h>

#include "viewer_internal.h"

static const double NOTE_TIME = 4;  /* s */
static const float CARD_WIDTH = 42; /* of the help, in lines of text */

static const struct {
    const char *keys, *what;
} help[] = {
    { "left drag", "pour where the pointer is" },
    { "shift + left drag", "suck" },
    { "ctrl + left drag", "push a solid, throw a body" },
    { "ctrl + shift + left drag", "drag liquid along" },
    { "ctrl + alt + left drag", "paint a shape that draws liquid" },
    { "B, shift + B", "drop a ball, a box" },
    { "right drag, alt + left drag", "turn around" },
    { "middle drag, shift + right drag", "move sideways" },
    { "wheel", "nearer, farther" },
    { "F", "see everything" },
    { "arrow keys, Home", "tilt the tray, level it" },
    { "space", "play, pause" },
    { ". (full stop)", "one frame" },
    { "-  +", "slower, faster" },
    { "R, shift + R", "restart, with the scene's own settings" },
    { "O, 0 to 8", "next overlay, this overlay" },
    { "P, shift + P", "picture, with the panel" },
    { "V", "start or stop a movie" },
    { "F5, F9", "save and load a snapshot" },
    { "Tab", "hide or show the panel" },
    { "G, Esc", "gallery" },
    { "H, F1", "this help" },
    { "ctrl + Q", "quit" },
    { "drop a file", "a mesh becomes the bed, a scene is opened" },
};

void rill_help_show(rill_viewer *viewer) {
    if (!viewer->with_help) return;
    float wide = viewer->in_gallery ? (float)viewer->size[0] : (float)viewer->picture[0];
    bool fits = wide > CARD_WIDTH * rill_gui_em(); /* else from the left, over the panel */
    rill_gui_card_begin("help", fits ? wide / 2 : 0, (float)viewer->size[1] / 2, fits ? 0.5f : 0, 0.5f);
    for (size_t i = 0; i < sizeof help / sizeof help[0]; ++i) {
        rill_gui_text(0x8fd0f0, help[i].keys);
        rill_gui_same_line(17 * rill_gui_em());
        rill_gui_text(RILL_GUI_TEXT, help[i].what);
    }
    rill_gui_panel_end();
}

void rill_viewer_say(rill_viewer *viewer, const char *text, ...) {
    va_list list;
    va_start(list, text);
    vsnprintf(viewer->note, sizeof viewer->note, text, list);
    va_end(list);
    viewer->note_until = rill_player_clock() + NOTE_TIME;
}

void rill_notes_show(rill_viewer *viewer) {
    float x = viewer->in_gallery ? (float)viewer->size[0] / 2 : (float)viewer->picture[0] / 2;
    if (viewer->status.note_count != viewer->notes_seen) {
        viewer->notes_seen = viewer->status.note_count;
        rill_viewer_say(viewer, "%s", viewer->status.note.text);
    }
    if (viewer->recording) {
        rill_gui_note_begin("movie", 12 * viewer->density, 12 * viewer->density, 0, 0);
        rill_gui_text(0xf07070, "recording");
        rill_gui_panel_end();
    }
    char text[128];
    if (!viewer->with_panel && !viewer->in_gallery && viewer->status.open &&
        rill_pace_text(viewer, text, sizeof text)) {
        rill_gui_note_begin("pace", (float)viewer->size[0] - 12 * viewer->density, 12 * viewer->density, 1, 0);
        rill_gui_text(RILL_GUI_WARN, text);
        rill_gui_panel_end();
    }
    bool opening = viewer->status.opening && !viewer->in_gallery;
    if (opening || rill_player_clock() < viewer->note_until) {
        rill_gui_note_begin("note", x, (float)viewer->size[1] - 16 * viewer->density, 0.5f, 1);
        rill_gui_text(RILL_GUI_TEXT, opening ? "Opening ..." : viewer->note);
        rill_gui_panel_end();
    }
}
