/* From libyaml's events to a tree, with an explicit stack: no recursion, whatever the input. */
#include "tree.h"

#include <string.h>
#include <yaml.h>

typedef struct builder {
    rill_store *store;
    rill_scene_report *report;
    const char *origin;
    bool line_less;
    bool no_memory;
    bool broken; /* no usable tree */
    rill_node *root;
    rill_node *stack[RILL_TREE_DEPTH];
    rill_node *keys[RILL_TREE_DEPTH]; /* of the map at that depth: a key that waits for its value */
    int32_t depth;
} builder;

static rill_scene_place place_of(const builder *building, yaml_mark_t mark) {
    if (building->line_less) return (rill_scene_place){ building->origin, 0, 0 };
    /* Files are at most 16 MB, so lines and columns fit. */
    return (rill_scene_place){ building->origin, (int32_t)mark.line + 1, (int32_t)mark.column + 1 };
}

rill_node *rill_tree_get(const rill_node *map, const char *key) {
    for (size_t i = 0; map->kind == RILL_NODE_MAP && i < map->count; ++i)
        if (strcmp(map->members[i].key->text, key) == 0) return map->members[i].value;
    return NULL;
}

bool rill_tree_add(rill_store *store, rill_node *node, rill_node *key, rill_node *value) {
    if (node->count == node->capacity) {
        size_t capacity = node->capacity ? node->capacity * 2 : 8;
        rill_member *members = rill_store_take(store, capacity, sizeof *members);
        if (!members) return false;
        if (node->count) memcpy(members, node->members, node->count * sizeof *members);
        node->members = members;
        node->capacity = capacity;
    }
    node->members[node->count++] = (rill_member){ key, value };
    value->parent = node;
    if (key) key->parent = node;
    return true;
}

/* Writes backwards from the end of the buffer, so that the innermost names survive when it is too small. */
static char *prepend(char *start, char *at, const char *text, bool dot) {
    size_t length = strlen(text) + (dot ? 1 : 0);
    if (length > (size_t)(at - start)) return NULL;
    at -= length;
    memcpy(at, text, strlen(text));
    if (dot) at[length - 1] = '.';
    return at;
}

rill_path rill_tree_path(const rill_node *node) {
    char buffer[sizeof(rill_path)];
    char *at = buffer + sizeof buffer - 1;
    *at = 0;
    if (!node->parent) at = prepend(buffer, at, "the scene", false);
    for (; node->parent; node = node->parent) {
        size_t i = 0;
        while (i < node->parent->count && node->parent->members[i].value != node) ++i;
        char number[32];
        const rill_node *key = i < node->parent->count ? node->parent->members[i].key : node;
        snprintf(number, sizeof number, "%zu", i);
        char *further = prepend(buffer, at, key ? key->text : number, *at != 0);
        if (!further) break;
        at = further;
    }
    rill_path path;
    snprintf(path.text, sizeof path.text, "%s", at);
    return path;
}

/* --------------------------------------------------------------------------------------------------------- building */

static void attach(builder *building, rill_node *node) {
    if (!building->depth) {
        building->root = node;
        return;
    }
    rill_node *parent = building->stack[building->depth - 1];
    rill_node **key = &building->keys[building->depth - 1];
    if (parent->kind == RILL_NODE_LIST) {
        building->no_memory |= !rill_tree_add(building->store, parent, NULL, node);
        return;
    }
    if (!*key) {
        if (node->kind != RILL_NODE_SCALAR) {
            rill_report_error(building->report, node->place, "found a %s as a key, expected a word",
                              node->kind == RILL_NODE_MAP ? "mapping" : "list");
            building->broken = true;
        }
        *key = node;
        return;
    }
    if (rill_tree_get(parent, (*key)->text)) {
        rill_report_error(building->report, (*key)->place, "found the key '%s' again, expected it once", (*key)->text);
    } else if (parent->count >= RILL_TREE_KEYS) {
        rill_report_error(building->report, (*key)->place, "found more than %d keys in one mapping", RILL_TREE_KEYS);
        building->broken = true;
    } else {
        building->no_memory |= !rill_tree_add(building->store, parent, *key, node);
    }
    *key = NULL;
}

static rill_node *new_node(builder *building, rill_node_kind kind, yaml_mark_t mark) {
    rill_node *node = rill_store_take(building->store, 1, sizeof *node);
    if (!node) {
        building->no_memory = true;
        return NULL;
    }
    node->kind = kind;
    node->place = place_of(building, mark);
    return node;
}

