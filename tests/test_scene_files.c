/* Files that scenes name: arrays, pictures, meshes. Good ones arrive exactly, damaged ones are refused with a
 * reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene/mesh_import.h"
#include "scene/npy.h"
#include "scene/png_heights.h"
#include "scene/scene.h"

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/rill_files_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

/* The path of a file in the test's folder, written with this content. */
static const char *put(const char *name, const void *bytes, size_t size) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* -------------------------------------------------------------------------------------------------------------- npy */

/* A version 1 file with a given header text and values. */
static size_t make_npy(unsigned char *out, const char *header, const void *values, size_t size) {
    size_t length = strlen(header);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (unsigned char)(length & 0xff);
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + 10, header, length);
    memcpy(out + 10 + length, values, size);
    return 10 + length + size;
}

static void arrays_are_read(void **state) {
    (void)state;
    unsigned char bytes[512];
    rill_npy array;
    rill_message message;
    const double f8[6] = { 1, -2.5, 1e-300, 4, 5, 6 };
    size_t size = make_npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n", f8, sizeof f8);
    assert_int_equal(rill_npy_parse(bytes, size, &array, &message), RILL_OK);
    assert_true(array.axes == 2 && array.shape[0] == 2 && array.shape[1] == 3 && array.count == 6);
    assert_memory_equal(array.values, f8, sizeof f8);
    rill_npy_free(&array);

    const float f4[2] = { 0.5f, -1.25f };
    size = make_npy(bytes, "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}\n", f4, sizeof f4);
    assert_int_equal(rill_npy_parse(bytes, size, &array, &message), RILL_OK);
    assert_true(array.axes == 1 && array.values[0] == 0.5 && array.values[1] == -1.25);
    rill_npy_free(&array);

    /* Version 2 has a header length of four bytes. */
    size = make_npy(bytes, "\0\0", f4, 0);
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n";
    memcpy(bytes + 12, header, sizeof header - 1);
    memcpy(bytes + 12 + sizeof header - 1, f4, 4);
    memcpy(bytes + 6, (unsigned char[]){ 2, 0, sizeof header - 1, 0, 0, 0 }, 6);
    assert_int_equal(rill_npy_parse(bytes, 12 + sizeof header - 1 + 4, &array, &message), RILL_OK);
    assert_true(array.axes == 0 && array.count == 1 && array.values[0] == 0.5);
    rill_npy_free(&array);
}

static void refuse_array(const char *header, size_t value_bytes, const char *why) {
    unsigned char bytes[512];
    double values[8] = { 0 };
    rill_npy array;
    rill_message message = { "" };
    size_t size = make_npy(bytes, header, values, value_bytes);
    assert_int_equal(rill_npy_parse(bytes, size, &array, &message), RILL_INVALID_DATA);
    assert_null(array.values);
    if (!strstr(message.text, why)) fail_msg("'%s' does not say '%s'", message.text, why);
}

static void bad_arrays_are_refused(void **state) {
    (void)state;
    refuse_array("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }\n", 16, "Fortran order");
    refuse_array("{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }\n", 16, "'>f8'");
    refuse_array("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", 8, "'<i4'");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 15,
                 "found 15 bytes of values, expected 16");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 24,
                 "found 24 bytes of values, expected 16");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }\n", 16, "too large");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,), }\n", 16,
                 "no .npy header");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1), }\n", 8, "up to 4 axes");
    refuse_array("{'descr': '<f8', 'fortran_order': False}\n", 8, "no .npy header");
    refuse_array("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': ()}\n", 8, "no .npy header");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n", 8, "no .npy header");
    refuse_array("{'descr': '<f8', 'fortran_order': False, 'shape': (), } x\n", 8, "no .npy header");
    refuse_array("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (), }\n", 8, "no .npy header");
    refuse_array("", 8, "no .npy header");
}

