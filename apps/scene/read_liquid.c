/* liquid and solver. */
#include <string.h>

#include "read_scene.h"

static const rill_range DENSITY = { 1e-3, 1e6, false, "kg/m3" };
static const rill_range VISCOSITY = { 0, 1e6, false, "m2/s" };
static const rill_range TENSION = { 0, 1e3, false, "N/m" };
static const rill_range DRYING = { 0, 1e15, false, "s; 0: never" };
static const rill_range FRICTION = { 0, 1, true, "fraction of speed kept per second" };
static const rill_range ORIFICE = { 0, 1, false, "discharge coefficient; 0: no loss" };
static const rill_range PIPE_LENGTH = { 0, 1e7, false, "m; 0: the cell size" };
static const rill_range PIPE_AREA = { 0, 1e14, false, "m2; 0: the square of the cell size" };
static const rill_range TIME_STEP = { 0, 3600, false, "s; 0: as long as is stable" };
static const rill_range VANISHING = { 0, 1, true, "part of a flow that is left after a second" };
static const rill_range QUOTIENT = { 0, 1, false, "1/Pa2" };
static const rill_range ATMOSPHERE = { 0, 1e9, false, "Pa" };
static const rill_range THETA = { 0.5, 1, false, "share of a sub-step's end in what drives it" };
static const rill_range WAVE_STEP = { 0, 3600, false, "s; 0: a whole step" };
static const rill_range TOLERANCE = { 0, 1, true, "part of the error that a solve leaves" };
static const rill_range FORCE = { -1e9, 1e9, false, "N" };
static const rill_range TAU = { 0, 1, false, "tau of Eq. 7" };
static const rill_range FRICTION_DEPTH = { 0, 1e7, false, "m" };
static const rill_range RESIDUAL = { 0, 1, true, "part of the largest residual that a solve leaves" };
enum { SUBSTEPS_LIMIT = 1000000, ITERATIONS_LIMIT = 100000, PRESETS_LIMIT = 64 };

void rill_read_liquid(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "preset",        "density", "viscosity", "surface_tension",
                                        "contact_angle", "drying",  NULL };
    rill_liquid *liquid = &scene->world.liquid;
    const char *presets[PRESETS_LIMIT + 1] = { NULL };
    for (int32_t i = 0; i < PRESETS_LIMIT && i < rill_liquid_preset_count(); ++i)
        presets[i] = rill_liquid_preset_name(i);
    if (!rill_reader_open(reader, node, "the liquid", keys)) return;
    int32_t preset;
    if (rill_read_word(reader, rill_tree_get(node, "preset"), presets, &preset)) {
        rill_liquid_preset(presets[preset], liquid);
        scene->preset = presets[preset];
    }
    rill_read_number(reader, rill_tree_get(node, "density"), &DENSITY, &liquid->density);
    rill_read_number(reader, rill_tree_get(node, "viscosity"), &VISCOSITY, &liquid->viscosity);
    rill_read_number(reader, rill_tree_get(node, "surface_tension"), &TENSION, &liquid->surface_tension);
    rill_read_contact_angle(reader, rill_tree_get(node, "contact_angle"), &liquid->contact_angle);
    rill_read_number(reader, rill_tree_get(node, "drying"), &DRYING, &liquid->drying);
}

static void read_external_force(rill_reader *reader, const rill_node *node, rill_scene_force *out) {
    static const char *const keys[] = { "min", "max", "force", NULL };
    const char *what = "an external force";
    if (!rill_reader_open(reader, node, what, keys)) return;
    out->given = true;
    out->place = node->place;
    rill_read_numbers(reader, rill_reader_need(reader, node, what, "min"), &rill_range_place, out->min, 2);
    rill_read_numbers(reader, rill_reader_need(reader, node, what, "max"), &rill_range_place, out->max, 2);
    rill_read_number(reader, rill_reader_need(reader, node, what, "force"), &FORCE, &out->force);
}

static void read_kandemir(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "pipe_length", "pipe_area",  "time_step",      "vanishing",
                                        "viscosity",   "atmosphere", "external_force", NULL };
    rill_kandemir *out = &scene->world.solver.kandemir;
    if (!rill_reader_open(reader, node, "kandemir", keys)) return;
    rill_read_number(reader, rill_tree_get(node, "pipe_length"), &PIPE_LENGTH, &out->pipe_length);
    rill_read_number(reader, rill_tree_get(node, "pipe_area"), &PIPE_AREA, &out->pipe_area);
    rill_read_number(reader, rill_tree_get(node, "time_step"), &TIME_STEP, &out->time_step);
    rill_read_number(reader, rill_tree_get(node, "vanishing"), &VANISHING, &out->vanishing);
    rill_read_number(reader, rill_tree_get(node, "viscosity"), &QUOTIENT, &out->viscosity);
    rill_read_number(reader, rill_tree_get(node, "atmosphere"), &ATMOSPHERE, &out->atmosphere);
    read_external_force(reader, rill_tree_get(node, "external_force"), &scene->external);
}

