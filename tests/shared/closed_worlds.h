/* Random closed worlds as scenes: low openings, lintels, slabs, hovering discs, stems, slits, steps, ramps, rough
 * ground. */
#ifndef RILL_TESTS_CLOSED_WORLDS_H
#define RILL_TESTS_CLOSED_WORLDS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------ dice (SplitMix64) */

static inline uint64_t roll(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline double between(uint64_t *state, double low, double high) {
    return low + (high - low) * (double)(roll(state) >> 11) * 0x1p-53;
}
/* As often near low as near high, on a logarithmic scale. */
static inline double scaled(uint64_t *state, double low, double high) {
    return low * pow(high / low, between(state, 0, 1));
}
static inline bool chance(uint64_t *state, double p) {
    return between(state, 0, 1) < p;
}

/* ------------------------------------------------------------------------------------------------------------ scene */

typedef struct closed_world {
    uint64_t dice;
    char text[16384];
    size_t length;
    double poured; /* s: sources end */
    int32_t cells[2], solids;
    double dx, size[2], depth; /* m */
    double clear;              /* of the size along x: nothing but the floor to run aground on; for bodies */
} closed_world;

static inline __attribute__((format(printf, 2, 3))) void put(closed_world *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, args);
    va_end(args);
}

static inline void put_box(closed_world *w, const double low[3], const double high[3], const char *more) {
    put(w, "    - { name: s%d, shape: box, min: [%.6g, %.6g, %.6g], max: [%.6g, %.6g, %.6g]%s }\n", w->solids++, low[0],
        low[1], low[2], high[0], high[1], high[2], more);
}

static inline void put_cylinder(closed_world *w, double x, double y, double from, double to, double radius) {
    put(w, "    - { name: s%d, shape: cylinder, from: [%.6g, %.6g, %.6g], to: [%.6g, %.6g, %.6g], radius: %.6g }\n",
        w->solids++, x, y, from, x, y, to, radius);
}

/* A gap above the floor: from a hair to the depth of the liquid. */
static inline double gap(closed_world *w) {
    return chance(&w->dice, 0.3) ? scaled(&w->dice, 1e-5, 1e-4) : scaled(&w->dice, 1e-4, fmax(2e-4, 1.2 * w->depth));
}

/* A wall across all of the world, along y or x, between two heights. */
static inline void put_wall(closed_world *w, double from, double to, double at, double thick, int axis) {
    double low[3] = { -1, -1, from }, high[3] = { 1, 1, to };
    low[axis] = at;
    high[axis] = at + thick;
    put_box(w, low, high, "");
}

static inline void put_thing(closed_world *w) {
    uint64_t *d = &w->dice;
    const double dx = w->dx, top = 12 * w->depth + 5e-3;
    const double x = between(d, w->clear, 1) * w->size[0], y = between(d, 0, w->size[1]);
    const double wide = dx * between(d, 2, 12), long_ = dx * between(d, 2, 12), z = gap(w);
    const bool bodies = w->clear > 0;
    const int axis = chance(d, 0.5) && !bodies;
    const double across = bodies ? between(d, w->clear, 0.9) : between(d, 0.2, 0.7);
    switch (roll(d) % (bodies ? 6 : 7)) {
    case 0: /* slab */
        put_box(w, (double[]){ x, y, z }, (double[]){ x + wide, y + long_, z + scaled(d, 2e-4, 3e-3) }, "");
        break;
    case 1: /* lintel */ put_wall(w, z, top, across * w->size[axis], dx * between(d, 1.1, 4), axis); break;
    case 2: /* hovering disc */
        put_cylinder(w, bodies ? x + 0.5 * wide + dx : x, y, z, z + scaled(d, 5e-4, 1e-2), 0.5 * wide + dx);
        break;
    case 3: /* stem, or a few of them */
        for (int i = 0; i < 4; ++i)
            put_cylinder(w, x + dx * between(d, bodies ? 2 : -5, 5), y + dx * between(d, -5, 5), -1e-3, top,
                         dx * between(d, 0.6, 1.5));
        break;
    case 4: /* step */
        put_box(w, (double[]){ x, y, -1e-3 }, (double[]){ x + wide, y + long_, scaled(d, 2e-4, 5e-3) }, "");
        break;
    case 5: { /* a wall with a low door in it */
        const double at = across * w->size[axis], thick = dx * between(d, 1.1, 3);
        double low[3] = { -1, -1, -1e-3 }, high[3] = { 1, 1, top }, door = between(d, 0.2, 0.8) * w->size[!axis];
        low[axis] = at, high[axis] = at + thick, high[!axis] = door - dx;
        put_box(w, low, high, "");
        low[!axis] = door + dx, high[!axis] = 1;
        put_box(w, low, high, "");
        put_wall(w, z, top, at, thick, axis);
        break;
    }
    default: { /* slit: a wall hovers above the brink of a ledge */
        const double brink = between(d, 0.3, 0.6) * w->size[axis], high = scaled(d, 1e-3, 2e-2);
        put_wall(w, -1e-3, high, -1, 1 + brink, axis);
        put_wall(w, high + scaled(d, 1e-5, 1e-3), high + top, brink, dx * between(d, 1.1, 4), axis);
    }
    }
}

