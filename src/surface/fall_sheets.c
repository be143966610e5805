/* Falls to draw: parcels in the air as sheets and drops, a mesh of their own beside that of the surface.
 *
 *      corner    corner          A brink is a face of a cell, between two corners of the grid. What left it in a window of
 *        o---------o  end        time hangs between the paths from these corners, from `end`, when the last of it left, to
 *        |  parcel |             `begin`. Parcels that share a corner in the same window have one path there, the mean of
 *        o---------o  begin      theirs, and windows that follow each other one *node* where one ends and the other begins: so
 *        |  parcel |             a fall is one strip without gaps, from the brink, which it leaves where liquid stands on it,
 *        o---------o             to where it lands.
 *
 * It has two sides, as far apart as it is thick: q / v, q the flow per width and v its speed, so that it gets thinner as it
 * falls. Where it has no neighbour (its edges, head and tail) it is drawn out to a rim. A parcel with none before it nor after
 * it is a drop: a sphere of its volume. */
#include <math.h>

#include "base/sort.h"
#include "surface/surface_internal.h"

enum { DROP_VERTICES = 6, DROP_TRIANGLES = 8 };
static const float RIM = 0.15f;      /* thickness at edges, of that inside */
static const double THINNEST = 0.02; /* of a cell: no sheet is drawn thinner, as it would not be seen */

/* A parcel at one of its two corners. */
typedef struct fall_end {
    int64_t corner;
    double begin, end;
    float z;        /* m: height where it starts */
    int32_t parcel; /* in the pool */
    int32_t path;   /* once they are found */
} fall_end;

/* The way of all that share a corner in a window. */
typedef struct fall_path {
    rill_parcel mean;       /* from the corner */
    double flow;            /* m2/s, of one parcel */
    int32_t ends;           /* so many share it */
    int32_t older, younger; /* paths of the windows before and after; -1: none */
    uint32_t head, tail;    /* vertices: the outer one of two */
} fall_path;

typedef struct sheets {
    rill_surface *surface;
    const rill_surface_view *view;
    fall_end *ends; /* two of each parcel: first those of the left, as they were found; sorted */
    fall_path *paths;
    int32_t end_count, path_count;
    size_t vertices, triangles;
} sheets;

/* ------------------------------------------------------------------------------------------------------------- paths */

static bool before(const fall_end *a, const fall_end *b) {
    if (a->corner != b->corner) return a->corner < b->corner;
    if (a->end != b->end) return a->end < b->end;
    return a->z != b->z ? a->z < b->z : a->parcel < b->parcel;
}
RILL_SORT(sort_ends, fall_end, before)

/* The part of its time in the air that a parcel is seen at, s: `last` of it that left, and `first`. */
static bool ages(const rill_surface_view *view, const rill_parcel *parcel, double *last, double *first) {
    *last = fmax(view->time - parcel->end, 0.0);
    *first = fmin(view->time - parcel->begin, (double)parcel->flight);
    return parcel->amount > 0 && parcel->brink >= 0 && *last < *first;
}

static int64_t corner_of(const rill_grid *grid, const rill_parcel *parcel, int32_t which) {
    const int32_t side = parcel->brink & 3, cell = parcel->brink >> 2;
    const int32_t x = cell % grid->cells[0] + (side == RILL_EAST || (which && rill_side_axis(side)));
    const int32_t y = cell / grid->cells[0] + (side == RILL_NORTH || (which && !rill_side_axis(side)));
    return (int64_t)y * (grid->cells[0] + 1) + x;
}

static void find_ends(sheets *all) {
    const rill_falls *falls = all->view->falls;
    for (size_t i = 0; i < falls->capacity; ++i) {
        const rill_parcel *parcel = &falls->parcels[i];
        double last, first;
        if (!ages(all->view, parcel, &last, &first)) continue;
        for (int32_t which = 0; which < 2; ++which)
            all->ends[all->end_count++] = (fall_end){ .corner = corner_of(&all->view->bed->grid, parcel, which),
                                                      .begin = parcel->begin,
                                                      .end = parcel->end,
                                                      .z = parcel->from[2],
                                                      .parcel = (int32_t)i };
    }
}

