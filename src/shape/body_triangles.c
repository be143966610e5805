/* Triangles of the primitives for drawing, counter-clockwise seen from outside. A box is cut by them too, so they are
 * exact; round shapes are rings about the z axis between two poles, from below. */
#include "shape/body_form_internal.h"
#include "shape/solid.h"

enum { STEPS = 32, CAP_RINGS = 8, MOST_RINGS = 2 * CAP_RINGS };

static void set_triangle(uint32_t **indices, uint32_t a, uint32_t b, uint32_t c) {
    (*indices)[0] = a, (*indices)[1] = b, (*indices)[2] = c;
    *indices += 3;
}

static void set_quad(uint32_t **indices, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    set_triangle(indices, a, b, c);
    set_triangle(indices, a, c, d);
}

static bool draw_box(rill_body_form *form, const rill_allocator *allocator) {
    /* Corner i is high in x, y, z where bits 0, 1, 2 are set. */
    static const uint32_t faces[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                          { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
    if (!rill_body_form_alloc(form, allocator, 8, 12)) return false;
    for (size_t i = 0; i < 8; ++i)
        for (size_t k = 0; k < 3; ++k) form->vertices[3 * i + k] = (i >> k & 1 ? 0.5 : -0.5) * form->size[k];
    uint32_t *indices = form->indices;
    for (int i = 0; i < 6; ++i) set_quad(&indices, faces[i][0], faces[i][1], faces[i][2], faces[i][3]);
    return true;
}

typedef struct ring {
    double radius, height;
} ring;

static bool draw_rings(rill_body_form *form, const rill_allocator *allocator, const ring *rings, uint32_t count,
                       double end, uint32_t steps) {
    const size_t vertices = (size_t)count * steps + 2;
    if (!rill_body_form_alloc(form, allocator, vertices, 2 * (size_t)count * steps)) return false;
    const uint32_t south = count * steps, north = south + 1;
    for (uint32_t i = 0; i < steps; ++i) {
        double sine, cosine;
        rill_sin_cos(360.0 * i / steps, &sine, &cosine);
        for (uint32_t r = 0; r < count; ++r) {
            double *p = form->vertices + 3 * ((size_t)r * steps + i);
            p[0] = rings[r].radius * cosine, p[1] = rings[r].radius * sine, p[2] = rings[r].height;
        }
    }
    form->vertices[3 * (size_t)south + 2] = -end;
    form->vertices[3 * (size_t)north + 2] = end;
    uint32_t *indices = form->indices;
    for (uint32_t i = 0; i < steps; ++i) {
        const uint32_t j = (i + 1) % steps, last = (count - 1) * steps;
        set_triangle(&indices, south, j, i);
        set_triangle(&indices, north, last + i, last + j);
        for (uint32_t low = 0; low < last; low += steps)
            set_quad(&indices, low + i, low + j, low + steps + j, low + steps + i);
    }
    return true;
}

/* A sphere, or its halves moved apart by `length`: then both have a ring at the equator. */
static bool draw_caps(rill_body_form *form, const rill_allocator *allocator, double length) {
    ring rings[MOST_RINGS];
    uint32_t count = 0;
    for (int i = -CAP_RINGS + 1; i < CAP_RINGS; ++i) {
        double sine, cosine;
        rill_sin_cos(90.0 * i / CAP_RINGS, &sine, &cosine);
        const double radius = form->radius * cosine, height = form->radius * sine;
        if (i <= 0) rings[count++] = (ring){ radius, height - 0.5 * length };
        if (i > 0 || (i == 0 && length > 0.0)) rings[count++] = (ring){ radius, height + 0.5 * length };
    }
    return draw_rings(form, allocator, rings, count, form->radius + 0.5 * length, STEPS);
}

bool rill_body_form_tessellate(rill_body_form *form, const rill_allocator *allocator) {
    if (form->shape == RILL_BODY_BOX) return draw_box(form, allocator);
    if (form->shape == RILL_BODY_SPHERE) return draw_caps(form, allocator, 0.0);
    if (form->shape == RILL_BODY_CAPSULE) return draw_caps(form, allocator, form->length);
    const double half = 0.5 * form->length;
    const ring rings[2] = { { form->radius, -half }, { form->radius, half } };
    return draw_rings(form, allocator, rings, 2, half, 2 * STEPS);
}
