/* A build, stage by stage: the table of contents.
 *
 *   levels     which columns are wet, and where their vertices are
 *   links      8-neighbourhood, section 4.1
 *   shape      where the surface ends, and what stands over each quartet, section 4.2
 *   numbers    of vertices, rims and triangles, row by row
 *   rims       what is there where the surface ends, section 4.3; drawn back where the terrain would show
 *   vertices   positions, normals, velocities
 *   triangles
 *   meniscus   section 5
 *
 * Stages run over rows of the sheets, 16 to a task. A row reads what the stage before has left in others, and writes
 * what is its own: the bits do not depend on the order of tasks. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"
#include "meniscus/meniscus.h"
#include "surface/surface_internal.h"

enum { ROWS = 16 };

/* ----------------------------------------------------------------------------------------------------------- tasks */

typedef struct row_stage {
    const rill_build *build;
    rill_row_task *task;
} row_stage;

static void run_rows(void *context, int32_t index) {
    const row_stage *stage = context;
    rill_array *rows = &stage->build->surface->rows;
    const size_t first = (size_t)index * ROWS, end = first + ROWS < rows->count ? first + ROWS : rows->count;
    for (size_t i = first; i < end; ++i) stage->task(stage->build, (rill_surface_row *)rows->data + i);
}

static void run(const rill_build *build, rill_row_task *task) {
    const rill_surface_view *view = build->view;
    row_stage stage = { build, task };
    const size_t blocks = (build->surface->rows.count + ROWS - 1) / ROWS;
    rill_parallel_for(view->runtime, view->pool, (int32_t)blocks, run_rows, &stage);
}

static void count_corners(void *context, int32_t index) {
    rill_mixed_count(context, index);
}

static void write_corners(void *context, int32_t index) {
    rill_mixed_triangles(context, index);
}

static void place_corner_saddles(void *context, int32_t index) {
    rill_mixed_place_saddles(context, index);
}

static void run_corners(rill_build *build, rill_task *task) {
    if (!build->surface->any_mixed) return;
    rill_parallel_for(build->view->runtime, build->view->pool, (int32_t)build->surface->corners.count, task, build);
}

/* --------------------------------------------------------------------------------------------------------- numbers */

/* Has all of the mesh written anew. */
static void forget_numbers(rill_surface *surface) {
    rill_surface_row *rows = surface->rows.data;
    for (size_t i = 0; i < surface->rows.count; ++i) rows[i].renumbered = rows[i].rerimmed = true;
}

/* Numbers vertices and rims of rows, one row after the other, and where the triangles of odd quartets are kept. */
static size_t number_vertices(const rill_build *build, size_t *odd) {
    rill_surface *surface = build->surface;
    rill_surface_row *rows = surface->rows.data;
    size_t vertices = 0, rims = 0;
    *odd = 0;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        RILL_ASSERT(rows[i].wet >= 0 && rows[i].rims >= 0 && rows[i].odd >= 0);
        rows[i].renumbered = build->fresh || rows[i].changed || rows[i].first_vertex != vertices;
        rows[i].rerimmed = rows[i].first_rim != rims;
        rows[i].first_vertex = vertices;
        rows[i].first_rim = rims;
        rows[i].first_odd = *odd;
        vertices += (size_t)rows[i].wet;
        rims += (size_t)rows[i].rims;
        *odd += RILL_ODD_MOST * (size_t)rows[i].odd;
    }
    surface->rerimmed = surface->column_vertices != vertices;
    surface->column_vertices = vertices;
    return rims;
}

/* Numbers vertices of saddles, and below rims. */
static size_t number_skirts(const rill_build *build) {
    rill_surface *surface = build->surface;
    rill_surface_row *rows = surface->rows.data;
    size_t skirts = 0;
    surface->saddles = 0;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        rows[i].first_skirt = skirts;
        skirts += (size_t)rows[i].skirts;
        if (rows[i].saddles == 0) continue;
        rows[i].saddle_vertex = surface->column_vertices + surface->rims.count + 2 * surface->saddles;
        surface->saddles += (size_t)rows[i].saddles;
    }
    rill_corner_row *corners = surface->corners.data;
    for (size_t i = 0; surface->any_mixed && i < surface->corners.count; ++i) {
        corners[i].saddles =
            surface->def.smooth_shores && corners[i].count > 0 ? rill_mixed_saddles(build, (int32_t)i) : 0;
        corners[i].saddle_vertex = surface->column_vertices + surface->rims.count + 2 * surface->saddles;
        surface->saddles += (size_t)corners[i].saddles;
    }
    return skirts;
}