static void open_node(builder *building, rill_node_kind kind, const yaml_event_t *event) {
    rill_node *node = new_node(building, kind, event->start_mark);
    if (!node) return;
    if (building->depth == RILL_TREE_DEPTH) {
        rill_report_error(building->report, node->place, "found nesting deeper than %d levels", RILL_TREE_DEPTH);
        building->broken = true;
        return;
    }
    attach(building, node);
    building->stack[building->depth] = node;
    building->keys[building->depth] = NULL;
    ++building->depth;
}

static void add_scalar(builder *building, const yaml_event_t *event) {
    rill_node *node = new_node(building, RILL_NODE_SCALAR, event->start_mark);
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!node) return;
    if (memchr(text, 0, length)) {
        rill_report_error(building->report, node->place, "found a zero byte in a text, expected characters");
        building->broken = true;
    }
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = rill_store_text(building->store, text, length);
    if (!node->text) {
        building->no_memory = true;
        return;
    }
    attach(building, node);
}

/* Anchors and tags may sit on any node. */
static void refuse_decoration(builder *building, const yaml_event_t *event, const yaml_char_t *anchor,
                              const yaml_char_t *tag) {
    if (anchor) {
        rill_report_error(building->report, place_of(building, event->start_mark),
                          "found the anchor '&%s', expected plain values (scenes have no anchors)",
                          (const char *)anchor);
    }
    if (tag) {
        rill_report_error(building->report, place_of(building, event->start_mark),
                          "found the tag '%s', expected plain values (scenes have no tags)", (const char *)tag);
    }
}

/* False at the end of what can be read. */
static bool take_event(builder *building, const yaml_event_t *event, int *documents) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1) {
            rill_report_error(building->report, place_of(building, event->start_mark),
                              "found a second document, expected one");
            return false;
        }
        return true;
    case YAML_ALIAS_EVENT:
        rill_report_error(building->report, place_of(building, event->start_mark),
                          "found the alias '*%s', expected the value itself (scenes have no aliases)",
                          (const char *)event->data.alias.anchor);
        building->broken = true;
        return false;
    case YAML_SCALAR_EVENT:
        refuse_decoration(building, event, event->data.scalar.anchor, event->data.scalar.tag);
        add_scalar(building, event);
        return true;
    case YAML_SEQUENCE_START_EVENT:
        refuse_decoration(building, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        open_node(building, RILL_NODE_LIST, event);
        return true;
    case YAML_MAPPING_START_EVENT:
        refuse_decoration(building, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        open_node(building, RILL_NODE_MAP, event);
        return true;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: building->depth--; return true;
    case YAML_STREAM_END_EVENT: return false;
    default: return true;
    }
}

/* libyaml gives the place of unreadable bytes as an offset only. */
static yaml_mark_t mark_at(const char *text, size_t offset) {
    yaml_mark_t mark = { offset, 0, 0 };
    for (size_t i = 0; i < offset; ++i) {
        bool line_end = text[i] == '\n';
        bool inner_byte = ((unsigned char)text[i] & 0xC0) == 0x80;
        mark.line += line_end;
        mark.column = line_end ? 0 : mark.column + (inner_byte ? 0 : 1);
    }
    return mark;
}

static void report_syntax(builder *building, const yaml_parser_t *parser, const char *text, size_t size) {
    if (parser->error == YAML_MEMORY_ERROR) {
        building->no_memory = true;
        return;
    }
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR)
        mark = mark_at(text, parser->problem_offset < size ? parser->problem_offset : size);
    rill_report_error(building->report, place_of(building, mark), "found no valid YAML: %s%s%s",
                      parser->problem ? parser->problem : "something unreadable", parser->context ? " " : "",
                      parser->context ? parser->context : "");
}

rill_node *rill_tree_parse(const char *text, size_t size, const char *origin, bool line_less, rill_store *store,
                           rill_scene_report *report, bool *no_memory) {
    builder building = { .store = store, .report = report, .origin = origin, .line_less = line_less };
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        *no_memory = true;
        return NULL;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int documents = 0;
    for (bool more = true; more && !building.no_memory && !building.broken;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            report_syntax(&building, &parser, text, size);
            building.broken = true;
            break;
        }
        more = take_event(&building, &event, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    *no_memory = building.no_memory;
    if (!building.broken && !building.no_memory && !building.root && !line_less)
        rill_report_error(report, (rill_scene_place){ origin, 1, 1 }, "found an empty file, expected a scene");
    return building.broken || building.no_memory ? NULL : building.root;
}
