/* The coarsest level, solved directly. Nodes are numbered across the shorter side of their patch first, which keeps the
 * skyline low: a tunnel w nodes wide costs about w^2 multiplications per node, however it bends. */
#include <string.h>

#include "solve/levels.h"

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
    int32_t work;       /* left */
} counter;

/* Gives a node the next number. False if there are too many, or the skyline gets too high. */
static inline bool number_node(counter *at, int32_t x, int32_t y) {
    rill_bottom *bottom = at->bottom;
    int32_t i = bottom->count, c = (x + y) & 1, node = at->patch->first + y * at->patch->stride + x / 2;
    const rill_colour *own = &at->level->colour[c];
    const int32_t *other = at->number[1 - c];
    /* Of the four neighbours, those to the west and south have numbers already. */
    int32_t west = own->w[RILL_WEST][node] > 0.0f ? other[node - 1 + (x & 1)] : -1;
    int32_t south = own->w[RILL_SOUTH][node] > 0.0f ? other[node - at->patch->stride] : -1;
    int32_t first = west >= 0 ? west : i;
    first = south >= 0 && south < first ? south : first;
    at->work -= (i - first) * (i - first);
    if (i == RILL_BOTTOM_NODES || at->work < 0) return false;
    at->number[c][node] = i;
    bottom->colour[i] = c;
    bottom->node[i] = node;
    bottom->west[i] = west;
    bottom->south[i] = south;
    bottom->first[i] = first;
    bottom->count = i + 1;
    return true;
}

/* Column after column, one block of columns at a time. */
static bool number_columns(counter *at) {
    const rill_level_patch *patch = at->patch;
    for (int32_t x = 0; x < 2 * patch->stride; x += 2 * RILL_LANES) {
        block blocks[RILL_BOTTOM_NODES];
        int32_t count = 0;
        uint32_t any = 0;
        for (int32_t y = 0; y < patch->ny; ++y) {
            int32_t node = patch->first + y * patch->stride + x / 2;
            if (!at->level->occupied[node / RILL_LANES]) continue;
            if (count == RILL_BOTTOM_NODES) return false;
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
    return levels->number[end->colour * level->size + end->node];
}

/* The rows of linked nodes reach to the other end. */
static void widen_rows(rill_poisson_levels *levels, const rill_level *level) {
    int32_t *first = levels->bottom.first;
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        int32_t i = number_of(levels, level, &link->end[0]), j = number_of(levels, level, &link->end[1]);
        int32_t later = i > j ? i : j, sooner = i > j ? j : i;
        if (sooner < first[later]) first[later] = sooner;
    }
}

/* The lower triangle of the matrix. False if there are too many entries. */
static bool fill_rows(rill_poisson_levels *levels, const rill_level *level, double *diagonal) {
    rill_bottom *bottom = &levels->bottom;
    int32_t entries = 0;
    for (int32_t i = 0; i < bottom->count; ++i) {
        const rill_colour *own = &level->colour[bottom->colour[i]];
        int32_t node = bottom->node[i], first = bottom->first[i];
        if (entries + (i - first) > RILL_BOTTOM_ENTRIES) return false;
        double *row = bottom->entry + entries;
        double w = (double)own->w[RILL_WEST][node], s = (double)own->w[RILL_SOUTH][node];
        diagonal[i] = (double)own->extra[node] + (((double)own->w[RILL_EAST][node] + (double)own->w[RILL_NORTH][node]) + (w + s));
        bottom->row[i] = entries - first;
        entries += i - first;
        for (int32_t j = 0; j < i - first; ++j) row[j] = 0.0;
        if (bottom->west[i] >= 0) row[bottom->west[i] - first] = -w;
        if (bottom->south[i] >= 0) row[bottom->south[i] - first] = -s;
    }
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        int32_t i = number_of(levels, level, &link->end[0]), j = number_of(levels, level, &link->end[1]);
        diagonal[i] += (double)link->w;
        diagonal[j] += (double)link->w;
        bottom->entry[i > j ? bottom->row[i] + j : bottom->row[j] + i] -= (double)link->w;
    }
    return true;
}

