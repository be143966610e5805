/* Makes every model and field that the scenes read: `make_models FOLDER` writes them all.
 *
 * The results are committed in scenes/models, so that a clone is complete; a test makes them again and compares byte
 * for byte. Meshes are in millimetres, fields in metres with row 0 south and values at cell centres. */
#include "model_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 200 * 200 }; /* cells of the largest field below */

static double square(double x) {
    return x * x;
}

/* Fractal noise: `octaves` of value noise, each half as strong and half as large as the one before. */
static double relief(double x, double y, double seed, int octaves) {
    double sum = 0, strength = 1;
    for (int i = 0; i < octaves; ++i) {
        sum += strength * rill_model_noise(x, y, seed + 10.5 * i);
        x *= 2;
        y *= 2;
        strength /= 2;
    }
    return sum;
}

/* A smooth hump of height 1 at the centre that ends at `radius`. */
static double hump(double x, double y, double cx, double cy, double radius) {
    const double r2 = (square(x - cx) + square(y - cy)) / square(radius);
    return r2 < 1 ? square(1 - r2) : 0;
}

/* ------------------------------------------------------------------------------------------------------- heightmaps */

/* 100 x 100 mm, high in the north: a gully winds down past knolls into a basin along the southern side. */
static double incline_height(double x, double y) {
    const double bend = 0.05 + 0.012 * rill_model_noise(y / 0.03, 4.5, 0.5);
    const double off = (x - bend) / 0.034;
    const double slope = rill_model_blend_max(0.0, 0.24 * (y - 0.018), 0.006);
    const double rise = slope > 0.006 ? 1 : slope / 0.006, steep = rise * rise * (3 - 2 * rise);
    return 0.004 + slope + 0.0050 * off * off * steep + 0.0020 * relief(x / 0.021, y / 0.021, 0.5, 3) * steep +
           0.0035 * hump(x, y, 0.046, 0.062, 0.011) + 0.0035 * hump(x, y, 0.062, 0.043, 0.010);
}

/* 400 x 400 mm: hills, a tarn that overflows into a lake, and the lake's outlet in the south. */
static const double landscape_top = 0.07;

static double landscape_height(double x, double y) {
    double z = 0.024 + 0.010 * (y / 0.4) + 0.011 * relief(x / 0.13, y / 0.13, 3.5, 5);
    z += 0.022 * hump(x, y, 0.08, 0.32, 0.13) + 0.024 * hump(x, y, 0.33, 0.34, 0.12);
    z += 0.018 * hump(x, y, 0.06, 0.10, 0.11) + 0.016 * hump(x, y, 0.35, 0.09, 0.12);
    return z - 0.020 * hump(x, y, 0.20, 0.29, 0.085) - 0.020 * hump(x, y, 0.21, 0.13, 0.115);
}

/* 100 x 100 mm: the soft, hollow ground the vertebra lies on. */
static double tissue_height(double x, double y) {
    const double r2 = (square(x - 0.05) + square(y - 0.05)) / square(0.05);
    return 0.0022 + 0.0024 * r2 + 0.0009 * relief(x / 0.016, y / 0.016, 8.5, 3);
}

/* Thacker's paraboloid (J. Fluid Mech. 107, 1981): h0 at radius a, centre of the grid. */
static const double bowl_a = 0.04, bowl_h0 = 0.008, bowl_eta = 0.004;

static double bowl_height(double x, double y) {
    return bowl_h0 * (square(x - 0.05) + square(y - 0.05)) / square(bowl_a);
}

/* His planar motion at t = 0, at rest: the level is a plane, highest in the east. */
static double bowl_depth(double x, double y) {
    const double level = bowl_h0 + bowl_eta * bowl_h0 / square(bowl_a) * (2 * (x - 0.05) - bowl_eta);
    const double depth = level - bowl_height(x, y);
    return depth > 0 ? depth : 0;
}

/* 80 x 60 mm: a leaf, cupped along its midrib and arched, with a furrow along each vein. */
static const double leaf_top = 0.010;

static double furrow(double distance, double width) {
    const double r2 = square(distance / width);
    return r2 < 1 ? square(1 - r2) : 0;
}

static double leaf_height(double x, double y) {
    const double off = y - 0.03, side = off < 0 ? -off : off;
    const double veins = (x - 0.7 * side) / 0.016, between = veins - floor(veins) - 0.5; /* aslant, as in feathers */
    const double vein = 0.5 - (between < 0 ? -between : between), tapers = 1 - 0.8 * side / 0.03;
    const double arch = 0.0055 + 2.2 * square(side) - 0.9 * square(x - 0.045);
    return arch - 0.0009 * furrow(vein, 0.26) * tapers - 0.0015 * furrow(side, 0.005) +
           0.0001 * relief(x / 0.012, y / 0.012, 5.5, 1);
}

