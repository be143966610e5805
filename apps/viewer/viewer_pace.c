/* How evenly frames come, and whether the world keeps up with the clock. */
#include <stdlib.h>
#include <string.h>

#include "viewer_internal.h"

static const double KEEPS_UP = 0.93;      /* of the speed that is wanted: less is told */
static const double STANDS_STILL = 0.005; /* of real time */

void rill_pace_add(rill_viewer *viewer, double seconds) {
    rill_pace *pace = &viewer->pace;
    pace->seconds[pace->count++ % RILL_PACE_COUNT] = (float)seconds;
    pace->sum += seconds;
    pace->longest = seconds > pace->longest ? seconds : pace->longest;
}

static int compare(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void rill_pace_write(rill_viewer *viewer, FILE *file) {
    rill_pace *pace = &viewer->pace;
    size_t kept = pace->count < RILL_PACE_COUNT ? pace->count : RILL_PACE_COUNT;
    uint64_t steps = viewer->status.steps >= pace->steps ? viewer->status.steps - pace->steps : viewer->status.steps;
    qsort(pace->seconds, kept, sizeof pace->seconds[0], compare);
    fprintf(file,
            "\"frames\": %zu, \"steps\": %llu, \"fps\": %.1f, \"median_ms\": %.2f, \"p99_ms\": %.2f, "
            "\"longest_ms\": %.2f, ",
            pace->count, (unsigned long long)steps, pace->sum > 0 ? (double)pace->count / pace->sum : 0,
            kept ? 1e3 * (double)pace->seconds[kept / 2] : 0, kept ? 1e3 * (double)pace->seconds[kept * 99 / 100] : 0,
            1e3 * pace->longest);
    memset(pace, 0, sizeof *pace);
    pace->steps = viewer->status.steps;
}

bool rill_pace_text(const rill_viewer *viewer, char *text, size_t room) {
    const rill_player_status *status = &viewer->status;
    bool slow = status->playing && status->rate < KEEPS_UP * status->speed;
    if (!status->playing)
        snprintf(text, room, "%.2f s, paused", status->time);
    else if (slow && status->rate < STANDS_STILL)
        snprintf(text, room, "%.2f s, far from real time", status->time);
    else if (slow)
        snprintf(text, room, "%.2f s, only %.2g x real time", status->time, status->rate);
    else if (status->speed < 1 || status->speed > 1)
        snprintf(text, room, "%.2f s, %s x real time", status->time, rill_speed_names[viewer->settings.speed]);
    else
        snprintf(text, room, "%.2f s, real time", status->time);
    return slow;
}
