/* The floor of the surface (section 4.4): what Lagrange's multipliers give, that nothing of the terrain shows through
 * the surface, with random meshes and in the shipped scenes, and that following solids in small pieces ends where
 * starting anew does. */
#include "bed_scenes.h"

#include "floor/floor.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "world/ids.h"

/* ---------------------------------------------------------------------------------------------------------- solving */

enum { SIDE = 6 };
static const double DX = 1e-3;
static rill_wall_face walls[1024][4];

/* Two steps along x, the second `rise` higher and from `face` on, in cells, and a floor over them with nothing in
 * between. */
static bed_scene two_steps(double rise, double face, rill_floor **floor, rill_floor_view *view, int32_t **heights) {
    bed_scene scene = scene_of(SIDE, SIDE, DX);
    scene.def.headroom = 0.1;
    add_box(&scene, -1, -1, -1, 1, 1, 0);
    if (rise > 0) add_box(&scene, face * DX, -1, -1, 1, 1, rise * DX);
    build_bed(&scene);
    *floor = rill_floor_make(&scene.allocator);
    *heights = calloc((size_t)scene.bed.plane_size, sizeof **heights);
    assert_true(*floor && *heights && scene.bed.plane_size <= 1024);
    *view = (rill_floor_view){ .bed = &scene.bed, .all_changed = true };
    return scene;
}

static double lift_of(const bed_scene *scene, const rill_floor *floor, int32_t x, int32_t y) {
    const int32_t place = scene->bed.places[scene->bed.cell_first[y * SIDE + x]];
    return (floor->heights[place] - scene->bed.b[place]) * scene->bed.quantum / DX;
}

static void end(bed_scene *scene, rill_floor *floor, int32_t *heights) {
    rill_floor_free(floor);
    free(heights);
    free_scene(scene);
}

/* On the line between two columns: l_k = (a_k / w_k) delta / sum(a^2 / w), w_k = dx / (h_v - b_k). */
static void test_weights_of_the_paper(void **state) {
    (void)state;
    rill_floor *floor;
    rill_floor_view view;
    int32_t *heights;
    bed_scene scene = two_steps(0.4, 3, &floor, &view, &heights);
    view.bed = &scene.bed;
    assert_int_equal(rill_floor_follow(floor, &view, heights, walls), RILL_OK);
    const double u = 0.3, h = 0.7, b[2] = { 0.0, 0.0 }, a[2] = { 1 - u, u };
    const double bottom = scene.bed.datum;
    const double z = (h * DX - bottom) / scene.bed.quantum;
    assert_true(rill_floor_cover(floor, &scene.bed, (double[]){ 0.0 + u, 2.0, z }));
    const double delta = h + 0.01 - (a[0] * b[0] + a[1] * b[1]);
    const double give[2] = { h - b[0], h - b[1] }, sum = a[0] * a[0] * give[0] + a[1] * a[1] * give[1];
    for (int k = 0; k < 2; ++k) assert_true(fabs(lift_of(&scene, floor, k, 2) - a[k] * give[k] * delta / sum) < 1e-5);
    end(&scene, floor, heights);
}

/* A wall is known to the columns at its foot, and to no other; and how far it is, for those between whose centres it
 * is. */
static void test_walls_are_found(void **state) {
    (void)state;
    for (int i = 1; i < 5; ++i) {
        rill_floor *floor;
        rill_floor_view view;
        int32_t *heights;
        bed_scene scene = two_steps(3, 2.5 + 0.2 * i, &floor, &view, &heights);
        view.bed = &scene.bed;
        view.solids = (const rill_solid *const *)scene.solids;
        view.solid_count = scene.count;
        assert_int_equal(rill_floor_follow(floor, &view, heights, walls), RILL_OK);
        for (int32_t cell = 0; cell < SIDE * SIDE; ++cell) {
            const rill_wall_face *const around = walls[scene.bed.places[scene.bed.cell_first[cell]]];
            for (int d = 0; d < 4; ++d) assert_int_equal(around[d].share, d == 0 && cell % SIDE == 2 ? 255 : 0);
            if (cell % SIDE == 2) assert_true(fabs(around[0].distance / 255.0 - 0.2 * i) < 0.01);
        }
        end(&scene, floor, heights);
    }
}

