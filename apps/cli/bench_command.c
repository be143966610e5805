/* rill bench: its options. */
#include <stdio.h>

#include "bench/bench.h"
#include "cli.h"

typedef struct bench_command {
    rill_text_list names; /* none: all cases */
    int64_t repeats;
    rill_machine machine; /* only its `scalar` */
    const char *csv, *scenes;
    bool check, list;
} bench_command;

static int read_options(int argc, char **argv, bench_command *command) {
    const rill_option options[] = {
        { "--csv", "FILE", "also write the figures to FILE", RILL_OPTION_TEXT, &command->csv, 0, 0 },
        { "--case", "NAME", "only this case; may be repeated. A target that compares two cases needs both",
          RILL_OPTION_LIST, &command->names, 0, 0 },
        { "--repeats", "N", "default 300; from the third on, a case stops after four seconds all the same",
          RILL_OPTION_COUNT, &command->repeats, 1, 100000 },
        RILL_OPTION_SIMD(&command->machine),
        { "--scenes", "DIR", "the folder of the shipped scenes, if they are not found", RILL_OPTION_TEXT,
          &command->scenes, 0, 0 },
        { "--check", NULL, "exit with 1 when a target is missed", RILL_OPTION_FLAG, &command->check, 0, 0 },
        { "--list", NULL, "print the names of the cases", RILL_OPTION_FLAG, &command->list, 0, 0 },
    };
    const rill_command description = {
        .name = "bench",
        .arguments = "",
        .about = "Measures the engine's speed, each time as the minimum of repeats, beside the memory's own.\n"
                 "A step is one sub-step. ns/column counts all columns of the bed, wet or dry. `x triad` is that\n"
                 "time over what a[i] = b[i] + s * c[i] needs for 28 bytes. `x real` is simulated seconds per second.\n"
                 "`asked` are the bytes per column that the library has asked for at once, at most. Times are judged\n"
                 "as they would be on a machine at par, by this one's clock and memory beside each case.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    const char *arguments[1];
    size_t count;
    return rill_options_read(&description, argc, argv, arguments, &count);
}

static bool names_known(const rill_text_list *names) {
    for (size_t i = 0; i < names->count; ++i) {
        if (!rill_bench_has_case(names->items[i])) {
            fprintf(stderr, "rill bench: found '%s' for --case, expected one that rill bench --list prints\n",
                    names->items[i]);
            return false;
        }
    }
    return true;
}

int rill_cli_bench(int argc, char **argv) {
    bench_command command = { .repeats = 300 };
    int code = read_options(argc, argv, &command);
    if (code != RILL_EXIT_NOT_YET) return code;
    if (!names_known(&command.names)) return RILL_EXIT_USAGE;
    if (command.list) {
        rill_bench_print_list();
        return RILL_EXIT_DONE;
    }
    return rill_bench(&(rill_bench_request){ .names = command.names.items,
                                             .name_count = command.names.count,
                                             .repeats = (int32_t)command.repeats,
                                             .scalar = command.machine.scalar,
                                             .check = command.check,
                                             .csv = command.csv,
                                             .scenes = command.scenes });
}
