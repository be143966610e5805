/* Dear ImGui for C: what the viewer needs of it and no more. Positions and sizes are in pixels of the framebuffer, from
 * the upper left; colours are 0xRRGGBB. Input comes in through the rill_gui_on_... calls, so that tests can give it as
 * well as people. */
#ifndef RILL_VIEWER_GUI_H
#define RILL_VIEWER_GUI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RILL_GUI_TEXT = 0xe6e9ec, RILL_GUI_DIM = 0x98a2ab, RILL_GUI_WARN = 0xf2b04c, RILL_GUI_GOOD = 0x7fc8a9 };

/* Starts the GUI for the GL context that is current; `scale` is the screen's density, 1 for 96 dots per inch. */
bool rill_gui_start(float scale);
void rill_gui_stop(void);
void rill_gui_begin(int width, int height, double dt);
void rill_gui_end(void); /* draws over what is there */

void rill_gui_on_mouse(float x, float y);
void rill_gui_on_button(int button, bool down); /* 0 left, 1 right, 2 middle */
void rill_gui_on_wheel(float amount);
void rill_gui_on_key(int key, bool down); /* of GLFW */
void rill_gui_on_text(unsigned codepoint);
/* Tell whether the pointer is over (or holds), or the keys go to, something of the GUI as it was last shown. */
bool rill_gui_has_mouse(void);
bool rill_gui_has_keys(void);
/* Finds where the item of that label was in the frame that has ended: left, top, right, bottom. False: nowhere. */
bool rill_gui_find(const char *label, float rectangle[4]);

/* Windows without a frame of their own; every begin has its end. */
void rill_gui_panel_begin(const char *name, float x, float y, float width, float height);
void rill_gui_card_begin(const char *name, float x, float y, float centre_x, float centre_y); /* as large as its text */
/* Draws a picture through which the pointer goes. */
void rill_gui_note_begin(const char *name, float x, float y, float centre_x, float centre_y);
void rill_gui_panel_end(void);
bool rill_gui_section(const char *label, bool open); /* a heading that folds */
float rill_gui_em(void);                             /* height of a line of text */
float rill_gui_width(void);                          /* left for the next item */

void rill_gui_text(uint32_t colour, const char *text);
void rill_gui_title(const char *text); /* large */
void rill_gui_same_line(float x);      /* the next item beside the last; 0: next to it, else that far from the left */
void rill_gui_gap(void);
void rill_gui_hint(const char *text); /* shown when the pointer rests on the last item */
bool rill_gui_button(const char *label);
bool rill_gui_combo(const char *label, int *value, const char *const *names, int count);
bool rill_gui_slider(const char *label, double *value, double low, double high, bool logarithmic, const char *format);
/* Shows a square pad with a knob at -1 to 1 in both directions, y upwards; true while it is dragged. */
bool rill_gui_pad(const char *label, float size, double knob[2]);
void rill_gui_progress(double share, const char *text);
/* Shows a picture with its name below; true when it is clicked. Without a texture (0) an empty frame. */
bool rill_gui_picture(const char *label, unsigned texture, float width, float height);

/* Lines over time, oldest first: `count` values each, `start` is the oldest (a ring). Stacked when asked; so many lines
 * of text high. */
typedef struct rill_gui_line {
    const char *name;
    const float *values;
    uint32_t colour;
} rill_gui_line;
void rill_gui_plot(const char *label, const rill_gui_line *lines, int line_count, int count, int start, bool stacked,
                   const char *unit, double least_top, float lines_high);

#ifdef __cplusplus
}
#endif
#endif
