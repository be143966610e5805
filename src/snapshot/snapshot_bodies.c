/* Bodies in snapshots: what each is, where, and the heads that columns under them go on with. Round bodies and boxes
 * follow from their definitions; of hulls and meshes everything is kept that would come out in other bits when made
 * again. */
#include <string.h>

#include "base/assert.h"
#include "shape/body_form.h"
#include "snapshot/snapshot.h"
#include "world/method.h"

/* Faster or farther than any body gets, m, m/s, rad/s, m/s2: from there on, steps keep to RILL_BODY_BOUND. */
static const double STORED_BOUND = 1e12;

enum {
    APART = 16,     /* of a column, above the bits of its quarters */
    NODE_BYTES = 53 /* of a column under a body */
};

/* Shapes by their numbers in snapshots. AWAY is added to that of a round shape or box whose middle is not at the zero of
 * its definition's frame: then it is said where. */
static const rill_shape SHAPES[] = { RILL_SHAPE_SPHERE,   RILL_SHAPE_BOX,  RILL_SHAPE_CAPSULE,
                                     RILL_SHAPE_CYLINDER, RILL_SHAPE_HULL, RILL_SHAPE_MESH };
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0], AWAY = 1 << 7 };

static bool has_arrays(rill_shape shape) {
    return shape == RILL_SHAPE_HULL || shape == RILL_SHAPE_MESH;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static void put_form(rill_writer *writer, const rill_body_form *form) {
    const double *at = form->defined_at;
    const bool away = at[0] != 0.0 || at[1] != 0.0 || at[2] != 0.0;
    uint8_t number = 0;
    while (SHAPES[number] != form->shape) ++number;
    RILL_ASSERT(number < SHAPE_COUNT);
    rill_put_u8(writer, (uint8_t)(number | (away ? AWAY : 0)));
    if (away) rill_put_f64s(writer, at, 3);
    rill_put_f64(writer, form->radius);
    rill_put_f64(writer, form->length);
    rill_put_f64s(writer, form->size, 3);
    rill_put_f64s(writer, form->centre, 3);
    if (!has_arrays(form->shape)) return;
    rill_put_f64(writer, form->volume);
    rill_put_f64s(writer, form->middle, 3);
    rill_put_f64s(writer, form->inertia, 6);
    rill_put_u64(writer, form->vertex_count);
    rill_put_u64(writer, form->triangle_count);
    rill_put_f64s(writer, form->vertices, 3 * form->vertex_count);
    for (size_t i = 0; i < 3 * form->triangle_count; ++i) rill_put_u32(writer, form->indices[i]);
}

static void put_body(rill_writer *writer, const rill_body *body) {
    const rill_body_state *state = &body->state;
    const rill_body_forces *forces = &body->forces;
    if (writer->mode != RILL_HASH_VALUES) rill_put_text(writer, body->name); /* names decide nothing */
    put_form(writer, &body->form);
    rill_put_f64(writer, body->mass);
    rill_put_f64s(writer, body->inertia, 6);
    rill_put_f64(writer, body->drag);
    rill_put_f64s(writer, state->position, 3);
    rill_put_f64s(writer, state->orientation, 4);
    rill_put_f64s(writer, state->velocity, 3);
    rill_put_f64s(writer, state->angular_velocity, 3);
    rill_put_f64s(writer, state->acceleration, 3);
    rill_put_f64s(writer, body->last_twist, 6);
    rill_put_f64(writer, body->last_dt);
    rill_put_f64(writer, body->added_mass);
    rill_put_f64(writer, body->deck_mass);
    rill_put_f64s(writer, body->lag, 6);
    rill_put_f64s(writer, forces->impulse, 3);
    rill_put_f64s(writer, forces->angular_impulse, 3);
    rill_put_f64(writer, forces->submerged_volume);
    rill_put_f64s(writer, forces->submerged_centre, 3);
    rill_put_f64(writer, forces->wetted_area);
    rill_put_f64(writer, forces->level);
    rill_put_f64s(writer, forces->liquid_velocity, 2);
}

void rill_snapshot_put_bodies(rill_writer *writer, const rill_world *world) {
    const rill_bodies *bodies = &world->bodies;
    const rill_body_node *nodes = bodies->nodes.data;
    rill_put_u32(writer, (uint32_t)bodies->list.count);
    for (size_t i = 0; i < bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        rill_put_u16(writer, body->generation);
        rill_put_u8(writer, body->alive);
        if (body->alive) put_body(writer, body);
    }
    rill_put_u32(writer, (uint32_t)bodies->nodes.count);
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        RILL_ASSERT(nodes[i].place >= 0 && nodes[i].place < world->bed.plane_size);
        RILL_ASSERT(bodies->lifted[nodes[i].place] >= world->bed.b[nodes[i].place]);
        RILL_ASSERT(nodes[i].over < APART && nodes[i].deck >= 0 && nodes[i].drawn >= -1);
        rill_put_u32(writer, (uint32_t)nodes[i].place);
        rill_put_u32(writer, (uint32_t)nodes[i].base);
        rill_put_u32(writer, (uint32_t)(bodies->lifted[nodes[i].place] - world->bed.b[nodes[i].place]));
        rill_put_u8(writer, (uint8_t)(nodes[i].over | (nodes[i].apart ? APART : 0)));
        rill_put_u32(writer, (uint32_t)nodes[i].deck);
        rill_put_f32(writer, nodes[i].slip[0]);
        rill_put_f32(writer, nodes[i].slip[1]);
        rill_put_u32(writer, (uint32_t)(nodes[i].drawn + 1));
        rill_put_f64(writer, nodes[i].e);
        rill_put_f64(writer, nodes[i].displaced_before);
        rill_put_f64(writer, nodes[i].pi);
    }
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static rill_result get_arrays(rill_loading *load, rill_body_form *form) {
    rill_reader *reader = &load->reader;
    form->volume = rill_get_f64(reader);
    rill_get_f64s(reader, form->middle, 3);
    rill_get_f64s(reader, form->inertia, 6);
    const uint64_t vertices = rill_get_u64(reader), triangles = rill_get_u64(reader);
    if (!rill_get_room(reader, vertices, 3 * sizeof(double)) || !rill_get_room(reader, triangles, 3 * sizeof(uint32_t)))
        return rill_loading_refuse(load, "a body has more points or triangles than there are bytes");
    if (!rill_body_form_alloc(form, &load->world->allocator, (size_t)vertices, (size_t)triangles))
        return rill_loading_starved(load, "bodies");
    rill_get_f64s(reader, form->vertices, 3 * form->vertex_count);
    for (size_t i = 0; i < 3 * form->triangle_count; ++i) form->indices[i] = rill_get_u32(reader);
    if (reader->failed) return rill_loading_refuse(load, "a body ends early");
    return rill_loading_result(rill_body_form_complete(form, &load->world->allocator, load->message));
}

static rill_result get_form(rill_loading *load, rill_body_form *form) {
    rill_reader *reader = &load->reader;
    const uint8_t code = rill_get_u8(reader), number = (uint8_t)(code & ~AWAY);
    if (number >= SHAPE_COUNT) return rill_loading_refuse(load, "a body has no shape");
    form->shape = SHAPES[number];
    if (code & AWAY) rill_get_f64s(reader, form->defined_at, 3);
    form->radius = rill_get_f64(reader);
    form->length = rill_get_f64(reader);
    rill_get_f64s(reader, form->size, 3);
    rill_get_f64s(reader, form->centre, 3);
    if (reader->failed) return rill_loading_refuse(load, "a body ends early");
    return has_arrays(form->shape)
               ? get_arrays(load, form)
               : rill_loading_result(rill_body_form_complete(form, &load->world->allocator, load->message));
}

static rill_result get_body(rill_loading *load, rill_body *body) {
    rill_reader *reader = &load->reader;
    rill_body_state *state = &body->state;
    rill_body_forces *forces = &body->forces;
    char name[RILL_NAME_LENGTH + 1];
    rill_get_text(reader, name, sizeof name);
    body->shades = rill_array_make(sizeof(rill_shade));
    body->levels = rill_array_make(sizeof(float));
    body->name = rill_string_copy(&load->world->allocator, name);
    if (!body->name) return rill_loading_starved(load, "bodies");
    const rill_result result = get_form(load, &body->form);
    if (result) return result;
    body->mass = rill_get_f64(reader);
    rill_get_f64s(reader, body->inertia, 6);
    body->drag = rill_get_f64(reader);
    rill_get_f64s(reader, state->position, 3);
    rill_get_f64s(reader, state->orientation, 4);
    rill_get_f64s(reader, state->velocity, 3);
    rill_get_f64s(reader, state->angular_velocity, 3);
    rill_get_f64s(reader, state->acceleration, 3);
    rill_get_f64s(reader, body->last_twist, 6);
    body->last_dt = rill_get_f64(reader);
    body->added_mass = rill_get_f64(reader);
    body->deck_mass = rill_get_f64(reader);
    rill_get_f64s(reader, body->lag, 6);
    rill_get_f64s(reader, forces->impulse, 3);
    rill_get_f64s(reader, forces->angular_impulse, 3);
    forces->submerged_volume = rill_get_f64(reader);
    rill_get_f64s(reader, forces->submerged_centre, 3);
    forces->wetted_area = rill_get_f64(reader);
    forces->level = rill_get_f64(reader);
    rill_get_f64s(reader, forces->liquid_velocity, 2);
    if (reader->failed) return rill_loading_refuse(load, "a body ends early");
    return rill_loading_result(rill_check_body(body, STORED_BOUND, load->message));
}

static rill_result get_slots(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    rill_bodies *bodies = &world->bodies;
    const uint32_t count = rill_get_u32(reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(reader, count, 3))
        return rill_loading_refuse(load, "there are too many bodies");
    if (!rill_array_resize(&bodies->list, &world->allocator, count)) return rill_loading_starved(load, "bodies");
    for (uint32_t i = 0; i < count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        body->generation = rill_get_u16(reader);
        body->alive = rill_get_bool(reader);
        if (body->generation == 0) return rill_loading_refuse(load, "a body has no generation");
        bodies->alive += body->alive;
        bodies->free_slots += !body->alive && body->generation < RILL_GENERATION_MAX;
        const rill_result result = body->alive ? get_body(load, body) : RILL_OK;
        if (result) return result;
    }
    return reader->failed ? rill_loading_refuse(load, "the bodies end early") : RILL_OK;
}

/* Reads a column under a body and its lifted base; false if it makes no sense. */
static bool get_node(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_bodies *bodies = &load->world->bodies;
    const rill_bed *bed = &load->world->bed;
    const size_t start = reader->at;
    rill_body_node node = { .place = rill_loading_i32(reader), .first_touch = -1 };
    node.base = rill_loading_i32(reader);
    const int32_t lift = rill_loading_i32(reader);
    const uint8_t bits = rill_get_u8(reader);
    node.over = bits & 15;
    node.apart = bits & APART;
    node.deck = rill_loading_i32(reader);
    for (int i = 0; i < 2; ++i) node.slip[i] = rill_get_f32(reader);
    node.drawn = rill_loading_i32(reader) - 1;
    node.e = rill_get_f64(reader);
    node.displaced_before = rill_get_f64(reader);
    node.pi = rill_get_f64(reader);
    RILL_ASSERT(reader->failed || reader->at - start == NODE_BYTES);
    if (reader->failed || bits > 2 * APART - 1 || node.place >= bed->plane_size || bed->b[node.place] == RILL_WALL ||
        bodies->node_of[node.place] != 0 || lift > RILL_TOP - bed->b[node.place] || node.drawn >= RILL_TOP)
        return false;
    int32_t x, y;
    node.stride = rill_bed_sheet_of(bed, node.place, &x, &y)->stride;
    if (x < 0 || x >= bed->grid.cells[0] || y < 0 || y >= bed->grid.cells[1]) return false;
    node.cell[0] = (int16_t)x;
    node.cell[1] = (int16_t)y;
    RILL_ASSERT(bodies->nodes.count < bodies->nodes.capacity);
    ((rill_body_node *)bodies->nodes.data)[bodies->nodes.count++] = node;
    bodies->node_of[node.place] = (int32_t)bodies->nodes.count;
    bodies->lifted[node.place] += lift;
    return true;
}

rill_result rill_loading_bodies(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    rill_bodies *bodies = &world->bodies;
    const rill_result result = get_slots(load);
    if (result) return result;
    const uint32_t count = rill_get_u32(reader);
    const bool some = bodies->alive > 0 && rill_world_method(world)->layered;
    if (count > (some ? (uint64_t)world->bed.info.columns : 0) || !rill_get_room(reader, count, NODE_BYTES))
        return rill_loading_refuse(load, "there are more columns under bodies than there can be");
    if (bodies->alive == 0) return RILL_OK;
    if (!rill_bodies_reserve(bodies, &world->flow, &world->allocator) ||
        !rill_array_reserve(&bodies->nodes, &world->allocator, count)) /* also under those that are gone since */
        return rill_loading_starved(load, "columns under bodies");
    for (uint32_t i = 0; i < count; ++i)
        if (!get_node(load)) return rill_loading_refuse(load, "a column under a body makes no sense");
    world->flow.lifted = bodies->lifted;
    for (int32_t i = 0; i < world->bed.pipe_count; ++i) rill_bodies_lift_pipe(&world->flow, i);
    return RILL_OK;
}
