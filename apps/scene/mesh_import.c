/* assimp reads and triangulates, but for PLY (ply_import.c); joining vertices is done here, by exact place over all
 * parts: assimp's own joining compares normals and texture coordinates too, knows a tolerance, and stops at the borders
 * of materials. */
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
#include "ply_import.h"

static const size_t GLTF_LIMIT = (size_t)2 << 30, OBJ_LIMIT = (size_t)8 << 30;

bool rill_mesh_is_kind(const char *path) {
    static const char *const endings[] = { ".obj", ".stl", ".ply", ".gltf", ".glb" };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
        if (rill_file_ends(path, endings[i])) return true;
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
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t bits;
        memcpy(&bits, &p[axis], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Returns the number of a place, new or known. `table` holds numbers + 1, zero is empty; there is always an empty
 * slot. */
static uint32_t join(rill_mesh *mesh, uint32_t *table, size_t mask, const float *place) {
    size_t slot = (size_t)hash_place(place) & mask;
    for (; table[slot]; slot = (slot + 1) & mask) {
        const float *known = mesh->vertices + 3 * (size_t)(table[slot] - 1);
        if (known[0] == place[0] && known[1] == place[1] && known[2] == place[2]) return table[slot] - 1;
    }
    memcpy(mesh->vertices + 3 * mesh->vertex_count, place, 3 * sizeof *place);
    table[slot] = (uint32_t)++mesh->vertex_count;
    return (uint32_t)mesh->vertex_count - 1;
}

/* Replaces the vertices of a mesh by those of its triangles, each place once. A vertex that is no place is refused. */
static rill_result weld(rill_mesh *mesh, rill_message *message) {
    size_t size = 8;
    while (size < 2 * mesh->vertex_count) size *= 2;
    rill_mesh joined = { .vertices = malloc(mesh->vertex_count * 3 * sizeof(float)) };
    uint32_t *table = calloc(size, sizeof *table);
    rill_result result = RILL_OK;
    if (!joined.vertices || !table) result = fail(message, RILL_OUT_OF_MEMORY, "out of memory", "");
    for (size_t i = 0; i < 3 * mesh->triangle_count && result == RILL_OK; ++i) {
        const float *v = mesh->vertices + 3 * (size_t)mesh->indices[i];
        const float place[3] = { v[0] + 0.0f, v[1] + 0.0f, v[2] + 0.0f }; /* + 0 makes -0 the same place as 0 */
        if (isfinite(place[0]) && isfinite(place[1]) && isfinite(place[2])) {
            mesh->indices[i] = join(&joined, table, size - 1, place);
            continue;
        }
        snprintf(message->text, sizeof message->text,
                 "found a vertex at (%g, %g, %g) in triangle %zu, expected finite numbers", (double)place[0],
                 (double)place[1], (double)place[2], i / 3);
        result = RILL_INVALID_DATA;
    }
    free(table);
    float *old = mesh->vertices;
    mesh->vertices = joined.vertices;
    mesh->vertex_count = joined.vertex_count;
    free(old);
    return result;
}

/* ----------------------------------------------------------------------------------------------------------- assimp */

static void place_of(const struct aiMesh *part, const struct aiFace *face, unsigned corner, float out[3]) {
    const struct aiVector3D *v = &part->mVertices[face->mIndices[corner]];
    out[0] = v->x + 0.0f, out[1] = v->y + 0.0f, out[2] = v->z + 0.0f;
}

/* Puts the corners of a polygon in the order of another one with the same places. */
static void order_like(const struct aiMesh *part, struct aiFace *face, const struct aiMesh *of,
                       const struct aiFace *like) {
    for (unsigned i = 0; i < like->mNumIndices; ++i) {
        float wanted[3], found[3];
        place_of(of, like, i, wanted);
        for (unsigned k = i; k < face->mNumIndices; ++k) {
            place_of(part, face, k, found);
            if (found[0] == wanted[0] && found[1] == wanted[1] && found[2] == wanted[2]) {
                unsigned swap = face->mIndices[i];
                face->mIndices[i] = face->mIndices[k];
                face->mIndices[k] = swap;
                break;
            }
        }
    }
}

typedef struct polygon {
    uint64_t hash;
    size_t order; /* in the file */
    const struct aiMesh *part;
    struct aiFace *face;
} polygon;

static int compare_polygons(const void *a, const void *b) {
    const polygon *p = a, *q = b;
    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    return p->order < q->order ? -1 : 1;
}

/* A polygon that is there twice, once for each side, may begin at another corner and would then be cut along other
 * diagonals: nobody could see any more that it is the same. False: no memory. */
static bool order_polygons(const struct aiScene *scene) {
    size_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m)
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; ++f)
            count += scene->mMeshes[m]->mFaces[f].mNumIndices > 3;
    polygon *all = count ? malloc(count * sizeof *all) : NULL;
    if (!all) return !count;
    count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        const struct aiMesh *part = scene->mMeshes[m];
        for (unsigned f = 0; f < part->mNumFaces; ++f) {
            struct aiFace *face = &part->mFaces[f];
            uint64_t hash = 0; /* the same in any order */
            for (unsigned i = 0; face->mNumIndices > 3 && i < face->mNumIndices; ++i) {
                float place[3];
                place_of(part, face, i, place);
                hash += hash_place(place);
            }
            if (face->mNumIndices > 3) {
                all[count] = (polygon){ hash, count, part, face };
                ++count;
            }
        }
    }
    qsort(all, count, sizeof *all, compare_polygons);
    for (size_t i = 1; i < count; ++i)
        if (all[i].hash == all[i - 1].hash && all[i].face->mNumIndices == all[i - 1].face->mNumIndices)
            order_like(all[i].part, all[i].face, all[i - 1].part, all[i - 1].face);
    free(all);
    return true;
}

