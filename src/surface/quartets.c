/* Triangles of quartets that are not four linked wet columns.
 *
 *     NW 3 ------- 2 NE      Around a quartet, counter-clockwise, linked wet columns are *chains* c0, c1, ... that end in
 *        |         |         rims: Ea behind the first column, towards the corner before it, and Eb after the last:
 *     Ea *. . . .* |
 *        |       : |            c0, c1 | Ea c0 . Eb c1 : a quad          one column: a triangle, c0 Eb Ea
 *     SW 0 ---*--- 1 SE                                                  three: the missing corner is cut off by Eb Ea
 *      c0     Eb
 *
 * Every edge between neighbouring cells is then in the mesh in the same way from both sides: from column to column if
 * they are linked, else from the column to its rim. That is why there are neither cracks nor T-junctions.
 *
 * A chain may pass through a cell twice (around the edge of a slab that the surface meets aslant). It is then cut into
 * triangles of three columns each, which share the ones at the cuts: a *tear*, where a mesh ends at a column. The only
 * other place where it does is between three columns, if the terrain would show there (outline_clip.c). */
#include <string.h>

#include "base/hash.h"
#include "base/simd.h"
#include "surface/surface_internal.h"

/* Finds the direction from a corner of a quartet to the one after it, and to the one before it. Corners are counted on
 * around. */
static int32_t ahead(int32_t corner) {
    return 2 * (corner & 3);
}
static int32_t behind(int32_t corner) {
    return 2 * ((corner + 1) & 3);
}

/* Triangles so far, and where the next ones go. */
typedef struct triangle_writer {
    const rill_surface *surface;
    const rill_bed *bed;
    uint32_t *out;
    size_t triangles, skirts, tears;
    int32_t level_bound; /* quartets so far whose triangles depend on levels: saddles, and four columns around */
    uint32_t saddle;     /* the first vertex of the next one */
    bool named;          /* columns are written as RILL_NAMED_COLUMN and their place */
} triangle_writer;

static void put(triangle_writer *writer, uint32_t a, uint32_t b, uint32_t c) {
    writer->out[0] = a, writer->out[1] = b, writer->out[2] = c;
    writer->out += 3;
    writer->triangles += 1;
}

static uint32_t column(const triangle_writer *writer, int32_t place) {
    return writer->named ? RILL_NAMED_COLUMN | (uint32_t)place : (uint32_t)writer->surface->vertex[place];
}

static const rill_rim *rim_of(const triangle_writer *writer, uint32_t vertex) {
    RILL_ASSERT(vertex >= writer->surface->column_vertices &&
                vertex - writer->surface->column_vertices < writer->surface->rims.count);
    return (const rill_rim *)writer->surface->rims.data + (vertex - writer->surface->column_vertices);
}

/* Tells whether the chain ends at a column, in the direction of a neighbouring corner. */
static bool ends(const rill_surface *surface, int32_t place, int32_t direction) {
    return surface->rim[place] >> direction & 1;
}

/* Finds the next column of a chain that goes on. */
static int32_t next_of(const triangle_writer *writer, int32_t place, int32_t corner) {
    return rill_surface_neighbour(writer->surface, place, ahead(corner), writer->surface->stride[place]);
}

/* ---------------------------------------------------------------------------------------------------------- chains */

/* Writes a chain of four that ends where it begins. */
static void put_closed(triangle_writer *writer, const int32_t chain[4]) {
    const int32_t *top = writer->surface->top;
    const uint32_t v[4] = { column(writer, chain[0]), column(writer, chain[1]), column(writer, chain[2]),
                            column(writer, chain[3]) };
    const bool rising = top[chain[0]] - top[chain[1]] >= top[chain[3]] - top[chain[2]];
    writer->level_bound += 1;
    put(writer, v[0], v[1], rising ? v[2] : v[3]);
    put(writer, rising ? v[0] : v[1], v[2], v[3]);
}

/* Writes the skirt of the open edge from Eb to Ea, closed downwards where liquid runs over it. */
static void put_skirt(triangle_writer *writer, uint32_t a, uint32_t b) {
    const int32_t left = rim_of(writer, a)->skirt, right = rim_of(writer, b)->skirt;
    if ((left & right) < 0) return; /* both are */
    const size_t before = writer->triangles;
    if (right >= 0) put(writer, a, b, (uint32_t)right);
    if (left >= 0) put(writer, a, right >= 0 ? (uint32_t)right : b, (uint32_t)left);
    writer->skirts += writer->triangles - before;
}

