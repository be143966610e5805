/* Case 25, its second half: walls that push.
 *
 *   bore      a wall is driven into still liquid at the speed U. Before it runs a bore; mass and momentum across its
 *             front (Rankine and Hugoniot; Stoker 1957, chapter 10) give the depth h1 behind it,
 *
 *                 U = (h1 - h0) sqrt(g (h1 + h0) / (2 h0 h1)),      front at h1 U / (h1 - h0) t.
 *
 *             The wall passes a cell in some frames, or several cells in one: the liquid must not notice.
 *   ride      a wall between two reaches of still liquid: behind it the liquid follows in a simple wave (Stoker),
 *
 *                 2 sqrt(g h2) = 2 sqrt(g h0) - U.
 *
 *             Also very slowly, and at an angle to the grid. Levels are looked at ten cells or so from the wall, over time.
 *   passage   a piston presses a flooded chamber that one passage leads out of: what it displaces goes through the
 *             passage, at the piston's speed times the ratio of the areas, in every sub-step. */
#include "cases.h"
#include "rig.h"

#include <math.h>

static const double gravity = 9.81;

static bool put(rill_rig *rig, const char *name, double x, double z) {
    const double place[3] = { x, 0, z }, turn[3] = { 0, 0, 0 };
    rill_solid_id id = rill_solid_find(rig->world, name);
    return rig->ok && rill_rig_expect(rig, rill_solid_set_pose(rig->world, id, place, turn), "rill_solid_set_pose");
}

/* ------------------------------------------------------------------------------------------------------------ bore */

static double depth_behind_bore(double h0, double speed) {
    double low = h0, high = 100 * h0;
    for (int i = 0; i < 200; ++i) {
        double h = 0.5 * (low + high);
        *((h - h0) * sqrt(gravity * (h + h0) / (2 * h0 * h)) < speed ? &low : &high) = h;
    }
    return low;
}

typedef struct plateau {
    double mean, ripple; /* m; ripple is the root mean square */
} plateau;

/* Over the cells between two places, in the middle of the channel. */
static plateau measure(const rill_rig *rig, double from, double to) {
    double sum = 0, squares = 0;
    int count = 0;
    for (int32_t x = 0; x < rig->nx; ++x) {
        double at = rill_rig_centre(rig, x), h = rig->depth[rill_rig_cell(rig, x, rig->ny / 2)];
        if (at > from && at < to) {
            sum += h;
            squares += h * h;
            ++count;
        }
    }
    double mean = sum / count;
    return (plateau){ mean, sqrt(fmax(0, squares / count - mean * mean)) };
}

/* A channel of 400 x 4 mm, 5 mm deep; the wall starts 2.1 mm from its end. A frame is 1/60 s. */
static void run_bore(rill_validation *validation, double cells_per_frame, double duration) {
    const double dx = 1e-3, h0 = 5e-3, start = 2.1e-3, frame = 1.0 / 60, speed = cells_per_frame * dx / frame;
    const double h1 = depth_behind_bore(h0, speed), front = h1 * speed / (h1 - h0);
    const int frames = (int)lround(duration / frame);
    rill_rig rig;
    int64_t error = 0;
    plateau found = { 0, 0 };
    if (rill_rig_begin(&rig, validation, 400, 4, dx)) {
        rill_rig_add_box(&rig, -0.5, -1, -1e-3, start, 1, 0.1);
        if (rig.ok) rig.boxes[0].name = "wall";
        rig.def.headroom = 0.03;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.3, 2e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, h0, NULL), "rill_world_fill_level");
        for (int k = 1; k <= frames && put(&rig, "wall", speed * frame * k, 0); ++k) {
            rill_rig_step(&rig, frame);
            rill_rig_audit(&rig, &error);
        }
        rill_rig_look(&rig);
        double wall = start + speed * duration, bore = start + front * duration;
        found = measure(&rig, wall + 0.15 * (bore - wall), wall + 0.8 * (bore - wall));
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .unit = "mm" };
        check.value = 1e3 * (found.mean - h0);
        check.target = 1e3 * (h1 - h0);
        check.tolerance = 0.03;
        rill_validation_add(validation, &check, "wall, %g cells a frame: rise behind the bore", cells_per_frame);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 5, .unit = "%" };
        check.value = 100 * found.ripple / (h1 - h0);
        rill_validation_add(validation, &check, "wall, %g cells a frame: ripple of the rise, rms", cells_per_frame);
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &check, "wall, %g cells a frame: ledger error", cells_per_frame);
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------ ride */

typedef struct series {
    double sum, squares;
    int count;
} series;

static void note(series *sums, double value) {
    sums->sum += value;
    sums->squares += value * value;
    ++sums->count;
}

