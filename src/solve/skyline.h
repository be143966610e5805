/* Small symmetric problems, solved directly: A = L D L^T in the "skyline" form of A. Jennings, "A compact storage
 * scheme for the solution of symmetric linear simultaneous equations", Comput. J. 9, 1966: of row i, the entries from
 * column first[i] on. With nodes numbered across the shorter side of what they lie in, a tunnel w nodes wide costs
 * about w^2 multiplications per node, however it bends. */
#ifndef RILL_SOLVE_SKYLINE_H
#define RILL_SOLVE_SKYLINE_H

#include "rill/rill.h"

enum { RILL_SKYLINE_NODES = 1024, RILL_SKYLINE_ENTRIES = 1 << 16 };

typedef struct rill_skyline {
    int32_t count, entries;
    int32_t first[RILL_SKYLINE_NODES];
    int32_t row[RILL_SKYLINE_NODES];    /* where its entries begin */
    int32_t alike[RILL_SKYLINE_NODES];  /* so many rows from this one on have as many entries */
    double inverse[RILL_SKYLINE_NODES]; /* of D; 0 for the last node of a sealed component */
    bool any_sealed;
    int32_t sealed[RILL_SKYLINE_NODES]; /* the last node of the sealed component that a node belongs to; -1 for none */
    double entry[RILL_SKYLINE_ENTRIES];
} rill_skyline;

/* Makes room for the rows. False if there are too many entries, or factorising takes more than `work`
 * multiplications. */
bool rill_skyline_lay(rill_skyline *sky, int32_t work);
/* Entries are the matrix's below the diagonal, and become L's. */
void rill_skyline_factorise(rill_skyline *sky, const double *diagonal);
/* y = A^-1 y. Of sealed components the means of both sides are left out. */
void rill_skyline_solve(const rill_skyline *sky, double *y);

#endif
