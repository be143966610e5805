/* rill validate: its options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "validate/validation.h"

static void print_help(FILE *file) {
    fputs("usage: rill validate [--case N]... [--quick] [--csv FILE] [--markdown] [--threads N] [--simd on|off]\n"
          "\n"
          "Runs the reference cases and prints what was measured beside what it should be.\n"
          "\n"
          "  --case N      only this case; may be repeated\n"
          "  --quick       the short form: fewer steps where a case is about many steps; the table says how many\n"
          "  --csv FILE    write the table to a file as well\n"
          "  --markdown    print the table as Markdown\n"
          "  --threads N   1 to 256; default 1. The values do not depend on it\n"
          "  --simd off    plain scalar kernels. The values do not depend on it\n"
          "  --help        this text\n"
          "\n"
          "Exit code: 0 all pass, 1 something failed, 2 bad usage, 4 out of memory or the file could not be written.\n"
          "\n"
          "Cases:\n",
          file);
    for (int number = 1; number < RILL_VALIDATE_NUMBERS; ++number) {
        const char *title = rill_validate_title(number);
        if (title) fprintf(file, "  %2d  %s\n", number, title);
    }
}

static bool parse_number(const char *option, const char *text, long low, long high, long *out) {
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        fprintf(stderr, "rill validate: %s %s: expected a whole number from %ld to %ld\n", option, text, low, high);
        return false;
    }
    *out = value;
    return true;
}

static bool want_case(rill_validate_request *request, const char *text) {
    long number = 0;
    if (!parse_number("--case", text, 1, RILL_VALIDATE_NUMBERS - 1, &number)) return false;
    if (rill_validate_title((int)number)) {
        request->wanted[number] = request->any_wanted = true;
        return true;
    }
    fprintf(stderr, "rill validate: --case %ld: no such case; rill validate --help lists them\n", number);
    return false;
}

static bool parse_valued(rill_validate_request *request, const char *option, const char *value) {
    if (strcmp(option, "--case") == 0) return want_case(request, value);
    if (strcmp(option, "--csv") == 0) {
        request->csv = value;
        return true;
    }
    if (strcmp(option, "--threads") == 0) {
        long threads = 1;
        bool good = parse_number(option, value, 1, 256, &threads);
        request->threads = (int)threads;
        return good;
    }
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0) {
        fprintf(stderr, "rill validate: --simd %s: expected on or off\n", value);
        return false;
    }
    request->scalar = strcmp(value, "off") == 0;
    return true;
}

static bool parse(int argc, char **argv, rill_validate_request *request, bool *help) {
    static const char *const valued[] = { "--case", "--csv", "--threads", "--simd" };
    for (int i = 1; i < argc; ++i) {
        const char *option = argv[i];
        bool takes_value = false;
        for (size_t k = 0; k < sizeof valued / sizeof valued[0]; ++k) takes_value |= strcmp(option, valued[k]) == 0;
        if (takes_value) {
            if (i + 1 == argc) {
                fprintf(stderr, "rill validate: %s: expected a value after it\n", option);
                return false;
            }
            if (!parse_valued(request, option, argv[++i])) return false;
        } else if (strcmp(option, "--quick") == 0) {
            request->quick = true;
        } else if (strcmp(option, "--markdown") == 0) {
            request->markdown = true;
        } else if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            *help = true;
        } else {
            fprintf(stderr, "rill validate: %s: unknown option; rill validate --help lists them\n", option);
            return false;
        }
    }
    return true;
}

int rill_cli_validate(int argc, char **argv) {
    rill_validate_request request = { .threads = 1 };
    bool help = false;
    if (!parse(argc, argv, &request, &help)) return RILL_EXIT_USAGE;
    if (help) {
        print_help(stdout);
        return RILL_EXIT_DONE;
    }
    return rill_validate(&request);
}
