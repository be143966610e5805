/* The row kernels of the surface. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * surface_kernels.h. Loops marked "vector" must vectorise (a test looks at the compiler's report). */
#include "surface/surface_kernels.h"

#include "base/dispatch.h"
#include "base/simd.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Runs are short in layered worlds, and compilers do what is left over of a run number by number: kernels work on parts
 * of a fixed size, of which some are long where numbers are bytes. Loops are over numbers of one width: the widest
 * vectors are used for them. */
enum { PART = 16, LONG_PART = 64 };

/* ---------------------------------------------------------------------------------------------------------- levels */

static bool any_deep(int32_t n, const int32_t *H, int32_t film) {
    RILL_ASSERT(n % PART == 0);
    int32_t deepest = 0;
    for (int32_t i = 0; i < (n & -16); ++i) deepest = rill_max_i(deepest, H[i]); /* vector */
    return deepest > film;
}

/* The arguments after NAME are constants. Where there is no column the lid is below everything. */
#define LEVEL_KERNEL(NAME, PRESSURE)                                                                                   \
    static rill_level_report NAME(int32_t n, const rill_level_row *row) {                                              \
        const rill_level_row run = *row;                                                                               \
        int32_t lifted[PART] = { 0 };                                                                                  \
        uint8_t differs[PART] = { 0 };                                                                                 \
        const int32_t film = row->film;                                                                                \
        for (int32_t at = 0; at < n; at += PART) {                                                                     \
            const int32_t *b = run.b + at, *H = run.H + at, *lid = run.lid + at, *floor = run.floor + at;              \
            const int32_t *pressure = PRESSURE ? run.pressure + at : NULL;                                             \
            uint8_t *state = run.state + at;                                                                           \
            int32_t *h = run.h + at, *top = run.top + at, found[PART];                                                 \
            RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */                                                             \
                for (int32_t i = 0; i < PART; ++i) {                                                                   \
                int32_t deep = H[i] > film;                                                                            \
                int32_t level = b[i] + (deep ? H[i] : 0);                                                              \
                int32_t free = level < lid[i];                                                                         \
                if (PRESSURE) free &= (int32_t)(pressure[i] == 0);                                                     \
                int32_t wet = free & deep, low = wet & (int32_t)(level < floor[i]);                                    \
                level = free ? level : RILL_WALL;                                                                      \
                h[i] = level;                                                                                          \
                top[i] = low ? floor[i] : level;                                                                       \
                lifted[i] += low;                                                                                      \
                found[i] = free | wet << 1;                                                                            \
            }                                                                                                          \
            RILL_EACH_ALONE RILL_NOT_UNROLLED /* of 16 bytes */                                                        \
                for (int32_t i = 0; i < PART; ++i) {                                                                   \
                differs[i] |= (uint8_t)(state[i] ^ (uint8_t)found[i]);                                                 \
                state[i] = (uint8_t)found[i];                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        rill_level_report report = { false, 0 };                                                                       \
        for (int32_t i = 0; i < PART; ++i) report.changed |= differs[i] != 0, report.lifted += lifted[i];              \
        return report;                                                                                                 \
    }

LEVEL_KERNEL(levels_free, 0)
LEVEL_KERNEL(levels_pressed, 1)

static rill_level_report levels(int32_t n, const rill_level_row *row) {
    RILL_ASSERT(n % PART == 0);
    return (row->pressure ? levels_pressed : levels_free)(n, row);
}

/* ----------------------------------------------------------------------------------------------------------- links */

/* Tells whether both are here, and one is wet. */
INLINE uint8_t may_link(uint8_t a, uint8_t b) {
    return (uint8_t)(a & b & ((a | b) >> 1));
}

/* Links a part of a row; n is a constant, as in the other parts below. */
INLINE void link_open_part(int32_t at, int32_t n, const rill_link_row *row, uint8_t *half) {
    const uint8_t *state = row->state + at, *north = row->state_n + at;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < n; ++i) {
        uint8_t e = may_link(state[i], state[i + 1]), ne = may_link(state[i], north[i + 1]);
        uint8_t up = may_link(state[i], north[i]), nw = may_link(state[i], north[i - 1]);
        half[i] = (uint8_t)(e | ne << 1 | up << 2 | nw << 3);
    }
}

static void link_open(int32_t n, const rill_link_row *row) {
    RILL_ASSERT(n % PART == 0);
    const rill_link_row run = *row;
    int32_t at = 0;
    for (; at + LONG_PART <= n; at += LONG_PART) link_open_part(at, LONG_PART, &run, run.half + at);
    for (; at < n; at += PART) link_open_part(at, PART, &run, run.half + at);
}

INLINE int32_t fits(int32_t h, int32_t m, int32_t c, int32_t other_h, int32_t other_m, int32_t other_c) {
    return (int32_t)(other_m < h) & (int32_t)(h < other_c) & (int32_t)(m < other_h) & (int32_t)(other_h < c);
}

static bool link(int32_t n, const rill_link_row *row) {
    RILL_ASSERT(n % PART == 0);
    const rill_link_row run = *row;
    uint8_t differs[PART] = { 0 };
    for (int32_t at = 0; at < n; at += PART) {
        const int32_t *h = run.h + at, *h_n = run.h_n + at, *m = run.m + at, *m_n = run.m_n + at, *c = run.lid + at;
        const int32_t *c_n = run.lid_n + at;
        uint8_t *half = run.half + at, open[PART];
        int32_t may[PART];
        RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
            for (int32_t i = 0; i < PART; ++i) {
            int32_t e = fits(h[i], m[i], c[i], h[i + 1], m[i + 1], c[i + 1]);
            int32_t ne = fits(h[i], m[i], c[i], h_n[i + 1], m_n[i + 1], c_n[i + 1]);
            int32_t up = fits(h[i], m[i], c[i], h_n[i], m_n[i], c_n[i]);
            int32_t nw = fits(h[i], m[i], c[i], h_n[i - 1], m_n[i - 1], c_n[i - 1]);
            may[i] = e | ne << 1 | up << 2 | nw << 3;
        }
        link_open_part(at, PART, &run, open);
        RILL_EACH_ALONE RILL_NOT_UNROLLED /* of 16 bytes */
            for (int32_t i = 0; i < PART; ++i) {
            uint8_t linked = (uint8_t)(open[i] & (uint8_t)may[i]);
            differs[i] |= (uint8_t)(half[i] ^ linked);
            half[i] = linked;
        }
    }
    uint8_t any = 0;
    for (int32_t i = 0; i < PART; ++i) any |= differs[i];
    return any != 0;
}

/* ----------------------------------------------------------------------------------------------------------- shape */

/* Differences, gathered place by place. */
typedef struct shape_changes {
    uint8_t differs[LONG_PART], others[LONG_PART];
} shape_changes;

INLINE void shape_part(int32_t at, int32_t n, const rill_shape_row *row, shape_changes *changes) {
    const uint8_t *state = row->state + at, *state_s = row->state_s + at, *state_n = row->state_n + at;
    const uint8_t *half = row->half + at, *south = row->half_s + at, *north = row->half_n + at;
    const int32_t *top = row->top + at, *top_n = row->top_n + at;
    const uint8_t *before = row->quads_before + at;
    uint8_t *links = row->links + at, *rim = row->rim + at, *quads = row->quads + at;
    uint8_t *differs = changes->differs, *others = changes->others;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < n; ++i) {
        uint8_t back = (uint8_t)((half[i - 1] & 1) | (south[i - 1] & 2) | (south[i] & 4) | (south[i + 1] & 8));
        links[i] = (uint8_t)(half[i] | back << 4);
    }
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < n; ++i) {
        uint8_t around =
            (uint8_t)((state[i + 1] >> 1) | (state_n[i] >> 1) << 2 | (state[i - 1] >> 1) << 4 | (state_s[i] >> 1) << 6);
        uint8_t ends = (uint8_t)(~(links[i] & around) & RILL_AXES);
        rim[i] = (state[i] & RILL_WET) ? ends : 0;
    }
    int32_t diagonals[LONG_PART];
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < n; ++i) diagonals[i] =
            top[i] - top[i + 1] >= top_n[i] - top_n[i + 1] ? RILL_QUAD_RISING : RILL_QUAD_FALLING;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < n; ++i) {
        uint8_t all = (uint8_t)(state[i] & state[i + 1] & state_n[i] & state_n[i + 1] & RILL_WET);
        uint8_t any = (uint8_t)((state[i] | state[i + 1] | state_n[i] | state_n[i + 1]) & RILL_WET);
        uint8_t sides = (uint8_t)(half[i] & north[i] & (half[i] >> 2) & (half[i + 1] >> 2));
        uint8_t linked = (uint8_t)(sides & (half[i] >> 1) & (half[i + 1] >> 3) & 1);
        uint8_t whole = (uint8_t)((all >> 1) & linked);
        uint8_t diagonal = (uint8_t)diagonals[i];
        uint8_t quad = whole ? diagonal : any ? RILL_QUAD_ODD : RILL_QUAD_NONE;
        uint8_t change = before[i] ^ quad;
        differs[i] |= change;
        others[i] |= (uint8_t)((change ^ change >> 1) & 1);
        quads[i] = quad;
    }
}

