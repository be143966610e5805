/* The cases: each runs its experiments and adds rows. Numbers are those of the project's reference table. */
#ifndef RILL_VALIDATE_CASES_H
#define RILL_VALIDATE_CASES_H

#include "validation_table.h"

void rill_case_lake(rill_validation *validation);               /* 1 */
void rill_case_ledger(rill_validation *validation);             /* 2 */
void rill_case_wet_dam(rill_validation *validation);            /* 3 */
void rill_case_waves_lake(rill_validation *validation);         /* 1, by method waves */
void rill_case_waves_dam(rill_validation *validation);          /* 3, by method waves */
void rill_case_waves_standing(rill_validation *validation);     /* 7, by method waves */
void rill_case_waves_capillary(rill_validation *validation);    /* 8, by method waves */
void rill_case_dry_dam(rill_validation *validation);            /* 4 */
void rill_case_linear_dam(rill_validation *validation);         /* 5 */
void rill_case_bowl(rill_validation *validation);               /* 6 */
void rill_case_standing_wave(rill_validation *validation);      /* 7 */
void rill_case_capillary(rill_validation *validation);          /* 8 */
void rill_case_film(rill_validation *validation);               /* 9 */
void rill_case_puddle(rill_validation *validation);             /* 10 */
void rill_case_connected_wells(rill_validation *validation);    /* 11 */
void rill_case_passages(rill_validation *validation);           /* 11, second half */
void rill_case_crest(rill_validation *validation);              /* 12 */
void rill_case_sessile_drops(rill_validation *validation);      /* 13 */
void rill_case_tension_puddle(rill_validation *validation);     /* 14 */
void rill_case_meniscus(rill_validation *validation);           /* 15 */
void rill_case_floating_cube(rill_validation *validation);      /* 16 */
void rill_case_floating_sphere(rill_validation *validation);    /* 17 */
void rill_case_heave(rill_validation *validation);              /* 18 */
void rill_case_light_bodies(rill_validation *validation);       /* 19 */
void rill_case_energy(rill_validation *validation);             /* 20 */
void rill_case_symmetry(rill_validation *validation);           /* 21 */
void rill_case_shells(rill_validation *validation);             /* 22 */
void rill_case_sleep(rill_validation *validation);              /* 23 */
void rill_case_falls(rill_validation *validation);              /* 24 */
void rill_case_moving_solids(rill_validation *validation);      /* 25 */
void rill_case_pushing_walls(rill_validation *validation);      /* 25, second half */
void rill_case_free_bodies(rill_validation *validation);        /* 26 */
void rill_case_hollow_bodies(rill_validation *validation);      /* 26, second half */
void rill_case_prescribed_bodies(rill_validation *validation);  /* 27 */
void rill_case_kandemir(rill_validation *validation);           /* 28 */
void rill_case_bodies_in_passages(rill_validation *validation); /* 29 */
void rill_case_sliding_drops(rill_validation *validation);      /* 30 */
void rill_case_wang(rill_validation *validation);               /* 31 */

#endif
