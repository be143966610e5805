/* Asserts call the hook when they are on, abort without one, and evaluate nothing when they are off. */
#ifdef RILL_ASSERTS
static const int on_in_this_build = 1;
#else
static const int on_in_this_build = 0;
#define RILL_ASSERTS
#endif
#include "base/assert.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct heard {
    int calls;
    int32_t line;
    char condition[64], file[256];
} heard;

static void hear(const char *condition, const char *file, int32_t line, void *user) {
    heard *what = user;
    what->calls += 1;
    what->line = line;
    snprintf(what->condition, sizeof what->condition, "%s", condition);
    snprintf(what->file, sizeof what->file, "%s", file);
}

static void test_hook_is_told_condition_and_place(void **state) {
    (void)state;
    heard what = { 0 };
    rill_set_assert_hook(hear, &what);
    int depth = 3;
    RILL_ASSERT(depth > 2);
    assert_int_equal(what.calls, 0);
    RILL_ASSERT(depth > 3);
    assert_int_equal(what.line, __LINE__ - 1);
    assert_int_equal(what.calls, 1);
    assert_string_equal(what.condition, "depth > 3");
    assert_non_null(strstr(what.file, "test_assert.c"));
    rill_set_assert_hook(NULL, NULL);
}

static void test_default_hook_aborts(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL); /* cmocka catches it */
        RILL_ASSERT(1 + 1 == 3);
        _exit(0);
    }
    close(ends[1]);
    char text[512] = "";
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "1 + 1 == 3"));
}

static void test_library_says_whether_they_are_on(void **state) {
    (void)state;
    assert_int_equal(rill_asserts_enabled(), on_in_this_build);
}

/* From here on as in a build without asserts. */
#undef RILL_BASE_ASSERT_H
#undef RILL_ASSERT
#undef RILL_ASSERTS
#include "base/assert.h"

static bool never_asked(void) {
    fail();
    return false;
}

static void test_off_nothing_is_evaluated(void **state) {
    (void)state;
    heard what = { 0 };
    rill_set_assert_hook(hear, &what);
    RILL_ASSERT(never_asked());
    assert_int_equal(what.calls, 0);
    rill_set_assert_hook(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hook_is_told_condition_and_place),
        cmocka_unit_test(test_default_hook_aborts),
        cmocka_unit_test(test_library_says_whether_they_are_on),
        cmocka_unit_test(test_off_nothing_is_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