/* L D L^T, row by row. The last pivot of a sealed component is zero but for rounding; its node is held at zero. */
static void factorise(rill_bottom *bottom, const double *diagonal) {
    for (int32_t i = 0; i < bottom->count; ++i) {
        double *row = bottom->entry + bottom->row[i], pivot = diagonal[i];
        for (int32_t j = bottom->first[i]; j < i; ++j) {
            const double *above = bottom->entry + bottom->row[j];
            int32_t k = bottom->first[j] > bottom->first[i] ? bottom->first[j] : bottom->first[i];
            for (; k < j; ++k) row[j] -= row[k] * above[k];
        }
        for (int32_t j = bottom->first[i]; j < i; ++j) {
            double scaled = row[j] * bottom->inverse[j];
            pivot -= row[j] * scaled;
            row[j] = scaled;
        }
        bottom->inverse[i] = pivot > 1e-10 * diagonal[i] ? 1.0 / pivot : 0.0;
    }
}

bool rill_bottom_make(rill_poisson_levels *levels, int32_t k, int32_t patches, int32_t work) {
    const rill_level *level = &levels->level[k];
    rill_bottom *bottom = &levels->bottom;
    double diagonal[RILL_BOTTOM_NODES];
    counter at = { .level = level,
                   .bottom = bottom,
                   .number = { levels->number, levels->number + level->size },
                   .work = work };
    bool fits = true;
    bottom->count = 0;
    for (int32_t p = 0; p < patches && fits; ++p) {
        at.patch = &level->patches[p];
        fits = at.patch->ny <= at.patch->nx ? number_columns(&at) : number_rows(&at);
    }
    if (fits) widen_rows(levels, level);
    if (fits && fill_rows(levels, level, diagonal))
        factorise(bottom, diagonal);
    else
        bottom->count = -1;
    return bottom->count >= 0;
}

/* y = A^-1 y. */
static void solve(const rill_bottom *bottom, double *y) {
    for (int32_t i = 0; i < bottom->count; ++i) {
        const double *row = bottom->entry + bottom->row[i];
        double sum = y[i];
        for (int32_t j = bottom->first[i]; j < i; ++j) sum -= row[j] * y[j];
        y[i] = sum;
    }
    for (int32_t i = 0; i < bottom->count; ++i) y[i] *= bottom->inverse[i];
    for (int32_t i = bottom->count - 1; i >= 0; --i) {
        const double *row = bottom->entry + bottom->row[i];
        for (int32_t j = bottom->first[i]; j < i; ++j) y[j] -= row[j] * y[i];
    }
}

void rill_bottom_solve(const rill_poisson_levels *levels) {
    const rill_bottom *bottom = &levels->bottom;
    const rill_level *level = &levels->level[levels->count - 1];
    double y[RILL_BOTTOM_NODES];
    for (int32_t i = 0; i < bottom->count; ++i)
        y[i] = (double)level->colour[bottom->colour[i]].f[bottom->node[i]];
    solve(bottom, y);
    for (const rill_run *run = level->runs; run < level->runs + level->run_count; ++run)
        for (int32_t c = 0; c < 2; ++c) memset(level->colour[c].x + run->at, 0, (size_t)run->n * sizeof(float));
    for (int32_t i = 0; i < bottom->count; ++i) level->colour[bottom->colour[i]].x[bottom->node[i]] = (float)y[i];
}

void rill_bottom_correct(const rill_poisson_levels *levels) {
    const rill_bottom *bottom = &levels->bottom;
    double y[RILL_BOTTOM_NODES];
    for (int32_t i = 0; i < bottom->count; ++i) y[i] = (double)levels->level[0].colour[bottom->colour[i]].f[bottom->node[i]];
    solve(bottom, y);
    for (int32_t i = 0; i < bottom->count; ++i) levels->vectors[bottom->colour[i]].x[bottom->node[i]] += y[i];
}