/* Stoker's dam: 5 mm behind it, 1 mm before it, and none on top of the three pillars. */
static double dam_depth(double x, double y) {
    const double pillars[3][2] = { { 0.3, 0.022 }, { 0.3, 0.058 }, { 0.33, 0.04 } }, radius = 0.006;
    for (int i = 0; i < 3; ++i)
        if (square(x - pillars[i][0]) + square(y - pillars[i][1]) <= square(radius)) return 0;
    return x < 0.2 ? 0.005 : 0.001;
}

typedef double height_function(double x, double y);

static void sample(height_function *height, int nx, int ny, double cell, double *out) {
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) out[y * nx + x] = height((x + 0.5) * cell, (y + 0.5) * cell);
}

static bool make_fields(const char *folder) {
    static double values[LARGEST];
    sample(incline_height, 200, 200, 0.0005, values);
    if (!rill_model_write_npy(values, 200, 200, true, folder, "incline.npy")) return false;
    sample(landscape_height, 200, 200, 0.002, values);
    if (!rill_model_write_png(values, 200, 200, 0.0, landscape_top, folder, "landscape.png")) return false;
    sample(tissue_height, 200, 200, 0.0005, values);
    if (!rill_model_write_png(values, 200, 200, 0.0, 0.01, folder, "tissue.png")) return false;
    sample(leaf_height, 80, 60, 0.001, values);
    if (!rill_model_write_png(values, 80, 60, 0.0, leaf_top, folder, "leaf.png")) return false;
    sample(rill_model_letters, 140, 140, 0.00075, values);
    if (!rill_model_write_png(values, 140, 140, 0.0, 1.0, folder, "letters.png")) return false;
    sample(bowl_height, 100, 100, 0.001, values);
    if (!rill_model_write_npy(values, 100, 100, false, folder, "bowl.npy")) return false;
    sample(bowl_depth, 100, 100, 0.001, values);
    if (!rill_model_write_npy(values, 100, 100, false, folder, "bowl_depth.npy")) return false;
    sample(dam_depth, 400, 80, 0.001, values);
    return rill_model_write_npy(values, 400, 80, true, folder, "dam_depth.npy");
}

/* ----------------------------------------------------------------------------------------------------------- meshes */

static bool make_vertebra(rill_model *out) {
    const double low[3] = { -45, -25, -30 }, high[3] = { 45, 75, 30 };
    return rill_model_polygonise(out, rill_model_vertebra, low, high, 1.5);
}

/* A cup 80 mm wide and 71 mm high, standing, its handle towards +x as a part of its own. */
static bool make_cup(rill_model *out) {
    static const double profile[][2] = {
        { 0, 2 },     { 20, 2 },      { 21, 0.4 },    { 22, 0 },    { 24.5, 0 },  { 25.6, 0.6 }, { 26.8, 3 },
        { 31, 9 },    { 34.4, 17 },   { 36.8, 28 },   { 38.4, 42 }, { 39.4, 56 }, { 40, 69.5 },  { 39.7, 70.6 },
        { 38.8, 71 }, { 37.8, 70.7 }, { 37.2, 69.5 }, { 36.4, 56 }, { 35.3, 42 }, { 33.6, 28 },  { 31.2, 18 },
        { 27.6, 11 }, { 22, 7.2 },    { 14, 5.8 },    { 0, 5.4 },
    };
    static const double handle[][2] = {
        { 38, 57.5 }, { 43, 59.5 }, { 50, 60 },   { 56, 57.5 }, { 60, 52.5 }, { 61.5, 46 },
        { 60.5, 39 }, { 57, 32.5 }, { 51.5, 27 }, { 45, 23 },   { 39, 20.5 }, { 33.4, 19.5 },
    };
    return rill_model_lathe(out, profile, (int)(sizeof profile / sizeof *profile)) &&
           rill_model_tube(out, handle, (int)(sizeof handle / sizeof *handle), 5.0, 3.0);
}

/* A saucer 144 mm wide on a foot ring; its rim hangs free 4 to 15 mm above the table. */
static bool make_saucer(rill_model *out) {
    static const double profile[][2] = {
        { 0, 3 },       { 32, 3 },     { 33.2, 0.6 }, { 34, 0 },    { 37, 0 },      { 38, 0.6 },  { 39.4, 3.4 },
        { 46, 5 },      { 54, 7.6 },   { 62, 10.8 },  { 68, 13.6 }, { 71.4, 15.6 }, { 72, 16.6 }, { 71.5, 17.4 },
        { 70.4, 17.4 }, { 66, 15.6 },  { 59, 12.6 },  { 51, 9.8 },  { 43, 7.8 },    { 34, 6.6 },  { 27, 6.4 },
        { 25.6, 6 },    { 24.6, 5.2 }, { 23, 4.9 },   { 0, 4.8 },
    };
    return rill_model_lathe(out, profile, (int)(sizeof profile / sizeof *profile));
}

