/* Scene files: YAML (or JSON) in, a checked description out, a world from it.
 *
 *     rill_scene *scene;
 *     rill_scene_report report = {0};
 *     if (rill_scene_load("scenes/dam_break.yaml", NULL, &scene, &report) == RILL_SCENE_OK &&
 *         rill_scene_create_world(scene, NULL, &world, &report) == RILL_SCENE_OK) { ... }
 *     rill_scene_report_print(&report, stderr);
 *     rill_scene_report_free(&report);
 *     rill_scene_free(scene);
 *
 * Nothing runs on a scene with errors: all of them are collected first, each as "file:line:column: what was found, what
 * was expected", ordered by place. The format is described in docs/scene-format.md. */
#ifndef RILL_SCENE_SCENE_H
#define RILL_SCENE_SCENE_H

#include <stdio.h>

#include "rill/rill.h"

/* ----------------------------------------------------------------------------------------------------------- report */

typedef enum rill_scene_result {
    RILL_SCENE_OK = 0,
    RILL_SCENE_UNREADABLE, /* the file could not be opened or read; the report says why */
    RILL_SCENE_WRONG,      /* the report says what, all of it */
    RILL_SCENE_OUT_OF_MEMORY
} rill_scene_result;

enum { RILL_SCENE_MAX_ERRORS = 50 };

typedef struct rill_scene_complaint {
    char *text;           /* "file:line:column: ...", owned */
    int32_t line, column; /* from 1; 0 when the complaint is about no place in the file */
    bool note;            /* worth knowing, but not an error */
} rill_scene_complaint;

/* Start from {0}. What lies beyond RILL_SCENE_MAX_ERRORS complaints is counted only. */
typedef struct rill_scene_report {
    rill_scene_complaint items[RILL_SCENE_MAX_ERRORS];
    size_t count;  /* of items */
    size_t errors; /* of items that are no notes, and of what was dropped */
    size_t dropped;
} rill_scene_report;

/* Prints one complaint per line, and a last line that says how many were dropped. */
void rill_scene_report_print(const rill_scene_report *report, FILE *file);
void rill_scene_report_free(rill_scene_report *report);

/* ------------------------------------------------------------------------------------------------------------ scene */

/* Where something was written; `origin` is a file name or the text of a --set option (line 0 then). */
typedef struct rill_scene_place {
    const char *origin;
    int32_t line, column;
} rill_scene_place;

/* The motion of a solid or a body at a time; a key may leave things out, which then go on between the keys around
 * it. */
typedef struct rill_scene_key {
    double time;                    /* s, above that of the key before */
    bool moves, turns, switches;    /* whether the following are given */
    double translate[3], rotate[3]; /* of a body: its position, its turn */
    bool visible;
} rill_scene_key;

/* The vertices that a mesh has at a time. */
typedef struct rill_scene_morph {
    double time;
    const float *vertices; /* as many as the solid has */
} rill_scene_morph;

/* The material of a solid, for those who draw it. */
typedef enum rill_material {
    RILL_MATERIAL_AUTO = 0, /* by its name and shape */
    RILL_MATERIAL_BONE,
    RILL_MATERIAL_WOOD,
    RILL_MATERIAL_CERAMIC,
    RILL_MATERIAL_STEEL,
    RILL_MATERIAL_TISSUE,
    RILL_MATERIAL_GLASS,
    RILL_MATERIAL_STONE,
    RILL_MATERIAL_CHALK
} rill_material;

typedef struct rill_scene_material {
    rill_material kind;
    bool coloured;    /* whether a colour is given */
    double colour[3]; /* linear red, green, blue, 0 to 1 */
    double roughness; /* 0 to 1; below 0: the material's own */
} rill_scene_material;

typedef struct rill_scene_solid {
    rill_solid_def def; /* arrays belong to the scene */
    const char *file;   /* of a mesh or heightmap, as it was opened; NULL otherwise */
    const rill_scene_key *keys;
    size_t key_count;
    const rill_scene_morph *morphs;
    size_t morph_count;
    float *blend; /* room for vertices between two morphs: what rill_scene_move writes to */
    bool loop;    /* keys and morphs start again after their last one */
    bool ease;    /* stretches between keys begin and end gently */
    rill_scene_material material;
    rill_scene_place place;
} rill_scene_solid;

typedef struct rill_scene_body {
    rill_body_def
        def;          /* arrays belong to the scene. Its position is that of the origin of its own frame, as long as the
                          centre of mass is not known; mass is infinite when it is kinematic */
    double rotate[3]; /* degrees about x, then y, then z */
    const char *file; /* of a mesh or hull, as it was opened; NULL otherwise */
    const rill_scene_key *keys;
    size_t key_count;
    bool loop, ease;
    rill_scene_material material;
    rill_scene_place place;
} rill_scene_body;

/* A force that presses on a part of the tank, with method kandemir. */
typedef struct rill_scene_force {
    bool given;
    double min[2], max[2]; /* m: the columns whose centres are between */
    double force;          /* N, downwards, spread evenly over them */
    rill_scene_place place;
} rill_scene_force;

typedef struct rill_scene_fill {
    const double *depths; /* one per cell, row 0 south; NULL: by level or volume */
    int32_t layer;
    double at[3], level;
    double volume; /* m3, of a drop; 0: by level */
    rill_scene_place place;
} rill_scene_fill;

