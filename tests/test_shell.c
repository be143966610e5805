/* Shells: what is measured on spheres and cylinders, and whether lists of neighbours say what the triangles say. */
#include "worlds.h"

#include "base/alloc.h"
#include "shell/shell.h"
#include "surfaces.h"

static rill_shell *make(const surface *from, double spacing) {
    const rill_allocator allocator = rill_alloc_default();
    const rill_shell_input input = { .name = "test",
                                     .vertices = from->vertices,
                                     .vertex_count = from->vertex_count,
                                     .indices = from->indices,
                                     .triangle_count = from->triangle_count,
                                     .scale = 1.0,
                                     .spacing = spacing,
                                     .bumps = true };
    rill_message message = { "" };
    rill_shell *shell = NULL;
    if (rill_shell_make(&input, &allocator, &shell, &message)) fail_msg("%s", message.text);
    return shell;
}

static void unmake(rill_shell *shell) {
    const rill_allocator allocator = rill_alloc_default();
    rill_shell_free(shell, &allocator);
}

/* ---------------------------------------------------------------------------------------------------------------- lists */

static void check_neighbours(const rill_shell *shell, int32_t i) {
    double ring = 0.0;
    for (int32_t at = shell->first[i]; at < shell->first[i + 1]; ++at) {
        const int32_t j = shell->neighbours[at], e = shell->neighbour_edges[at];
        assert_true(shell->edges[e][0] == (i < j ? i : j) && shell->edges[e][1] == (i < j ? j : i));
        if (at > shell->first[i]) assert_true(j > shell->neighbours[at - 1]);
        ring += shell->weight[e];
    }
    assert_true(ring > 0.0);
    const int32_t block = i / RILL_SHELL_BLOCK;
    int32_t at = shell->first[i];
    for (int32_t slot = shell->block_first[block] + i % RILL_SHELL_BLOCK; slot < shell->block_first[block + 1];
         slot += RILL_SHELL_BLOCK) {
        if (at < shell->first[i + 1]) {
            assert_int_equal(shell->slots[slot], shell->neighbours[at]);
            assert_int_equal(shell->slot_edges[slot], shell->neighbour_edges[at]);
            at += 1;
        } else {
            assert_int_equal(shell->slots[slot], i);
            assert_int_equal(shell->slot_edges[slot], shell->edge_count);
        }
    }
    assert_int_equal(at, shell->first[i + 1]);
}

static void check_edges(const rill_shell *shell) {
    for (int32_t e = 0; e < shell->edge_count; ++e) {
        const int32_t i = shell->edges[e][0], j = shell->edges[e][1];
        assert_true(i < j && shell->weight[e] >= 0.0 && shell->length[e] > 0.0);
        if (e > 0) assert_true(shell->edges[e - 1][0] < i || shell->edges[e - 1][1] < j);
        for (int k = 0; k < 2; ++k) {
            const int32_t corner = shell->opposite[e][k];
            if (corner < 0) continue;
            const uint32_t *v = shell->triangles[corner / 3];
            assert_int_equal(v[(corner % 3 + 1) % 3], k ? j : i);
            assert_int_equal(v[(corner % 3 + 2) % 3], k ? i : j);
        }
        const bool border = shell->opposite[e][0] < 0 || shell->opposite[e][1] < 0;
        if (border) assert_true(shell->flags[i] & shell->flags[j] & RILL_SHELL_BORDER);
    }
    assert_true(shell->weight[shell->edge_count] == 0.0);
}

static void lists_say_what_triangles_say(void **state) {
    (void)state;
    surface sphere = surface_sphere(0.01, 2);
    rill_shell *shell = make(&sphere, 0.0);
    assert_int_equal(shell->count, 162);
    assert_int_equal(shell->edge_count, 480);
    assert_int_equal(shell->report.welded_vertices, sphere.vertex_count - 162);
    check_edges(shell);
    for (int32_t i = 0; i < shell->count; ++i) check_neighbours(shell, i);
    for (int32_t i = shell->count; i < shell->block_count * RILL_SHELL_BLOCK; ++i)
        assert_int_equal(shell->first[i], shell->first[i + 1]);
    unmake(shell);
    surface_free(&sphere);
}

/* ------------------------------------------------------------------------------------------------------------- spheres */

static void a_sphere_is_as_curved_as_it_is(void **state) {
    (void)state;
    const double radius = 0.035;
    surface sphere = surface_sphere(radius, 4);
    rill_shell *shell = make(&sphere, 0.0);
    for (int32_t i = 0; i < shell->count; ++i) { /* vertices of meshes are floats: a ten-millionth off */
        double *x = shell->positions[i];
        const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int k = 0; k < 3; ++k) x[k] *= radius / length;
    }
    rill_shell_measure(shell);
    for (int32_t i = 0; i < shell->count; ++i) {
        const double *x = shell->positions[i], *n = shell->normals[i];
        const double out = (x[0] * n[0] + x[1] * n[1] + x[2] * n[2]) / radius;
        assert_true(fabs(out - 1.0) < 1e-9);
        assert_true(fabs(shell->ks[i] * radius / -2.0 - 1.0) < 1e-9);
        assert_true(fabs(shell->kq[i] * radius * radius / 2.0 - 1.0) < 1e-9);
        assert_true(shell->depth_limit[i] == (double)INFINITY);
    }
    const double area = 4.0 * 3.14159265358979323846 * radius * radius;
    assert_true(fabs(shell->report.area / area - 1.0) < 0.002);
    unmake(shell);
    surface_free(&sphere);
}

/* Spherical harmonics of degree 1, 2, 3 and 6 on the unit sphere. */
static double harmonic(int degree, const double *x) {
    const double z2 = x[2] * x[2];
    switch (degree) {
    case 1: return x[2];
    case 2: return x[0] * x[1];
    case 3: return x[0] * x[1] * x[2];
    default: return 231.0 * z2 * z2 * z2 - 315.0 * z2 * z2 + 105.0 * z2 - 5.0;
    }
}

/* Returns the error of Laplace's operator against -l (l + 1) x: root mean square over that of the exact one. */
static double laplace_error(const rill_shell *shell, int degree) {
    double error = 0.0, exact = 0.0;
    for (int32_t i = 0; i < shell->count; ++i) {
        const double here = harmonic(degree, shell->positions[i]), wanted = -degree * (degree + 1) * here;
        double sum = 0.0;
        for (int32_t at = shell->first[i]; at < shell->first[i + 1]; ++at)
            sum += shell->weight[shell->neighbour_edges[at]] *
                   (harmonic(degree, shell->positions[shell->neighbours[at]]) - here);
        const double off = sum / shell->area[i] - wanted;
        error += off * off, exact += wanted * wanted;
    }
    return sqrt(error / exact);
}

static void laplace_operator_knows_harmonics(void **state) {
    (void)state;
    surface sphere = surface_sphere(1.0, 4); /* 2562 columns */
    rill_shell *shell = make(&sphere, 0.0);
    static const int degrees[4] = { 1, 2, 3, 6 };
    static const double most[4] = { 0.008, 0.04, 0.05, 0.05 };
    for (int k = 0; k < 4; ++k) {
        const double error = laplace_error(shell, degrees[k]);
        print_message("degree %d: %.4f\n", degrees[k], error);
        if (!(error <= most[k])) fail_msg("degree %d: error %g, expected at most %g", degrees[k], error, most[k]);
    }
    unmake(shell);
    surface_free(&sphere);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_say_what_triangles_say),
        cmocka_unit_test(a_sphere_is_as_curved_as_it_is),
        cmocka_unit_test(laplace_operator_knows_harmonics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
