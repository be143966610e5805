/* Complaints, for the files of apps/scene: rill_scene_report (scene.h) is what users see. */
#ifndef RILL_SCENE_REPORT_H
#define RILL_SCENE_REPORT_H

#include "scene.h"

/* Adds "origin:line:column: text"; without a line "origin: text". The origin may be NULL. */
__attribute__((format(printf, 3, 4))) void rill_report_error(rill_scene_report *report, rill_scene_place place,
                                                             const char *format, ...);
__attribute__((format(printf, 3, 4))) void rill_report_note(rill_scene_report *report, rill_scene_place place,
                                                            const char *format, ...);
/* Sorts by line and column; what has the same place stays in order. */
void rill_report_sort(rill_scene_report *report);

/* ", did you mean 'radius'?" for the nearest of the NULL-terminated words, "" when none is near. */
typedef struct rill_hint {
    char text[96];
} rill_hint;
rill_hint rill_report_hint(const char *found, const char *const *words);

#endif
