/* Text as a picture, in any font that is installed (text_mask.c; text_mask_missing.c where FreeType is not). */
#ifndef RILL_SCENE_TEXT_MASK_H
#define RILL_SCENE_TEXT_MASK_H

#include "rill/rill.h"

/* The ink of a line of text: its rows from south to north, of bytes from 0 (none) to 255. */
typedef struct rill_text_mask {
    int32_t width, height; /* pixels; no row or column at its rim is empty */
    uint8_t *ink;          /* free() it */
} rill_text_mask;

/* Draws a line of UTF-8 in letters of about `size` pixels. `font` is a font file; NULL for the first one that is found where
 * fonts are kept. On failure the message says what was found and expected. */
rill_result rill_text_draw(const char *text, const char *font, int32_t size, rill_text_mask *out,
                           rill_message *message);

#endif
