/* Triangles from a PLY file. */
#ifndef RILL_SCENE_PLY_IMPORT_H
#define RILL_SCENE_PLY_IMPORT_H

#include "mesh_import.h"

/* Vertices are as in the file, not joined. */
rill_result rill_ply_load(const char *path, rill_mesh *out, rill_message *message);

#endif
