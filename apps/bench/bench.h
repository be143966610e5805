/* `rill bench`: how fast the engine is on this machine, beside the machine's own memory bandwidth. */
#ifndef RILL_BENCH_BENCH_H
#define RILL_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rill_bench_request {
    const char *const *names; /* of the cases to run */
    size_t name_count;        /* 0: all of them */
    int32_t repeats;
    bool scalar;        /* without vector code */
    bool check;         /* a missed target is a failure */
    const char *csv;    /* file to write the figures to as well, or NULL */
    const char *scenes; /* folder of the shipped scenes; NULL: it is looked for */
} rill_bench_request;

bool rill_bench_has_case(const char *name);
void rill_bench_print_list(void);
/* Returns an exit code: wrong when a target was missed and that counts, input when a scene is missing or bad, machine
 * when there is no memory or the file could not be written. */
int rill_bench(const rill_bench_request *request);

#endif
