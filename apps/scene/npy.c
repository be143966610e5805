/* Reading trusts nothing: the header is parsed by a small grammar of its own, every length is checked against the file
 * before it is used. */
#include "npy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

static const size_t FILE_LIMIT = (size_t)1 << 32; /* bytes: 2^28 cells of two doubles */

__attribute__((format(printf, 2, 3))) static rill_result refuse(rill_message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return RILL_INVALID_DATA;
}

/* ----------------------------------------------------------------------------------------------------------- header */

/* {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } : a cursor over it, which never passes `end`. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *at) {
    while (at->at < at->end && (*at->at == ' ' || *at->at == '\t' || *at->at == '\n')) ++at->at;
}

static bool take(cursor *at, const char *token) {
    skip_blanks(at);
    size_t length = strlen(token);
    if ((size_t)(at->end - at->at) < length || memcmp(at->at, token, length) != 0) return false;
    at->at += length;
    return true;
}

/* A quoted string without escapes, cut to what fits. */
static bool take_string(cursor *at, char *out, size_t capacity) {
    skip_blanks(at);
    if (at->at == at->end || (*at->at != '\'' && *at->at != '"')) return false;
    char quote = *at->at++;
    const char *start = at->at;
    while (at->at < at->end && *at->at != quote) ++at->at;
    if (at->at == at->end) return false;
    size_t length = (size_t)(at->at++ - start);
    length = length < capacity - 1 ? length : capacity - 1;
    memcpy(out, start, length);
    out[length] = 0;
    return true;
}

