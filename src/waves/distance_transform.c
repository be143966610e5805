/* Exact squared distances to a shape on a grid. The method is in distance_transform.h. */
#include "waves/distance_transform.h"

#include "base/assert.h"

/* A parabola of the lower envelope: that of column x is the lowest from column `from` on. */
typedef struct parabola {
    int32_t x, from;
} parabola;

/* Writes distances along columns to the nearest cell that is sought, in cells; nx + ny where a column has none. */
static void scan_columns(const uint8_t *inside, uint8_t sought, int32_t nx, int32_t ny, int64_t *out) {
    const int64_t none = (int64_t)nx + ny;
    for (int32_t x = 0; x < nx; ++x) {
        int64_t distance = none;
        for (int32_t y = 0; y < ny; ++y) {
            const size_t at = (size_t)y * (size_t)nx + (size_t)x;
            distance = inside[at] == sought ? 0 : distance < none ? distance + 1 : none;
            out[at] = distance;
        }
        for (int32_t y = ny - 2; y >= 0; --y) {
            const size_t at = (size_t)y * (size_t)nx + (size_t)x;
            if (out[at + (size_t)nx] + 1 < out[at]) out[at] = out[at + (size_t)nx] + 1;
        }
    }
}

static int64_t height(const int64_t *g, int32_t vertex, int32_t x) {
    const int64_t along = (int64_t)x - vertex;
    return along * along + g[vertex] * g[vertex];
}

/* Returns the first column in which the parabola of the later column l is lower than that of k, or equal. */
static int64_t meeting(const int64_t *g, int32_t k, int32_t l) {
    const int64_t difference = (int64_t)l * l - (int64_t)k * k + g[l] * g[l] - g[k] * g[k];
    const int64_t twice = 2 * ((int64_t)l - k);
    return difference <= 0 ? 0 : (difference + twice - 1) / twice;
}

/* Turns the distances along columns of one row into squared distances in the plane. `g` is a copy of the row. */
static void scan_row(const int64_t *g, int32_t nx, parabola *envelope, int64_t *out) {
    int32_t count = 0;
    for (int32_t x = 0; x < nx; ++x) {
        while (count > 0 &&
               height(g, envelope[count - 1].x, envelope[count - 1].from) >= height(g, x, envelope[count - 1].from))
            count -= 1;
        const int64_t from = count > 0 ? meeting(g, envelope[count - 1].x, x) : 0;
        if (from < nx) envelope[count++] = (parabola){ x, (int32_t)from };
    }
    RILL_ASSERT(count > 0 && envelope[0].from == 0);
    for (int32_t x = nx - 1; x >= 0; --x) {
        while (envelope[count - 1].from > x) count -= 1;
        out[x] = height(g, envelope[count - 1].x, x);
    }
}

bool rill_distance_transform(const uint8_t *inside, uint8_t sought, int32_t nx, int32_t ny, int64_t *out,
                             const rill_allocator *allocator) {
    const size_t width = (size_t)nx;
    int64_t *g = rill_alloc(allocator, width, sizeof *g);
    parabola *envelope = rill_alloc(allocator, width, sizeof *envelope);
    const int64_t none = (int64_t)nx + ny;
    if (g && envelope) {
        scan_columns(inside, sought, nx, ny, out);
        for (int32_t y = 0; y < ny; ++y) {
            int64_t *row = out + (size_t)y * width;
            for (size_t x = 0; x < width; ++x) g[x] = row[x];
            scan_row(g, nx, envelope, row);
            for (size_t x = 0; x < width; ++x) /* farther than any cell is from any other: there is none */
                if (row[x] >= none * none) row[x] = RILL_DISTANCE_NONE;
        }
    }
    const bool good = g && envelope;
    rill_free(allocator, g, width, sizeof *g);
    rill_free(allocator, envelope, width, sizeof *envelope);
    return good;
}