/* The flow per width of a parcel, of which some may have landed. */
static double flow_of(const sheets *all, const rill_parcel *parcel) {
    const rill_bed *bed = all->view->bed;
    double last, first;
    if (!ages(all->view, parcel, &last, &first)) return 0.0;
    return (double)parcel->amount * bed->quantum * bed->grid.cell_size / (first - last);
}

/* Begins a path with a parcel at a corner, or adds one to it. */
static void share_path(const sheets *all, fall_path *path, const fall_end *end) {
    const rill_grid *grid = &all->view->bed->grid;
    const rill_parcel *parcel = &all->view->falls->parcels[end->parcel];
    const float old = (float)path->ends / (float)(path->ends + 1), new = 1.0f - old;
    if (path->ends == 0) {
        path->mean = *parcel;
        path->older = path->younger = -1;
        path->mean.from[0] = (float)((double)(end->corner % (grid->cells[0] + 1)) * grid->cell_size);
        path->mean.from[1] = (float)((double)(end->corner / (grid->cells[0] + 1)) * grid->cell_size);
    }
    path->mean.from[2] = old * path->mean.from[2] + new * parcel->from[2];
    for (int i = 0; i < 3; ++i) path->mean.velocity[i] = old * path->mean.velocity[i] + new * parcel->velocity[i];
    path->mean.flight = old * path->mean.flight + new * parcel->flight;
    path->mean.hit = old * path->mean.hit + new * parcel->hit;
    path->flow = (double)old * path->flow + (double)new *flow_of(all, parcel);
    path->ends += 1;
}

static void find_paths(sheets *all) {
    const float near = (float)(2.0 * all->view->bed->grid.cell_size);
    for (int32_t i = 0; i < all->end_count; ++i) {
        fall_end *end = &all->ends[i];
        const fall_end *last = i > 0 ? end - 1 : NULL;
        const bool shared = last && last->corner == end->corner && last->end == end->end && end->z - last->z < near;
        if (!shared) all->paths[all->path_count++] = (fall_path){ .ends = 0 };
        end->path = all->path_count - 1;
        share_path(all, &all->paths[end->path], end);
        const bool follows = !shared && last && last->corner == end->corner && last->end == end->begin;
        if (!follows || fabsf(end->z - last->z) > near) continue;
        all->paths[end->path].older = last->path;
        all->paths[last->path].younger = end->path;
    }
}

/* ---------------------------------------------------------------------------------------------------------- vertices */

static rill_falls_gravity gravity_of(const rill_surface_view *view) {
    return view->falls_gravity;
}

static void put_vertex(const sheets *all, size_t vertex, const double position[3], const double velocity[3],
                       const double normal[3], double shift, double thickness) {
    const rill_surface_mesh *mesh = &all->surface->falls;
    const rill_bed *bed = all->view->bed;
    const double zero[3] = { bed->grid.origin[0], bed->grid.origin[1], bed->datum };
    for (int i = 0; i < 3; ++i) {
        mesh->positions[3 * vertex + (size_t)i] = (float)(zero[i] + position[i] + shift * normal[i]);
        mesh->normals[3 * vertex + (size_t)i] = (float)(shift < 0.0 ? -normal[i] : normal[i]);
        mesh->velocities[3 * vertex + (size_t)i] = (float)velocity[i];
    }
    mesh->depths[vertex] = (float)thickness;
    mesh->opacities[vertex] = (float)fmin(thickness / all->surface->def.opaque_depth, 1.0);
    mesh->wetness[vertex] = 1.0f;
    mesh->layers[vertex] = 0;
}

/* Across a falling sheet, outwards: velocity turned by a right angle in the plane in which it falls. */
static void across(const double velocity[3], const float launched[3], double out[3]) {
    const double flat = sqrt((double)launched[0] * (double)launched[0] + (double)launched[1] * (double)launched[1]);
    const double way[2] = { flat > 0.0 ? (double)launched[0] / flat : 1.0,
                            flat > 0.0 ? (double)launched[1] / flat : 0.0 };
    const double along = velocity[0] * way[0] + velocity[1] * way[1];
    const double speed = sqrt(along * along + velocity[2] * velocity[2]);
    const double down = speed > 0.0 ? -velocity[2] / speed : 0.0, forth = speed > 0.0 ? along / speed : 1.0;
    out[0] = way[0] * down;
    out[1] = way[1] * down;
    out[2] = forth;
}

