/* Prints the hash of a small layered world with a body after two seconds, and that of its surface: the same on every
 * processor. */
#include <stdio.h>
#include <string.h>

#include <rill/rill.h>

enum { CELLS = 64 };

static rill_result add_solids(rill_world *world) {
    static double heights[CELLS * CELLS];
    uint32_t seed = 1;
    for (int i = 0; i < CELLS * CELLS; ++i) {
        seed = seed * 1664525u + 1013904223u;
        heights[i] = 0.004 * (double)(seed >> 8) / 16777216.0;
    }
    rill_solid_def ground = rill_default_solid_def(), slab = ground;
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = CELLS;
    slab.shape.type = RILL_SHAPE_BOX;
    for (int k = 0; k < 2; ++k) {
        slab.shape.min[k] = 0.020;
        slab.shape.max[k] = 0.045;
    }
    slab.shape.min[2] = 0.006;
    slab.shape.max[2] = 0.008;
    rill_solid_id id;
    rill_result result = rill_solid_create(world, &ground, &id);
    return result != RILL_OK ? result : rill_solid_create(world, &slab, &id);
}

/* Of a floating box that is turned a little. */
static rill_result add_body(rill_world *world) {
    rill_body_def box = rill_default_body_def();
    box.shape.type = RILL_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) box.shape.min[k] = -0.004, box.shape.max[k] = 0.004;
    box.state.position[0] = box.state.position[1] = 0.012;
    box.state.position[2] = 0.007;
    box.state.orientation[0] = 0.28, box.state.orientation[3] = 0.96;
    rill_body_id id;
    return rill_body_create(world, &box, &id);
}

/* FNV-1a over the bits of positions and normals; 0 when there is no mesh. */
static uint64_t hash_surface(rill_world *world) {
    const rill_surface_def def = rill_default_surface_def();
    rill_surface *surface;
    rill_surface_mesh mesh;
    if (rill_surface_create(world, &def, &surface) != RILL_OK) return 0;
    uint64_t hash = 0;
    if (rill_surface_build(surface) == RILL_OK && rill_surface_get_mesh(surface, &mesh) == RILL_OK) {
        hash = 14695981039346656037u;
        for (size_t i = 0; i < 6 * mesh.vertex_count; ++i) {
            const float *from =
                i < 3 * mesh.vertex_count ? mesh.positions + i : mesh.normals + (i - 3 * mesh.vertex_count);
            uint32_t bits;
            memcpy(&bits, from, sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    rill_surface_destroy(surface);
    return hash;
}

int main(void) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = def.grid.cells[1] = CELLS;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    rill_world *world;
    if (rill_world_create(&def, &world, NULL) != RILL_OK) return 1;
    rill_source_def source = rill_default_source_def();
    rill_source_id id;
    source.at[0] = source.at[1] = 0.03;
    source.at[2] = 0.05;
    source.rate = 1e-5;
    const double corner[3] = { 0.01, 0.01, 0.02 };
    if (add_solids(world) != RILL_OK || rill_bed_build(world) != RILL_OK ||
        rill_world_fill_level(world, corner, 0.005, NULL) != RILL_OK ||
        rill_source_create(world, &source, &id) != RILL_OK || add_body(world) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_world_message(world));
        return 1;
    }
    for (int i = 0; i < 120; ++i) rill_world_step(world, 1.0 / 60.0);
    printf("%016llx %016llx\n", (unsigned long long)rill_world_hash(world), (unsigned long long)hash_surface(world));
    rill_world_destroy(world);
    return 0;
}
