/* The audit: builds with asserts count every quantum after each stage of a sub-step and compare with the ledger, so
 * that one that is lost, or there twice, is found in the stage that did it.
 *
 *     columns + ghosts beyond their still level + decks + in the air + on its way between solids and liquid
 *             + refused by passages and not given back yet = poured - drained
 *
 * Worlds beyond LARGE columns are counted in every SELDOM-th sub-step only: a few tiles of them are awake, and all of
 * them are counted. */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "motion/swept_volume.h"
#include "world/world.h"

#ifdef RILL_ASSERTS
enum { LARGE = 1 << 15, SELDOM = 16 };

static int64_t beyond_edges(const rill_world *world) {
    int64_t sum = 0;
    for (int32_t i = 0; i < world->bed.ghost_count; ++i)
        sum += world->flow.H[world->bed.ghosts[i].place] - world->bed.ghosts[i].still;
    return sum;
}

void rill_world_audit(const rill_world *world, rill_stage stage, int64_t refused) {
    if (world->bed.info.columns > LARGE && world->flow.substep % SELDOM != 0) return;
    const int64_t excess = rill_world_imbalance(world) + beyond_edges(world) + refused;
    if (excess == 0) return;
    char text[96];
    snprintf(text, sizeof text, "ledger: %" PRId64 " quanta %s after stage '%s'", excess < 0 ? -excess : excess,
             excess < 0 ? "missing" : "too many", rill_stage_name(stage));
    rill_assert_failed(text, __FILE__, __LINE__);
}
#else
void rill_world_audit(const rill_world *world, rill_stage stage, int64_t refused) {
    (void)world, (void)stage, (void)refused;
}
#endif
