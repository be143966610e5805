/* Links between columns of different sheets. They are few, and tested one by one; see surface.h for the test. */
#include "surface/parts.h"


static bool linked(const rill_surface *s, const rill_bed *bed, int32_t i, int32_t j) {
    const int32_t hi = s->h[i], hj = s->h[j];
    return s->m[j] < hi && hi < bed->c[j] && s->m[i] < hj && hj < bed->c[i] && ((s->state[i] | s->state[j]) & RILL_WET);
}

void rill_joints_test(const rill_build *build) {
    rill_surface *s = build->s;
    rill_joint *joints = s->joint_list.data;
    for (size_t k = 0; k < s->joint_list.count; ++k) s->joints[joints[k].place] = 0;
    for (size_t k = 0; k < s->joint_list.count; ++k) {
        rill_joint *joint = &joints[k];
        joint->linked = linked(s, build->view->bed, joint->place, joint->other);
        if (joint->linked) s->joints[joint->place] |= (uint8_t)(1u << joint->direction);
    }
}

/* Without smooth shores all quartets that are not plain are looked at like those where sheets meet. */
static void mark_odd(const rill_build *build) {
    rill_surface *s = build->s;
    const rill_surface_row *rows = s->rows.data;
    const size_t wide = (size_t)build->view->bed->grid.cells[0] + 1;
    for (size_t i = 0; i < s->rows.count; ++i) {
        for (int32_t x = 0; !rows[i].above && x < rows[i].count; ++x) {
            if (s->quads[rows[i].start + x] != RILL_QUAD_ODD) continue;
            s->mixed[(size_t)(rows[i].y + 1) * wide + (size_t)(rows[i].x0 + x)] = 1;
            s->any_mixed = true;
        }
    }
}

void rill_joints_close(const rill_build *build) {
    rill_surface *s = build->s;
    const rill_joint *joints = s->joint_list.data;
    const int32_t wide = build->view->bed->grid.cells[0] + 1;
    if (s->any_mixed) memset(s->mixed, 0, s->corner_count);
    s->any_mixed = false;
    if (!s->def.smooth_shores) mark_odd(build);
    for (size_t k = 0; k < s->joint_list.count; ++k) {
        const rill_joint *joint = &joints[k];
        if (!joint->linked || joint->direction & 1 || !(s->state[joint->place] & s->state[joint->other] & RILL_WET))
            continue;
        s->rim[joint->place] &= (uint8_t) ~(1u << joint->direction);
        if (joint->direction >= 4) continue; /* its twin marks the corners */
        s->mixed[joint->corner] = 1;
        s->mixed[joint->corner - (joint->direction == 0 ? wide : 1)] = 1;
        s->any_mixed = true;
    }
}

/* The joints of one column, [first, end), and where it is. */
typedef struct joined {
    const rill_joint *first, *end;
    int32_t place, stride;
} joined;

/* The velocity through a side: of the dense pipe there, else the mean of its sparse ones. */
static float side_velocity(const rill_build *build, const joined *at, int32_t direction) {
    const rill_bed *bed = build->view->bed;
    const rill_flow *flow = build->view->flow;
    const int32_t step = direction & 2 ? at->stride : 1;
    const int32_t high = direction < 4 ? at->place + step : at->place, low = high - step;
    const int32_t sill = bed->b[low] > bed->b[high] ? bed->b[low] : bed->b[high];
    const int32_t lintel = bed->c[low] < bed->c[high] ? bed->c[low] : bed->c[high];
    if (sill < lintel) return direction & 2 ? flow->v[high] : flow->u[high];
    float sum = 0.0f;
    int32_t count = 0;
    for (const rill_joint *joint = at->first; joint < at->end; ++joint) {
        if (joint->direction != direction || joint->pipe < 0) continue;
        sum += flow->pipe_u[joint->pipe];
        count += 1;
    }
    return count > 0 ? sum / (float)count : 0.0f;
}

static void mend(const rill_build *build, const joined *at) {
    const float u = 0.5f * (side_velocity(build, at, 0) + side_velocity(build, at, 4));
    const float v = 0.5f * (side_velocity(build, at, 2) + side_velocity(build, at, 6));
    rill_column_mend(build, at->place, at->stride, u, v);
}

void rill_joints_mend(const rill_build *build) {
    const rill_surface *s = build->s;
    const rill_joint *joints = s->joint_list.data, *end = joints + s->joint_list.count;
    const rill_sheet *sheet = NULL;
    while (joints < end) {
        const rill_joint *next = joints;
        while (next < end && next->place == joints->place) next += 1;
        if (s->state[joints->place] & RILL_WET) {
            if (!sheet || joints->place < sheet->first || joints->place >= sheet->first + sheet->ny * sheet->stride)
                sheet = rill_bed_sheet_of(build->view->bed, joints->place, NULL, NULL);
            mend(build, &(joined){ joints, next, joints->place, sheet->stride });
        }
        joints = next;
    }
}
