/* Triangles of the primitives, counter-clockwise seen from outside, and nowhere outside of the exact shape: of solids
 * in world space, for walls thinner than a cell, drawing and export; of bodies in the frame of their definition, for
 * drawing. A box of a body is cut by them too, so they are exact.
 *
 * Round shapes are grids of rings: `rings` closed rings of `steps` vertices each, neighbouring rings joined by quads. A
 * sphere and a cylinder end in a pole at either side, a torus closes on itself. */
#include "base/alloc.h"
#include "base/assert.h"
#include "shape/body_form_internal.h"
#include "shape/solid.h"

#include <math.h>
#include <string.h>

enum {
    SPHERE_STEPS = 64,
    SPHERE_RINGS = 31,
    CAP_RINGS = 12,
    CYLINDER_STEPS = 256,
    TUBE_STEPS = 24,
    TORUS_LEAST = 48,
    BODY_STEPS = 32,
    BODY_CAP_RINGS = 8,
    MOST_STEPS = 1024,
    MOST_RINGS = 32
};

typedef struct mesh {
    double *vertices;
    uint32_t *indices;
    size_t vertex_count, triangle_count;
} mesh;

static bool take_arrays(mesh *out, const rill_allocator *allocator, size_t vertices, size_t triangles) {
    out->vertices = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(double));
    out->vertex_count = vertices;
    out->indices = rill_alloc_zeroed(allocator, triangles, 3 * sizeof(uint32_t));
    out->triangle_count = triangles;
    return out->vertices && out->indices;
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

