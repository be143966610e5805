/* The coarsest level, solved directly. Nodes are numbered across the shorter side of their patch first, which keeps the
 * skyline low. */
#include <string.h>

#include "solve/levels.h"

#include "base/assert.h"

enum { BOTTOM_WORK = 4096 }; /* multiplications that it may cost */

/* Active nodes of a run of RILL_LANES nodes of either colour, as bits in natural order. */
typedef struct block {
    int32_t y;
    uint32_t nodes;
} block;

static block look_at(const rill_level *level, int32_t at, int32_t y) {
    const float *even = level->colour[y & 1].inverse + at, *odd = level->colour[1 - (y & 1)].inverse + at;
    uint32_t nodes = 0;
    for (int32_t i = 0; i < RILL_LANES; ++i)
        nodes |= ((uint32_t)(even[i] > 0.0f) | (uint32_t)(odd[i] > 0.0f) << 1) << 2 * i;
    return (block){ .y = y, .nodes = nodes };
}

/* Where numbering stands. */
typedef struct counter {
    const rill_level *level;
    const rill_level_patch *patch;
    rill_bottom *bottom;
    int32_t *number[2]; /* by colour and node */
} counter;

/* Gives a node the next number. False if there are too many. */
static inline bool number_node(counter *at, int32_t x, int32_t y) {
    rill_bottom *bottom = at->bottom;
    int32_t i = bottom->sky.count, c = (x + y) & 1, node = at->patch->first + y * at->patch->stride + x / 2;
    const rill_colour *own = &at->level->colour[c];
    const int32_t *other = at->number[1 - c];
    /* Of the four neighbours, those to the west and south have numbers already. */
    int32_t west = own->w[RILL_WEST][node] > 0.0f ? other[node - 1 + (x & 1)] : -1;
    int32_t south = own->w[RILL_SOUTH][node] > 0.0f ? other[node - at->patch->stride] : -1;
    int32_t first = west >= 0 ? west : i;
    first = south >= 0 && south < first ? south : first;
    if (i == RILL_SKYLINE_NODES) return false;
    RILL_ASSERT(west < i && south < i && own->inverse[node] > 0.0f);
    at->number[c][node] = i;
    bottom->colour[i] = c;
    bottom->node[i] = node;
    bottom->west[i] = west;
    bottom->south[i] = south;
    bottom->sky.first[i] = first;
    bottom->sky.count = i + 1;
    return true;
}

/* Column after column, one block of columns at a time. */
static bool number_columns(counter *at) {
    const rill_level_patch *patch = at->patch;
    for (int32_t x = 0; x < 2 * patch->stride; x += 2 * RILL_LANES) {
        block blocks[RILL_SKYLINE_NODES];
        int32_t count = 0;
        uint32_t any = 0;
        for (int32_t y = 0; y < patch->ny; ++y) {
            int32_t node = patch->first + y * patch->stride + x / 2;
            if (!at->level->occupied[node / RILL_LANES]) continue;
            if (count == RILL_SKYLINE_NODES) return false;
            blocks[count] = look_at(at->level, node, y);
            any |= blocks[count++].nodes;
        }
        for (int32_t i = 0; i < 2 * RILL_LANES; ++i) {
            if (!(any >> i & 1)) continue;
            for (int32_t b = 0; b < count; ++b)
                if ((blocks[b].nodes >> i & 1) && !number_node(at, x + i, blocks[b].y)) return false;
        }
    }
    return true;
}

static bool number_rows(counter *at) {
    const rill_level_patch *patch = at->patch;
    for (int32_t y = 0; y < patch->ny; ++y)
        for (int32_t x = 0; x < 2 * patch->stride; x += 2 * RILL_LANES) {
            int32_t node = patch->first + y * patch->stride + x / 2;
            if (!at->level->occupied[node / RILL_LANES]) continue;
            block found = look_at(at->level, node, y);
            for (int32_t i = 0; i < 2 * RILL_LANES; ++i)
                if ((found.nodes >> i & 1) && !number_node(at, x + i, y)) return false;
        }
    return true;
}

static int32_t number_of(const rill_poisson_levels *levels, const rill_level *level, const rill_link_end *end) {
    RILL_ASSERT(end->node < level->size && level->colour[end->colour].inverse[end->node] > 0.0f);
    return levels->number[end->colour * level->size + end->node];
}

/* The rows of linked nodes reach to the other end. */
static void widen_rows(rill_poisson_levels *levels, const rill_level *level) {
    int32_t *first = levels->bottom.sky.first;
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        int32_t i = number_of(levels, level, &link->end[0]), j = number_of(levels, level, &link->end[1]);
        int32_t later = i > j ? i : j, sooner = i > j ? j : i;
        if (sooner < first[later]) first[later] = sooner;
    }
}

