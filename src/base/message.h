/* Failing with a message: `return rill_fail(message, RILL_INVALID_ARGUMENT, "...", ...)`. */
#ifndef RILL_BASE_MESSAGE_H
#define RILL_BASE_MESSAGE_H

#include "rill/rill.h"

/* Writes the text (unless message is NULL), cut to what fits, and returns `result`. */
__attribute__((format(printf, 3, 4))) rill_result rill_fail(rill_message *message, rill_result result,
                                                            const char *format, ...);

#endif
