/* Contact angles: what they may be, and what a map makes of a cell. */
#include "shape/contact_angle.h"

#include "base/assert.h"
#include "base/message.h"
#include "shape/constants.h"
#include "shape/stretch.h"

static const double USUAL_HALF = 5.0; /* degrees on either side of an angle that is all that is known of a pair */

/* NaN stays NaN, to be refused later. */
static double within(double angle) {
    return angle < 0.0 ? 0.0 : angle > 180.0 ? 180.0 : angle;
}

rill_contact_angle rill_contact_angle_about(double theta) {
    return (rill_contact_angle){ .advancing = within(theta + USUAL_HALF), .receding = within(theta - USUAL_HALF) };
}

rill_contact_angle rill_contact_angle_around(double mean, const rill_contact_angle *like) {
    const double half = 0.5 * (like->advancing - like->receding);
    return (rill_contact_angle){ .advancing = within(mean + half), .receding = within(mean - half) };
}

rill_result rill_contact_angle_check(const char *owner, const rill_contact_angle *angle, rill_message *message) {
    if (!(angle->advancing >= 0.0 && angle->advancing <= 180.0))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%scontact_angle.advancing is %g; expected 0 to 180", owner,
                         angle->advancing);
    if (angle->receding >= 0.0 && angle->receding <= angle->advancing) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT,
                     "%scontact_angle.receding is %g; expected 0 to %g, the advancing angle", owner, angle->receding,
                     angle->advancing);
}

rill_result rill_wettability_check(const char *owner, const rill_solid_def *def, rill_message *message) {
    if (!def->wettability) return RILL_OK;
    const int32_t *size = def->wettability_size;
    for (int i = 0; i < 2; ++i)
        if (size[i] < 1 || (double)size[0] * (double)size[1] > (double)RILL_SHAPE_ELEMENTS)
            return rill_fail(message, RILL_INVALID_ARGUMENT,
                             "%swettability_size is %d x %d; expected at least 1 each and at most %zu in all", owner,
                             (int)size[0], (int)size[1], RILL_SHAPE_ELEMENTS);
    const size_t columns = (size_t)size[0], count = rill_wettability_count(def);
    for (size_t i = 0; i < count; ++i)
        if (!(def->wettability[i] >= 0.0 && def->wettability[i] <= 180.0))
            return rill_fail(message, RILL_INVALID_DATA,
                             "%swettability at column %zu, row %zu is %g; expected 0 to 180", owner, i % columns,
                             i / columns, def->wettability[i]);
    return RILL_OK;
}

double rill_wettability_at(const rill_solid_def *def, const rill_grid *grid, int32_t x, int32_t y) {
    RILL_ASSERT(def->wettability && x >= 0 && x < grid->cells[0] && y >= 0 && y < grid->cells[1]);
    const int32_t nx = def->wettability_size[0], ny = def->wettability_size[1];
    double fx, fy;
    const int32_t x0 = rill_stretch(x, grid->cells[0], nx, &fx), x1 = x0 + 1 < nx ? x0 + 1 : x0;
    const int32_t y0 = rill_stretch(y, grid->cells[1], ny, &fy), y1 = y0 + 1 < ny ? y0 + 1 : y0;
    const double *south = def->wettability + (size_t)y0 * (size_t)nx,
                 *north = def->wettability + (size_t)y1 * (size_t)nx;
    const double low = south[x0] + fx * (south[x1] - south[x0]), high = north[x0] + fx * (north[x1] - north[x0]);
    return low + fy * (high - low);
}
