/* Triangles of the primitives, in world space, wound so that their normals point outwards, and nowhere outside of the
 * exact solid.
 *
 * Round shapes are grids of rings: `rings` closed rings of `steps` vertices each, neighbouring rings joined by quads. A
 * sphere and a cylinder end in a pole at either side, a torus closes on itself. */
#include "base/alloc.h"
#include "shape/solid.h"

#include <math.h>

enum {
    SPHERE_STEPS = 64,
    SPHERE_RINGS = 31,
    CYLINDER_STEPS = 256,
    TUBE_STEPS = 24,
    TORUS_LEAST = 48,
    MOST_STEPS = 1024
};

static bool take_arrays(rill_solid *solid, const rill_allocator *allocator, size_t vertices, size_t triangles) {
    solid->vertices = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(double));
    solid->vertex_count = vertices;
    solid->indices = rill_alloc_zeroed(allocator, triangles, 3 * sizeof(uint32_t));
    solid->triangle_count = triangles;
    return solid->vertices && solid->indices;
}

static void set_triangle(uint32_t **indices, uint32_t a, uint32_t b, uint32_t c) {
    (*indices)[0] = a, (*indices)[1] = b, (*indices)[2] = c;
    *indices += 3;
}

/* A quad between two rings: a, b on the lower one, c, d above them. */
static void set_quad(uint32_t **indices, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    set_triangle(indices, a, b, d);
    set_triangle(indices, a, d, c);
}

static bool tessellate_box(rill_solid *solid, const rill_allocator *allocator) {
    static const uint32_t faces[6][4] = { { 0, 2, 1, 3 }, { 4, 5, 6, 7 }, { 0, 1, 4, 5 },
                                          { 2, 6, 3, 7 }, { 0, 4, 2, 6 }, { 1, 3, 5, 7 } };
    if (!take_arrays(solid, allocator, 8, 12)) return false;
    rill_placing placing = rill_placing_of(&solid->def);
    for (int i = 0; i < 8; ++i) {
        const double *min = solid->def.min, *max = solid->def.max;
        double corner[3] = { i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2] };
        rill_placing_point(&placing, corner, solid->vertices + 3 * i);
    }
    uint32_t *indices = solid->indices;
    for (int f = 0; f < 6; ++f) set_quad(&indices, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    return true;
}

/* Two unit vectors that make a right-handed frame with the unit vector `axis`. */
static void make_frame(const double axis[3], double u[3], double v[3]) {
    int least = fabs(axis[0]) <= fabs(axis[1]) && fabs(axis[0]) <= fabs(axis[2]) ? 0
                : fabs(axis[1]) <= fabs(axis[2])                                 ? 1
                                                                                 : 2;
    int a = (least + 1) % 3, b = (least + 2) % 3;
    double length = sqrt(axis[a] * axis[a] + axis[b] * axis[b]);
    u[least] = 0.0, u[a] = axis[b] / length, u[b] = -axis[a] / length;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = axis[j] * u[k] - axis[k] * u[j];
    }
}

/* The directions of `steps` vertices around a ring: cosine and sine. */
typedef struct compass {
    uint32_t steps;
    double points[MOST_STEPS][2];
} compass;

static void set_compass(compass *all, uint32_t steps) {
    all->steps = steps;
    for (uint32_t i = 0; i < steps; ++i) rill_sin_cos(360.0 * i / steps, &all->points[i][1], &all->points[i][0]);
}

/* A ring of vertices around the third vector of `frame`, at `height` along it. */
static void set_ring(double *vertices, const double centre[3], double frame[3][3], double radius, double height,
                     const compass *around) {
    for (uint32_t i = 0; i < around->steps; ++i, vertices += 3) {
        const double *point = around->points[i];
        for (int k = 0; k < 3; ++k)
            vertices[k] =
                centre[k] + (radius * (point[0] * frame[0][k] + point[1] * frame[1][k]) + height * frame[2][k]);
    }
}

static void join_rings(uint32_t **indices, uint32_t low, uint32_t high, uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i) {
        uint32_t j = (i + 1) % steps;
        set_quad(indices, low + i, low + j, high + i, high + j);
    }
}

