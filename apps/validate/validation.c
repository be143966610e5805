/* Runs the cases and prints the verdict. */
#include "validation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "console/console.h"

typedef struct known_case {
    int number;
    const char *title;
    void (*run)(rill_validation *v);
} known_case;

static const known_case cases[] = {
    { 1, "lake at rest", rill_case_lake },
    { 1, "lake at rest", rill_case_waves_lake },
    { 2, "ledger", rill_case_ledger },
    { 3, "dam break on a wet bed (Stoker)", rill_case_wet_dam },
    { 3, "dam break on a wet bed (Stoker)", rill_case_waves_dam },
    { 4, "dam break on a dry bed (Ritter)", rill_case_dry_dam },
    { 5, "dam break in paper mode (linear)", rill_case_linear_dam },
    { 6, "planar oscillation in a bowl (Thacker)", rill_case_bowl },
    { 7, "standing wave", rill_case_standing_wave },
    { 7, "standing wave", rill_case_waves_standing },
    { 8, "capillary and gravity waves", rill_case_capillary },
    { 8, "capillary and gravity waves", rill_case_waves_capillary },
    { 9, "film on a slope (Nusselt)", rill_case_film },
    { 10, "viscous puddle (Huppert)", rill_case_puddle },
    { 11, "vessels and flooded passages", rill_case_connected_wells },
    { 12, "broad-crested overflow", rill_case_crest },
    { 13, "drop on a level bed (Young, Laplace)", rill_case_sessile_drops },
    { 14, "puddle on a level bed", rill_case_tension_puddle },
    { 15, "meniscus at a wall", rill_case_meniscus },
    { 16, "floating cube (Archimedes)", rill_case_floating_cube },
    { 17, "floating sphere (Archimedes)", rill_case_floating_sphere },
    { 18, "heave of a strip", rill_case_heave },
    { 19, "light bodies", rill_case_light_bodies },
    { 20, "energy", rill_case_energy },
    { 21, "symmetry", rill_case_symmetry },
    { 22, "liquid on shells", rill_case_shells },
    { 23, "sleeping on versus off", rill_case_sleep },
    { 24, "fall of 50 mm", rill_case_falls },
    { 25, "solids that move", rill_case_moving_solids },
    { 26, "bodies afloat", rill_case_free_bodies },
    { 27, "bodies whose motion is prescribed", rill_case_prescribed_bodies },
    { 28, "Kandemir's method", rill_case_kandemir },
    { 29, "bodies in flooded passages", rill_case_bodies_in_passages },
    { 30, "drop on a slope (Furmidge)", rill_case_sliding_drops },
    { 31, "the paper of Wang et al., as printed and mended", rill_case_wang },
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

const char *rill_validate_title(int number) {
    for (size_t i = 0; i < CASE_COUNT; ++i)
        if (cases[i].number == number) return cases[i].title;
    return NULL;
}

static void run_cases(const rill_validate_request *request, rill_validation *validation) {
    for (size_t i = 0; i < CASE_COUNT; ++i) {
        if (request->any_wanted && !request->wanted[cases[i].number]) continue;
        if (validation->progress) {
            fprintf(stderr, "\r\033[Kcase %d: %s", cases[i].number, cases[i].title);
            fflush(stderr);
        }
        validation->number = cases[i].number;
        cases[i].run(validation);
    }
    if (validation->progress) fputs("\r\033[K", stderr);
}

/* Closes the file as well. */
static bool write_csv(const rill_validation *validation, FILE *file) {
    rill_validation_print_csv(validation, file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

static void complain_of_file(const char *path) {
    fprintf(stderr, "rill validate: %s: could not be written: %s\n", path, strerror(errno));
}

static void print_verdict(const rill_validation *validation) {
    size_t checks = 0;
    for (size_t i = 0; i < validation->row_count; ++i) checks += validation->rows[i].check.relation != RILL_NOTE;
    size_t failures = rill_validation_failures(validation);
    printf("\n%zu checks, %zu passed, %zu failed%s\n", checks, checks - failures, failures,
           validation->quick ? " (quick: fewer steps, see the rows)" : "");
}

int rill_validate(const rill_validate_request *request) {
    FILE *csv = request->csv ? fopen(request->csv, "w") : NULL; /* before the long run, which would be in vain */
    if (request->csv && !csv) {
        complain_of_file(request->csv);
        return RILL_EXIT_MACHINE;
    }
    rill_validation validation = { .quick = request->quick,
                                   .scalar = request->scalar,
                                   .progress = isatty(STDERR_FILENO) != 0,
                                   .threads = request->threads };
    run_cases(request, &validation);
    if (request->markdown)
        rill_validation_print_markdown(&validation, stdout);
    else
        rill_validation_print(&validation, stdout);
    print_verdict(&validation);
    int code = rill_validation_failures(&validation) ? RILL_EXIT_WRONG : RILL_EXIT_DONE;
    if (csv && !write_csv(&validation, csv)) {
        complain_of_file(request->csv);
        code = RILL_EXIT_MACHINE;
    }
    if (validation.out_of_memory) {
        fputs("rill validate: out of memory\n", stderr);
        code = RILL_EXIT_MACHINE;
    }
    rill_validation_free(&validation);
    return code;
}
