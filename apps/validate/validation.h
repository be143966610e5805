/* `rill validate`: the reference cases, measured. See docs/validation.md for what each case is. */
#ifndef RILL_VALIDATE_VALIDATION_H
#define RILL_VALIDATE_VALIDATION_H

#include <stdbool.h>

enum { RILL_VALIDATE_NUMBERS = 100 }; /* of cases: 1 to 99, of which some are */

typedef struct rill_validate_request {
    bool wanted[RILL_VALIDATE_NUMBERS]; /* by the numbers of cases; all run unless any is wanted */
    bool any_wanted;
    bool quick;    /* fewer steps where a case is about many steps */
    bool scalar;   /* without vector code */
    bool markdown; /* the table is printed as such */
    int threads;
    const char *csv; /* file to write the table to as well, or NULL */
} rill_validate_request;

/* Returns what a case is called; NULL: there is none of that number. */
const char *rill_validate_title(int number);
/* Returns an exit code: wrong when a check failed, machine when the machine did. */
int rill_validate(const rill_validate_request *request);

#endif
