/* Invariants of the library: what is true unless somebody who programs made a mistake. Bad data of users is answered
 * with a rill_result instead. On when RILL_ASSERTS is defined (CMake option; debug, sanitizer and fuzz builds have
 * it). */
#ifndef RILL_BASE_ASSERT_H
#define RILL_BASE_ASSERT_H

#include "rill/rill.h"

/* Reports to the user's hook, or to stderr and aborts when there is none. */
__attribute__((cold)) void rill_assert_failed(const char *condition, const char *file, int32_t line);

/* Checks a condition without side effects. Off, it costs nothing: the compiler reads the condition, so that it stays
 * valid and its variables count as used, but nothing evaluates it. */
#ifdef RILL_ASSERTS
#define RILL_ASSERT(condition) ((condition) ? (void)0 : rill_assert_failed(#condition, __FILE__, __LINE__))
#else
#define RILL_ASSERT(condition) ((void)(0 && (condition)))
#endif

#endif