static inline void put_ground(closed_world *w) {
    uint64_t *d = &w->dice;
    put_box(w, (double[]){ -1, -1, -0.05 }, (double[]){ 1, 1, 0 }, "");
    const uint64_t kind = w->clear > 0 ? 2 : roll(d) % 4;
    if (kind == 0) { /* ramp */
        char turn[64];
        snprintf(turn, sizeof turn, ", rotate: [0, %.4g, %.4g]", -between(d, 1, 12), between(d, 0, 90));
        put_box(w, (double[]){ -0.5, -0.5, -0.02 }, (double[]){ 0.5, 0.5, 0 }, turn);
    }
    for (int i = 0; kind == 1 && i < 40; ++i) { /* rough */
        const double x = between(d, w->clear, 1) * w->size[0], y = between(d, 0, w->size[1]);
        put_box(w, (double[]){ x, y, -1e-3 },
                (double[]){ x + w->dx * between(d, 1, 4), y + w->dx * between(d, 1, 4), scaled(d, 1e-5, 1e-3) }, "");
    }
}

/* Bodies that float, or fall up to a millimetre. */
static inline void put_bodies(closed_world *w, double level) {
    uint64_t *d = &w->dice;
    put(w, "fill: [ { at: [%.6g, %.6g, 1e-5], level: %.6g } ]\nbodies:\n", 0.5 * w->dx, 0.5 * w->dx, level);
    for (int i = 0, n = 1 + (int)(roll(d) % 2); i < n; ++i) {
        const double density = between(d, 100, 800), draft = between(d, 0.2, 0.6) * level,
                     high = fmin(draft * 1000 / density, 5 * w->dx), falls = chance(d, 0.5) ? between(d, 0, 1e-3) : 0;
        put(w, "  - { name: b%d, shape: box, size: [%.5g, %.5g, %.5g], density: %.4g, position: [%.5g, %.5g, %.5g] }\n",
            i, w->dx * between(d, 3, 6), w->dx * between(d, 3, 6), high, density, 0.5 * w->clear * w->size[0],
            w->size[1] * (n == 1   ? 0.5
                          : i == 0 ? 0.25
                                   : 0.75),
            level - draft + falls + 0.5 * high);
    }
}

static inline void make_closed_world(closed_world *w, uint64_t seed) {
    *w = (closed_world){ .dice = seed * 0x2545f4914f6cdd1du, .poured = 1.0 };
    uint64_t *d = &w->dice;
    static const char *const passages[] = { "any", "any", "straight", "off" };
    w->clear = chance(d, 0.2) ? 0.6 : 0;
    w->dx = scaled(d, 8e-4, 4e-3);
    w->depth = scaled(d, w->clear > 0 ? 1e-3 : 3e-4, 3e-3);
    for (int i = 0; i < 2; ++i) {
        w->cells[i] = (w->clear > 0 ? 20 : 12) + (int32_t)(roll(d) % 17);
        w->size[i] = w->dx * w->cells[i];
    }
    put(w, "rill: 1\nname: w%llu\nbed:\n  grid: { cells: [%d, %d], cell_size: %.6g }\n  headroom: 0.05\n",
        (unsigned long long)seed, w->cells[0], w->cells[1], w->dx);
    put(w, "  min_opening: 0\n  solids:\n"); /* gaps of 10 micrometres are meant */
    put_ground(w);
    for (int i = 0, n = 1 + (int)(roll(d) % 5); i < n; ++i) put_thing(w);
    const double level = between(d, 0.2, 1) * w->depth, gentle = w->clear > 0 ? 0.05 : 1;
    const double rate = gentle * (w->depth - 0.9 * level) * w->size[0] * w->size[1];
    const double square = w->depth * w->depth; /* water stays in motion for long where it is deep */
    const double nu = chance(d, 0.3) && square < 2e-6 ? 1e-6
                      : chance(d, 0.5)                ? fmax(1e-6, 0.5 * square)
                                                      : scaled(d, fmax(1e-6, square), 1e-4);
    put(w, "sources:\n  - { name: rain, rain: %.6g, until: 1 }\n", gentle * level * 3.6e6); /* mm/h */
    put(w, "  - { name: tap, at: [%.6g, %.6g, 0.045], radius: %.6g, rate: %.6g, until: 1 }\n",
        between(d, fmax(0.1, w->clear), 0.9) * w->size[0], between(d, 0.1, 0.9) * w->size[1], 2 * w->dx, rate);
    put(w, "liquid: { viscosity: %.4g }\nsolver: { passages: %s, max_substeps: 4000 }\n", nu, passages[roll(d) % 4]);
    if (w->clear > 0) put_bodies(w, level);
    put(w, "run: { frame: 0.0166667, until: %.4g }\n", w->poured + fmax(20.0, 20.0 * square / nu));
}

#endif
