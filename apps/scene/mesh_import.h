/* Triangle meshes from OBJ, STL, PLY and glTF files. */
#ifndef RILL_SCENE_MESH_IMPORT_H
#define RILL_SCENE_MESH_IMPORT_H

#include "rill/rill.h"

/* Vertices at the same place are one vertex: shared edges are then shared by index, which is how the bed knows that a
 * mesh is closed. */
typedef struct rill_mesh {
    float *vertices; /* x, y, z each */
    size_t vertex_count;
    uint32_t *indices; /* three per triangle */
    size_t triangle_count;
} rill_mesh;

/* Names what is read, for error texts. */
#define RILL_MESH_KINDS "an .obj, .stl, .ply, .gltf or .glb file"
bool rill_mesh_is_kind(const char *path);

/* Loads a mesh. RILL_INVALID_STATE: unreadable; RILL_INVALID_DATA: no usable mesh. The message does not name the
 * file. */
rill_result rill_mesh_load(const char *path, rill_mesh *out, rill_message *message);
void rill_mesh_free(rill_mesh *mesh);

#endif