static void read_waves(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "theta", "time_step", "iterations", "tolerance", NULL };
    rill_waves *out = &scene->world.solver.waves;
    if (!rill_reader_open(reader, node, "waves", keys)) return;
    rill_read_number(reader, rill_tree_get(node, "theta"), &THETA, &out->theta);
    rill_read_number(reader, rill_tree_get(node, "time_step"), &WAVE_STEP, &out->time_step);
    rill_read_integer(reader, rill_tree_get(node, "iterations"), 0, ITERATIONS_LIMIT, &out->iterations);
    rill_read_number(reader, rill_tree_get(node, "tolerance"), &TOLERANCE, &out->tolerance);
}

static void read_wang(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "viscosity", "friction", "time_step",      "iterations", "tolerance",
                                        "tension",   "front",    "preconditioner", "angular",    NULL };
    static const char *const tensions[] = { "incomplete", "complete", NULL }; /* in the order of the enums */
    static const char *const preconditioners[] = { "jacobi", "factored", NULL };
    static const char *const fronts[] = { "dirichlet", "neumann", NULL };
    int32_t word;
    rill_wang *out = &scene->world.solver.wang;
    if (!rill_reader_open(reader, node, "wang", keys)) return;
    rill_read_number(reader, rill_tree_get(node, "viscosity"), &TAU, &out->viscosity);
    rill_read_number(reader, rill_tree_get(node, "friction"), &FRICTION_DEPTH, &out->friction);
    rill_read_number(reader, rill_tree_get(node, "time_step"), &TIME_STEP, &out->time_step);
    rill_read_integer(reader, rill_tree_get(node, "iterations"), 1, ITERATIONS_LIMIT, &out->iterations);
    rill_read_number(reader, rill_tree_get(node, "tolerance"), &RESIDUAL, &out->tolerance);
    if (rill_read_word(reader, rill_tree_get(node, "tension"), tensions, &word)) out->tension = (rill_wang_tension)word;
    if (rill_read_word(reader, rill_tree_get(node, "preconditioner"), preconditioners, &word))
        out->preconditioner = (rill_wang_preconditioner)word;
    if (rill_read_word(reader, rill_tree_get(node, "front"), fronts, &word)) out->front = (rill_wang_front)word;
    rill_read_boolean(reader, rill_tree_get(node, "angular"), &out->angular);
}

/* A YAML 1.1 program that rewrites a scene turns `off` into `false`. */
static bool says_off(const rill_node *node) {
    return node && node->kind == RILL_NODE_SCALAR && !node->quoted && strcmp(node->text, "false") == 0;
}

static void read_falls(rill_reader *reader, const rill_node *node, rill_solver *solver) {
    static const char *const falls[] = { "flight", "off", NULL }; /* in the order of rill_falls_mode */
    int32_t word;
    if (says_off(node))
        solver->falls = RILL_FALLS_OFF;
    else if (rill_read_word(reader, node, falls, &word))
        solver->falls = (rill_falls_mode)word;
}

void rill_read_solver(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "method", "pipe_area",    "advection", "passages", "orifice", "friction",
                                        "rest",   "max_substeps", "kandemir",  "waves",    "tension", "wall_tension",
                                        "papers", "wang",         "falls",     NULL };
    static const char *const methods[] = { "pipes", "kandemir", "waves", NULL }; /* in the order of rill_method */
    static const char *const papers[] = { "none", "wang", NULL };                /* in the order of rill_papers */
    static const char *const areas[] = { "physical", "paper", NULL };            /* in the order of rill_pipe_area */
    static const char *const passages[] = { "any", "straight", "off", NULL };    /* in the order of rill_passages */
    if (!rill_reader_open(reader, node, "the solver", keys)) return;
    rill_solver *solver = &scene->world.solver;
    const rill_node *method = rill_tree_get(node, "method"), *passage = rill_tree_get(node, "passages");
    int32_t word;
    if (rill_read_word(reader, method, methods, &word)) solver->method = (rill_method)word;
    if (rill_read_word(reader, rill_tree_get(node, "papers"), papers, &word)) solver->papers = (rill_papers)word;
    if (rill_read_word(reader, rill_tree_get(node, "pipe_area"), areas, &word))
        solver->pipe_area = word ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
    if (says_off(passage))
        solver->passages = RILL_PASSAGES_OFF;
    else if (rill_read_word(reader, passage, passages, &word))
        solver->passages = (rill_passages)word;
    read_falls(reader, rill_tree_get(node, "falls"), solver);
    const rill_node *orifice = rill_tree_get(node, "orifice");
    if (rill_read_number(reader, orifice, &ORIFICE, &solver->orifice) && solver->orifice > 0 && solver->orifice < 1e-3)
        rill_reader_expected(reader, orifice, "0, or 0.001 to 1");
    rill_read_boolean(reader, rill_tree_get(node, "advection"), &solver->advection);
    rill_read_number(reader, rill_tree_get(node, "friction"), &FRICTION, &solver->friction);
    rill_read_boolean(reader, rill_tree_get(node, "rest"), &solver->rest);
    bool tension;
    if (rill_read_boolean(reader, rill_tree_get(node, "tension"), &tension))
        solver->tension = tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    rill_read_boolean(reader, rill_tree_get(node, "wall_tension"), &solver->wall_tension);
    rill_read_integer(reader, rill_tree_get(node, "max_substeps"), 1, SUBSTEPS_LIMIT, &solver->max_substeps);
    read_kandemir(reader, rill_tree_get(node, "kandemir"), scene);
    read_waves(reader, rill_tree_get(node, "waves"), scene);
    read_wang(reader, rill_tree_get(node, "wang"), scene);
}
