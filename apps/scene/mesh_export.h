/* Triangle meshes out: OBJ, PLY and GLB, a file each; USD has one file for all times, see mesh_usda.h.
 *
 *     format   axes in the file      what it carries
 *     obj      x east, z up          positions, normals; a part is an object
 *     ply      x east, z up          every attribute; parts are joined
 *     glb      a node turns y up     every attribute; a part is a node with a mesh
 *
 * Metres; 32-bit indices; triangles are wound as they come, counter-clockwise from outside. */
#ifndef RILL_SCENE_MESH_EXPORT_H
#define RILL_SCENE_MESH_EXPORT_H

#include "file_writer.h"

/* A mesh with a name. Attributes that are NULL are not written; within one file all parts have the same ones. */
typedef struct rill_mesh_part {
    const char *name;
    const float *positions, *normals, *velocities; /* x, y, z each */
    const float *opacities, *depths, *wetness;
    const int32_t *layers;
    const uint32_t *indices;
    size_t vertex_count, triangle_count;
} rill_mesh_part;

typedef enum rill_mesh_format { RILL_MESH_OBJ = 0, RILL_MESH_PLY, RILL_MESH_GLB, RILL_MESH_USDA } rill_mesh_format;
enum { RILL_MESH_FORMATS = 4 };

/* Returns "obj", ...: the word in options and the ending of files. */
const char *rill_mesh_format_name(rill_mesh_format format);
/* Finds a format by its name; false when there is no format of that name. */
bool rill_mesh_format_find(const char *name, rill_mesh_format *out);

/* Returns the surface of a liquid as a part with all attributes. */
rill_mesh_part rill_mesh_part_of(const char *name, const rill_surface_mesh *mesh);

/* Writes a file that is whole or not there; not for USDA. `about` is a line of comment. RILL_INVALID_STATE when the
 * disk fails, RILL_TOO_LARGE when the format cannot count so many, with a message without the file's name. */
rill_result rill_mesh_export(const char *path, rill_mesh_format format, const char *about, const rill_mesh_part *parts,
                             size_t count, rill_message *message);

/* Write one format each, for rill_mesh_export: each writes everything and leaves complaints about the disk to the
 * writer. */
rill_result rill_mesh_write_obj(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count);
rill_result rill_mesh_write_ply(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count);
rill_result rill_mesh_write_glb(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count);

#endif
