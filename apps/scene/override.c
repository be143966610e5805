/* --set path=value: changes the tree before it is read, so that one reader checks both. The path is dotted, list items
 * are numbered from 0; the value is YAML. New nodes carry the option as their origin: errors then name it. */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

typedef struct setting {
    rill_store *store;
    rill_scene_report *report;
    rill_scene_place place; /* of everything the option brings */
    bool no_memory;
} setting;

static rill_node *new_node(setting *set, rill_node_kind kind, const char *text) {
    rill_node *node = rill_store_take(set->store, 1, sizeof *node);
    if (!node) {
        set->no_memory = true;
        return NULL;
    }
    *node = (rill_node){ .kind = kind, .text = text, .place = set->place };
    return node;
}

static rill_member *find_item(setting *set, rill_node *list, const char *step) {
    char *end = NULL;
    unsigned long index = strtoul(step, &end, 10);
    bool number = step[0] >= '0' && step[0] <= '9' && *end == 0;
    if (!number || index > list->count) {
        rill_report_error(set->report, set->place, "found '%s' after %s, expected the number of an item, 0 to %zu",
                          step, rill_tree_path(list).text, list->count);
        return NULL;
    }
    if (index == list->count) {
        rill_node *fresh = new_node(set, RILL_NODE_MAP, NULL);
        if (!fresh || !rill_tree_add(set->store, list, NULL, fresh)) {
            set->no_memory = true;
            return NULL;
        }
    }
    return &list->members[index];
}

static rill_member *find_key(setting *set, rill_node *map, const char *step) {
    for (size_t i = 0; i < map->count; ++i)
        if (strcmp(map->members[i].key->text, step) == 0) return &map->members[i];
    rill_node *key = new_node(set, RILL_NODE_SCALAR, step);
    rill_node *fresh = new_node(set, RILL_NODE_MAP, NULL);
    if (!key || !fresh || !rill_tree_add(set->store, map, key, fresh)) {
        set->no_memory = true;
        return NULL;
    }
    return &map->members[map->count - 1];
}

/* Returns the member that the path names; what is missing on the way is made. NULL: reported, or no memory. */
static rill_member *walk(setting *set, rill_node *root, char *path) {
    rill_node *at = root;
    rill_member *found = NULL;
    for (char *step = path, *next; step; step = next) {
        next = strchr(step, '.');
        if (next) *next++ = 0;
        if (!*step) {
            rill_report_error(set->report, set->place,
                              "found an empty name in the path, expected words with dots "
                              "between them, such as liquid.viscosity");
            return NULL;
        }
        if (at->kind == RILL_NODE_SCALAR) {
            rill_report_error(set->report, set->place, "found '%s' after %s, which is a value and has no parts", step,
                              rill_tree_path(at).text);
            return NULL;
        }
        found = at->kind == RILL_NODE_LIST ? find_item(set, at, step) : find_key(set, at, step);
        if (!found) return NULL;
        at = found->value;
    }
    return found;
}

bool rill_tree_set(rill_node *root, const char *option, rill_store *store, rill_scene_report *report) {
    size_t length = strlen(option);
    char *origin = rill_store_take(store, length + sizeof "--set ", 1);
    char *path = rill_store_text(store, option, length);
    if (!origin || !path) return false;
    strcat(strcpy(origin, "--set "), option);
    setting set = { .store = store, .report = report, .place = { origin, 0, 0 } };
    char *value = strchr(path, '=');
    if (!value || value == path) {
        rill_report_error(report, set.place, "found no path=value, expected something like liquid.viscosity=1e-5");
        return true;
    }
    *value++ = 0;
    size_t errors = report->errors;
    rill_node *fresh = rill_tree_parse(value, strlen(value), origin, true, store, report, &set.no_memory);
    if (set.no_memory) return false;
    if (report->errors > errors) return true;
    if (!fresh) {
        rill_report_error(report, set.place, "found no value after '=', expected one");
        return true;
    }
    rill_member *member = walk(&set, root, path);
    if (member) {
        fresh->parent = member->value->parent;
        member->value = fresh;
        /* A key that is set anew stands for its new value: complaints about it name the option. */
        if (member->key && member->key->place.origin != origin) {
            rill_node *key = new_node(&set, RILL_NODE_SCALAR, member->key->text);
            if (key) {
                key->parent = member->key->parent;
                member->key = key;
            }
        }
    }
    return !set.no_memory;
}