/* Makes room for as many triangles of odd quartets as there may be: `count` of rows, and more of corners. */
static bool reserve_odd(const rill_build *build, size_t count) {
    rill_surface *surface = build->surface;
    rill_corner_row *corners = surface->corners.data;
    for (size_t i = 0; surface->any_mixed && i < surface->corners.count; ++i) {
        corners[i].first_odd = count;
        count += RILL_ODD_MOST * (size_t)corners[i].count * (size_t)build->view->bed->info.layers;
    }
    return rill_array_reserve(&surface->odd_triangles, &surface->allocator, count);
}

static size_t number_triangles(const rill_build *build) {
    rill_surface *surface = build->surface;
    rill_surface_info *info = &surface->info;
    rill_surface_row *rows = surface->rows.data;
    rill_corner_row *corners = surface->corners.data;
    size_t triangles = 0;
    surface->tears = 0;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        rows[i].moved = rows[i].first_triangle != triangles;
        rows[i].first_triangle = triangles;
        triangles += (size_t)rows[i].triangles;
        surface->tears += (size_t)rows[i].tears;
        info->lifted += (size_t)rows[i].lifted;
        info->skirt_triangles += (size_t)rows[i].skirt_triangles;
        if (!surface->def.smooth_shores) continue;
        info->extra_vertices += (size_t)rows[i].walls;
        info->shore_vertices += (size_t)(rows[i].rims - rows[i].walls + 2 * rows[i].saddles);
    }
    for (size_t i = 0; surface->any_mixed && i < surface->corners.count; ++i) {
        corners[i].first_triangle = triangles;
        triangles += (size_t)corners[i].triangles;
        surface->tears += (size_t)corners[i].tears;
        info->skirt_triangles += (size_t)corners[i].skirt_triangles;
        info->shore_vertices += 2 * (size_t)corners[i].saddles;
    }
    return triangles;
}

/* ---------------------------------------------------------------------------------------------------------- memory */

void rill_surface_free_mesh(rill_surface *surface) {
    rill_mesh_arrays_free(&surface->mesh, &surface->allocator, surface->vertex_capacity, surface->triangle_capacity);
    surface->vertex_capacity = surface->triangle_capacity = 0;
}

