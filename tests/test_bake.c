/* Meshes out and back: OBJ, PLY and GLB through assimp and byte by byte, USD through a reader of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "scene/files.h"
#include "scene/mesh_usda.h"

#include "usda_reader.h"

#include "test_folder.h"

/* ----------------------------------------------------------------------------------------------------------- meshes */

enum { NX = 7, NY = 5, VERTICES = NX * NY, TRIANGLES = 2 * (NX - 1) * (NY - 1) };

/* A bumpy sheet with numbers of all sizes in every attribute, wound counter-clockwise seen from above. */
typedef struct sheet {
    float positions[3 * VERTICES], normals[3 * VERTICES], velocities[3 * VERTICES];
    float opacities[VERTICES], depths[VERTICES], wetness[VERTICES];
    int32_t layers[VERTICES];
    uint32_t indices[3 * TRIANGLES];
} sheet;

static rill_mesh_part make_sheet(sheet *s, float shift) {
    size_t t = 0;
    for (uint32_t i = 0; i < VERTICES; ++i) {
        double x = i % NX, y = (double)(i / NX), slope[2] = { 0.3 * sin(x + y), 0.2 * cos(2 * x - y) };
        double length = sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
        const double place[3] = { x * 0.001 + (double)shift, y * 0.001 - 0.0013, 0.01 + 0.0003 * sin(x) * cos(y) };
        const double normal[3] = { -slope[0] / length, -slope[1] / length, 1 / length };
        for (size_t axis = 0; axis < 3; ++axis) {
            s->positions[3 * i + axis] = (float)place[axis];
            s->normals[3 * i + axis] = (float)normal[axis];
            s->velocities[3 * i + axis] = (float)(normal[axis] * exp(3 * (x - y)) * (axis == 2 ? -1e-9 : 1));
        }
        s->opacities[i] = (float)(i % 11) / 10;
        s->depths[i] = (float)i * 1e-4f / 3;
        s->wetness[i] = i % 3 ? 1 : 0.25f;
        s->layers[i] = (int32_t)(i % 4);
        if (x + 1 < NX && y + 1 < NY) {
            const uint32_t quad[6] = { i, i + 1, i + NX + 1, i, i + NX + 1, i + NX };
            memcpy(s->indices + t, quad, sizeof quad);
            t += 6;
        }
    }
    const rill_surface_mesh mesh = { .positions = s->positions,
                                     .normals = s->normals,
                                     .velocities = s->velocities,
                                     .opacities = s->opacities,
                                     .depths = s->depths,
                                     .wetness = s->wetness,
                                     .layers = s->layers,
                                     .indices = s->indices,
                                     .vertex_count = VERTICES,
                                     .triangle_count = TRIANGLES };
    return rill_mesh_part_of("liquid", &mesh);
}

static void put(const char *path, rill_mesh_format format, const rill_mesh_part *parts, size_t count) {
    rill_message message = { "" };
    rill_result result = rill_mesh_export(path, format, "about it", parts, count, &message);
    if (result != RILL_OK) fail_msg("%s: %s", path, message.text);
}

static const double *turned(const struct aiVector3D *v, bool from_y_up, double out[3]) {
    out[0] = (double)v->x;
    out[1] = (double)(from_y_up ? -v->z : v->y);
    out[2] = (double)(from_y_up ? v->y : v->z);
    return out;
}

/* Corner by corner, as assimp has its own idea of which vertices are one. `slack` because its text-to-float is not
 * exact, and because it turns glTF's axes by a matrix. */
static void compare(const struct aiMesh *mesh, const rill_mesh_part *part, bool y_up, double slack) {
    assert_int_equal(mesh->mNumFaces, part->triangle_count);
    for (size_t f = 0; f < part->triangle_count; ++f) {
        double corners[3][3];
        assert_int_equal(mesh->mFaces[f].mNumIndices, 3);
        for (size_t c = 0; c < 3; ++c) {
            unsigned there = mesh->mFaces[f].mIndices[c];
            size_t here = part->indices[3 * f + c];
            double normal[3];
            turned(&mesh->mVertices[there], y_up, corners[c]);
            for (size_t axis = 0; axis < 3; ++axis)
                assert_true(fabs(corners[c][axis] - (double)part->positions[3 * here + axis]) <= slack * 0.01);
            if (!part->normals) continue;
            turned(&mesh->mNormals[there], y_up, normal);
            for (size_t axis = 0; axis < 3; ++axis)
                assert_true(fabs(normal[axis] - (double)part->normals[3 * here + axis]) <= slack);
            assert_true(normal[2] > 0);
        }
        double cross = (corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1]) -
                       (corners[1][1] - corners[0][1]) * (corners[2][0] - corners[0][0]);
        assert_true(cross > 0); /* counter-clockwise from above: the side that the normals are on */
    }
}

