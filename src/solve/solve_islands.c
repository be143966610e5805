/* Problems that fall apart: active nodes that are joined with few others. Each such *island* is solved directly and by itself, so
 * that many small ones cost what their nodes do, and one that is right already costs next to nothing, however long another
 * takes; only what is left is the business of the levels.
 *
 * Based on: E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969: nodes are numbered as a search that
 * goes outwards comes by, which keeps the skyline low. */
#include <math.h>
#include <string.h>

#include "solve/levels.h"

enum { NODES = 512 }; /* more are not looked at closer */

/* ------------------------------------------------------------------------------------------------------------- search */

/* Where the search stands. */
typedef struct search {
    rill_poisson *poisson;
    rill_islands *islands;
    int32_t *seen; /* by node: 1 if it has come by */
    int32_t first; /* of its nodes in the list */
    int32_t links; /* of its links, likewise */
} search;

static void come_by(const search *s, int32_t node, int32_t stride) {
    rill_islands *islands = s->islands;
    if (s->poisson->active[node] == 0.0f || s->seen[node]) return;
    s->seen[node] = 1;
    islands->number[node] = islands->node_count - s->first;
    islands->nodes[islands->node_count++] = (rill_island_node){ node, stride };
}

static int32_t stride_at(const rill_poisson *poisson, int32_t node) {
    int32_t low = 0, high = poisson->patch_count - 1;
    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;
        if (poisson->patches[middle].first <= node)
            low = middle;
        else
            high = middle - 1;
    }
    return poisson->patches[low].stride;
}

/* Goes on over the links of a node. A link between two active nodes is listed by its first. */
static void follow_links(search *s, int32_t node) {
    const rill_poisson *poisson = s->poisson;
    rill_islands *islands = s->islands;
    for (int32_t k = islands->head[node]; k > 0; k = islands->next[k - 1]) {
        const rill_link *link = &poisson->links[(k - 1) / 2];
        const int32_t other = link->a == node ? link->b : link->a;
        if (link->a == link->b || !(link->w > 0.0f)) continue;
        if (link->a == node || poisson->active[other] == 0.0f) islands->links[islands->link_count++] = *link;
        if (poisson->active[other] > 0.0f) come_by(s, other, stride_at(poisson, other));
    }
}

static void follow_pipes(search *s, rill_island_node at) {
    const float *wx = s->poisson->wx, *wy = s->poisson->wy;
    if (wx[at.node] > 0.0f) come_by(s, at.node - 1, at.stride);
    if (wy[at.node] > 0.0f) come_by(s, at.node - at.stride, at.stride);
    if (wx[at.node + 1] > 0.0f) come_by(s, at.node + 1, at.stride);
    if (wy[at.node + at.stride] > 0.0f) come_by(s, at.node + at.stride, at.stride);
}

/* Lists all that a node is joined with as an island, unless it is too large. */
static void search_from(search *s, int32_t node, int32_t stride) {
    rill_islands *islands = s->islands;
    s->first = islands->node_count;
    s->links = islands->link_count;
    come_by(s, node, stride);
    for (int32_t i = s->first; i < islands->node_count; ++i) {
        follow_pipes(s, islands->nodes[i]);
        follow_links(s, islands->nodes[i].node);
    }
    const int32_t count = islands->node_count - s->first;
    const rill_island island = { s->first, count, s->links, islands->link_count - s->links };
    if (count <= NODES && rill_direct_take(s->poisson, &island)) {
        islands->list[islands->count++] = island;
        return;
    }
    islands->node_count = s->first;
    islands->link_count = s->links;
    islands->rest = true;
}

/* ------------------------------------------------------------------------------------------------------------ islands */

/* The links by the nodes they end in: half-links 2 i and 2 i + 1 are those of link i, counted from 1 on. */
static void hang_links(const rill_poisson *poisson, rill_islands *islands) {
    for (int32_t i = 0; i < poisson->link_count; ++i) {
        const int32_t ends[2] = { poisson->links[i].a, poisson->links[i].b };
        for (int32_t k = 0; k < 2; ++k) {
            islands->next[2 * i + k] = islands->head[ends[k]];
            islands->head[ends[k]] = 2 * i + k + 1;
        }
    }
}

static void drop_links(const rill_poisson *poisson, rill_islands *islands) {
    for (int32_t i = 0; i < poisson->link_count; ++i)
        islands->head[poisson->links[i].a] = islands->head[poisson->links[i].b] = 0;
}

void rill_islands_find(rill_poisson *poisson) {
    rill_islands *islands = &poisson->levels->islands;
    search s = { .poisson = poisson, .islands = islands, .seen = poisson->levels->number };
    islands->count = islands->node_count = islands->link_count = 0;
    islands->rest = false;
    memset(s.seen, 0, (size_t)poisson->node_count * sizeof *s.seen);
    hang_links(poisson, islands);
    for (int32_t p = 0; p < poisson->patch_count; ++p) {
        const rill_patch *patch = &poisson->patches[p];
        for (int32_t y = 0; y < patch->ny; ++y)
            for (int32_t node = patch->first + y * patch->stride, end = node + patch->nx; node < end; ++node)
                if (poisson->active[node] > 0.0f && !s.seen[node])
                    search_from(&s, node, patch->stride);
    }
    drop_links(poisson, islands);
}

void rill_islands_hide(const rill_poisson *poisson) {
    const rill_islands *islands = &poisson->levels->islands;
    for (int32_t i = 0; i < islands->node_count; ++i) {
        const int32_t node = islands->nodes[i].node;
        poisson->active[node] = 0.0f;
        islands->x[i] = poisson->x[node];
    }
}

void rill_islands_show(const rill_poisson *poisson) {
    const rill_islands *islands = &poisson->levels->islands;
    for (int32_t i = 0; i < islands->node_count; ++i) {
        const int32_t node = islands->nodes[i].node;
        poisson->active[node] = 1.0f;
        poisson->x[node] = islands->x[i];
    }
}

int32_t rill_islands_solve(const rill_poisson *poisson, double tolerance, int32_t max_iterations, double *residual) {
    const rill_islands *islands = &poisson->levels->islands;
    int32_t most = 0;
    *residual = 0.0;
    for (const rill_island *island = islands->list; island < islands->list + islands->count; ++island) {
        double left;
        rill_direct_take(poisson, island);
        const int32_t iterations = rill_direct_solve(poisson, tolerance, max_iterations, &left);
        most = iterations > most ? iterations : most;
        if (!(left <= *residual)) *residual = left; /* not a number stays */
    }
    return most;
}
