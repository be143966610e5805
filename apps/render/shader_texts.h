/* The shaders of apps/render/shaders, as text inside the program. */
#ifndef RILL_RENDER_SHADER_TEXTS_H
#define RILL_RENDER_SHADER_TEXTS_H

typedef struct rill_shader_text {
    const char *name; /* the file's, without ending */
    const char *text;
} rill_shader_text;

extern const rill_shader_text rill_shader_texts[]; /* ends with NULL */

#endif
