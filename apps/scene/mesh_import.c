/* assimp reads and triangulates; joining vertices is done here, by exact place over all parts: assimp's own joining
 * compares normals and texture coordinates too, knows a tolerance, and stops at the borders of materials. */
#include "mesh_import.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

bool rill_mesh_is_kind(const char *path) {
    static const char *const endings[] = { ".obj", ".stl", ".ply", ".gltf", ".glb" };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (rill_file_ends(path, endings[i])) {
            return true;
        }
    }
    return false;
}

static rill_result fail(rill_message *message, rill_result result, const char *text, const char *detail) {
    snprintf(message->text, sizeof message->text, "%s%.180s", text, detail);
    return result;
}

void rill_mesh_free(rill_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (rill_mesh){ 0 };
}

/* ---------------------------------------------------------------------------------------------------------- joining */

static uint64_t hash_place(const float *p) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t bits;
        memcpy(&bits, &p[axis], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The number of a place, new or known. `table` holds numbers + 1, zero is empty; there is always an empty slot. */
static uint32_t join(rill_mesh *mesh, uint32_t *table, size_t mask, const float *place) {
    size_t slot = (size_t)hash_place(place) & mask;
    for (; table[slot]; slot = (slot + 1) & mask) {
        const float *known = mesh->vertices + 3 * (size_t)(table[slot] - 1);
        if (known[0] == place[0] && known[1] == place[1] && known[2] == place[2]) {
            return table[slot] - 1;
        }
    }
    memcpy(mesh->vertices + 3 * mesh->vertex_count, place, 3 * sizeof *place);
    table[slot] = (uint32_t)++mesh->vertex_count;
    return (uint32_t)mesh->vertex_count - 1;
}

/* Adds the triangles of one part; false with a message on a vertex that is no place. */
static bool add_part(rill_mesh *mesh, uint32_t *table, size_t mask, const struct aiMesh *part, rill_message *message) {
    for (unsigned f = 0; f < part->mNumFaces; f++) {
        const struct aiFace *face = &part->mFaces[f];
        if (face->mNumIndices != 3) {
            continue; /* loose points and lines */
        }
        for (int corner = 0; corner < 3; corner++) {
            const struct aiVector3D *v = &part->mVertices[face->mIndices[corner]];
            float place[3] = { v->x + 0.0f, v->y + 0.0f, v->z + 0.0f }; /* + 0 makes -0 the same place as 0 */
            if (!isfinite(place[0]) || !isfinite(place[1]) || !isfinite(place[2])) {
                snprintf(message->text, sizeof message->text,
                         "found a vertex at (%g, %g, %g) in triangle %u, expected finite numbers", (double)place[0],
                         (double)place[1], (double)place[2], f);
                return false;
            }
            mesh->indices[3 * mesh->triangle_count + (size_t)corner] = join(mesh, table, mask, place);
        }
        mesh->triangle_count++;
    }
    return true;
}

static rill_result convert(const struct aiScene *scene, rill_mesh *out, rill_message *message) {
    size_t triangles = 0, size = 8;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        triangles += scene->mMeshes[m]->mNumFaces;
    }
    if (!triangles) {
        return fail(message, RILL_INVALID_DATA, "found no triangles, expected a mesh with some", "");
    }
    if (triangles > UINT32_MAX / 8) {
        return fail(message, RILL_INVALID_DATA, "found more than 500 million triangles", "");
    }
    while (size < triangles * 6) {
        size *= 2;
    }
    rill_mesh mesh = { .vertices = malloc(triangles * 9 * sizeof(float)),
                       .indices = malloc(triangles * 3 * sizeof(uint32_t)) };
    uint32_t *table = calloc(size, sizeof *table);
    rill_result result = RILL_OK;
    if (!mesh.vertices || !mesh.indices || !table) {
        result = fail(message, RILL_OUT_OF_MEMORY, "out of memory", "");
    }
    for (unsigned m = 0; result == RILL_OK && m < scene->mNumMeshes; m++) {
        result = add_part(&mesh, table, size - 1, scene->mMeshes[m], message) ? RILL_OK : RILL_INVALID_DATA;
    }
    free(table);
    if (result == RILL_OK && !mesh.triangle_count) {
        result = fail(message, RILL_INVALID_DATA, "found no triangles, expected a mesh with some", "");
    }
    if (result != RILL_OK) {
        rill_mesh_free(&mesh);
        return result;
    }
    *out = mesh;
    return RILL_OK;
}

rill_result rill_mesh_load(const char *path, rill_mesh *out, rill_message *message) {
    *out = (rill_mesh){ 0 };
    if (!rill_file_check(path, message)) {
        return RILL_INVALID_STATE;
    }
    if (!rill_mesh_is_kind(path)) {
        return fail(message, RILL_INVALID_DATA, "expected " RILL_MESH_KINDS, "");
    }
    /* Transforms of nodes are applied (glTF); their own axes stay: z is up in Rill, whatever the file's format says. */
    const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate | aiProcess_PreTransformVertices);
    if (!scene) {
        const char *why = aiGetErrorString();
        return fail(message, RILL_INVALID_DATA, "found no mesh in it, expected " RILL_MESH_KINDS ": ", why ? why : "");
    }
    rill_result result = convert(scene, out, message);
    aiReleaseImport(scene);
    return result;
}
