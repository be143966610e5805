/* Closed meshes: checked, and turned so that triangles are counter-clockwise seen from outside.
 *
 * Vertices count as the same where their positions are. A *side* is an edge as one triangle runs along it: side 3 t +
 * i is the one from corner i to corner i + 1 of triangle t. Each edge must have an even number of sides; where they
 * are two, the triangles are neighbours, and turned alike. Then whole parts are turned so that their volume is
 * positive, after which as many sides of each edge must run one way as the other. */
#include "base/assert.h"
#include "shape/body_form_internal.h"
#include "shape/coincident.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct joints {
    const rill_body_form *form;
    const uint32_t *welds; /* first vertex in the same place */
    uint32_t *heads;       /* table of lists of sides, one per triangle; those of an edge are in the same */
    uint32_t *follow;      /* per side: the next in its list */
    uint32_t *mates;       /* per side: the other side of an edge with two */
    uint32_t *queue;       /* triangles */
    uint8_t *flags;        /* per triangle */
} joints;

enum { SEEN = 1, TURNED = 2 };

/* The ends of a side, lower first; returns whether it runs that way, before any turning. */
static bool find_ends(const joints *mesh, uint32_t side, uint32_t ends[2]) {
    const uint32_t *c = mesh->form->indices + side / 3 * (size_t)3;
    const uint32_t from = mesh->welds[c[side % 3]], to = mesh->welds[c[(side + 1) % 3]];
    ends[0] = from < to ? from : to;
    ends[1] = from < to ? to : from;
    return from < to;
}

/* A triangle with two corners in one place is not there. */
static bool is_point(const joints *mesh, uint32_t triangle) {
    const uint32_t *c = mesh->form->indices + 3 * (size_t)triangle;
    const uint32_t p = mesh->welds[c[0]], q = mesh->welds[c[1]], r = mesh->welds[c[2]];
    return p == q || q == r || r == p;
}

static void list_sides(joints *mesh) {
    const size_t lists = mesh->form->triangle_count;
    for (size_t i = 0; i < lists; ++i) mesh->heads[i] = NONE;
    for (uint32_t t = 0; t < mesh->form->triangle_count; ++t)
        for (uint32_t side = 3 * t; side < 3 * t + 3 && !is_point(mesh, t); ++side) {
            uint32_t ends[2];
            find_ends(mesh, side, ends);
            uint32_t *head = &mesh->heads[(((uint64_t)ends[1] << 32 | ends[0]) * 0x9e3779b97f4a7c15ull >> 20) % lists];
            mesh->follow[side] = *head;
            *head = side;
        }
}

/* Finds the sides of one edge among those that follow `side`; returns how many there are with it, and the last. */
static uint32_t count_sides(const joints *mesh, uint32_t side, uint32_t *last, int32_t *balance) {
    uint32_t ends[2], other[2], count = 1;
    const bool ahead = find_ends(mesh, side, ends) != ((mesh->flags[side / 3] & TURNED) != 0);
    *balance = ahead ? 1 : -1;
    for (uint32_t i = mesh->follow[side]; i != NONE; i = mesh->follow[i]) {
        const bool runs = find_ends(mesh, i, other);
        if (other[0] != ends[0] || other[1] != ends[1]) continue;
        count += 1;
        *last = i;
        *balance += runs != ((mesh->flags[i / 3] & TURNED) != 0) ? 1 : -1;
    }
    return count;
}

/* Whether a side is the first of its edge in a list. */
static bool is_first(const joints *mesh, uint32_t head, uint32_t side) {
    uint32_t ends[2], other[2];
    find_ends(mesh, side, ends);
    for (uint32_t i = head; i != side; i = mesh->follow[i]) {
        find_ends(mesh, i, other);
        if (other[0] == ends[0] && other[1] == ends[1]) return false;
    }
    return true;
}

typedef struct defects {
    size_t open;    /* edges with an odd number of triangles */
    size_t twisted; /* edges with more triangles on one side than on the other */
} defects;

/* Looks at every edge, and joins the triangles of those with two. */
static defects join_sides(joints *mesh) {
    defects found = { 0, 0 };
    for (size_t list = 0; list < mesh->form->triangle_count; ++list)
        for (uint32_t side = mesh->heads[list]; side != NONE; side = mesh->follow[side]) {
            if (!is_first(mesh, mesh->heads[list], side)) continue;
            uint32_t last = side;
            int32_t balance;
            const uint32_t count = count_sides(mesh, side, &last, &balance);
            found.open += count & 1;
            found.twisted += balance != 0;
            if (count == 2) mesh->mates[side] = last, mesh->mates[last] = side;
            RILL_ASSERT(count != 2 || last != side);
        }
    return found;
}

