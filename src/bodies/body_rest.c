/* Rest: when bodies, and the liquid around them, may be left alone.
 *
 *   calm     The bodies of an island hardly move, nor do the heads and faces under them: what it is over is not woken,
 *            and may fall asleep by the rest rule of tiles, whose bounds these are.
 *   asleep   All of that is asleep, and without any change of head everything would fit, and nobody start to move. Then
 *            the bodies that are free have no velocity, as the faces of a tile that sleeps, and there is nothing to
 *            solve.
 *
 * Whatever happens to a body or to the liquid, it wakes tiles, or leaves something that does not fit, or moves
 * a body. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include <math.h>

static double rest_head(const rill_body_stage *stage) {
    return fmax(RILL_BODY_REST_HEAD / stage->flow->bed->quantum, 8.0);
}

/* Returns the speed of the fastest part of a body with a motion, at most. */
static double speed_of(const rill_body *body, const double motion[6]) {
    double speed = 0.0, angular = 0.0;
    for (int i = 0; i < 3; ++i) speed += motion[i] * motion[i], angular += motion[3 + i] * motion[3 + i];
    return sqrt(speed) + sqrt(angular) * body->form.reach;
}

/* Tells whether all bodies rest, and would do so with the motion that they have now. */
static bool bodies_rest(const rill_body_stage *stage) {
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        const rill_body *body = rill_body_in_order(stage->bodies, i);
        double change[6];
        for (int k = 0; k < 6; ++k)
            change[k] = body->new_twist[k] - (k < 3 ? body->state.velocity[k] : body->state.angular_velocity[k - 3]);
        const double speed = speed_of(body, body->new_twist);
        if (isinf(body->mass) ? speed > 0.0 : !(speed < RILL_BODY_REST_SPEED)) return false;
        if (!(speed_of(body, change) <= RILL_BODY_REST_PUSH * stage->gravity * stage->dt)) return false;
    }
    return true;
}

bool rill_body_island_is_calm(const rill_body_stage *stage) {
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const rill_body_face *faces = stage->bodies->faces.data;
    const double most = rest_head(stage);
    if (stage->island->asleep) return true; /* that its bodies were stopped is no push */
    if (!stage->settings->rest || stage->island->floods_deck || !bodies_rest(stage)) return false;
    for (size_t i = stage->island->first_node; i < stage->island->end_node; ++i) {
        const rill_body_node *node = &nodes[i];
        if (!(fabs(node->pi) <= most)) return false;
        if (node->deck > 0 && !(fmaxf(fabsf(node->slip[0]), fabsf(node->slip[1])) < (float)RILL_BODY_REST_SPEED))
            return false;
    }
    for (size_t i = stage->island->first_face; i < stage->island->end_face; ++i)
        if (!(fabsf(faces[i].u) < (float)RILL_BODY_REST_SPEED)) return false;
    return true;
}

static bool sleeps_at(const rill_flow *flow, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(flow->bed, place, &x, &y);
    const int32_t column = x - sheet->x0 + 1, row = y - sheet->y0 + 1;
    const int32_t tile = sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x + column / RILL_TILE_W;
    return !(flow->tiles[tile] & (RILL_TILE_AWAKE | RILL_TILE_SWEPT));
}

void rill_body_island_stop_faces(const rill_body_stage *stage) {
    rill_body_face *faces = stage->bodies->faces.data;
    for (size_t i = stage->island->first_face; i < stage->island->end_face; ++i)
        if (faces[i].pipe < 0 && sleeps_at(stage->flow, faces[i].r)) faces[i].u = 0.0f;
}

bool rill_body_island_may_sleep(const rill_body_stage *stage) {
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const rill_body_face *faces = stage->bodies->faces.data;
    int32_t last = -1; /* planes are aligned to tiles: one row of one of them */
    if (!stage->settings->rest || stage->island->floods_deck) return false;
    for (size_t i = stage->island->first_node; i < stage->island->end_node; ++i) {
        if ((nodes[i].place & -RILL_TILE_W) == last) continue;
        if (!sleeps_at(stage->flow, nodes[i].place)) return false;
        last = nodes[i].place & -RILL_TILE_W;
    }
    for (size_t i = stage->island->first_face; i < stage->island->end_face; ++i) {
        const int32_t outside = faces[i].node_l < 0 ? faces[i].l : faces[i].node_r < 0 ? faces[i].r : -1;
        if (outside < 0 || (outside & -RILL_TILE_W) == last) continue;
        if (!sleeps_at(stage->flow, outside)) return false;
        last = outside & -RILL_TILE_W;
    }
    return true;
}

bool rill_body_island_hold_still(const rill_body_stage *stage, double off) {
    if (!(off <= rest_head(stage)) || !bodies_rest(stage)) return false;
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        rill_body *body = rill_body_in_order(stage->bodies, i);
        RILL_ASSERT(body->alive && off >= 0.0);
        for (int k = 0; k < 6 && !isinf(body->mass); ++k) body->new_twist[k] = 0.0;
    }
    return true;
}
