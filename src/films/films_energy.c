/* The energy of liquid on a shell, of which the pressures of films.h are the slopes by the volume of columns:
 *
 *     sum over columns A [ gn (H^2 / 2 + b H) + phi H - G (kq (H^2 / 2 + b H) + ks H) + hardness max(0, H - limit)^2 / 2
 *                          + G (s^2 / 2) (1 - max(0, 1 - H / h*)^2) ],   h* = c l s
 *     + G sum over triangles area (sqrt(1 + |grad h|^2) - 1)  +  sum over edges w d^2 H u^2 / 2, H that of the higher column */
#include <math.h>

#include "films/films_internal.h"

static double size_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double column_energy(const rill_films *films, const rill_film_forces *forces, int32_t i) {
    const rill_shell *shell = films->shell;
    const double *g = forces->gravity, *X = shell->positions[i], *N = shell->normals[i], G = forces->strength;
    const double gn = forces->inwards - (g[0] * N[0] + g[1] * N[1] + g[2] * N[2]), H = rill_films_depth(films, i),
                 b = shell->relief[i];
    double phi = 0.0;
    for (int k = 0; k < 3; ++k) phi -= g[k] * (X[k] - films->middle[k]);
    const double s = (double)(films->planes.wet[i] ? films->receding[i] : films->advancing[i]);
    const double end = RILL_FOOT * shell->spacing * s, left = end > 0.0 ? fmax(1.0 - H / end, 0.0) : 0.0;
    const double over = fmax(H - shell->depth_limit[i], 0.0);
    const double hardness =
        RILL_FILMS_HARDNESS * (size_of(g) + forces->inwards + G / (shell->spacing * shell->spacing));
    return shell->area[i] * ((gn - G * shell->kq[i]) * H * (0.5 * H + b) + (phi - G * shell->ks[i]) * H +
                             0.5 * hardness * over * over + 0.5 * G * s * s * (1.0 - left * left));
}

static double slope_square(const rill_films *films, int32_t t) {
    const rill_shell *shell = films->shell;
    double h[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int32_t i = (int32_t)shell->triangles[t][k];
        h[k] = shell->relief[i] + rill_films_depth(films, i);
    }
    for (int k = 0; k < 3; ++k) {
        const double rise = h[(k + 1) % 3] - h[(k + 2) % 3];
        square += shell->cotangents[t][k] * rise * rise;
    }
    return 0.5 * square / shell->triangle_area[t];
}

double rill_films_energy(const rill_films *films, const rill_film_forces *forces) {
    const rill_shell *shell = films->shell;
    double all = 0.0;
    for (int32_t i = 0; i < shell->count; ++i) all += column_energy(films, forces, i);
    for (int32_t t = 0; t < shell->triangle_count; ++t)
        all += forces->strength * shell->triangle_area[t] * (sqrt(1.0 + fmax(slope_square(films, t), 0.0)) - 1.0);
    for (int32_t e = 0; e < shell->edge_count; ++e) {
        const double u = (double)films->planes.u[e], d = shell->length[e];
        const double H = fmax(rill_films_depth(films, shell->edges[e][0]), rill_films_depth(films, shell->edges[e][1]));
        all += 0.5 * shell->weight[e] * d * d * H * u * u;
    }
    return all;
}
