/* Shared by the files of the viewer.
 *
 *     viewer.c           the window and its loop
 *     viewer_picture.c   from the player's world to the picture, as sharp as there is time for
 *     viewer_input.c     keys, mouse, dropped files
 *     viewer_panel.c     the panel: settings;  viewer_plots.c: its plots;  viewer_help.c: keys, notes
 *     viewer_gallery.c   the gallery;  thumbnails.c: its pictures
 *     viewer_keep.c      screenshots, movies, snapshots
 *     viewer_pace.c      how evenly frames come, and whether the world keeps up
 *     viewer_script.c    input from a file, and reports, for tests
 */
#ifndef RILL_VIEWER_VIEWER_INTERNAL_H
#define RILL_VIEWER_VIEWER_INTERNAL_H

#include "gui.h"
#include "orbit.h"
#include "player.h"
#include "render/picture.h"
#include "render/render.h"
#include "thumbnails.h"
#include "viewer.h"

struct GLFWwindow;

typedef enum rill_drag {
    RILL_DRAG_NONE = 0,
    RILL_DRAG_ORBIT,
    RILL_DRAG_PAN,
    RILL_DRAG_HAND, /* pour, suck or drag liquid */
    RILL_DRAG_PUSH
} rill_drag;

enum { RILL_PLOT_COUNT = 240, RILL_PLOT_STAGES = RILL_STAGE_COUNT + 1, RILL_PLOT_ACCOUNTS = 6 };
/* Rings of values over time. */
typedef struct rill_plots {
    float stages[RILL_PLOT_STAGES][RILL_PLOT_COUNT]; /* ms; the last is the surface */
    float volume[RILL_PLOT_COUNT], error[RILL_PLOT_COUNT];
    float accounts[RILL_PLOT_ACCOUNTS][RILL_PLOT_COUNT]; /* ml, poured less drained */
    char names[RILL_PLOT_ACCOUNTS][40];
    int32_t account_count;
    int next, count;
    uint64_t steps; /* when the last value was taken */
} rill_plots;

/* How long frames took since the last report: the newest of them, in a ring. */
enum { RILL_PACE_COUNT = 4096 };
typedef struct rill_pace {
    float seconds[RILL_PACE_COUNT];
    size_t count; /* of all */
    double sum, longest;
    uint64_t steps; /* of the world at its beginning */
} rill_pace;

/* Settings of the user; the player is told, and its answer is shown. */
typedef struct rill_settings {
    double rate, radius;       /* of the hand: ml/s, mm */
    int preset;                /* of the liquid */
    double viscosity, angle;   /* mm2/s, degrees */
    rill_contact_angle angles; /* about that one */
    double strength, tilt[2];  /* gravity: m/s2, and radians to the east and north */
    int scheme, passages;      /* as in rill_solver */
    int overlay, speed;        /* index of the speed */
    uint64_t waiting;          /* order after which the player's values are shown again */
} rill_settings;

typedef struct rill_viewer {
    const rill_viewer_options *options;
    rill_message *message;
    rill_viewer_result result;
    bool done;
    struct GLFWwindow *window;
    int32_t size[2];    /* of the framebuffer */
    int32_t picture[2]; /* of the part that shows the world: left of the panel */
    float density;

    rill_player *player;
    rill_player_status status;
    uint64_t last_order, opening; /* the last of all, and the last that opens something */
    uint64_t opened, version;     /* of what was taken */
    bool another;                 /* what is opened next is another scene, and gets its own camera */
    char name[128];               /* of the scene */
    int scene_preset;             /* its liquid */

    rill_render *render;
    int32_t render_size[2];
    rill_render_options look;
    rill_render_material *materials;
    double watched;               /* time of the world when wetness was last looked at */
    int level;                    /* of sharpness */
    double cost;                  /* s, smoothed: of a picture of one sample at full size */
    bool drawn;                   /* the picture is what it should be */
    double changed;               /* clock: when it last changed */
    double passed, frame_seconds; /* since the frame before, and smoothed */
    rill_pace pace;

    rill_orbit orbit;
    double low[3], high[3]; /* around what there is to see */
    rill_drag drag;
    rill_hand hand;
    int drag_button;
    double mouse[2]; /* in the framebuffer, from the upper left */

    bool in_gallery, with_panel, with_help;
    rill_gallery gallery;
    rill_settings settings;
    rill_plots plots;
    char note[256];
    double note_until;
    uint64_t notes_seen;

    bool shoot;             /* a picture is wanted, as sharp as can be */
    char window_shot[1024]; /* file for a picture of the whole window; "": none */
    bool recording;
    rill_movie *movie; /* NULL until the first frame */
    int32_t movie_size[2];
    double movie_clock, movie_time; /* s shown so far; time of the world at the last frame */
    double movie_writing;           /* s that the last frame took to be kept: not a part of the movie */
    int64_t movie_frames;
    uint8_t *pixels;
    int kept; /* number of files so far */

    struct rill_script *script;
    char report[64]; /* tag of a report that is wanted; "": none */
} rill_viewer;

