/* Surface tension gives no energy to anything: what a drop has, with its surface and the floor that it wets, falls while it
 * gathers, spreads, merges with another or slides. Velocities are stored half a sub-step beside the levels: of the kinetic
 * energies before and after them the mean counts. Of a face only what its donor holds is in motion: a film at the foot of a
 * drop that just begins to follow would else be reckoned with the mass of the drop. */
#include "drops.h"

enum { WINDOW = 50, MOST = 4000 };
static const double SIZE = 5e-4; /* m: cells */

typedef struct plot {
    const char *name;
    int32_t nx, ny;
    double advancing, receding, slope; /* degrees */
    double dt;                         /* s: a sub-step */
    int steps;
    drop drops[2];
} plot;

/* The kinetic energy of a plate's liquid, J. */
static double moving(const rill_world *world, const plot *p) {
    enum { MOST_CELLS = 160 * 64 };
    static double depths[MOST_CELLS], faces[2 * MOST_CELLS];
    const size_t cells = (size_t)(p->nx * p->ny);
    double sum = 0.0;
    assert_true(cells <= MOST_CELLS);
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, cells), RILL_OK);
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, 0, faces, 2 * cells), RILL_OK);
    for (int32_t i = 0; i < p->nx * p->ny; ++i)
        for (int axis = 0; axis < 2; ++axis) {
            const double u = faces[2 * i + axis];
            const int32_t beside = axis ? i - p->nx : i - 1;
            if (u == 0.0 || beside < 0) continue;
            sum += fmin(depths[u > 0.0 ? beside : i], 0.5 * (depths[i] + depths[beside])) * u * u;
        }
    return 0.5 * 998.0 * SIZE * SIZE * sum;
}

/* The largest rise over a window, of what was released since the start. */
static double worst_rise(rill_world *world, const plot *p) {
    static double energies[MOST];
    double before, worst = -(double)INFINITY;
    must(world, rill_world_step(world, p->dt));
    before = moving(world, p);
    const int steps = p->steps / NEXT_CASE;
    for (int i = 0; i < steps; ++i) {
        rill_energy energy;
        must(world, rill_world_step(world, p->dt));
        must(world, rill_world_get_energy(world, &energy));
        assert_true(info_of(world).substeps == 1 && energy.surface != 0.0);
        const double now = moving(world, p);
        energies[i] = energy.potential + energy.surface + 0.5 * (before + now);
        if (i > WINDOW) worst = fmax(worst, (energies[i] - energies[i - WINDOW]) / (energies[0] - energies[i]));
        before = now;
    }
    assert_true(energies[steps - 1] < energies[0]);
    return worst;
}

static void energy_falls(void **state) {
    (void)state;
    static const plot plots[] = {
        { "gathers", 48, 48, 50, 50, 0, 5e-4, 3000, { { .0121, .012, .005, 5e-8 } } },
        { "spreads", 64, 64, 40, 40, 0, 5e-4, 4000, { { .016, .0161, .003, 5e-8 } } },
        { "merges", 64, 48, 60, 30, 0, 5e-4, 3000, { { .0115, .0121, .0038, 4e-8 }, { .019, .012, .0038, 4e-8 } } },
        { "slides", 160, 48, 60, 40, 35, 5e-4, 1200, { { .0115, .0121, .004, 5e-8 } } },
        { "gathers by long sub-steps", 48, 48, 60, 60, 0, 1.5e-3, 1000, { { .012, .0123, .005, 5e-8 } } },
        { "pearls off", 48, 48, 120, 90, 0, 5e-4, 2000, { { .012, .0123, .004, 3e-8 } } },
    };
    for (size_t i = 0; i < sizeof plots / sizeof plots[0]; ++i) {
        const plot *p = &plots[i];
        rill_world_def def = plate_def(p->nx, p->ny, SIZE, p->advancing, p->receding);
        tilt(&def, p->slope);
        rill_world *world = make_plate(&def);
        add_drops(world, &def.grid, 0, p->drops, p->drops[1].volume > 0.0 ? 2 : 1);
        const double rise = worst_rise(world, p);
        if (!(rise <= 1e-6)) fail_msg("a drop that %s: energy rises by %.3g of what was released", p->name, rise);
        assert_true(ledger_error(world) == 0);
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(energy_falls) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