static double mean_of(const series *sums) {
    return sums->sum / sums->count;
}

static double deviation_of(const series *sums) {
    return sqrt(fmax(0, sums->squares / sums->count - mean_of(sums) * mean_of(sums)));
}

/* A wall 20 mm thick, in cells of 1 mm and liquid of 5 mm. */
typedef struct ride {
    const char *name;
    int32_t nx, ny;
    double x, length; /* where its middle is at first, and how long it is, m */
    double angle;     /* degrees between its way and the x-axis */
    double speed;     /* m/s */
    double duration;  /* s; the second half of it is looked at */
} ride;

/* The depths in a band along the wall, eight to twelve cells before or behind it. */
static void look_beside(rill_rig *rig, const ride *r, double gone, double side, series *out) {
    const double c = cos(r->angle * 3.14159265358979323846 / 180), s = sin(r->angle * 3.14159265358979323846 / 180);
    const int half = r->ny > 16 ? 8 : 0;
    for (int k = 8; k <= 12; ++k) {
        for (int i = -half; i <= half; ++i) {
            const double away = gone + side * (0.01 + 1e-3 * k), along = 1e-3 * i;
            const double at[3] = { r->x + away * c - along * s, 5e-4 * r->ny + away * s + along * c, 1e-4 };
            rill_sample sample = { 0 };
            rill_rig_expect(rig, rill_query_points(rig->world, at, 1, &sample), "rill_query_points");
            note(out, sample.depth);
        }
    }
}

static bool make_ride(rill_rig *rig, rill_validation *validation, const ride *which) {
    if (rill_rig_begin(rig, validation, which->nx, which->ny, 1e-3)) {
        rill_rig_add_box(rig, -0.01, -0.5 * which->length, -5e-3, 0.01, 0.5 * which->length, 0.1);
        rig->def.headroom = 0.03;
    }
    if (rig->ok) {
        rig->boxes[0].name = "wall";
        rig->boxes[0].translate[0] = which->x;
        rig->boxes[0].translate[1] = 5e-4 * which->ny;
        rig->boxes[0].rotate[2] = which->angle;
    }
    if (!rill_rig_build(rig)) return false;
    for (size_t i = 0; i < rig->cells; ++i) rig->depth[i] = rig->base[i] > 1e-3 ? 0 : 5e-3;
    return rill_rig_fill(rig);
}

static void run_ride(rill_validation *validation, const ride *which) {
    const double h0 = 5e-3, frame = 1.0 / 60, way = which->speed / 60;
    const double h1 = depth_behind_bore(h0, which->speed),
                 h2 = pow(sqrt(gravity * h0) - 0.5 * which->speed, 2) / gravity;
    const double c = cos(which->angle * 3.14159265358979323846 / 180),
                 s = sin(which->angle * 3.14159265358979323846 / 180);
    rill_rig rig;
    series before = { 0 }, behind = { 0 };
    int64_t error = 0;
    bool ok = make_ride(&rig, validation, which);
    const int frames = (int)lround(which->duration / frame);
    for (int k = 1; ok && k <= frames; ++k) {
        const double place[3] = { which->x + way * k * c, 5e-4 * which->ny + way * k * s, 0 },
                     turn[3] = { 0, 0, which->angle };
        const rill_solid_id id = rill_solid_find(rig.world, "wall");
        rill_rig_expect(&rig, rill_solid_set_pose(rig.world, id, place, turn), "rill_solid_set_pose");
        ok = rill_rig_step(&rig, frame) && rill_rig_audit(&rig, &error);
        if (2 * k > frames) {
            look_beside(&rig, which, way * k, 1, &before);
            look_beside(&rig, which, way * k, -1, &behind);
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .unit = "mm", .tolerance = 0.03 };
        check.value = 1e3 * (mean_of(&before) - h0);
        check.target = 1e3 * (h1 - h0);
        rill_validation_add(validation, &check, "wall, %s: rise before it", which->name);
        check.value = 1e3 * (mean_of(&behind) - h0);
        check.target = 1e3 * (h2 - h0);
        check.tolerance = 0.05;
        rill_validation_add(validation, &check, "wall, %s: fall behind it", which->name);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 2, .unit = "%" };
        check.value = 100 * fmax(deviation_of(&before), deviation_of(&behind)) / h0;
        rill_validation_add(validation, &check, "wall, %s: ripple, rms, of the depth", which->name);
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &check, "wall, %s: ledger error", which->name);
    }
    rill_rig_end(&rig);
}

