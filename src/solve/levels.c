/* How the levels of a Poisson problem come about: their layout, which of their nodes count, and their matrices.
 *
 * Based on: cell-centred multigrid with piecewise constant transfer (P. Wesseling, "Cell-centered multigrid for
 * interface problems", J. Comput. Phys. 79, 1988): coarse node (x, y) stands for the fine nodes (2x .. 2x + 1, 2y ..
 * 2y + 1), the sum of their residuals goes down, its correction goes up to each of them. Coarse pipes are made from
 * fine ones as in `across` of solve_kernels.c; extras are summed up. */
#include "solve/levels.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/dispatch.h"

RILL_DISPATCH(rill_solve_kernels)

/* ----------------------------------------------------------------------------------------------------------- memory */

enum { MATRIX_PLANES = 12, VALUE_PLANES = 6, VECTOR_PLANES = 6, DIRECTION_PLANES = 4 };

static int32_t half_of(int32_t n) {
    return n / 2 + (n & 1);
}
static int32_t whole_runs(int32_t n) {
    return (n + RILL_LANES - 1) / RILL_LANES * RILL_LANES;
}

void rill_poisson_count(rill_poisson_size *size, int32_t nx, int32_t ny) {
    const int32_t stride = whole_runs(half_of(nx));
    size->nodes += rill_poisson_room(nx, ny);
    size->patches += 1;
    size->fine += (int64_t)stride * ny;
    if (stride > size->widest) size->widest = stride;
    for (int32_t k = 1;; ++k, nx = half_of(nx), ny = half_of(ny)) {
        size->all += (int64_t)whole_runs(half_of(nx)) * ny;
        size->steps += 1;
        if (k > size->levels) size->levels = k;
        if (nx <= 1 && ny <= 1) break;
    }
}

/* Nodes of one colour: of level 0, and of all levels, with margins around each of them. Patches that are single nodes
 * take a run on every further level. */
static size_t fine_room(const rill_poisson_size *room) {
    return (size_t)room->fine + 2 * (size_t)room->widest + 2 * RILL_LANES;
}
static size_t room_of_all(const rill_poisson_size *room) {
    const int64_t single = (int64_t)room->patches * room->levels - room->steps;
    return (size_t)room->all + 4 * (size_t)room->widest +
           RILL_LANES * ((single > 0 ? (size_t)single : 0) + 4 * (size_t)room->levels);
}
static size_t float_count(const rill_poisson_size *room) {
    return (MATRIX_PLANES + VALUE_PLANES) * room_of_all(room) + DIRECTION_PLANES * fine_room(room);
}
static size_t double_count(const rill_poisson_size *room) {
    return VECTOR_PLANES * fine_room(room) + 2 * (size_t)room->links;
}
static size_t number_count(const rill_poisson_size *room) {
    return 2 * fine_room(room) > (size_t)room->nodes ? 2 * fine_room(room) : (size_t)room->nodes;
}
/* The last level is laid out with the next one. */
static size_t patch_count(const rill_poisson_size *room) {
    return (size_t)room->patches * ((size_t)room->levels + 1);
}
static size_t link_count(const rill_poisson_size *room) {
    return (size_t)room->levels * (size_t)room->links;
}

rill_poisson_levels *rill_levels_make(const rill_poisson_size *room, const rill_allocator *allocator) {
    rill_poisson_levels *levels = rill_alloc_zeroed(allocator, 1, sizeof *levels);
    if (!levels) return NULL;
    const size_t runs = room_of_all(room) / RILL_LANES;
    levels->floats = rill_alloc(allocator, float_count(room), sizeof *levels->floats);
    levels->doubles = rill_alloc_zeroed(allocator, double_count(room), sizeof *levels->doubles);
    levels->patches = rill_alloc(allocator, patch_count(room), sizeof *levels->patches);
    levels->links = rill_alloc(allocator, link_count(room), sizeof *levels->links);
    levels->runs = rill_alloc(allocator, runs, sizeof *levels->runs);
    levels->occupied = rill_alloc_zeroed(allocator, runs, sizeof *levels->occupied);
    levels->number = rill_alloc_zeroed(allocator, number_count(room), sizeof *levels->number);
    if (levels->floats && levels->doubles && levels->patches && levels->links && levels->runs && levels->occupied &&
        levels->number) {
        levels->kept = levels->doubles + VECTOR_PLANES * fine_room(room);
        levels->directions = levels->floats + (VALUE_PLANES + MATRIX_PLANES) * room_of_all(room);
        memset(levels->directions, 0, DIRECTION_PLANES * fine_room(room) * sizeof *levels->directions);
        return levels;
    }
    rill_levels_free(levels, room, allocator);
    return NULL;
}