/* Makes room for so many, and some more: buffers only ever grow. On failure there is no mesh any more. */
static bool reserve_mesh(rill_build *build, size_t vertices, size_t triangles) {
    rill_surface *surface = build->surface;
    if (surface->mesh.positions && vertices <= surface->vertex_capacity && triangles <= surface->triangle_capacity)
        return true;
    build->fresh = true;
    const size_t more_vertices = vertices + vertices / 4 + 64, more_triangles = triangles + triangles / 4 + 64;
    rill_surface_free_mesh(surface);
    if (!rill_mesh_arrays_alloc(&surface->mesh, &surface->allocator, more_vertices, more_triangles)) return false;
    surface->vertex_capacity = more_vertices;
    surface->triangle_capacity = more_triangles;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ make */

/* Converts a length to quanta, as far as heights go. */
static int32_t quanta(const rill_bed *bed, double length) {
    const double count = length / bed->quantum;
    return count < 1.0 ? 1 : count < (double)RILL_TOP ? (int32_t)count : RILL_TOP;
}

/* Runs the first stages on one thread: each row as soon as the rows around it are ready, while they are in the
 * cache. */
static void sweep_rows(const rill_build *build) {
    rill_surface_row *rows = build->surface->rows.data;
    const size_t count = build->surface->rows.count;
    for (size_t i = 0; i < count + 2; ++i) {
        if (i < count) rill_row_level(build, &rows[i]);
        if (i >= 1 && i < count + 1) rill_row_link(build, &rows[i - 1]);
        if (i >= 2) rill_row_shape(build, &rows[i - 2]);
    }
}

static void find_links(const rill_build *build) {
    rill_joints_undo(build->surface);
    if (rill_tasks_width(build->view->runtime) == 1 && build->view->draw_level_count == 0) {
        sweep_rows(build);
    } else {
        run(build, rill_row_level);
        rill_draw_levels_apply(build);
        run(build, rill_row_link);
        run(build, rill_row_shape);
    }
    rill_joints_test(build);
    rill_joints_close(build);
}

/* Numbers everything there will be, and makes room for it. */
static bool find_numbers(rill_build *build) {
    rill_surface *surface = build->surface;
    size_t odd, rims = number_vertices(build, &odd);
    if (!rill_array_resize(&surface->rims, &surface->allocator, rims) || !reserve_odd(build, odd)) return false;
    run(build, rill_row_number);
    run(build, rill_row_find_rims);
    if (surface->terrain && surface->def.smooth_shores) rill_outline_clip(build);
    RILL_ASSERT(surface->rims.count == rims);
    const size_t skirts = number_skirts(build);
    if (skirts > 0) run(build, rill_row_number_skirts);
    surface->rerimmed |= skirts > 0 || surface->skirts_before > 0 || surface->any_mixed || surface->mixed_before;
    if (!surface->def.smooth_shores && !rill_shore_paper_number(build, &rims)) return false;
    run(build, rill_row_count_triangles);
    run_corners(build, count_corners);
    const size_t vertices = surface->column_vertices + rims + 2 * surface->saddles + skirts,
                 triangles = number_triangles(build);
    if (vertices > INT32_MAX || !reserve_mesh(build, vertices, triangles)) return false;
    RILL_ASSERT(vertices <= surface->vertex_capacity && triangles <= surface->triangle_capacity);
    if (build->fresh) forget_numbers(surface);
    surface->info.skirt_vertices = surface->skirts_before = skirts;
    surface->mesh.vertex_count = surface->info.vertices = vertices;
    surface->mesh.triangle_count = surface->info.triangles = triangles;
    return true;
}

static uint64_t hash_mesh(const rill_surface *surface) {
    const rill_surface_row *rows = surface->rows.data;
    const rill_corner_row *corners = surface->corners.data;
    uint64_t hash = rill_hash_u64(RILL_HASH_START, surface->mesh.vertex_count);
    for (size_t i = 0; i < surface->rows.count; ++i)
        if (rows[i].triangles > 0) hash = rill_hash_u64(hash, rows[i].hash);
    for (size_t i = 0; surface->any_mixed && i < surface->corners.count; ++i)
        if (corners[i].triangles > 0) hash = rill_hash_u64(hash, corners[i].hash);
    return hash;
}

/* Makes vertices of columns wet; most have been so before. */
static void fill_wetness(const rill_build *build) {
    rill_surface *surface = build->surface;
    RILL_ASSERT(surface->column_vertices <= surface->mesh.vertex_count);
    for (size_t v = build->fresh ? 0 : surface->columns_before; v < surface->column_vertices; ++v)
        surface->mesh.wetness[v] = 1.0f;
    surface->columns_before = surface->column_vertices;
}

/* Writes all of a row while it is in the cache. */
static void write_row(const rill_build *build, rill_surface_row *row) {
    rill_row_vertices(build, row);
    rill_row_mend(build, row);
    rill_row_place_rims(build, row);
    rill_row_triangles(build, row);
}

static void write_mesh(rill_build *build) {
    fill_wetness(build);
    run(build, write_row);
    run_corners(build, write_corners);
    build->surface->info.topology = hash_mesh(build->surface);
}

/* Returns the seconds since the last stage. */
static double lap(double *clock) {
    const double before = *clock;
    *clock = rill_clock();
    return *clock - before;
}

/* Brings the floor up to date with the solids. */
static rill_result follow_floor(rill_surface *surface, const rill_surface_view *view) {
    const rill_floor_view solids = { .bed = view->bed,
                                     .solids = view->solids,
                                     .solid_count = view->solid_count,
                                     .changed = view->changed,
                                     .changed_count = view->changed_count,
                                     .all_changed = view->all_changed,
                                     .message = view->message };
    return rill_floor_follow(surface->terrain, &solids, surface->floor, surface->walls);
}

rill_result rill_surface_make(rill_surface *surface, const rill_surface_view *view) {
    const double dx = view->bed->grid.cell_size;
    rill_build build = { .surface = surface,
                         .view = view,
                         .dx = quanta(view->bed, dx),
                         .thin = quanta(view->bed, 0.05 * dx),
                         .fresh = !surface->built,
                         .redrawn = surface->drawn_before || view->draw_level_count > 0,
                         .vertices = rill_vertices_begin(surface, view->bed) };
    double clock = rill_clock();
    surface->built = false;
    surface->drawn_before = view->draw_level_count > 0;
    surface->build_number += 1;
    surface->info = (rill_surface_info){ 0 };
    double *seconds = surface->info.stage_seconds;
    rill_result result = rill_surface_fit(surface, view);
    if (!result && surface->terrain) result = follow_floor(surface, view);
    if (result) return result;
    seconds[RILL_SURFACE_STAGE_FLOOR] = lap(&clock);
    find_links(&build);
    seconds[RILL_SURFACE_STAGE_LEVELS] = lap(&clock);
    if (!find_numbers(&build)) return rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for a surface's mesh");
    write_mesh(&build);
    rill_draw_depths_apply(&build);
    seconds[RILL_SURFACE_STAGE_TRIANGLES] = lap(&clock);
    if (surface->band) result = rill_meniscus_bend(surface, view);
    if (!surface->def.smooth_shores) rill_shore_paper_place(&build);
    if (surface->saddles > 0) {
        run(&build, rill_row_place_saddles);
        run_corners(&build, place_corner_saddles);
    }
    if (!result && surface->def.form == RILL_SURFACE_GRIDS && !rill_grids_make(surface, view))
        result = rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for a surface's grids");
    if (!result && !rill_fall_sheets_make(surface, view))
        result = rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the mesh of what is in the air");
    seconds[RILL_SURFACE_STAGE_MENISCUS] = lap(&clock);
    surface->built = result == RILL_OK;
    return result;
}
