/* Runs the cases and prints table and CSV. See docs/performance.md for what the figures mean. */
#include "bench.h"
#include "bench_internal.h"
#include "console/console.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ROWS = 64 };

bool rill_bench_has_case(const char *name) {
    size_t count;
    const rill_bench_case *cases = rill_bench_cases(&count);
    for (size_t i = 0; i < count; ++i)
        if (strcmp(cases[i].name, name) == 0) return true;
    return strcmp(name, RILL_BENCH_WANG_TABLE) == 0 || strcmp(name, RILL_BENCH_FRAME) == 0;
}

static bool is_wanted(const rill_bench_request *request, const char *name) {
    for (size_t i = 0; i < request->name_count; ++i)
        if (strcmp(request->names[i], name) == 0) return true;
    return request->name_count == 0;
}

/* ---------------------------------------------------------------------------------------------------------- output */

void rill_bench_print_list(void) {
    size_t count;
    const rill_bench_case *cases = rill_bench_cases(&count);
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || strcmp(cases[i].name, cases[i - 1].name) != 0) { /* one name may run on one and on two threads */
            puts(cases[i].name);
        }
    }
    puts(RILL_BENCH_WANG_TABLE);
    puts(RILL_BENCH_FRAME);
}

static void print_head(void) {
    printf("%-19s %9s %7s %9s %10s %7s %7s %8s %8s  %-48s %s\n", "case", "columns", "threads", "ns/column", "ms/step",
           "B/col", "asked", "x triad", "x real", "measured and target", "verdict");
}

/* One line per target; the figures stand on the first. Returns how many targets were missed. */
static int print_row(const rill_bench_row *rows, size_t count) {
    static const char *const verdicts[] = { "met", "MISSED", "not judged" };
    const rill_bench_row *row = &rows[count - 1];
    printf("%-19s %9lld %7d %9.3f %10.4f %7.1f %7.1f %8.2f %8.2f", row->name, (long long)row->columns,
           (int)row->threads, row->ns_per_column_step, row->ms_per_step, row->bytes_per_column, row->asked_per_column,
           row->times_triad, row->real_time_factor);
    char text[64];
    rill_bench_verdict verdict;
    int missed = 0;
    for (int i = 0; rill_bench_target(rows, count, i, text, &verdict); ++i) {
        printf("%*s  %-48s %s", i == 0 ? 0 : 92, "", text, verdicts[verdict]);
        missed += verdict == RILL_BENCH_MISSED ? 1 : 0;
        putchar('\n');
    }
    if (!rill_bench_target(rows, count, 0, text, &verdict)) putchar('\n');
    fflush(stdout);
    return missed;
}

static void write_csv_head(FILE *file) {
    fputs("case,columns,threads,ns_per_column_step,ms_per_step,bytes_per_column,times_triad,real_time_factor,"
          "asked_per_column,cycle_ns,triad_ns,times_par\n",
          file);
}

static void write_csv_row(FILE *file, const rill_bench_row *row) {
    fprintf(file, "%s,%lld,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", row->name, (long long)row->columns,
            (int)row->threads, row->ns_per_column_step, row->ms_per_step, row->bytes_per_column, row->times_triad,
            row->real_time_factor, row->asked_per_column, row->cycle_ns, row->triad_ns, rill_bench_par(row));
}

static int complain_file(const char *path) {
    fprintf(stderr, "rill bench: %s: %s\n", path, strerror(errno));
    return RILL_EXIT_MACHINE;
}

/* On a terminal, says what is being measured. */
static void show_progress(int round, int rounds, const char *name) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\rround %d of %d: %-24s", round + 1, rounds, name);
}

static void clear_progress(void) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%50s\r", "");
}

/* Keeps the better of two measurements of a case. */
static void keep_best(rill_bench_row *best, const rill_bench_row *again) {
    const double triad = fmin(best->triad_ns, again->triad_ns), asked = best->asked_per_column;
    const double beats = fmin(best->beats_per_step, again->beats_per_step);
    const double falls = fmin(best->us_of_falls, again->us_of_falls);
    if (again->ns_per_column_step < best->ns_per_column_step) *best = *again;
    best->beats_per_step = beats;
    best->us_of_falls = falls;
    best->triad_ns = triad; /* the fastest as well */
    best->times_triad = best->ns_per_column_step / triad;
    best->asked_per_column = asked;
}

/* Runs the wanted cases; `missed` counts targets. The whole list is run several times: a processor changes its speed
 * within a minute, and each case should be met at its best. */
static int run_cases(const rill_bench_request *request, FILE *csv, int *missed) {
    enum { ROUNDS = 3 };
    const rill_bench_options options = { .repeats = request->repeats,
                                         .scalar = request->scalar,
                                         .scenes = request->scenes };
    size_t case_count, row_count = 0;
    const rill_bench_case *cases = rill_bench_cases(&case_count);
    rill_bench_row rows[MAX_ROWS], row;
    for (int round = 0; round < ROUNDS; ++round) {
        row_count = 0;
        for (size_t i = 0; i < case_count && row_count < MAX_ROWS; ++i) {
            if (!is_wanted(request, cases[i].name)) continue;
            show_progress(round, ROUNDS, cases[i].name);
            int code = rill_bench_measure(&cases[i], &options, &row);
            code = code == RILL_EXIT_DONE && round == 0 ? rill_bench_weigh(&cases[i], &options, &row) : code;
            if (code != RILL_EXIT_DONE) return code;
            if (round == 0)
                rows[row_count] = row;
            else
                keep_best(&rows[row_count], &row);
            ++row_count;
        }
    }
    clear_progress();
    if (row_count > 0) print_head();
    for (size_t i = 0; i < row_count; ++i) {
        if (csv != NULL) write_csv_row(csv, &rows[i]);
        *missed += print_row(rows, i + 1);
    }
    return RILL_EXIT_DONE;
}

int rill_bench(const rill_bench_request *request) {
    FILE *csv = request->csv != NULL ? fopen(request->csv, "w") : NULL;
    if (request->csv != NULL && csv == NULL) return complain_file(request->csv);
    if (csv != NULL) write_csv_head(csv);
    int missed = 0;
    int code = run_cases(request, csv, &missed);
    if (csv != NULL) {
        const bool failed = ferror(csv) != 0;
        code = (fclose(csv) != 0 || failed) && code == RILL_EXIT_DONE ? complain_file(request->csv) : code;
    }
    /* It is a table of its own, and takes minutes: only by its name. */
    if (code == RILL_EXIT_DONE && request->name_count > 0 && is_wanted(request, RILL_BENCH_WANG_TABLE))
        code = rill_bench_wang_table();
    if (code == RILL_EXIT_DONE && request->name_count > 0 && is_wanted(request, RILL_BENCH_FRAME)) {
        char path[1024];
        code = rill_bench_find_scene("surgery", request->scenes, path, sizeof path) ? rill_bench_frame(path)
                                                                                    : RILL_EXIT_MACHINE;
    }
    return code == RILL_EXIT_DONE && request->check && missed > 0 ? RILL_EXIT_WRONG : code;
}
