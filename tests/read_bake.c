/* Reads a baked mesh back, independently of what wrote it, and prints what is in it; for test_bake.sh. OBJ, PLY and GLB
 * are read by assimp, USD text by usda_reader.h, its samples at every time.
 *
 *     usage: read_bake FILE
 *
 * Leaves with 1 and says why when the file is not as a mesh of Rill's should be: indices within the vertices, whole
 * arrays, normals of length 1 that do not point downwards (on skirts they are level). Data are z up, also in glTF
 * before its node. */
#include <math.h>

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "usda_reader.h"

static int wrong(const char *path, const char *what) {
    printf("%s: %s\n", path, what);
    return 1;
}

static bool is_up(const double *normal) {
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    return fabs(length - 1) < 1e-4 && normal[2] >= 0;
}

static int read_usda(const char *path, usda_file *file) {
    static const char *const vertex[] = { "points",         "normals",
                                          "velocities",     "primvars:displayOpacity",
                                          "primvars:depth", "primvars:wetness",
                                          "primvars:layer" };
    const usda_attribute *indices = usda_attribute_at(file, "/Rill/Liquid.faceVertexIndices");
    const usda_attribute *counts = usda_attribute_at(file, "/Rill/Liquid.faceVertexCounts");
    if (!indices || !counts || counts->count != indices->count) return wrong(path, "no topology for every time");
    for (size_t a = 0; a < sizeof vertex / sizeof vertex[0]; ++a) {
        char name[128];
        snprintf(name, sizeof name, "/Rill/Liquid.%s", vertex[a]);
        const usda_attribute *attribute = usda_attribute_at(file, name);
        if (!attribute || attribute->count != indices->count) return wrong(path, "not a sample for every time");
        const usda_attribute *points = usda_attribute_at(file, "/Rill/Liquid.points");
        for (size_t s = 0; s < attribute->count; ++s) {
            const usda_sample *sample = &attribute->samples[s];
            if (sample->count != points->samples[s].count || sample->code != points->samples[s].code)
                return wrong(path, "an array that is not as long as the points");
            for (size_t i = 0; a == 1 && i < sample->count; ++i)
                if (!is_up(sample->numbers + 3 * i)) return wrong(path, "a normal that points downwards");
            for (size_t i = 0; i < indices->samples[s].count; ++i) {
                double index = indices->samples[s].numbers[i];
                if (index < 0 || index >= (double)sample->count) return wrong(path, "an index beyond the points");
            }
            if (3 * counts->samples[s].count != indices->samples[s].count)
                return wrong(path, "counts and indices differ");
        }
    }
    const usda_attribute *points = usda_attribute_at(file, "/Rill/Liquid.points");
    const usda_sample *last = &points->samples[points->count - 1];
    printf("times %zu to %g vertices %zu triangles %zu\n", points->count, last->code, last->count,
           counts->samples[points->count - 1].count);
    for (size_t i = 0; i < file->count; ++i) {
        const char *type = strstr(file->attributes[i].path, "(type)");
        if (type)
            printf("prim %.*s %s\n", (int)(type - file->attributes[i].path), file->attributes[i].path,
                   file->attributes[i].samples[0].text);
    }
    return 0;
}

static int read_assimp(const char *path) {
    const struct aiScene *scene = aiImportFile(path, aiProcess_ValidateDataStructure);
    if (!scene) return wrong(path, aiGetErrorString());
    size_t vertices = 0, triangles = 0;
    int code = 0;
    for (unsigned m = 0; m < scene->mNumMeshes && !code; ++m) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        vertices += mesh->mNumVertices;
        triangles += mesh->mNumFaces;
        for (unsigned f = 0; f < mesh->mNumFaces; ++f)
            if (mesh->mFaces[f].mNumIndices != 3) code = wrong(path, "a face that is no triangle");
        for (unsigned v = 0; v < mesh->mNumVertices && mesh->mNormals && !code; ++v) {
            double normal[3] = { (double)mesh->mNormals[v].x, (double)mesh->mNormals[v].y,
                                 (double)mesh->mNormals[v].z };
            if (!is_up(normal)) code = wrong(path, "a normal that points downwards");
        }
    }
    if (!code) printf("meshes %u vertices %zu triangles %zu\n", scene->mNumMeshes, vertices, triangles);
    aiReleaseImport(scene);
    return code;
}

int main(int argc, char **argv) {
    if (argc != 2) return wrong("usage", "read_bake FILE");
    size_t length = strlen(argv[1]);
    if (length < 5 || strcmp(argv[1] + length - 5, ".usda") != 0) return read_assimp(argv[1]);
    usda_file file;
    int code = usda_read(argv[1], &file) ? read_usda(argv[1], &file) : wrong(argv[1], file.error);
    usda_free(&file);
    return code;
}
