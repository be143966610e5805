/* Input from a file in place of a person's, and lines that say how everything is: how the viewer is tested.
 *
 * One command per line; the next is done when the player has carried out all orders and the picture shows it. Places
 * are parts of the picture (0 to 1, from the upper left) or, after a label, of the item of the panel that has it.
 *
 *     key NAME [shift|ctrl|alt]        "space", ".", "F5", "r"; several as ctrl+shift
 *     move X Y                         the pointer
 *     press left|right|middle [MOD]    and  release left|right|middle
 *     wheel N
 *     point X Y LABEL                  moves the pointer to a place of an item
 *     drop FILE
 *     wait SECONDS
 *     report TAG                       a line of state
 *     shot FILE                        the window as a PNG
 *     quit
 */
#include <GLFW/glfw3.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scene/files.h"
#include "viewer_internal.h"

static const double GIVE_UP = 30;     /* s: for one command */
static const double PATIENCE = 0.002; /* s, for the world; it waits for us then, and the next frame gets it */

typedef struct rill_script {
    char *text, *next;
    int line;
    double not_before, since; /* clock */
    int frames,
        needed; /* since the last command, and before the next: the GUI has to notice a pointer before a click */
} rill_script;

/* --------------------------------------------------------------------------------------------------------- reports */

static void write_text(FILE *file, const char *key, const char *text) {
    fprintf(file, "\"%s\": \"", key);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
    fprintf(file, "\", ");
}

static void write_vector(FILE *file, const char *key, const double v[3]) {
    fprintf(file, "\"%s\": [%.9g, %.9g, %.9g], ", key, v[0], v[1], v[2]);
}

static void write_world(FILE *file, const rill_player_view *view) {
    rill_ledger ledger;
    rill_liquid liquid;
    rill_solver solver;
    double gravity[3];
    rill_world_get_ledger(view->world, &ledger);
    rill_world_get_liquid(view->world, &liquid);
    rill_world_get_solver(view->world, &solver);
    rill_world_get_gravity(view->world, gravity);
    fprintf(file, "\"time\": %.9g, \"volume_ml\": %.9g, \"ledger_error\": %" PRId64 ", \"hash\": \"%016" PRIx64 "\", ",
            rill_world_time(view->world), (double)ledger.columns * ledger.quantum_volume * 1e6, ledger.error,
            rill_world_hash(view->world));
    fprintf(file, "\"viscosity\": %.9g, \"contact_angle\": %.9g, \"density\": %.9g, \"scheme\": %d, \"passages\": %d, ",
            liquid.viscosity, 0.5 * (liquid.contact_angle.advancing + liquid.contact_angle.receding), liquid.density,
            (int)solver.pipe_area, (int)solver.passages);
    write_vector(file, "gravity", gravity);
    fprintf(file, "\"solids\": {");
    for (int32_t i = 0; i < rill_world_solid_count(view->world); ++i) {
        double place[3] = { 0 }, turn[3];
        rill_solid_id id = rill_world_solid_at(view->world, i);
        rill_solid_get_pose(view->world, id, place, turn);
        fprintf(file, "%s\"%s\": [%.9g, %.9g, %.9g]", i ? ", " : "", rill_solid_name(view->world, id), place[0],
                place[1], place[2]);
    }
    fprintf(file, "}, \"controls\": {");
    for (int32_t i = 0; i < rill_world_control_count(view->world); ++i) {
        rill_control_def def = { .strength = 0 };
        rill_control_get_def(view->world, rill_world_control_at(view->world, i), &def);
        fprintf(file, "%s\"%s\": %.9g", i ? ", " : "", def.name ? def.name : "", def.strength);
    }
    fprintf(file, "}, \"bodies\": {");
    for (int32_t i = 0; i < rill_world_body_count(view->world); ++i) {
        rill_body_id id = rill_world_body_at(view->world, i);
        rill_body_state state = { .position = { 0 } };
        rill_body_get_state(view->world, id, &state);
        const double *p = state.position, *u = state.velocity;
        fprintf(file, "%s\"%s\": [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g]", i ? ", " : "", rill_body_name(view->world, id),
                p[0], p[1], p[2], u[0], u[1], u[2]);
    }
    fprintf(file, "}, ");
}

