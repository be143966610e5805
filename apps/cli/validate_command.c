/* `rill validate`: options, the list of cases, and the verdict. */
#include "validate.h"
#include "validate_cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct known_case {
    int number;
    const char *title;
    void (*run)(rill_validation *v);
} known_case;

static const known_case cases[] = {
    { 1, "lake at rest", rill_case_lake },
    { 2, "ledger", rill_case_ledger },
    { 3, "dam break on a wet bed (Stoker)", rill_case_wet_dam },
    { 4, "dam break on a dry bed (Ritter)", rill_case_dry_dam },
    { 5, "dam break in paper mode (linear)", rill_case_linear_dam },
    { 6, "planar oscillation in a bowl (Thacker)", rill_case_bowl },
    { 7, "standing wave", rill_case_standing_wave },
    { 9, "film on a slope (Nusselt)", rill_case_film },
    { 10, "viscous puddle (Huppert)", rill_case_puddle },
    { 11, "vessels and flooded passages", rill_case_vessels },
    { 12, "broad-crested overflow", rill_case_crest },
    { 16, "floating cube (Archimedes)", rill_case_floating_cube },
    { 17, "floating sphere (Archimedes)", rill_case_floating_sphere },
    { 18, "heave of a strip", rill_case_heave },
    { 19, "light bodies", rill_case_light },
    { 20, "energy", rill_case_energy },
    { 21, "symmetry", rill_case_symmetry },
    { 23, "sleeping on versus off", rill_case_sleep },
    { 25, "solids that move", rill_case_moving },
    { 26, "bodies afloat", rill_case_afloat },
    { 27, "bodies that go as they are told", rill_case_told },
    { 28, "Kandemir's method", rill_case_kandemir },
    { 29, "bodies in flooded passages", rill_case_plugs },
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

typedef struct options {
    rill_validation validation;
    bool wanted[CASE_COUNT];
    bool any_wanted, markdown, help;
    const char *csv;
} options;

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
    for (size_t i = 0; i < CASE_COUNT; i++) {
        fprintf(file, "  %2d  %s\n", cases[i].number, cases[i].title);
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

static bool want_case(options *o, const char *text) {
    long number = 0;
    if (!parse_number("--case", text, 1, 99, &number)) {
        return false;
    }
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (cases[i].number == number) {
            o->wanted[i] = o->any_wanted = true;
            return true;
        }
    }
    fprintf(stderr, "rill validate: --case %ld: no such case; rill validate --help lists them\n", number);
    return false;
}

static bool parse_valued(options *o, const char *option, const char *value) {
    if (strcmp(option, "--case") == 0) {
        return want_case(o, value);
    }
    if (strcmp(option, "--csv") == 0) {
        o->csv = value;
        return true;
    }
    if (strcmp(option, "--threads") == 0) {
        long threads = 1;
        bool good = parse_number(option, value, 1, 256, &threads);
        o->validation.threads = (int)threads;
        return good;
    }
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0) {
        fprintf(stderr, "rill validate: --simd %s: expected on or off\n", value);
        return false;
    }
    o->validation.scalar = strcmp(value, "off") == 0;
    return true;
}

static bool parse(options *o, int argc, char **argv) {
    static const char *const valued[] = { "--case", "--csv", "--threads", "--simd" };
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        bool takes_value = false;
        for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++) {
            takes_value |= strcmp(option, valued[k]) == 0;
        }
        if (takes_value) {
            if (i + 1 == argc) {
                fprintf(stderr, "rill validate: %s: expected a value after it\n", option);
                return false;
            }
            if (!parse_valued(o, option, argv[++i])) {
                return false;
            }
        } else if (strcmp(option, "--quick") == 0) {
            o->validation.quick = true;
        } else if (strcmp(option, "--markdown") == 0) {
            o->markdown = true;
        } else if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            o->help = true;
        } else {
            fprintf(stderr, "rill validate: %s: unknown option; rill validate --help lists them\n", option);
            return false;
        }
    }
    return true;
}

static void run_cases(options *o) {
    rill_validation *v = &o->validation;
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (o->any_wanted && !o->wanted[i]) {
            continue;
        }
        if (v->progress) {
            fprintf(stderr, "\r\033[Kcase %d: %s", cases[i].number, cases[i].title);
            fflush(stderr);
        }
        v->number = cases[i].number;
        cases[i].run(v);
    }
    if (v->progress) {
        fputs("\r\033[K", stderr);
    }
}

/* Closes the file as well. */
static bool write_csv(const options *o, FILE *file) {
    rill_validation_print_csv(&o->validation, file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

static void complain_of_file(const options *o) {
    fprintf(stderr, "rill validate: %s: could not be written: %s\n", o->csv, strerror(errno));
}

static void print_verdict(const rill_validation *v) {
    size_t checks = 0;
    for (size_t i = 0; i < v->row_count; i++) {
        checks += v->rows[i].check.relation != RILL_NOTE;
    }
    size_t failures = rill_validation_failures(v);
    printf("\n%zu checks, %zu passed, %zu failed%s\n", checks, checks - failures, failures,
           v->quick ? " (quick: fewer steps, see the rows)" : "");
}

int rill_cli_validate(int argc, char **argv) {
    options o = { .validation = { .threads = 1 } };
    if (!parse(&o, argc, argv)) {
        return 2;
    }
    if (o.help) {
        print_help(stdout);
        return 0;
    }
    FILE *csv = o.csv ? fopen(o.csv, "w") : NULL; /* before the long run, which would be in vain */
    if (o.csv && !csv) {
        complain_of_file(&o);
        return 4;
    }
    rill_validation *v = &o.validation;
    v->progress = isatty(STDERR_FILENO) != 0;
    run_cases(&o);
    if (o.markdown) {
        rill_validation_print_markdown(v, stdout);
    } else {
        rill_validation_print(v, stdout);
    }
    print_verdict(v);
    int code = rill_validation_failures(v) ? 1 : 0;
    if (csv && !write_csv(&o, csv)) {
        complain_of_file(&o);
        code = 4;
    }
    if (v->out_of_memory) {
        fputs("rill validate: out of memory\n", stderr);
        code = 4;
    }
    rill_validation_free(v);
    return code;
}
