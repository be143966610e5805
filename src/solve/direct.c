/* A problem that is small enough is solved directly, without levels. Nodes are numbered across the shorter side of
 * their patch first, which keeps the skyline low.
 *
 * Numbers stay as long as patches and active nodes do, and so does L D L^T: problems that follow each other differ
 * little, and improving a solution by an L D L^T that is a little out of date (iterative refinement) costs less than
 * making a new one. If it does not improve fast, there is a new one. */
#include <math.h>
#include <string.h>

#include "solve/levels.h"

#include "base/assert.h"

enum { FACTORING_WORK = 131072 };       /* multiplications that factorising may cost */
static const double FAST = 0.02;        /* what is left of the residual, or a new L D L^T pays */
static const double FRESH_ENOUGH = 0.5; /* the same if it is new, or no more can be had */

/* ---------------------------------------------------------------------------------------------------------- numbers */

static void number_node(const rill_poisson *poisson, int32_t node, int32_t stride) {
    rill_direct *direct = &poisson->levels->direct;
    int32_t *number = poisson->levels->number, i = direct->sky.count;
    if (poisson->active[node] == 0.0f) return;
    RILL_ASSERT(i < RILL_SKYLINE_NODES && poisson->active[node] == 1.0f);
    /* Of the four neighbours, those to the west and south have numbers already. */
    int32_t west = poisson->active[node - 1] > 0.0f ? number[node - 1] : -1;
    int32_t south = poisson->active[node - stride] > 0.0f ? number[node - stride] : -1;
    int32_t first = west >= 0 ? west : i;
    number[node] = i;
    direct->node[i] = node;
    direct->stride[i] = stride;
    direct->west[i] = west;
    direct->south[i] = south;
    direct->sky.first[i] = south >= 0 && south < first ? south : first;
    RILL_ASSERT(west < i && south < i);
    direct->sky.count = i + 1;
}

static void number_patch(const rill_poisson *poisson, const rill_patch *patch) {
    const bool columns = patch->ny <= patch->nx;
    const int32_t lines = columns ? patch->nx : patch->ny, along = columns ? patch->ny : patch->nx;
    const int32_t line_step = columns ? 1 : patch->stride, step = columns ? patch->stride : 1;
    for (int32_t line = 0; line < lines; ++line)
        for (int32_t i = 0; i < along; ++i)
            number_node(poisson, patch->first + line * line_step + i * step, patch->stride);
}

static int32_t count_active(const rill_poisson *poisson) {
    int32_t count = 0;
    for (int32_t i = 0; i < poisson->node_count; ++i) count += poisson->active[i] > 0.0f;
    return count;
}

/* Whether the nodes that have numbers are the `count` active ones. Links may be others each time. */
static bool numbers_hold(const rill_poisson *poisson, int32_t count) {
    const rill_direct *direct = &poisson->levels->direct;
    if (!direct->numbered || poisson->link_count > 0 || count != direct->sky.count) return false;
    for (int32_t i = 0; i < count; ++i)
        if (poisson->active[direct->node[i]] == 0.0f) return false;
    return true;
}

static void widen_rows(const rill_poisson *poisson) {
    int32_t *first = poisson->levels->direct.sky.first;
    for (const rill_link *link = poisson->links; link < poisson->links + poisson->link_count; ++link) {
        if (poisson->active[link->a] == 0.0f || poisson->active[link->b] == 0.0f) continue;
        int32_t i = poisson->levels->number[link->a], j = poisson->levels->number[link->b];
        int32_t later = i > j ? i : j, sooner = i > j ? j : i;
        if (sooner < first[later]) first[later] = sooner;
    }
}

/* Gives the active nodes their numbers. False if the problem is too large. */
static bool number_all(const rill_poisson *poisson) {
    rill_direct *direct = &poisson->levels->direct;
    const int32_t count = count_active(poisson);
    if (count > RILL_SKYLINE_NODES) return direct->numbered = false;
    if (numbers_hold(poisson, count)) return true;
    direct->factorised = false;
    direct->sky.count = 0;
    for (int32_t p = 0; p < poisson->patch_count; ++p) number_patch(poisson, &poisson->patches[p]);
    RILL_ASSERT(direct->sky.count == count); /* nodes outside of the patches are not active */
    widen_rows(poisson);
    const bool fits = rill_skyline_lay(&direct->sky, FACTORING_WORK);
    direct->numbered = fits && poisson->link_count == 0;
    return fits;
}

/* ----------------------------------------------------------------------------------------------------------- matrix */

static void fill_rows(const rill_poisson *poisson) {
    rill_direct *direct = &poisson->levels->direct;
    rill_skyline *sky = &direct->sky;
    const float *wx = poisson->wx, *wy = poisson->wy;
    memset(sky->entry, 0, (size_t)sky->entries * sizeof *sky->entry);
    for (int32_t i = 0; i < sky->count; ++i) {
        const int32_t node = direct->node[i], north = node + direct->stride[i];
        double *row = sky->entry + sky->row[i];
        double w = (double)wx[node], s = (double)wy[node];
        RILL_ASSERT(!(w < 0.0) && !(s < 0.0) && !(poisson->extra[node] < 0.0f));
        RILL_ASSERT(direct->west[i] < 0 || direct->west[i] >= sky->first[i]);
        RILL_ASSERT(direct->south[i] < 0 || direct->south[i] >= sky->first[i]);
        direct->diagonal[i] = (double)poisson->extra[node] + (((double)wx[node + 1] + (double)wy[north]) + (w + s));
        if (direct->west[i] >= 0) row[direct->west[i] - sky->first[i]] = -w;
        if (direct->south[i] >= 0) row[direct->south[i] - sky->first[i]] = -s;
    }
}

