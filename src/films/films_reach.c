/* Which columns are looked at, and which sleep.
 *
 * A wet column is one deeper than h_min: others let nothing out. Pressures are needed at wet columns and their neighbours, and for
 * these the heights of the neighbours of those. A body is wet columns that hang together over edges; it sleeps and wakes as a whole,
 * and wakes when a wet column that is awake comes next to it. Only edges of awake columns are open. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/simd.h"
#include "base/union_find.h"
#include "films/films_internal.h"
#include "flow/rest.h"

enum { RESTLESS = 1, MOVES = 2 };

/* ---------------------------------------------------------------------------------------------------------------- reach */

/* Whether a column is wet and does not sleep. */
static bool is_awake(const rill_films *films, int32_t column) {
    return rill_films_is_wet(films, column) && !rill_films_is_asleep(films, column);
}

static void mark(rill_films *films, int32_t column) {
    const int32_t block = column / RILL_SHELL_BLOCK;
    if (films->marked[block]) return;
    films->marked[block] = 1;
    films->blocks[films->block_count++] = block;
}

/* Looks at what a wet column has to do with. */
static void reach(rill_films *films, int32_t column) {
    const rill_shell *shell = films->shell;
    mark(films, column);
    for (int32_t at = shell->first[column]; at < shell->first[column + 1]; ++at) {
        const int32_t j = shell->neighbours[at];
        mark(films, j);
        for (int32_t next = shell->first[j]; next < shell->first[j + 1]; ++next) mark(films, shell->neighbours[next]);
    }
}

/* Wakes a column, and says whether it slept. */
static bool wake(rill_films *films, int32_t column) {
    if (!rill_films_is_asleep(films, column)) return false;
    films->least[column] = films->h_min;
    films->calm[column] = 0;
    return true;
}

/* Wakes what sleeps next to a column, and next to that, and so on. */
static void spread(rill_films *films, int32_t column) {
    const rill_shell *shell = films->shell;
    int32_t waiting = 0;
    films->queue[waiting++] = column;
    while (waiting > 0) {
        const int32_t i = films->queue[--waiting];
        for (int32_t at = shell->first[i]; at < shell->first[i + 1]; ++at) {
            const int32_t j = shell->neighbours[at];
            if (!wake(films, j)) continue;
            films->stirred = true;
            films->queue[waiting++] = j;
        }
    }
}

void rill_films_wake(rill_films *films, int32_t column) {
    films->least[column] = films->h_min;
    films->calm[column] = 0;
    films->stirred = true;
    if (rill_films_is_wet(films, column)) spread(films, column);
}

void rill_films_wake_all(rill_films *films) {
    for (int32_t i = 0; i < films->shell->count; ++i) {
        films->least[i] = films->h_min;
        films->calm[i] = 0;
        films->deepest = rill_max_f(films->deepest, films->planes.depth[i]);
    }
    films->stirred = true;
}

void rill_films_reach_out(rill_films *films) {
    const int32_t count = films->block_count; /* not those that are added here: nothing has become wet there */
    for (int32_t b = 0; b < count; ++b) {
        const int32_t block = films->blocks[b];
        for (uint32_t fresh = films->planes.fresh[block], k = 0; fresh >> k; ++k) {
            if (!(fresh >> k & 1)) continue;
            const int32_t column = block * RILL_SHELL_BLOCK + (int32_t)k;
            reach(films, column);
            spread(films, column);
        }
        films->planes.fresh[block] = 0;
    }
}

/* Nothing moves any more where nothing is looked at. */
static void forget(rill_films *films, int32_t block) {
    const rill_films_planes *plane = &films->planes;
    const int32_t first = plane->first_edge[block], count = plane->first_edge[block + 1] - first;
    memset(plane->u + first, 0, (size_t)count * sizeof *plane->u);
    memset(plane->open + first, 0, (size_t)count * sizeof *plane->open);
    memset(plane->crossing + first, 0, (size_t)count * sizeof *plane->crossing);
    memset(plane->change + block * RILL_SHELL_BLOCK, 0, RILL_SHELL_BLOCK * sizeof *plane->change);
}

void rill_films_list(rill_films *films) {
    const int32_t blocks = films->shell->block_count;
    for (int32_t b = 0; b < films->block_count; ++b) films->marked[films->blocks[b]] = 0;
    const int32_t before = films->block_count;
    films->block_count = 0;
    memcpy(films->queue, films->blocks, (size_t)before * sizeof *films->queue);
    for (int32_t i = 0; i < films->shell->count; ++i)
        if (is_awake(films, i)) reach(films, i);
    for (int32_t b = 0; b < before; ++b)
        if (!films->marked[films->queue[b]]) forget(films, films->queue[b]);
    films->block_count = 0; /* in ascending order, as they are in memory */
    for (int32_t block = 0; block < blocks; ++block)
        if (films->marked[block]) films->blocks[films->block_count++] = block;
}