/* Writes a chain of up to three columns, from a corner on; of `chain` three can be read. As many triangles as columns:
 *     one     c0 b a
 *     two     c0 c1 b,  c0 b a    or    c0 c1 a,  c1 b a: the shorter diagonal
 *     three   c0 c1 a,  c1 b a,  c1 c2 b
 * Which of these it is cannot be foreseen: three are written in any case, for which there is room (RILL_ODD_MOST). */
static void put_short(triangle_writer *writer, const int32_t *chain, int32_t count, int32_t corner) {
    RILL_ASSERT(count >= 1 && count <= 3);
    const uint32_t a = rill_rim_vertex(writer->surface, chain[0], behind(corner));
    const uint32_t b = rill_rim_vertex(writer->surface, chain[count - 1], ahead(corner + count - 1));
    const uint32_t c0 = column(writer, chain[0]), c1 = column(writer, chain[1]), c2 = column(writer, chain[2]);
    const bool from_first = (count == 2) & (rim_of(writer, b)->along <= rim_of(writer, a)->along);
    const uint32_t one = 0u - (uint32_t)(count == 1), two = 0u - (uint32_t)from_first; /* all bits, or none */
    const int32_t cut = (count == 3) & rim_of(writer, a)->cut; /* as a tear: nothing is between a and b */
    uint32_t *const out = writer->out, *const last = out + 6 - 3 * cut;
    out[0] = c0, out[1] = c1 ^ ((c1 ^ b) & one), out[2] = a ^ ((a ^ b) & two);
    out[3] = c1 ^ ((c1 ^ c0) & two), out[4] = b, out[5] = a;
    last[0] = c1, last[1] = c2, last[2] = b;
    writer->out = out + 3 * (count - cut);
    writer->triangles += (size_t)(count - cut);
    writer->tears += 2 * (size_t)cut;
    put_skirt(writer, a, b);
}

/* Tells whether two rims are on one way, from either end, and meet: there is nothing between them. (Shores may still be
 * moved by the meniscus.) */
static bool face_each_other(const rill_rim *a, const rill_rim *b) {
    return a->along + b->along <= 1.0f && a->kind != RILL_RIM_SHORE && b->kind != RILL_RIM_SHORE;
}

/* Writes a chain of more than three columns, of which the first three are known. */
static void put_long(triangle_writer *writer, const int32_t chain[3], int32_t corner) {
    const uint32_t a = rill_rim_vertex(writer->surface, chain[0], behind(corner));
    put(writer, a, column(writer, chain[0]), column(writer, chain[1]));
    put(writer, a, column(writer, chain[1]), column(writer, chain[2]));
    int32_t at = chain[2], k = corner + 2;
    for (;;) {
        const int32_t one = next_of(writer, at, k);
        if (ends(writer->surface, one, ahead(k + 1))) {
            const uint32_t b = rill_rim_vertex(writer->surface, one, ahead(k + 1));
            put(writer, column(writer, at), column(writer, one), b);
            /* Four, of which the last and the first face each other across a gap: the end of a tear. */
            if (k == corner + 2 && face_each_other(rim_of(writer, a), rim_of(writer, b))) {
                put(writer, a, column(writer, at), b);
                return;
            }
            break;
        }
        const int32_t two = next_of(writer, one, k + 1);
        if (ends(writer->surface, two, ahead(k + 2))) {
            const uint32_t b = rill_rim_vertex(writer->surface, two, ahead(k + 2));
            put(writer, column(writer, at), column(writer, one), b);
            put(writer, column(writer, one), column(writer, two), b);
            break;
        }
        put(writer, column(writer, at), column(writer, one), column(writer, two));
        writer->tears += 1;
        at = two;
        k += 2;
    }
    writer->tears += 2;
}

/* ------------------------------------------------------------------------------------------------------- in a sheet */

/* A quartet of one sheet: bits of the corners that are wet, and that are linked to the next one. */
typedef struct sheet_quartet {
    int32_t sw, stride;
    uint32_t wet, links;
} sheet_quartet;

