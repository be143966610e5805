/* Making and measuring the flow's state. */
#include "flow/flow.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/message.h"
#include "base/simd.h"
#include "flow/column.h"
#include "flow/flow_internal.h"

rill_result rill_flow_make(const rill_bed *bed, const rill_runtime *runtime, rill_flow *out, rill_message *message) {
    const rill_allocator *allocator = &runtime->allocator;
    size_t plane = (size_t)bed->plane_size;
    rill_flow flow = { .bed = bed,
                       .stale = true,
                       .expelled = rill_array_make(sizeof(rill_expelled)),
                       .withdrawn = rill_array_make(sizeof(rill_withdrawn)),
                       .openings = rill_array_make(sizeof(rill_opening)) };
    flow.H = rill_alloc_zeroed(allocator, plane, sizeof *flow.H);
    flow.u = rill_alloc_zeroed(allocator, plane, sizeof *flow.u);
    flow.v = rill_alloc_zeroed(allocator, plane, sizeof *flow.v);
    flow.pipe_capacity = (size_t)bed->pipe_count;
    flow.pipe_u = rill_alloc_zeroed(allocator, flow.pipe_capacity, sizeof *flow.pipe_u);
    bool covers = bed->roomy || rill_bed_roofed(bed); /* in a roomy bed, ceilings may come */
    if (covers) flow.pressure = rill_alloc_zeroed(allocator, plane, sizeof *flow.pressure);
    flow.tiles = rill_alloc_zeroed(allocator, (size_t)bed->tile_count, sizeof *flow.tiles);
    rill_result result = RILL_OK;
    if (!flow.H || !flow.u || !flow.v || !flow.pipe_u || !flow.tiles || (covers && !flow.pressure))
        result = rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for %lld columns", (long long)bed->info.columns);
    if (result == RILL_OK) result = rill_scratch_make(&flow, runtime, message);
    if (result != RILL_OK) {
        rill_flow_free(&flow, allocator);
        return result;
    }
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        rill_column_set(&flow, bed->ghosts[i].place, bed->ghosts[i].still);
        if (bed->ghosts[i].still > 0) rill_flow_wake(&flow, bed->ghosts[i].place);
    }
    rill_flow_measure(&flow, 0.0);
    *out = flow;
    return RILL_OK;
}

int64_t rill_flow_state_bytes(const rill_bed *bed) {
    const int64_t planes = 3 * (int64_t)sizeof(int32_t) + 2 * (int64_t)sizeof(float); /* b, c, H; u, v */
    const int64_t pipe = 2 * (int64_t)sizeof(int32_t) + (int64_t)sizeof(float);
    const int64_t pressure = bed->roomy || rill_bed_roofed(bed) ? (int64_t)sizeof(int32_t) : 0;
    return bed->plane_size * (planes + pressure) + bed->pipe_count * pipe + bed->tile_count * (int64_t)sizeof(uint16_t);
}

void rill_flow_free(rill_flow *flow, const rill_allocator *allocator) {
    if (!flow->bed) return;
    size_t plane = (size_t)flow->bed->plane_size;
    rill_push_free(flow, allocator);
    rill_scratch_free(flow, allocator);
    rill_free(allocator, flow->H, plane, sizeof *flow->H);
    rill_free(allocator, flow->u, plane, sizeof *flow->u);
    rill_free(allocator, flow->v, plane, sizeof *flow->v);
    rill_free(allocator, flow->pressure, plane, sizeof *flow->pressure);
    rill_free(allocator, flow->pipe_u, flow->pipe_capacity, sizeof *flow->pipe_u);
    rill_free(allocator, flow->tiles, (size_t)flow->bed->tile_count, sizeof *flow->tiles);
    rill_array_free(&flow->expelled, allocator);
    rill_array_free(&flow->withdrawn, allocator);
    rill_array_free(&flow->openings, allocator);
    *flow = (rill_flow){ 0 };
}

static void measure_column(rill_flow_extent *extent, const rill_flow *flow, int32_t place, int32_t stride,
                           float weight) {
    const float *u = flow->u + place, *v = flow->v + place;
    int32_t H = flow->H[place];
    float along_x = rill_max_f(__builtin_fabsf(u[0]), __builtin_fabsf(u[1]));
    float along_y = rill_max_f(__builtin_fabsf(v[0]), __builtin_fabsf(v[stride]));
    const float speed = along_x + along_y, waves = weight * (float)H;
    const rill_flow_extent here = { .depth = H,
                                    .level = H > RILL_DRY ? rill_flow_bases(flow)[place] + H : 0,
                                    .speed = speed,
                                    .rush = speed * speed + waves,
                                    .dash = speed * speed + 4.0f * waves };
    rill_flow_widen(extent, &here);
}

void rill_flow_measure(rill_flow *flow, double gravity) {
    const rill_bed *bed = flow->bed;
    const float weight = (float)(gravity * bed->quantum);
    rill_flow_extent extent = { 0 };
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t row = 0; row < rill_sheet_rows(sheet); ++row)
            for (int32_t column = 0; column < sheet->nx + 2; ++column)
                measure_column(&extent, flow, rill_sheet_place(sheet, column, row), sheet->stride, weight);
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i)
        extent.speed = rill_max_f(extent.speed, __builtin_fabsf(flow->pipe_u[i]));
    flow->extent = extent;
}