void rill_levels_free(rill_poisson_levels *levels, const rill_poisson_size *room, const rill_allocator *allocator) {
    if (!levels) return;
    const size_t runs = room_of_all(room) / RILL_LANES;
    rill_free(allocator, levels->number, number_count(room), sizeof *levels->number);
    rill_free(allocator, levels->occupied, runs, sizeof *levels->occupied);
    rill_free(allocator, levels->runs, runs, sizeof *levels->runs);
    rill_free(allocator, levels->links, link_count(room), sizeof *levels->links);
    rill_free(allocator, levels->patches, patch_count(room), sizeof *levels->patches);
    rill_free(allocator, levels->doubles, double_count(room), sizeof *levels->doubles);
    rill_free(allocator, levels->floats, float_count(room), sizeof *levels->floats);
    rill_free(allocator, levels, 1, sizeof *levels);
}

void rill_levels_wipe(const rill_poisson_levels *levels) {
    size_t size = (size_t)levels->level[0].size, used = 0;
    for (int32_t k = 0; k < levels->count; ++k) used += (size_t)levels->level[k].size;
    memset(levels->floats, 0, VALUE_PLANES * used * sizeof *levels->floats);
    memset(levels->directions, 0, DIRECTION_PLANES * size * sizeof *levels->directions);
    for (int32_t c = 0; c < 2; ++c) memset(levels->vectors[c].x, 0, size * sizeof *levels->vectors[c].x);
}

/* ----------------------------------------------------------------------------------------------------------- layout */

/* Places the patches of level k, whose sizes follow from those of the level before. True if all are single nodes. */
static bool lay_out(const rill_poisson *poisson, int32_t k) {
    rill_poisson_levels *levels = poisson->levels;
    rill_level *level = &levels->level[k];
    int32_t count = poisson->patch_count, margin = RILL_LANES;
    bool single = true;
    RILL_ASSERT(k <= poisson->room.levels && k < RILL_LEVELS_MOST && count <= poisson->room.patches);
    level->patches = levels->patches + (size_t)k * (size_t)poisson->room.patches;
    for (int32_t p = 0; p < count; ++p) {
        const rill_level_patch *before = k > 0 ? &levels->level[k - 1].patches[p] : NULL;
        int32_t nx = before ? half_of(before->nx) : poisson->patches[p].nx;
        int32_t ny = before ? half_of(before->ny) : poisson->patches[p].ny;
        level->patches[p] = (rill_level_patch){ .nx = nx, .ny = ny, .stride = whole_runs(half_of(nx)) };
        if (level->patches[p].stride > margin) margin = level->patches[p].stride;
        single = single && nx <= 1 && ny <= 1;
    }
    level->margin = level->size = margin;
    for (int32_t p = 0; p < count; ++p) {
        level->patches[p].first = level->size;
        level->size += level->patches[p].ny * level->patches[p].stride;
    }
    level->size += margin;
    return single;
}

/* Sees to it that the first `size` nodes' planes have been zero once: what no run writes is multiplied by zero. */
static void clear_planes(rill_poisson_levels *levels, size_t room, size_t size) {
    if (size <= levels->cleared) return;
    const size_t from = levels->cleared, more = size - from;
    memset(levels->floats + VALUE_PLANES * from, 0, VALUE_PLANES * more * sizeof *levels->floats);
    memset(levels->floats + VALUE_PLANES * room + MATRIX_PLANES * from, 0,
           MATRIX_PLANES * more * sizeof *levels->floats);
    levels->cleared = size;
}

/* The planes of level k follow those of the level before. */
static void give_planes(const rill_poisson *poisson, int32_t k) {
    rill_poisson_levels *levels = poisson->levels;
    rill_level *level = &levels->level[k];
    size_t used = 0, size = (size_t)level->size;
    for (int32_t j = 0; j < k; ++j) used += (size_t)levels->level[j].size;
    size_t room = room_of_all(&poisson->room);
    RILL_ASSERT(size % RILL_LANES == 0 && used + size <= room);
    float *value = levels->floats + VALUE_PLANES * used;
    float *matrix = levels->floats + VALUE_PLANES * room + MATRIX_PLANES * used;
    clear_planes(levels, room, used + size);
    for (int32_t c = 0; c < 2; ++c) {
        rill_colour *colour = &level->colour[c];
        float **planes[] = { &colour->w[0], &colour->w[1],  &colour->w[2],
                             &colour->w[3], &colour->extra, &colour->inverse };
        for (int32_t i = 0; i < 6; ++i, matrix += size) *planes[i] = matrix;
        colour->f = value;
        colour->x = value + size;
        value += 2 * size;
        /* Stands for the row that an odd number of rows lacks. */
        for (int32_t i = 0; i < 5; ++i) memset(*planes[i], 0, (size_t)level->margin * sizeof **planes[i]);
    }
    level->natural = value;
    level->runs = levels->runs + used / RILL_LANES;
    level->occupied = levels->occupied + used / RILL_LANES;
    level->links = k > 0 ? level[-1].links + level[-1].link_count : levels->links;
    level->run_count = 0;
}

