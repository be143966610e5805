/* EGL_MESA_platform_surfaceless, see the header. Everything is drawn into framebuffer objects, so that no surface is
 * needed. */
#include "headless.h"

#include <epoxy/egl.h>
#include <stdio.h>
#include <stdlib.h>

#include "gl.h"

struct rill_headless {
    EGLDisplay display;
    EGLContext context;
};

static const char *const HINT = "On Debian: apt-get install libegl1 libgl1-mesa-dri";

static rill_headless *fail(rill_headless *headless, rill_message *message, const char *what) {
    snprintf(message->text, sizeof message->text, "no graphics: %s (EGL error 0x%04x). %s", what,
             (unsigned)eglGetError(), HINT);
    rill_headless_destroy(headless);
    return NULL;
}

static EGLContext make_context(EGLDisplay display, bool es) {
    static const EGLint core[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE
    };
    static const EGLint es3[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE };
    static const EGLint any_core[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE };
    static const EGLint any_es[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE };
    EGLConfig config;
    EGLint count = 0;
    if (!eglBindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
        !eglChooseConfig(display, es ? any_es : any_core, &config, 1, &count) || count < 1)
        return EGL_NO_CONTEXT;
    return eglCreateContext(display, config, EGL_NO_CONTEXT, es ? es3 : core);
}

rill_headless *rill_headless_create(bool es, rill_message *message) {
    rill_headless *headless = calloc(1, sizeof *headless);
    if (!headless) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return NULL;
    }
    headless->display = EGL_NO_DISPLAY;
    headless->context = EGL_NO_CONTEXT;
    if (!epoxy_has_egl()) {
        snprintf(message->text, sizeof message->text, "no graphics: found no EGL library. %s", HINT);
        rill_headless_destroy(headless);
        return NULL;
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return fail(headless, message, "found an EGL without EGL_MESA_platform_surfaceless");
    headless->display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (headless->display == EGL_NO_DISPLAY || !eglInitialize(headless->display, NULL, NULL))
        return fail(headless, message, "the EGL display could not be opened");
    headless->context = make_context(headless->display, es);
    if (headless->context == EGL_NO_CONTEXT) {
        return fail(headless, message,
                    es ? "found no OpenGL ES 3.0, expected one" : "found no OpenGL 3.3 core, expected one");
    }
    if (!eglMakeCurrent(headless->display, EGL_NO_SURFACE, EGL_NO_SURFACE, headless->context))
        return fail(headless, message, "the context could not be made current");
    return headless;
}

void rill_headless_destroy(rill_headless *headless) {
    if (!headless) return;
    if (headless->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(headless->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (headless->context != EGL_NO_CONTEXT) eglDestroyContext(headless->display, headless->context);
        eglTerminate(headless->display);
    }
    free(headless);
}