static bool take_size(cursor *at, size_t *out) {
    skip_blanks(at);
    const char *start = at->at;
    size_t value = 0;
    while (at->at < at->end && *at->at >= '0' && *at->at <= '9') {
        size_t digit = (size_t)(*at->at++ - '0');
        if (value > (SIZE_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return at->at > start;
}

static bool take_shape(cursor *at, rill_npy *array) {
    if (!take(at, "(")) return false;
    array->axes = 0;
    while (!take(at, ")")) {
        if (array->axes == RILL_NPY_MAX_AXES || !take_size(at, &array->shape[array->axes])) return false;
        ++array->axes;
        if (!take(at, ",")) return take(at, ")");
    }
    return true;
}

typedef struct header {
    char descr[16];
    bool fortran, has_descr, has_fortran, has_shape;
} header;

static bool take_entry(cursor *at, header *h, rill_npy *array) {
    char key[32];
    if (!take_string(at, key, sizeof key) || !take(at, ":")) return false;
    if (strcmp(key, "descr") == 0 && !h->has_descr) {
        h->has_descr = true;
        return take_string(at, h->descr, sizeof h->descr);
    }
    if (strcmp(key, "fortran_order") == 0 && !h->has_fortran) {
        h->has_fortran = true;
        h->fortran = take(at, "True");
        return h->fortran || take(at, "False");
    }
    if (strcmp(key, "shape") == 0 && !h->has_shape) {
        h->has_shape = true;
        return take_shape(at, array);
    }
    return false;
}

static bool take_header(cursor *at, header *h, rill_npy *array) {
    if (!take(at, "{")) return false;
    while (!take(at, "}")) {
        if (!take_entry(at, h, array)) return false;
        if (!take(at, ",")) {
            if (!take(at, "}")) return false;
            break;
        }
    }
    skip_blanks(at);
    return at->at == at->end && h->has_descr && h->has_fortran && h->has_shape;
}

/* Returns where the values start; 0 with a message when the header is wrong. */
static size_t read_header(const unsigned char *bytes, size_t size, rill_npy *array, size_t *width,
                          rill_message *message) {
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
        refuse(message, "found no NumPy array, expected a .npy file");
        return 0;
    }
    size_t start = bytes[6] == 1 ? 10 : 12;
    if (bytes[6] < 1 || bytes[6] > 3 || size < start) {
        refuse(message, "found .npy version %d, expected 1, 2 or 3", bytes[6]);
        return 0;
    }
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (start == 12) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    header h = { 0 };
    if (length > size - start) {
        refuse(message, "found a header of %zu bytes in a file of %zu", length, size);
        return 0;
    }
    cursor at = { (const char *)bytes + start, (const char *)bytes + start + length };
    if (!take_header(&at, &h, array)) {
        refuse(message, "found a header that is no .npy header (an array of up to %d axes)", RILL_NPY_MAX_AXES);
        return 0;
    }
    *width = strcmp(h.descr, "<f8") == 0 ? 8 : strcmp(h.descr, "<f4") == 0 ? 4 : 0;
    if (!*width) {
        refuse(message, "found values of type '%s', expected '<f4' or '<f8' (little-endian floats)", h.descr);
        return 0;
    }
    if (h.fortran) {
        refuse(message, "found an array in Fortran order, expected C order");
        return 0;
    }
    return start + length;
}

/* ----------------------------------------------------------------------------------------------------------- values */

static double read_value(const unsigned char *bytes, size_t width) {
    uint64_t bits = 0;
    for (size_t i = 0; i < width; ++i) bits |= (uint64_t)bytes[i] << (8 * i);
    if (width == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

rill_result rill_npy_parse(const void *bytes, size_t size, rill_npy *out, rill_message *message) {
    rill_npy array = { 0 };
    size_t width = 0;
    *out = array;
    size_t start = read_header(bytes, size, &array, &width, message);
    if (!start) return RILL_INVALID_DATA;
    size_t count = 1;
    for (int32_t axis = 0; axis < array.axes; ++axis) {
        if (array.shape[axis] && count > SIZE_MAX / 16 / array.shape[axis])
            return refuse(message, "found a shape that is too large for any file");
        count *= array.shape[axis];
    }
    if (count != (size - start) / width || (size - start) % width) {
        return refuse(message, "found %zu bytes of values, expected %zu for the shape in the header", size - start,
                      count * width);
    }
    array.values = malloc(count ? count * sizeof *array.values : 1);
    if (!array.values) {
        refuse(message, "out of memory for %zu values", count);
        return RILL_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; ++i)
        array.values[i] = read_value((const unsigned char *)bytes + start + i * width, width);
    array.count = count;
    *out = array;
    return RILL_OK;
}

rill_result rill_npy_load(const char *path, rill_npy *out, rill_message *message) {
    char *bytes;
    size_t size;
    *out = (rill_npy){ 0 };
    rill_result result = rill_file_read(path, FILE_LIMIT, &bytes, &size, message);
    if (result == RILL_OK) {
        result = rill_npy_parse(bytes, size, out, message);
        free(bytes);
    }
    return result;
}

void rill_npy_free(rill_npy *array) {
    free(array->values);
    *array = (rill_npy){ 0 };
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static size_t write_header(char *out, size_t capacity, const size_t *shape, int32_t axes, size_t *count) {
    char tuple[RILL_NPY_MAX_AXES * 24] = "";
    size_t at = 0;
    *count = 1;
    for (int32_t axis = 0; axis < axes; ++axis) {
        const char *comma = axes == 1 ? "," : axis + 1 < axes ? ", " : "";
        int length = snprintf(tuple + at, sizeof tuple - at, "%zu%s", shape[axis], comma);
        at += length > 0 ? (size_t)length : 0;
        *count *= shape[axis];
    }
    int text = snprintf(out + 10, capacity - 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", tuple);
    /* The values start at a multiple of 64 bytes; the header ends with a newline. */
    size_t used = 10 + (size_t)text, total = (used + 1 + 63) / 64 * 64;
    memset(out + used, ' ', total - used);
    out[total - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((total - 10) & 0xff);
    out[9] = (char)((total - 10) >> 8);
    return total;
}

static bool write_values(FILE *file, const double *values, size_t count) {
    unsigned char block[512 * 8];
    for (size_t done = 0; done < count;) {
        size_t now = count - done < 512 ? count - done : 512;
        for (size_t i = 0; i < now; ++i) {
            uint64_t bits;
            memcpy(&bits, &values[done + i], sizeof bits);
            for (size_t byte = 0; byte < 8; ++byte) block[i * 8 + byte] = (unsigned char)(bits >> (8 * byte));
        }
        if (fwrite(block, 8, now, file) != now) return false;
        done += now;
    }
    return true;
}

rill_result rill_npy_save(const char *path, const double *values, const size_t *shape, int32_t axes,
                          rill_message *message) {
    char head[256];
    size_t count;
    if (axes < 0 || axes > RILL_NPY_MAX_AXES) {
        refuse(message, "found %d axes, expected 0 to %d", axes, RILL_NPY_MAX_AXES);
        return RILL_INVALID_ARGUMENT;
    }
    size_t length = write_header(head, sizeof head, shape, axes, &count);
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(head, 1, length, file) == length && write_values(file, values, count);
    int trouble = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        trouble = errno;
    }
    if (!good) {
        refuse(message, "%s", strerror(trouble));
        return RILL_INVALID_STATE;
    }
    return RILL_OK;
}
