/* Links of the levels: sparse pipes between any two nodes, beside the dense ones of the patches. */
#include "solve/levels.h"

/* Fills in where a node lies, on a level and on the next. */
static void place(const rill_level *level, rill_link_end *end) {
    const rill_level_patch *patch = &level->patches[end->patch], *coarse = &level[1].patches[end->patch];
    end->node = patch->first + end->y * patch->stride + end->x / 2;
    end->colour = (end->x + end->y) & 1;
    end->coarse = 2 * (coarse->first + end->y / 2 * coarse->stride) + end->x / 2;
}

/* Adds w to what relaxation divides by. */
static void weigh_down(const rill_level *level, const rill_link_end *end, float w) {
    float *inverse = &level->colour[end->colour].inverse[end->node];
    *inverse = 1.0f / ((*inverse > 0.0f ? 1.0f / *inverse : 0.0f) + w);
}

/* Nodes of one colour are relaxed at once. Where a link joins two of them each is held back by the link's weight (the
 * "l1 smoother" of Baker, Falgout, Kolev, Yang, SIAM J. Sci. Comput. 33, 2011), or two nodes would toss their difference to and
 * fro forever. */
static void hang_in(const rill_level *level, const rill_level_link *link) {
    float w = link->end[0].colour == link->end[1].colour ? 2.0f * link->w : link->w;
    weigh_down(level, &link->end[0], w);
    weigh_down(level, &link->end[1], w);
}

/* The patch, column and row of one of the caller's nodes. */
static rill_link_end find(const rill_poisson *poisson, int32_t node) {
    int32_t low = 0, high = poisson->patch_count - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (poisson->patches[middle].first <= node)
            low = middle;
        else
            high = middle - 1;
    }
    const rill_patch *patch = &poisson->patches[low];
    int32_t offset = node - patch->first;
    return (rill_link_end){ .patch = low, .x = offset % patch->stride, .y = offset / patch->stride };
}

/* A link to an inactive node, where x is 0. */
static void lead_out(const rill_poisson *poisson, rill_link_end end, float w) {
    const rill_level *level = &poisson->levels->level[0];
    place(level, &end);
    double *exact = &poisson->levels->vectors[end.colour].extra[end.node];
    *exact += (double)w;
    level->colour[end.colour].extra[end.node] = (float)*exact;
    weigh_down(level, &end, w);
}

void rill_links_place(const rill_poisson *poisson) {
    rill_level *level = &poisson->levels->level[0];
    level->link_count = 0;
    for (int32_t i = 0; i < poisson->link_count; ++i) {
        const rill_link *given = &poisson->links[i];
        bool a = poisson->active[given->a] > 0.0f, b = poisson->active[given->b] > 0.0f;
        if (given->a == given->b || !(given->w > 0.0f) || !(a || b)) continue;
        if (!a || !b) {
            lead_out(poisson, find(poisson, a ? given->a : given->b), given->w);
            continue;
        }
        rill_level_link *link = &level->links[level->link_count++];
        *link = (rill_level_link){ .end = { find(poisson, given->a), find(poisson, given->b) }, .w = given->w };
        place(level, &link->end[0]);
        place(level, &link->end[1]);
        hang_in(level, link);
    }
}

/* The distance between two nodes grows by half at each end whose patch is coarsened. */
static float longer(const rill_level *fine, const rill_level_link *link) {
    float length = 1.0f;
    for (int32_t i = 0; i < 2; ++i) {
        const rill_level_patch *patch = &fine->patches[link->end[i].patch];
        if (patch->nx > 1 || patch->ny > 1) length += 0.5f;
    }
    return link->w / length;
}

static rill_link_end parent_of(const rill_level *level, const rill_link_end *end) {
    rill_link_end parent = { .patch = end->patch, .x = end->x / 2, .y = end->y / 2 };
    place(level, &parent);
    return parent;
}

void rill_links_coarsen(rill_poisson_levels *levels, int32_t k) {
    rill_level *level = &levels->level[k];
    const rill_level *fine = level - 1;
    int32_t *last = levels->number;
    level->link_count = 0;
    for (int32_t i = 0; i < fine->link_count; ++i) last[fine->links[i].end[0].coarse] = -1;
    for (int32_t i = 0; i < fine->link_count; ++i) {
        const rill_level_link *from = &fine->links[i];
        int32_t *known = &last[from->end[0].coarse];
        rill_level_link link = { .end = { parent_of(level, &from->end[0]), parent_of(level, &from->end[1]) },
                                 .w = longer(fine, from) };
        if (from->end[0].coarse == from->end[1].coarse) continue;
        /* Links side by side come to join the same two nodes: one then does for both. */
        if (*known >= 0 && level->links[*known].end[1].node == link.end[1].node &&
            level->links[*known].end[1].colour == link.end[1].colour) {
            level->links[*known].w += link.w;
        } else {
            *known = level->link_count++;
            level->links[*known] = link;
        }
    }
    for (int32_t i = 0; i < level->link_count; ++i) hang_in(level, &level->links[i]);
}
