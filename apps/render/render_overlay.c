/* Overlays: flat colours that say something about the surface, drawn over the tone-mapped picture so that they come
 * out as they are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_internal.h"
#include "shader.h"

static const char *const names[] = { "none",    "wireframe", "layers", "depth", "velocity",
                                     "normals", "meniscus",  "tiles",  "forces" };
static const int ATTRIBUTES[] = { 3, 4, 1, 0 };
enum { FLOATS = 8 };

const char *rill_overlay_name(int overlay) {
    return overlay >= 0 && overlay < RILL_OVERLAY_COUNT ? names[overlay] : NULL;
}

/* Vertices and indices of an overlay while it is made. */
typedef struct maker {
    float *vertices;
    uint32_t *indices;
    size_t vertex_count, index_count;
} maker;

static void put_vertex(maker *making, const float p[3], const float colour[3], float alpha, float depth) {
    float *out = &making->vertices[FLOATS * making->vertex_count++];
    memcpy(out, p, 3 * sizeof *out);
    memcpy(out + 3, colour, 3 * sizeof *out);
    out[6] = alpha;
    out[7] = depth;
}

/* ---------------------------------------------------------------------------------------------------------- colours */

static void ramp(float t, float out[3]) {
    static const float stops[5][3] = { { 0.02f, 0.03f, 0.30f },
                                       { 0.05f, 0.20f, 0.60f },
                                       { 0.05f, 0.55f, 0.50f },
                                       { 0.45f, 0.80f, 0.15f },
                                       { 1.00f, 0.90f, 0.10f } };
    t = fminf(fmaxf(t, 0), 1) * 4;
    int i = t >= 4 ? 3 : (int)t;
    for (int k = 0; k < 3; ++k) out[k] = stops[i][k] + (stops[i + 1][k] - stops[i][k]) * (t - (float)i);
}

static void layer_colour(int32_t layer, float out[3]) {
    static const float colours[5][3] = { { 0.05f, 0.22f, 0.85f },
                                         { 0.05f, 0.60f, 0.15f },
                                         { 0.95f, 0.55f, 0.05f },
                                         { 0.80f, 0.05f, 0.05f },
                                         { 0.50f, 0.10f, 0.70f } };
    memcpy(out, colours[(layer < 0 ? 0 : layer) % 5], 3 * sizeof *out);
}

/* Facts about the world beside the meshes. */
typedef struct knowledge {
    rill_grid grid;
    float deepest, fastest;
    float capillary; /* m: how far a meniscus reaches */
    double *awake;   /* per layer and cell, for RILL_OVERLAY_TILES */
    int32_t layers;
} knowledge;

static void distance_colour(float distance, float capillary, float out[3]) {
    static const float beyond[3] = { 0.35f, 0.36f, 0.38f };
    if (distance <= capillary)
        ramp(1 - distance / capillary, out);
    else
        memcpy(out, beyond, sizeof beyond);
}

enum { UNKNOWN = 0, ASLEEP, AWAKE };

/* Returns what a vertex in the middle of a cell says of the tile it is in. */
static uint8_t tile_at(const knowledge *known, const float *p, int32_t layer) {
    const rill_grid *grid = &known->grid;
    size_t at[2];
    for (int k = 0; k < 2; ++k) {
        double x = ((double)p[k] - grid->origin[k]) / grid->cell_size, cell = floor(x);
        if (!(cell >= 0 && cell < grid->cells[k]) || fabs(x - cell - 0.5) > 0.01) return UNKNOWN;
        at[k] = (size_t)cell;
    }
    size_t row = (size_t)layer * (size_t)grid->cells[1] + at[1];
    return known->awake[row * (size_t)grid->cells[0] + at[0]] > 0 ? AWAKE : ASLEEP;
}

/* Returns the tiles of all vertices. Those where the surface ends, and below overhangs, go by the ones they are joined
 * to. */
static uint8_t *find_tiles(const knowledge *known, const rill_surface_mesh *mesh) {
    uint8_t *tiles = malloc(mesh->vertex_count + 1);
    for (size_t v = 0; tiles && v < mesh->vertex_count; ++v)
        tiles[v] = tile_at(known, &mesh->positions[3 * v], mesh->layers[v]);
    for (size_t t = 0; tiles && t < 2 * mesh->triangle_count; ++t) { /* twice: rims, then what hangs from them */
        const uint32_t *corners = &mesh->indices[3 * (t % mesh->triangle_count)];
        uint8_t best = UNKNOWN;
        for (int k = 0; k < 3; ++k) best = tiles[corners[k]] > best ? tiles[corners[k]] : best;
        for (int k = 0; k < 3; ++k) tiles[corners[k]] = tiles[corners[k]] == UNKNOWN ? best : tiles[corners[k]];
    }
    return tiles;
}