/* Writes the node between a path and the one that it follows or that follows it; returns its first vertex. */
static uint32_t put_node(sheets *all, const fall_path *path, const fall_path *other, double left) {
    const rill_falls_gravity gravity = gravity_of(all->view);
    rill_parcel mean = path->mean;
    double flow = path->flow;
    for (int i = 0; other && i < 3; ++i) {
        mean.from[i] = 0.5f * (mean.from[i] + other->mean.from[i]);
        mean.velocity[i] = 0.5f * (mean.velocity[i] + other->mean.velocity[i]);
    }
    if (other) {
        mean.flight = 0.5f * (mean.flight + other->mean.flight);
        mean.hit = 0.5f * (mean.hit + other->mean.hit);
        flow = 0.5 * (flow + other->flow);
    }
    const double age = fmin(fmax(all->view->time - left, 0.0), (double)mean.flight);
    double position[3], velocity[3], normal[3];
    rill_parcel_at(&mean, &gravity, age, position, velocity);
    across(velocity, mean.velocity, normal);
    const double speed = sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    const double dx = all->view->bed->grid.cell_size;
    const bool landed = age >= (double)mean.flight, starts = age == 0.0;
    const bool edge = path->ends == 1 || (!other && !landed && !starts);
    const double inside = fmin(fmax(flow / fmax(speed, 1e-3), THINNEST * dx), dx);
    const double thickness = inside * (edge ? (double)RIM : 1.0);
    const uint32_t first = (uint32_t)all->vertices;
    put_vertex(all, all->vertices++, position, velocity, normal, 0.5 * thickness, inside);
    put_vertex(all, all->vertices++, position, velocity, normal, -0.5 * thickness, inside);
    return first;
}

/* The tail of what has left last reaches back to the brink. */
static double tail_time(const sheets *all, const fall_path *path) {
    const bool runs = path->mean.end >= all->view->falls->window;
    return runs ? all->view->time : path->mean.end;
}

static void put_nodes(sheets *all) {
    for (int32_t i = 0; i < all->path_count; ++i) {
        fall_path *path = &all->paths[i];
        const fall_path *older = path->older >= 0 ? &all->paths[path->older] : NULL;
        path->head = older ? older->tail : put_node(all, path, NULL, path->mean.begin);
        const fall_path *younger = path->younger >= 0 ? &all->paths[path->younger] : NULL;
        path->tail = put_node(all, path, younger, younger ? path->mean.end : tail_time(all, path));
    }
}

/* --------------------------------------------------------------------------------------------------------- triangles */

static void put_triangle(sheets *all, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *at = all->surface->falls.indices + 3 * all->triangles++;
    at[0] = a, at[1] = b, at[2] = c;
}

static void put_quad(sheets *all, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    put_triangle(all, a, b, c);
    put_triangle(all, a, c, d);
}

static bool is_drop(const fall_path *left, const fall_path *right) {
    return left->older < 0 && left->younger < 0 && right->older < 0 && right->younger < 0;
}

