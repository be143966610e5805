/* `rill bench --case frame_surgery` in a build without graphics libraries: says what is missing. */
#include "bench_internal.h"
#include "console/console.h"

#include <stdio.h>

int rill_bench_frame(const char *path) {
    (void)path;
    fprintf(stderr, "rill bench: %s: this program was built without graphics\n", RILL_BENCH_FRAME);
    return RILL_EXIT_MACHINE;
}
