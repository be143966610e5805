/* Landing: what is due of parcels in a sub-step becomes liquid of columns again, and pushes them.
 *
 * With t quanta that come down at u_in, and H the depths with them, each face of the column takes its part:
 *
 *     u += t / (H_l + H_r) (u_in - u)     on both axes
 *
 * which is t u_in in all, and a mean: no face gets faster than it or what lands was. Downwards it has w = sqrt(2 g z), which
 * makes a dent: outwards over each face min(w, sqrt(g H)) is added to u_in, no more than waves carry away. (All of w doubled
 * the number of sub-steps, and streams of 2 m/s shot out of the foot.) Faces whose sill is not below both levels are passed
 * over, lest a brink above the foot is driven by what has left it, and so are walls, ghosts and flooded columns.
 *
 * Where it comes down on a body, that is struck instead (rill_bodies_landing).
 *
 * Without room in the column what is due stays in the air until there is some. */
#include <math.h>

#include "base/simd.h"
#include "falls/falls.h"

typedef struct descent {
    rill_falls *falls;
    rill_flow *flow;
    const rill_landing *landing;
    const rill_falls_gravity *gravity;
    double time, dt; /* s: of the sub-step */
    rill_edge_flow *flows;
} descent;

/* One of the faces of a column, towards `sign`. */
typedef struct landing_face {
    float *u;
    int32_t beyond; /* the column there */
    float outwards;
} landing_face;

static void push_face(rill_flow *flow, int32_t place, const landing_face *face, float t, float u_in, float dent) {
    const rill_bed *bed = flow->bed;
    const int32_t beyond = face->beyond, sill = rill_max_i(bed->b[place], bed->b[beyond]);
    if (bed->b[beyond] == RILL_WALL || rill_flow_flooded(flow, place) || rill_flow_flooded(flow, beyond)) return;
    if (sill >= rill_min_i(bed->b[place] + flow->H[place], bed->b[beyond] + flow->H[beyond])) return;
    if (sill >= rill_min_i(bed->c[place], bed->c[beyond])) return;
    const float both = (float)flow->H[place] + (float)flow->H[beyond];
    *face->u += t / both * (u_in + face->outwards * dent - *face->u);
}

static void push(const descent *down, const rill_parcel *parcel, int32_t t) {
    rill_flow *flow = down->flow;
    const int32_t place = parcel->place;
    double position[3], velocity[3];
    rill_parcel_at(parcel, down->gravity, (double)parcel->flight, position, velocity);
    const int32_t stride = rill_bed_sheet_of(flow->bed, place, NULL, NULL)->stride;
    const double wave = sqrt(down->gravity->into * (double)flow->H[place] * flow->bed->quantum);
    const float dent = (float)fmin(-velocity[2], wave);
    const landing_face faces[4] = { { &flow->u[place], place - 1, -1.0f },
                                    { &flow->u[place + 1], place + 1, 1.0f },
                                    { &flow->v[place], place - stride, -1.0f },
                                    { &flow->v[place + stride], place + stride, 1.0f } };
    for (int i = 0; i < 4; ++i) push_face(flow, place, &faces[i], (float)t, (float)velocity[i / 2], dent);
}

/* As push, where bodies are. */
static void strike(const descent *down, const rill_parcel *parcel, int32_t t) {
    double position[3], velocity[3];
    rill_parcel_at(parcel, down->gravity, (double)parcel->flight, position, velocity);
    down->landing->strike(down->landing->context, parcel->place, t, velocity);
}

/* Lets quanta come down at a column; returns how many had room. */
static int32_t deliver(const descent *down, const rill_parcel *parcel, int64_t due) {
    rill_flow *flow = down->flow;
    const rill_bed *bed = flow->bed;
    const int32_t place = parcel->place;
    const bool apart = down->landing && down->landing->concerns(down->landing->context, place);
    const int32_t room = apart ? RILL_TOP / 4 : rill_max_i(bed->c[place] - bed->b[place] - flow->H[place], 0);
    const int32_t t = due < room ? (int32_t)due : room;
    if (t == 0) return 0;
    rill_land(down->landing, flow, place, t);
    const int32_t H = flow->H[place];
    const rill_flow_extent here = { .depth = H, .level = H > RILL_DRY ? rill_flow_bases(flow)[place] + H : 0 };
    rill_flow_widen(&flow->extent, &here);
    if (apart)
        strike(down, parcel, t);
    else
        push(down, parcel, t);
    if (H > RILL_DRY) rill_flow_touch_tile(flow, rill_bed_tile_of(bed, place), rill_flow_wake_bits(bed, place));
    down->falls->rise = fmax(down->falls->rise, (double)t * bed->quantum / down->dt);
    return t;
}

/* Returns what of a parcel is due by the end of the sub-step. */
static int64_t due_of(const rill_parcel *parcel, double from, double until) {
    const double begin = parcel->begin + (double)parcel->flight, end = parcel->end + (double)parcel->flight;
    if (end <= until) return parcel->amount;
    const double start = begin > from ? begin : from;
    if (!(until > start)) return 0;
    return (int64_t)((double)parcel->amount * ((until - start) / (end - start)));
}

static void land_some(const descent *down, rill_parcel *parcel) {
    const int64_t due = due_of(parcel, down->time, down->time + down->dt);
    if (due == 0) return;
    if (parcel->place >= 0) {
        parcel->amount -= deliver(down, parcel, due);
        return;
    }
    down->flows[-1 - parcel->place].left += due;
    parcel->amount -= due;
}

void rill_falls_land(rill_falls *falls, rill_flow *flow, const rill_landing *landing, const rill_falls_gravity *gravity,
                     double time, double dt, rill_edge_flow flows[4]) {
    const descent down = { falls, flow, landing, gravity, time, dt, flows };
    falls->rise = 0.0;
    rill_calendar_advance(falls, time + dt);
    const rill_parcel_list all = falls->landing;
    falls->landing = (rill_parcel_list){ -1, -1 };
    for (int32_t i = all.head, next; i >= 0; i = next) {
        rill_parcel *parcel = &falls->parcels[i];
        next = parcel->next;
        land_some(&down, parcel);
        if (parcel->amount > 0)
            rill_calendar_append(falls, &falls->landing, i);
        else
            rill_calendar_drop(falls, parcel);
    }
}
