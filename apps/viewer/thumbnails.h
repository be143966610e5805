/* Pictures of the gallery's scenes, kept in the user's cache folder: $XDG_CACHE_HOME/rill/thumbnails, else
 * ~/.cache/rill/thumbnails. A scene file that has changed has another name there. */
#ifndef RILL_VIEWER_THUMBNAILS_H
#define RILL_VIEWER_THUMBNAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RILL_THUMBNAIL_WIDTH = 352, RILL_THUMBNAIL_HEIGHT = 220 };

typedef struct rill_gallery_entry {
    char *path;       /* of the scene */
    char name[64];    /* "dam break" */
    char cache[1024]; /* file of its picture; "": there is no cache */
    unsigned texture; /* 0: none yet */
    bool failed;
} rill_gallery_entry;

typedef struct rill_gallery {
    rill_gallery_entry *entries; /* by name */
    size_t count;
    size_t at;        /* the one that is being drawn */
    bool working;     /* the player has it open */
    uint64_t opening; /* the order that opens it */
} rill_gallery;

/* Lists the scenes of a folder; false: no memory. An unreadable folder has none. */
bool rill_gallery_list(rill_gallery *gallery, const char *folder);
void rill_gallery_free(rill_gallery *gallery);
/* Makes textures of the pictures that are in the cache. A GL context must be current. */
void rill_gallery_load(rill_gallery *gallery);
/* Makes the texture, and puts the picture (4 bytes per pixel) into the cache. */
void rill_gallery_put(rill_gallery_entry *entry, const uint8_t *pixels);

#endif
