/* The cases: each runs its experiments and adds rows. Numbers are those of the project's reference table. */
#ifndef RILL_CLI_VALIDATE_CASES_H
#define RILL_CLI_VALIDATE_CASES_H

#include "validate_table.h"

void rill_case_lake(rill_validation *v);            /* 1 */
void rill_case_ledger(rill_validation *v);          /* 2 */
void rill_case_wet_dam(rill_validation *v);         /* 3 */
void rill_case_dry_dam(rill_validation *v);         /* 4 */
void rill_case_linear_dam(rill_validation *v);      /* 5 */
void rill_case_bowl(rill_validation *v);            /* 6 */
void rill_case_standing_wave(rill_validation *v);   /* 7 */
void rill_case_film(rill_validation *v);            /* 9 */
void rill_case_puddle(rill_validation *v);          /* 10 */
void rill_case_vessels(rill_validation *v);         /* 11 */
void rill_case_passages(rill_validation *v);        /* 11, its second half */
void rill_case_crest(rill_validation *v);           /* 12 */
void rill_case_floating_cube(rill_validation *v);   /* 16 */
void rill_case_floating_sphere(rill_validation *v); /* 17 */
void rill_case_heave(rill_validation *v);           /* 18 */
void rill_case_light(rill_validation *v);           /* 19 */
void rill_case_energy(rill_validation *v);          /* 20 */
void rill_case_symmetry(rill_validation *v);        /* 21 */
void rill_case_sleep(rill_validation *v);           /* 23 */
void rill_case_moving(rill_validation *v);          /* 25 */
void rill_case_pushing(rill_validation *v);         /* 25, its second half */
void rill_case_afloat(rill_validation *v);          /* 26 */
void rill_case_told(rill_validation *v);            /* 27 */
void rill_case_kandemir(rill_validation *v);        /* 28 */
void rill_case_plugs(rill_validation *v);           /* 29 */

#endif
