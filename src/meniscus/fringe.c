/* Finding the fringe: the wet columns near a contact line, and how far they are from it (meniscus.h). */
#include "meniscus/meniscus.h"

#include <math.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/simd.h"

RILL_DISPATCH(rill_meniscus_kernels)

static const double REACH[] = { 1.0, 5.0, 6.0 }; /* linear, exponential, lifted: capillary lengths */
static const double FARTHEST = 128.0;            /* cells */
static const float LAST = 0.9375f;               /* contact points move no farther, on the way to the next cell */
static const float HALF_WAY = 0.5f;
static const float NOBODY = -1.0f; /* square where no column is wet: nothing is worth telling it */

rill_fringe *rill_fringe_make(const rill_allocator *allocator, bool scalar) {
    rill_fringe *fringe = rill_alloc_zeroed(allocator, 1, sizeof *fringe);
    if (!fringe) return NULL;
    *fringe = (rill_fringe){ .allocator = *allocator,
                             .kernels = rill_meniscus_kernels_pick(scalar),
                             .columns = rill_array_make(sizeof(rill_fringe_column)),
                             .contacts = rill_array_make(sizeof(rill_contact)),
                             .toward = rill_array_make(2 * sizeof(float)) };
    rill_profile_make(fringe->constants.profile);
    for (int set = 0; set < 256; ++set)
        for (int d = 0; d < RILL_DIRECTIONS; ++d)
            if (set >> d & 1) fringe->listed[set][fringe->counts[set]++] = (uint8_t)d;
    return fringe;
}

static void give_plane(rill_fringe *fringe) {
    rill_free(&fringe->allocator, fringe->squares, fringe->plane_size, sizeof *fringe->squares);
    fringe->squares = NULL;
    fringe->plane_size = 0;
}

void rill_fringe_free(rill_fringe *fringe) {
    if (!fringe) return;
    const rill_allocator allocator = fringe->allocator;
    give_plane(fringe);
    rill_array *const arrays[] = { &fringe->columns, &fringe->contacts, &fringe->toward };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &allocator);
    rill_free(&allocator, fringe, 1, sizeof *fringe);
}

/* Squares of places without a fringe. */
static void clear(rill_fringe *fringe, const rill_surface *surface, size_t from, size_t until) {
    const float squares[] = { NOBODY, fringe->outside };
    for (size_t i = from; i < until; ++i) fringe->squares[i] = squares[surface->state[i] >> 1 & 1];
}

/* A plane in which there is no fringe: another one for another bed, all of it for another width of the fringe or if the last build
 * is not known, else what is wet or dry since then. */
static bool fit_plane(rill_fringe *fringe, const rill_surface *surface) {
    const size_t size = surface->plane_size;
    const bool same = fringe->squares && fringe->plane_size == size;
    if (!same) {
        give_plane(fringe);
        fringe->squares = rill_alloc(&fringe->allocator, size, sizeof *fringe->squares);
        if (!fringe->squares) return false;
        fringe->plane_size = size;
    }
    const bool known =
        same && fringe->build_number + 1 == surface->build_number && fringe->outside == fringe->constants.limit;
    const rill_surface_row *rows = surface->rows.data;
    fringe->outside = fringe->constants.limit;
    fringe->build_number = surface->build_number;
    if (!known) clear(fringe, surface, 0, size);
    for (size_t i = 0; known && i < surface->rows.count; ++i)
        if (rows[i].changed)
            clear(fringe, surface, (size_t)(rows[i].start + rows[i].from), (size_t)(rows[i].start + rows[i].until));
    return true;
}

