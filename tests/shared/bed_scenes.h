/* Shared by the tests of the bed: scenes of solids, little meshes, and liquid's way through the columns. */
#ifndef RILL_TESTS_BED_SCENES_H
#define RILL_TESTS_BED_SCENES_H

#include "worlds.h"

#include "base/alloc.h"
#include "bed/bed.h"
#include "bed/sheets.h"
#include "shape/solid.h"

#include <math.h>

enum { SCENE_SOLIDS = 32 };

typedef struct bed_scene {
    rill_world_def def;
    rill_allocator allocator;
    rill_solid *solids[SCENE_SOLIDS];
    size_t count;
    rill_columns columns; /* after build_columns */
    rill_bed_info info;
    rill_bed bed; /* after build_bed */
} bed_scene;

static inline bed_scene scene_of(int32_t nx, int32_t ny, double cell_size) {
    bed_scene scene = { .def = plain_world_def(), .allocator = rill_alloc_default() };
    scene.def.grid.cells[0] = nx;
    scene.def.grid.cells[1] = ny;
    scene.def.grid.cell_size = cell_size;
    return scene;
}

static inline uint16_t add_solid(bed_scene *scene, const rill_solid_def *def) {
    rill_message message = { "" };
    assert_true(scene->count < SCENE_SOLIDS);
    if (rill_solid_make(def, &scene->allocator, &scene->solids[scene->count], &message)) fail_msg("%s", message.text);
    return (uint16_t)scene->count++;
}

static inline uint16_t add_box(bed_scene *scene, double x0, double y0, double z0, double x1, double y1, double z1) {
    rill_solid_def def = box_def(NULL, x0, y0, z0, x1, y1, z1);
    return add_solid(scene, &def);
}

/* A floor at z = 0 under everything. */
static inline uint16_t add_floor(bed_scene *scene) {
    return add_box(scene, -1000, -1000, -1, 1000, 1000, 0);
}

static inline void build_columns(bed_scene *scene) {
    rill_message message = { "" };
    uint8_t touched[SCENE_SOLIDS];
    rill_columns_free(&scene->columns, &scene->allocator);
    if (rill_columns_build(&scene->def, (const rill_solid *const *)scene->solids, scene->count, touched,
                           &scene->allocator, &scene->columns, &message))
        fail_msg("%s", message.text);
    scene->info = (rill_bed_info){ 0 };
    rill_columns_describe(&scene->columns, &scene->info);
    rill_solids_describe((const rill_solid *const *)scene->solids, scene->count, touched, &scene->info);
}

static inline void build_bed(bed_scene *scene) {
    rill_message message = { "" };
    build_columns(scene);
    rill_bed_free(&scene->bed, &scene->allocator);
    if (rill_bed_make(&scene->columns, scene->def.edges, &scene->allocator, &scene->bed, &message) ||
        rill_bed_validate(&scene->bed, &message))
        fail_msg("%s", message.text);
}

static inline void free_scene(bed_scene *scene) {
    for (size_t i = 0; i < scene->count; ++i) rill_solid_free(scene->solids[i], &scene->allocator);
    rill_columns_free(&scene->columns, &scene->allocator);
    rill_bed_free(&scene->bed, &scene->allocator);
}

static inline double centre_of(const bed_scene *scene, int axis, int32_t i) {
    return scene->def.grid.origin[axis] + (i + 0.5) * scene->def.grid.cell_size;
}

/* ---------------------------------------------------------------------------------------------------------- chance */

static inline double chance(uint64_t *seed, double low, double high) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

/* ---------------------------------------------------------------------------------------------------------- meshes */

typedef struct test_mesh {
    float vertices[3 * 20000];
    uint32_t indices[3 * 20000];
    size_t vertex_count, triangle_count;
} test_mesh;

static inline uint32_t mesh_vertex(test_mesh *mesh, double x, double y, double z) {
    assert_true(mesh->vertex_count < 20000);
    float *v = mesh->vertices + 3 * mesh->vertex_count;
    v[0] = (float)x, v[1] = (float)y, v[2] = (float)z;
    return (uint32_t)mesh->vertex_count++;
}

