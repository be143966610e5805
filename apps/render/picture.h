/* Pictures and movies on disk. */
#ifndef RILL_RENDER_PICTURE_H
#define RILL_RENDER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "rill/rill.h"

/* Tells whether a file can be made or replaced, to be asked before the work that fills it. False: the message says why
 * not. */
bool rill_picture_may_write(const char *path, rill_message *message);

/* Writes a PNG from red, green, blue, alpha; the alpha is left out. False: the message says why. */
bool rill_picture_write(const char *path, const uint8_t *pixels, int32_t width, int32_t height, rill_message *message);

typedef struct rill_movie rill_movie;

/* Starts a movie through the program ffmpeg; without one, numbered PNGs are written beside it and
 * `rill_movie_pngs` says so. NULL: the message says why. */
rill_movie *rill_movie_open(const char *path, int32_t width, int32_t height, double fps, rill_message *message);
bool rill_movie_add(rill_movie *movie, const uint8_t *pixels, rill_message *message);
/* Ends it; false when what was written is not whole. NULL is allowed. */
bool rill_movie_close(rill_movie *movie, rill_message *message);

/* Returns "name_%05d.png" when there is no ffmpeg, else NULL. */
const char *rill_movie_pngs(const rill_movie *movie);

#endif