static rill_shape_report shape(int32_t n, const rill_shape_row *row) {
    RILL_ASSERT(n % PART == 0);
    const rill_shape_row run = *row;
    shape_changes changes = { { 0 }, { 0 } };
    int32_t at = 0;
    for (; at + LONG_PART <= n; at += LONG_PART) shape_part(at, LONG_PART, &run, &changes);
    for (; at < n; at += PART) shape_part(at, PART, &run, &changes);
    uint8_t differs = 0, others = 0;
    for (int32_t i = 0; i < LONG_PART; ++i) differs |= changes.differs[i], others |= changes.others[i];
    return (rill_shape_report){ differs != 0, others != 0 };
}

/* Turns diagonals where nothing else has changed. */
static bool turn(int32_t n, const rill_shape_row *row) {
    RILL_ASSERT(n % PART == 0);
    const rill_shape_row run = *row;
    uint8_t differs[PART] = { 0 };
    for (int32_t at = 0; at < n; at += PART) {
        const int32_t *top = run.top + at, *top_n = run.top_n + at;
        const uint8_t *before = run.quads_before + at;
        uint8_t *quads = run.quads + at;
        int32_t diagonals[PART];
        RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
            for (int32_t i = 0; i < PART; ++i) diagonals[i] =
                top[i] - top[i + 1] >= top_n[i] - top_n[i + 1] ? RILL_QUAD_RISING : RILL_QUAD_FALLING;
        RILL_EACH_ALONE RILL_NOT_UNROLLED /* of 16 bytes */
            for (int32_t i = 0; i < PART; ++i) {
            uint8_t quad = before[i], diagonal = (uint8_t)diagonals[i];
            uint8_t full = (uint8_t)((quad ^ quad >> 1) & 1), change = (uint8_t)((quad ^ diagonal) & (0 - full));
            differs[i] |= change;
            quads[i] = (uint8_t)(quad ^ change);
        }
    }
    uint8_t any = 0;
    for (int32_t i = 0; i < PART; ++i) any |= differs[i];
    return any != 0;
}