/* Every beginning of a file is refused; every changed bit of its header is answered without a crash. */
static void damaged_arrays_are_survived(void **state) {
    (void)state;
    unsigned char bytes[512], copy[512];
    const double values[4] = { 1, 2, 3, 4 };
    rill_npy array;
    rill_message message;
    size_t size =
        make_npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", values, sizeof values);
    for (size_t length = 0; length < size; ++length) {
        unsigned char *exact = malloc(length ? length : 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, bytes, length);
        assert_int_equal(rill_npy_parse(exact, length, &array, &message), RILL_INVALID_DATA);
        free(exact);
    }
    for (size_t bit = 0; bit < (size - sizeof values) * 8; ++bit) {
        memcpy(copy, bytes, size);
        copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (rill_npy_parse(copy, size, &array, &message) == RILL_OK) rill_npy_free(&array);
    }
}

static void arrays_go_out_and_in(void **state) {
    (void)state;
    const double values[6] = { 0.1, -0.0, (double)INFINITY, 1e300, 5, (double)NAN };
    rill_npy array;
    rill_message message;
    char path[128];
    snprintf(path, sizeof path, "%s/out.npy", folder);
    assert_int_equal(rill_npy_save(path, values, (const size_t[]){ 1, 2, 3 }, 3, &message), RILL_OK);
    assert_int_equal(rill_npy_load(path, &array, &message), RILL_OK);
    assert_true(array.axes == 3 && array.shape[0] == 1 && array.shape[1] == 2 && array.shape[2] == 3);
    assert_memory_equal(array.values, values, sizeof values);
    rill_npy_free(&array);
    remove(path);
    assert_int_equal(rill_npy_load(path, &array, &message), RILL_INVALID_STATE);
    assert_int_equal(rill_npy_load(folder, &array, &message), RILL_INVALID_STATE);
    assert_string_equal(message.text, "it is a folder");
    assert_int_equal(rill_npy_save("/dev/full", values, (const size_t[]){ 6 }, 1, &message), RILL_INVALID_STATE);
    assert_string_equal(message.text, "No space left on device");
}

/* -------------------------------------------------------------------------------------------------------------- PNG */

/* 2 x 2, 16 bits: 0, 65535 in the north; 1, 256 in the south. */
static const unsigned char grey16[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x02, 0x10, 0x00, 0x00, 0x00, 0x00, 0x07, 0x4d, 0x8e, 0xbb, 0x00, 0x00, 0x00, 0x12, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x60, 0xf8, 0xff, 0x9f, 0x81, 0x81, 0x91, 0x91, 0x01, 0x00, 0x0d, 0x02,
    0x02, 0x01, 0x9e, 0xd9, 0x35, 0x21, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};
/* 2 x 1, 8 bits: 255, 1. */
static const unsigned char grey8[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0xd1, 0x49, 0x20, 0x56, 0x00,
    0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xcf, 0x08, 0x00, 0x02, 0x02, 0x01,
    0x01, 0x38, 0x0c, 0x50, 0xd7, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};
