/* The bar goes to stderr, so that stdout stays clean for what is printed at the end. */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 24 }; /* with the words behind it less than a line of 80 */

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

/* Draws at most ten times a second. `done`: the share that was there at the start. */
static void draw_bar(rill_progress *progress, double part, double done, const char *words) {
    double now = rill_progress_clock(), spent = now - progress->start;
    if (!progress->shown || now - progress->drawn < 0.1) return;
    progress->drawn = now;
    char bar[WIDTH + 1], left[32] = "";
    for (int i = 0; i < WIDTH; ++i) bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    bar[WIDTH] = 0;
    double rest = part > done ? spent * (1 - part) / (part - done) : 0;
    if (spent > 1 && rest >= 1 && rest < 1e6) { /* before that there is no telling */
        bool long_one = rest >= 120;
        snprintf(left, sizeof left, ", %.0f %s left", long_one ? rest / 60 : rest, long_one ? "min" : "s");
    }
    fprintf(stderr, "\r[%s] %3d %%  %s%s\033[K", bar, (int)(part * 100), words, left);
    fflush(stderr);
}

void rill_progress_show(rill_progress *progress, double time, double until) {
    char words[64];
    double spent = rill_progress_clock() - progress->start;
    snprintf(words, sizeof words, "t = %.3g s, %.2g x real time", time,
             spent > 0 ? (time - progress->from) / spent : 0);
    draw_bar(progress, until > 0 ? time / until : 1, until > 0 ? progress->from / until : 0, words);
}

void rill_progress_count(rill_progress *progress, const char *what, int32_t done, int32_t count) {
    char words[64];
    snprintf(words, sizeof words, "%s %d of %d", what, done, count);
    draw_bar(progress, count > 0 ? (double)done / count : 1, 0, words);
}

void rill_progress_wipe(const rill_progress *progress) {
    if (progress->shown) fprintf(stderr, "\r\033[K");
}
