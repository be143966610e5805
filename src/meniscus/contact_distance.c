/* Finding the contact band: the wet columns near a contact line, and how far they are from it (meniscus.h).
 *
 * The first ring are columns at rims; from there the band grows over links. Columns are only ever appended to the
 * list. One that hears of a nearer contact point later is in it again, and the one that counts is the one whose square
 * is that of its place: squares of a place only ever get smaller. A dry column has a square below zero, so nothing is
 * worth telling it. */
#include "meniscus/meniscus.h"

#include <math.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/simd.h"
#include "shape/contact_angle.h"

RILL_DISPATCH(rill_meniscus_kernels)

static const double REACH[] = { 1.0, 5.0, 6.0 }; /* linear, exponential, lifted: capillary lengths */
static const double FARTHEST = 128.0;            /* cells */
static const float LAST = 0.9375f;               /* contact points move no farther, on the way to the next cell */
static const float HALF_WAY = 0.5f;
static const float NOBODY = -1.0f; /* square where no column is wet: nothing is worth telling it */

rill_contact_band *rill_contact_band_make(const rill_allocator *allocator, bool scalar) {
    rill_contact_band *band = rill_alloc_zeroed(allocator, 1, sizeof *band);
    if (!band) return NULL;
    *band = (rill_contact_band){ .allocator = *allocator,
                                 .kernels = rill_meniscus_kernels_pick(scalar),
                                 .columns = rill_array_make(sizeof(rill_contact_column)),
                                 .contacts = rill_array_make(sizeof(rill_contact)),
                                 .toward = rill_array_make(2 * sizeof(float)) };
    rill_profile_make(band->constants.profile);
    for (int set = 0; set < 256; ++set)
        for (int d = 0; d < RILL_DIRECTIONS; ++d)
            if (set >> d & 1) band->listed[set][band->counts[set]++] = (uint8_t)d;
    return band;
}

static void free_plane(rill_contact_band *band) {
    rill_free(&band->allocator, band->squares, band->plane_size, sizeof *band->squares);
    band->squares = NULL;
    band->plane_size = 0;
}

void rill_contact_band_free(rill_contact_band *band) {
    if (!band) return;
    const rill_allocator allocator = band->allocator;
    free_plane(band);
    rill_array *const arrays[] = { &band->columns, &band->contacts, &band->toward };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &allocator);
    rill_free(&allocator, band, 1, sizeof *band);
}

/* Sets the squares of places as they are without a band. */
static void clear(rill_contact_band *band, const rill_surface *surface, size_t from, size_t until) {
    const float squares[] = { NOBODY, band->outside };
    RILL_ASSERT(from <= until && until <= band->plane_size);
    for (size_t i = from; i < until; ++i) band->squares[i] = squares[surface->state[i] >> 1 & 1];
}

/* Makes a plane without a band: another one for another bed, all of it for another width of the band or if the last
 * build is not known, else what is wet or dry since then. */
static bool fit_plane(rill_contact_band *band, const rill_surface *surface) {
    const size_t size = surface->plane_size;
    const bool same = band->squares && band->plane_size == size;
    if (!same) {
        free_plane(band);
        band->squares = rill_alloc(&band->allocator, size, sizeof *band->squares);
        if (!band->squares) return false;
        band->plane_size = size;
    }
    const bool known =
        same && band->build_number + 1 == surface->build_number && band->outside == band->constants.limit;
    const rill_surface_row *rows = surface->rows.data;
    band->outside = band->constants.limit;
    band->build_number = surface->build_number;
    if (!known) clear(band, surface, 0, size);
    for (size_t i = 0; known && i < surface->rows.count; ++i)
        if (rows[i].changed)
            clear(band, surface, (size_t)(rows[i].start + rows[i].from), (size_t)(rows[i].start + rows[i].until));
    return true;
}