/* 1 x 1 in colour. */
static const unsigned char colour[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00,
    0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x64, 0x62, 0x06, 0x00, 0x00, 0x0e, 0x00, 0x07, 0xe9,
    0x92, 0x37, 0xd4, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static void pictures_are_exact(void **state) {
    (void)state;
    double *heights;
    int32_t size[2];
    rill_message message;
    assert_int_equal(rill_png_parse(grey16, sizeof grey16, &heights, size, &message), RILL_OK);
    assert_true(size[0] == 2 && size[1] == 2);
    assert_true(heights[0] == 1 / 65535.0 && heights[1] == 256 / 65535.0); /* the south comes first */
    assert_true(heights[2] == 0 && heights[3] == 1);
    free(heights);
    assert_int_equal(rill_png_parse(grey8, sizeof grey8, &heights, size, &message), RILL_OK);
    assert_true(size[0] == 2 && size[1] == 1 && heights[0] == 1 && heights[1] == 1 / 255.0);
    free(heights);
    assert_int_equal(rill_png_parse(colour, sizeof colour, &heights, size, &message), RILL_INVALID_DATA);
    assert_string_equal(message.text, "found a colour PNG, expected a greyscale one of 8 or 16 bits");
    for (size_t length = 0; length < sizeof grey16; ++length) {
        assert_int_equal(rill_png_parse(grey16, length, &heights, size, &message), RILL_INVALID_DATA);
        assert_null(heights);
    }
}

/* ----------------------------------------------------------------------------------------------------------- meshes */

static void meshes_are_joined(void **state) {
    (void)state;
    /* A tetrahedron as STL: twelve corners, four places. */
    static const char *const facets[] = { "0 0 0 1 0 0 0 1 0", "0 0 0 0 0 1 1 0 0", "0 0 0 0 1 0 0 0 1",
                                          "1 0 0 0 0 1 0 1 0" };
    char text[2048] = "solid t\n";
    for (int i = 0; i < 4; ++i) {
        char line[256];
        int x[9];
        assert_int_equal(
            sscanf(facets[i], "%d%d%d%d%d%d%d%d%d", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8]), 9);
        snprintf(
            line, sizeof line,
            "facet normal 0 0 1\nouter loop\nvertex %d %d %d\nvertex %d %d %d\nvertex %d %d %d\nendloop\nendfacet\n",
            x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
        strcat(text, line);
    }
    strcat(text, "endsolid t\n");
    const char *path = put("t.stl", text, strlen(text));
    rill_mesh mesh;
    rill_message message;
    assert_int_equal(rill_mesh_load(path, &mesh, &message), RILL_OK);
    assert_int_equal(mesh.triangle_count, 4);
    assert_int_equal(mesh.vertex_count, 4);
    rill_mesh_free(&mesh);
    remove(path);

    /* A square with four corners is two triangles; the two materials meet at shared places. */
    static const char obj[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv -0.0 1 0\nv 2 0 0\nv 2 1 0\nusemtl a\nf 1 2 3 4\nusemtl b\nf 2 5 6 3\n";
    path = put("q.OBJ", obj, sizeof obj - 1);
    assert_int_equal(rill_mesh_load(path, &mesh, &message), RILL_OK);
    assert_int_equal(mesh.triangle_count, 4);
    assert_int_equal(mesh.vertex_count, 6);
    rill_mesh_free(&mesh);
    remove(path);

    /* A pentagon and its back, which begins elsewhere: cut into the same three triangles. */
    static const char sides[] = "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 3 0\nv -1 2 0\nf 1 2 3 4 5\nusemtl back\nf 3 2 1 5 4\n";
    path = put("p.obj", sides, sizeof sides - 1);
    assert_int_equal(rill_mesh_load(path, &mesh, &message), RILL_OK);
    assert_int_equal(mesh.triangle_count, 6);
    int same = 0;
    for (int i = 0; i < 9; i += 3) {
        for (int k = 9; k < 18; k += 3) {
            const uint32_t *a = mesh.indices + i, *b = mesh.indices + k;
            same += (1u << a[0] | 1u << a[1] | 1u << a[2]) == (1u << b[0] | 1u << b[1] | 1u << b[2]);
        }
    }
    assert_int_equal(same, 3);
    rill_mesh_free(&mesh);
    remove(path);
}

/* The comment goes on in a second line, as some programs write it. */
#define PLY_HEAD(format, type)                                                                                         \
    "ply\nformat " format " 1.0\ncomment a\ntetrahedron\nelement vertex 4\nproperty " type " x\nproperty " type        \
    " y\nproperty " type " z\nproperty uchar red\n"
#define PLY_FACES "element face 4\nproperty uchar flags\nproperty list uchar short vertex_index\nend_header\n"
#define PLY_STRIPS "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
#define PLY_PLACES "0 0 0 9\n1 0 0 9\n0 1 0 9\n0 0 1 9\n"

static void expect_tetrahedron(const char *text, size_t size) {
    const char *path = put("t.ply", text, size);
    rill_mesh mesh;
    rill_message message = { "" };
    if (rill_mesh_load(path, &mesh, &message)) fail_msg("%s", message.text);
    assert_int_equal(mesh.triangle_count, 4);
    assert_int_equal(mesh.vertex_count, 4);
    float volume = 0; /* six times that of the tetrahedra over the triangles: one if each is turned outwards */
    for (size_t t = 0; t < 4; ++t) {
        const float *p = mesh.vertices + 3 * mesh.indices[3 * t], *q = mesh.vertices + 3 * mesh.indices[3 * t + 1],
                    *r = mesh.vertices + 3 * mesh.indices[3 * t + 2];
        volume += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                  p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    assert_true(volume == 1);
    rill_mesh_free(&mesh);
    remove(path);
}

/* The tetrahedron of numbers from their highest byte on. */
static size_t big_endian(char *out) {
    static const char head[] = PLY_HEAD("binary_big_endian", "double") PLY_FACES;
    static const char corners[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
    size_t size = sizeof head - 1;
    memcpy(out, head, size);
    for (int v = 0; v < 4; ++v) {
        for (int axis = 0; axis < 3; ++axis, size += 8)
            memcpy(out + size, v == axis + 1 ? "\x3f\xf0\0\0\0\0\0\0" : "\0\0\0\0\0\0\0\0", 8);
        out[size++] = 9;
    }
    for (int f = 0; f < 4; ++f, size += 8)
        memcpy(out + size, (char[]){ 7, 3, 0, corners[f][0], 0, corners[f][1], 0, corners[f][2] }, 8);
    return size;
}

/* As text or as numbers, of faces or of strips: the same tetrahedron. What is cut short is refused. */
static void ply_files_are_read(void **state) {
    (void)state;
    static const char faces[] =
        PLY_HEAD("ascii", "float") PLY_FACES PLY_PLACES "0 3 0 2 1\n0 3 0 1 3\n0 3 0 3 2\n0 3 1 2 3\n";
    static const char strip[] = PLY_HEAD("ascii", "float") PLY_STRIPS PLY_PLACES "6 0 2 1 3 0 2\n";
    static const char strips[] = PLY_HEAD("ascii", "float") PLY_STRIPS PLY_PLACES "13 0 2 1 3 -1 0 1 3 3 -1 0 3 2\n";
    expect_tetrahedron(faces, sizeof faces - 1);
    expect_tetrahedron(strip, sizeof strip - 1);
    expect_tetrahedron(strips, sizeof strips - 1);
    char numbers[1024];
    const size_t size = big_endian(numbers);
    expect_tetrahedron(numbers, size);
    rill_mesh mesh;
    rill_message message = { "" };
    for (size_t cut = 1; cut < size; cut += 7) {
        const char *path = put("c.ply", numbers, size - cut);
        assert_int_equal(rill_mesh_load(path, &mesh, &message), RILL_INVALID_DATA);
        remove(path);
    }
}

static void refuse_mesh(const char *name, const char *text, rill_result expected, const char *why) {
    rill_mesh mesh;
    rill_message message = { "" };
    const char *path = put(name, text, strlen(text));
    assert_int_equal(rill_mesh_load(path, &mesh, &message), expected);
    if (!strstr(message.text, why)) fail_msg("'%s' does not say '%s'", message.text, why);
    assert_null(mesh.vertices);
    remove(path);
}

static void bad_meshes_are_refused(void **state) {
    (void)state;
    refuse_mesh("a.obj", "v 0 0 0\n", RILL_INVALID_DATA, "expected");
    refuse_mesh("a.stl", "", RILL_INVALID_DATA, "expected an .obj, .stl, .ply, .gltf or .glb file");
    refuse_mesh("a.txt", "solid", RILL_INVALID_DATA, "expected an .obj, .stl, .ply, .gltf or .glb file");
    refuse_mesh("a.ply",
                "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n",
                RILL_INVALID_DATA, "expected finite numbers");
    refuse_mesh("b.ply", PLY_HEAD("ascii", "float") PLY_FACES PLY_PLACES "0 3 0 2 1\n0 3 0 1 3\n", RILL_INVALID_DATA,
                "'face' 2 of 4");
    refuse_mesh("c.ply", PLY_HEAD("ascii", "float") PLY_FACES PLY_PLACES "0 3 0 2 4\n", RILL_INVALID_DATA,
                "found vertex 4 in a face, expected 0 to 3");
    refuse_mesh("d.ply", PLY_HEAD("ascii", "float") "end_header\n" PLY_PLACES, RILL_INVALID_DATA, "no triangles");
    refuse_mesh("a.gltf",
                "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_materials_unlit\", "
                "\"KHR_mesh_quantization\"]}",
                RILL_INVALID_DATA, "needs the glTF extension KHR_mesh_quantization");
    refuse_mesh("b.gltf",
                "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_draco_mesh_compression\", "
                "\"KHR_mesh_quantization\"]}",
                RILL_INVALID_DATA, "uses the glTF extension KHR_mesh_quantization");
    refuse_mesh("c.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 \\\n 2 3\nf 1/1/1 3/3/1 4/4/1\n",
                RILL_INVALID_DATA, "found 1 faces that cannot be read among 2");
    refuse_mesh("e.ply", "ply\nformat ascii 1.0\nelement vertex\nend_header\n", RILL_INVALID_DATA,
                "found the line 'element vertex'");
    refuse_mesh("b.stl", "solid nothing\nendsolid nothing\n", RILL_INVALID_DATA,
                "no triangles"); /* assimp would crash */
    refuse_mesh("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n", RILL_INVALID_DATA, "no triangles");
    rill_mesh mesh;
    rill_message message;
    assert_int_equal(rill_mesh_load("no/such.obj", &mesh, &message), RILL_INVALID_STATE);
    assert_string_equal(message.text, "No such file or directory");
}

/* ------------------------------------------------------------------------------------------------------- in a scene */

/* Files are looked for beside the scene; PNG values go from low to high; depths must fit the grid. */
static void scenes_read_their_files(void **state) {
    (void)state;
    static const char text[] = "rill: 1\nbed:\n  grid: { cells: [2, 2], cell_size: 0.001 }\n  solids:\n"
                               "    - { heightmap: ground.png, low: 1, high: 3,\n"
                               "        wettability: { map: ground.png, low: 110, high: 20 } }\n"
                               "fill: [{ depth: d.npy }]\nrun: { frame: 1, until: 1 }\n";
    char ground[128], depth[128], path[128];
    rill_message message;
    strcpy(ground, put("ground.png", grey16, sizeof grey16));
    snprintf(depth, sizeof depth, "%s/d.npy", folder);
    snprintf(path, sizeof path, "%s/s.yaml", folder);
    const double values[6] = { 0, 1, 2, (double)NAN, -1, 0 };
    assert_int_equal(rill_npy_save(depth, values, (const size_t[]){ 2, 2 }, 2, &message), RILL_OK);
    rill_scene *scene;
    rill_scene_report report = { 0 };
    assert_int_equal(rill_scene_parse(text, sizeof text - 1, path, NULL, &scene, &report), RILL_SCENE_OK);
    assert_string_equal(scene->name, "s");
    assert_string_equal(scene->solids[0].file, ground);
    assert_true(scene->solids[0].def.shape.heights[2] == 1 && scene->solids[0].def.shape.heights[3] == 3);
    const double *angles = scene->solids[0].def.wettability; /* black may be more than white */
    assert_true(angles[2] == 110 && angles[3] == 20 && scene->solids[0].def.wettability_size[0] == 2);
    assert_true(scene->fills[0].depths[2] == 2);
    rill_scene_free(scene);

    char expected[400];
    assert_int_equal(rill_npy_save(depth, values, (const size_t[]){ 2, 3 }, 2, &message), RILL_OK);
    assert_int_equal(rill_scene_parse(text, sizeof text - 1, path, NULL, &scene, &report), RILL_SCENE_WRONG);
    snprintf(expected, sizeof expected, "%s:7:17: %s: found an array of shape (2, 3), expected (2, 2): rows, columns",
             path, depth);
    assert_string_equal(report.items[0].text, expected);
    rill_scene_report_free(&report);
    assert_int_equal(rill_npy_save(depth, values + 2, (const size_t[]){ 2, 2 }, 2, &message), RILL_OK);
    assert_int_equal(rill_scene_parse(text, sizeof text - 1, path, NULL, &scene, &report), RILL_SCENE_WRONG);
    assert_non_null(
        strstr(report.items[0].text, "found the depth -1 at row 1, column 0, expected 0 to 1e+06 m or NaN"));
    rill_scene_report_free(&report);

    const rill_scene_options strict = { .no_files = true };
    assert_int_equal(rill_scene_parse(text, sizeof text - 1, path, &strict, &scene, &report), RILL_SCENE_WRONG);
    assert_int_equal(report.errors, 3);
    rill_scene_report_free(&report);
    remove(ground);
    remove(depth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(damaged_arrays_are_survived),
        cmocka_unit_test(arrays_go_out_and_in),
        cmocka_unit_test(pictures_are_exact),
        cmocka_unit_test(meshes_are_joined),
        cmocka_unit_test(ply_files_are_read),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(scenes_read_their_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
