/* Numbers as text that reads back to the same bits, whatever the locale. */
#ifndef RILL_SCENE_NUMBER_TEXT_H
#define RILL_SCENE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RILL_NUMBER_TEXT = 32 }; /* room for any of these, with the zero at the end */

/* Write a number as text; each returns the length. Not finite numbers become "nan", "inf" and "-inf". */
size_t rill_number_float(float value, char out[RILL_NUMBER_TEXT]);
size_t rill_number_double(double value, char out[RILL_NUMBER_TEXT]);
size_t rill_number_count(uint64_t value, char out[RILL_NUMBER_TEXT]);

#endif
