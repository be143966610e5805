/* Edges of the domain: what a ghost column received left over its edge; what it gave came in. Open edges have empty ghosts,
 * still edges ghosts at the reservoir's level. */
#include "flow/scratch.h"

void rill_edges_settle(rill_flow *flow, rill_edge_flow flows[4]) {
    const rill_bed *bed = flow->bed;
    if (flow->scratch->band_count == 0) return;
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        const rill_ghost *ghost = &bed->ghosts[i];
        int32_t change = flow->H[ghost->place] - ghost->still;
        if (change > 0)
            flows[ghost->edge].left += change;
        else
            flows[ghost->edge].entered -= change;
        flow->H[ghost->place] = ghost->still;
    }
}
