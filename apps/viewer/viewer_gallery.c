/* The gallery: a picture per scene. Those that are missing are simulated by the player and drawn, one after the other,
 * while the gallery is shown. */
#include <math.h>
#include <stdlib.h>

#include "viewer_internal.h"

static const double SHOWN_TIME = 2.5; /* s: when a scene has something to show */

static size_t count_missing(const rill_gallery *gallery) {
    size_t missing = 0;
    for (size_t i = 0; i < gallery->count; ++i) missing += !gallery->entries[i].texture && !gallery->entries[i].failed;
    return missing;
}

void rill_gallery_show(rill_viewer *viewer) {
    rill_gallery *gallery = &viewer->gallery;
    float em, width;
    char text[128];
    rill_gui_panel_begin("gallery", 0, 0, (float)viewer->size[0], (float)viewer->size[1]);
    em = rill_gui_em();
    rill_gui_title("Rill");
    rill_gui_text(RILL_GUI_DIM,
                  "Thin liquid on surfaces. Choose a scene, or drop a scene or mesh file here. H shows all keys.");
    size_t missing = count_missing(gallery);
    if (gallery->count == 0) {
        snprintf(text, sizeof text, "No scenes were found in %s; --scenes names another folder.",
                 viewer->options->scenes);
        rill_gui_text(RILL_GUI_WARN, text);
    } else if (missing) {
        double share = gallery->working && viewer->status.ahead ? viewer->status.share : 0;
        snprintf(text, sizeof text, "drawing pictures: %zu of %zu", gallery->count - missing + 1, gallery->count);
        rill_gui_progress(((double)(gallery->count - missing) + share) / (double)gallery->count, text);
    }
    rill_gui_gap();
    width = rill_gui_width();
    int columns = (int)fmaxf(1, floorf(width / (16 * em)));
    float wide = width / (float)columns - 8 * viewer->density;
    for (size_t i = 0; i < gallery->count; ++i) {
        rill_gallery_entry *entry = &gallery->entries[i];
        if (i % (size_t)columns) rill_gui_same_line(0);
        if (rill_gui_picture(entry->name, entry->texture, wide, wide * RILL_THUMBNAIL_HEIGHT / RILL_THUMBNAIL_WIDTH))
            rill_viewer_open(viewer, entry->path);
    }
    rill_gui_panel_end();
}

/* --------------------------------------------------------------------------------------------------------- drawing */

static void start_next(rill_viewer *viewer) {
    rill_gallery *gallery = &viewer->gallery;
    for (size_t i = 0; i < gallery->count; ++i) {
        if (!gallery->entries[i].texture && !gallery->entries[i].failed) {
            rill_order order = { .kind = RILL_ORDER_OPEN, .numbers = { SHOWN_TIME } };
            snprintf(order.text, sizeof order.text, "%s", gallery->entries[i].path);
            rill_viewer_order(viewer, &order);
            gallery->at = i;
            gallery->opening = viewer->last_order;
            gallery->working = true;
            viewer->opened = 0;
            return;
        }
    }
}

static void finish(rill_viewer *viewer) {
    rill_gallery *gallery = &viewer->gallery;
    rill_gallery_entry *entry = &gallery->entries[gallery->at];
    rill_player_view view;
    uint8_t *pixels = malloc((size_t)4 * RILL_THUMBNAIL_WIDTH * RILL_THUMBNAIL_HEIGHT);
    if (rill_player_claim(viewer->player, 1, &view)) {
        entry->failed = !pixels || !view.world ||
                        !rill_viewer_draw_once(viewer, &view, RILL_THUMBNAIL_WIDTH, RILL_THUMBNAIL_HEIGHT, pixels);
        rill_player_release(viewer->player);
        if (!entry->failed) rill_gallery_put(entry, pixels);
        gallery->working = false;
    }
    free(pixels);
}

void rill_gallery_work(rill_viewer *viewer) {
    rill_gallery *gallery = &viewer->gallery;
    if (gallery->working && viewer->status.orders >= gallery->opening && !viewer->status.ahead) finish(viewer);
    if (!gallery->working) start_next(viewer);
}
