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
        diagonal[i] =
            (double)own->extra[node] + (((double)own->w[RILL_EAST][node] + (double)own->w[RILL_NORTH][node]) + (w + s));
        bottom->row[i] = entries;
        entries += i - first;
        for (int32_t j = 0; j < i - first; ++j) row[j] = 0.0;
        if (bottom->west[i] >= 0) row[bottom->west[i] - first] = -w;
        if (bottom->south[i] >= 0) row[bottom->south[i] - first] = -s;
    }
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        int32_t i = number_of(levels, level, &link->end[0]), j = number_of(levels, level, &link->end[1]);
        int32_t later = i > j ? i : j, sooner = i > j ? j : i;
        diagonal[i] += (double)link->w;
        diagonal[j] += (double)link->w;
        bottom->entry[bottom->row[later] + sooner - bottom->first[later]] -= (double)link->w;
    }
    return true;
}

/* Four partial sums where it pays. */
static inline double dot(const double *a, const double *b, int32_t n) {
    double sum = 0.0;
    if (n >= 4) {
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        for (; n >= 4; n -= 4, a += 4, b += 4) {
            s0 += a[0] * b[0];
            s1 += a[1] * b[1];
            s2 += a[2] * b[2];
            s3 += a[3] * b[3];
        }
        sum = (s0 + s1) + (s2 + s3);
    }
    for (; n > 0; --n) sum += *a++ * *b++;
    return sum;
}

/* L D L^T, row by row. The last pivot of a sealed component is zero but for rounding; its node is held at zero. Returns
 * whether there are such. */
static bool factorise(rill_bottom *bottom, const double *diagonal) {
    bool sealed = false;
    for (int32_t i = 0; i < bottom->count; ++i) {
        const int32_t first = bottom->first[i];
        double *row = bottom->entry + bottom->row[i], pivot = diagonal[i];
        for (int32_t j = first + 1; j < i; ++j) {
            const double *above = bottom->entry + bottom->row[j];
            int32_t k = bottom->first[j] > first ? bottom->first[j] : first;
            row[j - first] -= dot(row + (k - first), above + (k - bottom->first[j]), j - k);
        }
        for (int32_t j = first; j < i; ++j) {
            double scaled = row[j - first] * bottom->inverse[j];
            pivot -= row[j - first] * scaled;
            row[j - first] = scaled;
        }
        bottom->inverse[i] = pivot > 1e-10 * diagonal[i] ? 1.0 / pivot : 0.0;
        sealed = sealed || bottom->inverse[i] == 0.0;
    }
    return sealed;
}

/* Finds the members of sealed components: all that is eliminated into the node held at zero. */
static void find_sealed(rill_bottom *bottom) {
    for (int32_t i = 0; i < bottom->count; ++i) bottom->sealed[i] = bottom->inverse[i] == 0.0 ? i : -1;
    for (int32_t i = bottom->count - 1; i >= 0; --i)
        for (int32_t j = bottom->first[i]; j < i; ++j)
            if (bottom->entry[bottom->row[i] + j - bottom->first[i]] != 0.0) bottom->sealed[j] = bottom->sealed[i];
}

/* Takes the mean off the members of each sealed component. Of f, as A x = f has no solution if it is not zero: what
 * little there is of it would all be drained at the node held at zero. Of x likewise, for symmetry. */
static void level_out(const rill_bottom *bottom, double *y) {
    double sum[RILL_BOTTOM_NODES], members[RILL_BOTTOM_NODES];
    for (int32_t i = 0; i < bottom->count; ++i) sum[i] = members[i] = 0.0;
    for (int32_t i = 0; i < bottom->count; ++i)
        if (bottom->sealed[i] >= 0) {
            sum[bottom->sealed[i]] += y[i];
            members[bottom->sealed[i]] += 1.0;
        }
    for (int32_t i = 0; i < bottom->count; ++i)
        if (bottom->sealed[i] >= 0) y[i] -= sum[bottom->sealed[i]] / members[bottom->sealed[i]];
}