static void give_vectors(const rill_poisson *poisson) {
    rill_poisson_levels *levels = poisson->levels;
    RILL_ASSERT((size_t)levels->level[0].size <= fine_room(&poisson->room));
    double *next = levels->doubles;
    float *next_float = levels->directions;
    for (int32_t c = 0; c < 2; ++c) {
        rill_vectors *own = &levels->vectors[c];
        double **vectors[] = { &own->extra, &own->b, &own->x };
        for (int32_t i = 0; i < 3; ++i, next += levels->level[0].size) *vectors[i] = next;
        own->p = next_float;
        own->q = next_float + levels->level[0].size;
        next_float += 2 * levels->level[0].size;
    }
}

/* ------------------------------------------------------------------------------------------------------------- runs */

/* Whether any of `count` nodes in natural order is active. */
static bool any_active(const float *active, int32_t count) {
    float any = 0.0f;
    for (int32_t i = 0; i < count; ++i) any += active[i];
    return any > 0.0f;
}

/* Of a colour's run that begins at x there are so many nodes in natural order. */
static int32_t natural_width(const rill_patch *given, int32_t x, int32_t n) {
    return given->stride - 2 * x < 2 * n ? given->stride - 2 * x : 2 * n;
}

static void occupy_finest(const rill_poisson *poisson) {
    const rill_level *level = &poisson->levels->level[0];
    for (int32_t p = 0; p < poisson->patch_count; ++p) {
        const rill_patch *given = &poisson->patches[p];
        const rill_level_patch *patch = &level->patches[p];
        for (int32_t y = 0; y < patch->ny; ++y) {
            const float *active = poisson->active + given->first + y * given->stride;
            uint8_t *occupied = level->occupied + (patch->first + y * patch->stride) / RILL_LANES;
            for (int32_t i = 0; i < patch->stride / RILL_LANES; ++i)
                occupied[i] = any_active(active + 2 * RILL_LANES * i, natural_width(given, RILL_LANES * i, RILL_LANES));
        }
    }
}

/* Blank pipes for eight nodes without active ones that have some beside them in the coarse run. */
static void blank(const rill_level *level, int32_t at) {
    for (int32_t c = 0; c < 2; ++c) {
        const rill_colour *colour = &level->colour[c];
        for (int32_t i = 0; i < 4; ++i) memset(colour->w[i] + at, 0, RILL_LANES * sizeof(float));
        memset(colour->extra + at, 0, RILL_LANES * sizeof(float));
    }
}

/* Level k has active nodes where the level before has. */
static void occupy_coarse(const rill_poisson *poisson, int32_t k) {
    const rill_level *level = &poisson->levels->level[k], *fine = level - 1;
    for (int32_t p = 0; p < poisson->patch_count; ++p) {
        const rill_level_patch *from = &fine->patches[p], *to = &level->patches[p];
        memset(level->occupied + to->first / RILL_LANES, 0, (size_t)(to->ny * to->stride / RILL_LANES));
        for (int32_t y = 0; y < from->ny; ++y) {
            const uint8_t *below = fine->occupied + (from->first + y * from->stride) / RILL_LANES;
            uint8_t *above = level->occupied + (to->first + y / 2 * to->stride) / RILL_LANES;
            for (int32_t i = 0; i < from->stride / RILL_LANES; ++i) above[i / 2] |= below[i];
        }
        for (int32_t y = 0; y < from->ny; ++y) {
            int32_t at = from->first + y * from->stride;
            const uint8_t *above = level->occupied + (to->first + y / 2 * to->stride) / RILL_LANES;
            for (int32_t i = 0; i < from->stride / RILL_LANES; ++i)
                if (above[i / 2] && !fine->occupied[at / RILL_LANES + i]) blank(fine, at + i * RILL_LANES);
        }
    }
}

