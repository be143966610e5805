/* Plain scalars follow YAML 1.2's core schema, cut down: true and false, decimal numbers, null; everything else, and
 * all that is quoted, is text. So `off` is the word off and `4e-6` a number, unlike in YAML 1.1. */
#include "reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

const rill_range rill_range_place = { -1e6, 1e6, false, "m" };
const rill_range rill_range_size = { 0, 1e6, true, "m" };
const rill_range rill_range_height = { 0, 1e6, false, "m" };
const rill_range rill_range_time = { 0, 1e9, false, "s" };
const rill_range rill_range_angle = { -360, 360, false, "degrees" };

/* ---------------------------------------------------------------------------------------------------------- scalars */

static bool is_null(const rill_node *node) {
    static const char *const words[] = { "", "~", "null", "Null", "NULL" };
    for (size_t i = 0; !node->quoted && i < sizeof words / sizeof words[0]; ++i)
        if (strcmp(node->text, words[i]) == 0) return true;
    return false;
}

static bool is_boolean(const rill_node *node, bool *value) {
    static const char *const words[] = { "false", "False", "FALSE", "true", "True", "TRUE" };
    for (size_t i = 0; !node->quoted && i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(node->text, words[i]) == 0) {
            *value = i >= 3;
            return true;
        }
    }
    return false;
}

static const char *skip_digits(const char *text) {
    while (*text >= '0' && *text <= '9') ++text;
    return text;
}

/* [-+]? ( digits [ . digits? ] | . digits ) ( [eE] [-+]? digits )?   and .inf, .nan, which are numbers too, if never
 * allowed ones. strtod alone would also take "0x1p3", "infinity" and leading blanks. */
static bool is_number(const rill_node *node, double *value) {
    const char *text = node->text;
    if (node->quoted) return false;
    text += *text == '-' || *text == '+';
    if (strcmp(text, ".inf") == 0 || strcmp(text, ".nan") == 0) {
        *value = text[1] == 'i' ? (double)INFINITY : (double)NAN;
        return true;
    }
    const char *whole = skip_digits(text);
    const char *end = *whole == '.' ? skip_digits(whole + 1) : whole;
    if (end == text || (whole == text && end == whole + 1)) return false;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        end = skip_digits(exponent);
        if (end == exponent) return false;
    }
    *value = strtod(node->text, NULL);
    return *end == 0;
}

/* ------------------------------------------------------------------------------------------------------ complaining */

typedef struct found_text {
    char text[128];
} found_text;

static found_text what_is(const rill_node *node) {
    found_text found;
    double number;
    bool truth;
    if (node->kind == RILL_NODE_MAP)
        snprintf(found.text, sizeof found.text, "a mapping");
    else if (node->kind == RILL_NODE_LIST)
        snprintf(found.text, sizeof found.text, "a list of %zu", node->count);
    else if (is_null(node))
        snprintf(found.text, sizeof found.text, "nothing");
    else if (is_boolean(node, &truth) || is_number(node, &number))
        snprintf(found.text, sizeof found.text, "%.60s", node->text);
    else
        snprintf(found.text, sizeof found.text, "the text '%.60s'", node->text);
    return found;
}

void rill_reader_expected(rill_reader *reader, const rill_node *node, const char *format, ...) {
    char expected[512];
    if (reader->report->count == RILL_SCENE_MAX_ERRORS) {
        rill_report_error(reader->report, node->place, "one more"); /* only counted: finding its path takes time */
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    rill_report_error(reader->report, node->place, "found %s for %s, expected %s", what_is(node).text,
                      rill_tree_path(node).text, expected);
}

typedef struct word_list {
    char text[320];
} word_list;

static word_list join(const char *const *words) {
    word_list list = { "" };
    for (size_t i = 0, at = 0; words[i] && at < sizeof list.text; ++i) {
        const char *between = !i ? "" : words[i + 1] ? ", " : " or ";
        int length = snprintf(list.text + at, sizeof list.text - at, "%s%s", between, words[i]);
        at += length > 0 ? (size_t)length : 0;
    }
    return list;
}

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; ++words)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

/* --------------------------------------------------------------------------------------------------- maps and lists */

bool rill_reader_open(rill_reader *reader, const rill_node *node, const char *what, const char *const *keys) {
    if (!node) return false;
    if (node->kind != RILL_NODE_MAP) {
        rill_reader_expected(reader, node, "a mapping with the keys %s", join(keys).text);
        return false;
    }
    for (size_t i = 0; i < node->count; ++i) {
        const rill_node *key = node->members[i].key;
        if (!is_one_of(key->text, keys)) {
            rill_report_error(reader->report, key->place, "found the unknown key '%.60s' in %s, expected %s%s",
                              key->text, what, join(keys).text, rill_report_hint(key->text, keys).text);
        }
    }
    return true;
}

const rill_node *rill_reader_need(rill_reader *reader, const rill_node *map, const char *what, const char *key) {
    const rill_node *value = rill_tree_get(map, key);
    if (!value) rill_report_error(reader->report, map->place, "found no key '%s' in %s, expected one", key, what);
    return value;
}

bool rill_reader_list(rill_reader *reader, const rill_node *node, const char *items, size_t least, size_t most) {
    if (!node) return false;
    bool list = node->kind == RILL_NODE_LIST;
    if (list && node->count >= least && node->count <= most) return true;
    if (!list && least != most)
        rill_reader_expected(reader, node, "a list of %s", items);
    else if (least == most)
        rill_reader_expected(reader, node, "a list of %zu %s", least, items);
    else if (node->count < least)
        rill_reader_expected(reader, node, "a list of at least %zu %s", least, items);
    else
        rill_reader_expected(reader, node, "a list of at most %zu %s", most, items);
    return false;
}

