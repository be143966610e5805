/* rill: thin liquid on surfaces, from the command line. Picks the command; each has a file of its own. */
#include <errno.h>
#include <string.h>

#include "cli.h"

typedef struct command_entry {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} command_entry;

static const command_entry commands[] = {
    { "run", rill_cli_run, "simulate a scene and write log.csv (and fields)" },
    { "bake", rill_cli_bake, "simulate a scene and write meshes of its liquid, for Blender and others" },
    { "render", rill_cli_render, "draw a scene: a picture or a movie" },
    { "view", rill_cli_view, "play with a scene in a window" },
    { "check", rill_cli_check, "say everything that is wrong with scenes" },
    { "info", rill_cli_info, "say what a scene, mesh or heightmap is, and what of it cannot be represented" },
    { "hash", rill_cli_hash, "run some frames and print the state's hash" },
    { "validate", rill_cli_validate, "measure the reference cases" },
    { "bench", rill_cli_bench, "measure how fast the engine is here" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *file) {
    fprintf(file, "usage: rill COMMAND [arguments]\n\nThin liquid on surfaces, in real time.\n\ncommands:\n");
    for (int i = 0; i < COMMANDS; ++i) fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].about);
    fprintf(file, "\n`rill COMMAND --help` says more; `rill --version` prints the version.\n"
                  "Exit codes: 0 done, 1 found something wrong, 2 bad usage, 3 bad input, 4 the machine failed.\n");
}

/* Whatever was printed must have arrived: a full disk is a failure, not a success. */
static int finish(int code) {
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && code == RILL_EXIT_DONE) {
        fprintf(stderr, "rill: the output could not be written: %s\n", strerror(errno));
        return RILL_EXIT_MACHINE;
    }
    return code;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return finish(RILL_EXIT_DONE);
    }
    if (strcmp(name, "--version") == 0) {
        printf("rill %s\n", rill_version());
        return finish(RILL_EXIT_DONE);
    }
    for (int i = 0; i < COMMANDS; ++i)
        if (strcmp(name, commands[i].name) == 0) return finish(commands[i].run(argc - 1, argv + 1));
    if (*name) fprintf(stderr, "rill: unknown command '%s'\n\n", name);
    print_usage(stderr);
    return RILL_EXIT_USAGE;
}
