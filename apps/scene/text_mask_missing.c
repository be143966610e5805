/* Builds without FreeType draw no text. */
#include "text_mask.h"

#include <stdio.h>

rill_result rill_text_draw(const char *text, const char *font, int32_t size, rill_text_mask *out,
                           rill_message *message) {
    (void)text, (void)font, (void)size, (void)out;
    snprintf(message->text, sizeof message->text,
             "found text in a build without FreeType, expected 'polygon' or 'image'; on Debian: apt-get install "
             "libfreetype-dev, and build again");
    return RILL_INVALID_DATA;
}