/* A tumbler 70 mm wide and 86 mm high, its wall 3 mm. */
static bool make_tumbler(rill_model *out) {
    static const double profile[][2] = {
        { 0, 1 },     { 30, 1 },    { 31.5, 0 }, { 33, 0 },   { 34.6, 1.4 }, { 35, 6 }, { 35, 84 },
        { 34.3, 86 }, { 32.7, 86 }, { 32, 84 },  { 32, 9.5 }, { 31, 7.6 },   { 28, 7 }, { 0, 7 },
    };
    return rill_model_lathe(out, profile, (int)(sizeof profile / sizeof *profile));
}

static bool make_cave(rill_model *out) {
    const double low[3] = { -10, -10, -12 }, high[3] = { 130, 110, 30 };
    return rill_model_polygonise(out, rill_model_cave, low, high, 3.0);
}

/* A mat of 110 x 110 mm, 4 mm thick, that swells: two soft bumps under its skin, `swell` mm high. */
static bool make_mat(rill_model *out, double swell) {
    enum { SIDE = 44, RING = 4 * SIDE };
    uint32_t top[SIDE + 1][SIDE + 1], ring[RING], below[RING], middle;
    for (int y = 0; y <= SIDE; ++y)
        for (int x = 0; x <= SIDE; ++x) {
            const double px = 2.5 * x - 5, py = 2.5 * y - 5;
            const double bumps = hump(px, py, 42, 54, 36) + 0.55 * hump(px, py, 72, 34, 24);
            const double p[3] = { px, py, swell * bumps };
            if (!rill_model_vertex(out, p, &top[y][x])) return false;
        }
    /* The skirt and the underside, anticlockwise seen from above. */
    for (int i = 0; i < SIDE; ++i) {
        ring[i] = top[0][i];
        ring[SIDE + i] = top[i][SIDE];
        ring[2 * SIDE + i] = top[SIDE][SIDE - i];
        ring[3 * SIDE + i] = top[SIDE - i][0];
    }
    for (int i = 0; i < RING; ++i) {
        const double p[3] = { (double)out->vertices[3 * ring[i]], (double)out->vertices[3 * ring[i] + 1], -4 };
        if (!rill_model_vertex(out, p, &below[i])) return false;
    }
    const double centre[3] = { 50, 50, -4 };
    bool done = rill_model_vertex(out, centre, &middle);
    for (int y = 0; y < SIDE && done; ++y)
        for (int x = 0; x < SIDE; ++x)
            done = done && rill_model_triangle(out, top[y][x], top[y][x + 1], top[y + 1][x + 1]) &&
                   rill_model_triangle(out, top[y][x], top[y + 1][x + 1], top[y + 1][x]);
    for (int i = 0; i < RING && done; ++i) {
        const int j = (i + 1) % RING;
        done = rill_model_triangle(out, below[i], below[j], ring[j]) &&
               rill_model_triangle(out, below[i], ring[j], ring[i]) &&
               rill_model_triangle(out, middle, below[j], below[i]);
    }
    return done;
}

static bool make_mat_flat(rill_model *out) {
    return make_mat(out, 0);
}

static bool make_mat_swollen(rill_model *out) {
    return make_mat(out, 5);
}

static bool make_mesh(bool (*make)(rill_model *), const char *folder, const char *name) {
    rill_model model = { 0 };
    bool done = make(&model);
    if (!done) fprintf(stderr, "make_models: no memory for %s\n", name);
    if (done && !rill_model_closed(&model)) {
        fprintf(stderr, "make_models: %s is not a closed, consistently oriented surface\n", name);
        done = false;
    }
    done = done && rill_model_write_ply(&model, folder, name);
    if (done) printf("%s: %zu vertices, %zu triangles, closed\n", name, model.vertex_count, model.triangle_count);
    rill_model_free(&model);
    return done;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_models FOLDER\nwrites the models of the scenes into an existing folder\n");
        return 2;
    }
    const char *folder = argv[1];
    const bool done = make_mesh(make_vertebra, folder, "vertebra.ply") && make_mesh(make_cup, folder, "cup.ply") &&
                      make_mesh(make_saucer, folder, "saucer.ply") && make_mesh(make_cave, folder, "cave.ply") &&
                      make_mesh(rill_model_boat, folder, "boat.ply") &&
                      make_mesh(make_tumbler, folder, "tumbler.ply") &&
                      make_mesh(make_mat_flat, folder, "mat_flat.ply") &&
                      make_mesh(make_mat_swollen, folder, "mat_swollen.ply") && make_fields(folder);
    return done ? 0 : 4;
}
