/* Bodies of a bake. In .usda a body's mesh is written once, in its own frame, with samples of where that is; other
 * formats have no frames in time, so that its vertices are written where they are. All have a table of transforms per
 * frame. */
#include <stdlib.h>

#include "bake_output.h"
#include "scene/bodies_rows.h"
#include "scene/number_text.h"
#include "scene/turn.h"

size_t rill_bake_thing_count(const rill_bake_output *output) {
    return output->scene->solid_count + output->scene->body_count;
}

static bool find_body(const rill_bake_output *output, size_t i, rill_body_state *state, rill_body_info *info) {
    const char *name = output->scene->bodies[i].def.name;
    rill_body_id id = rill_body_find(output->world, name);
    return rill_body_get_state(output->world, id, state) == RILL_OK &&
                   rill_body_get_info(output->world, id, info) == RILL_OK
               ? true
               : rill_bake_complain(name, rill_world_message(output->world));
}

static bool take_body(rill_bake_output *output, size_t i) {
    size_t at = output->scene->solid_count + i;
    rill_usda_solid *thing = &output->solids[at];
    rill_body_state state;
    rill_body_info info;
    if (!find_body(output, i, &state, &info)) return false;
    if (!output->places[at]) output->places[at] = malloc((3 * info.vertex_count + 1) * sizeof **output->places);
    if (!output->places[at]) return rill_bake_complain(output->scene->bodies[i].def.name, "out of memory");
    bool placed = output->format != RILL_MESH_USDA;
    for (size_t v = 0; v < info.vertex_count; ++v) {
        const double *vertex = info.vertices + 3 * v;
        double turned[3];
        rill_turn_vector(state.orientation, vertex, turned);
        for (int k = 0; k < 3; ++k)
            output->places[at][3 * v + (size_t)k] = (float)(placed ? state.position[k] + turned[k] : vertex[k]);
    }
    thing->moves = thing->rigid = true;
    thing->part = (rill_mesh_part){ .name = output->scene->bodies[i].def.name,
                                    .positions = output->places[at],
                                    .indices = info.indices,
                                    .vertex_count = info.vertex_count,
                                    .triangle_count = info.triangle_count };
    return true;
}

bool rill_bake_take_bodies(rill_bake_output *output) {
    for (size_t i = 0; i < output->scene->body_count; ++i)
        if (!take_body(output, i)) return false;
    return true;
}

void rill_bake_sample_bodies(rill_bake_output *output, double code, size_t number) {
    for (size_t i = 0; i < output->scene->body_count; ++i) {
        rill_body_state state;
        rill_body_info info;
        if (find_body(output, i, &state, &info))
            rill_usda_sample_body(&output->samples, code, number + i, state.position, state.orientation);
    }
}

bool rill_bake_write_bodies(rill_bake_output *output, double time) {
    char name[RILL_BAKE_NAME], path[RILL_BAKE_PATH], text[RILL_NUMBER_TEXT];
    rill_message message;
    rill_writer writer;
    if (!output->scene->body_count) return true;
    snprintf(name, sizeof name, "bodies_%05lld.csv", (long long)output->written);
    rill_number_double(time, text);
    if (!rill_bake_path(output->folder, name, path)) return false;
    if (!rill_writer_create(&writer, path, &message)) return rill_bake_complain_of_disk(path, message.text);
    rill_writer_text(&writer, rill_bodies_head);
    for (int32_t i = 0; i < rill_world_body_count(output->world); ++i)
        rill_writer_text(&writer, rill_bodies_row_of(output->world, i, text).text);
    return rill_writer_commit(&writer, &message) ? true : rill_bake_complain_of_disk(path, message.text);
}
