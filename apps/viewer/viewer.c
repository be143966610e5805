/* The window and its loop. See viewer_internal.h for who does what. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <epoxy/gl.h> /* before GLFW, which else brings a GL of its own */

#include <GLFW/glfw3.h>

#include "scene/files.h"
#include "viewer_internal.h"

static const double FRAME = 1.0 / 60; /* s */
static const double IDLE_AFTER = 1;   /* s without input and without anything that moves */
static const double IDLE_FRAME = 0.1; /* s */
static const double speeds[] = { 0.125, 0.25, 0.5, 1, 2 };

/* ---------------------------------------------------------------------------------------------------------- orders */

void rill_viewer_order(rill_viewer *v, const rill_order *order) {
    v->last_order = rill_player_give(v->player, order);
}

void rill_viewer_do(rill_viewer *v, rill_order_kind kind, bool flag) {
    rill_order order = { .kind = kind, .flag = flag };
    rill_viewer_order(v, &order);
}

void rill_viewer_set_speed(rill_viewer *v, int index) {
    index = index < 0 ? 0 : index >= RILL_SPEED_COUNT ? RILL_SPEED_COUNT - 1 : index;
    rill_order order = { .kind = RILL_ORDER_SPEED, .numbers = { speeds[index] } };
    v->settings.speed = index;
    rill_viewer_order(v, &order);
    rill_viewer_say(v, "Speed: %s", rill_speed_names[index]);
}

void rill_viewer_open(rill_viewer *v, const char *path) {
    bool scene = rill_file_ends(path, ".yaml") || rill_file_ends(path, ".yml") || rill_file_ends(path, ".json");
    rill_order order = { .kind = scene ? RILL_ORDER_OPEN : RILL_ORDER_OPEN_MESH,
                         .flag = v->options->scene && strcmp(path, v->options->scene) == 0 };
    snprintf(order.text, sizeof order.text, "%s", path);
    v->in_gallery = v->gallery.working = false;
    v->another = true;
    rill_viewer_order(v, &order);
    v->opening = v->last_order;
}

void rill_viewer_go_to_gallery(rill_viewer *v) {
    if (v->recording) {
        rill_keep_record(v);
    }
    rill_viewer_do(v, RILL_ORDER_PLAY, false);
    v->in_gallery = true;
    v->gallery.working = false;
}

/* ------------------------------------------------------------------------------------------------------- callbacks */

static rill_viewer *of(GLFWwindow *window) {
    return glfwGetWindowUserPointer(window);
}

static void on_key(GLFWwindow *window, int key, int scancode, int action, int mods) {
    (void)scancode;
    rill_input_key(of(window), key, action != GLFW_RELEASE, action == GLFW_REPEAT, mods);
}

static void on_text(GLFWwindow *window, unsigned codepoint) {
    (void)window;
    rill_gui_on_text(codepoint);
}

static void on_button(GLFWwindow *window, int button, int action, int mods) {
    rill_input_button(of(window), button, action == GLFW_PRESS, mods);
}

/* The pointer is given in units of the window, which on some systems are larger than pixels. */
static void on_move(GLFWwindow *window, double x, double y) {
    rill_viewer *v = of(window);
    int width, height;
    glfwGetWindowSize(window, &width, &height);
    rill_input_move(v, x * v->size[0] / fmax(width, 1), y * v->size[1] / fmax(height, 1));
}

static void on_wheel(GLFWwindow *window, double x, double y) {
    (void)x;
    rill_input_wheel(of(window), y);
}

static void on_drop(GLFWwindow *window, int count, const char **paths) {
    if (count > 0) {
        rill_input_drop(of(window), paths[0]);
    }
}

/* ---------------------------------------------------------------------------------------------------------- window */

static bool refuse(rill_viewer *v, const char *what) {
    const char *why = NULL;
    glfwGetError(&why);
    snprintf(v->message->text, sizeof v->message->text, "%s%s%.160s", what, why ? ": " : "", why ? why : "");
    v->result = RILL_VIEWER_NO_WINDOW;
    return false;
}

