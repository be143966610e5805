/* `rill bench`: options, table and CSV. See docs/performance.md for what the figures mean. */
#include "bench.h"
#include "bench_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 32, MAX_ROWS = 32, DEFAULT_REPEATS = 300, MAX_REPEATS = 100000 };

typedef struct bench_command {
    rill_bench_options options;
    const char *csv;
    const char *names[MAX_NAMES]; /* none: all cases */
    size_t name_count;
    bool check, list, help;
} bench_command;

static const char usage[] =
    "usage: rill bench [--csv FILE] [--case NAME]... [--repeats N] [--simd off] [--scenes DIR] [--check]\n"
    "\n"
    "Measures the engine's speed, each time as the minimum of repeats, beside the machine's memory bandwidth.\n"
    "\n"
    "  --csv FILE     also write the figures to FILE\n"
    "  --case NAME    only this case; may be given several times. Targets that compare two cases need both\n"
    "  --repeats N    1 to 100000, default 300; a case stops after four seconds all the same\n"
    "  --simd off     plain scalar kernels (on: the best the processor has, the default)\n"
    "  --scenes DIR   the folder of the shipped scenes, if it is not found\n"
    "  --check        exit with 1 when a target is missed\n"
    "  --list         print the names of the cases\n"
    "  --help         print this\n"
    "\n"
    "A step is one sub-step. ns/column counts all columns of the bed, wet or dry. `x triad` is that time over what\n"
    "a[i] = b[i] + s * c[i] needs for 28 bytes. `x real` is simulated seconds per second.\n";

/* ----------------------------------------------------------------------------------------------------------- options */

static int refuse(const char *what, const char *value, const char *expected) {
    fprintf(stderr, "rill bench: %s%s%s, expected %s (see rill bench --help)\n", what, value[0] != '\0' ? " " : "", value,
            expected);
    return 2;
}