static void put_drop(sheets *all, const rill_parcel *parcel) {
    static const double ways[DROP_VERTICES][3] = { { 1, 0, 0 },  { 0, 1, 0 }, { -1, 0, 0 },
                                                   { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    const rill_falls_gravity gravity = gravity_of(all->view);
    const rill_bed *bed = all->view->bed;
    const double volume = (double)parcel->amount * bed->quantum * bed->grid.cell_size * bed->grid.cell_size;
    const double radius =
        cbrt(volume * 0.75 / 3.14159265358979) * 1.3; /* an octahedron of that volume is 1.6 times as wide */
    const double middle = all->view->time - 0.5 * (parcel->begin + parcel->end);
    double position[3], velocity[3];
    rill_parcel_at(parcel, &gravity, fmin(fmax(middle, 0.0), (double)parcel->flight), position, velocity);
    const uint32_t first = (uint32_t)all->vertices;
    for (int i = 0; i < DROP_VERTICES; ++i)
        put_vertex(all, all->vertices++, position, velocity, ways[i], radius, 2.0 * radius);
    for (uint32_t i = 0; i < 4; ++i) {
        put_triangle(all, first + i, first + (i + 1) % 4, first + 4);
        put_triangle(all, first + (i + 1) % 4, first + i, first + 5);
    }
}

/* Both sides of a parcel's piece of the sheet. */
static void put_parcel(sheets *all, const fall_path *left, const fall_path *right) {
    put_quad(all, left->head, right->head, right->tail, left->tail);
    put_quad(all, left->head + 1, left->tail + 1, right->tail + 1, right->head + 1);
}

/* Brings the two ends of each parcel together: `second` has a place for each slot of the pool. */
static void put_parcels(sheets *all, int32_t *second) {
    const rill_falls *falls = all->view->falls;
    for (size_t i = 0; i < falls->capacity; ++i) second[i] = -1;
    for (int32_t i = 0; i < all->end_count; ++i) {
        const fall_end *end = &all->ends[i];
        const rill_parcel *parcel = &falls->parcels[end->parcel];
        if (second[end->parcel] < 0) {
            second[end->parcel] = end->path;
            continue;
        }
        const bool low_first =
            corner_of(&all->view->bed->grid, parcel, 0) < corner_of(&all->view->bed->grid, parcel, 1);
        const fall_path *low = &all->paths[second[end->parcel]], *high = &all->paths[end->path];
        const int32_t side = parcel->brink & 3;
        const bool turned = (side == RILL_WEST || side == RILL_NORTH) == low_first;
        if (is_drop(low, high))
            put_drop(all, parcel);
        else
            put_parcel(all, turned ? high : low, turned ? low : high);
    }
}

static bool reserve(rill_surface *surface, size_t vertices, size_t triangles) {
    rill_surface_mesh *mesh = &surface->falls;
    if (mesh->positions && vertices <= surface->falls_room[0] && triangles <= surface->falls_room[1]) return true;
    rill_mesh_arrays_free(mesh, &surface->allocator, surface->falls_room[0], surface->falls_room[1]);
    surface->falls_room[0] = vertices + vertices / 2;
    surface->falls_room[1] = triangles + triangles / 2;
    return rill_mesh_arrays_alloc(mesh, &surface->allocator, surface->falls_room[0], surface->falls_room[1]);
}

bool rill_fall_sheets_make(rill_surface *surface, const rill_surface_view *view) {
    const size_t parcels = view->falls ? (size_t)view->falls->count : 0,
                 slots = view->falls ? view->falls->capacity : 0;
    if (!rill_array_resize(&surface->fall_ends, &surface->allocator, 2 * parcels) ||
        !rill_array_resize(&surface->fall_paths, &surface->allocator, 2 * parcels) ||
        !rill_array_resize(&surface->fall_slots, &surface->allocator, slots) ||
        !reserve(surface, 8 * parcels + DROP_VERTICES * parcels, DROP_TRIANGLES * parcels))
        return false;
    sheets all = {
        .surface = surface, .view = view, .ends = surface->fall_ends.data, .paths = surface->fall_paths.data
    };
    if (parcels > 0) {
        find_ends(&all);
        sort_ends(all.ends, (size_t)all.end_count);
        find_paths(&all);
        put_nodes(&all);
        put_parcels(&all, surface->fall_slots.data);
    }
    surface->falls.vertex_count = all.vertices;
    surface->falls.triangle_count = all.triangles;
    return true;
}

void rill_fall_sheets_begin(rill_surface *surface) {
    surface->fall_ends = rill_array_make(sizeof(fall_end));
    surface->fall_paths = rill_array_make(sizeof(fall_path));
    surface->fall_slots = rill_array_make(sizeof(int32_t));
}

void rill_fall_sheets_free(rill_surface *surface) {
    rill_array_free(&surface->fall_ends, &surface->allocator);
    rill_array_free(&surface->fall_paths, &surface->allocator);
    rill_array_free(&surface->fall_slots, &surface->allocator);
    rill_mesh_arrays_free(&surface->falls, &surface->allocator, surface->falls_room[0], surface->falls_room[1]);
}