/* The lower column takes more; with bounds, what one cannot take the other one does. */
static void test_steps_and_bounds(void **state) {
    (void)state;
    rill_floor *floor;
    rill_floor_view view;
    int32_t *heights;
    bed_scene scene = two_steps(0.6, 3, &floor, &view, &heights);
    view.bed = &scene.bed;
    view.solids = (const rill_solid *const *)scene.solids;
    view.solid_count = scene.count;
    assert_int_equal(rill_floor_follow(floor, &view, heights, walls), RILL_OK);
    const double quanta = DX / scene.bed.quantum, zero = -scene.bed.datum / scene.bed.quantum;
    /* The edge of the step, at (2, y) + 0.5: delta = 0.3 + 0.01, the upper column keeps its least. */
    const double lower = (0.31 - 0.5 * 0.05) / 0.5;
    assert_true(fabs(lift_of(&scene, floor, 2, 3) - lower) < 1e-4);
    assert_true(fabs(lift_of(&scene, floor, 3, 3) - 0.05) < 1e-4);
    /* A point high above the step: the lower column is lifted by a cell, the upper one by the rest. */
    assert_true(rill_floor_cover(floor, &scene.bed, (double[]){ 2.5, 3.0, zero + 1.1 * quanta }));
    assert_true(fabs(lift_of(&scene, floor, 2, 3) - 1.0) < 1e-4);
    assert_true(fabs(lift_of(&scene, floor, 3, 3) - (2 * (1.11 - 0.3) - 1.0)) < 1e-4);
    /* Out of reach: nothing is lifted. */
    assert_false(rill_floor_cover(floor, &scene.bed, (double[]){ 4.5, 4.5, zero + 1.7 * quanta }));
    assert_true(fabs(lift_of(&scene, floor, 4, 4) - 0.05) < 1e-4);
    end(&scene, floor, heights);
}

/* ------------------------------------------------------------------------------------------------- showing through */

/* Liquid that stands over a world: its fields, layer by layer. */
typedef struct fields {
    rill_grid grid;
    int32_t layers;
    double *base, *ceiling;
} fields;

static fields read_fields(rill_world *world) {
    fields all;
    rill_bed_info info;
    must(world, rill_world_get_grid(world, &all.grid));
    must(world, rill_bed_get_info(world, &info));
    all.layers = (int32_t)info.layers;
    const size_t cells = (size_t)all.grid.cells[0] * (size_t)all.grid.cells[1];
    all.base = malloc(cells * (size_t)all.layers * sizeof *all.base);
    all.ceiling = malloc(cells * (size_t)all.layers * sizeof *all.ceiling);
    for (int32_t k = 0; k < all.layers; ++k) {
        must(world, rill_world_read_field(world, RILL_FIELD_BASE, k, all.base + (size_t)k * cells, cells));
        must(world, rill_world_read_field(world, RILL_FIELD_CEILING, k, all.ceiling + (size_t)k * cells, cells));
    }
    return all;
}

/* Points of the terrain, by cell. */
typedef struct terrain {
    size_t count;
    double (*points)[3];
    int32_t *cells, *next, *first;
} terrain;

static void add_point(terrain *t, const fields *all, const double p[3]) {
    const int32_t x = (int32_t)floor((p[0] - all->grid.origin[0]) / all->grid.cell_size);
    const int32_t y = (int32_t)floor((p[1] - all->grid.origin[1]) / all->grid.cell_size);
    if (x < 0 || y < 0 || x >= all->grid.cells[0] || y >= all->grid.cells[1]) return;
    if ((t->count & (t->count - 1)) == 0) {
        t->points = realloc(t->points, 2 * (t->count + 1) * sizeof *t->points);
        t->next = realloc(t->next, 2 * (t->count + 1) * sizeof *t->next);
    }
    const int32_t cell = y * all->grid.cells[0] + x;
    memcpy(t->points[t->count], p, sizeof *t->points);
    t->next[t->count] = t->first[cell];
    t->first[cell] = (int32_t)t->count++;
}

