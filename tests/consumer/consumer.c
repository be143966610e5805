/* The smallest program that uses the library for real; valid C and valid C++. Pours 1 ml into a tray, looks at the
 * ledger. */
#include <rill/rill.h>
#include <stdio.h>

int main(void) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = def.grid.cells[1] = 20;
    def.grid.cell_size = 0.001;
    def.runtime.tasks.threads = 2; /* so that a library linked without its threads would not get this far */
    rill_message message;
    rill_world *world = NULL;
    if (rill_world_create(&def, &world, &message) != RILL_OK) {
        fprintf(stderr, "%s\n", message.text);
        return 1;
    }
    rill_solid_def floor = rill_default_solid_def();
    floor.shape.type = RILL_SHAPE_BOX;
    floor.shape.min[2] = -0.01;
    floor.shape.max[0] = floor.shape.max[1] = 0.02;
    rill_source_def tap = rill_default_source_def();
    tap.at[0] = tap.at[1] = 0.01;
    tap.rate = 1e-5;
    tap.until = 0.1;
    rill_solid_id floor_id;
    rill_source_id tap_id;
    if (rill_solid_create(world, &floor, &floor_id) != RILL_OK || rill_bed_build(world) != RILL_OK ||
        rill_source_create(world, &tap, &tap_id) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_world_message(world));
        return 1;
    }
    for (int i = 0; i < 20; ++i) rill_world_step(world, 0.01);
    rill_ledger ledger;
    rill_world_get_ledger(world, &ledger);
    double millilitres = 1e6 * ledger.quantum_volume * (double)ledger.columns;
    printf("rill %s: %.4f ml, error %lld\n", rill_version(), millilitres, (long long)ledger.error);
    rill_world_destroy(world);
    return ledger.error == 0 && millilitres > 0.999 && millilitres < 1.001 ? 0 : 1;
}
