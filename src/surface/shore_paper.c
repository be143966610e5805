/* Shores as printed: Dagenais et al. 2018, section 4.3 to the letter, for comparison with rims.c and quartets.c.
 *
 *   - A dry column that is linked to a wet one has a vertex, at its centre: at the mean height, and with the mean
 *     normal, of the wet columns it is linked to.
 *   - Where a wet column meets a wall it is not linked to, there is a wall vertex at the centre of that cell, made
 *     from the wet columns that meet it.
 *   - Four columns of a quartet that are all linked with each other are two triangles, and of those that remain three
 *     are one. Dry columns are not linked with each other, but do not keep apart either. The diagonal has both its ends
 *     inside or both outside if there is a choice, else the greater sum of levels.
 *
 * Edges of overhangs and the border of the grid are where they were: the surface ends at centres. This is not made for
 * speed. */
#include "surface/surface_internal.h"

#include "base/order.h"
#include "bed/cells.h"

#include <math.h>

/* --------------------------------------------------------------------------------------------------------- vertices */

/* Numbers the solid that a wet column meets in a direction where it is not linked: the place of the column whose solid
 * it is or, where a cell has no column, one beyond all places; -1: nothing solid. */
static int32_t wall_at(const rill_build *build, const rill_surface_row *row, int32_t place, int32_t direction) {
    const rill_bed *bed = build->view->bed;
    const int32_t x = row->x0 + (place - row->start - 1) + RILL_STEP_X[direction], y = row->y + RILL_STEP_Y[direction];
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) return -1;
    const int32_t beside = place + RILL_STEP_X[direction] + RILL_STEP_Y[direction] * row->stride;
    const int32_t other = rill_column_at_level(build, build->surface->h[place], beside, x, y);
    if (other < 0) return bed->plane_size + y * bed->grid.cells[0] + x;
    return bed->b[other] >= bed->c[place] ? other : -1;
}

static rill_wall_vertex *find_wall_vertex(const rill_surface *surface, int32_t key) {
    return rill_order_find(surface->wall_vertices.data, surface->wall_vertices.count, sizeof(rill_wall_vertex), key);
}

/* Calls `visit` for each wall that a wet column meets; false as soon as it says so. */
typedef bool wall_visit(const rill_build *build, const rill_surface_row *row, int32_t place, int32_t d, int32_t key);

static bool each_wall(const rill_build *build, wall_visit *visit) {
    const rill_surface *surface = build->surface;
    const rill_surface_row *rows = surface->rows.data;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        for (int32_t x = rows[i].low; rows[i].wet > 0 && x < rows[i].high; ++x) {
            const int32_t place = rows[i].start + x;
            const uint8_t linked = surface->links[place] | surface->joints[place];
            if (!(surface->state[place] & RILL_WET) || linked == 0xff) continue;
            for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
                const int32_t key = linked >> d & 1 ? -1 : wall_at(build, &rows[i], place, d);
                if (key >= 0 && !visit(build, &rows[i], place, d, key)) return false;
            }
        }
    }
    return true;
}

static bool add_key(const rill_build *build, const rill_surface_row *row, int32_t place, int32_t d, int32_t key) {
    (void)row, (void)place, (void)d;
    return rill_array_push(&build->surface->wall_keys, &build->surface->allocator, &key) != NULL;
}

/* Lists the walls of all wet columns, each once and in order. */
static bool list_wall_vertices(const rill_build *build) {
    rill_surface *surface = build->surface;
    surface->wall_keys.count = 0;
    if (!each_wall(build, add_key)) return false;
    int32_t *keys = surface->wall_keys.data;
    size_t count = 0;
    rill_order_items(keys, surface->wall_keys.count, NULL);
    for (size_t i = 0; i < surface->wall_keys.count; ++i)
        if (i == 0 || keys[i] != keys[i - 1]) keys[count++] = keys[i];
    if (!rill_array_resize(&surface->wall_vertices, &surface->allocator, count)) return false;
    for (size_t i = 0; i < count; ++i)
        ((rill_wall_vertex *)surface->wall_vertices.data)[i] = (rill_wall_vertex){ .key = keys[i] };
    return true;
}

static bool has_vertex(const rill_surface *surface, int32_t place) {
    return surface->state[place] & RILL_WET ||
           (surface->state[place] == RILL_HERE && (surface->links[place] | surface->joints[place]));
}

bool rill_shore_paper_number(const rill_build *build, size_t *count) {
    rill_surface *surface = build->surface;
    const rill_surface_row *rows = surface->rows.data;
    if (!list_wall_vertices(build)) return false;
    int32_t next = (int32_t)surface->column_vertices;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        for (int32_t x = 0; rows[i].inside && x < rows[i].count; ++x) {
            const int32_t place = rows[i].start + x;
            if (!(surface->state[place] & RILL_WET) && has_vertex(surface, place)) surface->vertex[place] = next++;
        }
    }
    surface->info.shore_vertices = (size_t)next - surface->column_vertices;
    rill_wall_vertex *vertices = surface->wall_vertices.data;
    for (size_t i = 0; i < surface->wall_vertices.count; ++i) vertices[i].vertex = next++;
    surface->info.extra_vertices = surface->wall_vertices.count;
    *count = (size_t)next - surface->column_vertices;
    return true;
}

