/* Names inside one scene. */
#include <string.h>

#include "read_scene.h"

bool rill_names_make(rill_reader *reader, rill_names *names, size_t room) {
    names->names = rill_store_take(reader->store, room, sizeof *names->names);
    reader->no_memory |= !names->names;
    return names->names != NULL;
}

static bool is_taken(const rill_names *names, const char *name) {
    for (size_t i = 0; i < names->count; ++i)
        if (strcmp(names->names[i], name) == 0) return true;
    return false;
}

const char *rill_names_read(rill_reader *reader, rill_names *names, const rill_node *node) {
    const char *name = NULL;
    if (!rill_read_name(reader, node, &name)) return NULL;
    for (const char *const *word = names->reserved; word && *word; ++word) {
        if (strcmp(*word, name) == 0) {
            rill_reader_expected(reader, node, "a name that is not reserved");
            return NULL;
        }
    }
    if (is_taken(names, name)) {
        rill_reader_expected(reader, node, "a name that no other has");
        return NULL;
    }
    names->names[names->count++] = name;
    return name;
}

const char *rill_names_invent(rill_reader *reader, rill_names *names, const char *what, size_t number) {
    char text[64];
    do {
        snprintf(text, sizeof text, "%s %zu", what, number++);
    } while (is_taken(names, text));
    const char *name = rill_store_text(reader->store, text, strlen(text));
    if (name) names->names[names->count++] = name;
    reader->no_memory |= !name;
    return name;
}
