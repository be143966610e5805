/* Scenes that stand in a test as text: parsing them, without surface tension unless they ask for it, and the lines that
 * are to be said of a wrong one. After cmocka.h. */
#ifndef RILL_TESTS_SCENE_TEXTS_H
#define RILL_TESTS_SCENE_TEXTS_H

#include "scene/scene.h"

static inline rill_scene *parse(const char *text, rill_scene_report *report) {
    rill_scene *scene;
    *report = (rill_scene_report){ 0 };
    rill_scene_result result = rill_scene_parse(text, strlen(text), "s.yaml", NULL, &scene, report);
    assert_int_equal(result, report->errors ? RILL_SCENE_WRONG : RILL_SCENE_OK);
    if (scene && scene->world.solver.tension == RILL_TENSION_AUTO) scene->world.solver.tension = RILL_TENSION_OFF;
    return scene;
}

static inline void expect(const char *text, const char *const *lines) {
    rill_scene_report report;
    assert_null(parse(text, &report));
    size_t i = 0;
    for (; lines[i]; ++i) {
        if (i == report.count) fail_msg("missing: %s", lines[i]);
        assert_string_equal(report.items[i].text, lines[i]);
    }
    if (i < report.count) fail_msg("unexpected: %s", report.items[i].text);
    rill_scene_report_free(&report);
}

#endif
