/* Options from tables: --name value, --name=value, flags, "--" to end them, --help everywhere. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_help(const rill_command *command) {
    printf("usage: rill %s %s [options]\n\n%s\n\noptions:\n", command->name, command->arguments, command->about);
    for (size_t i = 0; i <= command->option_count; ++i) {
        char head[64] = "--help";
        const char *help = "show this";
        if (i < command->option_count) {
            const rill_option *option = &command->options[i];
            snprintf(head, sizeof head, "%s %s", option->name, option->value ? option->value : "");
            help = option->help;
        }
        printf("  %-18s %s\n", head, help);
    }
}

static int complain(const rill_command *command, const char *what, const char *which, const char *expected) {
    fprintf(stderr, "rill %s: %s%s%s%s%s\n", command->name, what, which ? " '" : "", which ? which : "",
            which ? "'" : "", expected);
    fprintf(stderr, "usage: rill %s %s [options]; rill %s --help says more\n", command->name, command->arguments,
            command->name);
    return RILL_EXIT_USAGE;
}

static int refuse_value(const rill_command *command, const rill_option *option, const char *text,
                        const char *expected) {
    fprintf(stderr, "rill %s: found '%s' for %s, expected %s\n", command->name, text, option->name, expected);
    return RILL_EXIT_USAGE;
}

static int take_number(const rill_command *command, const rill_option *option, const char *text) {
    char *end, expected[96];
    errno = 0;
    double value = strtod(text, &end);
    bool whole = option->kind == RILL_OPTION_COUNT;
    bool good = end != text && !*end && isfinite(value) && value >= option->low && value <= option->high;
    if (!good || (whole && value != floor(value))) {
        snprintf(expected, sizeof expected, "a %snumber from %g to %g", whole ? "whole " : "", option->low,
                 option->high);
        return refuse_value(command, option, text, expected);
    }
    if (whole) {
        *(int64_t *)option->target = (int64_t)value; /* limits are far below 2^53 */
    } else {
        *(double *)option->target = value;
    }
    return RILL_EXIT_NOT_YET;
}

static int take_value(const rill_command *command, const rill_option *option, const char *text) {
    rill_text_list *list = option->target;
    switch (option->kind) {
    case RILL_OPTION_NUMBER:
    case RILL_OPTION_COUNT: return take_number(command, option, text);
    case RILL_OPTION_OFF:
        if (strcmp(text, "off") != 0 && strcmp(text, "on") != 0)
            return refuse_value(command, option, text, "off or on");
        *(bool *)option->target = text[1] == 'f';
        return RILL_EXIT_NOT_YET;
    case RILL_OPTION_LIST:
        if (list->count == RILL_LIST_LIMIT) return refuse_value(command, option, text, "no more than 64 of them");
        list->items[list->count++] = text;
        return RILL_EXIT_NOT_YET;
    default:
        if (!*text) return refuse_value(command, option, text, option->value);
        *(const char **)option->target = text;
        return RILL_EXIT_NOT_YET;
    }
}

static const rill_option *find(const rill_command *command, const char *argument, size_t length) {
    for (size_t i = 0; i < command->option_count; ++i) {
        const char *name = command->options[i].name;
        if (strlen(name) == length && strncmp(name, argument, length) == 0) return &command->options[i];
    }
    return NULL;
}

/* Handles the option at argv[*at] and moves on over its value. */
static int take_option(const rill_command *command, int argc, char **argv, int *at) {
    const char *argument = argv[*at];
    const char *equals = strchr(argument, '=');
    const rill_option *option = find(command, argument, equals ? (size_t)(equals - argument) : strlen(argument));
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
        print_help(command);
        return RILL_EXIT_DONE;
    }
    if (!option) return complain(command, "unknown option", argument, "");
    if (option->kind == RILL_OPTION_FLAG) {
        if (equals) return complain(command, "unknown option", argument, " (it takes no value)");
        *(bool *)option->target = true;
        return RILL_EXIT_NOT_YET;
    }
    if (equals) return take_value(command, option, equals + 1);
    if (*at + 1 >= argc) return complain(command, "no value after", option->name, ", expected one");
    return take_value(command, option, argv[++*at]);
}

int rill_options_read(const rill_command *command, int argc, char **argv, const char **arguments, size_t *count) {
    bool options = true;
    *count = 0;
    for (int at = 1; at < argc; ++at) {
        if (options && strcmp(argv[at], "--") == 0) {
            options = false;
        } else if (options && argv[at][0] == '-' && argv[at][1]) {
            int code = take_option(command, argc, argv, &at);
            if (code != RILL_EXIT_NOT_YET) return code;
        } else if (*count == command->most) {
            return complain(command, "one argument too many:", argv[at], "");
        } else {
            arguments[(*count)++] = argv[at];
        }
    }
    if (*count < command->least) {
        char expected[64];
        snprintf(expected, sizeof expected, ", expected %s", command->arguments);
        return complain(command, "an argument is missing", NULL, expected);
    }
    return RILL_EXIT_NOT_YET;
}