/* The vertices of triangles that face up, and points at random on them. */
static void add_triangles(terrain *t, const fields *all, const rill_solid *solid, int extra, uint64_t *seed) {
    for (size_t i = 0; i < solid->triangle_count; ++i) {
        const double *p[3];
        for (int k = 0; k < 3; ++k) p[k] = solid->vertices + 3 * solid->indices[3 * i + (size_t)k];
        const double up = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        if (!(up > 1e-15)) continue;
        for (int k = 0; k < 3; ++k) add_point(t, all, p[k]);
        for (int n = 0; n < extra; ++n) {
            double u = chance(seed, 0, 1), v = chance(seed, 0, 1), q[3];
            if (u + v > 1) u = 1 - u, v = 1 - v;
            for (int k = 0; k < 3; ++k) q[k] = p[0][k] + u * (p[1][k] - p[0][k]) + v * (p[2][k] - p[0][k]);
            add_point(t, all, q);
        }
    }
}

typedef struct outcome {
    size_t under, through; /* points under the surface; above it, though it could be lifted above them */
    size_t banks;          /* the same where it ends at banks that are not steep */
    size_t shore;          /* where it ends at walls or in the air: above it, but not above the columns */
    size_t cliffs;         /* out of reach */
} outcome;

/* The place of a vertex: how high it may be lifted, ceiling, underside of the solid. */
typedef struct stand {
    double reach, ceiling, underside;
} stand;

static stand stand_on(const rill_surface *surface, int32_t place) {
    const rill_bed *bed = &surface->world->bed;
    const double ceiling = rill_bed_z(bed, bed->c[place]);
    const int32_t under = surface->m[place];
    return (stand){ .reach = fmin(rill_bed_z(bed, bed->b[place]) + bed->grid.cell_size, ceiling),
                    .ceiling = bed->c[place] < RILL_TOP ? ceiling : INFINITY,
                    .underside = under > INT32_MIN ? rill_bed_z(bed, under) : -INFINITY };
}

/* Of a column's vertex, or a rim between two columns: the surface is lifted there as both are. False where it ends at a
 * wall, at a bank steeper than 45 degrees, which stands out of the liquid, or in the air. */
static bool find_stand(const rill_surface *surface, const int32_t *places, size_t vertex, stand *out) {
    if (vertex < surface->column_vertices) {
        *out = stand_on(surface, places[vertex]);
        return true;
    }
    if (vertex - surface->column_vertices >= surface->rims.count) return false; /* of a skirt */
    const rill_rim *rim = (const rill_rim *)surface->rims.data + (vertex - surface->column_vertices);
    const rill_bed *bed = &surface->world->bed;
    if (rim->kind != RILL_RIM_SHORE) return false;
    const stand here = stand_on(surface, rim->place), there = stand_on(surface, rim->beyond);
    const double t = (double)rim->along, rise = (bed->b[rim->beyond] - bed->b[rim->place]) * bed->quantum;
    *out = (stand){ .reach = here.reach + t * (there.reach - here.reach),
                    .ceiling = fmin(here.ceiling, there.ceiling),
                    .underside = fmax(here.underside, there.underside) };
    return fabs(rise) <= bed->grid.cell_size;
}

/* A triangle of the surface. */
typedef struct facet {
    double p[3][3], area;
    bool bound;      /* the floor holds all its corners */
    bool inner;      /* they are columns */
    double reach[3]; /* if it is bound */
    double ceiling, underside, lowest;
} facet;

