/* An OpenGL context without a window and without a display server: EGL's surfaceless platform, which Mesa draws in
 * software where there is no graphics card. */
#ifndef RILL_RENDER_HEADLESS_H
#define RILL_RENDER_HEADLESS_H

#include <stdbool.h>

#include "rill/rill.h"

typedef struct rill_headless rill_headless;

/* Makes a context and makes it current: OpenGL 3.3 core, or OpenGL ES 3.0. NULL: the message says what is missing. */
rill_headless *rill_headless_create(bool es, rill_message *message);
/* Destroys it; NULL is allowed. */
void rill_headless_destroy(rill_headless *headless);

#endif