/* ----------------------------------------------------------------------------------------------------------- values */

static void expect_number(rill_reader *reader, const rill_node *node, const rill_range *range) {
    const char *unit = range->unit ? range->unit : "";
    const char *open = range->unit ? " (" : "", *close = range->unit ? ")" : "";
    if (range->above_low) {
        rill_reader_expected(reader, node, "a number above %g and up to %g%s%s%s", range->low, range->high, open, unit,
                             close);
    } else {
        rill_reader_expected(reader, node, "a number from %g to %g%s%s%s", range->low, range->high, open, unit, close);
    }
}

bool rill_read_number(rill_reader *reader, const rill_node *node, const rill_range *range, double *out) {
    double value;
    if (!node) return false;
    bool low_enough = node->kind == RILL_NODE_SCALAR && is_number(node, &value) && value <= range->high;
    if (!low_enough || !(range->above_low ? value > range->low : value >= range->low)) {
        expect_number(reader, node, range);
        return false;
    }
    *out = value;
    return true;
}

bool rill_read_integer(rill_reader *reader, const rill_node *node, int32_t low, int32_t high, int32_t *out) {
    double value;
    if (!node) return false;
    bool number = node->kind == RILL_NODE_SCALAR && is_number(node, &value);
    if (!number || !(value >= low && value <= high) || value != floor(value)) {
        if (low == high)
            rill_reader_expected(reader, node, "%d", low);
        else
            rill_reader_expected(reader, node, "a whole number from %d to %d", low, high);
        return false;
    }
    *out = (int32_t)value;
    return true;
}

bool rill_read_numbers(rill_reader *reader, const rill_node *node, const rill_range *range, double *out, size_t count) {
    if (!rill_reader_list(reader, node, "numbers", count, count)) return false;
    bool good = true;
    for (size_t i = 0; i < count; ++i) good &= rill_read_number(reader, node->members[i].value, range, &out[i]);
    return good;
}

bool rill_read_boolean(rill_reader *reader, const rill_node *node, bool *out) {
    if (!node) return false;
    if (node->kind != RILL_NODE_SCALAR || !is_boolean(node, out)) {
        rill_reader_expected(reader, node, "true or false");
        return false;
    }
    return true;
}

static bool is_text(const rill_node *node) {
    double number;
    bool truth;
    return node->kind == RILL_NODE_SCALAR && !is_null(node) && !is_boolean(node, &truth) && !is_number(node, &number);
}

bool rill_read_word(rill_reader *reader, const rill_node *node, const char *const *words, int32_t *out) {
    if (!node) return false;
    for (int32_t i = 0; is_text(node) && words[i]; ++i) {
        if (strcmp(node->text, words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    rill_hint hint = { "" };
    if (is_text(node)) hint = rill_report_hint(node->text, words);
    rill_reader_expected(reader, node, "%s%s", join(words).text, hint.text);
    return false;
}

bool rill_read_text(rill_reader *reader, const rill_node *node, const char **out) {
    if (!node) return false;
    if (!is_text(node) || !node->text[0]) {
        rill_reader_expected(reader, node, "a text%s",
                             node->kind == RILL_NODE_SCALAR && !is_null(node) && node->text[0] ? " (in quotes)" : "");
        return false;
    }
    *out = node->text;
    return true;
}

bool rill_read_name(rill_reader *reader, const rill_node *node, const char **out) {
    const char *text;
    if (!rill_read_text(reader, node, &text)) return false;
    size_t length = strlen(text), characters = 0;
    bool good = text[0] != ' ' && text[length - 1] != ' ';
    for (size_t i = 0; i < length; ++i) {
        good &= (unsigned char)text[i] >= ' ' && text[i] != 127;
        characters += ((unsigned char)text[i] & 0xC0) != 0x80; /* UTF-8: every byte but the inner ones starts one */
    }
    if (!good || characters > 63) {
        rill_reader_expected(reader, node,
                             "a name of 1 to 63 characters, without control characters and blanks at its ends");
        return false;
    }
    *out = text;
    return true;
}

bool rill_read_box(rill_reader *reader, const rill_node *map, const char *what, double min[3], double max[3]) {
    const rill_node *low = rill_reader_need(reader, map, what, "min");
    const rill_node *high = rill_reader_need(reader, map, what, "max");
    bool good = rill_read_numbers(reader, low, &rill_range_place, min, 3);
    good &= rill_read_numbers(reader, high, &rill_range_place, max, 3);
    for (size_t i = 0; good && i < 3; ++i) {
        if (!(min[i] < max[i])) {
            const rill_node *at = high->members[i].value;
            rill_reader_expected(reader, at, "more than the %g of min", min[i]);
            return false;
        }
    }
    return good;
}

/* ------------------------------------------------------------------------------------------------------------ files */

const char *rill_read_file_name(rill_reader *reader, const rill_node *node) {
    const char *name;
    if (!rill_read_text(reader, node, &name)) return NULL;
    if (reader->no_files) {
        rill_reader_expected(reader, node, "no file: this scene may not read any");
        return NULL;
    }
    const char *path = rill_file_beside(reader->store, reader->path, name);
    reader->no_memory |= !path;
    return path;
}

void rill_reader_refuse_file(rill_reader *reader, const rill_node *node, const char *path, rill_result result,
                             const rill_message *message) {
    if (result == RILL_OUT_OF_MEMORY) {
        reader->no_memory = true;
    } else if (result == RILL_INVALID_STATE) {
        rill_report_error(reader->report, node->place, "%s: found no readable file (%s), expected one", path,
                          message->text);
    } else {
        rill_report_error(reader->report, node->place, "%s: %s", path, message->text);
    }
}