/* The lower triangle of the matrix. */
static void fill_rows(rill_poisson_levels *levels, const rill_level *level, double *diagonal) {
    rill_bottom *bottom = &levels->bottom;
    rill_skyline *sky = &bottom->sky;
    memset(sky->entry, 0, (size_t)sky->entries * sizeof *sky->entry);
    for (int32_t i = 0; i < sky->count; ++i) {
        const rill_colour *own = &level->colour[bottom->colour[i]];
        int32_t node = bottom->node[i];
        double *row = sky->entry + sky->row[i] - sky->first[i];
        double w = (double)own->w[RILL_WEST][node], s = (double)own->w[RILL_SOUTH][node];
        RILL_ASSERT(!(w < 0.0) && !(s < 0.0) && !(own->extra[node] < 0.0f));
        RILL_ASSERT(bottom->west[i] < 0 || bottom->west[i] >= sky->first[i]);
        RILL_ASSERT(bottom->south[i] < 0 || bottom->south[i] >= sky->first[i]);
        diagonal[i] =
            (double)own->extra[node] + (((double)own->w[RILL_EAST][node] + (double)own->w[RILL_NORTH][node]) + (w + s));
        if (bottom->west[i] >= 0) row[bottom->west[i]] = -w;
        if (bottom->south[i] >= 0) row[bottom->south[i]] = -s;
    }
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        int32_t i = number_of(levels, level, &link->end[0]), j = number_of(levels, level, &link->end[1]);
        int32_t later = i > j ? i : j, sooner = i > j ? j : i;
        RILL_ASSERT(i != j && sooner >= sky->first[later] && later < sky->count);
        diagonal[i] += (double)link->w;
        diagonal[j] += (double)link->w;
        sky->entry[sky->row[later] + sooner - sky->first[later]] -= (double)link->w;
    }
}

bool rill_bottom_make(rill_poisson_levels *levels, int32_t k, int32_t patches) {
    const rill_level *level = &levels->level[k];
    rill_bottom *bottom = &levels->bottom;
    double diagonal[RILL_SKYLINE_NODES];
    counter at = { .level = level, .bottom = bottom, .number = { levels->number, levels->number + level->size } };
    bottom->sky.count = 0;
    for (int32_t p = 0; p < patches; ++p) {
        at.patch = &level->patches[p];
        if (!(at.patch->ny <= at.patch->nx ? number_columns(&at) : number_rows(&at))) return false;
    }
    widen_rows(levels, level);
    if (!rill_skyline_lay(&bottom->sky, BOTTOM_WORK)) return false;
    fill_rows(levels, level, diagonal);
    rill_skyline_factorise(&bottom->sky, diagonal);
    return true;
}

void rill_bottom_solve(const rill_poisson_levels *levels) {
    const rill_bottom *bottom = &levels->bottom;
    const rill_level *level = &levels->level[levels->count - 1];
    double y[RILL_SKYLINE_NODES];
    for (int32_t i = 0; i < bottom->sky.count; ++i) y[i] = (double)level->colour[bottom->colour[i]].f[bottom->node[i]];
    rill_skyline_solve(&bottom->sky, y);
    for (const rill_run *run = level->runs; run < level->runs + level->run_count; ++run)
        for (int32_t c = 0; c < 2; ++c) memset(level->colour[c].x + run->at, 0, (size_t)run->n * sizeof(float));
    for (int32_t i = 0; i < bottom->sky.count; ++i) level->colour[bottom->colour[i]].x[bottom->node[i]] = (float)y[i];
}

/* Nodes of the finest level, and the sealed component of the bottom's node that stands for them. */
typedef struct share {
    int32_t from, to; /* of a colour's plane */
    int32_t sealed;   /* -1: none */
} share;

/* The part of row y of the finest level that comes down to column X of the bottom. */
static share share_of(const rill_poisson_levels *levels, int32_t p, int32_t X, int32_t y) {
    const int32_t last = levels->count - 1;
    const rill_level *bottom = &levels->level[last];
    const rill_level_patch *fine = &levels->level[0].patches[p], *patch = &bottom->patches[p];
    int32_t Y = y >> last, c = (X + Y) & 1, node = patch->first + Y * patch->stride + X / 2;
    int32_t row = fine->first + y * fine->stride, width = 1 << (last - 1);
    int32_t from = X * width, to = from + width < fine->stride ? from + width : fine->stride;
    bool counts = bottom->occupied[node / RILL_LANES] && bottom->colour[c].inverse[node] > 0.0f;
    return (share){ .from = row + from,
                    .to = row + to,
                    .sealed = counts ? levels->bottom.sky.sealed[levels->number[c * bottom->size + node]] : -1 };
}

/* f of the share's nodes: added up, or (then) less the mean. */
static void weigh_share(const rill_level *level, share part, bool subtract, double *sum, double *members) {
    for (int32_t i = part.from; i < part.to; ++i)
        for (int32_t c = 0; c < 2; ++c) {
            if (!level->occupied[i / RILL_LANES] || !(level->colour[c].inverse[i] > 0.0f)) continue;
            if (subtract) {
                level->colour[c].f[i] -= (float)(*sum / *members);
            } else {
                *sum += (double)level->colour[c].f[i];
                *members += 1.0;
            }
        }
}

void rill_bottom_balance(const rill_poisson_levels *levels, int32_t patches) {
    const rill_level *level = &levels->level[0], *last = &levels->level[levels->count - 1];
    double sum[RILL_SKYLINE_NODES] = { 0 }, members[RILL_SKYLINE_NODES] = { 0 };
    for (int32_t subtract = 0; subtract < 2; ++subtract)
        for (int32_t p = 0; p < patches; ++p)
            for (int32_t y = 0; y < level->patches[p].ny; ++y)
                for (int32_t X = 0; X < last->patches[p].nx; ++X) {
                    const share part = share_of(levels, p, X, y);
                    if (part.sealed >= 0) weigh_share(level, part, subtract, &sum[part.sealed], &members[part.sealed]);
                }
}