INLINE uint64_t eight(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Gathers the lowest bits of eight bytes, side by side. */
INLINE uint8_t lowest(uint64_t bytes) {
    return (uint8_t)((bytes & 0x0101010101010101u) * 0x0102040810204080u >> 56);
}

static rill_row_counts count(int32_t n, const uint8_t *state, const uint8_t *rim, const uint8_t *quads,
                             uint8_t *const marks[RILL_MARKS]) {
    rill_row_counts counts = { 0 };
    RILL_ASSERT(n % PART == 0);
    for (int32_t i = 0; i < n; i += 8) {
        const uint64_t quad = eight(quads + i), other = quad >> 1, ends = eight(rim + i), halves = ends | ends >> 4;
        const uint8_t wet = lowest(eight(state + i) >> 1), full = lowest(quad ^ other), odd = lowest(quad & other);
        counts.wet += __builtin_popcount(wet);
        counts.rims += __builtin_popcountll(ends);
        counts.full += __builtin_popcount(full);
        counts.odd += __builtin_popcount(odd);
        marks[RILL_MARK_WET][i / 8] = wet;
        marks[RILL_MARK_RIM][i / 8] = lowest(halves | halves >> 2); /* only axes have bits */
        marks[RILL_MARK_FULL][i / 8] = full;
        marks[RILL_MARK_ODD][i / 8] = odd;
    }
    return counts;
}

/* Numbers vertices eight at a time: a product with ones sums up what is below each byte. */
static void number(int32_t n, const uint8_t *state, int32_t first, int32_t *vertex) {
    RILL_ASSERT(n % PART == 0);
    const uint64_t ones = 0x0101010101010101u;
    for (int32_t at = 0; at < n; at += 8) {
        const uint64_t wet = eight(state + at) >> 1 & ones, up_to = wet * ones, below = up_to - wet;
        uint8_t before[8];
        memcpy(before, &below, sizeof before);
        RILL_EACH_ALONE RILL_NOT_UNROLLED /* of eight bytes */
            for (int32_t i = 0; i < 8; ++i) vertex[at + i] = first + before[i];
        first += (int32_t)(up_to >> 56);
    }
}

/* -------------------------------------------------------------------------------------------------------- vertices */

/* Three arrays of 16 numbers into one of 16 triples. Compilers write this out number by number, three times as slow. */
#ifdef RILL_VECTORS_OF_64
enum { LANES = 16 };
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5)
#define FIRST_WITH(ab, c) __builtin_shufflevector(ab, c, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15)
#define SECOND(a, b) __builtin_shufflevector(a, b, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26)
#define SECOND_WITH(ab, c) __builtin_shufflevector(ab, c, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15)
#define THIRD(a, b) __builtin_shufflevector(a, b, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0)
#define THIRD_WITH(ab, c) __builtin_shufflevector(ab, c, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31)
#else
enum { LANES = 4 };
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 4, 0, 1)
#define FIRST_WITH(ab, c) __builtin_shufflevector(ab, c, 0, 1, 4, 3)
#define SECOND(a, b) __builtin_shufflevector(a, b, 5, 0, 2, 6)
#define SECOND_WITH(ab, c) __builtin_shufflevector(ab, c, 0, 5, 2, 3)
#define THIRD(a, b) __builtin_shufflevector(a, b, 0, 3, 7, 0)
#define THIRD_WITH(ab, c) __builtin_shufflevector(ab, c, 6, 1, 2, 7)
#endif
typedef float lanes __attribute__((vector_size(4 * LANES)));