/* Joins eight corners; corner i is the high one in x, y, z where bits 0, 1, 2 are set. */
static void join_corners(uint32_t *indices) {
    static const uint32_t faces[6][4] = { { 0, 2, 1, 3 }, { 4, 5, 6, 7 }, { 0, 1, 4, 5 },
                                          { 2, 6, 3, 7 }, { 0, 4, 2, 6 }, { 1, 3, 5, 7 } };
    for (int f = 0; f < 6; ++f) set_quad(&indices, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
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

/* Makes a ring of vertices around the third vector of `frame`, at `height` along it. */
static void set_ring(double *vertices, const double centre[3], const double frame[3][3], double radius, double height,
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

/* A round shape: its axis is the third vector of `frame`. */
typedef struct barrel {
    double centre[3], frame[3][3];
    double end; /* the poles are at -end and +end */
    double radii[MOST_RINGS], heights[MOST_RINGS];
    uint32_t rings, steps; /* vertices of a ring */
} barrel;

static const barrel UPRIGHT = { .frame = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };

static void add_ring(barrel *shape, double radius, double height) {
    shape->radii[shape->rings] = radius;
    shape->heights[shape->rings++] = height;
}

/* Adds the rings of a sphere, or of its halves moved apart by `length`: then both have a ring at the equator. */
static void add_caps(barrel *shape, int cap_rings, double sphere_radius, double length) {
    shape->end = sphere_radius + 0.5 * length;
    for (int i = -cap_rings + 1; i < cap_rings; ++i) {
        double sine, cosine;
        rill_sin_cos(90.0 * i / cap_rings, &sine, &cosine);
        const double radius = sphere_radius * cosine, height = sphere_radius * sine;
        if (i <= 0) add_ring(shape, radius, height - 0.5 * length);
        if (i > 0 || (i == 0 && length > 0.0)) add_ring(shape, radius, height + 0.5 * length);
    }
}

static void add_cylinder(barrel *shape, double radius, double length) {
    shape->end = 0.5 * length;
    add_ring(shape, radius, -0.5 * length);
    add_ring(shape, radius, 0.5 * length);
}

static bool tessellate_barrel(mesh *out, const rill_allocator *allocator, const barrel *shape) {
    const uint32_t rings = shape->rings, steps = shape->steps, last = (rings - 1) * steps;
    RILL_ASSERT(rings >= 1 && rings <= MOST_RINGS && steps >= 3 && steps <= MOST_STEPS);
    if (!take_arrays(out, allocator, (size_t)rings * steps + 2, 2 * (size_t)rings * steps)) return false;
    compass around;
    set_compass(&around, steps);
    for (uint32_t r = 0; r < rings; ++r)
        set_ring(out->vertices + 3 * (size_t)r * steps, shape->centre, shape->frame, shape->radii[r], shape->heights[r],
                 &around);
    const uint32_t south = rings * steps, north = south + 1;
    for (size_t k = 0; k < 3; ++k) {
        out->vertices[3 * (size_t)south + k] = shape->centre[k] - shape->end * shape->frame[2][k];
        out->vertices[3 * (size_t)north + k] = shape->centre[k] + shape->end * shape->frame[2][k];
    }
    uint32_t *indices = out->indices;
    for (uint32_t low = 0; low < last; low += steps) join_rings(&indices, low, low + steps, steps);
    for (uint32_t i = 0; i < steps; ++i) {
        const uint32_t j = (i + 1) % steps;
        set_triangle(&indices, south, j, i);
        set_triangle(&indices, north, last + i, last + j);
    }
    RILL_ASSERT(indices == out->indices + 3 * out->triangle_count);
    return true;
}

static bool tessellate_box(mesh *out, const rill_allocator *allocator, const double min[3], const double max[3]) {
    if (!take_arrays(out, allocator, 8, 12)) return false;
    for (size_t i = 0; i < 8; ++i)
        for (size_t k = 0; k < 3; ++k) out->vertices[3 * i + k] = i >> k & 1 ? max[k] : min[k];
    join_corners(out->indices);
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- solids */

static bool solid_box(mesh *out, const rill_allocator *allocator, const rill_solid_def *def) {
    if (!tessellate_box(out, allocator, def->shape.min, def->shape.max)) return false;
    const rill_placing placing = rill_placing_of(def);
    for (size_t i = 0; i < 8; ++i) {
        const double *p = out->vertices + 3 * i, corner[3] = { p[0], p[1], p[2] };
        rill_placing_point(&placing, corner, out->vertices + 3 * i);
    }
    return true;
}

static bool solid_sphere(mesh *out, const rill_allocator *allocator, const rill_primitive *sphere) {
    barrel shape = UPRIGHT;
    memcpy(shape.centre, sphere->centre, sizeof shape.centre);
    shape.end = sphere->radius;
    shape.steps = SPHERE_STEPS;
    for (int i = 0; i < SPHERE_RINGS; ++i) {
        double sine, cosine;
        rill_sin_cos(180.0 * (i + 1) / (SPHERE_RINGS + 1) - 90.0, &sine, &cosine);
        add_ring(&shape, cosine * sphere->radius, sine * sphere->radius);
    }
    return tessellate_barrel(out, allocator, &shape);
}

static void set_frame(const double axis[3], double frame[3][3]) {
    make_frame(axis, frame[0], frame[1]);
    memcpy(frame[2], axis, sizeof frame[2]);
}

/* A cylinder or a capsule. */
static bool solid_tube(mesh *out, const rill_allocator *allocator, const rill_primitive *tube, bool capsule) {
    barrel shape = { .steps = capsule ? SPHERE_STEPS : CYLINDER_STEPS };
    memcpy(shape.centre, tube->centre, sizeof shape.centre);
    set_frame(tube->axes[2], shape.frame);
    if (capsule)
        add_caps(&shape, CAP_RINGS, tube->radius, 2.0 * tube->half[2]);
    else
        add_cylinder(&shape, tube->radius, 2.0 * tube->half[2]);
    return tessellate_barrel(out, allocator, &shape);
}

static bool solid_torus(mesh *out, const rill_allocator *allocator, const rill_primitive *torus) {
    /* As many steps as keep the chords of the great circle within a tenth of the tube. */
    const double wish = 3.1416 * sqrt(5.0 * torus->radius / torus->tube);
    const uint32_t steps = wish < TORUS_LEAST ? TORUS_LEAST : wish > MOST_STEPS ? MOST_STEPS : (uint32_t)wish;
    if (!take_arrays(out, allocator, (size_t)steps * TUBE_STEPS, (size_t)steps * TUBE_STEPS * 2)) return false;
    double frame[3][3], unused, shrink;
    set_frame(torus->axes[2], frame);
    compass around;
    set_compass(&around, steps);
    rill_sin_cos(180.0 / steps, &unused, &shrink);
    for (uint32_t r = 0; r < TUBE_STEPS; ++r) {
        double sine, cosine;
        rill_sin_cos(360.0 * r / TUBE_STEPS, &sine, &cosine);
        double radius = torus->radius + cosine * torus->tube;
        /* Chords of the inner half would cut into the hole: set back, they touch it. So no triangle leaves the
         * solid. */
        if (cosine < 0.0) radius /= shrink;
        set_ring(out->vertices + 3 * (size_t)r * steps, torus->centre, frame, radius, sine * torus->tube, &around);
    }
    uint32_t *indices = out->indices;
    for (uint32_t r = 0; r < TUBE_STEPS; ++r) join_rings(&indices, r * steps, (r + 1) % TUBE_STEPS * steps, steps);
    return true;
}

static bool tessellate_solid(mesh *out, const rill_allocator *allocator, const rill_solid *solid) {
    switch (solid->def.shape.type) {
    case RILL_SHAPE_BOX: return solid_box(out, allocator, &solid->def);
    case RILL_SHAPE_SPHERE: return solid_sphere(out, allocator, &solid->primitive);
    case RILL_SHAPE_CYLINDER: return solid_tube(out, allocator, &solid->primitive, false);
    case RILL_SHAPE_CAPSULE: return solid_tube(out, allocator, &solid->primitive, true);
    case RILL_SHAPE_TORUS: return solid_torus(out, allocator, &solid->primitive);
    case RILL_SHAPE_PLANE:
    case RILL_SHAPE_MESH:
    case RILL_SHAPE_HEIGHTMAP:
    case RILL_SHAPE_HULL: break;
    }
    return true;
}

bool rill_solid_tessellate(rill_solid *solid, const rill_allocator *allocator) {
    mesh out = { 0 };
    const bool done = tessellate_solid(&out, allocator, solid);
    solid->vertices = out.vertices;
    solid->vertex_count = out.vertex_count;
    solid->indices = out.indices;
    solid->triangle_count = out.triangle_count;
    return done;
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

static bool body_box(mesh *out, const rill_allocator *allocator, const rill_body_form *form) {
    double min[3], max[3];
    for (size_t k = 0; k < 3; ++k) {
        min[k] = form->middle[k] - 0.5 * form->size[k];
        max[k] = form->middle[k] + 0.5 * form->size[k];
    }
    return tessellate_box(out, allocator, min, max);
}

static bool tessellate_body(mesh *out, const rill_allocator *allocator, const rill_body_form *form) {
    if (form->shape == RILL_SHAPE_BOX) return body_box(out, allocator, form);
    barrel shape = UPRIGHT;
    memcpy(shape.centre, form->middle, sizeof shape.centre);
    shape.steps = form->shape == RILL_SHAPE_CYLINDER ? 2 * BODY_STEPS : BODY_STEPS;
    if (form->shape == RILL_SHAPE_CYLINDER)
        add_cylinder(&shape, form->radius, form->length);
    else
        add_caps(&shape, BODY_CAP_RINGS, form->radius, form->length);
    return tessellate_barrel(out, allocator, &shape);
}

bool rill_body_form_tessellate(rill_body_form *form, const rill_allocator *allocator) {
    mesh out = { 0 };
    const bool done = tessellate_body(&out, allocator, form);
    form->vertices = out.vertices;
    form->vertex_count = out.vertex_count;
    form->indices = out.indices;
    form->triangle_count = out.triangle_count;
    return done;
}
