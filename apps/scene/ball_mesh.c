/* A ball as triangles (ball_mesh.h). */
#include "ball_mesh.h"

#include <math.h>
#include <stdlib.h>

typedef struct vector {
    double at[3];
} vector;

/* The point of the unit sphere between two others: the same from either side. */
static vector between(const vector *a, const vector *b) {
    vector middle;
    double square = 0.0;
    for (int k = 0; k < 3; ++k) middle.at[k] = a->at[k] + b->at[k], square += middle.at[k] * middle.at[k];
    for (int k = 0; k < 3; ++k) middle.at[k] /= sqrt(square);
    return middle;
}

static void add(rill_ball_mesh *ball, const vector corners[3], double radius) {
    for (size_t k = 0; k < 3; ++k) {
        const size_t vertex = 3 * ball->triangle_count + k;
        ball->indices[vertex] = (uint32_t)vertex;
        for (size_t i = 0; i < 3; ++i) ball->vertices[3 * vertex + i] = (float)(radius * corners[k].at[i]);
    }
    ball->triangle_count += 1;
}

static void cut(rill_ball_mesh *ball, const vector corners[3], double radius, int cuts) {
    if (cuts == 0) {
        add(ball, corners, radius);
        return;
    }
    const vector a = corners[0], b = corners[1], c = corners[2], ab = between(&a, &b), bc = between(&b, &c),
                 ca = between(&c, &a);
    const vector four[4][3] = { { a, ab, ca }, { ab, b, bc }, { ca, bc, c }, { ab, bc, ca } };
    for (int k = 0; k < 4; ++k) cut(ball, four[k], radius, cuts - 1);
}

bool rill_ball_mesh_make(double radius, int cuts, rill_ball_mesh *out) {
    static const int faces[20][3] = { { 0, 4, 1 },  { 0, 9, 4 },  { 9, 5, 4 },  { 4, 5, 8 },  { 4, 8, 1 },
                                      { 8, 10, 1 }, { 8, 3, 10 }, { 5, 3, 8 },  { 5, 2, 3 },  { 2, 7, 3 },
                                      { 7, 10, 3 }, { 7, 6, 10 }, { 7, 11, 6 }, { 11, 0, 6 }, { 0, 1, 6 },
                                      { 6, 1, 10 }, { 9, 0, 11 }, { 9, 11, 2 }, { 9, 2, 5 },  { 7, 2, 11 } };
    const double x = 0.525731112119133606, z = 0.850650808352039932;
    const vector corners[12] = { { { -x, 0, z } }, { { x, 0, z } },  { { -x, 0, -z } }, { { x, 0, -z } },
                                 { { 0, z, x } },  { { 0, z, -x } }, { { 0, -z, x } },  { { 0, -z, -x } },
                                 { { z, x, 0 } },  { { -z, x, 0 } }, { { z, -x, 0 } },  { { -z, -x, 0 } } };
    const size_t count = (size_t)20 << (2 * cuts);
    *out = (rill_ball_mesh){ .vertices = malloc(9 * count * sizeof(float)),
                             .indices = malloc(3 * count * sizeof(uint32_t)) };
    if (!out->vertices || !out->indices) {
        rill_ball_mesh_free(out);
        return false;
    }
    for (int face = 0; face < 20; ++face) { /* the list runs clockwise */
        const vector three[3] = { corners[faces[face][0]], corners[faces[face][2]], corners[faces[face][1]] };
        cut(out, three, radius, cuts);
    }
    return true;
}

void rill_ball_mesh_free(rill_ball_mesh *ball) {
    free(ball->vertices);
    free(ball->indices);
    *ball = (rill_ball_mesh){ 0 };
}
