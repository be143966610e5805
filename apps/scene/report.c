/* Collecting complaints, and the "did you mean" hint: the word with the smallest Damerau-Levenshtein distance
 * (insert, delete, replace a letter, swap two neighbours), if it is near enough to be a slip of the fingers. */
#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *format_text(rill_scene_place place, const char *format, va_list arguments) {
    char head[64] = "";
    if (place.line > 0) snprintf(head, sizeof head, ":%d:%d", place.line, place.column);
    const char *origin = place.origin ? place.origin : "";
    const char *colon = origin[0] ? ": " : "";
    va_list again;
    va_copy(again, arguments);
    int body = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (body < 0) return NULL;
    size_t start = strlen(origin) + strlen(head) + strlen(colon);
    char *text = malloc(start + (size_t)body + 1);
    if (text) {
        snprintf(text, start + 1, "%s%s%s", origin, head, colon);
        vsnprintf(text + start, (size_t)body + 1, format, arguments);
    }
    return text;
}

static void add(rill_scene_report *report, rill_scene_place place, bool note, const char *format, va_list arguments) {
    report->errors += note ? 0 : 1;
    char *text = report->count < RILL_SCENE_MAX_ERRORS ? format_text(place, format, arguments) : NULL;
    if (!text) {
        ++report->dropped;
        return;
    }
    report->items[report->count++] = (rill_scene_complaint){ text, place.line, place.column, note };
}

void rill_report_error(rill_scene_report *report, rill_scene_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(report, place, false, format, arguments);
    va_end(arguments);
}

void rill_report_note(rill_scene_report *report, rill_scene_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(report, place, true, format, arguments);
    va_end(arguments);
}

static bool comes_after(const rill_scene_complaint *a, const rill_scene_complaint *b) {
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

void rill_report_sort(rill_scene_report *report) {
    for (size_t i = 1; i < report->count; ++i) {
        rill_scene_complaint moving = report->items[i];
        size_t j = i;
        for (; j > 0 && comes_after(&report->items[j - 1], &moving); --j) report->items[j] = report->items[j - 1];
        report->items[j] = moving;
    }
}

void rill_scene_report_print(const rill_scene_report *report, FILE *file) {
    for (size_t i = 0; i < report->count; ++i) fprintf(file, "%s\n", report->items[i].text);
    if (report->dropped) fprintf(file, "... and %zu more\n", report->dropped);
}

void rill_scene_report_free(rill_scene_report *report) {
    for (size_t i = 0; i < report->count; ++i) free(report->items[i].text);
    *report = (rill_scene_report){ 0 };
}

enum { LONGEST = 40 }; /* no key or word is longer, so nothing longer is near one */

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int distance(const char *a, size_t na, const char *b, size_t nb) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; ++j) last[j] = (int)j;
    for (size_t i = 1; i <= na; ++i) {
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            int best = smaller(smaller(last[j] + 1, now[j - 1] + 1), last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = smaller(best, before[j - 2] + 1);
            now[j] = best;
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
}

rill_hint rill_report_hint(const char *found, const char *const *words) {
    rill_hint hint = { "" };
    size_t length = strlen(found);
    int nearest = (length < 6 ? 1 : length < 9 ? 2 : 3) + 1; /* what is this far is too far */
    const char *best = NULL;
    for (; *words && length <= LONGEST; ++words) {
        size_t width = strlen(*words);
        int apart = width <= LONGEST ? distance(found, length, *words, width) : nearest;
        if (apart < nearest && (size_t)apart < width) {
            nearest = apart;
            best = *words;
        }
    }
    if (best) snprintf(hint.text, sizeof hint.text, ", did you mean '%s'?", best);
    return hint;
}
