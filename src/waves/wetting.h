/* WETTING: how liquid and floor like each other, column by column.
 *
 * A sheet of liquid at rest on a floor is as deep as s = 2 sin(theta / 2) capillary lengths, with theta its contact angle; that
 * number, and nothing else of the angle, is what the tension of a wetting edge needs. There are two planes of it, over all
 * sheets: for an edge that advances and for one that recedes. A column has those of the solid that its floor belongs to: of a
 * control that acts, else of the map that paints that solid, else its own, else the liquid's. Places outside of open and still edges have those of the column
 * next to them; all others 0.
 *
 * Based on: de Gennes, Rev. Mod. Phys. 57, 827 (1985), for the depth of a puddle; Wang, Miller, Turk 2007, section 5.1, for an angle
 * that depends on where liquid was. */
#ifndef RILL_WAVES_WETTING_H
#define RILL_WAVES_WETTING_H

#include "bed/bed.h"

typedef struct rill_wetting {
    float *advancing, *receding; /* planes; NULL: not made */
    size_t plane_size;
    bool filled;
    rill_contact_angle liquid; /* what is in them: of which liquid, */
    uint64_t bed_change;       /* and of the bed as of which of its changes */
} rill_wetting;

/* Returns the solid that a floor belongs to; NULL: one that says nothing of angles. */
typedef const rill_solid *rill_wetting_solid(const void *context, uint16_t floor);

/* Returns the angle that is painted on a cell whatever its floors say; NULL for none. May itself be NULL. */
typedef const rill_contact_angle *rill_wetting_paint(const void *context, int32_t x, int32_t y);

/* Makes planes for a bed, unless there are some of their size. False, and none at all, without memory. */
bool rill_wetting_make(rill_wetting *wetting, const rill_bed *bed, const rill_allocator *allocator);
void rill_wetting_free(rill_wetting *wetting, const rill_allocator *allocator);
/* Fills in the columns of an area of cells. */
void rill_wetting_fill(rill_wetting *wetting, const rill_bed *bed, const rill_area *area,
                       const rill_contact_angle *liquid, rill_wetting_solid *solid_of, rill_wetting_paint *paint,
                       const void *context);

/* Returns 2 sin(theta / 2) of 0 to 180 degrees, the same on every platform. */
double rill_wetting_s(double degrees);
/* Returns cos(theta) of such a number: 1 - s^2 / 2. */
static inline float rill_wetting_cosine(float s) {
    return 1.0f - 0.5f * s * s;
}

#endif