static facet facet_at(const rill_surface *surface, const int32_t *places, const rill_surface_mesh *mesh,
                      size_t triangle) {
    facet f = { .bound = true, .inner = true, .ceiling = INFINITY, .underside = -INFINITY, .lowest = INFINITY };
    for (int k = 0; k < 3; ++k) {
        const size_t corner = mesh->indices[3 * triangle + (size_t)k];
        stand on = { 0 };
        for (int i = 0; i < 3; ++i) f.p[k][i] = (double)mesh->positions[3 * corner + (size_t)i];
        if (corner < surface->column_vertices) f.lowest = fmin(f.lowest, f.p[k][2]);
        f.inner = f.inner && corner < surface->column_vertices;
        f.bound = f.bound && find_stand(surface, places, corner, &on);
        f.reach[k] = on.reach;
        f.ceiling = fmin(f.ceiling, on.ceiling), f.underside = fmax(f.underside, on.underside);
    }
    f.area = (f.p[1][0] - f.p[0][0]) * (f.p[2][1] - f.p[0][1]) - (f.p[2][0] - f.p[0][0]) * (f.p[1][1] - f.p[0][1]);
    return f;
}

static void look_at(const facet *f, const double q[3], double size, outcome *out) {
    double a[3];
    for (int k = 0; k < 3; ++k) {
        const double *r = f->p[(k + 1) % 3], *s = f->p[(k + 2) % 3];
        a[k] = ((r[0] - q[0]) * (s[1] - q[1]) - (s[0] - q[0]) * (r[1] - q[1])) / f->area;
    }
    if (a[0] < 0 || a[1] < 0 || a[2] < 0) return;
    const double z = a[0] * f->p[0][2] + a[1] * f->p[1][2] + a[2] * f->p[2][2];
    out->under += 1;
    if (q[2] <= z + 1e-4 * size) return;
    if (!f->bound)
        out->shore += q[2] <= f->lowest;
    else if (q[2] >= f->ceiling || q[2] < f->underside ||
             q[2] > a[0] * f->reach[0] + a[1] * f->reach[1] + a[2] * f->reach[2] - 0.011 * size)
        out->cliffs += 1;
    else if (f->inner)
        out->through += 1;
    else
        out->banks += 1;
}

static void look_under(const fields *all, const terrain *t, const facet *f, outcome *out) {
    const rill_grid *grid = &all->grid;
    int32_t first[2], last[2];
    if (f->area <= 0) return; /* a skirt */
    for (int i = 0; i < 2; ++i) {
        const double low = fmin(f->p[0][i], fmin(f->p[1][i], f->p[2][i]));
        const double high = fmax(f->p[0][i], fmax(f->p[1][i], f->p[2][i]));
        first[i] = (int32_t)fmax(floor((low - grid->origin[i]) / grid->cell_size), 0);
        last[i] = (int32_t)fmin((high - grid->origin[i]) / grid->cell_size, grid->cells[i] - 1);
    }
    for (int32_t y = first[1]; y <= last[1]; ++y)
        for (int32_t x = first[0]; x <= last[0]; ++x)
            for (int32_t i = t->first[y * grid->cells[0] + x]; i >= 0; i = t->next[i])
                look_at(f, t->points[i], grid->cell_size, out);
}

/* Counts what shows through the surface of a world, with the floor or without it. */
static outcome examine(rill_world *world, const fields *all, const terrain *t, bool floor) {
    rill_surface_def def = rill_default_surface_def();
    def.floor = floor;
    rill_surface *surface;
    rill_surface_mesh mesh;
    must(world, rill_surface_create(world, &def, &surface));
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_mesh(surface, &mesh));
    outcome out = { 0 };
    int32_t *places = malloc((mesh.vertex_count + 1) * sizeof *places); /* of columns' vertices */
    for (int64_t i = 0; i < world->bed.info.columns; ++i) {
        const int32_t place = world->bed.places[i];
        if (surface->state[place] & RILL_WET) places[surface->vertex[place]] = place;
    }
    for (size_t i = 0; i < mesh.triangle_count; ++i) {
        const facet f = facet_at(surface, places, &mesh, i);
        look_under(all, t, &f, &out);
    }
    free(places);
    rill_surface_destroy(surface);
    return out;
}