static void add_links(const rill_poisson *poisson) {
    rill_direct *direct = &poisson->levels->direct;
    const int32_t *number = poisson->levels->number;
    for (const rill_link *link = poisson->links; link < poisson->links + poisson->link_count; ++link) {
        const bool a = poisson->active[link->a] > 0.0f, b = poisson->active[link->b] > 0.0f;
        if (link->a == link->b) continue;
        if (a) direct->diagonal[number[link->a]] += (double)link->w;
        if (b) direct->diagonal[number[link->b]] += (double)link->w;
        if (!a || !b) continue;
        int32_t i = number[link->a], j = number[link->b], later = i > j ? i : j, sooner = i > j ? j : i;
        RILL_ASSERT(sooner >= direct->sky.first[later] && later < direct->sky.count);
        direct->sky.entry[direct->sky.row[later] + sooner - direct->sky.first[later]] -= (double)link->w;
    }
}

bool rill_direct_make(rill_poisson *poisson) {
    rill_direct *direct = &poisson->levels->direct;
    direct->fits = number_all(poisson);
    return direct->fits;
}

static void factorise(const rill_poisson *poisson) {
    rill_direct *direct = &poisson->levels->direct;
    fill_rows(poisson);
    add_links(poisson);
    rill_skyline_factorise(&direct->sky, direct->diagonal);
    direct->factorised = true;
}

/* ------------------------------------------------------------------------------------------------------------ solve */

static bool starts_at_zero(const rill_poisson *poisson) {
    const rill_direct *direct = &poisson->levels->direct;
    int32_t other = 0;
    for (int32_t i = 0; i < direct->sky.count; ++i) other |= poisson->x[direct->node[i]] != 0.0;
    return !other;
}

/* y = f - A x. The difference form loses no digits where x is large and smooth. */
static void find_lack(const rill_poisson *poisson, double *y) {
    const rill_direct *direct = &poisson->levels->direct;
    const float *wx = poisson->wx, *wy = poisson->wy;
    const double *x = poisson->x;
    for (int32_t i = 0; i < direct->sky.count; ++i) {
        const int32_t node = direct->node[i], stride = direct->stride[i];
        const double v = x[node];
        y[i] = poisson->f[node] -
               ((double)poisson->extra[node] * v +
                (((double)wx[node] * (v - x[node - 1]) + (double)wx[node + 1] * (v - x[node + 1])) +
                 ((double)wy[node] * (v - x[node - stride]) + (double)wy[node + stride] * (v - x[node + stride]))));
    }
    for (const rill_link *link = poisson->links; link < poisson->links + poisson->link_count; ++link) {
        const double flow = (double)link->w * (x[link->a] - x[link->b]);
        if (poisson->active[link->a] > 0.0f) y[poisson->levels->number[link->a]] -= flow;
        if (poisson->active[link->b] > 0.0f) y[poisson->levels->number[link->b]] += flow;
    }
}

/* By their bits non-negative numbers are ordered, with NaN above all. */
static double largest_of(const double *y, int32_t count) {
    int64_t most = 0, bits;
    for (int32_t i = 0; i < count; ++i) {
        const double size = fabs(y[i]);
        memcpy(&bits, &size, sizeof bits);
        most = bits > most ? bits : most;
    }
    double largest;
    memcpy(&largest, &most, sizeof largest);
    return largest;
}

/* x += y, if that is all finite. */
static bool correct(const rill_poisson *poisson, const double *y) {
    const rill_direct *direct = &poisson->levels->direct;
    double sum = 0.0;
    for (int32_t i = 0; i < direct->sky.count; ++i) sum += y[i];
    if (!isfinite(sum)) return false;
    for (int32_t i = 0; i < direct->sky.count; ++i) poisson->x[direct->node[i]] += y[i];
    return true;
}

int32_t rill_direct_solve(const rill_poisson *poisson, double tolerance, int32_t max_iterations, double *residual) {
    rill_direct *direct = &poisson->levels->direct;
    double y[RILL_SKYLINE_NODES];
    if (starts_at_zero(poisson))
        for (int32_t i = 0; i < direct->sky.count; ++i) y[i] = poisson->f[direct->node[i]];
    else
        find_lack(poisson, y);
    double largest = largest_of(y, direct->sky.count);
    int32_t iterations = 0;
    bool fresh = false, improves = true;
    while (largest > tolerance && improves && iterations < max_iterations) {
        if (!direct->factorised) {
            factorise(poisson);
            fresh = true;
        }
        rill_skyline_solve(&direct->sky, y);
        if (!correct(poisson, y)) break;
        const double before = largest;
        find_lack(poisson, y);
        largest = largest_of(y, direct->sky.count);
        improves = !fresh || largest < FRESH_ENOUGH * before;
        if (!fresh && largest > tolerance && !(largest < FAST * before)) direct->factorised = false;
        ++iterations;
    }
    *residual = largest;
    return iterations;
}
