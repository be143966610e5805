/* The table of measured values: what the cases add rows to, and how it is printed.
 *
 * A row is one measurement: a value, what it should be, and the verdict that follows from the two. Values are stored in
 * the unit they are printed in, so that a row reads the same in the table, in Markdown and in CSV. */
#ifndef RILL_VALIDATE_VALIDATION_TABLE_H
#define RILL_VALIDATE_VALIDATION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum rill_relation {
    RILL_NOTE = 0, /* no target: information only */
    RILL_ZERO,     /* exactly 0, not "small" */
    RILL_AT_MOST,  /* value <= target */
    RILL_AT_LEAST, /* value >= target */
    RILL_NEAR,     /* |value - target| <= tolerance * |target| */
    RILL_WITHIN    /* |value - target| <= tolerance */
} rill_relation;

typedef struct rill_check {
    const char *mode; /* "physical", "paper"; a literal */
    rill_relation relation;
    double value, target, tolerance;
    const char *unit; /* a literal; NULL: a bare number */
    const char *bar;  /* what a public code reaches; a literal or NULL */
} rill_check;

typedef struct rill_row {
    int number; /* of the case */
    rill_check check;
    bool pass;
    char what[96];
} rill_row;

/* How the cases are run, and what they found. */
typedef struct rill_validation {
    bool quick;    /* fewer steps where a case is about many steps */
    bool scalar;   /* without vector code */
    bool progress; /* tell what is running, on stderr */
    int threads;
    int number; /* of the case that is running */
    rill_row *rows;
    size_t row_count, row_capacity;
    bool out_of_memory;
} rill_validation;

/* Adds a row to the running case. `what` and what follows are as for printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void rill_validation_add(rill_validation *validation, const rill_check *check, const char *what, ...);

/* Adds a row that says why a case could not be run; it counts as failed. */
void rill_validation_broken(rill_validation *validation, const char *why);

size_t rill_validation_failures(const rill_validation *validation);
void rill_validation_print(const rill_validation *validation, FILE *file);
void rill_validation_print_markdown(const rill_validation *validation, FILE *file);
void rill_validation_print_csv(const rill_validation *validation, FILE *file);
void rill_validation_free(rill_validation *validation);

#endif
