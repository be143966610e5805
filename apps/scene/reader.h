/* Typed reading of a tree. Every function complains by itself (found what, where, expected what) and returns false;
 * reading goes on, so that one pass finds everything. A NULL node means "not there": false without a complaint, and the
 * value keeps its default. */
#ifndef RILL_SCENE_READER_H
#define RILL_SCENE_READER_H

#include "tree.h"

typedef struct rill_reader {
    rill_store *store;
    rill_scene_report *report;
    const char *path; /* of the scene: relative file names start in its folder */
    bool no_files;
    bool no_memory; /* set once and for all when an allocation fails */
} rill_reader;

/* The range of a number. `unit` is for people. */
typedef struct rill_range {
    double low, high;
    bool above_low; /* low itself is not allowed */
    const char *unit;
} rill_range;

/* Shared ranges: positions, lengths > 0, lengths >= 0, times, angles. */
extern const rill_range rill_range_place, rill_range_size, rill_range_height, rill_range_time, rill_range_angle;

/* "found <what> for <path>, expected <format ...>" at the node's place. */
__attribute__((format(printf, 3, 4))) void rill_reader_expected(rill_reader *reader, const rill_node *node,
                                                                const char *format, ...);

/* Opens a mapping; false unless the node is one. Keys that are not in the NULL-terminated list are complained of.
 * `what` is for people: "a box", "the grid". */
bool rill_reader_open(rill_reader *reader, const rill_node *node, const char *what, const char *const *keys);
/* Returns the value of a key; complains when it is missing. */
const rill_node *rill_reader_need(rill_reader *reader, const rill_node *map, const char *what, const char *key);
/* Opens a list; false unless the node is one with `least` to `most` items. */
bool rill_reader_list(rill_reader *reader, const rill_node *node, const char *items, size_t least, size_t most);

bool rill_read_number(rill_reader *reader, const rill_node *node, const rill_range *range, double *out);
bool rill_read_integer(rill_reader *reader, const rill_node *node, int32_t low, int32_t high, int32_t *out);
bool rill_read_numbers(rill_reader *reader, const rill_node *node, const rill_range *range, double *out, size_t count);
bool rill_read_boolean(rill_reader *reader, const rill_node *node, bool *out);
/* Reads one of the NULL-terminated words; `out` gets its number. */
bool rill_read_word(rill_reader *reader, const rill_node *node, const char *const *words, int32_t *out);
/* Reads any text; the result belongs to the tree. */
bool rill_read_text(rill_reader *reader, const rill_node *node, const char **out);
/* Reads a text of 1 to 63 characters without control characters and without blanks at its ends. */
bool rill_read_name(rill_reader *reader, const rill_node *node, const char **out);
/* Reads the lower corner and the upper corner of a box, each coordinate of min below that of max. */
bool rill_read_box(rill_reader *reader, const rill_node *map, const char *what, double min[3], double max[3]);

/* Returns the file that a node names, seen from the scene's folder; NULL when there is none to open. */
const char *rill_read_file_name(rill_reader *reader, const rill_node *node);
/* Complains of a file that could not be read or used (or notes that memory ran out), as its loader said. */
void rill_reader_refuse_file(rill_reader *reader, const rill_node *node, const char *path, rill_result result,
                             const rill_message *message);

#endif
