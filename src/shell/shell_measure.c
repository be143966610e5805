/* Areas, normals, weights and curvatures of a shell.
 *
 * Based on: M. Meyer, M. Desbrun, P. Schroeder, A. H. Barr 2003, "Discrete differential-geometry operators for triangulated
 * 2-manifolds" (A, w, ks); N. Max 1999, "Weights for computing vertex normals from facet normals", whose normals are exact
 * where vertices lie on a sphere, and so is then
 *
 *     ks = -N . (1/A) sum w (X_i - X_j)
 *
 * as long as no triangle is obtuse. How much k1 and k2 differ is that of the symmetric 2 x 2 matrix S that fits the differences
 * of neighbours' normals best, N_j - N_i = S (X_j - X_i) in the plane of i; so is ks at borders, where the ring is open. */
#include "base/assert.h"
#include "base/vec.h"
#include "shell/shell_internal.h"

#include <math.h>
#include <string.h>

/* Triangles are taken to be at least so high, in lengths of their longest side: cotangents stay finite. */
static const double FLATTEST = 1e-6;
/* Curvatures, in 1 / spacing, that columns can follow. */
static const double SHARPEST = 1.0 / 3.0;
/* How deep columns may be, of the depth at which they would cross. */
static const double DEEPEST = 0.9;

/* -------------------------------------------------------------------------------------------------- triangles, areas */

static double length_of(const double v[3]) {
    return sqrt(rill_vec_dot(v, v));
}

static void add_area(rill_shell *shell, int32_t t, const double square[3], double area) {
    const uint32_t *v = shell->triangles[t];
    const double *cot = shell->cotangents[t];
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, r = (k + 2) % 3; /* square[k] is that of the side opposite of corner k */
        double share = 0.125 * (square[l] * cot[l] + square[r] * cot[r]);
        if (cot[k] < 0.0)
            share = 0.5 * area;
        else if (cot[l] < 0.0 || cot[r] < 0.0)
            share = 0.25 * area;
        shell->area[v[k]] += share;
    }
}

/* Adds the normal of a corner, by Max's weight, to that of its column. */
static void add_normal(rill_shell *shell, uint32_t column, const double cross[3], double squares) {
    if (squares > 0.0)
        for (int i = 0; i < 3; ++i) shell->normals[column][i] += cross[i] / squares;
}

static void measure_triangle(rill_shell *shell, int32_t t) {
    const uint32_t *v = shell->triangles[t];
    double side[3][3], square[3], cross[3];
    for (int k = 0; k < 3; ++k) {
        rill_vec_difference(shell->positions[v[(k + 2) % 3]], shell->positions[v[(k + 1) % 3]], side[k]);
        square[k] = rill_vec_dot(side[k], side[k]);
    }
    rill_vec_cross(side[0], side[1], cross);
    const double longest = fmax(square[0], fmax(square[1], square[2]));
    const double twice = fmax(length_of(cross), FLATTEST * longest);
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, r = (k + 2) % 3;
        shell->cotangents[t][k] = twice > 0.0 ? -rill_vec_dot(side[l], side[r]) / twice : 0.0;
        add_normal(shell, v[k], cross, square[l] * square[r]);
    }
    shell->triangle_area[t] = 0.5 * twice;
    add_area(shell, t, square, 0.5 * twice);
}

static void measure_edges(rill_shell *shell) {
    double sum = 0.0;
    shell->report.clamped_edges = 0;
    for (int32_t e = 0; e < shell->edge_count; ++e) {
        double along[3], weight = 0.0;
        rill_vec_difference(shell->positions[shell->edges[e][1]], shell->positions[shell->edges[e][0]], along);
        for (int k = 0; k < 2; ++k) {
            const int32_t corner = shell->opposite[e][k];
            if (corner >= 0) weight += 0.5 * shell->cotangents[corner / 3][corner % 3];
        }
        shell->length[e] = length_of(along);
        shell->weight[e] = fmax(weight, 0.0);
        shell->report.clamped_edges += weight < 0.0;
        sum += shell->length[e];
    }
    shell->weight[shell->edge_count] = 0.0;
    shell->length[shell->edge_count] = 1.0;
    shell->spacing = shell->edge_count ? sum / shell->edge_count : 0.0;
}

static void scale_normals(rill_shell *shell) {
    for (int32_t i = 0; i < shell->count; ++i) {
        double *normal = shell->normals[i];
        const double length = length_of(normal);
        for (int k = 0; k < 3; ++k) normal[k] = length > 0.0 ? normal[k] / length : k == 2;
    }
}

/* -------------------------------------------------------------------------------------------------------- curvatures */

/* Makes two directions along a plane. */
static void directions(const double normal[3], double u[3], double v[3]) {
    const int axis = fabs(normal[0]) < 0.6 ? 0 : 1;
    double along[3] = { axis == 0, axis == 1, 0.0 };
    rill_vec_cross(normal, along, u);
    const double length = length_of(u);
    for (int k = 0; k < 3; ++k) u[k] /= length;
    rill_vec_cross(normal, u, v);
}

/* The least squares of S = (a b; b c). */
typedef struct shape_fit {
    double uu, uv, vv, up, middle, vq;
} shape_fit;