/* -------------------------------------------------------------------------------------------------------- vertices */

static void add_column(const rill_surface *surface, int32_t place, rill_mean *mean) {
    const size_t vertex = (size_t)surface->vertex[place];
    RILL_ASSERT(vertex < surface->column_vertices);
    mean->z += surface->mesh.positions[3 * vertex + 2];
    for (size_t k = 0; k < 3; ++k) {
        mean->normal[k] += surface->mesh.normals[3 * vertex + k];
        mean->velocity[k] += surface->mesh.velocities[3 * vertex + k];
    }
    mean->count += 1;
}

static void put_vertex(const rill_build *build, int32_t number, const int32_t cell[2], int32_t layer,
                       const rill_mean *mean) {
    RILL_ASSERT(mean->count > 0 && number >= 0 && (size_t)number < build->surface->mesh.vertex_count);
    const rill_grid *grid = &build->view->bed->grid;
    const rill_surface_mesh *mesh = &build->surface->mesh;
    const size_t vertex = (size_t)number;
    const float share = 1.0f / (float)mean->count, *normal = mean->normal;
    const float length = 1.0f / sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    mesh->positions[3 * vertex] = (float)rill_cell_centre(grid, 0, cell[0]);
    mesh->positions[3 * vertex + 1] = (float)rill_cell_centre(grid, 1, cell[1]);
    mesh->positions[3 * vertex + 2] = mean->z * share;
    for (size_t k = 0; k < 3; ++k) {
        mesh->normals[3 * vertex + k] = normal[k] * length;
        mesh->velocities[3 * vertex + k] = mean->velocity[k] * share;
    }
    mesh->depths[vertex] = mesh->opacities[vertex] = mesh->wetness[vertex] = 0.0f;
    mesh->layers[vertex] = layer;
}

static void place_dry(const rill_build *build, const rill_surface_row *row, int32_t place) {
    const rill_surface *surface = build->surface;
    const int32_t cell[2] = { row->x0 + (place - row->start - 1), row->y };
    rill_mean mean = { 0 };
    for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
        const int32_t other = rill_surface_neighbour(surface, place, d, row->stride);
        if (other >= 0) add_column(surface, other, &mean);
    }
    put_vertex(build, surface->vertex[place], cell, surface->layer[place], &mean);
}

static bool add_to_wall_vertex(const rill_build *build, const rill_surface_row *row, int32_t place, int32_t d,
                               int32_t key) {
    rill_wall_vertex *vertex = find_wall_vertex(build->surface, key);
    RILL_ASSERT(vertex);
    add_column(build->surface, place, &vertex->mean);
    vertex->cell[0] = row->x0 + (place - row->start - 1) + RILL_STEP_X[d];
    vertex->cell[1] = row->y + RILL_STEP_Y[d];
    vertex->layer = build->surface->layer[place];
    return true;
}

void rill_shore_paper_place(const rill_build *build) {
    rill_surface *surface = build->surface;
    const rill_surface_row *rows = surface->rows.data;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        for (int32_t x = 0; rows[i].inside && x < rows[i].count; ++x) {
            const int32_t place = rows[i].start + x;
            if (!(surface->state[place] & RILL_WET) && has_vertex(surface, place)) place_dry(build, &rows[i], place);
        }
    }
    each_wall(build, add_to_wall_vertex);
    const rill_wall_vertex *vertices = surface->wall_vertices.data;
    for (size_t i = 0; i < surface->wall_vertices.count; ++i)
        put_vertex(build, vertices[i].vertex, vertices[i].cell, vertices[i].layer, &vertices[i].mean);
}

/* ------------------------------------------------------------------------------------------------------- triangles */

/* A corner of a quartet, as one of its wet columns sees it. */
typedef struct node {
    int32_t vertex; /* -1: there is nothing */
    int32_t place;  /* -1: a wall vertex */
    int32_t stride;
    bool wet;
} node;

/* From corner to corner: SW, SE, NE, NW. */
static const int8_t WAY[4][4] = { { -1, 0, 1, 2 }, { 4, -1, 2, 3 }, { 5, 6, -1, 4 }, { 6, 7, 0, -1 } };

