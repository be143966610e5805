/* Solids as buffers. Their triangles are taken from the world where they are now; a hash over them says whether a
 * buffer is still right, so that what stands still is uploaded once. Bodies follow in the same list
 * (render_bodies.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crease.h"
#include "render_internal.h"
#include "shader.h"

const double rill_render_crease = 38;
const float rill_render_still[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
static const double FOOT = 0.035; /* of the grid's width: how far sheets that are solid all the way down are drawn */

uint64_t rill_render_hash(const double *values, size_t count) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        h = (h ^ bits) * 0x100000001b3u;
        h ^= h >> 29;
    }
    return h;
}

/* World to the solid's own space: its pose backwards, scale left alone (patterns have sizes of their own). */
static void set_object(rill_render_solid *solid, const rill_world *world, rill_solid_id id) {
    double t[3] = { 0 }, degrees[3] = { 0 }, c[3], s[3];
    rill_solid_get_pose(world, id, t, degrees);
    for (int i = 0; i < 3; ++i) {
        double a = degrees[i] * 3.14159265358979323846 / 180;
        c[i] = cos(a);
        s[i] = sin(a);
    }
    /* About x, then y, then z. */
    double r[3][3] = {
        { c[2] * c[1], c[2] * s[1] * s[0] - s[2] * c[0], c[2] * s[1] * c[0] + s[2] * s[0] },
        { s[2] * c[1], s[2] * s[1] * s[0] + c[2] * c[0], s[2] * s[1] * c[0] - c[2] * s[0] },
        { -s[1], c[1] * s[0], c[1] * c[0] },
    };
    memset(solid->object, 0, sizeof solid->object);
    for (int row = 0; row < 3; ++row) {
        double moved = 0;
        for (int k = 0; k < 3; ++k) {
            solid->object[4 * k + row] = (float)r[k][row];
            moved -= r[k][row] * t[k];
        }
        solid->object[12 + row] = (float)moved;
    }
    solid->object[15] = 1;
}

static void measure(rill_render_solid *solid, const rill_solid_mesh *mesh) {
    for (int k = 0; k < 3; ++k) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            low = fmin(low, mesh->vertices[3 * v + (size_t)k]);
            high = fmax(high, mesh->vertices[3 * v + (size_t)k]);
        }
        solid->low[k] = (float)low;
        solid->high[k] = (float)high;
    }
}

