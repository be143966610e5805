/* Links of the levels: sparse pipes between any two nodes, beside the dense ones of the patches. */
#include "solve/levels.h"

#include "base/assert.h"

/* A node of a patch. */
typedef struct place {
    int32_t patch, x, y;
} place;

/* Where a place is on a level and on the next, which is laid out already. */
static rill_link_end end_at(const rill_level *level, place at) {
    const rill_level_patch *patch = &level->patches[at.patch], *coarse = &level[1].patches[at.patch];
    return (rill_link_end){ .colour = (at.x + at.y) & 1,
                            .node = patch->first + at.y * patch->stride + at.x / 2,
                            .coarse = 2 * (coarse->first + at.y / 2 * coarse->stride) + at.x / 2 };
}

static place place_of(const rill_level *level, int32_t patches, const rill_link_end *end) {
    int32_t low = 0, high = patches - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (level->patches[middle].first <= end->node)
            low = middle;
        else
            high = middle - 1;
    }
    const rill_level_patch *patch = &level->patches[low];
    int32_t y = (end->node - patch->first) / patch->stride, column = (end->node - patch->first) % patch->stride;
    RILL_ASSERT(end->node >= patch->first && y < patch->ny);
    return (place){ .patch = low, .x = 2 * column + ((y + end->colour) & 1), .y = y };
}

/* The place of one of the caller's nodes. */
static place given_place(const rill_poisson *poisson, int32_t node) {
    int32_t low = 0, high = poisson->patch_count - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (poisson->patches[middle].first <= node)
            low = middle;
        else
            high = middle - 1;
    }
    int32_t offset = node - poisson->patches[low].first, stride = poisson->patches[low].stride;
    RILL_ASSERT(offset >= 0 && offset % stride < poisson->patches[low].nx &&
                offset / stride < poisson->patches[low].ny);
    return (place){ .patch = low, .x = offset % stride, .y = offset / stride };
}

/* Adds w to what relaxation divides by. */
static void weigh_down(const rill_level *level, const rill_link_end *end, float w) {
    RILL_ASSERT(end->node >= level->margin && end->node < level->size - level->margin && !(w < 0.0f));
    float *inverse = &level->colour[end->colour].inverse[end->node];
    *inverse = 1.0f / ((*inverse > 0.0f ? 1.0f / *inverse : 0.0f) + w);
}

/* Nodes of one colour are relaxed at once. Where a link joins two of them each is held back by the link's weight
 * (the "l1 smoother" of A. H. Baker, R. D. Falgout, T. V. Kolev, U. M. Yang, SIAM J. Sci. Comput. 33, 2011), or the
 * two would toss their difference to and fro forever. */
static void hang_in(const rill_level *level, const rill_level_link *link) {
    float w = link->end[0].colour == link->end[1].colour ? 2.0f * link->w : link->w;
    weigh_down(level, &link->end[0], w);
    weigh_down(level, &link->end[1], w);
}

/* A link to an inactive node, where x is 0. */
static void lead_out(const rill_poisson *poisson, int32_t node, float w) {
    const rill_level *level = &poisson->levels->level[0];
    const rill_link_end end = end_at(level, given_place(poisson, node));
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
            lead_out(poisson, a ? given->a : given->b, given->w);
            continue;
        }
        RILL_ASSERT(level->link_count < poisson->room.links);
        rill_level_link *link = &level->links[level->link_count++];
        *link = (rill_level_link){ .end = { end_at(level, given_place(poisson, given->a)),
                                            end_at(level, given_place(poisson, given->b)) },
                                   .w = given->w };
        hang_in(level, link);
    }
}

/* The pipes from a node to those it is made one with on the next level. */
static float inner_weight(const rill_level *level, const rill_link_end *end, place at) {
    float *const *w = level->colour[end->colour].w;
    return w[at.x & 1 ? RILL_WEST : RILL_EAST][end->node] + w[at.y & 1 ? RILL_SOUTH : RILL_NORTH][end->node];
}

/* Weights of a coarse link: `w` as one of a front of links, where the distance is doubled; `term`, for the time
 * being, as the only one, in line with half of the pipes around its ends. */
static rill_level_link lengthen(const rill_level *fine, int32_t patches, const rill_level_link *from) {
    rill_level_link link = { .w = from->w };
    float front = 1.0f, line = 1.0f;
    for (int32_t i = 0; i < 2; ++i) {
        const place at = place_of(fine, patches, &from->end[i]);
        const float inner = inner_weight(fine, &from->end[i], at);
        link.end[i] = end_at(fine + 1, (place){ .patch = at.patch, .x = at.x / 2, .y = at.y / 2 });
        if (inner > 0.0f) {
            front += 0.5f;
            line += 0.5f * from->w / inner;
        }
    }
    link.w = from->w / front;
    link.term = from->w / line;
    return link;
}

void rill_links_coarsen(const rill_poisson *poisson, int32_t k) {
    rill_level *level = &poisson->levels->level[k];
    const rill_level *fine = level - 1;
    int32_t *last = poisson->levels->number; /* link that was last seen at a node */
    level->link_count = 0;
    for (int32_t i = 0; i < fine->link_count; ++i) last[fine->links[i].end[0].coarse] = -1;
    for (int32_t i = 0; i < fine->link_count; ++i) {
        const rill_level_link *from = &fine->links[i];
        int32_t *known = &last[from->end[0].coarse];
        if (from->end[0].coarse == from->end[1].coarse) continue;
        rill_level_link link = lengthen(fine, poisson->patch_count, from);
        rill_level_link *same = *known >= 0 ? &level->links[*known] : NULL;
        if (same && same->end[1].node == link.end[1].node && same->end[1].colour == link.end[1].colour) {
            same->w += link.w;
            same->term = same->w; /* no longer alone */
        } else {
            *known = level->link_count++;
            RILL_ASSERT(level->link_count <= fine->link_count);
            level->links[*known] = link;
        }
    }
    for (int32_t i = 0; i < level->link_count; ++i) {
        level->links[i].w = level->links[i].term;
        hang_in(level, &level->links[i]);
    }
}