enum { CHUNK = 16 };

INLINE void weave(const float *x, const float *y, const float *z, float *out) {
    for (int32_t i = 0; i < CHUNK; i += LANES) {
        lanes a, b, c, triples[3];
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        memcpy(&c, z + i, sizeof c);
        triples[0] = FIRST_WITH(FIRST(a, b), c);
        triples[1] = SECOND_WITH(SECOND(a, b), c);
        triples[2] = THIRD_WITH(THIRD(a, b), c);
        memcpy(out + 3 * i, triples, sizeof triples);
    }
}

/* The numbers of 16 vertices. */
typedef struct vertex_chunk {
    float x[CHUNK], y[CHUNK], z[CHUNK];
    float nx[CHUNK], ny[CHUNK], nz[CHUNK];
    float u[CHUNK], v[CHUNK], w[CHUNK];
    float depth[CHUNK], opacity[CHUNK];
} vertex_chunk;

/* Finds the vertices of 16 columns from `at` on, whether they are wet or not. */
INLINE void fill_chunk(int32_t at, const rill_vertex_row *row, const rill_vertex_constants *constants,
                       vertex_chunk *out) {
    const int32_t *top = row->top + at, *south = row->top_s + at, *north = row->top_n + at, *H = row->H + at;
    const float *u = row->u + at, *v = row->v + at, *vn = row->v_n + at;
    const float first = constants->first + (float)at;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < CHUNK; ++i) {
        float gx = (float)(top[i + 1] - top[i - 1]) * constants->slope,
              gy = (float)(north[i] - south[i]) * constants->slope;
        float length = 1.0f / __builtin_sqrtf(gx * gx + gy * gy + 1.0f);
        float along = 0.5f * (u[i] + u[i + 1]), across = 0.5f * (v[i] + vn[i]);
        out->x[i] = constants->x + (first + (float)i) * constants->dx;
        out->y[i] = constants->y;
        out->z[i] = constants->datum + (float)top[i] * constants->quantum;
        out->nx[i] = -gx * length;
        out->ny[i] = -gy * length;
        out->nz[i] = length;
        out->u[i] = along;
        out->v[i] = across;
        out->w[i] = along * gx + across * gy;
        out->depth[i] = (float)H[i] * constants->quantum;
        out->opacity[i] = rill_min_f((float)H[i] * constants->opacity, 1.0f);
    }
}