static terrain start_terrain(const fields *all) {
    const size_t cells = (size_t)all->grid.cells[0] * (size_t)all->grid.cells[1];
    terrain t = { .first = malloc(cells * sizeof *t.first) };
    for (size_t i = 0; i < cells; ++i) t.first[i] = -1;
    return t;
}

static void free_terrain(terrain *t, fields *all) {
    free(t->points);
    free(t->next);
    free(t->first);
    free(all->base);
    free(all->ceiling);
}

/* ----------------------------------------------------------------------------------------------------------- worlds */

static test_mesh mesh;

/* A lumpy landscape, a net of triangles that has nothing to do with the grid. */
static void make_landscape(uint64_t *seed, double width) {
    const uint32_t n = 5 + (uint32_t)chance(seed, 0, 60);
    const double rough = chance(seed, 0, 1.5) * width / n, wave = chance(seed, 0, 0.1) * width;
    mesh.vertex_count = mesh.triangle_count = 0;
    for (uint32_t j = 0; j < n; ++j)
        for (uint32_t i = 0; i < n; ++i) {
            const double x = (i + (i > 0 && i < n - 1 ? chance(seed, -0.4, 0.4) : 0)) / (n - 1),
                         y = (j + (j > 0 && j < n - 1 ? chance(seed, -0.4, 0.4) : 0)) / (n - 1);
            mesh_vertex(&mesh, width * (1.2 * x - 0.1), width * (1.2 * y - 0.1),
                        wave * (sin(7 * x) + cos(5 * y)) + chance(seed, 0, rough));
        }
    for (uint32_t j = 0; j + 1 < n; ++j)
        for (uint32_t i = 0; i + 1 < n; ++i) {
            const uint32_t a = j * n + i;
            if (chance(seed, 0, 1) < 0.5)
                mesh_quad(&mesh, a, a + 1, a + n + 1, a + n);
            else
                mesh_quad(&mesh, a + 1, a + n + 1, a + n, a);
        }
    const uint32_t first = (uint32_t)mesh.vertex_count; /* down to a point below everything */
    mesh_vertex(&mesh, width / 2, width / 2, -width);
    for (uint32_t i = 0; i + 1 < n; ++i) {
        mesh_triangle(&mesh, i + 1, i, first);
        mesh_triangle(&mesh, (n - 1) * n + i, (n - 1) * n + i + 1, first);
        mesh_triangle(&mesh, i * n, (i + 1) * n, first);
        mesh_triangle(&mesh, (i + 1) * n + n - 1, i * n + n - 1, first);
    }
}

static rill_solid_def mesh_def(void) {
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = mesh.vertices, def.shape.vertex_count = mesh.vertex_count;
    def.shape.indices = mesh.indices, def.shape.triangle_count = mesh.triangle_count;
    return def;
}

static void put(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id;
    must(world, rill_solid_create(world, def, &id));
}

static rill_solid_def random_solid(uint64_t *seed) {
    rill_solid_def solid = rill_default_solid_def();
    const double size = chance(seed, 0.0005, 0.008);
    mesh.vertex_count = mesh.triangle_count = 0;
    if (chance(seed, 0, 1) < 0.4) {
        mesh_ball(&mesh, 0, 0, 0, size, 0.0, 9 + (uint32_t)chance(seed, 0, 20));
        solid = mesh_def();
    } else {
        solid.shape.type = RILL_SHAPE_BOX;
        for (int k = 0; k < 3; ++k)
            solid.shape.max[k] = size * chance(seed, 0.3, 1), solid.shape.min[k] = -solid.shape.max[k];
        if (chance(seed, 0, 1) < 0.3) solid.shape.max[2] = DX * chance(seed, 0.05, 1);
    }
    for (int k = 0; k < 3; ++k) solid.rotate[k] = chance(seed, 0, 1) < 0.5 ? 0 : chance(seed, 0, 360);
    memcpy(solid.translate, (double[]){ chance(seed, 0, 0.04), chance(seed, 0, 0.04), chance(seed, 0, 0.01) },
           sizeof solid.translate);
    return solid;
}

