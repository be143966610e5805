/* A progress bar on a terminal, and Ctrl-C as a polite request. */
#ifndef RILL_CONSOLE_PROGRESS_H
#define RILL_CONSOLE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rill_progress {
    bool shown;          /* stderr is a terminal */
    double start, drawn; /* s, by the monotonic clock */
    double from;         /* s of the scene that were there at the start, after a resumed bake */
} rill_progress;

double rill_progress_clock(void); /* s, from some fixed moment */

rill_progress rill_progress_start(void);
/* Shows how far a run is. Draws at most ten times a second. */
void rill_progress_show(rill_progress *progress, double time, double until);
/* Shows how many of things that are counted are done, as rarely. */
void rill_progress_count(rill_progress *progress, const char *what, int32_t done, int32_t count);
/* Wipes the bar, so that a line may be printed in its place. */
void rill_progress_wipe(const rill_progress *progress);

/* Catches SIGINT and SIGTERM: from here on the first one is only noted; a second one ends the program at once. */
void rill_progress_catch_stop(void);
bool rill_progress_stop_wanted(void);

#endif