static sheet_quartet quartet_at(const rill_surface *surface, int32_t sw, int32_t stride) {
    const uint8_t *state = surface->state + sw, *rim = surface->rim + sw;
    const uint32_t wet =
        (uint32_t)((state[0] >> 1 & 1) | (state[1] & 2) | (state[stride + 1] & 2) << 1 | (state[stride] & 2) << 2);
    const uint32_t ends =
        (uint32_t)((rim[0] & 1) | (rim[1] >> 1 & 2) | (rim[stride + 1] >> 2 & 4) | (rim[stride] >> 3 & 8));
    return (sheet_quartet){ .sw = sw, .stride = stride, .wet = wet, .links = wet & ~ends };
}

/* Finds the place of a corner. */
static int32_t corner_of(const sheet_quartet *quartet, int32_t corner) {
    return quartet->sw + ((corner + 1) >> 1 & 1) + (quartet->stride & -(corner >> 1 & 1));
}

/* Finds the part of a row where there may be quads. */
static void quad_range(const rill_surface_row *row, int32_t *from, int32_t *until) {
    const bool here = row->low < row->high, there = row[1].low < row[1].high;
    const int32_t low = !there ? row->low : !here ? row[1].low : rill_min_i(row->low, row[1].low);
    *from = rill_max_i(low - 16, 0);
    *until = rill_max_i(row->high, row[1].high);
}

/* Writes two opposite columns that are apart, or joined, with a vertex more towards each other, or to either side
 * (saddles.c):
 *
 *     3 - - - *b- 2        3 - *b - - 2        c0, c2 are wet, ends a of c0 and b of c2 towards 1 and towards 3
 *     |     ,Y    |        |  Y. '    |
 *     *a ,'    Y  *b       *a'   ' . X *b
 *     |X'   ,     |        |   . '    |
 *     0 -*a- - -  1        0 - - *a - 1 */
static void put_saddle(triangle_writer *writer, const rill_saddle *saddle) {
    const int32_t first = saddle->first, second = saddle->second, turn = saddle->turn;
    const uint32_t a[2] = { rill_rim_vertex(writer->surface, first, ahead(turn)),
                            rill_rim_vertex(writer->surface, first, behind(turn)) };
    const uint32_t b[2] = { rill_rim_vertex(writer->surface, second, behind(turn + 2)),
                            rill_rim_vertex(writer->surface, second, ahead(turn + 2)) };
    const uint32_t c0 = column(writer, first), c2 = column(writer, second), x = writer->saddle, y = x + 1;
    const bool joined = saddle->share > RILL_SADDLE_JOINED;
    put(writer, c0, a[0], x);
    put(writer, c0, joined ? y : x, a[1]);
    put(writer, c2, b[1], y);
    put(writer, c2, joined ? x : y, b[0]);
    if (joined) {
        put(writer, c0, x, y);
        put(writer, c2, y, x);
    }
    writer->level_bound += 1;
    writer->saddle += 2;
}

static void put_quartet(triangle_writer *writer, const sheet_quartet *quartet) {
    const int32_t sw = quartet->sw, nw = sw + quartet->stride, around[] = { sw, sw + 1, nw + 1, nw, sw, sw + 1 };
    uint32_t starts = quartet->wet & ~(quartet->links << 1 | quartet->links >> 3);
    if (quartet->links == 15u) put_closed(writer, around); /* the ends of a diagonal are not linked */
    for (; starts; starts &= starts - 1) {
        const int32_t first = __builtin_ctz(starts),
                      count = 1 + __builtin_ctz(~((quartet->links | quartet->links << 4) >> first));
        if (count < 4)
            put_short(writer, around + first, count, first);
        else
            put_long(writer, around + first, first);
    }
}

