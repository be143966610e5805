/* Vessels: wells joined by flooded passages, drawn cell by cell by a pen that walks over the grid.
 *
 * Wells are open to the sky, passages have a floor and a ceiling; everything else is wall. Passages with bends are
 * one cell wide, so that their length is a number of cells whatever their bends. */
#ifndef RILL_VALIDATE_VESSELS_H
#define RILL_VALIDATE_VESSELS_H

#include "rig.h"

/* A line of cells, each a step further: 'o' a well, '=' a passage, '.' the pen is up. */
typedef struct rill_stroke {
    char kind;
    char way; /* N, E, S, W */
    int32_t count;
} rill_stroke;

typedef struct rill_vessels {
    const char *name;
    int32_t nx, ny, x, y; /* size of the grid; where the pen starts, a step before its first cell */
    int32_t rows;         /* of every cell, northwards; 0 means 1 */
    rill_stroke strokes[12];
    double dx;     /* m */
    double height; /* m, of the passage */
    double slope;  /* m, by which floor and ceiling rise from each cell of a passage to the next */
    double sill;   /* m, floor of the passage where it begins; the wells' floor is at 0 */
    double top;    /* m, of the walls and of the rock above passages */
    double viscosity;
    rill_passages passages;
} rill_vessels;

enum { RILL_WELLS = 3 };

/* Begins a rig, draws and builds it. well[i] is 1, 2, ... in the wells, 0 elsewhere, and -1 in passages. */
bool rill_vessels_build(rill_rig *rig, rill_validation *validation, const rill_vessels *vessels, int8_t *well);
/* Fills wells and passages to these levels; passages as far as `passage` says, full at most. */
bool rill_vessels_fill(rill_rig *rig, const int8_t *well, const double levels[RILL_WELLS], double passage);

/* The mean, lowest and highest level of a well. After rill_rig_look. */
typedef struct rill_well_level {
    double mean, low, high;
} rill_well_level;
rill_well_level rill_vessels_level(const rill_rig *rig, const int8_t *well, int number);

/* Returns memory for `well`; NULL makes the validation fail. */
int8_t *rill_vessels_map(rill_validation *validation, const rill_vessels *vessels);

#endif