static void tile_colour(bool awake, float out[3]) {
    static const float colours[2][3] = { { 0.10f, 0.22f, 0.42f }, { 1.0f, 0.38f, 0.03f } };
    memcpy(out, colours[awake], sizeof colours[awake]);
}

/* Steep parts are darker, so that shapes can be told; normals are colours themselves. */
static void shade(const float *normal, float colour[3]) {
    for (int k = 0; k < 3; ++k) colour[k] *= 0.55f + 0.45f * fmaxf(normal[2], 0);
}

static bool put_colours(maker *making, const rill_surface_mesh *mesh, rill_overlay overlay, const knowledge *known) {
    uint32_t first = (uint32_t)making->vertex_count;
    uint8_t *tiles = overlay == RILL_OVERLAY_TILES ? find_tiles(known, mesh) : NULL;
    if (overlay == RILL_OVERLAY_TILES && !tiles) return false;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        float colour[3] = { 0 };
        const float *normal = &mesh->normals[3 * v];
        switch (overlay) {
        case RILL_OVERLAY_LAYERS: layer_colour(mesh->layers[v], colour); break;
        case RILL_OVERLAY_DEPTH: ramp(mesh->depths[v] / known->deepest, colour); break;
        case RILL_OVERLAY_MENISCUS: distance_colour(mesh->distances[v], known->capillary, colour); break;
        case RILL_OVERLAY_TILES: tile_colour(tiles[v] == AWAKE, colour); break;
        default:
            for (int k = 0; k < 3; ++k) colour[k] = 0.5f + 0.5f * normal[k];
        }
        if (overlay != RILL_OVERLAY_NORMALS) shade(normal, colour);
        put_vertex(making, &mesh->positions[3 * v], colour, 1, mesh->depths[v]);
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
        making->indices[making->index_count++] = first + mesh->indices[i];
    free(tiles);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ lines */

static void put_wires(maker *making, const rill_surface_mesh *mesh) {
    static const float colour[3] = { 0.9f, 0.95f, 1.0f };
    uint32_t first = (uint32_t)making->vertex_count;
    for (size_t v = 0; v < mesh->vertex_count; ++v) put_vertex(making, &mesh->positions[3 * v], colour, 0.4f, 0);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        for (size_t k = 0; k < 3; ++k) {
            making->indices[making->index_count++] = first + mesh->indices[3 * t + k];
            making->indices[making->index_count++] = first + mesh->indices[3 * t + (k + 1) % 3];
        }
    }
}

static void put_line(maker *making, const float a[3], const float b[3], const float colour[3]) {
    making->indices[making->index_count++] = (uint32_t)making->vertex_count;
    put_vertex(making, a, colour, 1, 0);
    making->indices[making->index_count++] = (uint32_t)making->vertex_count;
    put_vertex(making, b, colour, 1, 0);
}

/* One arrow per few cells: the first vertex that is found in each. */
static bool put_arrows(maker *making, const rill_surface_mesh *mesh, float cell, float fastest) {
    enum { EVERY = 4, SIDE = 1024 };
    uint8_t *taken = calloc((size_t)SIDE * SIDE, 1);
    if (!taken) return false;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const float *p = &mesh->positions[3 * v], *u = &mesh->velocities[3 * v];
        long long x = llroundf(p[0] / (EVERY * cell)), y = llroundf(p[1] / (EVERY * cell));
        size_t slot = (size_t)(y & (SIDE - 1)) * SIDE + (size_t)(x & (SIDE - 1));
        uint8_t bit = (uint8_t)(1u << (mesh->layers[v] & 7));
        float speed = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        if (taken[slot] & bit || !(speed > 1e-3f * fastest)) continue;
        taken[slot] |= bit;
        float length = 2 * EVERY * cell * sqrtf(speed / fastest), d[3], tip[3], tail[3], barb[3], colour[3];
        for (int k = 0; k < 3; ++k) {
            d[k] = u[k] / speed * length;
            tail[k] = p[k] + (k == 2 ? 0.3f * cell : 0);
            tip[k] = tail[k] + d[k];
        }
        ramp(0.25f + 0.75f * speed / fastest, colour);
        put_line(making, tail, tip, colour);
        for (float side = -1; side <= 1; side += 2) {
            barb[0] = tip[0] - 0.3f * d[0] - side * 0.15f * d[1];
            barb[1] = tip[1] - 0.3f * d[1] + side * 0.15f * d[0];
            barb[2] = tip[2] - 0.3f * d[2];
            put_line(making, tip, barb, colour);
        }
    }
    free(taken);
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- all */