/* Turns the triangles of one part alike, and all of them if they face inwards. Returns its volume. */
static double turn_part(joints *mesh, uint32_t first, const double from[3]) {
    uint32_t count = 0;
    double volume = 0.0;
    mesh->queue[count++] = first;
    mesh->flags[first] |= SEEN;
    for (uint32_t at = 0; at < count; ++at) {
        const uint32_t t = mesh->queue[at];
        const double cone = rill_mass_cone(mesh->form, t, from);
        volume += mesh->flags[t] & TURNED ? -cone : cone;
        for (uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
            const uint32_t mate = mesh->mates[side];
            if (mate == NONE || (mesh->flags[mate / 3] & SEEN)) continue;
            uint32_t ends[2];
            const bool alike = find_ends(mesh, side, ends) != find_ends(mesh, mate, ends);
            mesh->flags[mate / 3] = (uint8_t)(SEEN | (alike ? mesh->flags[t] & TURNED : ~mesh->flags[t] & TURNED));
            mesh->queue[count++] = mate / 3;
            RILL_ASSERT(count <= mesh->form->triangle_count);
        }
    }
    for (uint32_t at = 0; at < count && volume < 0.0; ++at) mesh->flags[mesh->queue[at]] ^= TURNED;
    return volume < 0.0 ? -volume : volume;
}

static rill_result turn_parts(joints *mesh, const rill_shape_rules *rules, rill_message *message) {
    list_sides(mesh);
    defects found = join_sides(mesh);
    if (found.open > 0)
        return rill_fail(message, RILL_INVALID_DATA,
                         "%s %s: its mesh is open at %zu edges, expected a closed one: two triangles at each edge",
                         rules->whose, rules->name, found.open);
    double volume = 0.0, reach = 0.0;
    const double *from = mesh->form->vertices; /* any point will do */
    for (size_t i = 0; i < 3 * mesh->form->vertex_count; ++i)
        reach = fmax(reach, fabs(mesh->form->vertices[i] - from[i % 3]));
    for (uint32_t t = 0; t < mesh->form->triangle_count; ++t)
        if (!(mesh->flags[t] & SEEN) && !is_point(mesh, t)) volume += turn_part(mesh, t, from);
    found = join_sides(mesh);
    if (found.twisted > 0)
        return rill_fail(message, RILL_INVALID_DATA,
                         "%s %s: its mesh has no inside: at %zu edges triangles cannot be turned alike", rules->whose,
                         rules->name, found.twisted);
    if (!(volume > 1e-12 * reach * reach * reach))
        return rill_fail(message, RILL_INVALID_DATA, "%s %s: its mesh encloses %g m3, expected a volume", rules->whose,
                         rules->name, volume);
    return RILL_OK;
}

static rill_result close_mesh(rill_body_form *form, const rill_shape_rules *rules, const uint32_t *welds,
                              const rill_allocator *allocator, rill_message *message) {
    const size_t triangles = form->triangle_count;
    joints mesh = { .form = form,
                    .welds = welds,
                    .heads = rill_alloc(allocator, triangles, sizeof(uint32_t)),
                    .follow = rill_alloc(allocator, triangles, 3 * sizeof(uint32_t)),
                    .mates = rill_alloc(allocator, triangles, 3 * sizeof(uint32_t)),
                    .queue = rill_alloc(allocator, triangles, sizeof(uint32_t)),
                    .flags = rill_alloc_zeroed(allocator, triangles, sizeof(uint8_t)) };
    rill_result result = RILL_OUT_OF_MEMORY;
    if (mesh.heads && mesh.follow && mesh.mates && mesh.queue && mesh.flags) {
        memset(mesh.mates, 0xff, 3 * triangles * sizeof(uint32_t)); /* NONE */
        result = turn_parts(&mesh, rules, message);
    }
    for (size_t t = 0; t < triangles && !result; ++t) {
        uint32_t *c = form->indices + 3 * t, swap = c[1];
        if (mesh.flags[t] & TURNED) c[1] = c[2], c[2] = swap;
    }
    rill_free(allocator, mesh.heads, triangles, sizeof(uint32_t));
    rill_free(allocator, mesh.follow, triangles, 3 * sizeof(uint32_t));
    rill_free(allocator, mesh.mates, triangles, 3 * sizeof(uint32_t));
    rill_free(allocator, mesh.queue, triangles, sizeof(uint32_t));
    rill_free(allocator, mesh.flags, triangles, sizeof(uint8_t));
    return result;
}

rill_result rill_body_form_mesh(rill_body_form *form, const rill_shape_def *shape, const rill_shape_rules *rules,
                                const rill_allocator *allocator, rill_message *message) {
    if (!rill_body_form_alloc(form, allocator, shape->vertex_count, shape->triangle_count)) return RILL_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3 * shape->vertex_count; ++i) form->vertices[i] = (double)shape->vertices[i];
    memcpy(form->indices, shape->indices, 3 * shape->triangle_count * sizeof *form->indices);
    uint32_t *welds = rill_alloc(allocator, form->vertex_count, sizeof(uint32_t));
    const bool welded = welds && rill_vertices_weld(form->vertices, form->vertex_count, allocator, welds);
    const rill_result result = welded ? close_mesh(form, rules, welds, allocator, message) : RILL_OUT_OF_MEMORY;
    rill_free(allocator, welds, form->vertex_count, sizeof(uint32_t));
    return result;
}
