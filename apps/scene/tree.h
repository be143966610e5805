/* The tree of a YAML document, with the place of every node.
 *
 * What YAML has and scenes have no use for is refused with its place: anchors and aliases (so no document can grow by
 * expansion), tags, several documents, keys that are no text, nesting deeper than RILL_TREE_DEPTH. */
#ifndef RILL_SCENE_TREE_H
#define RILL_SCENE_TREE_H

#include "report.h"
#include "store.h"

enum { RILL_TREE_DEPTH = 32, RILL_TREE_KEYS = 256 };

typedef enum rill_node_kind { RILL_NODE_SCALAR = 0, RILL_NODE_LIST, RILL_NODE_MAP } rill_node_kind;

typedef struct rill_node rill_node;

typedef struct rill_member {
    rill_node *key; /* NULL in lists */
    rill_node *value;
} rill_member;

struct rill_node {
    rill_node_kind kind;
    bool quoted;      /* scalar: written with quotes or as a block, so it is text and never a number */
    const char *text; /* scalar: without zero bytes inside */
    rill_member *members;
    size_t count, capacity;
    const rill_node *parent; /* NULL for the root */
    rill_scene_place place;
};

/* Parses a text. NULL when there is no tree to go on with; complaints that leave a usable tree (doubled keys) are in
 * the report only. `*no_memory` is set when that was the reason. With `line_less` nodes have the origin but no line. */
rill_node *rill_tree_parse(const char *text, size_t size, const char *origin, bool line_less, rill_store *store,
                           rill_scene_report *report, bool *no_memory);

/* Returns the value of a key; NULL when there is none. */
rill_node *rill_tree_get(const rill_node *map, const char *key);
/* Where a node stands, as --set would name it: "bed.solids.2.radius"; "the scene" for the root. */
typedef struct rill_path {
    char text[160];
} rill_path;
rill_path rill_tree_path(const rill_node *node);

/* Adds a member; false when there is no memory. The key is NULL for lists. */
bool rill_tree_add(rill_store *store, rill_node *node, rill_node *key, rill_node *value);

/* Applies "liquid.viscosity=1e-5". False only when there is no memory; other trouble is in the report. */
bool rill_tree_set(rill_node *root, const char *option, rill_store *store, rill_scene_report *report);

#endif
