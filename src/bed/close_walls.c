/* Voids as they are kept: cut to the range, and with walls thinner than a cell taken out of them (walls.c says
 * where). */
#include "base/assert.h"
#include "base/message.h"
#include "bed/raster_internal.h"

#include <string.h>

typedef struct closing {
    const rill_columns *raw;
    int32_t opening;
    const rill_array *thin_walls;
} closing;

/* The columns of a cell with its thin walls taken out of their voids. */
static void copy_cell(const closing *job, rill_columns *out, size_t cell, const rill_thin_wall *thin_walls,
                      size_t wall_count, rill_notes *notes) {
    const rill_columns *in = job->raw;
    for (int32_t k = in->cell_first[cell]; k < in->cell_first[cell + 1]; ++k) {
        int32_t b = in->b[k];
        uint16_t floor = in->floors[k];
        for (size_t w = 0; w < wall_count; ++w) {
            if (thin_walls[w].low >= in->c[k] || thin_walls[w].high <= b) continue;
            RILL_ASSERT(thin_walls[w].low < thin_walls[w].high &&
                        (w == 0 || thin_walls[w - 1].low <= thin_walls[w].low));
            rill_columns_keep(out, job->opening, b, thin_walls[w].low, floor, notes);
            b = thin_walls[w].high;
            floor = thin_walls[w].solid;
        }
        rill_columns_keep(out, job->opening, b, in->c[k], floor, notes);
    }
}

/* Copies cells that have no thin walls. */
static void copy_block(const rill_columns *in, rill_columns *out, size_t cell, size_t count, size_t to) {
    const int32_t first = in->cell_first[cell], shift = (int32_t)out->count - first;
    RILL_ASSERT(in->cell_first[cell + count] >= first);
    const size_t columns = (size_t)(in->cell_first[cell + count] - first);
    if (out->b) {
        memcpy(out->b + out->count, in->b + first, columns * sizeof(int32_t));
        memcpy(out->c + out->count, in->c + first, columns * sizeof(int32_t));
        memcpy(out->floors + out->count, in->floors + first, columns * sizeof(uint16_t));
        memcpy(out->notes + to, in->notes + cell, count * sizeof(rill_notes));
        for (size_t i = 0; i < count; ++i) out->cell_first[to + i] = in->cell_first[cell + i] + shift;
    }
    out->count += (int64_t)columns;
}

/* Copies what is in the area; only counts while `out` has no arrays. */
static void copy_closed(const closing *job, rill_columns *out) {
    const rill_columns *in = job->raw;
    const rill_thin_wall *thin_walls = job->thin_walls->data;
    const size_t in_width = (size_t)(in->area.high[0] - in->area.low[0]);
    const size_t width = (size_t)(out->area.high[0] - out->area.low[0]), rows = rill_area_cells(&out->area) / width;
    for (int i = 0; i < 2; ++i)
        RILL_ASSERT(in->area.low[i] <= out->area.low[i] && out->area.high[i] <= in->area.high[i]);
    size_t next = 0;
    out->count = 0;
    for (size_t y = 0; y < rows; ++y) {
        const size_t first = (y + (size_t)(out->area.low[1] - in->area.low[1])) * in_width +
                             (size_t)(out->area.low[0] - in->area.low[0]);
        for (size_t x = 0; x < width;) {
            while (next < job->thin_walls->count && (size_t)thin_walls[next].cell < first + x) ++next;
            const size_t wall_at = next < job->thin_walls->count ? (size_t)thin_walls[next].cell - first : width;
            const size_t until = wall_at < width ? wall_at : width, to = y * width + x;
            copy_block(in, out, first + x, until - x, to);
            x = until;
            if (x == width) break;
            size_t end = next;
            while (end < job->thin_walls->count && thin_walls[end].cell == thin_walls[next].cell) ++end;
            rill_notes notes = in->notes[first + x];
            notes.walls = 1;
            if (out->b) out->cell_first[y * width + x] = (int32_t)out->count;
            copy_cell(job, out, first + x, thin_walls + next, end - next, &notes);
            if (out->b) out->notes[y * width + x] = notes;
            x += 1;
        }
    }
    if (out->b) out->cell_first[rows * width] = (int32_t)out->count;
}

void rill_columns_free(rill_columns *columns, const rill_allocator *allocator) {
    const size_t count = (size_t)columns->count, cells = rill_area_cells(&columns->area);
    rill_free(allocator, columns->b, count, sizeof(int32_t));
    rill_free(allocator, columns->c, count, sizeof(int32_t));
    rill_free(allocator, columns->floors, count, sizeof(uint16_t));
    rill_free(allocator, columns->cell_first, cells + 1, sizeof(int32_t));
    rill_free(allocator, columns->notes, cells, sizeof(rill_notes));
    *columns = (rill_columns){ 0 };
}

rill_result rill_columns_close_walls(const rill_columns *raw, int32_t opening, const rill_array *thin_walls,
                                     const rill_area *area, const rill_allocator *allocator, rill_columns *out,
                                     rill_message *message) {
    const closing job = { .raw = raw, .opening = opening, .thin_walls = thin_walls };
    rill_columns fresh = { .grid = raw->grid,
                           .area = *area,
                           .quantum = raw->quantum,
                           .datum = raw->datum,
                           .opening = opening < RILL_LEAST_OPENING ? RILL_LEAST_OPENING : opening };
    copy_closed(&job, &fresh);
    const size_t count = (size_t)fresh.count, cells = rill_area_cells(area);
    if (fresh.count > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %zu columns, expected less than 2^31", count);
    fresh.b = rill_alloc(allocator, count, sizeof(int32_t));
    fresh.c = rill_alloc(allocator, count, sizeof(int32_t));
    fresh.floors = rill_alloc(allocator, count, sizeof(uint16_t));
    fresh.cell_first = rill_alloc(allocator, cells + 1, sizeof(int32_t));
    fresh.notes = rill_alloc(allocator, cells, sizeof(rill_notes));
    if (!fresh.b || !fresh.c || !fresh.floors || !fresh.cell_first || !fresh.notes) {
        rill_columns_free(&fresh, allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu columns", count);
    }
    copy_closed(&job, &fresh);
    RILL_ASSERT((size_t)fresh.count == count); /* as many as were counted */
    *out = fresh;
    return RILL_OK;
}