/* Finds the nodes at the other corners, for a wet column at one of them. */
static void look_around(const rill_build *build, const node *at, int32_t corner, const int32_t cell[2], node out[4]) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const rill_surface_row row = { .start = at->place - 1, .x0 = cell[0], .y = cell[1], .stride = at->stride };
    for (int32_t k = 0; k < 4; ++k) {
        out[k] = (node){ .vertex = -1, .place = -1 };
        if (k == corner) {
            out[k] = *at;
            continue;
        }
        const int32_t d = WAY[corner][k], place = rill_surface_neighbour(surface, at->place, d, at->stride);
        if (place >= 0) {
            out[k] = (node){ surface->vertex[place], place, rill_bed_sheet_of(bed, place, NULL, NULL)->stride,
                             surface->state[place] & RILL_WET };
            continue;
        }
        const int32_t key = wall_at(build, &row, at->place, d);
        if (key >= 0) out[k].vertex = find_wall_vertex(surface, key)->vertex;
    }
}

/* Tells whether two corners may be joined. Dry ones do not keep apart; a wall vertex goes along with what has it as a
 * wall. */
static bool joined(const rill_build *build, const node corners[4], int32_t j, int32_t k) {
    const rill_surface *surface = build->surface;
    const node *a = &corners[j], *b = &corners[k];
    if (a->vertex < 0 || b->vertex < 0) return false;
    if (!a->wet && !b->wet) return true;
    if (a->place < 0 || b->place < 0) return true;
    return rill_surface_neighbour(surface, a->place, WAY[j][k], a->stride) == b->place;
}

static void put(rill_shore_paper_writer *writer, const node *a, const node *b, const node *c) {
    if (!a->wet && !b->wet && !c->wet) return;
    writer->out[0] = (uint32_t)a->vertex, writer->out[1] = (uint32_t)b->vertex, writer->out[2] = (uint32_t)c->vertex;
    writer->out += 3;
    writer->triangles += 1;
}

static void put_four(const rill_build *build, rill_shore_paper_writer *writer, const node nodes[4]) {
    const int32_t *top = build->surface->top;
    const bool rising = nodes[0].wet == nodes[2].wet, falling = nodes[1].wet == nodes[3].wet;
    bool from_sw = rising;
    if (rising && falling && nodes[0].wet == nodes[1].wet)
        from_sw = top[nodes[0].place] - top[nodes[1].place] >= top[nodes[3].place] - top[nodes[2].place];
    else if (rising && falling)
        from_sw = nodes[0].wet; /* both will do: they stay together inside */
    put(writer, &nodes[0], &nodes[1], from_sw ? &nodes[2] : &nodes[3]);
    put(writer, from_sw ? &nodes[0] : &nodes[1], &nodes[2], &nodes[3]);
}

/* Tells whether a column of a quartet already has triangles. */
static bool taken(const rill_shore_paper_writer *writer, const node *corner) {
    for (int32_t i = 0; i < writer->taken_count; ++i)
        if (writer->taken[i] == corner->vertex) return true;
    return false;
}

static void take(rill_shore_paper_writer *writer, const node *corner) {
    if (writer->taken_count < RILL_SHORE_PAPER_TAKEN) writer->taken[writer->taken_count++] = corner->vertex;
}

/* Writes the group of corners that a wet column makes, if it does; `without` is the corner that is left out, or -1. */
static void try_group(const rill_build *build, rill_shore_paper_writer *writer, const node nodes[4], int32_t without) {
    for (int32_t j = 0; j < 4; ++j) {
        if (j == without) continue;
        if (nodes[j].vertex < 0 || taken(writer, &nodes[j])) return;
        for (int32_t k = j + 1; k < 4; ++k)
            if (k != without && !joined(build, nodes, j, k)) return;
    }
    if (without < 0)
        put_four(build, writer, nodes);
    else
        put(writer, &nodes[(without + 1) & 3], &nodes[(without + 2) & 3], &nodes[(without + 3) & 3]);
    for (int32_t j = 0; j < 4; ++j)
        if (j != without) take(writer, &nodes[j]);
}

void rill_shore_paper_quartet(const rill_build *build, rill_shore_paper_writer *writer, int32_t x, int32_t y) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    writer->taken_count = 0;
    for (int32_t size = 4; size >= 3; --size) {
        for (int32_t corner = 0; corner < 4; ++corner) {
            const int32_t cell[2] = { x + (corner == 1 || corner == 2), y + (corner >= 2) };
            if (cell[0] < 0 || cell[1] < 0 || cell[0] >= bed->grid.cells[0] || cell[1] >= bed->grid.cells[1]) continue;
            const size_t index = (size_t)cell[1] * (size_t)bed->grid.cells[0] + (size_t)cell[0];
            for (int32_t k = bed->cell_first[index]; k < bed->cell_first[index + 1]; ++k) {
                const int32_t place = bed->places[k];
                if (!(surface->state[place] & RILL_WET) || rill_in_full_quad(surface, place, corner)) continue;
                const node at = { surface->vertex[place], place, rill_bed_sheet_of(bed, place, NULL, NULL)->stride,
                                  true };
                node nodes[4];
                look_around(build, &at, corner, cell, nodes);
                for (int32_t without = size == 4 ? -1 : 0; without < (size == 4 ? 0 : 4); ++without)
                    if (without != corner) try_group(build, writer, nodes, without);
            }
        }
    }
}
