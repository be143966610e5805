/* Bodies with papers wang: height columns under them are constrained, within the same matrix (Eq. 20).
 *
 * Based on: Wang, Miller & Turk 2007, section 6, after O'Brien & Hodgins 1995. With s the underside of a body over a column that
 * it covers by half or more, and in contact while s is below the level:
 *
 *   20       I_c(i, i) = 1, b_c(i) = s_i:   (A_g h)_i = b_i - s_i       h is a head there, the column becomes s high
 *            F = rho g dx^2 sum (h_i - s_i) upwards, and along the bed by how s slopes from column to column
 *
 * Read where the print leaves a choice: s is where the body is when the sub-step begins; what is in contact anew is pressed down by
 * no more than waves go in a sub-step, or a body put into water would burst out of it; nothing pulls; and the force of a sub-step
 * follows that of the one before by 1 / (1 + kappa), kappa = M_a / m with M_a = rho S^2 / (8 pi d): explicit as printed, it
 * would blow up for bodies lighter than the liquid that they carry along. That much a disc of area S carries along over depth d, and
 * none of its area more. It has no drag. There is no tension with bodies, as in the paper's examples. */
#ifndef RILL_BODIES_WANG_BODIES_H
#define RILL_BODIES_WANG_BODIES_H

#include "bodies/bodies.h"
#include "wang/wang.h"

/* Begins a sub-step: finds the undersides of all bodies, before the liquid moves. */
void rill_wang_bodies_begin(const rill_body_stage *stage, rill_heights *heights);
/* Ends it: bodies are pushed by the heads that were found, and move. */
void rill_wang_bodies_end(const rill_body_stage *stage, const rill_heights *heights);

#endif
