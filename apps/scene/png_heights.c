/* libpng's simplified interface converts 16-bit values by their gamma; heights are numbers, not light, so the plain
 * interface is used and samples are taken as they stand. libpng reports errors by longjmp: what must survive one lives
 * in the struct below, never in local variables. */
#include "png_heights.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

static const size_t FILE_LIMIT = (size_t)1 << 30;
enum { SIDE_LIMIT = 32768 };

typedef struct picture {
    const unsigned char *bytes;
    size_t size, at;
    png_structp png;
    png_infop info;
    png_bytep samples; /* all rows, as they come out of libpng */
    png_bytep *rows;
    double *heights;
    int32_t width, height;
    rill_message *message;
} picture;

static void on_error(png_structp png, png_const_charp text) {
    picture *p = png_get_error_ptr(png);
    snprintf(p->message->text, sizeof p->message->text, "found a broken PNG: %.150s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep out, size_t length) {
    picture *p = png_get_io_ptr(png);
    if (length > p->size - p->at) png_error(png, "it ends too early");
    memcpy(out, p->bytes + p->at, length);
    p->at += length;
}

static rill_result refuse(picture *p, rill_result result, const char *text) {
    snprintf(p->message->text, sizeof p->message->text, "%s", text);
    return result;
}

/* Samples to 0..1, last row first. */
static void convert(picture *p, int depth, size_t channels) {
    for (int32_t y = 0; y < p->height; ++y) {
        const unsigned char *row = p->rows[p->height - 1 - y];
        double *out = p->heights + (size_t)y * (size_t)p->width;
        for (size_t x = 0; x < (size_t)p->width; ++x) {
            const unsigned char *sample = row + x * channels * (depth == 16 ? 2 : 1);
            out[x] = depth == 16 ? (double)(sample[0] << 8 | sample[1]) / 65535.0 : (double)sample[0] / 255.0;
        }
    }
}

static rill_result decode(picture *p) {
    if (setjmp(png_jmpbuf(p->png))) return RILL_INVALID_DATA;
    png_set_user_limits(p->png, SIDE_LIMIT, SIDE_LIMIT);
    png_set_read_fn(p->png, p, on_read);
    png_read_info(p->png, p->info);
    int kind = png_get_color_type(p->png, p->info);
    if (kind != PNG_COLOR_TYPE_GRAY && kind != PNG_COLOR_TYPE_GRAY_ALPHA)
        return refuse(p, RILL_INVALID_DATA, "found a colour PNG, expected a greyscale one of 8 or 16 bits");
    if (png_get_bit_depth(p->png, p->info) < 8) png_set_expand_gray_1_2_4_to_8(p->png);
    png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
    p->width = (int32_t)png_get_image_width(p->png, p->info);
    p->height = (int32_t)png_get_image_height(p->png, p->info);
    size_t row = png_get_rowbytes(p->png, p->info), count = (size_t)p->width * (size_t)p->height;
    p->samples = calloc((size_t)p->height, row);
    p->rows = malloc((size_t)p->height * sizeof *p->rows);
    p->heights = malloc(count * sizeof *p->heights);
    if (!p->samples || !p->rows || !p->heights) return refuse(p, RILL_OUT_OF_MEMORY, "out of memory");
    for (size_t y = 0; y < (size_t)p->height; ++y) p->rows[y] = p->samples + y * row;
    png_read_image(p->png, p->rows);
    png_read_end(p->png, NULL);
    convert(p, png_get_bit_depth(p->png, p->info), png_get_channels(p->png, p->info));
    return RILL_OK;
}

rill_result rill_png_parse(const void *bytes, size_t size, double **out, int32_t out_size[2], rill_message *message) {
    *out = NULL;
    /* On the heap: a longjmp leaves it alone. */
    picture *p = calloc(1, sizeof *p);
    if (!p) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return RILL_OUT_OF_MEMORY;
    }
    *p = (picture){ .bytes = bytes, .size = size, .message = message };
    p->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, p, on_error, on_warning);
    p->info = p->png ? png_create_info_struct(p->png) : NULL;
    rill_result result = p->info ? decode(p) : refuse(p, RILL_OUT_OF_MEMORY, "out of memory");
    png_destroy_read_struct(&p->png, &p->info, NULL);
    free(p->samples);
    free(p->rows);
    if (result == RILL_OK) {
        *out = p->heights;
        out_size[0] = p->width;
        out_size[1] = p->height;
    } else {
        free(p->heights);
    }
    free(p);
    return result;
}

rill_result rill_png_load(const char *path, double **out, int32_t out_size[2], rill_message *message) {
    char *bytes;
    size_t size;
    *out = NULL;
    rill_result result = rill_file_read(path, FILE_LIMIT, &bytes, &size, message);
    if (result == RILL_OK) {
        result = rill_png_parse(bytes, size, out, out_size, message);
        free(bytes);
    }
    return result;
}
