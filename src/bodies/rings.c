/* Rings of columns, from outside inwards: see bodies.h.
 *
 *        0  0  0  0  0  0
 *        0  1  1  1  1  0        Faces between 0 and 1 are listed first, then those between 1 and 2. What is passed on
 *        0  1  2  2  1  0        from ring to ring looks at each of them once.
 *        0  1  1  1  1  0
 *        0  0  0  0  0  0 */
#include "bodies/bodies.h"

#include "base/simd.h"

/* Passes over faces that may yet lie between rings; each leaves fewer. */
int32_t rill_island_rings(const rill_body_stage *s, int32_t *ring) {
    const rill_island *island = s->island;
    const rill_body_face *faces = s->bodies->faces.data;
    int32_t *listed = rill_island_between(s), *open = listed + (island->end_face - island->first_face);
    int32_t count = 0, left = 0;
    for (int32_t i = (int32_t)island->first_face; i < (int32_t)island->end_face; ++i)
        if (rill_ring_at(ring, faces[i].node_l) == RILL_NO_RING || rill_ring_at(ring, faces[i].node_r) == RILL_NO_RING)
            open[left++] = i;
    for (int32_t last = 0, before = -1; count > before; ++last) {
        int32_t kept = 0;
        before = count;
        for (int32_t k = 0; k < left; ++k) {
            const rill_body_face *face = &faces[open[k]];
            const int32_t l = rill_ring_at(ring, face->node_l), r = rill_ring_at(ring, face->node_r);
            if (l == last || r == last) {
                const int32_t inner = l == last ? face->node_r : face->node_l;
                if (rill_ring_at(ring, inner) == RILL_NO_RING) ring[inner] = last + 1;
                if (rill_ring_at(ring, inner) == last + 1) listed[count++] = open[k];
            } else if (l == RILL_NO_RING || r == RILL_NO_RING) {
                open[kept++] = open[k];
            }
        }
        left = kept;
    }
    return count;
}

int32_t rill_island_ring_of(const rill_body_stage *s, const int32_t *ring, int32_t listed) {
    const rill_body_face *faces = s->bodies->faces.data, *face = &faces[rill_island_between(s)[listed]];
    return rill_max_i(rill_ring_at(ring, face->node_l), rill_ring_at(ring, face->node_r));
}