typedef struct rill_scene_source { /* or sink */
    rill_source_def def;
    rill_scene_place place;
} rill_scene_source;

typedef struct rill_scene_control {
    rill_control_def def;
    rill_scene_place place;
} rill_scene_control;

typedef enum rill_measure {
    RILL_MEASURE_LEVEL = 0, /* m, absolute z; a dry column's level is its base */
    RILL_MEASURE_DEPTH,     /* m */
    RILL_MEASURE_SPEED,     /* m/s */
    RILL_MEASURE_VOLUME,    /* m3 inside min..max; of a body: what it displaces */
    RILL_MEASURE_X,         /* m: where a body's centre of mass is */
    RILL_MEASURE_Y,
    RILL_MEASURE_Z
} rill_measure;

typedef struct rill_scene_probe {
    const char *name;
    rill_measure measure;
    const char *body; /* what is measured is a body: its name; NULL otherwise */
    double at[3];
    double min[3], max[3];
    rill_scene_place place;
} rill_scene_probe;

typedef struct rill_scene_camera {
    bool given;
    double from[3], to[3]; /* m */
    double lens;           /* mm, on 36 mm wide film */
} rill_scene_camera;

/* Read-only for everybody but the reader. */
typedef struct rill_scene {
    const char *path;     /* as it was given */
    const char *name;     /* the scene's own name, else the file's without folder and ending */
    rill_world_def world; /* headroom 0: chosen when the world is created; runtime is ignored */
    const char *preset;   /* of the liquid: how it looks, whatever values were replaced */
    rill_scene_solid *solids;
    size_t solid_count;
    rill_scene_body *bodies;
    size_t body_count;
    rill_scene_force external;
    rill_scene_fill *fills;
    size_t fill_count;
    rill_scene_source *sources; /* sources, then sinks, in the order of the file */
    size_t source_count;
    rill_scene_control *controls;
    size_t control_count;
    rill_scene_probe *probes;
    size_t probe_count;
    double frame, until; /* s */
    rill_scene_camera camera;
    struct rill_store *store; /* owns everything above */
} rill_scene;

typedef struct rill_scene_options {
    const char *const *sets; /* "liquid.viscosity=1e-5": replaces or adds the value at a dotted path */
    size_t set_count;
    bool no_files; /* a mesh, heightmap or depth file named in the scene is an error: for text from strangers */
} rill_scene_options;

/* Loads a scene; `options` may be NULL. On anything but RILL_SCENE_OK `*out` is NULL. */
rill_scene_result rill_scene_load(const char *path, const rill_scene_options *options, rill_scene **out,
                                  rill_scene_report *report);
/* Loads a scene from a text in memory; `path` names the text in errors, and its folder is where relative file names
 * start. */
rill_scene_result rill_scene_parse(const char *text, size_t size, const char *path, const rill_scene_options *options,
                                   rill_scene **out, rill_scene_report *report);
/* Frees a scene; NULL is allowed. */
void rill_scene_free(rill_scene *scene);

/* Creates the world, adds the solids, builds the bed, adds the bodies, fills, adds sources and checks that every probe
 * finds a column. `runtime` may be NULL. The scene may be freed before the world. */
rill_scene_result rill_scene_create_world(const rill_scene *scene, const rill_runtime *runtime, rill_world **out,
                                          rill_scene_report *report);

/* A solid at a time. */
typedef struct rill_scene_pose {
    double translate[3], rotate[3];
    bool visible;
} rill_scene_pose;
rill_scene_pose rill_scene_pose_at(const rill_scene_solid *solid, double time);

/* Brings all solids that have keys to where they are at a time. Real from the next step (or bed) on. */
rill_result rill_scene_move(const rill_scene *scene, rill_world *world, double time);
/* Steps one frame: solids go to where they are at its end, kinematic bodies get the velocity that takes them there,
 * then the world is stepped. `*status` is set on RILL_OK; otherwise rill_world_message says what was wrong. Bodies pass
 * through each other and the bed: programs step scenes with rill_physics_step (apps/physics), which has this and
 * contacts. */
rill_result rill_scene_step(const rill_scene *scene, rill_world *world, double dt, rill_status *status);
/* Tells whether anything in it moves, so that floors and ceilings are not always the same. */
bool rill_scene_moves(const rill_scene *scene);

/* Returns the state of a body of a scene at a time, as its keys say (or as it is at first, without): `centre` is its
 * centre of mass in its own frame. Without keys, and at rest before and after them, it has the velocity of its
 * definition. */
rill_body_state rill_scene_body_at(const rill_scene_body *body, const double centre[3], double time, double dt);

/* Returns what a probe measures now; NaN where a solid that has moved leaves no column, and of a body that
 * is no more. */
double rill_scene_probe_value(const rill_scene_probe *probe, const rill_world *world);

/* ----------------------------------------------------------------------------------------------------------- frames */

/* Frames end at k * frame, the last one at exactly `until`, shortened if need be. */
int64_t rill_scene_frame_count(double frame, double until);
double rill_scene_frame_time(double frame, double until, int64_t k);   /* when frame k ends; k = 0 is the start */
double rill_scene_frame_length(double frame, double until, int64_t k); /* of the frame that ends there; k >= 1 */
/* Tells whether frame k is one to write: the first, the last, and each in which another `every` seconds have passed;
 * all of them when `every` is below 0. */
bool rill_scene_frame_due(double frame, double until, double every, int64_t k);

#endif