/* Writes the odd quartets of a row, apart from corners where sheets meet. */
static void put_odd(const rill_build *build, const rill_surface_row *row, triangle_writer *writer) {
    const rill_surface *surface = build->surface;
    const int32_t wide = writer->bed->grid.cells[0] + 1;
    const uint8_t *mixed = surface->mixed + (size_t)(row->y + 1) * (size_t)wide + row->x0;
    int32_t from, until;
    quad_range(row, &from, &until);
    writer->saddle = (uint32_t)row->saddle_vertex;
    const uint64_t *const marks = rill_marks(surface, row, RILL_MARK_ODD);
    for (int32_t x = from & -64; x < until; x += 64) {
        for (uint64_t odd = marks[x / 64]; odd; odd &= odd - 1) {
            const int32_t at = x + __builtin_ctzll(odd);
            if (surface->any_mixed && mixed[at]) continue;
            const sheet_quartet quartet = quartet_at(surface, row->start + at, row->stride);
            const int32_t turn = quartet.wet == 10u, first = corner_of(&quartet, turn);
            rill_saddle saddle;
            if ((quartet.wet == 5u || turn) && surface->links[first] >> (ahead(turn) + 1) & 1 &&
                rill_saddle_find(build, first, turn, (row->y + 1) * wide + row->x0 + at, &saddle))
                put_saddle(writer, &saddle);
            else
                put_quartet(writer, &quartet);
        }
    }
}

/* Tells whether the odd quartets are as they were in the build before: the same vertices, in the same order. */
static bool odd_as_before(const rill_surface *surface, const rill_surface_row *row) {
    const rill_surface_row *north = row + 1;
    return !surface->rerimmed && !row->renumbered && !north->renumbered && !row->rerimmed && !north->rerimmed &&
           row->odd == row->odd_before && row->full == row->full_before && row->level_bound == 0 && row->saddles == 0;
}

void rill_row_count_triangles(const rill_build *build, rill_surface_row *row) {
    triangle_writer writer = { .surface = build->surface,
                               .bed = build->view->bed,
                               .out = rill_odd_triangles(build->surface, row->first_odd) };
    row->same_odd = row->above || odd_as_before(build->surface, row);
    if (row->same_odd) return;
    if (row->odd > 0 && build->surface->def.smooth_shores) put_odd(build, row, &writer);
    row->triangles = 2 * row->full + (int32_t)writer.triangles;
    RILL_ASSERT(writer.triangles <= RILL_ODD_MOST * (size_t)row->odd);
    row->skirt_triangles = (int32_t)writer.skirts;
    row->tears = (int32_t)writer.tears;
    row->level_bound = writer.level_bound;
    row->odd_before = row->odd;
    row->full_before = row->full;
}

void rill_row_put_odd(const rill_build *build, const rill_surface_row *row) {
    triangle_writer writer = { .surface = build->surface,
                               .bed = build->view->bed,
                               .out = rill_odd_triangles(build->surface, row->first_odd) };
    put_odd(build, row, &writer);
}

/* ----------------------------------------------------------------------------------------------- where sheets meet */

/* Writes the chain that begins at a column. */
static void put_open(triangle_writer *writer, int32_t place, int32_t corner) {
    int32_t chain[3] = { place }, count = 1;
    for (int32_t k = corner; !ends(writer->surface, chain[count - 1], ahead(k)); ++k) {
        if (count == 3) {
            put_long(writer, chain, corner);
            return;
        }
        chain[count] = next_of(writer, chain[count - 1], k);
        count += 1;
    }
    put_short(writer, chain, count, corner);
}

/* Writes a chain that runs around from a column of the first corner; it may do so more than once. Nothing is done if it
 * does not, or if it comes by a column there that has a lower place: that one has done it. */
static void put_around(triangle_writer *writer, int32_t place) {
    int32_t chain[4] = { place }, at = place, count = 0;
    do {
        if (ends(writer->surface, at, ahead(count)) || (!(count & 3) && at < place)) return;
        if (count < 4) chain[count] = at;
        at = next_of(writer, at, count);
        count += 1;
    } while (at != place);
    if (count == 4) {
        put_closed(writer, chain);
        return;
    }
    for (int32_t k = 0; k < count; k += 2) {
        const int32_t one = next_of(writer, at, k), two = next_of(writer, one, k + 1);
        put(writer, column(writer, at), column(writer, one), column(writer, two));
        writer->tears += 1;
        at = two;
    }
}

