/* Failing with a message: `return rill_fail(message, RILL_INVALID_ARGUMENT, "...", ...)`. */
#ifndef RILL_BASE_MESSAGE_H
#define RILL_BASE_MESSAGE_H

#include "rill/rill.h"

/* Lets the compiler compare arguments with the format, which is that of C also where the system's own printf is
 * another. */
#if defined(__MINGW32__) && !defined(__clang__)
#define RILL_PRINTF(format_at, first_at) __attribute__((format(gnu_printf, format_at, first_at)))
#else
#define RILL_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#endif

/* Writes the text (unless message is NULL), cut to what fits, and returns `result`. */
RILL_PRINTF(3, 4) rill_result rill_fail(rill_message *message, rill_result result, const char *format, ...);

#endif
