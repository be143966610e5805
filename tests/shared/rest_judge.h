/* Judges whether a world that was left alone for long has come to rest. After cmocka.h.
 *
 *   speed    No pipe is faster than 1 mm/s, unless it drains: goes where its head drives it, at no more than 1.1 times the speed
 *            of Nusselt's film, or of Poiseuille's flow between two walls. Or is carried along by one that does, as the pool is
 *            behind a door: it is then no faster than a pipe of the column that it comes from, and so on back to that. Or is
 *            in a pool so deep that viscosity cannot have ended what was there when it was left alone: exp(-3 nu t / D^2) of
 *            the fastest since then is left, D the depth of the pipe. The time is that of the mean depth of all that was wet.
 *   sleep    A tile is awake only if a pipe of its columns drains, or has done so within the time it takes to fall asleep. What
 *            is slower than half a micrometre per second does not drain: what may creep on is twice as fast (flow/rest.h). A
 *            tile that is calm and gets some quanta from a pipe beside it, until the next check, counts as asleep. Tiles with
 *            flooded columns side by side are solved together and sleep together: pressure knows no distance. Where nothing
 *            drains in all of the world none may be awake. */
#ifndef RILL_TESTS_REST_JUDGE_H
#define RILL_TESTS_REST_JUDGE_H

#include <math.h>

#include "base/union_find.h"
#include "flow/drive.h"
#include "flow/lintel.h"
#include "flow/rest.h"
#include "passages/passages.h"
#include "world/energy.h"

/* A pipe above 1 mm/s. */
typedef struct rest_fast {
    rill_moving pipe;
    double bound; /* m/s */
} rest_fast;

typedef struct rest_judge {
    const rill_world *world;
    double since, most;     /* s: since it was left alone; m/s: the fastest pipe since then */
    uint32_t *passage;      /* plane: forest of flooded columns that are joined */
    double *lowest, *above; /* plane: of the passage that begins here, levels at its pipes, quanta */
    double *carries;        /* plane: the fastest pipe of a column that may be as fast as it is, m/s */
    uint8_t *drained;       /* per tile: some pipe of its columns drains */
    uint8_t *flooded;       /* per tile: some column is */
    size_t fast_count;
    rest_fast *fast;
    /* Findings: */
    double speed, bound; /* m/s: of the pipe that is the most of its bound */
    rill_moving pipe;
    double fastest;   /* m/s */
    int64_t draining; /* pipes */
    int64_t awake;    /* columns */
    int64_t idle;     /* columns awake in tiles where nothing drains */
} rest_judge;

static const double REST_SLOW = 1e-3;                                 /* m/s */
enum { REST_ASLEEP = RILL_TILE_CHECK * (RILL_TILE_CALM_CHECKS + 1) }; /* sub-steps: so long calm, it sleeps */

/* ----------------------------------------------------------------------------------------------------------- drains */

/* The levels at both ends, not below the sill. */
static inline void rest_levels(const rill_world *world, const rill_moving *pipe, double level[2]) {
    const rill_bed *bed = &world->bed;
    const int32_t *b = rill_flow_bases(&world->flow), *H = world->flow.H, l = pipe->l, r = pipe->r;
    const int32_t sill = rill_max_i(bed->b[l], bed->b[r]);
    level[0] = (double)rill_max_i(b[l] + H[l], sill);
    level[1] = (double)rill_max_i(b[r] + H[r], sill);
}

/* The passage of a flooded pipe. */
static inline uint32_t rest_passage(const rest_judge *j, const rill_moving *pipe) {
    const int32_t at = rill_flow_flooded(&j->world->flow, pipe->l) ? pipe->l : pipe->r;
    return rill_union_find_root(j->passage, (uint32_t)at);
}

/* The head that drives a flooded pipe, quanta from l to r. The paper's extended pipes have the levels at the ends of a
 * passage for heads, wherever they are: those are among the levels of all that is joined with it. */
