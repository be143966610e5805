/* Pours coffee on a table with a saucer and says where the millilitres are: on the saucer, on the table, on the floor.
 *
 * Shows: several solids, checking every result, open edges, a source, volumes above a named solid, the ledger. */
#include <rill/rill.h>

#include <math.h>
#include <stdio.h>

static bool failed(const rill_world *world, rill_result result, const char *what) {
    if (result != RILL_OK) fprintf(stderr, "%s: %s: %s\n", what, rill_result_name(result), rill_world_message(world));
    return result != RILL_OK;
}

/* A table of 16 x 16 cm, 10 cm above the ground of a room of 20 x 20 cm, and on it a saucer with a rim. */
static bool furnish(rill_world *world, rill_solid_id *floor, rill_solid_id *table, rill_solid_id *saucer) {
    rill_solid_def def = rill_default_solid_def();
    def.name = "floor";
    def.shape.type = RILL_SHAPE_BOX;
    def.shape.min[0] = def.shape.min[1] = 0.0, def.shape.min[2] = -0.01;
    def.shape.max[0] = def.shape.max[1] = 0.2, def.shape.max[2] = 0.0;
    if (failed(world, rill_solid_create(world, &def, floor), "floor")) return false;
    def.name = "table";
    def.shape.min[0] = def.shape.min[1] = 0.02, def.shape.min[2] = 0.09;
    def.shape.max[0] = def.shape.max[1] = 0.18, def.shape.max[2] = 0.1;
    if (failed(world, rill_solid_create(world, &def, table), "table")) return false;
    def.name = "saucer";
    def.shape.type = RILL_SHAPE_CYLINDER;
    def.shape.from[0] = def.shape.from[1] = def.shape.to[0] = def.shape.to[1] = 0.1;
    def.shape.from[2] = 0.1, def.shape.to[2] = 0.103;
    def.shape.radius = 0.04;
    if (failed(world, rill_solid_create(world, &def, saucer), "saucer")) return false;
    rill_solid_id rim;
    def.name = "rim";
    def.shape.type = RILL_SHAPE_TORUS;
    def.shape.centre[0] = def.shape.centre[1] = 0.1, def.shape.centre[2] = 0.103;
    def.shape.axis[2] = 1.0;
    def.shape.radius = 0.037, def.shape.tube = 0.003;
    if (failed(world, rill_solid_create(world, &def, &rim), "rim")) return false;
    return !failed(world, rill_bed_build(world), "bed");
}

static bool pour(rill_world *world) {
    rill_source_def def = rill_default_source_def();
    def.name = "cup";
    def.shape = RILL_SOURCE_DISC;
    def.at[0] = 0.1, def.at[1] = 0.1, def.at[2] = 0.12;
    def.radius = 0.005;
    def.rate = 40e-6; /* 40 ml/s */
    def.until = 2.0;
    rill_source_id cup;
    return !failed(world, rill_source_create(world, &def, &cup), "cup");
}

static double millilitres(const rill_world *world, rill_solid_id solid) {
    double volume = 0.0;
    rill_query_solid_volume(world, solid, &volume);
    return 1e6 * volume;
}

static int run(rill_world *world) {
    rill_solid_id floor, table, saucer;
    if (!furnish(world, &floor, &table, &saucer) || !pour(world)) return 1;
    printf("%6s %10s %10s %10s %10s\n", "time s", "saucer ml", "table ml", "floor ml", "left ml");
    for (int frame = 1; frame <= 240; ++frame) {
        if (failed(world, rill_world_step(world, 1.0 / 60.0), "step")) return 1;
        rill_ledger ledger;
        if (frame % 30 == 0 && rill_world_get_ledger(world, &ledger) == RILL_OK) {
            printf("%6.1f %10.3f %10.3f %10.3f %10.3f\n", rill_world_time(world), millilitres(world, saucer),
                   millilitres(world, table), millilitres(world, floor),
                   1e6 * ledger.quantum_volume * (double)ledger.drained);
        }
    }
    rill_ledger ledger;
    if (failed(world, rill_world_get_ledger(world, &ledger), "ledger")) return 1;
    printf("poured %.6f ml; every quantum accounted for: error %lld\n",
           1e6 * ledger.quantum_volume * (double)ledger.poured, (long long)ledger.error);
    return ledger.error == 0 && fabs(ledger.quantum_volume * (double)ledger.poured - 80e-6) < 1e-9 ? 0 : 1;
}

int main(void) {
    rill_world_def def = rill_default_world_def();
    def.name = "coffee break";
    def.grid = (rill_grid){ .cells = { 100, 100 }, .cell_size = 0.002 };
    for (int edge = RILL_WEST; edge <= RILL_NORTH; ++edge)
        def.edges[edge].kind = RILL_EDGE_OPEN; /* what runs out of the room is booked as drained */
    rill_liquid_preset("coffee", &def.liquid);
    rill_world *world = NULL;
    rill_message message;
    if (rill_world_create(&def, &world, &message) != RILL_OK) {
        fprintf(stderr, "world: %s\n", message.text);
        return 1;
    }
    const int code = run(world);
    rill_world_destroy(world);
    return code;
}
