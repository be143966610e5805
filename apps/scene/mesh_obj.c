/* Wavefront OBJ: text, indices count from 1 over the whole file.
 *
 *     v x y z      vn x y z      f 1//1 2//2 3//3     (without normals: f 1 2 3) */
#include "mesh_export.h"

static void write_triples(rill_writer *writer, const char *head, const float *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        rill_writer_text(writer, head);
        for (size_t axis = 0; axis < 3; ++axis) {
            rill_writer_bytes(writer, " ", 1);
            rill_writer_float(writer, values[3 * i + axis]);
        }
        rill_writer_bytes(writer, "\n", 1);
    }
}

static void write_triangles(rill_writer *writer, const rill_mesh_part *part, uint64_t first) {
    for (size_t i = 0; i < part->triangle_count; ++i) {
        rill_writer_bytes(writer, "f", 1);
        for (size_t corner = 0; corner < 3; ++corner) {
            uint64_t index = first + part->indices[3 * i + corner];
            rill_writer_bytes(writer, " ", 1);
            rill_writer_count(writer, index);
            if (part->normals) {
                rill_writer_bytes(writer, "//", 2);
                rill_writer_count(writer, index);
            }
        }
        rill_writer_bytes(writer, "\n", 1);
    }
}

/* Names end at a line's end, and readers differ about blanks. */
static void write_name(rill_writer *writer, const char *name) {
    for (; *name; ++name) {
        char byte = (unsigned char)*name <= ' ' ? '_' : *name;
        rill_writer_bytes(writer, &byte, 1);
    }
}

rill_result rill_mesh_write_obj(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count) {
    uint64_t first = 1;
    rill_writer_text(writer, "# ");
    rill_writer_text(writer, about);
    rill_writer_text(writer, "\n# metres, x east, y north, z up\n");
    for (size_t i = 0; i < count; ++i) {
        const rill_mesh_part *part = &parts[i];
        rill_writer_text(writer, "o ");
        write_name(writer, part->name);
        rill_writer_text(writer, "\n");
        write_triples(writer, "v", part->positions, part->vertex_count);
        if (part->normals) write_triples(writer, "vn", part->normals, part->vertex_count);
        write_triangles(writer, part, first);
        first += part->vertex_count;
    }
    return RILL_OK;
}