static inline double rest_flooded_head(const rest_judge *j, const rill_moving *pipe) {
    const rill_flow *flow = &j->world->flow;
    double level[2];
    if (j->world->def.solver.passages == RILL_PASSAGES_STRAIGHT) {
        const uint32_t root = rest_passage(j, pipe);
        return copysign(j->above[root] - j->lowest[root], pipe->u);
    }
    rest_levels(j->world, pipe, level);
    return level[0] + rill_pressure_of(flow->pressure[pipe->l]) - level[1] - rill_pressure_of(flow->pressure[pipe->r]);
}

/* The speed with which its head drives a pipe against viscosity alone. Flooded ones, and those with a lintel in the
 * liquid, go by the law of slots, whose length is that of their inertance (passages.h), others by that of films.
 * Between them both drives and drags blend (lintel.h). */
static inline double rest_creeps(const rest_judge *j, const rill_moving *pipe) {
    const rill_world *world = j->world;
    const rill_bed *bed = &world->bed;
    const int32_t *b = rill_flow_bases(&world->flow), *H = world->flow.H, l = pipe->l, r = pipe->r;
    const rill_face_ends e = { b[l], b[r], bed->c[l], bed->c[r], H[l], H[r] };
    const rill_face open = rill_face_at(e.bl, e.br, e.Hl, e.Hr);
    const int32_t between = rill_min_i(e.cl, e.cr) - rill_max_i(e.bl, e.br);
    const rill_face f = rill_face_under(open, between);
    const double share = (double)rill_lintel_share(&e), slots = pipe->waits ? 1.0 : fmin(1.0, 2.0 - 2.0 * share);
    const int32_t clip = pipe->sparse ? 0 : rill_drive_clip(&open, (int32_t)(5.0 * bed->grid.cell_size / bed->quantum));
    const int32_t over_slot = rill_drive_head(&open, 0), over_film = rill_drive_head(&open, clip);
    const double lower = (double)rill_max_i(rill_min_i(f.l, f.r), 0);
    const double part = 0.5 * (fmin(1.0, lower / rill_max_i(e.Hl, 1)) + fmin(1.0, lower / rill_max_i(e.Hr, 1)));
    const double film = (double)rill_viscosity_depth(&open, e.Hl + e.Hr);
    const double cut = fmin((double)rill_viscosity_depth(&f, e.Hl + e.Hr), 2.0 * between);
    const double slot = lower >= (double)(between - RILL_SUBMERGED) ? (double)between : cut;
    const double head = pipe->waits ? rest_flooded_head(j, pipe) : (double)over_slot;
    const double drive = slots * head / fmax(0.5, part) + (1.0 - slots) * over_film;
    const double drag = slots / (slot * slot + 1.0) + (1.0 - slots) / (film * film + 1.0); /* per 12 nu */
    return rill_world_head_gravity(world) * drive * bed->quantum / bed->grid.cell_size * bed->quantum * bed->quantum /
           (drag * 12.0 * world->def.liquid.viscosity);
}

static inline bool rest_drains(const rest_judge *j, const rill_moving *pipe, double creeps) {
    return creeps * pipe->u > 0.0 && fabs(pipe->u) > 0.5 * (double)RILL_CREEP_SPEED &&
           pipe->opening > RILL_DRY * j->world->bed.quantum;
}

/* ----------------------------------------------------------------------------------------------------------- passes */

static inline void rest_join(void *user, const rill_moving *pipe) {
    const rest_judge *j = user;
    const rill_flow *flow = &j->world->flow;
    if (pipe->opening > 0.0 && rill_flow_flooded(flow, pipe->l) && rill_flow_flooded(flow, pipe->r))
        rill_union_find_unite(j->passage, (uint32_t)pipe->l, (uint32_t)pipe->r);
}

