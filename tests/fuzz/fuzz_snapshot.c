/* Snapshots from strangers. Random bytes never get past the checksum, so the input is a list of edits to a good
 * snapshot, whose length and checksum are then made right again (most of the time): what is loaded is a world that
 * holds together and can be stepped, or nothing. */
#include "fuzz.h"
#include "snapshot/snapshot.h"

enum { LENGTH_AT = 16, MOST_EDITS = 16, MOST_SUBSTEPS = 64 };

static unsigned char *good;
static size_t good_size;

/* A ball in what the still edge lets in, and a boat that is dry. */
static bool add_bodies(rill_world *world) {
    static const float corners[] = { 0.0f, 0.0f, 0.0f, 0.002f, 0.0f, 0.0f, 0.0f, 0.002f, 0.0f, 0.0f, 0.0f, 0.002f };
    static const uint32_t sides[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    rill_body_def ball = rill_default_body_def(), boat = rill_default_body_def();
    ball.name = "ball";
    ball.shape.radius = 0.001;
    memcpy(ball.state.position, (double[]){ 0.001, 0.004, 0.001 }, sizeof ball.state.position);
    boat.shape.type = RILL_SHAPE_MESH;
    boat.shape.vertices = corners;
    boat.shape.vertex_count = 4;
    boat.shape.indices = sides;
    boat.shape.triangle_count = 4;
    memcpy(boat.state.position, (double[]){ 0.004, 0.003, 0.006 }, sizeof boat.state.position);
    rill_body_id id;
    return rill_body_create(world, &ball, &id) == RILL_OK && rill_body_create(world, &boat, &id) == RILL_OK;
}

/* Two floors, a wound, a drain, open and still edges, bodies, some steps: all sections of the format have something in
 * them. */
static void make_good(void) {
    rill_world_def def = rill_default_world_def();
    def.name = "seed";
    def.grid.cells[0] = 7;
    def.grid.cells[1] = 5;
    def.grid.cell_size = 0.001;
    def.headroom = 0.01;
    def.solver.max_substeps = 8;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.001 };
    rill_solid_def floor = rill_default_solid_def();
    floor.name = "floor";
    floor.shape.type = RILL_SHAPE_BOX;
    memcpy(floor.shape.min, (double[]){ 0.0, 0.0, -0.002 }, sizeof floor.shape.min);
    memcpy(floor.shape.max, (double[]){ 0.007, 0.005, 0.0 }, sizeof floor.shape.max);
    static const double heights[4] = { -0.001, 0.0005, 0.0, -0.0005 };
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = 2;
    static const float corners[] = { 0.001f, 0.001f, 0.003f, 0.006f, 0.001f, 0.003f, 0.003f, 0.005f, 0.004f };
    static const uint32_t corner[] = { 0, 1, 2 };
    rill_solid_def roof = rill_default_solid_def();
    roof.shape.type = RILL_SHAPE_MESH;
    roof.shape.vertices = corners;
    roof.shape.vertex_count = 3;
    roof.shape.indices = corner;
    roof.shape.triangle_count = 1;
    rill_source_def wound = rill_default_source_def();
    wound.name = "wound";
    memcpy(wound.at, (double[]){ 0.003, 0.003, 0.005 }, sizeof wound.at);
    wound.rate = 1e-6;
    rill_source_def drain = rill_default_source_def();
    drain.shape = RILL_SOURCE_DISC;
    drain.sink = true;
    drain.radius = 0.0015;
    drain.rate = 1e-7;
    rill_world *world = NULL;
    rill_solid_id solid;
    rill_source_id source;
    bool made =
        rill_world_create(&def, &world, NULL) == RILL_OK && rill_solid_create(world, &floor, &solid) == RILL_OK &&
        rill_solid_create(world, &ground, &solid) == RILL_OK && rill_solid_create(world, &roof, &solid) == RILL_OK &&
        rill_bed_build(world) == RILL_OK && rill_source_create(world, &wound, &source) == RILL_OK &&
        rill_source_create(world, &drain, &source) == RILL_OK && add_bodies(world);
    FUZZ_CHECK(made, "%s", world ? rill_world_message(world) : "no world");
    for (int i = 0; i < 5; ++i) rill_world_step(world, 0.005);
    good_size = rill_snapshot_size(world);
    good = malloc(good_size);
    FUZZ_CHECK(good && rill_snapshot_save(world, good, good_size, &good_size) == RILL_OK, "not saved");
    rill_world_destroy(world);
}

static void put_u64(unsigned char *at, uint64_t value) {
    for (int i = 0; i < 8; ++i) at[i] = (unsigned char)(value >> 8 * i);
}

/* Overwrites, flips, adds or takes away some bytes; returns the new size. `bytes` has room for 256 more. */
static size_t edit(unsigned char *bytes, size_t size, fuzz_input *in) {
    uint16_t where;
    fuzz_bytes(in, &where, sizeof where);
    uint8_t how = fuzz_u8(in), value = fuzz_u8(in);
    size_t at = where % size;
    switch (how % 5) {
    case 0: bytes[at] = value; break;
    case 1: bytes[at] ^= (unsigned char)(1u << (value & 7)); break;
    case 2: fuzz_bytes(in, bytes + at, size - at < 8 ? size - at : 8); break;
    case 3: /* one value after another, of four bytes */
        for (size_t i = at; i < size && i < at + 4u * (value & 7); ++i)
            bytes[i] = (unsigned char)((i - at) & 3 ? 0 : value);
        break;
    default: /* cut, or grow by zeros */
        if (value & 1) return size - at < (size_t)RILL_SNAPSHOT_HEADER ? size : size - at;
        memset(bytes + size, 0, value / 16);
        return size + value / 16;
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!good) make_good();
    fuzz_input in = { data, size };
    size_t length = good_size;
    unsigned char *bytes = malloc(good_size + 16 * MOST_EDITS);
    FUZZ_CHECK(bytes != NULL, "no memory");
    memcpy(bytes, good, good_size);
    bool forged = fuzz_below(&in, 16) != 0;
    for (int i = 0; i < MOST_EDITS && in.size > 0; ++i) length = edit(bytes, length, &in);
    if (forged) {
        put_u64(bytes + LENGTH_AT, length);
        put_u64(bytes + RILL_SNAPSHOT_CHECKSUM_AT, rill_snapshot_checksum(bytes, length));
    }
    unsigned char *exact = malloc(length); /* so that the sanitizer sees a read past the end */
    FUZZ_CHECK(exact != NULL, "no memory");
    memcpy(exact, bytes, length);
    rill_world *world = NULL;
    rill_message message = { "" };
    rill_result result = rill_snapshot_load(exact, length, NULL, &world, &message);
    FUZZ_CHECK((result == RILL_OK) == (world != NULL), "result %d", (int)result);
    FUZZ_CHECK(result == RILL_OK || message.text[0] != '\0', "refused without a word");
    if (!forged && (length != good_size || memcmp(exact, good, length) != 0))
        FUZZ_CHECK(result != RILL_OK, "a broken snapshot was accepted");
    if (world) {
        fuzz_check_world(world);
        /* It may ask for a million, which is a matter of minutes, as it would be in any world. */
        if (world->def.solver.max_substeps > MOST_SUBSTEPS) world->def.solver.max_substeps = MOST_SUBSTEPS;
        for (int i = 0; i < 2; ++i) rill_world_step(world, 0.002);
        fuzz_check_world(world);
    }
    rill_world_destroy(world);
    free(exact);
    free(bytes);
    return 0;
}
