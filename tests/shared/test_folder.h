/* A folder of its own for a test program: set-up and tear-down for cmocka, and paths in it. */
#ifndef RILL_TESTS_TEST_FOLDER_H
#define RILL_TESTS_TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/rill_test_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails if a test has left something */
}

/* The last four are valid. */
static const char *in_folder(const char *name) {
    static char paths[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

#endif