static inline void mesh_triangle(test_mesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
    assert_true(mesh->triangle_count < 20000);
    uint32_t *t = mesh->indices + 3 * mesh->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

static inline void mesh_quad(test_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    mesh_triangle(mesh, a, b, c);
    mesh_triangle(mesh, a, c, d);
}

static inline uint16_t add_mesh(bed_scene *scene, const test_mesh *mesh) {
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = mesh->vertices;
    def.shape.vertex_count = mesh->vertex_count;
    def.shape.indices = mesh->indices;
    def.shape.triangle_count = mesh->triangle_count;
    return add_solid(scene, &def);
}

/* A surface of revolution around the z axis at (x, y): rings of (radius, z); closed to itself when `loop` is set. With
 * unequal radii it is a bowl, a bottle, a tube; a ring of radius 0 closes it to a point. */
static inline void mesh_turned(test_mesh *mesh, double x, double y, const double (*rings)[2], uint32_t count,
                               uint32_t steps, bool loop) {
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (uint32_t r = 0; r < count; ++r)
        for (uint32_t i = 0; i < steps; ++i) {
            double angle = 6.283185307179586 * i / steps;
            mesh_vertex(mesh, x + rings[r][0] * cos(angle), y + rings[r][0] * sin(angle), rings[r][1]);
        }
    for (uint32_t r = 0; r + (loop ? 0 : 1) < count; ++r)
        for (uint32_t i = 0; i < steps; ++i) {
            uint32_t low = first + r * steps, high = first + (r + 1) % count * steps, j = (i + 1) % steps;
            mesh_quad(mesh, low + i, low + j, high + j, high + i);
        }
}

/* An upright ball with its poles cut off by `cut` (0: closed) and 24 rings. */
static inline void mesh_ball(test_mesh *mesh, double x, double y, double z, double radius, double cut, uint32_t steps) {
    double rings[25][2];
    for (int i = 0; i < 25; ++i) {
        double angle = -1.5707963267948966 + cut + (3.141592653589793 - cut) * i / 24.0;
        rings[i][0] = i == 24 || (i == 0 && cut == 0.0) ? 0.0 : radius * cos(angle);
        rings[i][1] = z + radius * sin(angle);
    }
    mesh_turned(mesh, x, y, (const double(*)[2])rings, 25, steps, false);
}

static inline void mesh_box(test_mesh *mesh, const double min[3], const double max[3]) {
    uint32_t v[8];
    for (int i = 0; i < 8; ++i)
        v[i] = mesh_vertex(mesh, i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]);
    mesh_quad(mesh, v[0], v[2], v[3], v[1]);
    mesh_quad(mesh, v[4], v[5], v[7], v[6]);
    mesh_quad(mesh, v[0], v[1], v[5], v[4]);
    mesh_quad(mesh, v[2], v[6], v[7], v[3]);
    mesh_quad(mesh, v[0], v[4], v[6], v[2]);
    mesh_quad(mesh, v[1], v[3], v[7], v[5]);
}

/* ----------------------------------------------------------------------------------------------------------- flood */

/* Whether liquid of a given level (absolute z) that stands in the column at one point would reach that at another. */
static inline bool flows(const bed_scene *scene, const double from[3], const double to[3], double level) {
    const rill_bed *bed = &scene->bed;
    int32_t count = (int32_t)bed->info.columns, nx = bed->grid.cells[0], ny = bed->grid.cells[1], head = 0, tail = 0;
    int32_t start = rill_bed_find(bed, from, NULL), end = rill_bed_find(bed, to, NULL);
    assert_true(start >= 0 && end >= 0 && start != end);
    double limit = (level - bed->datum) / bed->quantum;
    int32_t *queue = calloc((size_t)count, sizeof *queue);
    bool *seen = calloc((size_t)count, sizeof *seen);
    assert_true(queue && seen);
    queue[tail++] = start;
    seen[start] = true;
    while (head < tail) {
        int32_t k = queue[head++], place = bed->places[k], x, y;
        rill_bed_sheet_of(bed, place, &x, &y);
        for (int d = 0; d < 4; ++d) {
            int32_t ox = x + (d == 0) - (d == 1), oy = y + (d == 2) - (d == 3);
            if (ox < 0 || oy < 0 || ox >= nx || oy >= ny) continue;
            for (int32_t o = bed->cell_first[oy * nx + ox]; o < bed->cell_first[oy * nx + ox + 1]; ++o) {
                int32_t other = bed->places[o], sill = bed->b[place] > bed->b[other] ? bed->b[place] : bed->b[other];
                if (seen[o] || sill >= limit ||
                    rill_overlap(bed->b[place], bed->c[place], bed->b[other], bed->c[other]) < bed->opening)
                    continue;
                seen[o] = true;
                queue[tail++] = o;
            }
        }
    }
    bool reached = seen[end];
    free(queue);
    free(seen);
    return reached;
}

#endif