INLINE void write_chunk(int32_t at, const rill_vertex_row *row, const rill_vertex_constants *constants) {
    vertex_chunk chunk;
    fill_chunk(at, row, constants, &chunk);
    weave(chunk.x, chunk.y, chunk.z, row->positions + 3 * at);
    weave(chunk.nx, chunk.ny, chunk.nz, row->normals + 3 * at);
    weave(chunk.u, chunk.v, chunk.w, row->velocities + 3 * at);
    memcpy(row->depths + at, chunk.depth, sizeof chunk.depth);
    memcpy(row->opacities + at, chunk.opacity, sizeof chunk.opacity);
    if (row->layers) memcpy(row->layers + at, row->layer + at, CHUNK * sizeof *row->layers);
}

static void write_few(int32_t n, const rill_vertex_row *row, const rill_vertex_constants *constants) {
    const size_t bytes = (size_t)n * sizeof(float);
    vertex_chunk chunk;
    float woven[3 * CHUNK];
    fill_chunk(0, row, constants, &chunk);
    weave(chunk.x, chunk.y, chunk.z, woven);
    memcpy(row->positions, woven, 3 * bytes);
    weave(chunk.nx, chunk.ny, chunk.nz, woven);
    memcpy(row->normals, woven, 3 * bytes);
    weave(chunk.u, chunk.v, chunk.w, woven);
    memcpy(row->velocities, woven, 3 * bytes);
    memcpy(row->depths, chunk.depth, bytes);
    memcpy(row->opacities, chunk.opacity, bytes);
    if (row->layers) memcpy(row->layers, row->layer, bytes);
}

/* Writes vertices chunk by chunk. The last one ends where there is room: what it shares with the one before is written
 * twice. */
static void vertices(int32_t n, int32_t room, const rill_vertex_row *row, const rill_vertex_constants *constants) {
    RILL_ASSERT(n > 0 && n <= room);
    const rill_vertex_constants copy = *constants;
    if (room < CHUNK) {
        write_few(n, row, &copy);
        return;
    }
    for (int32_t at = 0; at < n; at += CHUNK) write_chunk(at + CHUNK <= room ? at : room - CHUNK, row, &copy);
}

/* ------------------------------------------------------------------------------------------------------- triangles */

