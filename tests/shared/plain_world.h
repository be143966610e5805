/* Worlds of tests that are about something else than surface tension: it stays off in them, whatever the default is. */
#ifndef RILL_TESTS_PLAIN_WORLD_H
#define RILL_TESTS_PLAIN_WORLD_H

#include <rill/rill.h>

static inline rill_world_def plain_world_def(void) {
    rill_world_def def = rill_default_world_def();
    def.solver.tension = RILL_TENSION_OFF;
    return def;
}

#endif