static bool open_window(rill_viewer *v) {
    glfwInitHint(GLFW_JOYSTICK_HAT_BUTTONS, GLFW_FALSE);
    if (!glfwInit()) {
        return refuse(v, "no display was found, so there can be no window (rill render draws without one)");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    v->window = glfwCreateWindow(v->options->size[0], v->options->size[1], "Rill", NULL, NULL);
    if (!v->window) {
        return refuse(v, "no window with OpenGL 3.3 could be opened");
    }
    float across = 1, down = 1;
    glfwGetWindowContentScale(v->window, &across, &down);
    v->density = v->options->density > 0 ? (float)v->options->density : across > 0 ? across : 1;
    glfwMakeContextCurrent(v->window);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(v->window, v);
    glfwSetWindowSizeLimits(v->window, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetKeyCallback(v->window, on_key);
    glfwSetCharCallback(v->window, on_text);
    glfwSetMouseButtonCallback(v->window, on_button);
    glfwSetCursorPosCallback(v->window, on_move);
    glfwSetScrollCallback(v->window, on_wheel);
    glfwSetDropCallback(v->window, on_drop);
    return true;
}

/* Without an area (minimised) the sizes stay what they were. */
static void measure_window(rill_viewer *v) {
    int width, height;
    glfwGetFramebufferSize(v->window, &width, &height);
    if (width > 0 && height > 0) {
        v->size[0] = width;
        v->size[1] = height;
    }
    int32_t left = v->size[0] - (int32_t)rill_panel_width(v);
    v->picture[0] = left > 64 ? left : 64;
    v->picture[1] = v->size[1];
}

static bool start(rill_viewer *v) {
    if (!open_window(v)) {
        return false;
    }
    if (!rill_gui_start(v->density)) {
        return refuse(v, "the panel could not be made");
    }
    measure_window(v);
    v->render = rill_render_create(v->picture[0], v->picture[1], v->message);
    if (!v->render) {
        v->result = RILL_VIEWER_NO_WINDOW;
        return false;
    }
    const rill_player_options options = { v->options->runtime, v->options->scene_options };
    v->player = rill_player_create(&options);
    if (!v->player || !rill_gallery_list(&v->gallery, v->options->scenes)) {
        return refuse(v, "out of memory");
    }
    rill_gallery_load(&v->gallery);
    return true;
}

static void stop(rill_viewer *v) {
    rill_message message;
    rill_movie_close(v->movie, &message);
    rill_script_close(v);
    rill_player_destroy(v->player);
    if (v->window) {
        rill_gallery_free(&v->gallery);
        rill_render_destroy(v->render);
    }
    if (v->render) {
        rill_gui_stop();
    }
    free(v->materials);
    free(v->pixels);
    glfwTerminate();
}

/* ------------------------------------------------------------------------------------------------------------ loop */

static void draw_window(rill_viewer *v) {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, v->size[0], v->size[1]);
    glClearColor(0.11f, 0.125f, 0.14f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (!v->in_gallery && v->opened) {
        rill_render_show(v->render, v->picture[0], v->picture[1]);
    }
    rill_gui_begin(v->size[0], v->size[1], v->passed);
    if (v->in_gallery) {
        rill_gallery_show(v);
    } else if (v->opened) {
        rill_panel_show(v);
    }
    rill_help_show(v);
    rill_notes_show(v);
    rill_gui_end();
}

/* The scene that was named has to open; without one there is nothing to show. */
static void check_opened(rill_viewer *v) {
    if (!v->in_gallery && !v->status.open && !v->status.opening && v->status.orders >= v->last_order) {
        if (v->options->scene && !v->opened) {
            v->result = RILL_VIEWER_BAD_INPUT;
            v->done = true;
        }
        v->in_gallery = true;
    }
}

/* Sleeps for what is left of the frame, longer when nothing happens; input wakes it up. */
static void wait_for_frame(const rill_viewer *v, double began) {
    double now = rill_player_clock();
    bool idle = !v->status.playing && !v->script && !v->gallery.working && !v->recording && v->drag == RILL_DRAG_NONE &&
                v->status.orders >= v->last_order && now - v->changed > IDLE_AFTER && now > v->note_until;
    double left = began + (idle ? IDLE_FRAME : FRAME) - now;
    if (left > 0.0005) {
        glfwWaitEventsTimeout(left);
    } else {
        glfwPollEvents();
    }
}

static void loop(rill_viewer *v) {
    double before = rill_player_clock();
    while (!v->done && !glfwWindowShouldClose(v->window)) {
        double began = rill_player_clock();
        v->passed = began - before;
        v->frame_seconds += 0.1 * (v->passed - v->frame_seconds);
        rill_pace_add(v, v->passed);
        measure_window(v);
        rill_player_read(v->player, &v->status);
        rill_panel_follow(v);
        rill_script_frame(v);
        rill_input_frame(v);
        check_opened(v);
        rill_script_report_frame(v);
        if (v->in_gallery) {
            rill_gallery_work(v);
        } else if (!v->report[0]) { /* else who wants to report is the first to get the world */
            rill_viewer_update_picture(v);
            rill_plots_add(v);
            rill_keep_picture(v);
        }
        draw_window(v);
        rill_keep_window(v);
        glfwSwapBuffers(v->window);
        before = began;
        wait_for_frame(v, began);
    }
}

rill_viewer_result rill_viewer_run(const rill_viewer_options *options, rill_message *message) {
    rill_viewer *v = calloc(1, sizeof *v);
    message->text[0] = 0;
    if (!v) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return RILL_VIEWER_NO_WINDOW;
    }
    v->options = options;
    v->message = message;
    v->look = rill_default_render_options();
    v->with_panel = true;
    v->settings = (rill_settings){ .rate = 10, .radius = 3, .strength = 9.81, .speed = RILL_SPEED_REAL };
    v->in_gallery = !options->scene;
    if (rill_script_open(v) && start(v)) {
        if (options->scene) {
            rill_viewer_open(v, options->scene);
        }
        loop(v);
    }
    stop(v);
    rill_viewer_result result = v->result;
    free(v);
    return result;
}
