/* Contact angles: of the liquid, of solids, and of maps that paint solids. */
#include <math.h>

#include "read_maps.h"
#include "read_scene.h"

const rill_range rill_range_contact_angle = { 0, 180, false, "degrees" };

bool rill_read_contact_angle(rill_reader *reader, const rill_node *node, rill_contact_angle *out) {
    static const char *const keys[] = { "advancing", "receding", NULL };
    double theta;
    if (!node || node->kind != RILL_NODE_MAP) {
        if (!rill_read_number(reader, node, &rill_range_contact_angle, &theta)) return false;
        *out = rill_contact_angle_about(theta);
        return true;
    }
    rill_reader_open(reader, node, "a contact angle", keys);
    rill_contact_angle angle;
    const rill_node *receding = rill_reader_need(reader, node, "a contact angle", "receding");
    bool good = rill_read_number(reader, rill_reader_need(reader, node, "a contact angle", "advancing"),
                                 &rill_range_contact_angle, &angle.advancing);
    good &= rill_read_number(reader, receding, &rill_range_contact_angle, &angle.receding);
    if (good && angle.receding > angle.advancing) {
        rill_reader_expected(reader, receding, "at most the %g of 'advancing'", angle.advancing);
        return false;
    }
    if (good) *out = angle;
    return good;
}

/* White may be less than black: letters may be either. */
static void read_wettability(rill_reader *reader, const rill_node *node, rill_solid_def *def) {
    static const char *const keys[] = { "map", "low", "high", NULL };
    static const rill_map_kind kind = { .what = "wettability",
                                        .picture = "wettability by a PNG",
                                        .number = "contact angle",
                                        .plural = "degrees",
                                        .range = &rill_range_contact_angle };
    double *angles = NULL;
    if (!node || !rill_reader_open(reader, node, "wettability", keys)) return;
    rill_read_map(reader, node, "map", &kind, &angles, def->wettability_size);
    def->wettability = angles;
}

void rill_read_solid_angles(rill_reader *reader, const rill_node *node, rill_solid_def *def) {
    rill_read_contact_angle(reader, rill_tree_get(node, "contact_angle"), &def->contact_angle);
    read_wettability(reader, rill_tree_get(node, "wettability"), def);
}