static inline void rest_span(void *user, const rill_moving *pipe) {
    const rest_judge *j = user;
    double level[2];
    if (!pipe->waits || !(pipe->opening > 0.0)) return;
    const uint32_t root = rest_passage(j, pipe);
    rest_levels(j->world, pipe, level);
    j->above[root] = fmax(j->above[root], fmax(level[0], level[1]));
    j->lowest[root] = fmin(j->lowest[root], fmin(level[0], level[1]));
}

static inline void rest_mark(void *user, const rill_moving *pipe) {
    const rest_judge *j = user;
    if (!rest_drains(j, pipe, rest_creeps(j, pipe))) return;
    j->drained[rill_bed_tile_of(&j->world->bed, pipe->l)] = 1;
    j->drained[rill_bed_tile_of(&j->world->bed, pipe->r)] = 1;
}

static inline void rest_worst(rest_judge *j, const rill_moving *pipe, double bound) {
    const double speed = fabs(pipe->u);
    if (speed * j->bound <= j->speed * bound && j->bound > 0.0) return;
    j->speed = speed;
    j->bound = bound;
    j->pipe = *pipe;
}

/* Returns the speed that viscosity may have left of the fastest. */
static inline double rest_sloshes(const rest_judge *j, const rill_moving *pipe) {
    const int32_t *H = j->world->flow.H;
    const double depth = j->world->bed.quantum * (double)rill_max_i(H[pipe->l], H[pipe->r]);
    return j->most * exp(-3.0 * j->world->def.liquid.viscosity * j->since / (depth * depth));
}

static inline void rest_pipe(void *user, const rill_moving *pipe) {
    rest_judge *j = user;
    if (pipe->opening <= RILL_DRY * j->world->bed.quantum) return;
    const double speed = fabs(pipe->u), creeps = rest_creeps(j, pipe);
    const bool drains = rest_drains(j, pipe, creeps);
    j->draining += drains;
    j->fastest = fmax(j->fastest, speed);
    const double bound = fmax(REST_SLOW, drains ? 1.1 * fabs(creeps) : 0.0);
    if (speed > REST_SLOW)
        j->fast[j->fast_count++] = (rest_fast){ *pipe, fmax(bound, rest_sloshes(j, pipe)) };
    else
        rest_worst(j, pipe, REST_SLOW);
}

static inline int rest_faster(const void *a, const void *b) {
    const double u = fabs(((const rest_fast *)a)->pipe.u), v = fabs(((const rest_fast *)b)->pipe.u);
    return (u < v) - (u > v);
}

/* From the fastest down. */
static inline void rest_judge_fast(rest_judge *j) {
    qsort(j->fast, j->fast_count, sizeof *j->fast, rest_faster);
    for (size_t i = 0; i < j->fast_count; ++i) {
        const rill_moving *pipe = &j->fast[i].pipe;
        const double speed = fabs(pipe->u);
        const double bound = fmax(j->fast[i].bound, j->carries[pipe->u > 0.0 ? pipe->l : pipe->r]);
        rest_worst(j, pipe, bound);
        if (speed > bound) continue;
        j->carries[pipe->l] = fmax(j->carries[pipe->l], speed);
        j->carries[pipe->r] = fmax(j->carries[pipe->r], speed);
    }
}

/* After each of REST_ASLEEP sub-steps. */
static inline void rest_watch_sleep(rest_judge *j) {
    rill_world_each_pipe(j->world, rest_mark, j);
}

static inline bool rest_spreads_to(const rest_judge *j, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    const int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
    bool any = false;
    if (!j->flooded[tile] || j->drained[tile]) return false;
    for (int32_t y = rill_max_i(ty - 1, 0); y <= rill_min_i(ty + 1, sheet->tiles_y - 1); ++y)
        for (int32_t x = rill_max_i(tx - 1, 0); x <= rill_min_i(tx + 1, sheet->tiles_x - 1); ++x) {
            const int32_t beside = sheet->first_tile + y * sheet->tiles_x + x;
            any |= j->flooded[beside] && j->drained[beside];
        }
    if (any) j->drained[tile] = 1;
    return any;
}