bool rill_bottom_make(rill_poisson_levels *levels, int32_t k, int32_t patches, int32_t work) {
    const rill_level *level = &levels->level[k];
    rill_bottom *bottom = &levels->bottom;
    double diagonal[RILL_BOTTOM_NODES];
    counter at = {
        .level = level, .bottom = bottom, .number = { levels->number, levels->number + level->size }, .work = work
    };
    bool fits = true;
    bottom->count = 0;
    for (int32_t p = 0; p < patches && fits; ++p) {
        at.patch = &level->patches[p];
        fits = at.patch->ny <= at.patch->nx ? number_columns(&at) : number_rows(&at);
    }
    if (fits) widen_rows(levels, level);
    if (fits && fill_rows(levels, level, diagonal)) {
        bottom->any_sealed = factorise(bottom, diagonal);
        if (bottom->any_sealed) find_sealed(bottom);
    } else {
        bottom->count = -1;
    }
    return bottom->count >= 0;
}

/* y = A^-1 y. */
static void solve(const rill_bottom *bottom, double *y) {
    if (bottom->any_sealed) level_out(bottom, y);
    for (int32_t i = 0; i < bottom->count; ++i) {
        const double *row = bottom->entry + bottom->row[i];
        y[i] -= dot(row, y + bottom->first[i], i - bottom->first[i]);
    }
    for (int32_t i = 0; i < bottom->count; ++i) y[i] *= bottom->inverse[i];
    for (int32_t i = bottom->count - 1; i >= 0; --i) {
        const double *row = bottom->entry + bottom->row[i];
        for (int32_t j = bottom->first[i]; j < i; ++j) y[j] -= row[j - bottom->first[i]] * y[i];
    }
    if (bottom->any_sealed) level_out(bottom, y);
}

void rill_bottom_solve(const rill_poisson_levels *levels) {
    const rill_bottom *bottom = &levels->bottom;
    const rill_level *level = &levels->level[levels->count - 1];
    double y[RILL_BOTTOM_NODES];
    for (int32_t i = 0; i < bottom->count; ++i) y[i] = (double)level->colour[bottom->colour[i]].f[bottom->node[i]];
    solve(bottom, y);
    for (const rill_run *run = level->runs; run < level->runs + level->run_count; ++run)
        for (int32_t c = 0; c < 2; ++c) memset(level->colour[c].x + run->at, 0, (size_t)run->n * sizeof(float));
    for (int32_t i = 0; i < bottom->count; ++i) level->colour[bottom->colour[i]].x[bottom->node[i]] = (float)y[i];
}

void rill_bottom_correct(const rill_poisson_levels *levels) {
    const rill_bottom *bottom = &levels->bottom;
    double y[RILL_BOTTOM_NODES];
    for (int32_t i = 0; i < bottom->count; ++i)
        y[i] = (double)levels->level[0].colour[bottom->colour[i]].f[bottom->node[i]];
    solve(bottom, y);
    for (int32_t i = 0; i < bottom->count; ++i) levels->vectors[bottom->colour[i]].x[bottom->node[i]] += y[i];
}

/* What nodes of the finest level come down to: the sealed component of the bottom's node that stands for them. */
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
                    .sealed = counts ? levels->bottom.sealed[levels->number[c * bottom->size + node]] : -1 };
}

/* f of the share's nodes: added up, or (then) less the mean. */
static void weigh_share(const rill_level *level, share s, bool subtract, double *sum, double *members) {
    for (int32_t i = s.from; i < s.to; ++i)
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
    double sum[RILL_BOTTOM_NODES] = { 0 }, members[RILL_BOTTOM_NODES] = { 0 };
    for (int32_t subtract = 0; subtract < 2; ++subtract)
        for (int32_t p = 0; p < patches; ++p)
            for (int32_t y = 0; y < level->patches[p].ny; ++y)
                for (int32_t X = 0; X < last->patches[p].nx; ++X) {
                    const share s = share_of(levels, p, X, y);
                    if (s.sealed >= 0) weigh_share(level, s, subtract, &sum[s.sealed], &members[s.sealed]);
                }
}