/* Rings between two poles at heights -end and +end; the radius and height of ring i come from the arrays. */
static bool tessellate_barrel(rill_solid *solid, const rill_allocator *allocator, double frame[3][3], double end,
                              const double *radii, const double *heights, uint32_t rings, uint32_t steps) {
    size_t vertices = (size_t)rings * steps + 2;
    if (!take_arrays(solid, allocator, vertices, (size_t)(rings - 1) * steps * 2 + (size_t)steps * 2)) return false;
    const double *centre = solid->primitive.centre;
    compass around;
    set_compass(&around, steps);
    for (uint32_t r = 0; r < rings; ++r)
        set_ring(solid->vertices + 3 * (size_t)r * steps, centre, frame, radii[r], heights[r], &around);
    uint32_t south = rings * steps, north = south + 1;
    for (int k = 0; k < 3; ++k) {
        solid->vertices[3 * (size_t)south + (size_t)k] = centre[k] - end * frame[2][k];
        solid->vertices[3 * (size_t)north + (size_t)k] = centre[k] + end * frame[2][k];
    }
    uint32_t *indices = solid->indices;
    for (uint32_t r = 0; r + 1 < rings; ++r) join_rings(&indices, r * steps, (r + 1) * steps, steps);
    for (uint32_t i = 0; i < steps; ++i) {
        uint32_t j = (i + 1) % steps, last = (rings - 1) * steps;
        set_triangle(&indices, south, j, i);
        set_triangle(&indices, north, last + i, last + j);
    }
    return true;
}

static bool tessellate_sphere(rill_solid *solid, const rill_allocator *allocator) {
    double frame[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, radii[SPHERE_RINGS], heights[SPHERE_RINGS];
    for (int i = 0; i < SPHERE_RINGS; ++i) {
        double s, c;
        rill_sin_cos(180.0 * (i + 1) / (SPHERE_RINGS + 1) - 90.0, &s, &c);
        radii[i] = c * solid->primitive.radius, heights[i] = s * solid->primitive.radius;
    }
    return tessellate_barrel(solid, allocator, frame, solid->primitive.radius, radii, heights, SPHERE_RINGS, SPHERE_STEPS);
}

static bool tessellate_cylinder(rill_solid *solid, const rill_allocator *allocator) {
    const rill_primitive *form = &solid->primitive;
    double frame[3][3], radii[2] = { form->radius, form->radius }, heights[2] = { -form->half[2], form->half[2] };
    make_frame(form->axes[2], frame[0], frame[1]);
    for (int k = 0; k < 3; ++k) frame[2][k] = form->axes[2][k];
    return tessellate_barrel(solid, allocator, frame, form->half[2], radii, heights, 2, CYLINDER_STEPS);
}

static bool tessellate_torus(rill_solid *solid, const rill_allocator *allocator) {
    const rill_primitive *form = &solid->primitive;
    /* As many steps as keep the chords of the great circle within a tenth of the tube. */
    double wish = 3.1416 * sqrt(5.0 * form->radius / form->tube);
    uint32_t steps = wish < TORUS_LEAST ? TORUS_LEAST : wish > MOST_STEPS ? MOST_STEPS : (uint32_t)wish;
    if (!take_arrays(solid, allocator, (size_t)steps * TUBE_STEPS, (size_t)steps * TUBE_STEPS * 2)) return false;
    double frame[3][3];
    make_frame(form->axes[2], frame[0], frame[1]);
    for (int k = 0; k < 3; ++k) frame[2][k] = form->axes[2][k];
    compass around;
    set_compass(&around, steps);
    double unused, shrink;
    rill_sin_cos(180.0 / steps, &unused, &shrink);
    for (uint32_t r = 0; r < TUBE_STEPS; ++r) {
        double s, c;
        rill_sin_cos(360.0 * r / TUBE_STEPS, &s, &c);
        double radius = form->radius + c * form->tube;
        /* Chords of the inner half would cut into the hole: set back, they touch it. So no triangle leaves the
         * solid. */
        if (c < 0.0) radius /= shrink;
        set_ring(solid->vertices + 3 * (size_t)r * steps, form->centre, frame, radius, s * form->tube, &around);
    }
    uint32_t *indices = solid->indices;
    for (uint32_t r = 0; r < TUBE_STEPS; ++r) join_rings(&indices, r * steps, (r + 1) % TUBE_STEPS * steps, steps);
    return true;
}

bool rill_solid_tessellate(rill_solid *solid, const rill_allocator *allocator) {
    switch (solid->def.shape) {
    case RILL_SHAPE_BOX: return tessellate_box(solid, allocator);
    case RILL_SHAPE_SPHERE: return tessellate_sphere(solid, allocator);
    case RILL_SHAPE_CYLINDER: return tessellate_cylinder(solid, allocator);
    case RILL_SHAPE_TORUS: return tessellate_torus(solid, allocator);
    case RILL_SHAPE_PLANE:
    case RILL_SHAPE_MESH:
    case RILL_SHAPE_HEIGHTMAP: break;
    }
    return true;
}
