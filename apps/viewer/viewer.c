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

void rill_viewer_order(rill_viewer *viewer, const rill_order *order) {
    viewer->last_order = rill_player_give(viewer->player, order);
}

void rill_viewer_do(rill_viewer *viewer, rill_order_kind kind, bool flag) {
    rill_order order = { .kind = kind, .flag = flag };
    rill_viewer_order(viewer, &order);
}

void rill_viewer_set_speed(rill_viewer *viewer, int index) {
    index = index < 0 ? 0 : index >= RILL_SPEED_COUNT ? RILL_SPEED_COUNT - 1 : index;
    rill_order order = { .kind = RILL_ORDER_SPEED, .numbers = { speeds[index] } };
    viewer->settings.speed = index;
    rill_viewer_order(viewer, &order);
    rill_viewer_say(viewer, "Speed: %s", rill_speed_names[index]);
}

void rill_viewer_open(rill_viewer *viewer, const char *path) {
    bool scene = rill_file_ends(path, ".yaml") || rill_file_ends(path, ".yml") || rill_file_ends(path, ".json");
    rill_order order = { .kind = scene ? RILL_ORDER_OPEN : RILL_ORDER_OPEN_MESH,
                         .flag = viewer->options->scene && strcmp(path, viewer->options->scene) == 0 };
    snprintf(order.text, sizeof order.text, "%s", path);
    viewer->in_gallery = viewer->gallery.working = false;
    viewer->another = true;
    rill_viewer_order(viewer, &order);
    viewer->opening = viewer->last_order;
}

void rill_viewer_go_to_gallery(rill_viewer *viewer) {
    if (viewer->recording) rill_keep_record(viewer);
    rill_viewer_do(viewer, RILL_ORDER_PLAY, false);
    viewer->in_gallery = true;
    viewer->gallery.working = false;
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
    rill_viewer *viewer = of(window);
    int width, height;
    glfwGetWindowSize(window, &width, &height);
    rill_input_move(viewer, x * viewer->size[0] / fmax(width, 1), y * viewer->size[1] / fmax(height, 1));
}

static void on_wheel(GLFWwindow *window, double x, double y) {
    (void)x;
    rill_input_wheel(of(window), y);
}

static void on_drop(GLFWwindow *window, int count, const char **paths) {
    if (count > 0) rill_input_drop(of(window), paths[0]);
}

/* ---------------------------------------------------------------------------------------------------------- window */

static bool refuse(rill_viewer *viewer, const char *what) {
    const char *why = NULL;
    glfwGetError(&why);
    snprintf(viewer->message->text, sizeof viewer->message->text, "%s%s%.160s", what, why ? ": " : "", why ? why : "");
    viewer->result = RILL_VIEWER_NO_WINDOW;
    return false;
}