static void add_part(rill_mesh *mesh, const struct aiMesh *part) {
    for (unsigned f = 0; f < part->mNumFaces; ++f) {
        const struct aiFace *face = &part->mFaces[f];
        if (face->mNumIndices != 3) continue; /* loose points and lines */
        for (int corner = 0; corner < 3; ++corner) {
            mesh->indices[3 * mesh->triangle_count + (size_t)corner] =
                (uint32_t)mesh->vertex_count + face->mIndices[corner];
        }
        ++mesh->triangle_count;
    }
    for (unsigned v = 0; v < part->mNumVertices; ++v) {
        const struct aiVector3D *from = &part->mVertices[v];
        memcpy(mesh->vertices + 3 * mesh->vertex_count++, (float[]){ from->x, from->y, from->z }, 3 * sizeof(float));
    }
}

static rill_result convert(const struct aiScene *scene, rill_mesh *out, rill_message *message) {
    size_t triangles = 0, vertices = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        triangles += scene->mMeshes[m]->mNumFaces;
        vertices += scene->mMeshes[m]->mNumVertices;
    }
    if (triangles > UINT32_MAX / 8 || vertices > UINT32_MAX / 8)
        return fail(message, RILL_INVALID_DATA, "found more than 500 million triangles", "");
    *out = (rill_mesh){ .vertices = malloc(vertices * 3 * sizeof(float) + 1),
                        .indices = malloc(triangles * 3 * sizeof(uint32_t) + 1) };
    if (!out->vertices || !out->indices) return fail(message, RILL_OUT_OF_MEMORY, "out of memory", "");
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) add_part(out, scene->mMeshes[m]);
    return RILL_OK;
}

static bool begins_with_one(const char *name, const char *const *beginnings) {
    for (; *beginnings; ++beginnings)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0) return true;
    return false;
}

/* Refuses a file if one of the extensions in a list of it changes its geometry. */
static rill_result check_list(const char *text, const char *list, bool required, rill_message *message) {
    static const char *const harmless[] = { "KHR_materials_",      "KHR_texture_", "EXT_texture_",
                                            "MSFT_texture_",       "KHR_lights_",  "KHR_draco_mesh_compression",
                                            "KHR_node_visibility", "KHR_xmp",      NULL };
    /* Of what is used but not required there is a plain form beside it, but for this: some programs only use it. */
    static const char *const harmful[] = { "KHR_mesh_quantization", NULL };
    const char *at = strstr(text, list), *stop = at ? strchr(at, ']') : NULL;
    at = at ? strchr(at, '[') : NULL;
    while (at && stop && (at = strchr(at, '"')) != NULL && at < stop) {
        const char *name = at + 1;
        size_t length = strcspn(name, "\"");
        if (required ? !begins_with_one(name, harmless) : begins_with_one(name, harmful)) {
            snprintf(message->text, sizeof message->text,
                     "it %s the glTF extension %.*s, which is not read; save it without", required ? "needs" : "uses",
                     (int)(length < 80 ? length : 80), name);
            return RILL_INVALID_DATA;
        }
        at += length + 2;
    }
    return RILL_OK;
}

/* Assimp passes over what it does not know, and reads numbers of one kind as those of another. */
static rill_result check_extensions(const char *path, rill_message *message) {
    char *text;
    size_t size;
    rill_result result = rill_file_read(path, GLTF_LIMIT, &text, &size, message);
    if (result != RILL_OK) return result;
    for (size_t i = 0; i < size; ++i) text[i] = text[i] ? text[i] : ' '; /* a .glb has numbers around its text */
    result = check_list(text, "\"extensionsRequired\"", true, message);
    if (result == RILL_OK) result = check_list(text, "\"extensionsUsed\"", false, message);
    free(text);
    return result;
}

