/* What the status of steps means for somebody with a scene: once each, with the key to change. */
#ifndef RILL_CLI_WARNINGS_H
#define RILL_CLI_WARNINGS_H

#include "progress.h"
#include "rill/rill.h"

typedef struct rill_warnings {
    const char *command; /* "run" */
    rill_status told;    /* bits that were reported already */
} rill_warnings;

/* Tells what is new in the status of the step that ended at `time`. */
void rill_warnings_tell(rill_warnings *warnings, const rill_progress *progress, double time, rill_status status);

#endif
