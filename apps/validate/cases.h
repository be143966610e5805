/* The cases: each runs its experiments and adds rows. Numbers are those of the project's reference table. */
#ifndef RILL_VALIDATE_CASES_H
#define RILL_VALIDATE_CASES_H

#include "validation_table.h"

void rill_case_lake(rill_validation *v);               /* 1 */
void rill_case_ledger(rill_validation *v);             /* 2 */
void rill_case_wet_dam(rill_validation *v);            /* 3 */
void rill_case_dry_dam(rill_validation *v);            /* 4 */
void rill_case_linear_dam(rill_validation *v);         /* 5 */
void rill_case_bowl(rill_validation *v);               /* 6 */
void rill_case_standing_wave(rill_validation *v);      /* 7 */
void rill_case_film(rill_validation *v);               /* 9 */
void rill_case_puddle(rill_validation *v);             /* 10 */
void rill_case_connected_wells(rill_validation *v);    /* 11 */
void rill_case_passages(rill_validation *v);           /* 11, second half */
void rill_case_crest(rill_validation *v);              /* 12 */
void rill_case_floating_cube(rill_validation *v);      /* 16 */
void rill_case_floating_sphere(rill_validation *v);    /* 17 */
void rill_case_heave(rill_validation *v);              /* 18 */
void rill_case_light_bodies(rill_validation *v);       /* 19 */
void rill_case_energy(rill_validation *v);             /* 20 */
void rill_case_symmetry(rill_validation *v);           /* 21 */
void rill_case_sleep(rill_validation *v);              /* 23 */
void rill_case_moving_solids(rill_validation *v);      /* 25 */
void rill_case_pushing_walls(rill_validation *v);      /* 25, second half */
void rill_case_free_bodies(rill_validation *v);        /* 26 */
void rill_case_hollow_bodies(rill_validation *v);      /* 26, second half */
void rill_case_prescribed_bodies(rill_validation *v);  /* 27 */
void rill_case_kandemir(rill_validation *v);           /* 28 */
void rill_case_bodies_in_passages(rill_validation *v); /* 29 */

#endif
