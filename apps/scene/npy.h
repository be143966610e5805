/* NumPy's .npy files: little-endian float32 or float64 in C order, in; float64 out.
 *
 *     0   \x93NUMPY   magic
 *     6   major, minor
 *     8   header length: 2 bytes in version 1, 4 bytes in versions 2 and 3
 *     ..  {'descr': '<f8', 'fortran_order': False, 'shape': (ny, nx), }  padded with blanks, ends with a newline
 *     ..  the values
 *
 * Based on: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays". */
#ifndef RILL_SCENE_NPY_H
#define RILL_SCENE_NPY_H

#include "rill/rill.h"

enum { RILL_NPY_MAX_AXES = 4 };

typedef struct rill_npy {
    int32_t axes;
    size_t shape[RILL_NPY_MAX_AXES]; /* slowest axis first */
    size_t count;                    /* of values */
    double *values;                  /* free with rill_npy_free */
} rill_npy;

/* Parses an array. RILL_INVALID_DATA with a message (without the file's name) when it is no such array. */
rill_result rill_npy_parse(const void *bytes, size_t size, rill_npy *out, rill_message *message);
rill_result rill_npy_load(const char *path, rill_npy *out, rill_message *message);
void rill_npy_free(rill_npy *array);

/* Saves an array. RILL_INVALID_STATE with a message when the disk says no. */
rill_result rill_npy_save(const char *path, const double *values, const size_t *shape, int32_t axes,
                          rill_message *message);

#endif