static void add_neighbour(shape_fit *fit, const rill_shell *shell, int32_t i, int32_t j, const double along[2][3]) {
    double way[3], turn[3];
    rill_vec_difference(shell->positions[j], shell->positions[i], way);
    rill_vec_difference(shell->normals[j], shell->normals[i], turn);
    const double u = rill_vec_dot(way, along[0]), v = rill_vec_dot(way, along[1]);
    const double p = rill_vec_dot(turn, along[0]), q = rill_vec_dot(turn, along[1]);
    fit->uu += u * u, fit->uv += u * v, fit->vv += v * v;
    fit->up += u * p, fit->middle += v * p + u * q, fit->vq += v * q;
}

/* Solves for a, b and c; all 0 where neighbours are too few or in one line. */
static void solve_fit(const shape_fit *fit, double s[3]) {
    const double uu = fit->uu, uv = fit->uv, vv = fit->vv, both = uu + vv;
    const double determinant = both * (uu * vv - uv * uv);
    s[0] = s[1] = s[2] = 0.0;
    if (!(determinant > 1e-9 * both * both * both)) return;
    const double a = fit->up, b = fit->middle, c = fit->vq;
    s[0] = (a * (both * vv - uv * uv) - uv * (b * vv - uv * c)) / determinant;
    s[1] = (uu * (b * vv - uv * c) - a * uv * vv) / determinant;
    s[2] = (uu * (both * c - uv * b) - uv * uv * c + uv * uv * a) / determinant;
}

/* Keeps a curvature within what columns can follow. */
static double clip(double k, double most) {
    return k > most ? most : k < -most ? -most : k;
}

static void bend_column(rill_shell *shell, int32_t i) {
    double along[2][3], s[3], sum = 0.0;
    shape_fit fit = { 0 };
    directions(shell->normals[i], along[0], along[1]);
    for (int32_t at = shell->first[i]; at < shell->first[i + 1]; ++at) {
        const int32_t j = shell->neighbours[at];
        double way[3];
        rill_vec_difference(shell->positions[i], shell->positions[j], way);
        sum += shell->weight[shell->neighbour_edges[at]] * rill_vec_dot(shell->normals[i], way);
        add_neighbour(&fit, shell, i, j, (const double(*)[3])along);
    }
    solve_fit(&fit, s);
    const bool open = shell->flags[i] & RILL_SHELL_BORDER || !(shell->area[i] > 0.0);
    const double both = open ? -(s[0] + s[2]) : -sum / shell->area[i];
    const double apart = sqrt((s[0] - s[2]) * (s[0] - s[2]) + 4.0 * s[1] * s[1]);
    const double most = SHARPEST / shell->spacing;
    const double k1 = clip(0.5 * (both + apart), most), k2 = clip(0.5 * (both - apart), most);
    shell->ks[i] = k1 + k2;
    shell->kq[i] = k1 * k1 + k2 * k2;
    shell->depth_limit[i] = k1 > 0.0 ? DEEPEST / k1 : (double)INFINITY;
}

/* Finds the bounds, and takes limits away that are farther than the shell is large: they are those of rounding. */
static void bound(rill_shell *shell) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        shell->low[k] = shell->high[k] = shell->positions[0][k];
        for (int32_t i = 1; i < shell->count; ++i) {
            shell->low[k] = fmin(shell->low[k], shell->positions[i][k]);
            shell->high[k] = fmax(shell->high[k], shell->positions[i][k]);
        }
        square += (shell->high[k] - shell->low[k]) * (shell->high[k] - shell->low[k]);
    }
    for (int32_t i = 0; i < shell->count; ++i) {
        const bool limited = shell->depth_limit[i] * shell->depth_limit[i] < square;
        if (!limited) shell->depth_limit[i] = (double)INFINITY;
        shell->flags[i] = (uint8_t)((shell->flags[i] & ~RILL_SHELL_LIMITED) | (limited ? RILL_SHELL_LIMITED : 0));
    }
}

static void sum_up(rill_shell *shell) {
    rill_shell_report *report = &shell->report;
    double widest = -INFINITY; /* cotangent of the smallest angle */
    report->area = report->largest_area = report->highest_relief = 0.0;
    report->smallest_area = report->smallest_limit = (double)INFINITY;
    report->border_columns = report->limited_columns = 0;
    for (int32_t i = 0; i < shell->count; ++i) {
        report->area += shell->area[i];
        report->smallest_area = fmin(report->smallest_area, shell->area[i]);
        report->largest_area = fmax(report->largest_area, shell->area[i]);
        report->smallest_limit = fmin(report->smallest_limit, shell->depth_limit[i]);
        report->highest_relief = fmax(report->highest_relief, fabs(shell->relief[i]));
        report->limited_columns += (shell->flags[i] & RILL_SHELL_LIMITED) != 0;
        report->border_columns += (shell->flags[i] & RILL_SHELL_BORDER) != 0;
    }
    for (int32_t t = 0; t < shell->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) widest = fmax(widest, shell->cotangents[t][k]);
    report->worst_angle = atan2(1.0, widest) * (180.0 / 3.14159265358979323846); /* for people alone */
}

void rill_shell_measure(rill_shell *shell) {
    memset(shell->area, 0, (size_t)shell->count * sizeof *shell->area);
    memset(shell->normals, 0, (size_t)shell->count * sizeof *shell->normals);
    for (int32_t t = 0; t < shell->triangle_count; ++t) measure_triangle(shell, t);
    scale_normals(shell);
    measure_edges(shell);
    for (int32_t i = 0; i < shell->count; ++i) bend_column(shell, i);
    bound(shell);
    sum_up(shell);
}
