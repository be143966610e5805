/* Programs from the texts of apps/render/shaders, for whichever GL is current. */
#ifndef RILL_RENDER_SHADER_H
#define RILL_RENDER_SHADER_H

#include <stdbool.h>

#include "gl.h"
#include "rill/rill.h"

/* A program of one text, with lines of #define in front. With `screen` it is for passes over the whole picture. 0:
 * the message says why. Its uniform block Frame is bound to point 0. Variants are programs of their own rather than
 * branches: software GL takes both ways of a branch. */
GLuint rill_shader_build(const char *name, const char *defines, bool screen, rill_message *message);

/* Uniforms of the program in use, by name; names that a program does not have are ignored. */
void rill_shader_set_matrix(GLuint program, const char *name, const float *matrix);
void rill_shader_set_floats(GLuint program, const char *name, const float *values, int count); /* 1 to 4 */
void rill_shader_set_pair(GLuint program, const char *name, int x, int y);
/* Binds a texture to a unit for a sampler. */
void rill_shader_set_texture(GLuint program, const char *name, int unit, GLenum target, GLuint texture);

#endif