/* Sets what follows from liquid and cell size; false without tension, where there is no meniscus. */
static bool set_constants(rill_contact_band *band, const rill_surface *surface, const rill_surface_view *view) {
    const double *gravity = view->gravity, dx = view->bed->grid.cell_size;
    const double weight =
        view->liquid.density * sqrt((gravity[0] * gravity[0] + gravity[1] * gravity[1]) + gravity[2] * gravity[2]);
    const bool lift = surface->def.meniscus == RILL_MENISCUS_LIFT;
    const double reach = REACH[lift ? 2 : surface->def.falloff == RILL_FALLOFF_EXPONENTIAL ? 1 : 0];
    const double longest = FARTHEST * dx / reach;
    band->length = sqrt(view->liquid.surface_tension / fmax(weight, 1e-30));
    if (!(band->length < longest)) band->length = longest;
    if (!(band->length > 0.0)) return false;
    band->angle = rill_contact_angle_mean(&view->liquid.contact_angle) * (RILL_QUARTER_TURN / 90.0);
    const double cells = reach * band->length / dx;
    band->constants.limit = (float)fmax(cells * cells, 1.0);
    band->steepness = view->bed->quantum / dx;
    band->constants.decay = (float)(dx / band->length);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- first ring */

/* Finds the slope of the solid at a rim: infinite for a wall. */
static double slope_at(const rill_contact_band *band, const rill_rim *rim) {
    return rim->kind == RILL_RIM_SHORE ? (double)rim->rise * band->steepness : INFINITY;
}

/* Finds by how many quanta the bed rises from a rim's column in a direction across it; false at walls and steps. */
static bool rise_across(const rill_surface *surface, const rill_bed *bed, const rill_rim *rim, int direction,
                        int32_t *rise) {
    const uint32_t ends = surface->rim[rim->place], bit = 1u << direction;
    if (ends & bit) {
        const size_t before = (size_t)__builtin_popcount(ends & (bit - 1u));
        const rill_rim *other = (const rill_rim *)surface->rims.data + surface->rim_first[rim->place] + before;
        RILL_ASSERT(other->place == rim->place && other->direction == direction);
        *rise = other->rise;
        if (other->kind != RILL_RIM_SHORE) return false;
    } else {
        *rise = bed->b[rill_surface_neighbour(surface, rim->place, direction, rim->stride)] - bed->b[rim->place];
    }
    return (double)rill_abs_i(*rise) * bed->quantum <= bed->grid.cell_size;
}

/* Finds how steep the bank at a rim is, straight up: a shore that runs aslant meets it on a longer way along the axis. */
static double bank_at(const rill_surface *surface, const rill_bed *bed, const rill_contact_band *band,
                      const rill_rim *rim, double slope) {
    if (rim->kind != RILL_RIM_SHORE || fabs(slope) > 1.0) return slope;
    const int ahead = (rim->direction + 2) % RILL_DIRECTIONS, behind = (rim->direction + 6) % RILL_DIRECTIONS;
    int32_t up = 0, down = 0;
    const bool one = rise_across(surface, bed, rim, ahead, &up), other = rise_across(surface, bed, rim, behind, &down);
    if (!one && !other) return slope;
    const double across = (one && other ? 0.5 * (up - down) : one ? up : down) * band->steepness;
    return slope < -fabs(across) ? slope : sqrt(slope * slope + across * across);
}

/* Finds the contact at a rim. At a wall the rim is inside of the solid, and its face somewhere between the two centres:
 * half way, for all that is known. Where tension acts the columns have the angle already. */
static rill_contact find_contact(const rill_contact_band *band, const rill_surface *surface,
                                 const rill_surface_view *view, const rill_rim *rim, double slope, double beta) {
    const bool real = view->tension && (slope <= 1.0 || view->wall_tension);
    const double bent = real ? 0.0 : beta - band->angle, up = bent < RILL_QUARTER_TURN ? bent : RILL_QUARTER_TURN;
    const double psi = up > -RILL_QUARTER_TURN ? up : -RILL_QUARTER_TURN;
    rill_contact contact = { .strength = (float)psi,
                             .along = slope > 1.0 ? rill_min_f(rim->along, HALF_WAY) : rim->along };
    if (surface->def.meniscus != RILL_MENISCUS_LIFT) return contact;
    const double t = rill_profile_tangent(fabs(psi)), q = rill_profile_decay(t);
    contact.strength = (float)(psi < 0.0 ? -q : q);
    RILL_ASSERT(q >= 0.0 && q <= 1.0);
    if (psi > 0.0 && slope > 0.0 && slope <= 1.0 && rim->along < LAST &&
        rim->along == rim->unclipped) { /* the contact line climbs the bank */
        const double rise = 4.0 * t / (1.0 + t * t) * band->length / view->bed->grid.cell_size;
        contact.shift = rill_min_f((float)(rise / slope), LAST - rim->along);
        contact.along += contact.shift;
    }
    return contact;
}

/* Adds a column at a rim, or another contact point for one that is there already. */
static void add_to_ring(rill_contact_band *band, const rill_rim *rim, const rill_contact *contact) {
    const float square = contact->along * contact->along;
    RILL_ASSERT(contact->along > 0.0f && contact->along <= 1.0f);
    RILL_ASSERT((size_t)rim->place < band->plane_size);
    float *known = &band->squares[rim->place];
    if (!(square < *known)) return;
    band->columns.count += *known == band->outside; /* else it is the last one: rims of a column follow each other */
    rill_contact_column *column = (rill_contact_column *)band->columns.data + band->columns.count - 1;
    RILL_ASSERT(band->columns.count > 0 && band->columns.count <= band->columns.capacity);
    *known = square;
    *column = (rill_contact_column){ .to = { contact->along * (float)RILL_STEP_X[rim->direction],
                                             contact->along * (float)RILL_STEP_Y[rim->direction] },
                                     .stride = rim->stride,
                                     .strength = contact->strength,
                                     .place = rim->place,
                                     .square = square };
}

static bool find_ring(rill_contact_band *band, const rill_surface *surface, const rill_surface_view *view) {
    const size_t count = surface->rims.count;
    band->columns.count = band->contacts.count = 0;
    if (!rill_array_reserve(&band->columns, &band->allocator, count) ||
        !rill_array_reserve(&band->contacts, &band->allocator, count) ||
        !rill_array_reserve(&band->toward, &band->allocator, count))
        return false;
    const rill_rim *rims = surface->rims.data;
    rill_contact *contacts = band->contacts.data;
    for (size_t r = 0; r < count;) {
        size_t which[RILL_CONTACT_RUN];
        double slopes[RILL_CONTACT_RUN], angles[RILL_CONTACT_RUN] = { 0 };
        int32_t found = 0;
        for (; r < count && found < RILL_CONTACT_RUN; ++r) {
            which[found] = r;
            slopes[found] = slope_at(band, &rims[r]);
            found += rill_rim_is_contact(&rims[r]);
        }
        for (int32_t i = 0; i < found; ++i) angles[i] = bank_at(surface, view->bed, band, &rims[which[i]], slopes[i]);
        band->kernels->angles((found + 15) & -16, angles);
        for (int32_t i = 0; i < found; ++i) {
            const rill_rim *rim = &rims[which[i]];
            contacts[which[i]] = find_contact(band, surface, view, rim, slopes[i], angles[i]);
            add_to_ring(band, rim, &contacts[which[i]]);
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- growth */

/* Directions, and once more for joints. */
enum { WAYS = 2 * RILL_DIRECTIONS };

/* A round of growth, with the arrays at hand: they have room for whatever a round adds, and for one more. */
typedef struct band_growth {
    const rill_surface *surface;
    const rill_contact_band *band;
    float *squares;
    rill_contact_column *columns, *end;
    float inner;                 /* square from which on there is nobody left to tell: near the outer border */
    int32_t stride, steps[WAYS]; /* of the sheet in hand; from a place to the next ones */
} band_growth;

static const float STEPS[WAYS][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 }, { -1, 0 }, { -1, -1 },
                                      { 0, -1 }, { 1, -1 },  { 1, 0 },  { 1, 1 },  { 0, 1 },  { -1, 1 },
                                      { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };

/* Three neighbours in a row, from west to east, and one more. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_i __attribute__((vector_size(16)));

static inline four four_of(const float *from) {
    four out;
    memcpy(&out, from, sizeof out);
    return out;
}

/* Finds the directions, of all in the sheet, in which a contact point is nearer than what is known there. */
static inline uint32_t worth_telling(const float *square, int32_t stride, const float to[2]) {
    const four x = to[0] + (four){ 1.0f, 0.0f, -1.0f, 0.0f }, y = to[1] + (four){ -1.0f, 0.0f, 1.0f, 0.0f };
    const four across = x * x, along = y * y;
    const four to_north = __builtin_shufflevector(along, along, 0, 0, 0, 0),
               level = __builtin_shufflevector(along, along, 1, 1, 1, 1);
    const four to_south = __builtin_shufflevector(along, along, 2, 2, 2, 2);
    const four_i north = (across + to_north < four_of(square + stride - 1)) & (four_i){ 8, 4, 2, 0 };
    const four_i here = (across + level < four_of(square - 1)) & (four_i){ 16, 0, 1, 0 };
    const four_i south = (across + to_south < four_of(square - stride - 1)) & (four_i){ 32, 64, 128, 0 };
    const four_i set = north | here | south;
    uint64_t halves[2];
    memcpy(halves, &set, sizeof set);
    const uint64_t both = halves[0] | halves[1];
    return (uint32_t)(both | both >> 32);
}

/* Tells whether a column of the list is the one that counts. No square is -0: bits are as good as floats, and
 * faster. */
static inline bool counts(const band_growth *growth, const rill_contact_column *column) {
    return rill_float_bits(growth->squares[column->place]) == rill_float_bits(column->square);
}

/* Contact points that columns of a sheet offer their neighbours: numbers of the columns, and directions, plus 8 for
 * joints. How many a column offers cannot be foreseen: eight are written for each, and the next column overwrites the
 * surplus. */
enum { OFFERING = 32 };
typedef struct offer_list {
    int32_t from[(OFFERING + 1) * RILL_DIRECTIONS];
    uint8_t to[(OFFERING + 1) * RILL_DIRECTIONS];
} offer_list;

/* Adds a column's offers from `at` on, and returns the end. */
static inline int32_t add_offers(const band_growth *growth, int32_t from, offer_list *out, int32_t at) {
    const rill_surface *surface = growth->surface;
    const rill_contact_column *column = &growth->columns[from];
    const uint32_t links =
        worth_telling(growth->squares + column->place, growth->stride, column->to) & surface->links[column->place];
    const four_i self = { from, from, from, from };
    memcpy(out->from + at, &self, sizeof self);
    memcpy(out->from + at + 4, &self, sizeof self);
    memcpy(out->to + at, growth->band->listed[links], RILL_DIRECTIONS);
    at += growth->band->counts[links];
    for (uint32_t left = surface->joints[column->place]; left != 0; left &= left - 1) {
        out->from[at] = from;
        out->to[at++] = (uint8_t)(RILL_DIRECTIONS + __builtin_ctz(left));
    }
    return at;
}

/* Collects offers of some columns of one sheet, from one of the list on, that still count and have somebody to tell;
 * returns the next column. */
static size_t make_offers(band_growth *growth, size_t from, size_t until, offer_list *out, int32_t *count) {
    const int32_t stride = growth->columns[from].stride;
    int32_t list[OFFERING], listed = 0, at = 0;
    for (int d = 0; d < RILL_DIRECTIONS && stride != growth->stride; ++d)
        growth->steps[d] = RILL_STEP_X[d] + RILL_STEP_Y[d] * stride;
    growth->stride = stride;
    for (; from < until && listed < OFFERING && growth->columns[from].stride == stride; ++from) {
        list[listed] = (int32_t)from;
        listed +=
            (int32_t)counts(growth, &growth->columns[from]) & (int32_t)(growth->columns[from].square < growth->inner);
    }
    for (int32_t i = 0; i < listed; ++i) at = add_offers(growth, list[i], out, at);
    RILL_ASSERT(at <= OFFERING * RILL_DIRECTIONS);
    *count = at;
    return from;
}

/* Tells a linked column of a contact point, if it still is the nearest of the one who tells and of the one who
 * is told. */
static inline void tell(band_growth *growth, int32_t who, int32_t way) {
    const rill_surface *surface = growth->surface;
    const rill_contact_column *from = &growth->columns[who];
    rill_contact_column *new = growth->end;
    int32_t place = from->place + growth->steps[way];
    memcpy(&new->stride, &from->stride, sizeof new->stride + sizeof new->strength);
    if (way >= RILL_DIRECTIONS) {
        place = rill_surface_neighbour(surface, from->place, way - RILL_DIRECTIONS, growth->stride);
        new->stride = surface->stride[place];
    }
    const float x = from->to[0] - STEPS[way][0], y = from->to[1] - STEPS[way][1], square = x * x + y * y;
    new->to[0] = x, new->to[1] = y;
    RILL_ASSERT(place >= 0);
    new->place = place;
    new->square = square;
    const int32_t known = rill_float_bits(growth->squares[place]), never = INT32_MAX;
    const int32_t said = counts(growth, from) ? rill_float_bits(square) : never;
    growth->squares[place] = rill_bits_float(rill_min_i(said, known));
    growth->end += said < known;
}

/* Runs as many rounds as the band is wide: in each, columns that heard something new in the last one tell their
 * neighbours. */
static bool grow(rill_contact_band *band, const rill_surface *surface) {
    const float width = sqrtf(band->constants.limit), inner = fmaxf(width - 0.9f, 0.0f);
    rill_array *const all = &band->columns;
    size_t from = 0;
    for (int32_t round = 0; round < (int32_t)ceilf(width) && from < all->count; ++round) {
        const size_t until = all->count;
        if (!rill_array_reserve(all, &band->allocator, until + RILL_DIRECTIONS * (until - from) + 1)) return false;
        band_growth growth = { .surface = surface,
                               .band = band,
                               .squares = band->squares,
                               .columns = all->data,
                               .end = (rill_contact_column *)all->data + until,
                               .inner = inner * inner };
        while (from < until) {
            offer_list offers;
            int32_t count;
            from = make_offers(&growth, from, until, &offers, &count);
            for (int32_t i = 0; i < count; ++i) tell(&growth, offers.from[i], offers.to[i]);
        }
        all->count = (size_t)(growth.end - growth.columns);
        RILL_ASSERT(all->count <= all->capacity);
    }
    return true;
}

bool rill_contact_band_find(rill_contact_band *band, const rill_surface *surface, const rill_surface_view *view) {
    RILL_ASSERT(band->columns.count == 0);
    if (!set_constants(band, surface, view)) return true;
    return fit_plane(band, surface) && find_ring(band, surface, view) && grow(band, surface);
}

void rill_contact_band_forget(rill_contact_band *band) {
    const rill_contact_column *columns = band->columns.data;
    for (size_t i = 0; i < band->columns.count; ++i) band->squares[columns[i].place] = band->outside;
    band->columns.count = 0;
}

/* ------------------------------------------------------------------------------------------------------- distances */

bool rill_contact_distance_write(rill_surface *surface, double cell_size) {
    const rill_contact_band *band = surface->band;
    const rill_contact_column *columns = band->columns.data;
    const rill_rim *rims = surface->rims.data;
    const size_t count = surface->mesh.vertex_count, first_rim = surface->column_vertices;
    if (!rill_array_resize(&surface->distances, &surface->allocator, count)) return false;
    float *out = surface->mesh.distances = surface->distances.data;
    RILL_ASSERT(surface->column_vertices <= count);
    for (size_t i = 0; i < count; ++i) out[i] = INFINITY;
    for (size_t i = 0; i < band->columns.count; ++i)
        out[surface->vertex[columns[i].place]] = (float)(sqrt((double)band->squares[columns[i].place]) * cell_size);
    for (size_t r = 0; r < surface->rims.count && surface->def.smooth_shores; ++r) {
        const size_t vertex = first_rim + r;
        out[vertex] = rill_rim_is_contact(&rims[r]) ? 0.0f : out[surface->vertex[rims[r].place]];
        if (rims[r].skirt >= 0) out[rims[r].skirt] = out[vertex];
    }
    for (size_t i = first_rim; i < count && !surface->def.smooth_shores; ++i) out[i] = 0.0f;
    return true;
}