static bool take(rill_render_solid *solid, const rill_world *world, rill_solid_id id, rill_message *message) {
    static const int attributes[] = { 3, 3, 0 };
    rill_solid_mesh mesh;
    rill_result result = rill_solid_get_mesh(world, id, &mesh);
    if (result != RILL_OK) {
        snprintf(message->text, sizeof message->text, "the solid '%s' cannot be drawn: %s", rill_solid_name(world, id),
                 rill_result_name(result));
        return false;
    }
    solid->drawn = rill_solid_is_visible(world, id) && mesh.triangle_count > 0;
    set_object(solid, world, id);
    memcpy(solid->model, rill_render_still, sizeof solid->model);
    uint64_t hash = rill_render_hash(mesh.vertices, 3 * mesh.vertex_count);
    if (solid->id == id.value && solid->hash == hash) return true;
    measure(solid, &mesh);
    rill_grid grid;
    rill_world_get_grid(world, &grid);
    double foot = (double)solid->low[2] - FOOT * grid.cell_size * fmax(grid.cells[0], grid.cells[1]);
    rill_draw_mesh smooth;
    bool good = rill_crease_mesh(&mesh, rill_render_crease, &smooth) && rill_draw_mesh_wall(&smooth, &grid, foot) &&
                rill_batch_fill(&solid->batch, smooth.vertices, smooth.vertex_count, attributes, smooth.indices,
                                smooth.index_count);
    if (good && smooth.index_count > 3 * mesh.triangle_count) solid->low[2] = (float)foot;
    rill_draw_mesh_free(&smooth);
    if (!good) {
        snprintf(message->text, sizeof message->text, "out of memory for the %zu triangles of the solid '%s'",
                 mesh.triangle_count, rill_solid_name(world, id));
        return false;
    }
    solid->id = id.value;
    solid->hash = hash;
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- all */

/* Sets what a solid is made of, and a program for that. */
static bool set_material(rill_render *render, rill_render_solid *solid, const rill_render_material *materials,
                         size_t count, size_t index, const char *name, const rill_render_options *options,
                         rill_message *message) {
    static const rill_scene_material nothing_said = { .roughness = -1 };
    solid->material = index < count ? materials[index] : rill_material_for(&nothing_said, name, RILL_SHAPE_MESH);
    bool many = options->samples >= RILL_SKY_SAMPLES;
    GLuint *program = &render->materials[many][solid->material.kind];
    char defines[64];
    snprintf(defines, sizeof defines, "#define MATERIAL %d\n%s", (int)solid->material.kind,
             many ? "#define SKY\n" : "");
    *program = *program ? *program : rill_shader_build("solid", defines, false, message);
    return *program != 0;
}

bool rill_render_take_solids(rill_render *render, const rill_world *world, const rill_render_options *options,
                             rill_message *message) {
    size_t solids = (size_t)rill_world_solid_count(world), bodies = (size_t)rill_world_body_count(world);
    size_t count = solids + bodies;
    if (count > render->solid_count) {
        rill_render_solid *more = realloc(render->solids, count * sizeof *more);
        if (!more) {
            snprintf(message->text, sizeof message->text, "out of memory for %zu solids", count);
            return false;
        }
        memset(more + render->solid_count, 0, (count - render->solid_count) * sizeof *more);
        render->solids = more;
        render->solid_count = count;
    }
    for (size_t i = 0; i < render->solid_count; ++i) {
        rill_render_solid *solid = &render->solids[i];
        solid->drawn = false;
        if (i >= count) continue; /* destroyed since; its buffers wait for the next one */
        if (solid->body == (i < solids)) solid->id = 0;
        solid->body = i >= solids;
        bool good;
        if (i < solids) {
            rill_solid_id id = rill_world_solid_at(world, (int32_t)i);
            good = take(solid, world, id, message) &&
                   set_material(render, solid, options->materials, options->material_count, i,
                                rill_solid_name(world, id), options, message);
        } else {
            rill_body_id id = rill_world_body_at(world, (int32_t)(i - solids));
            good = rill_render_take_body(solid, world, id, message) &&
                   set_material(render, solid, options->body_materials, options->body_material_count, i - solids,
                                rill_body_name(world, id), options, message);
        }
        if (!good) return false;
    }
    return true;
}

void rill_render_free_solids(rill_render *render) {
    for (size_t i = 0; i < render->solid_count; ++i) rill_batch_free(&render->solids[i].batch);
    free(render->solids);
    render->solids = NULL;
    render->solid_count = 0;
}

void rill_render_draw_solids(const rill_render *render, GLuint program, bool glass) {
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        if (solid->drawn && (solid->material.kind == RILL_MATERIAL_GLASS) == glass) {
            const float *c = solid->material.colour;
            rill_shader_set_matrix(program, "model", solid->model);
            if (glass) { /* of solids: bodies are not cut by cells */
                rill_shader_set_floats(program, "lean", (const float[1]){ solid->body ? 0 : 1.2f * render->cell_size },
                                       1);
                rill_shader_set_floats(program, "glass_look",
                                       (const float[4]){ c[0], c[1], c[2], solid->material.roughness }, 4);
            }
            rill_batch_draw(&solid->batch, GL_TRIANGLES);
        }
    }
}

static uint64_t stir(uint64_t key, uint64_t value) {
    return (key ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (key >> 29);
}

uint64_t rill_render_shadow_key(const rill_render *render, const float clip[16]) {
    uint64_t key = 1;
    for (int i = 0; i < 16; ++i) {
        uint32_t bits;
        memcpy(&bits, &clip[i], sizeof bits);
        key = stir(key, bits);
    }
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        if (solid->drawn && solid->material.kind != RILL_MATERIAL_GLASS) key = stir(stir(key, solid->id), solid->hash);
    }
    return key ? key : 1;
}

void rill_render_draw_materials(const rill_render *render) {
    for (size_t i = 0; i < render->solid_count; ++i) {
        const rill_render_solid *solid = &render->solids[i];
        if (!solid->drawn || solid->material.kind == RILL_MATERIAL_GLASS) continue;
        const float *c = solid->material.colour;
        GLuint program = render->materials[render->frame.sky[3] > 0][solid->material.kind];
        glUseProgram(program);
        rill_shader_set_texture(program, "wet_map", 0, GL_TEXTURE_2D_ARRAY, render->wet.texture);
        rill_shader_set_matrix(program, "model", solid->model);
        rill_shader_set_matrix(program, "object", solid->object);
        rill_shader_set_floats(program, "base_colour", (const float[4]){ c[0], c[1], c[2], solid->material.roughness },
                               4);
        rill_batch_draw(&solid->batch, GL_TRIANGLES);
    }
}