static rill_world *make_random(uint64_t *seed) {
    enum { CELLS = 40 };
    rill_world *world;
    rill_world_def def = plain_world_def();
    def.grid = (rill_grid){ .cells = { CELLS, CELLS - 5 }, .cell_size = DX, .origin = { -0.003, 0.002, 0 } };
    def.headroom = 0.05;
    def.min_opening = 0; /* the lowest voids have vertices, too */
    rill_message message;
    assert_int_equal(rill_world_create(&def, &world, &message), RILL_OK);
    make_landscape(seed, CELLS * DX);
    const rill_solid_def landscape = mesh_def();
    put(world, &landscape);
    const int more = (int)chance(seed, 0, 5);
    for (int i = 0; i < more; ++i) {
        const rill_solid_def solid = random_solid(seed);
        put(world, &solid);
    }
    must(world, rill_bed_build(world));
    return world;
}

/* A film everywhere but in some columns. */
static void wet(rill_world *world, const fields *all, uint64_t *seed, double dry, double thick) {
    const size_t cells = (size_t)all->grid.cells[0] * (size_t)all->grid.cells[1];
    double *depths = malloc(cells * sizeof *depths);
    for (int32_t k = 0; k < all->layers; ++k) {
        for (size_t i = 0; i < cells; ++i) {
            const double base = all->base[(size_t)k * cells + i], ceiling = all->ceiling[(size_t)k * cells + i];
            depths[i] = isnan(base)                ? NAN
                        : chance(seed, 0, 1) < dry ? 0.0
                                                   : fmin(thick * chance(seed, 0.5, 1.5), 0.9 * (ceiling - base));
        }
        must(world, rill_world_fill_depths(world, k, depths, cells, NULL));
    }
    free(depths);
}

/* All solids of a world as points: vertices alone, or places on the triangles too. */
static terrain terrain_of(const rill_world *world, const fields *all, int extra, uint64_t *seed) {
    terrain t = start_terrain(all);
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i)
        if (slots[i].solid && !slots[i].hidden) add_triangles(&t, all, slots[i].solid, extra, seed);
    return t;
}

static void add_outcome(outcome *sum, const outcome *one) {
    sum->under += one->under;
    sum->through += one->through;
    sum->banks += one->banks;
    sum->shore += one->shore;
    sum->cliffs += one->cliffs;
}

static void print_outcomes(const char *name, const outcome sum[2]) {
    for (int on = 0; on < 2; ++on)
        printf("%s, floor %s: %zu points under the surface, %zu show through, %zu at banks, %zu at walls and edges, "
               "%zu out of reach\n",
               name, on ? "on" : "off", sum[on].under, sum[on].through, sum[on].banks, sum[on].shore, sum[on].cliffs);
}

/* Vertices never show. Of places on triangles some near cliffs do, where the ends of an edge are out of reach but not
 * all of it is. */
static void search_random(int count, int extra, outcome sum[2]) {
    uint64_t seed = 41;
    for (int n = 0; n < count; ++n) {
        rill_world *world = make_random(&seed);
        fields all = read_fields(world);
        terrain t = terrain_of(world, &all, extra, &seed);
        wet(world, &all, &seed, n % 3 == 0 ? 0.1 : 0.0, DX * pow(10, chance(&seed, -4, 0)));
        for (int on = 0; on < 2; ++on) {
            const outcome out = examine(world, &all, &t, on);
            add_outcome(&sum[on], &out);
        }
        free_terrain(&t, &all);
        rill_world_destroy(world);
    }
}