static bool is_case(const char *name) {
    size_t count;
    const rill_bench_case *cases = rill_bench_cases(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(cases[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int take_value(bench_command *command, const char *option, const char *value) {
    if (strcmp(option, "--csv") == 0) {
        command->csv = value;
    } else if (strcmp(option, "--scenes") == 0) {
        command->options.scenes = value;
    } else if (strcmp(option, "--case") == 0) {
        if (!is_case(value)) {
            return refuse("no case", value, "one that rill bench --list prints");
        }
        if (command->name_count == MAX_NAMES) {
            return refuse("too many cases", "", "at most 32");
        }
        command->names[command->name_count++] = value;
    } else if (strcmp(option, "--simd") == 0) {
        if (strcmp(value, "off") != 0 && strcmp(value, "on") != 0) {
            return refuse("--simd", value, "on or off");
        }
        command->options.scalar = strcmp(value, "off") == 0;
    } else {
        char *end;
        const long repeats = strtol(value, &end, 10);
        if (end == value || *end != '\0' || repeats < 1 || repeats > MAX_REPEATS) {
            return refuse("--repeats", value, "a number from 1 to 100000");
        }
        command->options.repeats = (int32_t)repeats;
    }
    return 0;
}

static int parse(int argc, char **argv, bench_command *command) {
    static const char *const with_value[] = {"--csv", "--case", "--repeats", "--simd", "--scenes"};
    for (int i = 1; i < argc; i++) {
        bool takes_value = false;
        for (size_t k = 0; k < sizeof with_value / sizeof with_value[0]; k++) {
            takes_value = takes_value || strcmp(argv[i], with_value[k]) == 0;
        }
        if (takes_value) {
            if (i + 1 == argc) {
                return refuse(argv[i], "", "a value after it");
            }
            const int code = take_value(command, argv[i], argv[i + 1]);
            if (code != 0) {
                return code;
            }
            i++;
        } else if (strcmp(argv[i], "--check") == 0) {
            command->check = true;
        } else if (strcmp(argv[i], "--list") == 0) {
            command->list = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            command->help = true;
        } else {
            return refuse("unknown argument", argv[i], "an option");
        }
    }
    return 0;
}

static bool is_wanted(const bench_command *command, const char *name) {
    for (size_t i = 0; i < command->name_count; i++) {
        if (strcmp(command->names[i], name) == 0) {
            return true;
        }
    }
    return command->name_count == 0;
}

/* ------------------------------------------------------------------------------------------------------------ output */

static void print_list(void) {
    size_t count;
    const rill_bench_case *cases = rill_bench_cases(&count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(cases[i].name, cases[i - 1].name) != 0) { /* one name may run on one and on two threads */
            puts(cases[i].name);
        }
    }
}

static void print_head(void) {
    printf("%-19s %9s %7s %9s %10s %7s %8s %8s  %-48s %s\n", "case", "columns", "threads", "ns/column", "ms/step",
           "B/col", "x triad", "x real", "measured and target", "verdict");
}

/* One line per target; the figures stand on the first. Returns how many targets were missed. */
static int print_row(const rill_bench_row *rows, size_t count) {
    static const char *const verdicts[] = {"met", "MISSED", "not judged"};
    const rill_bench_row *row = &rows[count - 1];
    printf("%-19s %9lld %7d %9.3f %10.4f %7.1f %8.2f %8.2f", row->name, (long long)row->columns, (int)row->threads,
           row->ns_per_column_step, row->ms_per_step, row->bytes_per_column, row->times_triad, row->real_time_factor);
    char text[64];
    rill_bench_verdict verdict;
    int missed = 0;
    for (int i = 0; rill_bench_target(rows, count, i, text, &verdict); i++) {
        printf("%*s  %-48s %s", i == 0 ? 0 : 84, "", text, verdicts[verdict]);
        missed += verdict == RILL_BENCH_MISSED ? 1 : 0;
        putchar('\n');
    }
    if (!rill_bench_target(rows, count, 0, text, &verdict)) {
        putchar('\n');
    }
    fflush(stdout);
    return missed;
}

static int write_csv(const char *path, const rill_bench_row *rows, size_t count) {
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "case,columns,threads,ns_per_column_step,ms_per_step,bytes_per_column,times_triad,"
                      "real_time_factor\n");
        for (size_t i = 0; i < count; i++) {
            fprintf(file, "%s,%lld,%d,%.6g,%.6g,%.6g,%.6g,%.6g\n", rows[i].name, (long long)rows[i].columns,
                    (int)rows[i].threads, rows[i].ns_per_column_step, rows[i].ms_per_step, rows[i].bytes_per_column,
                    rows[i].times_triad, rows[i].real_time_factor);
        }
    }
    const bool failed = file == NULL || ferror(file) != 0;
    if ((file != NULL && fclose(file) != 0) || failed) {
        fprintf(stderr, "rill bench: %s: %s\n", path, strerror(errno));
        return 4;
    }
    return 0;
}

int rill_cli_bench(int argc, char **argv) {
    bench_command command = {.options = {.repeats = DEFAULT_REPEATS}};
    int code = parse(argc, argv, &command);
    if (code != 0) {
        return code;
    }
    if (command.help || command.list) {
        command.help ? (void)fputs(usage, stdout) : print_list();
        return 0;
    }
    size_t case_count, row_count = 0;
    const rill_bench_case *cases = rill_bench_cases(&case_count);
    rill_bench_row rows[MAX_ROWS];
    int missed = 0;
    print_head();
    for (size_t i = 0; i < case_count && row_count < MAX_ROWS; i++) {
        if (is_wanted(&command, cases[i].name)) {
            code = rill_bench_measure(&cases[i], &command.options, &rows[row_count]);
            if (code != 0) {
                return code;
            }
            missed += print_row(rows, ++row_count);
        }
    }
    if (command.csv != NULL) {
        code = write_csv(command.csv, rows, row_count);
    }
    return code != 0 ? code : command.check && missed > 0 ? 1 : 0;
}
