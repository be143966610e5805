/* Keyframes of solids: `move` (place, turn, visible), `morph` (vertices of a mesh), `loop` and `ease`; of bodies:
 * `move` (place, turn), `loop` and `ease`. */
#include <string.h>

#include "read_scene.h"

enum { KEYS_LIMIT = 65535 };

/* Strictly after the key before: -1 for the first. */
static bool read_time(rill_reader *reader, const rill_node *key, const char *what, double before, double *time) {
    const rill_node *node = rill_reader_need(reader, key, what, "time");
    if (!rill_read_number(reader, node, &rill_range_time, time)) return false;
    if (!(*time > before)) {
        rill_reader_expected(reader, node, "more than the %g s of the key before", before);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- move */

/* Names of the keys of solids and of those of bodies. */
typedef struct key_words {
    const char *const *keys; /* NULL-terminated */
    const char *place;       /* what gives the place */
    const char *expected;
} key_words;

static const char *const solid_keys[] = { "time", "translate", "rotate", "visible", NULL };
static const key_words solid_words = { solid_keys, "translate",
                                       "a key with at least one of translate, rotate and visible" };
static const char *const body_keys[] = { "time", "position", "rotate", NULL };
static const key_words body_words = { body_keys, "position", "a key with at least one of position and rotate" };

static bool read_key(rill_reader *reader, const rill_node *node, const key_words *words, double before,
                     rill_scene_key *key) {
    static const rill_range turns = { -36000, 36000, false, "degrees" };
    const char *what = "a key of a move";
    if (!rill_reader_open(reader, node, what, words->keys)) return false;
    const rill_node *place = rill_tree_get(node, words->place), *rotate = rill_tree_get(node, "rotate");
    const rill_node *visible = words == &solid_words ? rill_tree_get(node, "visible") : NULL;
    bool good = read_time(reader, node, what, before, &key->time);
    key->moves = rill_read_numbers(reader, place, &rill_range_place, key->translate, 3);
    key->turns = rill_read_numbers(reader, rotate, &turns, key->rotate, 3);
    key->switches = rill_read_boolean(reader, visible, &key->visible);
    if (!place && !rotate && !visible) {
        rill_reader_expected(reader, node, "%s", words->expected);
        good = false;
    }
    return good;
}

/* Returns how many keys there are in `*out`; 0: none, or complained of. */
static size_t read_move(rill_reader *reader, const rill_node *node, const key_words *words,
                        const rill_scene_key **out) {
    if (!rill_reader_list(reader, node, "keys", 1, KEYS_LIMIT)) return 0;
    rill_scene_key *keys = rill_store_take(reader->store, node->count, sizeof *keys);
    if (!keys) {
        reader->no_memory = true;
        return 0;
    }
    double before = -1;
    for (size_t i = 0; i < node->count; ++i)
        if (read_key(reader, node->members[i].value, words, before, &keys[i])) before = keys[i].time;
    *out = keys;
    return node->count;
}

/* ------------------------------------------------------------------------------------------------------------ morph */

static bool same_topology(const rill_solid_def *a, const rill_solid_def *b) {
    return a->shape.vertex_count == b->shape.vertex_count && a->shape.triangle_count == b->shape.triangle_count &&
           memcmp(a->shape.indices, b->shape.indices, 3 * a->shape.triangle_count * sizeof *a->shape.indices) == 0;
}

static bool read_morph_key(rill_reader *reader, const rill_node *node, double before, const rill_solid_def *own,
                           rill_scene_morph *morph) {
    static const char *const keys[] = { "time", "mesh", NULL };
    const char *what = "a key of a morph";
    if (!rill_reader_open(reader, node, what, keys)) return false;
    bool good = read_time(reader, node, what, before, &morph->time);
    const rill_node *file = rill_reader_need(reader, node, what, "mesh");
    rill_solid_def other = rill_default_solid_def();
    if (!file || !rill_read_mesh_file(reader, file, &other) || !own->shape.vertices)
        return false; /* without a mesh of its own, which has been complained of, there is nothing to compare with */
    if (!same_topology(own, &other)) {
        rill_reader_expected(reader, file,
                             "a mesh with the same triangles as the solid's own (%zu vertices, %zu triangles), but it "
                             "has %zu and %zu%s",
                             own->shape.vertex_count, own->shape.triangle_count, other.shape.vertex_count,
                             other.shape.triangle_count,
                             own->shape.vertex_count == other.shape.vertex_count &&
                                     own->shape.triangle_count == other.shape.triangle_count
                                 ? " in another order"
                                 : "");
        return false;
    }
    morph->vertices = other.shape.vertices;
    return good;
}

static void read_morphs(rill_reader *reader, const rill_node *node, rill_scene_solid *solid) {
    if (!rill_reader_list(reader, node, "keys", 1, KEYS_LIMIT)) return;
    rill_scene_morph *morphs = rill_store_take(reader->store, node->count, sizeof *morphs);
    solid->blend = rill_store_take(reader->store, 3 * solid->def.shape.vertex_count, sizeof *solid->blend);
    if (!morphs || !solid->blend) {
        reader->no_memory = true;
        return;
    }
    double before = -1;
    for (size_t i = 0; i < node->count && !reader->no_memory; ++i)
        if (read_morph_key(reader, node->members[i].value, before, &solid->def, &morphs[i])) before = morphs[i].time;
    solid->morphs = morphs;
    solid->morph_count = node->count;
}

/* ------------------------------------------------------------------------------------------------------------- both */

/* A key at 0 alone has nothing to start again. */
static void check_loop(rill_reader *reader, const rill_node *node, bool loop, bool still) {
    if (loop && still) rill_reader_expected(reader, node, "keys after 0 s, of which the last one ends the loop");
}

/* `loop` and `ease`, which need something to be about. */
static void read_manner(rill_reader *reader, const rill_node *node, bool moving, const char *without, bool *loop,
                        bool *ease) {
    static const char *const options[] = { "loop", "ease" };
    bool *values[] = { loop, ease };
    for (int i = 0; i < 2; ++i) {
        const rill_node *option = rill_tree_get(node, options[i]);
        if (rill_read_boolean(reader, option, values[i]) && !moving)
            rill_reader_expected(reader, option, "no '%s' in %s", options[i], without);
    }
}

static bool ends_at_once(const rill_scene_key *keys, size_t count) {
    return count && !(keys[count - 1].time > 0);
}

void rill_read_moves(rill_reader *reader, const rill_node *node, rill_scene_solid *solid) {
    const rill_node *move = rill_tree_get(node, "move"), *morph = rill_tree_get(node, "morph");
    solid->key_count = read_move(reader, move, &solid_words, &solid->keys);
    if (solid->def.shape.type == RILL_SHAPE_MESH) read_morphs(reader, morph, solid);
    read_manner(reader, node, move || morph, "a solid without 'move' or 'morph'", &solid->loop, &solid->ease);
    bool still_morph = solid->morph_count && !(solid->morphs[solid->morph_count - 1].time > 0);
    check_loop(reader, rill_tree_get(node, "loop"), solid->loop,
               still_morph || ends_at_once(solid->keys, solid->key_count));
}

void rill_read_body_moves(rill_reader *reader, const rill_node *node, rill_scene_body *body) {
    const rill_node *move = rill_tree_get(node, "move");
    body->key_count = read_move(reader, move, &body_words, &body->keys);
    read_manner(reader, node, move != NULL, "a body without 'move'", &body->loop, &body->ease);
    check_loop(reader, rill_tree_get(node, "loop"), body->loop, ends_at_once(body->keys, body->key_count));
}
