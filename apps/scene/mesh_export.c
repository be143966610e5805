/* Which format, and the file around it. */
#include "mesh_export.h"

#include <stdio.h>
#include <string.h>

static const char *const names[RILL_MESH_FORMATS] = { "obj", "ply", "glb", "usda" };

const char *rill_mesh_format_name(rill_mesh_format format) {
    return names[format];
}

bool rill_mesh_format_find(const char *name, rill_mesh_format *out) {
    for (int i = 0; i < RILL_MESH_FORMATS; ++i) {
        if (strcmp(name, names[i]) == 0) {
            *out = (rill_mesh_format)i;
            return true;
        }
    }
    return false;
}

rill_mesh_part rill_mesh_part_of(const char *name, const rill_surface_mesh *mesh) {
    return (rill_mesh_part){ .name = name,
                             .positions = mesh->positions,
                             .normals = mesh->normals,
                             .velocities = mesh->velocities,
                             .opacities = mesh->opacities,
                             .depths = mesh->depths,
                             .wetness = mesh->wetness,
                             .layers = mesh->layers,
                             .indices = mesh->indices,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count };
}

static rill_result refuse(rill_message *message, rill_result result, const char *text) {
    snprintf(message->text, sizeof message->text, "%s", text);
    return result;
}

rill_result rill_mesh_export(const char *path, rill_mesh_format format, const char *about, const rill_mesh_part *parts,
                             size_t count, rill_message *message) {
    rill_writer writer;
    rill_result result = RILL_INVALID_ARGUMENT;
    if (!rill_writer_create(&writer, path, message)) return RILL_INVALID_STATE;
    switch (format) {
    case RILL_MESH_OBJ: result = rill_mesh_write_obj(&writer, about, parts, count); break;
    case RILL_MESH_PLY: result = rill_mesh_write_ply(&writer, about, parts, count); break;
    case RILL_MESH_GLB: result = rill_mesh_write_glb(&writer, about, parts, count); break;
    default: break;
    }
    if (result == RILL_OK) return rill_writer_commit(&writer, message) ? RILL_OK : RILL_INVALID_STATE;
    rill_writer_abandon(&writer);
    switch (result) {
    case RILL_TOO_LARGE: return refuse(message, result, "the mesh is too large for this format, expected below 4 GB");
    case RILL_OUT_OF_MEMORY: return refuse(message, result, "out of memory");
    default: return refuse(message, result, "this format has no files of single meshes, expected obj, ply or glb");
    }
}