/* False where there is no meniscus: without tension. */
static bool set_constants(rill_fringe *fringe, const rill_surface *surface, const rill_surface_view *view) {
    const double *g = view->gravity, dx = view->bed->grid.cell_size;
    const double weight = view->liquid.density * sqrt((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]);
    const bool lift = surface->def.meniscus == RILL_MENISCUS_LIFT;
    const double reach = REACH[lift ? 2 : surface->def.falloff == RILL_FALLOFF_EXPONENTIAL ? 1 : 0];
    const double longest = FARTHEST * dx / reach;
    fringe->length = sqrt(view->liquid.surface_tension / fmax(weight, 1e-30));
    if (!(fringe->length < longest)) fringe->length = longest;
    if (!(fringe->length > 0.0)) return false;
    fringe->angle = view->liquid.contact_angle * (RILL_QUARTER_TURN / 90.0);
    const double cells = reach * fringe->length / dx;
    fringe->constants.limit = (float)fmax(cells * cells, 1.0);
    fringe->steepness = view->bed->quantum / dx;
    fringe->constants.decay = (float)(dx / fringe->length);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- first ring */

/* Of the solid there: that of a wall is infinite. */
static double slope_at(const rill_fringe *fringe, const rill_rim *rim) {
    return rim->kind == RILL_RIM_SHORE ? (double)rim->rise * fringe->steepness : INFINITY;
}

/* At a wall the rim is inside of the solid, and its face somewhere between the two centres: half way, for all that is known. */
static rill_contact find_contact(const rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed,
                                 const rill_rim *rim, double slope, double beta) {
    const double bent = beta - fringe->angle, up = bent < RILL_QUARTER_TURN ? bent : RILL_QUARTER_TURN;
    const double psi = up > -RILL_QUARTER_TURN ? up : -RILL_QUARTER_TURN;
    rill_contact contact = { .strength = (float)psi,
                             .along = slope > 1.0 ? rill_min_f(rim->along, HALF_WAY) : rim->along };
    if (surface->def.meniscus != RILL_MENISCUS_LIFT) return contact;
    const double t = rill_profile_tangent(fabs(psi)), q = rill_profile_decay(t);
    contact.strength = (float)(psi < 0.0 ? -q : q);
    if (psi > 0.0 && slope > 0.0 && slope <= 1.0 && rim->along < LAST &&
        rim->along == rim->unclipped) { /* the contact line climbs the bank */
        const double rise = 4.0 * t / (1.0 + t * t) * fringe->length / bed->grid.cell_size;
        contact.shift = rill_min_f((float)(rise / slope), LAST - rim->along);
        contact.along += contact.shift;
    }
    return contact;
}

/* A column at a rim, or another contact point for one that is there already. */
static void add_to_ring(rill_fringe *fringe, const rill_rim *rim, const rill_contact *contact) {
    const float square = contact->along * contact->along;
    float *known = &fringe->squares[rim->place];
    if (!(square < *known)) return;
    fringe->columns.count +=
        *known == fringe->outside; /* else it is the last one: rims of a column follow each other */
    rill_fringe_column *column = (rill_fringe_column *)fringe->columns.data + fringe->columns.count - 1;
    *known = square;
    *column = (rill_fringe_column){ .to = { contact->along * (float)RILL_STEP_X[rim->direction],
                                            contact->along * (float)RILL_STEP_Y[rim->direction] },
                                    .stride = rim->stride,
                                    .strength = contact->strength,
                                    .place = rim->place,
                                    .square = square };
}

static bool find_ring(rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed) {
    const size_t count = surface->rims.count;
    fringe->columns.count = fringe->contacts.count = 0;
    if (!rill_array_reserve(&fringe->columns, &fringe->allocator, count) ||
        !rill_array_reserve(&fringe->contacts, &fringe->allocator, count) ||
        !rill_array_reserve(&fringe->toward, &fringe->allocator, count))
        return false;
    const rill_rim *rims = surface->rims.data;
    rill_contact *contacts = fringe->contacts.data;
    for (size_t r = 0; r < count;) {
        size_t which[RILL_FRINGE_RUN];
        double slopes[RILL_FRINGE_RUN], angles[RILL_FRINGE_RUN] = { 0 };
        int32_t found = 0;
        for (; r < count && found < RILL_FRINGE_RUN; ++r) {
            which[found] = r;
            slopes[found] = slope_at(fringe, &rims[r]);
            found += rill_rim_is_contact(&rims[r]);
        }
        memcpy(angles, slopes, sizeof *angles * (size_t)found);
        fringe->kernels->angles((found + 15) & -16, angles);
        for (int32_t i = 0; i < found; ++i) {
            const rill_rim *rim = &rims[which[i]];
            contacts[which[i]] = find_contact(fringe, surface, bed, rim, slopes[i], angles[i]);
            add_to_ring(fringe, rim, &contacts[which[i]]);
        }
    }
    return true;
}

bool rill_fringe_find(rill_fringe *fringe, const rill_surface *surface, const rill_surface_view *view) {
    if (!set_constants(fringe, surface, view)) return true;
    return fit_plane(fringe, surface) && find_ring(fringe, surface, view->bed) && rill_fringe_grow(fringe, surface);
}

void rill_fringe_forget(rill_fringe *fringe) {
    const rill_fringe_column *columns = fringe->columns.data;
    for (size_t i = 0; i < fringe->columns.count; ++i) fringe->squares[columns[i].place] = fringe->outside;
    fringe->columns.count = 0;
}