static bool open_window(rill_viewer *viewer) {
    glfwInitHint(GLFW_JOYSTICK_HAT_BUTTONS, GLFW_FALSE);
    if (!glfwInit())
        return refuse(viewer, "no display was found, so there can be no window (rill render draws without one)");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    viewer->window = glfwCreateWindow(viewer->options->size[0], viewer->options->size[1], "Rill", NULL, NULL);
    if (!viewer->window) return refuse(viewer, "no window with OpenGL 3.3 could be opened");
    float across = 1, down = 1;
    glfwGetWindowContentScale(viewer->window, &across, &down);
    viewer->density = viewer->options->density > 0 ? (float)viewer->options->density : across > 0 ? across : 1;
    glfwMakeContextCurrent(viewer->window);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(viewer->window, viewer);
    glfwSetWindowSizeLimits(viewer->window, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetKeyCallback(viewer->window, on_key);
    glfwSetCharCallback(viewer->window, on_text);
    glfwSetMouseButtonCallback(viewer->window, on_button);
    glfwSetCursorPosCallback(viewer->window, on_move);
    glfwSetScrollCallback(viewer->window, on_wheel);
    glfwSetDropCallback(viewer->window, on_drop);
    return true;
}

/* Without an area (minimised) the sizes stay what they were. */
static void measure_window(rill_viewer *viewer) {
    int width, height;
    glfwGetFramebufferSize(viewer->window, &width, &height);
    if (width > 0 && height > 0) {
        viewer->size[0] = width;
        viewer->size[1] = height;
    }
    int32_t left = viewer->size[0] - (int32_t)rill_panel_width(viewer);
    viewer->picture[0] = left > 64 ? left : 64;
    viewer->picture[1] = viewer->size[1];
}

static bool start(rill_viewer *viewer) {
    if (!open_window(viewer)) return false;
    if (!rill_gui_start(viewer->density)) return refuse(viewer, "the panel could not be made");
    measure_window(viewer);
    viewer->render = rill_render_create(viewer->picture[0], viewer->picture[1], viewer->message);
    if (!viewer->render) {
        viewer->result = RILL_VIEWER_NO_WINDOW;
        return false;
    }
    const rill_player_options options = { viewer->options->runtime, viewer->options->scene_options };
    viewer->player = rill_player_create(&options);
    if (!viewer->player || !rill_gallery_list(&viewer->gallery, viewer->options->scenes))
        return refuse(viewer, "out of memory");
    rill_gallery_load(&viewer->gallery);
    return true;
}

static void stop(rill_viewer *viewer) {
    rill_message message;
    rill_movie_close(viewer->movie, &message);
    rill_script_close(viewer);
    rill_player_destroy(viewer->player);
    if (viewer->window) {
        rill_gallery_free(&viewer->gallery);
        rill_render_destroy(viewer->render);
    }
    if (viewer->render) rill_gui_stop();
    free(viewer->materials);
    free(viewer->pixels);
    glfwTerminate();
}

/* ------------------------------------------------------------------------------------------------------------ loop */

static void draw_window(rill_viewer *viewer) {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, viewer->size[0], viewer->size[1]);
    glClearColor(0.11f, 0.125f, 0.14f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (!viewer->in_gallery && viewer->opened) rill_render_show(viewer->render, viewer->picture[0], viewer->picture[1]);
    rill_gui_begin(viewer->size[0], viewer->size[1], viewer->passed);
    if (viewer->in_gallery)
        rill_gallery_show(viewer);
    else if (viewer->opened)
        rill_panel_show(viewer);
    rill_help_show(viewer);
    rill_notes_show(viewer);
    rill_gui_end();
}

/* The scene that was named has to open; without one there is nothing to show. */
static void check_opened(rill_viewer *viewer) {
    if (!viewer->in_gallery && !viewer->status.open && !viewer->status.opening &&
        viewer->status.orders >= viewer->last_order) {
        if (viewer->options->scene && !viewer->opened) {
            viewer->result = RILL_VIEWER_BAD_INPUT;
            viewer->done = true;
        }
        viewer->in_gallery = true;
    }
}

/* Sleeps for what is left of the frame, longer when nothing happens; input wakes it up. */
static void wait_for_frame(const rill_viewer *viewer, double began) {
    double now = rill_player_clock();
    bool idle = !viewer->status.playing && !viewer->script && !viewer->gallery.working && !viewer->recording &&
                viewer->drag == RILL_DRAG_NONE && viewer->status.orders >= viewer->last_order &&
                now - viewer->changed > IDLE_AFTER && now > viewer->note_until;
    double left = began + (idle ? IDLE_FRAME : FRAME) - now;
    if (left > 0.0005)
        glfwWaitEventsTimeout(left);
    else
        glfwPollEvents();
}

static void loop(rill_viewer *viewer) {
    double before = rill_player_clock();
    while (!viewer->done && !glfwWindowShouldClose(viewer->window)) {
        double began = rill_player_clock();
        viewer->passed = began - before;
        viewer->frame_seconds += 0.1 * (viewer->passed - viewer->frame_seconds);
        rill_pace_add(viewer, viewer->passed);
        measure_window(viewer);
        rill_player_read(viewer->player, &viewer->status);
        rill_panel_follow(viewer);
        rill_script_frame(viewer);
        rill_input_frame(viewer);
        check_opened(viewer);
        rill_script_report_frame(viewer);
        if (viewer->in_gallery) {
            rill_gallery_work(viewer);
        } else if (!viewer->report[0]) { /* else who wants to report is the first to get the world */
            rill_viewer_update_picture(viewer);
            rill_plots_add(viewer);
            rill_keep_picture(viewer);
        }
        draw_window(viewer);
        rill_keep_window(viewer);
        glfwSwapBuffers(viewer->window);
        before = began;
        wait_for_frame(viewer, began);
    }
}

rill_viewer_result rill_viewer_run(const rill_viewer_options *options, rill_message *message) {
    rill_viewer *viewer = calloc(1, sizeof *viewer);
    message->text[0] = 0;
    if (!viewer) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return RILL_VIEWER_NO_WINDOW;
    }
    viewer->options = options;
    viewer->message = message;
    viewer->look = rill_default_render_options();
    viewer->with_panel = true;
    viewer->settings = (rill_settings){ .rate = 10, .radius = 3, .strength = 9.81, .speed = RILL_SPEED_REAL };
    viewer->in_gallery = !options->scene;
    if (rill_script_open(viewer) && start(viewer)) {
        if (options->scene) rill_viewer_open(viewer, options->scene);
        loop(viewer);
    }
    stop(viewer);
    rill_viewer_result result = viewer->result;
    free(viewer);
    return result;
}
