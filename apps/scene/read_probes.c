/* probes, run and view: what is measured, for how long, and from where it is looked at. */
#include <string.h>

#include "read_scene.h"

static const rill_range FRAME = { 0, 3600, true, "s" }; /* the longest step the library takes */
static const rill_range LENS = { 0, 10000, true, "mm" };
static const int64_t FRAMES_LIMIT = 1000000000;
enum { LIST_LIMIT = 4096 };

/* The columns that every log.csv has. */
static const char *const columns[] = { "time",    "substeps",     "volume",    "airborne", "in_transit", "poured",
                                       "drained", "ledger_error", "max_speed", "awake",    NULL };

static const char *read_probe_name(rill_reader *reader, const rill_node *node, rill_names *names) {
    const char *name = rill_names_read(reader, names, node);
    if (name && strpbrk(name, ",\""))
        rill_reader_expected(reader, node, "a name without commas and quotes: it is the head of a column in log.csv");
    return name;
}

/* A probe that goes with a body, which must be in the scene. */
static void read_body_probe(rill_reader *reader, const rill_node *node, const rill_scene *scene,
                            rill_scene_probe *probe) {
    static const char *const keys[] = { "name", "measure", "body", NULL };
    const rill_node *body = rill_reader_need(reader, node, "a probe of a body", "body");
    rill_reader_open(reader, node, "a probe of a body", keys);
    if (probe->measure == RILL_MEASURE_DEPTH) {
        rill_reader_expected(reader, rill_tree_get(node, "measure"),
                             "level, speed, volume, x, y or z, which are what a body has");
    }
    const char *name = NULL;
    if (!rill_read_name(reader, body, &name)) return;
    for (size_t i = 0; i < scene->body_count && !probe->body; ++i) {
        const char *other = scene->bodies[i].def.name;
        probe->body = other && strcmp(other, name) == 0 ? other : NULL;
    }
    if (!probe->body) rill_reader_expected(reader, body, "the name of a body of the scene");
}

static void read_probe(rill_reader *reader, const rill_node *node, const rill_scene *scene, rill_names *names,
                       rill_scene_probe *probe) {
    static const char *const keys[] = { "name", "measure", "at", "min", "max", "body", NULL };
    static const char *const point_keys[] = { "name", "measure", "at", NULL };
    static const char *const box_keys[] = { "name", "measure", "min", "max", NULL };
    static const char *const measures[] = {
        "level", "depth", "speed", "volume", "x", "y", "z", NULL
    }; /* as rill_measure */
    probe->place = node->place;
    if (node->kind != RILL_NODE_MAP) {
        rill_reader_open(reader, node, "a probe", keys);
        return;
    }
    probe->name = read_probe_name(reader, rill_reader_need(reader, node, "a probe", "name"), names);
    int32_t measure;
    if (!rill_read_word(reader, rill_reader_need(reader, node, "a probe", "measure"), measures, &measure)) {
        rill_reader_open(reader, node, "a probe", keys);
        return;
    }
    probe->measure = (rill_measure)measure;
    if (rill_tree_get(node, "body") || probe->measure >= RILL_MEASURE_X) {
        read_body_probe(reader, node, scene, probe);
        return;
    }
    if (probe->measure == RILL_MEASURE_VOLUME) {
        rill_reader_open(reader, node, "a probe of volume", box_keys);
        rill_read_box(reader, node, "a probe of volume", probe->min, probe->max);
        return;
    }
    rill_reader_open(reader, node, "a probe at a point", point_keys);
    rill_read_numbers(reader, rill_reader_need(reader, node, "a probe at a point", "at"), &rill_range_place, probe->at,
                      3);
}

void rill_read_probes(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    rill_names names = { .reserved = columns };
    if (!rill_reader_list(reader, node, "probes", 0, LIST_LIMIT) || !rill_names_make(reader, &names, node->count))
        return;
    scene->probes = rill_store_take(reader->store, node->count, sizeof *scene->probes);
    if (!scene->probes) {
        reader->no_memory = true;
        return;
    }
    for (; scene->probe_count < node->count; ++scene->probe_count) {
        size_t i = scene->probe_count;
        read_probe(reader, node->members[i].value, scene, &names, &scene->probes[i]);
    }
}

void rill_read_run(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "frame", "until", NULL };
    if (!rill_reader_open(reader, node, "the run", keys)) return;
    const rill_node *until = rill_reader_need(reader, node, "the run", "until");
    bool good = rill_read_number(reader, rill_reader_need(reader, node, "the run", "frame"), &FRAME, &scene->frame);
    good &= rill_read_number(reader, until, &rill_range_time, &scene->until);
    if (good && !(scene->until / scene->frame <= (double)FRAMES_LIMIT))
        rill_reader_expected(reader, until, "at most %lld frames", (long long)FRAMES_LIMIT);
}

void rill_read_view(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "camera", NULL }, *const camera_keys[] = { "from", "to", "lens", NULL };
    if (!rill_reader_open(reader, node, "the view", keys)) return;
    const rill_node *view = rill_tree_get(node, "camera");
    if (!rill_reader_open(reader, view, "the camera", camera_keys)) return;
    rill_scene_camera *camera = &scene->camera;
    const rill_node *from = rill_reader_need(reader, view, "the camera", "from");
    const rill_node *to = rill_reader_need(reader, view, "the camera", "to");
    bool good = rill_read_numbers(reader, from, &rill_range_place, camera->from, 3);
    good &= rill_read_numbers(reader, to, &rill_range_place, camera->to, 3);
    if (good && memcmp(camera->from, camera->to, sizeof camera->from) == 0)
        rill_reader_expected(reader, to, "another place than that of 'from'");
    camera->lens = 35;
    rill_read_number(reader, rill_tree_get(view, "lens"), &LENS, &camera->lens);
    camera->given = true;
}