static void write_state(rill_viewer *viewer, FILE *file, const char *tag, const rill_player_view *view) {
    rill_camera camera = rill_orbit_camera(&viewer->orbit);
    size_t pictures = 0;
    char text[128];
    fprintf(file, "{");
    write_text(file, "tag", tag);
    write_text(file, "screen", viewer->in_gallery ? "gallery" : "scene");
    write_text(file, "scene", viewer->name);
    write_text(file, "note", viewer->note);
    if (view->world) write_world(file, view);
    for (size_t i = 0; i < viewer->gallery.count; ++i) pictures += viewer->gallery.entries[i].texture != 0;
    write_vector(file, "from", camera.from);
    write_vector(file, "to", camera.to);
    rill_pace_write(viewer, file);
    bool behind = rill_pace_text(viewer, text, sizeof text);
    write_text(file, "pace", text);
    fprintf(file, "\"behind\": %s, \"picture_size\": [%d, %d], \"drawn_size\": [%d, %d], \"samples\": %d, ",
            behind ? "true" : "false", viewer->picture[0], viewer->picture[1], viewer->render_size[0],
            viewer->render_size[1], viewer->look.samples);
    write_text(file, "overlay", rill_overlay_name(viewer->settings.overlay));
    write_text(file, "preset", rill_liquid_preset_name(viewer->settings.preset));
    fprintf(file,
            "\"playing\": %s, \"speed\": %.9g, \"rate\": %.4g, \"recording\": %s, \"help\": %s, \"panel\": %s, "
            "\"pour_rate\": %.9g, \"pour_radius\": %.9g, \"thumbnails\": %zu, \"scenes\": %zu, \"frame_ms\": %.3g}\n",
            viewer->status.playing ? "true" : "false", viewer->status.speed, viewer->status.rate,
            viewer->recording ? "true" : "false", viewer->with_help ? "true" : "false",
            viewer->with_panel ? "true" : "false", viewer->settings.rate, viewer->settings.radius, pictures,
            viewer->gallery.count, 1e3 * viewer->frame_seconds);
}

void rill_script_report(rill_viewer *viewer, const char *tag) {
    snprintf(viewer->report, sizeof viewer->report, "%s", tag);
}

void rill_script_report_frame(rill_viewer *viewer) {
    rill_player_view view;
    if (!viewer->report[0] || !rill_player_claim(viewer->player, PATIENCE, &view)) return;
    FILE *file = viewer->options->report ? fopen(viewer->options->report, "a") : stdout;
    if (file) {
        rill_player_read(viewer->player, &viewer->status);
        write_state(viewer, file, viewer->report, &view);
    } else {
        rill_viewer_say(viewer, "%s cannot be written", viewer->options->report);
    }
    rill_player_release(viewer->player);
    viewer->report[0] = 0;
    if (!file) return;
    if (file == stdout)
        fflush(file);
    else
        fclose(file);
}

/* -------------------------------------------------------------------------------------------------------- commands */

static int mods_of(const char *text) {
    return (strstr(text, "shift") ? GLFW_MOD_SHIFT : 0) | (strstr(text, "ctrl") ? GLFW_MOD_CONTROL : 0) |
           (strstr(text, "alt") ? GLFW_MOD_ALT : 0);
}

static int button_of(const char *text) {
    return strcmp(text, "right") == 0    ? GLFW_MOUSE_BUTTON_RIGHT
           : strcmp(text, "middle") == 0 ? GLFW_MOUSE_BUTTON_MIDDLE
                                         : GLFW_MOUSE_BUTTON_LEFT;
}

/* -1: none of that name. Letters and signs are their own codes, in capitals. */
static int key_of(const char *text) {
    static const struct {
        const char *name;
        int key;
    } keys[] = {
        { "space", GLFW_KEY_SPACE }, { "left", GLFW_KEY_LEFT },  { "right", GLFW_KEY_RIGHT },
        { "up", GLFW_KEY_UP },       { "down", GLFW_KEY_DOWN },  { "home", GLFW_KEY_HOME },
        { "tab", GLFW_KEY_TAB },     { "plus", GLFW_KEY_EQUAL }, { "escape", GLFW_KEY_ESCAPE },
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (strcmp(keys[i].name, text) == 0) return keys[i].key;
    if (text[0] == 'F' && text[1]) return GLFW_KEY_F1 + atoi(text + 1) - 1;
    return text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0] ? text[0] : -1;
}