static void test_random_vertices(void **state) {
    (void)state;
    outcome sum[2] = { { 0 } };
    search_random(ALONE_PART > 1 ? 30 : 120, 0, sum);
    print_outcomes("vertices", sum);
    assert_int_equal(sum[1].through, 0);
    assert_int_equal(sum[1].banks, 0);
    assert_true(sum[0].through > sum[0].under / 50); /* the points are not such that nothing could show */
    assert_true(sum[0].banks > sum[0].under / 50);
    assert_true(sum[0].shore > sum[0].under / 500);
    assert_int_equal(sum[1].shore, 0);
}

static void test_random_places(void **state) {
    (void)state;
    outcome sum[2] = { { 0 } };
    search_random(40 / ALONE_PART, 6, sum);
    print_outcomes("triangles", sum);
    assert_true(sum[1].through * 2000 <= sum[0].through);
    assert_int_equal(sum[1].banks, 0);
}

static void test_shipped_scenes(void **state) {
    (void)state;
    static const char *const names[] = { "surgery", "spilled_coffee", "cave", "saucer", "three_layers" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[1024];
        rill_scene *scene;
        rill_world *world;
        rill_scene_report report = { 0 };
        uint64_t seed = 1;
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", RILL_SOURCE_DIR, names[i]);
        assert_int_equal(rill_scene_load(path, NULL, &scene, &report), RILL_SCENE_OK);
        scene->world.solver.tension = RILL_TENSION_OFF;
        assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_OK);
        outcome sum[2] = { { 0 } };
        fields all = read_fields(world);
        terrain t = terrain_of(world, &all, 0, &seed);
        for (int look = 0; look < (ALONE_PART > 1 ? 1 : 3); ++look) {
            rill_status status;
            for (int frame = 0; frame < 20; ++frame) must(world, rill_scene_step(scene, world, scene->frame, &status));
            for (int on = 0; on < 2; ++on) {
                const outcome out = examine(world, &all, &t, on);
                add_outcome(&sum[on], &out);
            }
        }
        print_outcomes(names[i], sum);
        assert_int_equal(sum[1].through, 0);
        assert_int_equal(sum[1].banks, 0);
        assert_int_equal(sum[1].shore, 0);
        free_terrain(&t, &all);
        rill_world_destroy(world);
        rill_scene_free(scene);
        rill_scene_report_free(&report);
    }
}

/* A heightmap that has nothing to do with the cells: its samples, and the lines between them. */
static void test_heightmaps(void **state) {
    (void)state;
    enum { CELLS = 30, SAMPLES = 47 };
    uint64_t seed = 7;
    double heights[SAMPLES * SAMPLES];
    rill_world_def def = plain_world_def();
    def.grid = (rill_grid){ .cells = { CELLS, CELLS }, .cell_size = DX };
    for (int size = 11; size <= SAMPLES; size += 18) {
        for (int i = 0; i < size * size; ++i) heights[i] = chance(&seed, 0, 0.5) * DX * CELLS / size;
        rill_world *world;
        rill_message message;
        assert_int_equal(rill_world_create(&def, &world, &message), RILL_OK);
        rill_solid_def map = rill_default_solid_def();
        map.shape.type = RILL_SHAPE_HEIGHTMAP;
        map.shape.heights = heights;
        map.shape.heights_size[0] = map.shape.heights_size[1] = size;
        put(world, &map);
        must(world, rill_bed_build(world));
        fields all = read_fields(world);
        terrain t = start_terrain(&all);
        for (int i = 0; i < size * size; ++i)
            add_point(
                &t, &all,
                (double[]){ (i % size + 0.5) * DX * CELLS / size, (i / size + 0.5) * DX * CELLS / size, heights[i] });
        wet(world, &all, &seed, 0.0, 0.01 * DX);
        outcome sum[2];
        for (int on = 0; on < 2; ++on) sum[on] = examine(world, &all, &t, on);
        print_outcomes("heightmap", sum);
        assert_true(sum[0].through > 20);
        assert_int_equal(sum[1].through, 0);
        assert_int_equal(sum[1].shore, 0);
        free_terrain(&t, &all);
        rill_world_destroy(world);
    }
}

