/* Case 25, its second half: walls that push.
 *
 *   bore      a wall is driven into still liquid at the speed U. Before it runs a bore; mass and momentum across its
 *             front (Rankine and Hugoniot; Stoker 1957, chapter 10) give the depth h1 behind it,
 *
 *                 U = (h1 - h0) sqrt(g (h1 + h0) / (2 h0 h1)),      front at h1 U / (h1 - h0) t.
 *
 *             The wall passes a cell in some frames, or several cells in one: the liquid must not notice.
 *   passage   a piston presses a flooded chamber that one passage leads out of: what it displaces goes through the
 *             passage, at the piston's speed times the ratio of the areas, in every sub-step. */
#include "validate_cases.h"
#include "validate_rig.h"

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
    for (int i = 0; i < 200; i++) {
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
    for (int32_t x = 0; x < rig->nx; x++) {
        double at = rill_rig_centre(rig, x), h = rig->depth[rill_rig_cell(rig, x, rig->ny / 2)];
        if (at > from && at < to) {
            sum += h;
            squares += h * h;
            count++;
        }
    }
    double mean = sum / count;
    return (plateau){ mean, sqrt(fmax(0, squares / count - mean * mean)) };
}

/* A channel of 400 x 4 mm, 5 mm deep; the wall starts 2.1 mm from its end. A frame is 1/60 s. */
static void run_bore(rill_validation *v, double cells_per_frame, double duration) {
    const double dx = 1e-3, h0 = 5e-3, start = 2.1e-3, frame = 1.0 / 60, speed = cells_per_frame * dx / frame;
    const double h1 = depth_behind_bore(h0, speed), front = h1 * speed / (h1 - h0);
    const int frames = (int)lround(duration / frame);
    rill_rig rig;
    int64_t error = 0;
    plateau found = { 0, 0 };
    if (rill_rig_begin(&rig, v, 400, 4, dx)) {
        rill_rig_add_box(&rig, -0.5, -1, -1e-3, start, 1, 0.1);
        if (rig.ok) {
            rig.boxes[0].name = "wall";
        }
        rig.def.headroom = 0.03;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.3, 2e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, h0, NULL), "rill_world_fill_level");
        for (int k = 1; k <= frames && put(&rig, "wall", speed * frame * k, 0); k++) {
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
        rill_validation_add(v, &check, "wall, %g cells a frame: rise behind the bore", cells_per_frame);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 5, .unit = "%" };
        check.value = 100 * found.ripple / (h1 - h0);
        rill_validation_add(v, &check, "wall, %g cells a frame: ripple of the rise, rms", cells_per_frame);
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(v, &check, "wall, %g cells a frame: ledger error", cells_per_frame);
    }
    rill_rig_end(&rig);
}

/* --------------------------------------------------------------------------------------------------------- passage */

/* What flows through the middle of the passage: the mean over its width, m/s. */
static double passage_speed(rill_rig *rig) {
    double sum = 0;
    for (int32_t y = 5; y < 15; y++) {
        const double at[3] = { 0.03, rill_rig_centre(rig, y), 1e-3 };
        rill_sample sample = { 0 };
        rill_rig_expect(rig, rill_query_points(rig->world, at, 1, &sample), "rill_query_points");
        sum += sample.velocity[0];
    }
    return sum / 10;
}

/* Wells of 20 x 20 mm, a passage 20 mm long, 10 mm wide and 4 mm high. The piston, which fills its well and lies on the
 * liquid, goes down at 10 mm/s. A frame of 1/60 s is 16 steps here, to see what happens within it. */
static void run_passage(rill_validation *v) {
    enum { STEPS = 16, FRAMES = 24, START_UP = 6 };
    const double piston = 0.01, frame = 1.0 / 60, exact = piston * 400e-6 / 40e-6;
    rill_rig rig;
    int64_t error = 0;
    double sum = 0, worst = 0;
    if (rill_rig_begin(&rig, v, 60, 20, 1e-3)) {
        rill_rig_add_box(&rig, 0.02, 0, 4e-3, 0.04, 0.02, 0.05);
        rill_rig_add_box(&rig, 0.02, 0, -1e-3, 0.04, 5e-3, 5e-3);
        rill_rig_add_box(&rig, 0.02, 0.015, -1e-3, 0.04, 0.02, 5e-3);
        rill_rig_add_box(&rig, 0, 0, 0.015, 0.02, 0.02, 0.05);
        if (rig.ok) {
            rig.boxes[3].name = "piston";
        }
        rig.def.liquid.viscosity = 1e-6;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.05, 0.01, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, 0.016, NULL), "rill_world_fill_level");
        for (int k = 1; k <= FRAMES * STEPS && rig.ok; k++) {
            if (k % STEPS == 1) {
                put(&rig, "piston", 0, -piston * frame * (k / STEPS + 1));
            }
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
        rill_validation_add(v, &check, "piston on a flooded chamber: speed in its passage, mean");
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 20, .unit = "%" };
        check.value = 100 * worst / exact;
        rill_validation_add(v, &check, "piston on a flooded chamber: largest deviation in a step");
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(v, &check, "piston on a flooded chamber: ledger error");
    }
    rill_rig_end(&rig);
}

void rill_case_pushing(rill_validation *v) {
    run_bore(v, 0.2, 1);
    run_bore(v, 0.3, 1);
    run_bore(v, 1.3, 1);
    run_bore(v, 2, 0.8);
    run_passage(v);
}
