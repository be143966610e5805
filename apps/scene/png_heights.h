/* Heights from greyscale PNGs of 8 or 16 bits. */
#ifndef RILL_SCENE_PNG_HEIGHTS_H
#define RILL_SCENE_PNG_HEIGHTS_H

#include "rill/rill.h"

/* Values from 0 (black) to 1 (white), exactly value / 255 or value / 65535, row 0 SOUTH: the picture's last row comes
 * first. Free with free(). The message does not name the file. */
rill_result rill_png_parse(const void *bytes, size_t size, double **out, int32_t out_size[2], rill_message *message);
rill_result rill_png_load(const char *path, double **out, int32_t out_size[2], rill_message *message);

#endif
