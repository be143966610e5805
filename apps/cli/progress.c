/* The bar goes to stderr, so that stdout stays clean for what is printed at the end. */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40 };

static volatile sig_atomic_t stop_wanted;

static void on_stop(int number) {
    (void)number;
    stop_wanted = 1;
}

void rill_progress_catch_stop(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_stop;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool rill_progress_stop_wanted(void) {
    return stop_wanted != 0;
}

double rill_progress_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

rill_progress rill_progress_start(void) {
    double now = rill_progress_clock();
    return (rill_progress){ .shown = isatty(STDERR_FILENO) != 0, .start = now, .drawn = now - 1 };
}

void rill_progress_show(rill_progress *progress, double time, double until) {
    double now = rill_progress_clock();
    if (!progress->shown || now - progress->drawn < 0.1) {
        return;
    }
    progress->drawn = now;
    double part = until > 0 ? time / until : 1, spent = now - progress->start;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++) {
        bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    }
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3d %%  t = %.3g s  %.2g x real time  ", bar, (int)(part * 100), time,
            spent > 0 ? (time - progress->from) / spent : 0);
    fflush(stderr);
}

void rill_progress_wipe(const rill_progress *progress) {
    if (progress->shown) {
        fprintf(stderr, "\r\033[K");
    }
}
