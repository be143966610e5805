/* Programs and whoever started them: the code they leave with, and warnings on stderr with a remedy each. */
#ifndef RILL_CONSOLE_CONSOLE_H
#define RILL_CONSOLE_CONSOLE_H

#include "physics/physics.h"
#include "progress.h"

enum {
    RILL_EXIT_DONE = 0,
    RILL_EXIT_WRONG = 1,   /* it ran but found something wrong */
    RILL_EXIT_USAGE = 2,   /* bad usage */
    RILL_EXIT_INPUT = 3,   /* bad input */
    RILL_EXIT_MACHINE = 4, /* memory, disk, graphics */
    RILL_EXIT_NOT_YET = -1 /* not a code: nothing decided, go on */
};

/* Returns the exit code that belongs to a result. */
int rill_exit_code(rill_scene_result result);

/* Makes what steps a scene. Complaints, and that bodies will not touch where that is so, go to stderr. NULL: no
 * memory. */
rill_physics *rill_console_physics(const rill_scene *scene, rill_world *world);

/* The status of steps as somebody with a scene understands it: each bit is told once, with the key to change. */
typedef struct rill_warnings {
    const char *command; /* "run" */
    rill_status told;    /* bits that were reported already */
} rill_warnings;

/* Tells what is new in the status of the step that ended at `time`. */
void rill_warnings_tell(rill_warnings *warnings, const rill_progress *progress, double time, rill_status status);

#endif
