/* The window: `rill view`. */
#ifndef RILL_VIEWER_VIEWER_H
#define RILL_VIEWER_VIEWER_H

#include "scene/scene.h"

typedef struct rill_viewer_options {
    const char *scene;  /* file; NULL: the gallery */
    const char *scenes; /* folder of the gallery */
    const char *folder; /* where screenshots, movies and snapshots go */
    const char *script; /* file with input in place of a person's, see viewer_script.c; NULL: none */
    const char *report; /* file for lines of state, one per F12; NULL: standard output */
    int32_t size[2];    /* of the window */
    double density;     /* of the screen, 1 for 96 dots per inch; 0: as the system says */
    rill_runtime runtime;
    rill_scene_options scene_options; /* for `scene` */
} rill_viewer_options;

typedef enum rill_viewer_result {
    RILL_VIEWER_DONE = 0,
    RILL_VIEWER_BAD_INPUT, /* the scene, as was told on stderr, or the script */
    RILL_VIEWER_NO_WINDOW  /* no display, no GL, no memory */
} rill_viewer_result;

/* Runs until the window is closed. On anything but RILL_VIEWER_DONE the message says why, unless it is empty. */
rill_viewer_result rill_viewer_run(const rill_viewer_options *options, rill_message *message);

#endif