/* Over tiles with flooded columns. */
static inline void rest_spread(const rest_judge *j) {
    const rill_bed *bed = &j->world->bed;
    for (int64_t i = 0; i < bed->info.columns; ++i)
        if (rill_flow_flooded(&j->world->flow, bed->places[i])) j->flooded[rill_bed_tile_of(bed, bed->places[i])] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int32_t i = 0; i < bed->sheet_count; ++i)
            for (int32_t ty = 0; ty < bed->sheets[i].tiles_y; ++ty)
                for (int32_t tx = 0; tx < bed->sheets[i].tiles_x; ++tx)
                    more |= rest_spreads_to(j, &bed->sheets[i], tx, ty);
    }
}

/* After them. */
static inline void rest_judge_sleep(rest_judge *j) {
    const rill_bed *bed = &j->world->bed;
    bool drains = false;
    rest_spread(j);
    for (int32_t i = 0; i < bed->tile_count; ++i) drains |= j->drained[i];
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t tile = rill_bed_tile_of(bed, bed->places[i]), state = j->world->flow.tiles[tile];
        const bool awake = state & RILL_TILE_AWAKE, touched = state / RILL_TILE_CALM_ONE == RILL_TILE_CALM_CHECKS;
        j->awake += awake;
        j->idle += awake && !j->drained[tile] && !(drains && touched);
    }
}

static inline rest_judge rest_judge_speeds(const rill_world *world, double since, double most) {
    const size_t size = (size_t)world->bed.plane_size;
    rest_judge j = { .world = world, .since = since, .most = most };
    j.passage = malloc(size * sizeof *j.passage);
    j.lowest = malloc(size * sizeof *j.lowest);
    j.above = malloc(size * sizeof *j.above);
    j.carries = calloc(size, sizeof *j.carries);
    j.drained = calloc((size_t)world->bed.tile_count, 1);
    j.flooded = calloc((size_t)world->bed.tile_count, 1);
    j.fast = malloc((2 * (size_t)world->bed.info.columns + (size_t)world->bed.pipe_count) * sizeof *j.fast);
    assert_true(j.passage && j.lowest && j.above && j.carries && j.drained && j.flooded && j.fast);
    for (size_t i = 0; i < size; ++i) j.passage[i] = (uint32_t)i, j.lowest[i] = INFINITY, j.above[i] = -INFINITY;
    rill_world_each_pipe(world, rest_join, &j);
    rill_world_each_pipe(world, rest_span, &j);
    rill_world_each_pipe(world, rest_pipe, &j);
    rest_judge_fast(&j);
    return j;
}

static inline void rest_judge_free(rest_judge *j) {
    free(j->passage);
    free(j->lowest);
    free(j->above);
    free(j->carries);
    free(j->drained);
    free(j->flooded);
    free(j->fast);
}

/* ------------------------------------------------------------------------------------------------------------- tell */

/* Both ends of the worst pipe, mm. */
static inline void rest_tell(const rest_judge *j) {
    const rill_bed *bed = &j->world->bed;
    const double mm = 1e3 * bed->quantum;
    const int32_t ends[2] = { j->pipe.l, j->pipe.r };
    if (j->bound == 0.0) return;
    printf("    %s pipe, %+.3e m/s, creeps %+.3e, opening %.6f mm:", j->pipe.sparse ? "sparse" : "dense", j->pipe.u,
           rest_creeps(j, &j->pipe), 1e3 * j->pipe.opening);
    for (int i = 0; i < 2; ++i) {
        int32_t x, y, p = ends[i];
        rill_bed_sheet_of(bed, p, &x, &y);
        printf(" [%d,%d base %.6f depth %.6f ceiling %.6f%s%s]", x, y, bed->b[p] * mm, j->world->flow.H[p] * mm,
               bed->c[p] * mm, rill_flow_flooded(&j->world->flow, p) ? " flooded" : "",
               rill_bodies_node(&j->world->bodies, p) ? " under a body" : "");
    }
    printf("\n");
}

#endif