/* Gathers the runs of a patch of level k; the next level is laid out already. Returns how many. */
static int32_t gather_runs(const rill_poisson *poisson, int32_t k, int32_t p) {
    rill_level *level = &poisson->levels->level[k];
    const rill_level_patch *patch = &level->patches[p], *coarse = &level[1].patches[p];
    int32_t before = level->run_count, per_row = patch->stride / RILL_LANES;
    for (int32_t y = 0; y < patch->ny; ++y) {
        int32_t row = patch->first + y * patch->stride;
        const uint8_t *occupied = level->occupied + row / RILL_LANES;
        for (int32_t i = 0, end; i<per_row; i = end> i ? end : i + 1) {
            for (end = i; end < per_row && occupied[end] && end - i < RILL_RUN_MOST / RILL_LANES; ++end) {}
            if (end == i) continue;
            int32_t x = i * RILL_LANES, n = (end - i) * RILL_LANES;
            RILL_ASSERT(n <= RILL_RUN_MOST && (row + x) % RILL_LANES == 0);
            int32_t natural =
                k > 0 ? 2 * (row + x) : poisson->patches[p].first + y * poisson->patches[p].stride + 2 * x;
            level->runs[level->run_count++] = (rill_run){ .at = row + x,
                                                          .n = n,
                                                          .west = y & 1 ? 0 : -1,
                                                          .stride = patch->stride,
                                                          .natural = natural,
                                                          .width = natural_width(&poisson->patches[p], x, n),
                                                          .coarse = 2 * (coarse->first + y / 2 * coarse->stride) + x };
        }
    }
    RILL_ASSERT((level->runs - poisson->levels->runs) + level->run_count <=
                (ptrdiff_t)(room_of_all(&poisson->room) / RILL_LANES));
    return level->run_count - before;
}

/* --------------------------------------------------------------------------------------------------------- matrices */

static void make_finest(const rill_poisson *poisson, const rill_solve_kernels *kernels) {
    rill_poisson_levels *levels = poisson->levels;
    rill_level *level = &levels->level[0];
    give_planes(poisson, 0);
    give_vectors(poisson);
    occupy_finest(poisson);
    for (int32_t p = 0; p < poisson->patch_count; ++p) {
        const rill_run *runs = level->runs + level->run_count;
        int32_t count = gather_runs(poisson, 0, p);
        kernels->weigh(count, runs, poisson->patches[p].stride, poisson, levels->work, levels->exact, level->colour,
                       levels->vectors);
    }
    rill_links_place(poisson);
}

static void make_coarse(const rill_poisson *poisson, int32_t k, const rill_solve_kernels *kernels) {
    rill_poisson_levels *levels = poisson->levels;
    rill_level *level = &levels->level[k], *fine = level - 1;
    give_planes(poisson, k);
    occupy_coarse(poisson, k);
    for (int32_t p = 0; p < poisson->patch_count; ++p) {
        const rill_level_patch *from = &fine->patches[p], *to = &level->patches[p];
        const rill_run *run = level->runs + level->run_count;
        for (int32_t count = gather_runs(poisson, k, p); count > 0; --count, ++run) {
            int32_t y = (run->at - to->first) / to->stride * 2, x = (run->at - to->first) % to->stride * 2;
            int32_t low = from->first + y * from->stride + x, two = 2 * from->stride;
            int32_t row[4] = { low, y + 1 < from->ny ? low + from->stride : 0, y > 0 ? low - two : low,
                               y + 2 < from->ny ? low + two : low };
            int32_t width = from->stride - x < 2 * run->n ? from->stride - x : 2 * run->n;
            kernels->coarsen(run, fine->colour, row, width, levels->work, level->colour);
        }
    }
    rill_links_coarsen(poisson, k);
}

void rill_levels_build(rill_poisson *poisson, const rill_solve_kernels *kernels) {
    rill_poisson_levels *levels = poisson->levels;
    bool single = lay_out(poisson, 0);
    for (int32_t k = 0;; ++k) {
        bool next_single = lay_out(poisson, k + 1);
        if (k == 0)
            make_finest(poisson, kernels);
        else
            make_coarse(poisson, k, kernels);
        levels->count = k + 1;
        levels->bottom.fits = k > 0 && rill_bottom_make(levels, k, poisson->patch_count); /* else direct.c would do */
        if (levels->bottom.fits || single) break;
        single = next_single;
    }
}

void rill_poisson_prepare(rill_poisson *poisson, bool scalar) {
    if (!rill_direct_make(poisson)) rill_levels_build(poisson, rill_solve_kernels_pick(scalar));
}