/* ----------------------------------------------------------------------------------------------------------------- sleep */

/* How an edge is: driven, or so fast that it may not be stopped. */
static uint8_t state_of(const rill_films_work *work, int32_t e, double calm) {
    const rill_films_planes *plane = &work->films->planes;
    const int32_t i = plane->ends[e][0], j = plane->ends[e][1];
    const double drop = plane->potential[j] - plane->potential[i];
    const int32_t donor = drop > 0.0 ? j : i;
    const bool driven = fabs(drop) > calm && plane->depth[donor] > work->constants.least;
    const float u = plane->u[e];
    const bool at_rest = u == 0.0f && !driven; /* as something put down at rest is, from the beginning */
    return (uint8_t)((rill_restless(u, driven) ? RESTLESS : 0) | (at_rest ? 0 : MOVES));
}

/* Unites wet columns to bodies, and marks what any of their edges is. */
static void find_bodies(const rill_films_work *work, double calm) {
    rill_films *films = work->films;
    for (int32_t b = 0; b < films->block_count; ++b)
        for (int32_t i = films->blocks[b] * RILL_SHELL_BLOCK; i < (films->blocks[b] + 1) * RILL_SHELL_BLOCK; ++i) {
            films->bodies[i] = (uint32_t)i;
            films->restless[i] = 0;
        }
    for (int32_t b = 0; b < films->block_count; ++b) {
        const int32_t block = films->blocks[b];
        for (int32_t e = films->planes.first_edge[block]; e < films->planes.first_edge[block + 1]; ++e) {
            const int32_t i = films->planes.ends[e][0], j = films->planes.ends[e][1];
            if (!films->marked[j / RILL_SHELL_BLOCK]) continue;
            const bool wet_i = is_awake(films, i), wet_j = is_awake(films, j);
            if (!wet_i && !wet_j) continue;
            const uint8_t state = state_of(work, e, calm);
            films->restless[i] |= state, films->restless[j] |= state;
            if (wet_i && wet_j) rill_union_find_unite(films->bodies, (uint32_t)i, (uint32_t)j);
        }
    }
}

/* Gathers at the roots of bodies what their columns are, and through how many looks all of them have been calm. */
static void gather_bodies(rill_films *films) {
    for (int32_t b = 0; b < films->block_count; ++b)
        for (int32_t i = films->blocks[b] * RILL_SHELL_BLOCK; i < (films->blocks[b] + 1) * RILL_SHELL_BLOCK; ++i) {
            if (!is_awake(films, i)) continue;
            const uint32_t root = rill_union_find_root(films->bodies, (uint32_t)i);
            films->restless[root] |= films->restless[i];
            if (films->calm[i] < films->calm[root]) films->calm[root] = films->calm[i];
        }
}

/* Counts a look, and lets a column sleep as its body does. Roots are the lowest columns of their bodies, and come first. */
static bool lay_down(rill_films *films, int32_t i, bool counts) {
    const uint32_t root = rill_union_find_root(films->bodies, (uint32_t)i);
    const uint8_t state = films->restless[root];
    if (root != (uint32_t)i)
        films->calm[i] = films->calm[root];
    else if (state & RESTLESS)
        films->calm[i] = 0;
    else if (counts && films->calm[i] < RILL_FILMS_LOOKS)
        films->calm[i] += 1;
    if (state & MOVES && films->calm[root] < RILL_FILMS_LOOKS) return false;
    films->least[i] = INFINITY;
    return true;
}

void rill_films_look(const rill_films_work *work) {
    rill_films *films = work->films;
    const double l = films->shell->spacing, G = films->forces.strength, *g = films->forces.gravity;
    const double film = films->quantum / (films->shell->report.area / films->shell->count); /* depth of a quantum */
    const double weighs = RILL_REST_HEAD * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const bool counts = films->substep % RILL_FILMS_LOOK == 0;
    bool sleeps = false;
    find_bodies(work, fmax(weighs, RILL_TENSION_CALM * film * G / (l * l)));
    gather_bodies(films);
    for (int32_t b = 0; b < films->block_count; ++b)
        for (int32_t i = films->blocks[b] * RILL_SHELL_BLOCK; i < (films->blocks[b] + 1) * RILL_SHELL_BLOCK; ++i)
            if (is_awake(films, i)) sleeps |= lay_down(films, i, counts);
    if (sleeps) rill_films_list(films);
}