static void assimp_reads_them_back(void **state) {
    (void)state;
    static const char *const names[] = { "a.obj", "a.ply", "a.glb" };
    sheet sheets[2];
    rill_mesh_part parts[2] = { make_sheet(&sheets[0], 0), make_sheet(&sheets[1], 0.5f) };
    parts[1].name = "second \"part\"";
    for (int f = RILL_MESH_OBJ; f <= RILL_MESH_GLB; ++f) {
        const char *path = in_folder(names[f]);
        for (size_t count = 1; count <= (f == RILL_MESH_PLY ? 1 : 2); ++count) {
            put(path, (rill_mesh_format)f, parts, count);
            /* Applying the transforms of nodes joins meshes, so of two parts the data are looked at as they are. */
            bool y_up = f == RILL_MESH_GLB && count == 1;
            const struct aiScene *scene =
                aiImportFile(path, y_up ? aiProcess_PreTransformVertices : aiProcess_ValidateDataStructure);
            if (!scene) fail_msg("%s: %s", path, aiGetErrorString());
            assert_int_equal(scene->mNumMeshes, count);
            for (size_t i = 0; i < count; ++i) {
                compare(scene->mMeshes[i], &parts[i], y_up, f == RILL_MESH_OBJ || y_up ? 1e-6 : 0);
                if (f != RILL_MESH_OBJ) assert_int_equal(scene->mMeshes[i]->mNumVertices, VERTICES);
            }
            if (f == RILL_MESH_GLB) {
                assert_true(scene->mMeshes[0]->mColors[0][7].a == sheets[0].opacities[7]);
                assert_true(scene->mMeshes[0]->mColors[0][7].r == 1);
            }
            aiReleaseImport(scene);
        }
        assert_int_equal(unlink(path), 0);
    }
}

/* Text reads back to the last bit with a reader that rounds right. */
static void obj_is_exact(void **state) {
    (void)state;
    sheet s;
    rill_mesh_part part = make_sheet(&s, 0);
    const char *path = in_folder("exact.obj");
    put(path, RILL_MESH_OBJ, &part, 1);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[256];
    size_t seen[3] = { 0 };
    while (fgets(line, sizeof line, file)) {
        char *at = strchr(line, ' ');
        const float *expected = line[1] == 'n' ? s.normals : s.positions;
        size_t kind = line[0] == 'f' ? 2 : line[1] == 'n' ? 1 : 0;
        if (line[0] != 'v' && line[0] != 'f') continue;
        for (size_t i = 0; i < 3; ++i) {
            if (kind < 2) {
                float value = strtof(at, &at);
                assert_memory_equal(&value, &expected[3 * seen[kind] + i], sizeof value);
            } else {
                unsigned long index = strtoul(at, &at, 10);
                assert_int_equal(index, s.indices[3 * seen[2] + i] + 1);
                assert_true(strncmp(at, "//", 2) == 0 && strtoul(at + 2, &at, 10) == index);
            }
        }
        assert_true(*at == '\n');
        ++seen[kind];
    }
    assert_true(seen[0] == VERTICES && seen[1] == VERTICES && seen[2] == TRIANGLES);
    fclose(file);
    assert_int_equal(unlink(path), 0);
}