static double *read_awake(const rill_world *world, const rill_grid *grid, int32_t layers) {
    size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    double *awake = malloc((cells * (size_t)layers + 1) * sizeof *awake);
    for (int32_t layer = 0; awake && layer < layers; ++layer)
        rill_world_read_field(world, RILL_FIELD_AWAKE, layer, awake + cells * (size_t)layer, cells);
    return awake;
}

static void look_over(knowledge *known, const rill_world *world, rill_surface *const *surfaces, size_t count) {
    rill_liquid liquid;
    double g[3];
    rill_bed_info info = { 0 };
    rill_surface_mesh mesh;
    rill_world_get_grid(world, &known->grid);
    rill_world_get_liquid(world, &liquid);
    rill_world_get_gravity(world, g);
    rill_bed_get_info(world, &info);
    double weight = liquid.density * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    known->capillary = (float)fmin(sqrt(liquid.surface_tension / fmax(weight, 1e-30)), 1e9);
    known->layers = info.layers;
    known->deepest = known->fastest = 1e-9f;
    for (size_t s = 0; s < count; ++s) {
        rill_surface_get_mesh(surfaces[s], &mesh);
        for (size_t v = 0; v < mesh.vertex_count; ++v) {
            const float *u = &mesh.velocities[3 * v];
            known->deepest = fmaxf(known->deepest, mesh.depths[v]);
            known->fastest = fmaxf(known->fastest, sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        }
    }
}

static bool put(maker *making, rill_surface *const *surfaces, size_t count, rill_overlay overlay,
                const knowledge *known) {
    rill_surface_mesh mesh;
    bool good = true;
    for (size_t s = 0; s < count && good; ++s) {
        rill_surface_get_mesh(surfaces[s], &mesh);
        switch (overlay) {
        case RILL_OVERLAY_WIREFRAME: put_wires(making, &mesh); break;
        case RILL_OVERLAY_VELOCITY:
            good = put_arrows(making, &mesh, (float)known->grid.cell_size, known->fastest);
            break;
        default: good = put_colours(making, &mesh, overlay, known); break;
        }
    }
    return good;
}

bool rill_render_take_overlay(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t count,
                              rill_overlay overlay, rill_message *message) {
    if (overlay == RILL_OVERLAY_NONE) return true;
    size_t vertices = 0, triangles = 0;
    rill_surface_mesh mesh;
    for (size_t s = 0; s < count; ++s) {
        rill_surface_get_mesh(surfaces[s], &mesh);
        vertices += mesh.vertex_count;
        triangles += mesh.triangle_count;
        if (overlay == RILL_OVERLAY_MENISCUS && !mesh.distances) {
            snprintf(message->text, sizeof message->text,
                     "surface %zu has no distances to show; expected one whose definition asks for them", s);
            return false;
        }
    }
    knowledge known = { 0 };
    look_over(&known, world, surfaces, count);
    bool tiles = overlay == RILL_OVERLAY_TILES;
    known.awake = tiles ? read_awake(world, &known.grid, known.layers) : NULL;
    /* An arrow is three lines, a triangle has three edges. */
    maker making = { 0 };
    making.vertices = malloc((6 * vertices + 1) * FLOATS * sizeof *making.vertices);
    making.indices = malloc((6 * (vertices + triangles) + 1) * sizeof *making.indices);
    bool good = making.vertices && making.indices && (known.awake || !tiles) &&
                put(&making, surfaces, count, overlay, &known) &&
                rill_batch_fill(&render->overlay, making.vertices, making.vertex_count, ATTRIBUTES, making.indices,
                                making.index_count);
    free(known.awake);
    free(making.vertices);
    free(making.indices);
    if (!good) snprintf(message->text, sizeof message->text, "out of memory for the overlay '%s'", names[overlay]);
    return good;
}

void rill_render_draw_overlay(const rill_render *render, rill_overlay overlay) {
    bool lines = overlay == RILL_OVERLAY_WIREFRAME || overlay == RILL_OVERLAY_VELOCITY;
    GLuint program = render->programs[RILL_PROGRAM_OVERLAY];
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(program);
    rill_shader_set_floats(program, "towards_eye", (const float[1]){ lines ? 0.003f : 0.0f }, 1);
    bool surface = !lines && overlay != RILL_OVERLAY_FORCES;
    rill_shader_set_floats(program, "threads", (const float[1]){ surface ? 1.0f : 0.0f }, 1);
    rill_batch_draw(&render->overlay, lines ? GL_LINES : GL_TRIANGLES);
    glDisable(GL_BLEND);
}