/* Packs two indices as they lie in memory. */
INLINE uint64_t two(uint32_t first, uint32_t second) {
    const uint32_t both[2] = { first, second };
    uint64_t word;
    memcpy(&word, both, sizeof word);
    return word;
}

/* Writes six indices per quad: three pairs that go on by one each from quad to quad,
 *     (sw, se)  (ne, sw) or (nw, se)  (ne, nw). */
INLINE void put_quads(int32_t n, const uint8_t *quads, uint32_t sw, uint32_t nw, uint32_t *out) {
    const uint64_t next = two(1, 1), turned = two(nw + 1, sw) - two(nw, sw + 1);
    uint64_t south = two(sw, sw + 1), middle = two(nw, sw + 1), north = two(nw + 1, nw);
    for (int32_t i = 0; i < n; ++i, out += 6) {
        const uint64_t diagonal = middle + turned * (quads[i] & RILL_QUAD_RISING); /* no branch: it would be a coin's */
        memcpy(out, &south, sizeof south);
        memcpy(out + 2, &diagonal, sizeof diagonal);
        memcpy(out + 4, &north, sizeof north);
        south += next;
        middle += next;
        north += next;
    }
}

#ifdef RILL_VECTORS_OF_64
typedef uint64_t pairs __attribute__((vector_size(64)));

/* Writes eight quads from the pairs of the first. */
INLINE void put_eight(const uint8_t *quads, pairs south, pairs middle, pairs north, uint64_t turned, uint32_t *out) {
    pairs rising, woven[3];
    for (int32_t i = 0; i < 8; ++i) rising[i] = quads[i] & RILL_QUAD_RISING;
    const pairs diagonal =
        middle + (-rising & (pairs){ turned, turned, turned, turned, turned, turned, turned, turned });
    woven[0] = __builtin_shufflevector(__builtin_shufflevector(south, diagonal, 0, 8, 0, 1, 9, 0, 2, 10), north, 0, 1,
                                       8, 3, 4, 9, 6, 7);
    woven[1] = __builtin_shufflevector(__builtin_shufflevector(south, diagonal, 0, 3, 11, 0, 4, 12, 0, 5), north, 10, 1,
                                       2, 11, 4, 5, 12, 7);
    woven[2] = __builtin_shufflevector(__builtin_shufflevector(south, diagonal, 13, 0, 6, 14, 0, 7, 15, 0), north, 0,
                                       13, 2, 3, 14, 5, 6, 15);
    memcpy(out, woven, sizeof woven);
}

static void triangles(int32_t n, const uint8_t *quads, uint32_t sw, uint32_t nw, uint32_t *out) {
    const uint64_t next = two(1, 1), turned = two(nw + 1, sw) - two(nw, sw + 1);
    const pairs along = { 0, next, 2 * next, 3 * next, 4 * next, 5 * next, 6 * next, 7 * next };
    const pairs south = along + two(sw, sw + 1), middle = along + two(nw, sw + 1), north = along + two(nw + 1, nw);
    int32_t at = 0;
    for (; at + 8 <= n; at += 8) {
        const uint64_t on = (uint64_t)at * next;
        put_eight(quads + at, south + on, middle + on, north + on, turned, out + 6 * at);
    }
    put_quads(n - at, quads + at, sw + (uint32_t)at, nw + (uint32_t)at, out + 6 * at);
}
#else
static void triangles(int32_t n, const uint8_t *quads, uint32_t sw, uint32_t nw, uint32_t *out) {
    put_quads(n, quads, sw, nw, out);
}
#endif

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

extern const rill_surface_kernels RILL_KERNELS_NAME;
const rill_surface_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .any_deep = any_deep,
    .levels = levels,
    .link_open = link_open,
    .link = link,
    .shape = shape,
    .turn = turn,
    .count = count,
    .number = number,
    .vertices = vertices,
    .triangles = triangles,
};
