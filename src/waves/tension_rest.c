/* Which tiles surface tension does not let fall asleep. Where levels are joined, what drives a face is the difference of
 * potentials and not of levels alone: a drop at rest is steep. Tiles that are driven are marked as RESTLESS, which the next
 * check reads (flow/tiles.c). */
#include "flow/rest.h"
#include "waves/tension_internal.h"

typedef struct judge {
    const rill_flow *flow;
    const rill_tension_planes *planes;
    float calm;   /* m2/s2: no more hardly drives */
    float weight; /* m2/s2 of a quantum of head */
} judge;

/* Whether a face is slow but driven, so that it will not stay so. Adds its drive to the sum. */
static bool face_driven(const judge *rule, int32_t l, int32_t r, int32_t axis, float *sum) {
    const float gain = (axis ? rule->planes->gy : rule->planes->gx)[r],
                u = (axis ? rule->planes->v : rule->planes->u)[r];
    if (gain == 0.0f) return false;
    const int32_t *half = rule->flow->push.half[axis]; /* of forces that have no potential: others are in it */
    const float pushed = rule->flow->push.on ? ((float)half[l] + (float)half[r]) * rule->weight : 0.0f;
    const float drive = (rule->planes->potential[l] - rule->planes->potential[r]) + pushed;
    const bool driven = __builtin_fabsf(drive) > rule->calm;
    if (!driven) *sum += drive;
    return rill_restless(u, driven);
}

/* Small drives that all point one way add up over a drop: it may slope by 5e-6 of its depth per column, and an eighth of
 * what hardly drives. */
static bool leans(const judge *rule, float sum, int32_t deepest) {
    const float mean = __builtin_fabsf(sum) / (RILL_TILE_W * RILL_TILE_H);
    return mean > (float)deepest * rule->weight / 200000.0f + 0.125f * rule->calm;
}

static bool tile_driven(const judge *rule, const rill_sheet *sheet, int32_t column, int32_t row) {
    const rill_tension_planes *planes = rule->planes;
    const int32_t end = rill_min_i(row + RILL_TILE_H, rill_sheet_rows(sheet));
    float sum[2] = { 0.0f, 0.0f };
    int32_t deepest = 0;
    for (int32_t y = row; y < end; ++y)
        for (int32_t i = rill_sheet_place(sheet, column, y), to = i + RILL_TILE_W; i < to; ++i) {
            deepest = rill_max_i(deepest, planes->H[i]);
            if (face_driven(rule, i - 1, i, 0, &sum[0])) return true;
            if (face_driven(rule, i - sheet->stride, i, 1, &sum[1])) return true;
        }
    return leans(rule, sum[0], deepest) || leans(rule, sum[1], deepest);
}

void rill_tension_unrest(const rill_tension_work *work) {
    const rill_tension_constants *constants = &work->constants;
    const rill_bed *bed = work->flow->bed;
    const float head = (float)RILL_REST_HEAD / constants->quantum * constants->weight;
    const float dither =
        (float)RILL_TENSION_CALM * (constants->stiff * constants->quantum); /* (l_c / dx)^2 quanta of head */
    const judge rule = { work->flow, &work->tension->planes, rill_max_f(head, dither), constants->weight };
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        uint16_t *tile = work->flow->tiles + sheet->first_tile;
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx, ++tile)
                if ((*tile & RILL_TILE_SWEPT) && *tile & RILL_TILE_AWAKE &&
                    tile_driven(&rule, sheet, tx * RILL_TILE_W, ty * RILL_TILE_H))
                    *tile |= RILL_TILE_RESTLESS;
    }
}
