/* The program of the README: a jug of water on a tray, and how deep it is under the jug two seconds later. */
#include <rill/rill.h>
#include <stdio.h>

int main(void) {
    rill_world_def def = rill_default_world_def(); /* water, walls all round */
    def.grid = (rill_grid){ .cells = { 100, 100 }, .cell_size = 0.001 };
    rill_solid_def tray = rill_default_solid_def(); /* everything below z = 0 */
    tray.shape.type = RILL_SHAPE_PLANE, tray.shape.axis[2] = 1;
    rill_source_def jug = rill_default_source_def(); /* 20 ml/s for a second, onto the floor under (50, 50) mm */
    jug.at[0] = jug.at[1] = 0.05, jug.rate = 20e-6, jug.until = 1;

    rill_world *world;
    rill_solid_id tray_id;
    rill_source_id jug_id;
    if (rill_world_create(&def, &world, NULL) || rill_solid_create(world, &tray, &tray_id) || rill_bed_build(world) ||
        rill_source_create(world, &jug, &jug_id))
        return 1;

    for (int frame = 0; frame < 120; ++frame) rill_world_step(world, 1.0 / 60);

    rill_sample here;
    rill_query_points(world, jug.at, 1, &here);
    printf("after %g s the water is %.2f mm deep under the jug\n", rill_world_time(world), 1000 * here.depth);
    rill_world_destroy(world);
}
