/* The GL that is there: desktop OpenGL 3.3 core or OpenGL ES 3.0 through libepoxy, WebGL2 under emscripten. Only
 * calls that all three have are used. */
#ifndef RILL_RENDER_GL_H
#define RILL_RENDER_GL_H

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif

#endif