static float float_at(const char *bytes) {
    float value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t word_at(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void ply_has_every_attribute(void **state) {
    (void)state;
    static const char head[] =
        "ply\nformat binary_little_endian 1.0\ncomment about it\n"
        "comment metres, x east, y north, z up\nelement vertex 35\n"
        "property float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\n"
        "property float vx\nproperty float vy\nproperty float vz\n"
        "property float opacity\nproperty float depth\nproperty float wetness\nproperty int layer\n"
        "element face 48\nproperty list uchar uint vertex_indices\nend_header\n";
    sheet s;
    rill_mesh_part part = make_sheet(&s, 0);
    rill_message message;
    char *bytes;
    size_t size;
    const char *path = in_folder("all.ply");
    put(path, RILL_MESH_PLY, &part, 1);
    assert_int_equal(rill_file_read(path, 1 << 20, &bytes, &size, &message), RILL_OK);
    assert_int_equal(size, sizeof head - 1 + VERTICES * 13 * 4 + TRIANGLES * 13);
    assert_memory_equal(bytes, head, sizeof head - 1);
    const char *at = bytes + sizeof head - 1;
    for (size_t v = 0; v < VERTICES; ++v, at += 13 * 4) {
        assert_memory_equal(at, s.positions + 3 * v, 12);
        assert_memory_equal(at + 12, s.normals + 3 * v, 12);
        assert_memory_equal(at + 24, s.velocities + 3 * v, 12);
        assert_true(float_at(at + 36) == s.opacities[v] && float_at(at + 40) == s.depths[v]);
        assert_true(float_at(at + 44) == s.wetness[v] && word_at(at + 48) == (uint32_t)s.layers[v]);
    }
    for (size_t t = 0; t < TRIANGLES; ++t, at += 13) {
        assert_int_equal(*at, 3);
        assert_memory_equal(at + 1, s.indices + 3 * t, 12);
    }
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

/* Parts of a PLY are joined: the indices of the second one count on. */
static void ply_joins_parts(void **state) {
    (void)state;
    sheet sheets[2];
    rill_mesh_part parts[2] = { make_sheet(&sheets[0], 0), make_sheet(&sheets[1], 0.5f) };
    const char *path = in_folder("two.ply");
    put(path, RILL_MESH_PLY, parts, 2);
    const struct aiScene *scene = aiImportFile(path, aiProcess_ValidateDataStructure);
    assert_non_null(scene);
    assert_int_equal(scene->mMeshes[0]->mNumVertices, 2 * VERTICES);
    assert_int_equal(scene->mMeshes[0]->mNumFaces, 2 * TRIANGLES);
    const struct aiFace *last = &scene->mMeshes[0]->mFaces[2 * TRIANGLES - 1];
    for (size_t c = 0; c < 3; ++c)
        assert_int_equal(last->mIndices[c], VERTICES + sheets[1].indices[3 * TRIANGLES - 3 + c]);
    aiReleaseImport(scene);
    assert_int_equal(unlink(path), 0);
}

/* The number behind "key": in a JSON text, after the place where `from` stands. */
static double json_number(const char *json, const char *from, const char *key) {
    const char *at = strstr(json, from);
    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

static void glb_is_laid_out_as_it_must_be(void **state) {
    (void)state;
    sheet s;
    rill_mesh_part part = make_sheet(&s, 0);
    rill_message message;
    char *bytes;
    size_t size;
    const char *path = in_folder("one.glb");
    put(path, RILL_MESH_GLB, &part, 1);
    assert_int_equal(rill_file_read(path, 1 << 20, &bytes, &size, &message), RILL_OK);
    assert_memory_equal(bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(word_at(bytes + 8), size);
    uint32_t json = word_at(bytes + 12);
    assert_int_equal(json % 4, 0);
    assert_memory_equal(bytes + 16, "JSON{", 5);
    const char *chunk = bytes + 20 + json;
    assert_int_equal(word_at(chunk), size - 28 - json);
    assert_int_equal(word_at(chunk) % 4, 0);
    assert_memory_equal(chunk + 4, "BIN", 4);

    const char *data = chunk + 8;
    bytes[20 + json - 1] = 0; /* the text alone, for searching; its last byte is '}' or a blank */
    static const struct {
        const char *name;
        size_t width;
    } views[] = { { "POSITION", 3 }, { "NORMAL", 3 },   { "COLOR_0", 4 }, { "_VELOCITY", 3 },
                  { "_DEPTH", 1 },   { "_WETNESS", 1 }, { "_LAYER", 1 } };
    size_t offset = 0;
    const char *view = strstr(bytes + 20, "\"bufferViews\"");
    for (size_t i = 0; i < 7; ++i) {
        char key[32];
        snprintf(key, sizeof key, "\"%s\":", views[i].name);
        assert_int_equal((size_t)json_number(bytes + 20, "attributes", key), i);
        view = strstr(view, "\"byteOffset\":");
        assert_int_equal(strtoul(view + 13, NULL, 10), offset);
        view = strstr(view, "\"byteLength\":");
        assert_int_equal(strtoul(view + 13, NULL, 10), 4 * VERTICES * views[i].width);
        for (size_t v = 0; v < VERTICES; ++v) {
            const char *at = data + offset + 4 * v * views[i].width;
            const float *const plain[] = { s.positions, s.normals, NULL, s.velocities, s.depths, s.wetness, NULL };
            if (plain[i]) assert_memory_equal(at, plain[i] + v * views[i].width, 4 * views[i].width);
            if (i == 2) assert_true(float_at(at) == 1 && float_at(at + 12) == s.opacities[v]);
            if (i == 6) assert_true(float_at(at) == (float)s.layers[v]);
        }
        offset += 4 * VERTICES * views[i].width;
    }
    assert_memory_equal(data + offset, s.indices, sizeof s.indices);
    assert_int_equal((size_t)json_number(bytes + 20, "\"buffers\"", "\"byteLength\":"), offset + sizeof s.indices);
    float low = s.positions[2], high = low;
    for (size_t v = 0; v < VERTICES; ++v) {
        low = fminf(low, s.positions[3 * v + 2]);
        high = fmaxf(high, s.positions[3 * v + 2]);
    }
    const char *least = strstr(bytes + 20, "\"min\":["), *most = strstr(bytes + 20, "\"max\":[");
    assert_true(strtof(strchr(strchr(least, ',') + 1, ',') + 1, NULL) == low);
    assert_true(strtof(strchr(strchr(most, ',') + 1, ',') + 1, NULL) == high);
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

/* Before anything is poured there is no liquid: files all the same, so that frames have no gaps. */
static void empty_meshes_are_files_too(void **state) {
    (void)state;
    static const char *const names[] = { "none.obj", "none.ply", "none.glb" };
    static const size_t least[] = { 10, 100, 100 };
    const rill_surface_mesh nothing = { 0 };
    rill_mesh_part part = rill_mesh_part_of("liquid", &nothing);
    rill_message message;
    for (int f = RILL_MESH_OBJ; f <= RILL_MESH_GLB; ++f) {
        char *bytes;
        size_t size;
        put(in_folder(names[f]), (rill_mesh_format)f, &part, 1);
        assert_int_equal(rill_file_read(in_folder(names[f]), 4096, &bytes, &size, &message), RILL_OK);
        assert_true(size > least[f]);
        if (f == RILL_MESH_GLB) {
            assert_int_equal(word_at(bytes + 8), size);
            assert_null(strstr(bytes + 20, "mesh")); /* no accessor may be empty, so there is none */
        }
        free(bytes);
        assert_int_equal(unlink(in_folder(names[f])), 0);
    }
    assert_int_equal(rill_mesh_export(in_folder("x"), RILL_MESH_USDA, "", &part, 1, &message), RILL_INVALID_ARGUMENT);
    assert_int_equal(access(in_folder("x"), F_OK), -1);
}

/* ------------------------------------------------------------------------------------------------------------- usda */

static void assert_numbers(const usda_file *file, const char *path, size_t s, double code, const float *values,
                           size_t count, size_t width) {
    const usda_attribute *attribute = usda_attribute_at((usda_file *)(uintptr_t)file, path);
    assert_non_null(attribute);
    assert_true(s < attribute->count);
    const usda_sample *sample = &attribute->samples[s];
    assert_true(sample->code == code);
    assert_int_equal(sample->count, count);
    for (size_t i = 0; i < count * width; ++i) assert_true(sample->numbers[i] == (double)values[i]);
}

static double layer_number(usda_file *file, const char *key) {
    const usda_attribute *entry = usda_attribute_at(file, key);
    assert_non_null(entry);
    return entry->samples[0].numbers[0];
}

/* Three times, the second without liquid; two solids whose names are the same to USD, the second of which moves. */
static void write_stage(const char *blocks, const char *path, sheet *s) {
    static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    static const uint32_t one[3] = { 0, 1, 2 };
    rill_mesh_part liquid = make_sheet(s, 0);
    const rill_surface_mesh nothing = { 0 };
    rill_mesh_part none = rill_mesh_part_of("liquid", &nothing);
    rill_mesh_part solid = {
        .name = "a b", .positions = corners, .indices = one, .vertex_count = 3, .triangle_count = 1
    };
    rill_usda_solid solids[3] = { { .part = solid }, { .part = solid, .moves = true }, { .part = solid } };
    solids[1].part.name = "a_b";
    solids[2].part.name = "3";
    rill_writer samples;
    rill_message message = { "" };
    assert_true(rill_writer_append(&samples, blocks, 0, &message));
    for (int k = 0; k < 3; ++k) {
        double code = k < 2 ? k : 1.5;
        rill_usda_sample_liquid(&samples, code, k == 1 ? &none : &liquid);
        rill_usda_sample_solid(&samples, code, 0, &solids[1].part, k != 1);
    }
    uint64_t size = samples.size;
    assert_true(rill_writer_commit(&samples, &message));
    const rill_usda_stage stage = { "about \"it\"", 0.0166667, 0, 1.5, solids, 3 };
    assert_int_equal(rill_usda_join(path, blocks, size, &stage, &message), RILL_OK);
    assert_int_equal(rill_usda_join(path, blocks, size - 1, &stage, &message), RILL_INVALID_DATA);
    assert_string_equal(message.text, "its samples are damaged");
}

static void usda_reads_back(void **state) {
    (void)state;
    sheet s;
    usda_file file;
    const char *blocks = in_folder("blocks"), *path = in_folder("stage.usda");
    write_stage(blocks, path, &s);
    if (!usda_read(path, &file)) fail_msg("%s", file.error);
    assert_true(layer_number(&file, "(metersPerUnit)") == 1 && layer_number(&file, "(timeCodesPerSecond)") == 60);
    assert_true(layer_number(&file, "(startTimeCode)") == 0 && layer_number(&file, "(endTimeCode)") == 1.5);
    assert_string_equal(usda_attribute_at(&file, "(upAxis)")->samples[0].text, "Z");
    assert_string_equal(usda_attribute_at(&file, "(defaultPrim)")->samples[0].text, "Rill");
    for (size_t k = 0; k < 3; ++k) {
        double code = k < 2 ? (double)k : 1.5;
        size_t count = k == 1 ? 0 : VERTICES;
        assert_numbers(&file, "/Rill/Liquid.points", k, code, s.positions, count, 3);
        assert_numbers(&file, "/Rill/Liquid.normals", k, code, s.normals, count, 3);
        assert_numbers(&file, "/Rill/Liquid.velocities", k, code, s.velocities, count, 3);
        assert_numbers(&file, "/Rill/Liquid.primvars:displayOpacity", k, code, s.opacities, count, 1);
        assert_numbers(&file, "/Rill/Liquid.primvars:depth", k, code, s.depths, count, 1);
        assert_numbers(&file, "/Rill/Liquid.primvars:wetness", k, code, s.wetness, count, 1);
        const usda_attribute *indices = usda_attribute_at(&file, "/Rill/Liquid.faceVertexIndices");
        const usda_attribute *counts = usda_attribute_at(&file, "/Rill/Liquid.faceVertexCounts");
        assert_int_equal(indices->samples[k].count, k == 1 ? 0 : 3 * TRIANGLES);
        assert_int_equal(counts->samples[k].count, k == 1 ? 0 : TRIANGLES);
        for (size_t i = 0; i < indices->samples[k].count; ++i) {
            assert_true(indices->samples[k].numbers[i] == (double)s.indices[i] &&
                        counts->samples[k].numbers[i / 3] == 3);
        }
        assert_string_equal(usda_attribute_at(&file, "/Rill/a_b_3.visibility")->samples[k].text,
                            k == 1 ? "invisible" : "inherited");
        assert_int_equal(usda_attribute_at(&file, "/Rill/a_b_3.points")->samples[k].count, 3);
    }
    assert_string_equal(usda_attribute_at(&file, "/Rill/Liquid.normals")->interpolation, "vertex");
    assert_string_equal(usda_attribute_at(&file, "/Rill/Liquid.subdivisionScheme")->samples[0].text, "none");
    assert_false(usda_attribute_at(&file, "/Rill/a_b.points")->sampled);
    assert_non_null(usda_attribute_at(&file, "/Rill/_3.points"));
    usda_free(&file);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(blocks), 0);
}

static void rates_are_what_was_meant(void **state) {
    (void)state;
    assert_true(rill_usda_rate(0.0166667) == 60 && rill_usda_rate(0.033333) == 30 && rill_usda_rate(0.04) == 25);
    assert_true(rill_usda_rate(0.5) == 2 && rill_usda_rate(0.0333667) == 1 / 0.0333667 && rill_usda_rate(8) == 0.125);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assimp_reads_them_back),
        cmocka_unit_test(obj_is_exact),
        cmocka_unit_test(ply_has_every_attribute),
        cmocka_unit_test(ply_joins_parts),
        cmocka_unit_test(glb_is_laid_out_as_it_must_be),
        cmocka_unit_test(empty_meshes_are_files_too),
        cmocka_unit_test(usda_reads_back),
        cmocka_unit_test(rates_are_what_was_meant),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
