/* Shared by the commands of `rill`: options, opening a scene. */
#ifndef RILL_CLI_CLI_H
#define RILL_CLI_CLI_H

#include "console/console.h"

int rill_cli_run(int argc, char **argv);
int rill_cli_render(int argc, char **argv);
int rill_cli_view(int argc, char **argv);
int rill_cli_check(int argc, char **argv);
int rill_cli_info(int argc, char **argv);
int rill_cli_hash(int argc, char **argv);
int rill_cli_bake(int argc, char **argv);
int rill_cli_validate(int argc, char **argv);
int rill_cli_bench(int argc, char **argv);

/* ---------------------------------------------------------------------------------------------------------- options */

typedef enum rill_option_kind {
    RILL_OPTION_FLAG = 0, /* bool: true when given */
    RILL_OPTION_NUMBER,   /* double, low to high */
    RILL_OPTION_COUNT,    /* int64_t, low to high */
    RILL_OPTION_TEXT,     /* const char * */
    RILL_OPTION_OFF,      /* bool: `off` makes it true, `on` false */
    RILL_OPTION_LIST      /* rill_text_list: may be given several times */
} rill_option_kind;

enum { RILL_LIST_LIMIT = 64 };
typedef struct rill_text_list {
    const char *items[RILL_LIST_LIMIT];
    size_t count;
} rill_text_list;

typedef struct rill_option {
    const char *name, *value; /* "--until", "T"; no value for flags */
    const char *help;
    rill_option_kind kind;
    void *target;
    double low, high; /* of numbers and counts */
} rill_option;

typedef struct rill_command {
    const char *name;      /* "run" */
    const char *arguments; /* "SCENE" */
    const char *about;     /* one paragraph */
    const rill_option *options;
    size_t option_count;
    size_t least, most; /* arguments that are no options */
} rill_command;

/* Fills the targets, and `arguments` with what is no option. RILL_EXIT_NOT_YET: go on; otherwise the code to leave
 * with, after --help or a complaint. */
int rill_options_read(const rill_command *command, int argc, char **argv, const char **arguments, size_t *count);

/* The options that a runtime is made from, for tables: --threads N and --simd off. */
typedef struct rill_machine {
    int64_t threads;
    bool scalar;
} rill_machine;
rill_runtime rill_machine_runtime(const rill_machine *machine);

#define RILL_OPTION_SET(list)                                                                                          \
    {                                                                                                                  \
        "--set", "KEY=VALUE", "replace a value of the scene, as in --set liquid.viscosity=1e-5", RILL_OPTION_LIST,     \
            list, 0, 0                                                                                                 \
    }
#define RILL_OPTION_THREADS(machine)                                                                                   \
    {                                                                                                                  \
        "--threads", "N", "threads to use (default 1); results do not depend on it", RILL_OPTION_COUNT,                \
            &(machine)->threads, 1, 256                                                                                \
    }
#define RILL_OPTION_SIMD(machine)                                                                                      \
    { "--simd", "off", "use plain scalar code; results do not depend on it", RILL_OPTION_OFF, &(machine)->scalar, 0, 0 }

/* ----------------------------------------------------------------------------------------------------------- scenes */

/* Loads a scene and creates its world; complaints go to stderr. Returns an exit code; on anything but
 * RILL_EXIT_DONE both are NULL. */
int rill_cli_open(const char *path, const rill_text_list *sets, const rill_machine *machine, rill_scene **scene,
                  rill_world **world);
/* Returns where results go unless told otherwise: out/<the scene file's name without folder and ending>; free() it.
 * NULL: no memory. */
char *rill_cli_folder(const char *path);

#endif