/* Tells whether anything has three corners: without that, assimp's later steps fail, and free what they were given
 * twice. */
static bool has_polygons(const struct aiScene *scene) {
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; ++f)
            if (scene->mMeshes[m]->mFaces[f].mNumIndices >= 3) return true;
    }
    return false;
}

/* The next word of a line; false at its end, after which the next one begins. A backslash lets it go on. */
static bool next_word(const char **at, const char **word, size_t *length) {
    for (;;) {
        *at += strspn(*at, " \t\r");
        if (**at != '\\' || ((*at)[1] != '\n' && (*at)[1] != '\r')) break;
        *at += 1 + strcspn(*at, "\n");
    }
    *word = *at;
    *length = strcspn(*at, " \t\r\n");
    *at += *length ? *length : **at == '\n';
    return *length > 0;
}

/* Faces of a Wavefront file with three corners or more. */
static size_t count_polygons(const char *text) {
    size_t count = 0;
    while (*text) {
        const char *word;
        size_t length, words = 0;
        bool face = next_word(&text, &word, &length) && length == 1 && *word == 'f';
        bool comment = length > 0 && *word == '#';
        while (length > 0 && next_word(&text, &word, &length)) {
            comment = comment || *word == '#';
            words += !comment;
        }
        count += face && words >= 3;
    }
    return count;
}

/* assimp makes points of faces that name texture coordinates which are not there. */
static rill_result check_faces(const char *path, const struct aiScene *scene, rill_message *message) {
    char *text;
    size_t size, read = 0;
    rill_result result = rill_file_read(path, OBJ_LIMIT, &text, &size, message);
    if (result != RILL_OK) return result;
    const size_t written = count_polygons(text);
    free(text);
    for (unsigned m = 0; m < scene->mNumMeshes; ++m)
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; ++f)
            read += scene->mMeshes[m]->mFaces[f].mNumIndices >= 3;
    if (read >= written) return RILL_OK;
    snprintf(
        message->text, sizeof message->text,
        "found %zu faces that cannot be read among %zu: they may name texture coordinates that are not there; save it "
        "without these",
        written - read, written);
    return RILL_INVALID_DATA;
}

static rill_result import(const char *path, rill_mesh *out, rill_message *message) {
    rill_result result = RILL_OK;
    if (rill_file_ends(path, ".gltf") || rill_file_ends(path, ".glb")) result = check_extensions(path, message);
    if (result != RILL_OK) return result;
    /* Transforms of nodes are applied (glTF); their own axes stay: z is up in Rill, whatever the file's format says. */
    const struct aiScene *scene = aiImportFile(path, 0);
    if (scene && rill_file_ends(path, ".obj")) result = check_faces(path, scene, message);
    if (result != RILL_OK) {
        aiReleaseImport(scene);
        return result;
    }
    if (scene && !has_polygons(scene)) {
        aiReleaseImport(scene);
        return RILL_OK; /* and no triangles */
    }
    if (scene && !order_polygons(scene)) {
        aiReleaseImport(scene);
        return fail(message, RILL_OUT_OF_MEMORY, "out of memory", "");
    }
    scene = scene ? aiApplyPostProcessing(scene, aiProcess_Triangulate | aiProcess_PreTransformVertices) : NULL;
    if (!scene) {
        const char *why = aiGetErrorString();
        return fail(message, RILL_INVALID_DATA, "found no mesh in it, expected " RILL_MESH_KINDS ": ", why ? why : "");
    }
    result = convert(scene, out, message);
    aiReleaseImport(scene);
    return result;
}

rill_result rill_mesh_load(const char *path, rill_mesh *out, rill_message *message) {
    *out = (rill_mesh){ 0 };
    if (!rill_file_check(path, message)) return RILL_INVALID_STATE;
    if (!rill_mesh_is_kind(path)) return fail(message, RILL_INVALID_DATA, "expected " RILL_MESH_KINDS, "");
    rill_result result = rill_file_ends(path, ".ply") ? rill_ply_load(path, out, message) : import(path, out, message);
    if (result == RILL_OK && !out->triangle_count)
        result = fail(message, RILL_INVALID_DATA, "found no triangles, expected a mesh with some", "");
    if (result == RILL_OK) result = weld(out, message);
    if (result != RILL_OK) rill_mesh_free(out);
    return result;
}