/* Tells whether a column is the first or the second of a saddle; with the first one the saddle is written. */
static bool put_mixed_saddle(const rill_build *build, triangle_writer *writer, int32_t place, int32_t corner,
                             int32_t number) {
    const rill_surface *surface = writer->surface;
    const int32_t other = rill_surface_neighbour(surface, place, ahead(corner) + 1, surface->stride[place]);
    const int32_t first = corner < 2 ? place : other;
    rill_saddle saddle;
    if (other < 0 || !rill_saddle_find(build, first, corner & 1, number, &saddle)) return false;
    if (first == place) put_saddle(writer, &saddle);
    return true;
}

static void put_mixed(const rill_build *build, triangle_writer *writer, int32_t x, int32_t y) {
    const rill_surface *surface = writer->surface;
    const rill_bed *bed = writer->bed;
    const int32_t number = (y + 1) * (bed->grid.cells[0] + 1) + x + 1;
    const bool saddles = surface->mixed[number] == RILL_MIXED_SADDLE;
    for (int32_t corner = 0; corner < 4; ++corner) {
        const int32_t cx = x + (corner == 1 || corner == 2), cy = y + (corner >= 2);
        if (cx < 0 || cy < 0 || cx >= bed->grid.cells[0] || cy >= bed->grid.cells[1]) continue;
        const size_t cell = (size_t)cy * (size_t)bed->grid.cells[0] + (size_t)cx;
        for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
            const int32_t place = bed->places[k];
            if (!(surface->state[place] & RILL_WET) || rill_in_full_quad(surface, place, corner)) continue;
            if (saddles && put_mixed_saddle(build, writer, place, corner, number)) continue;
            if (ends(surface, place, behind(corner)))
                put_open(writer, place, corner);
            else if (corner == 0)
                put_around(writer, place);
        }
    }
}

size_t rill_quartet_write(const rill_build *build, const rill_outline_spot *spot, uint32_t *out) {
    triangle_writer writer = { .surface = build->surface, .bed = build->view->bed, .out = out, .named = true };
    if (spot->place < 0) {
        put_mixed(build, &writer, spot->x, spot->y);
    } else {
        const sheet_quartet quartet = quartet_at(build->surface, spot->place, spot->stride);
        put_quartet(&writer, &quartet);
    }
    return writer.triangles;
}

static void mixed_of_row(const rill_build *build, int32_t row, triangle_writer *writer) {
    const rill_surface *surface = build->surface;
    const int32_t wide = writer->bed->grid.cells[0] + 1;
    const uint8_t *mixed = surface->mixed + (size_t)row * (size_t)wide;
    rill_shore_paper_writer paper = { .out = writer->out };
    for (int32_t i = rill_next(rill_eight, mixed, 0, 0, wide); i < wide;
         i = rill_next(rill_eight, mixed, 0, i + 1, wide)) {
        if (surface->def.smooth_shores)
            put_mixed(build, writer, i - 1, row - 1);
        else
            rill_shore_paper_quartet(build, &paper, i - 1, row - 1);
    }
    writer->triangles += paper.triangles;
}

void rill_mixed_count(const rill_build *build, int32_t row) {
    rill_corner_row *corners = (rill_corner_row *)build->surface->corners.data + row;
    triangle_writer writer = { .surface = build->surface,
                               .bed = build->view->bed,
                               .out = rill_odd_triangles(build->surface, corners->first_odd),
                               .saddle = (uint32_t)corners->saddle_vertex };
    if (corners->count > 0) mixed_of_row(build, row, &writer);
    RILL_ASSERT(writer.triangles <= RILL_ODD_MOST * (size_t)corners->count * (size_t)build->view->bed->info.layers);
    corners->triangles = (int32_t)writer.triangles;
    corners->skirt_triangles = (int32_t)writer.skirts;
    corners->tears = (int32_t)writer.tears;
}

void rill_mixed_triangles(const rill_build *build, int32_t row) {
    rill_corner_row *corners = (rill_corner_row *)build->surface->corners.data + row;
    uint32_t *out = build->surface->mesh.indices + 3 * corners->first_triangle;
    const size_t count = 3 * (size_t)corners->triangles;
    RILL_ASSERT(3 * corners->first_triangle + count <= 3 * build->surface->mesh.triangle_count);
    memcpy(out, rill_odd_triangles(build->surface, corners->first_odd), count * sizeof *out);
    corners->hash = rill_hash_words(RILL_HASH_START, out, count);
}
