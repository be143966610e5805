/* What the model generator is made of: meshes, fields, and the files they become.
 *
 * Everything here uses + - * / and sqrt alone, in double, so that any IEEE machine writes the same bytes (built with
 * -ffp-contract=off). Meshes are in millimetres, x right, z up; triangles run anticlockwise seen from outside. */
#ifndef RILL_TOOLS_MODEL_DATA_H
#define RILL_TOOLS_MODEL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rill_model {
    float *vertices; /* x, y, z each */
    size_t vertex_count, vertex_room;
    uint32_t *triangles; /* three indices each */
    size_t triangle_count, triangle_room;
} rill_model;

/* model_files.c. Every writer prints what failed and returns false; existing files are replaced. */
bool rill_model_vertex(rill_model *model, const double point[3], uint32_t *index);
bool rill_model_triangle(rill_model *model, uint32_t a, uint32_t b, uint32_t c);
void rill_model_free(rill_model *model);
/* True if each edge is used exactly once in each direction: closed, welded, consistently oriented. */
bool rill_model_closed(const rill_model *model);
bool rill_model_write_ply(const rill_model *model, const char *folder, const char *name);
/* `values` row by row, row 0 south; single: float32 instead of float64. */
bool rill_model_write_npy(const double *values, int nx, int ny, bool single, const char *folder, const char *name);
/* 16-bit grey, `low` black and `high` white; row 0 of the file is north. */
bool rill_model_write_png(const double *values, int nx, int ny, double low, double high, const char *folder,
                          const char *name);

/* model_shapes.c. */
typedef double rill_model_field(const double point[3]);
/* The zero surface of a field (negative inside), sampled at `step` between two corners. */
bool rill_model_polygonise(rill_model *out, rill_model_field *field, const double low[3], const double high[3],
                           double step);
/* Turns a closed profile (r, z pairs, anticlockwise seen with r to the right and z up; r = 0 on the axis) about z. */
bool rill_model_lathe(rill_model *out, const double (*profile)[2], int count);
/* A tube of elliptic section swept along a smooth path through points (x, z), with flat ends. */
bool rill_model_tube(rill_model *out, const double (*path)[2], int count, double half_width, double half_thickness);
/* Smooth value noise in [-1, 1] with features of size 1. */
double rill_model_noise(double x, double y, double z);
/* Smaller and larger of two, rounded over a width k (polynomial, after Inigo Quilez). */
double rill_model_blend_min(double a, double b, double k);
double rill_model_blend_max(double a, double b, double k);

/* model_bone.c: a lumbar vertebra, negative inside, roughly a distance in mm. */
double rill_model_vertebra(const double point[3]);
/* model_cave.c: a block of rock with a cave in it, negative inside the rock. */
double rill_model_cave(const double point[3]);
/* model_letters.c: waterproof letters on a pane of 105 x 105 mm, 1 inside of a stroke and 0 outside; metres. */
double rill_model_letters(double x, double y);
/* model_boat.c: a decked boat, its bow towards +x, its keel at z = 0. */
bool rill_model_boat(rill_model *out);

#endif
