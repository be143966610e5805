/* Meshes as triangle arrays: any vertices, any indices, several of them, on a small grid that is then filled. */
#include "fuzz.h"

enum { MOST_VERTICES = 8, MOST_TRIANGLES = 12 }; /* a box */
enum { STEPS_ONE_IN = 8, RAINS = 3 };

/* On a coarse lattice, so that shared edges, points on cell centres, flat and doubled triangles are the rule. */
static float coordinate(fuzz_input *in) {
    uint8_t kind = fuzz_u8(in);
    if (kind == 255) {
        float any;
        fuzz_bytes(in, &any, sizeof any);
        return any;
    }
    return (float)(kind % 17 - 2) * 0.0005f;
}

static rill_result add_mesh(rill_world *world, fuzz_input *in) {
    float vertices[3 * MOST_VERTICES];
    uint32_t indices[3 * MOST_TRIANGLES];
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertex_count = (size_t)fuzz_below(in, MOST_VERTICES + 1);
    def.shape.triangle_count = (size_t)fuzz_below(in, MOST_TRIANGLES + 1);
    for (size_t i = 0; i < 3 * def.shape.vertex_count; ++i) vertices[i] = coordinate(in);
    /* One in 256 or so is out of range. */
    for (size_t i = 0; i < 3 * def.shape.triangle_count; ++i) {
        uint32_t index = fuzz_u8(in);
        indices[i] = index == 255 || def.shape.vertex_count == 0 ? index : index % (uint32_t)def.shape.vertex_count;
    }
    def.shape.vertices = vertices;
    def.shape.indices = indices;
    if (fuzz_below(in, 4) == 0) fuzz_vector(in, -180.0, 180.0, def.rotate);
    rill_solid_id id;
    return rill_solid_create(world, &def, &id);
}

/* A fill, and now and then a step in which it is left alone, or rained on: what steps do is for fuzz_api to find. */
static void pour_and_run(rill_world *world, fuzz_input *in, uint64_t die) {
    double at[3] = { 0.004, 0.002, fuzz_double(in, -0.002, 0.014) };
    rill_world_fill_level(world, at, fuzz_double(in, 0.0, 0.012), NULL);
    rill_source_def rain = rill_default_source_def();
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = 1e6;
    rill_source_id id;
    const bool steps = die % STEPS_ONE_IN == 0, rains = die / STEPS_ONE_IN % RAINS == 0;
    if (steps && !rains)
        fuzz_quiet_step(world, 0.001);
    else if (steps && rill_source_create(world, &rain, &id) == RILL_OK)
        rill_world_step(world, 0.001);
    fuzz_energy_of(world);
    fuzz_check_world(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = { data, size };
    fuzz_memory memory = { .until_failure = -1 };
    rill_world_def def = rill_default_world_def();
    def.runtime.allocator = fuzz_allocator(&memory);
    def.grid.cells[0] = 6;
    const uint64_t die = fuzz_die(data, size);
    static const int32_t rows[] = { 1, 1, 1, 1, 1, 2, 2, 3 };
    def.grid.cells[1] = rows[die >> 8 & 7];
    def.grid.cell_size = 0.001;
    def.headroom = 0.01;
    def.solver.max_substeps = 1;
    if (die >> 16 & 7) def.solver.tension = RILL_TENSION_OFF; /* else energy is not judged */
    def.min_opening = fuzz_below(&in, 4) == 0 ? 0.0007 : 0.0;
    rill_world *world = NULL;
    rill_result result = rill_world_create(&def, &world, NULL);
    FUZZ_CHECK(result == RILL_OK, "result %d", (int)result);
    int32_t meshes = 1 + (int32_t)(die >> 11 & 1);
    for (int32_t i = 0; i < meshes; ++i) {
        result = add_mesh(world, &in);
        FUZZ_CHECK(result == RILL_OK || rill_world_message(world)[0] != '\0', "refused without a word");
    }
    if (rill_bed_build(world) == RILL_OK) {
        rill_bed_info info;
        FUZZ_CHECK(rill_bed_get_info(world, &info) == RILL_OK && info.columns >= 0 && info.layers >= 0, "no info");
        pour_and_run(world, &in, die);
    }
    rill_world_destroy(world);
    FUZZ_CHECK(memory.live == 0, "%lld blocks leaked", memory.live);
    return 0;
}
