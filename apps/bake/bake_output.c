/* Meshes of the liquid and the solids, from the world to files. */
#include "bake_output.h"

#include <stdlib.h>

#include "scene/number_text.h"

/* "Rill 0.2.0, scene 'surgery', t = 0.5 s", on one line whatever the name. */
static void describe(const rill_bake_output *output, double time, char text[512]) {
    char seconds[RILL_NUMBER_TEXT] = "";
    if (time >= 0) rill_number_double(time, seconds);
    snprintf(text, 512, "Rill %s, scene '%.300s'%s%s%s", rill_version(), output->scene->name, time >= 0 ? ", t = " : "",
             seconds, time >= 0 ? " s" : "");
    for (; *text; ++text) *text = (unsigned char)*text < ' ' ? ' ' : *text;
}

static bool export_parts(const rill_bake_output *output, const char *name, double time, const rill_mesh_part *parts,
                         size_t count) {
    char path[RILL_BAKE_PATH], about[512];
    rill_message message;
    describe(output, time, about);
    if (!rill_bake_path(output->folder, name, path)) return false;
    rill_result result = rill_mesh_export(path, output->format, about, parts, count, &message);
    if (result == RILL_INVALID_STATE) return rill_bake_complain_of_disk(path, message.text);
    return result == RILL_OK ? true : rill_bake_complain(path, message.text);
}

/* ----------------------------------------------------------------------------------------------------------- solids */

static bool moves(const rill_scene_solid *solid) {
    return solid->key_count || solid->morph_count;
}

/* Takes the triangles of solid i as they are now. */
static bool take_solid(rill_bake_output *output, size_t i) {
    rill_usda_solid *solid = &output->solids[i];
    const char *name = output->scene->solids[i].def.name;
    rill_solid_mesh mesh;
    if (output->places[i] && !solid->moves) return true; /* it is where it was */
    if (rill_solid_get_mesh(output->world, rill_solid_find(output->world, name), &mesh) != RILL_OK)
        return rill_bake_complain(name, rill_world_message(output->world));
    if (!output->places[i]) {
        output->places[i] = malloc((3 * mesh.vertex_count + 1) * sizeof **output->places);
        solid->part.vertex_count = mesh.vertex_count;
    }
    if (!output->places[i]) return rill_bake_complain(name, "out of memory");
    if (solid->part.vertex_count != mesh.vertex_count)
        return rill_bake_complain(name, "found another number of vertices than before, expected it to stay");
    for (size_t v = 0; v < 3 * mesh.vertex_count; ++v) output->places[i][v] = (float)mesh.vertices[v];
    solid->moves = moves(&output->scene->solids[i]);
    solid->part = (rill_mesh_part){ .name = name,
                                    .positions = output->places[i],
                                    .indices = mesh.indices,
                                    .vertex_count = mesh.vertex_count,
                                    .triangle_count = mesh.triangle_count };
    return true;
}

static bool take_solids(rill_bake_output *output) {
    size_t count = output->scene->solid_count;
    for (size_t i = 0; i < count; ++i)
        if (!take_solid(output, i)) return false;
    return rill_bake_take_bodies(output);
}

/* Bodies, which stand behind the solids, always are. */
static bool is_visible(const rill_bake_output *output, size_t i) {
    return i >= output->scene->solid_count ||
           rill_solid_is_visible(output->world, rill_solid_find(output->world, output->scene->solids[i].def.name));
}

/* Solids that stay, or those that move and are visible now, into a file; none at all, no file. */
static bool export_solids(rill_bake_output *output, bool moving, double time) {
    char name[RILL_BAKE_NAME] = "";
    size_t count = 0, all = 0;
    for (size_t i = 0; i < rill_bake_thing_count(output); ++i) {
        if (output->solids[i].moves == moving) {
            ++all;
            if (is_visible(output, i)) output->chosen[count++] = output->solids[i].part;
        }
    }
    if (moving)
        rill_bake_frame_name(name, "moving", output->written, output->format);
    else
        snprintf(name, sizeof name, "solids.%s", rill_mesh_format_name(output->format));
    return all ? export_parts(output, name, time, output->chosen, count) : true;
}

static void sample_solids(rill_bake_output *output, double code) {
    size_t number = 0;
    for (size_t i = 0; i < output->scene->solid_count; ++i)
        if (output->solids[i].moves)
            rill_usda_sample_solid(&output->samples, code, number++, &output->solids[i].part, is_visible(output, i));
    rill_bake_sample_bodies(output, code, number);
}

/* ----------------------------------------------------------------------------------------------------------- frames */

/* Frames are the time codes; a last one that is shortened lies between two. With a rounded frame such as 0.0166667 s
 * the rate is the one that was meant, so that 0.5 s are 30 codes and not 29.99994. */
static double time_code(const rill_bake_output *output, int64_t k) {
    double frame = output->scene->frame, length = k ? rill_scene_frame_length(frame, output->until, k) : frame;
    double meant = output->until * rill_usda_rate(frame), before = (double)(k - 1);
    if (length == frame) return (double)k;
    return meant > before && meant <= before + 1 ? meant : before + length / frame;
}

