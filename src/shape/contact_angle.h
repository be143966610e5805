/* Contact angles as liquids and solids have them, in degrees, and maps that paint solids with them. */
#ifndef RILL_SHAPE_CONTACT_ANGLE_H
#define RILL_SHAPE_CONTACT_ANGLE_H

#include "shape/area.h"

/* Whether a solid has an angle of its own: NaN in both says that it has none. */
static inline bool rill_contact_angle_given(const rill_contact_angle *angle) {
    return !(angle->advancing != angle->advancing && angle->receding != angle->receding);
}

/* Returns the one angle that the surface is shaded by: exact for rill_contact_angle_about of whole degrees from 5 to 175. */
static inline double rill_contact_angle_mean(const rill_contact_angle *angle) {
    return 0.5 * (angle->advancing + angle->receding);
}

/* Checks 0 <= receding <= advancing <= 180, NaN failing; the message begins with `owner`, such as "liquid.". */
rill_result rill_contact_angle_check(const char *owner, const rill_contact_angle *angle, rill_message *message);

/* Checks the map of a solid, if it has one. */
rill_result rill_wettability_check(const char *owner, const rill_solid_def *def, rill_message *message);
static inline size_t rill_wettability_count(const rill_solid_def *def) {
    return def->wettability ? (size_t)def->wettability_size[0] * (size_t)def->wettability_size[1] : 0;
}
/* Returns the mean angle that the map of a solid, which must have one, paints on a cell of the grid. */
double rill_wettability_at(const rill_solid_def *def, const rill_grid *grid, int32_t x, int32_t y);

/* Returns the angles about a mean, as far apart as those of `like`, each within 0 to 180. */
rill_contact_angle rill_contact_angle_around(double mean, const rill_contact_angle *like);

#endif