/* ---------------------------------------------------------------------------------------------------------- orders */

void rill_viewer_say(rill_viewer *v, const char *text, ...) __attribute__((format(printf, 2, 3)));
void rill_viewer_order(rill_viewer *viewer, const rill_order *order);
void rill_viewer_do(rill_viewer *viewer, rill_order_kind kind, bool flag); /* one without more to say */
void rill_viewer_open(rill_viewer *viewer, const char *path);              /* a scene or a mesh */
void rill_viewer_go_to_gallery(rill_viewer *viewer);
void rill_viewer_set_speed(rill_viewer *viewer, int index);
extern const char *const rill_speed_names[];
enum { RILL_SPEED_COUNT = 5, RILL_SPEED_REAL = 3 };

/* --------------------------------------------------------------------------------------------------------- picture */

/* Takes over what is new in the world if it can be had now, and draws if anything changed. */
void rill_viewer_update_picture(rill_viewer *viewer);
void rill_viewer_fit(rill_viewer *viewer);
/* Asks for another picture of the same state: overlays, optics, camera. */
void rill_viewer_touch(rill_viewer *viewer);
/* Draws a world once into a picture of that size, 4 bytes per pixel; for thumbnails. */
bool rill_viewer_draw_once(rill_viewer *viewer, const rill_player_view *view, int32_t width, int32_t height,
                           uint8_t *pixels);

/* ----------------------------------------------------------------------------------------------------------- input */

void rill_input_key(rill_viewer *viewer, int key, bool down, bool repeat, int mods);
void rill_input_button(rill_viewer *viewer, int button, bool down, int mods);
void rill_input_move(rill_viewer *viewer, double x, double y); /* in the framebuffer */
void rill_input_wheel(rill_viewer *viewer, double amount);
void rill_input_drop(rill_viewer *viewer, const char *path);
/* Lets go in the gallery, once per frame, of what was held in a scene. */
void rill_input_frame(rill_viewer *viewer);
/* Tilts gravity, towards the right of the screen and away from it, in degrees. */
void rill_input_tilt(rill_viewer *viewer, double right, double away);

/* ------------------------------------------------------------------------------------------------------------- gui */

float rill_panel_width(const rill_viewer *viewer);
void rill_panel_show(rill_viewer *viewer);
void rill_panel_send_liquid(rill_viewer *viewer);
void rill_panel_send_gravity(rill_viewer *viewer);
/* Takes the settings as the player has them, unless newer ones are on their way. */
void rill_panel_follow(rill_viewer *viewer);
void rill_plots_add(rill_viewer *viewer);
void rill_plots_show(rill_viewer *viewer);
void rill_help_show(rill_viewer *viewer);
void rill_notes_show(rill_viewer *viewer);
void rill_gallery_show(rill_viewer *viewer);
/* Makes one more thumbnail, if there is one missing. */
void rill_gallery_work(rill_viewer *viewer);

/* ------------------------------------------------------------------------------------------------------------ keep */

void rill_keep_screenshot(rill_viewer *viewer, bool whole); /* wishes for the picture, or the whole window */
void rill_keep_record(rill_viewer *viewer);                 /* starts or stops */
void rill_keep_picture(rill_viewer *viewer);                /* after it was drawn: screenshots and frames of movies */
void rill_keep_window(rill_viewer *viewer);                 /* after the window was drawn, before it is shown */
void rill_keep_snapshot(rill_viewer *viewer, bool load);

/* ------------------------------------------------------------------------------------------------------------ pace */

void rill_pace_add(rill_viewer *viewer, double seconds);
/* Writes the speeds of the frames since the last time, as members of a JSON object; forgets them. */
void rill_pace_write(rill_viewer *viewer, FILE *file);
/* Writes "1.20 s, real time": the time of the world, and how fast it goes. True: slower than it should. */
bool rill_pace_text(const rill_viewer *viewer, char *text, size_t room);

/* ---------------------------------------------------------------------------------------------------------- script */

bool rill_script_open(rill_viewer *viewer); /* false: the message says why */
void rill_script_close(rill_viewer *viewer);
void rill_script_frame(rill_viewer *viewer);
/* Reports a line of state as soon as the world can be had, which no frame waits for. */
void rill_script_report(rill_viewer *viewer, const char *tag);
void rill_script_report_frame(rill_viewer *viewer);

#endif