static void run_rides(rill_validation *validation) {
    const double wave = sqrt(gravity * 5e-3);
    const ride rides[] = {
        { .name = "a cell in 5 s", .nx = 3200, .ny = 1, .x = 1.60048, .length = 1, .speed = 2e-4, .duration = 6 },
        { .name = "a cell a second", .nx = 1600, .ny = 1, .x = 0.80048, .length = 1, .speed = 1e-3, .duration = 3 },
        { .name = "0.1 of the wave speed",
          .nx = 800,
          .ny = 1,
          .x = 0.4001,
          .length = 1,
          .speed = 0.1 * wave,
          .duration = 1.2 },
        { .name = "half of the wave speed",
          .nx = 1000,
          .ny = 1,
          .x = 0.4001,
          .length = 1,
          .speed = 0.5 * wave,
          .duration = 1.2 },
        { .name = "the wave speed", .nx = 1200, .ny = 1, .x = 0.4001, .length = 1, .speed = wave, .duration = 1.2 },
        { .name = "0.05 of the wave speed, 30 degrees",
          .nx = 300,
          .ny = 300,
          .x = 0.13,
          .length = 0.22,
          .angle = 30,
          .speed = 0.05 * wave,
          .duration = 0.45 },
        { .name = "0.3 of the wave speed, 30 degrees",
          .nx = 300,
          .ny = 300,
          .x = 0.13,
          .length = 0.22,
          .angle = 30,
          .speed = 0.3 * wave,
          .duration = 0.36 },
    };
    for (size_t i = 0; i < sizeof rides / sizeof rides[0]; ++i) run_ride(validation, &rides[i]);
}

/* --------------------------------------------------------------------------------------------------------- passage */

/* Returns the flow through the middle of the passage: the mean over its width, m/s. */
static double passage_speed(rill_rig *rig) {
    double sum = 0;
    for (int32_t y = 5; y < 15; ++y) {
        const double at[3] = { 0.03, rill_rig_centre(rig, y), 1e-3 };
        rill_sample sample = { 0 };
        rill_rig_expect(rig, rill_query_points(rig->world, at, 1, &sample), "rill_query_points");
        sum += sample.velocity[0];
    }
    return sum / 10;
}

/* Wells of 20 x 20 mm, a passage 20 mm long, 10 mm wide and 4 mm high. The piston, which fills its well and lies on the
 * liquid, goes down at 10 mm/s. A frame of 1/60 s is 16 steps here, to see what happens within it. */
static void run_passage(rill_validation *validation) {
    enum { STEPS = 16, FRAMES = 24, START_UP = 6 };
    const double piston = 0.01, frame = 1.0 / 60, exact = piston * 400e-6 / 40e-6;
    rill_rig rig;
    int64_t error = 0;
    double sum = 0, worst = 0;
    if (rill_rig_begin(&rig, validation, 60, 20, 1e-3)) {
        rill_rig_add_box(&rig, 0.02, 0, 4e-3, 0.04, 0.02, 0.05);
        rill_rig_add_box(&rig, 0.02, 0, -1e-3, 0.04, 5e-3, 5e-3);
        rill_rig_add_box(&rig, 0.02, 0.015, -1e-3, 0.04, 0.02, 5e-3);
        rill_rig_add_box(&rig, 0, 0, 0.015, 0.02, 0.02, 0.05);
        if (rig.ok) rig.boxes[3].name = "piston";
        rig.def.liquid.viscosity = 1e-6;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.05, 0.01, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, 0.016, NULL), "rill_world_fill_level");
        for (int k = 1; k <= FRAMES * STEPS && rig.ok; ++k) {
            if (k % STEPS == 1) put(&rig, "piston", 0, -piston * frame * (k / STEPS + 1));
            rill_rig_step(&rig, frame / STEPS);
            rill_rig_audit(&rig, &error);
            if (k > START_UP * STEPS) {
                double speed = passage_speed(&rig);
                sum += speed;
                worst = fmax(worst, fabs(speed - exact));
            }
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .unit = "mm/s" };
        check.value = 1e3 * sum / ((FRAMES - START_UP) * STEPS);
        check.target = 1e3 * exact;
        check.tolerance = 0.02;
        rill_validation_add(validation, &check, "piston on a flooded chamber: speed in its passage, mean");
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 20, .unit = "%" };
        check.value = 100 * worst / exact;
        rill_validation_add(validation, &check, "piston on a flooded chamber: largest deviation in a step");
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &check, "piston on a flooded chamber: ledger error");
    }
    rill_rig_end(&rig);
}

void rill_case_pushing_walls(rill_validation *validation) {
    run_bore(validation, 0.2, 1);
    run_bore(validation, 0.3, 1);
    run_bore(validation, 1.3, 1);
    run_bore(validation, 2, 0.8);
    run_rides(validation);
    run_passage(validation);
}