static bool write_meshes(rill_bake_output *output, const rill_mesh_part *liquid, int64_t k, double time) {
    char name[RILL_BAKE_NAME];
    if (output->format == RILL_MESH_USDA) {
        double code = time_code(output, k);
        rill_usda_sample_liquid(&output->samples, code, liquid);
        if (output->solids) sample_solids(output, code);
        return output->samples.trouble ? rill_bake_output_sync(output) : true; /* which tells of the trouble */
    }
    if (output->solids && ((k == 0 && !export_solids(output, false, -1)) || !export_solids(output, true, time)))
        return false;
    rill_bake_frame_name(name, "liquid", output->written, output->format);
    return export_parts(output, name, time, liquid, 1);
}

bool rill_bake_output_frame(rill_bake_output *output, int64_t k) {
    rill_surface_mesh mesh;
    double time = rill_scene_frame_time(output->scene->frame, output->until, k);
    if (rill_surface_build(output->surface) != RILL_OK || rill_surface_get_mesh(output->surface, &mesh) != RILL_OK)
        return rill_bake_complain("the surface", rill_world_message(output->world));
    if (!rill_bake_add_falls(output->surface, &mesh)) return rill_bake_complain("the surface", "out of memory");
    rill_mesh_part liquid = rill_mesh_part_of("liquid", &mesh);
    const bool written = (!output->solids || take_solids(output)) && write_meshes(output, &liquid, k, time) &&
                         rill_bake_write_bodies(output, time);
    output->vertices = mesh.vertex_count;
    output->triangles = mesh.triangle_count;
    rill_bake_free_falls(&mesh);
    if (!written) return false;
    char text[RILL_NUMBER_TEXT];
    rill_writer_count(&output->index, (uint64_t)output->written);
    rill_writer_text(&output->index, ",");
    rill_writer_bytes(&output->index, text, rill_number_double(time, text));
    rill_writer_text(&output->index, "\n");
    ++output->written;
    return true;
}

bool rill_bake_output_sync(rill_bake_output *output) {
    rill_writer *files[2] = { &output->index, &output->samples };
    for (int i = 0; i < 2; ++i) {
        rill_message message;
        if (files[i]->descriptor >= 0 && !rill_writer_sync(files[i], &message))
            return rill_bake_complain_of_disk(files[i]->path, message.text);
    }
    return true;
}

bool rill_bake_output_join(rill_bake_output *output, int64_t k) {
    char path[RILL_BAKE_PATH], about[512];
    rill_message message;
    if (output->format != RILL_MESH_USDA) return true;
    describe(output, -1, about);
    const rill_usda_stage stage = { .about = about,
                                    .frame = output->scene->frame,
                                    .end = time_code(output, k),
                                    .solids = output->solids,
                                    .solid_count = output->solids ? rill_bake_thing_count(output) : 0 };
    if (!rill_bake_path(output->folder, RILL_BAKE_STAGE, path)) return false;
    if ((output->solids && !take_solids(output)) || !rill_bake_output_sync(output)) return false;
    rill_result result = rill_usda_join(path, output->samples.path, output->samples.size, &stage, &message);
    if (result == RILL_INVALID_STATE) return rill_bake_complain_of_disk(path, message.text);
    return result == RILL_OK ? true : rill_bake_complain(path, message.text);
}

/* ------------------------------------------------------------------------------------------------------------- ends */

static bool open_file(const rill_bake_output *output, rill_writer *writer, const char *name, uint64_t size) {
    char path[RILL_BAKE_PATH];
    rill_message message;
    if (!rill_bake_path(output->folder, name, path)) return false;
    return rill_writer_append(writer, path, size, &message) ? true : rill_bake_complain_of_disk(path, message.text);
}

bool rill_bake_output_open(rill_bake_output *output, int64_t written, uint64_t index_size, uint64_t samples_size) {
    size_t count = rill_bake_thing_count(output);
    output->written = written;
    output->index.descriptor = output->samples.descriptor = -1;
    if (output->with_solids) {
        output->solids = calloc(count, sizeof *output->solids);
        output->places = calloc(count, sizeof *output->places);
        output->chosen = calloc(count, sizeof *output->chosen);
        if (!output->solids || !output->places || !output->chosen)
            return rill_bake_complain("the solids", "out of memory");
    }
    if (rill_surface_create(output->world, &output->look, &output->surface) != RILL_OK)
        return rill_bake_complain("the surface", rill_world_message(output->world));
    if (!open_file(output, &output->index, RILL_BAKE_INDEX, index_size) ||
        (output->format == RILL_MESH_USDA && !open_file(output, &output->samples, RILL_BAKE_SAMPLES, samples_size)))
        return false;
    if (!index_size) rill_writer_text(&output->index, "number,time\n");
    return true;
}

void rill_bake_output_close(rill_bake_output *output) {
    for (size_t i = 0; output->places && i < rill_bake_thing_count(output); ++i) free(output->places[i]);
    free(output->solids);
    free(output->places);
    free(output->chosen);
    rill_writer_abandon(&output->index);
    rill_writer_abandon(&output->samples);
    rill_surface_destroy(output->surface);
}