static bool point_at(rill_viewer *viewer, const char *rest) {
    double x = 0, y = 0;
    int used = 0;
    float r[4];
    if (sscanf(rest, "%lf %lf %n", &x, &y, &used) != 2 || !rill_gui_find(rest + used, r)) return false;
    rill_input_move(viewer, (double)r[0] + x * (double)(r[2] - r[0]), (double)r[1] + y * (double)(r[3] - r[1]));
    return true;
}

static bool obey(rill_viewer *viewer, rill_script *script, const char *line) {
    char word[16] = "", first[32] = "", second[32] = "";
    int used = 0;
    sscanf(line, "%15s %n", word, &used);
    const char *rest = line + used;
    double x = 0, y = 0;
    sscanf(rest, "%31s %31s", first, second);
    if (strcmp(word, "key") == 0) {
        rill_input_key(viewer, key_of(first), true, false, mods_of(second));
        rill_input_key(viewer, key_of(first), false, false, mods_of(second));
    } else if (strcmp(word, "move") == 0 && sscanf(rest, "%lf %lf", &x, &y) == 2) {
        rill_input_move(viewer, x * viewer->picture[0], y * viewer->picture[1]);
    } else if (strcmp(word, "press") == 0 || strcmp(word, "release") == 0) {
        rill_input_button(viewer, button_of(first), word[0] == 'p', mods_of(second));
    } else if (strcmp(word, "wheel") == 0) {
        rill_input_wheel(viewer, atof(first));
    } else if (strcmp(word, "drop") == 0) {
        rill_input_drop(viewer, rest);
    } else if (strcmp(word, "wait") == 0) {
        script->not_before = rill_player_clock() + atof(first);
    } else if (strcmp(word, "report") == 0) {
        rill_script_report(viewer, first);
    } else if (strcmp(word, "shot") == 0) {
        snprintf(viewer->window_shot, sizeof viewer->window_shot, "%s", rest);
        rill_viewer_touch(viewer);
    } else if (strcmp(word, "quit") == 0) {
        viewer->done = true;
    } else {
        return strcmp(word, "point") == 0 && point_at(viewer, rest);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- frames */

static void fail(rill_viewer *viewer, const char *what) {
    snprintf(viewer->message->text, sizeof viewer->message->text, "%.120s:%d: %s", viewer->options->script,
             viewer->script->line, what);
    viewer->result = RILL_VIEWER_BAD_INPUT;
    viewer->done = true;
}

/* Tells whether everything so far has been done and is shown. */
static bool settled(const rill_viewer *viewer) {
    return viewer->status.orders >= viewer->last_order && !viewer->shoot && !viewer->window_shot[0] &&
           !viewer->report[0] && !viewer->status.opening && viewer->script->frames >= viewer->script->needed &&
           (viewer->in_gallery ? !viewer->gallery.working : (viewer->opened == viewer->status.opened && viewer->drawn));
}

void rill_script_frame(rill_viewer *viewer) {
    rill_script *script = viewer->script;
    double now = rill_player_clock();
    if (!script) return;
    ++script->frames;
    if (now < script->not_before) {
        script->since = now;
        return;
    }
    if (!settled(viewer)) {
        if (script->since > 0 && now - script->since > GIVE_UP) fail(viewer, "what came before was not done in time");
        script->since = script->since > 0 ? script->since : now;
        return;
    }
    if (!*script->next) {
        viewer->done = true;
        return;
    }
    char *line = script->next, *end = strchr(line, '\n');
    script->next = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    ++script->line;
    script->frames = 0;
    script->needed = strncmp(line, "key", 3) == 0 ? 1 : 2;
    script->since = now;
    if (*line && *line != '#' && !obey(viewer, script, line))
        fail(viewer, "found a command that cannot be done, or an item that is not shown");
}

bool rill_script_open(rill_viewer *viewer) {
    rill_message message = { "" };
    size_t size;
    if (!viewer->options->script) return true;
    rill_script *script = calloc(1, sizeof *script);
    viewer->script = script;
    if (!script || rill_file_read(viewer->options->script, 1 << 20, &script->text, &size, &message) != RILL_OK) {
        snprintf(viewer->message->text, sizeof viewer->message->text, "%.120s: %.100s", viewer->options->script,
                 message.text);
        viewer->result = RILL_VIEWER_BAD_INPUT;
        return false;
    }
    script->next = script->text;
    script->needed = 2;
    return true;
}

void rill_script_close(rill_viewer *viewer) {
    if (viewer->script) {
        free(viewer->script->text);
        free(viewer->script);
    }
    viewer->script = NULL;
}
