#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

/* Written before the first world exists, so threads only read it. */
static struct {
    rill_assert_hook *call; /* NULL: print and abort */
    void *user;
} hook;

void rill_set_assert_hook(rill_assert_hook *call, void *user) {
    hook.call = call;
    hook.user = user;
}

bool rill_asserts_enabled(void) {
#ifdef RILL_ASSERTS
    return true;
#else
    return false;
#endif
}

void rill_assert_failed(const char *condition, const char *file, int32_t line) {
    if (hook.call) {
        hook.call(condition, file, line, hook.user);
        return;
    }
    fprintf(stderr, "%s:%d: rill is broken: %s does not hold\n", file, (int)line, condition);
    abort();
}