/* -------------------------------------------------------------------------------------------------------- following */

static void move_something(rill_world *world, uint64_t *seed) {
    const rill_solid_slot *slots = world->solids.data;
    const size_t i = 1 + (size_t)chance(seed, 0, (double)world->solids.count - 1);
    const rill_solid_id id = { rill_id_of(world, i, slots[i].generation) };
    if (!slots[i].solid) return;
    const double *at = slots[i].solid->def.translate, *turn = slots[i].solid->def.rotate;
    const double to[3] = { at[0] + chance(seed, -2, 2) * DX, at[1] + chance(seed, -2, 2) * DX, at[2] };
    const double what = chance(seed, 0, 1);
    if (what < 0.7) {
        must(world, rill_solid_set_pose(world, id, to, turn));
    } else if (what < 0.9) {
        must(world, rill_solid_set_visible(world, id, !rill_solid_is_visible(world, id)));
    } else {
        const rill_solid_def other = random_solid(seed);
        must(world, rill_solid_replace(world, id, &other));
    }
}

/* Corners have the same points; some may be there twice. */
static void have_points_of(const rill_floor *a, const rill_floor *b) {
    const int32_t *corners = b->corners.data;
    const rill_outline_point *mine = a->points.data, *points = b->points.data;
    assert_int_equal(a->corners.count, b->corners.count);
    for (size_t i = 0; i < b->corners.count; ++i) {
        assert_true(b->point_first[corners[i]] >= 0 && (i == 0 || corners[i] > corners[i - 1]));
        for (int32_t at = b->point_first[corners[i]]; at >= 0; at = points[at].next) {
            int32_t k = a->point_first[corners[i]];
            while (k >= 0 && memcmp(&mine[k], &points[at], offsetof(rill_outline_point, next)) != 0) k = mine[k].next;
            assert_true(k >= 0);
        }
    }
}

/* One surface that has followed all along, and one that is new, have the same floor. */
static void test_following(void **state) {
    (void)state;
    uint64_t seed = 99;
    const rill_surface_def def = rill_default_surface_def();
    for (int n = 0; n < 8; ++n) {
        rill_world *world = make_random(&seed);
        for (int i = 0; i < 2; ++i) {
            const rill_solid_def solid = random_solid(&seed);
            put(world, &solid);
        }
        must(world, rill_bed_build(world));
        rill_surface *old, *fresh;
        must(world, rill_surface_create(world, &def, &old));
        must(world, rill_surface_build(old));
        for (int turn = 0; turn < 12; ++turn) {
            move_something(world, &seed);
            if (turn % 3 == 0) move_something(world, &seed);
            must(world, rill_bed_build(world));
            must(world, rill_surface_build(old));
            must(world, rill_surface_create(world, &def, &fresh));
            must(world, rill_surface_build(fresh));
            const rill_bed *bed = &world->bed;
            for (int32_t i = 0; i < (int32_t)bed->info.columns; ++i)
                assert_int_equal(old->floor[bed->places[i]], fresh->floor[bed->places[i]]);
            have_points_of(old->terrain, fresh->terrain);
            have_points_of(fresh->terrain, old->terrain);
            rill_surface_destroy(fresh);
        }
        rill_surface_destroy(old);
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_of_the_paper), cmocka_unit_test(test_steps_and_bounds),
        cmocka_unit_test(test_walls_are_found),      cmocka_unit_test(test_random_vertices),
        cmocka_unit_test(test_random_places),        cmocka_unit_test(test_shipped_scenes),
        cmocka_unit_test(test_heightmaps),           cmocka_unit_test(test_following),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
