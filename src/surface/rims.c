/* Where the surface of a wet column ends, between its centre and that of the next cell along an axis.
 *
 *      i        along        j
 *      |~~~~~~~~~~*          |     Shore: the level meets the bed, which is a straight line from centre to centre. On
 *      |        . ' `  .     |     ground that does not rise, the front of a film gets to j as it becomes `thin` deep.
 *   b_i|____. '          ` --|b_j  So nothing jumps when j becomes wet: the front is there already.
 *
 *   c_i|----. _              |     Under a ceiling that comes down to the liquid it is the same, turned over.
 *      |~~~~~~~~*` - . ______|c_j
 *
 *      |~~~~~~~~~~~~~~~~~~~*|#     Wall: it ends inside of the solid, almost at the centre, wherever the solid's face
 *      |                 ###|#     may be between the two. The same at banks steeper than 45 degrees. Just behind the face if
 *                                  that stands and is known (wall_faces.c), and is a cell higher than the level at least: as
 *                                  the next column is about to get a surface, it goes on to where it will join it.
 *
 *      |~~~~~~~~~*           |     Lip, and border of the grid: about half way, where one cell ends. */
#include "surface/surface_internal.h"

#include "base/simd.h"

#define IN_WALL 0.9375f
#define BEHIND 0.03f       /* a face that is known, */
#define STANDING_SHARE 230 /* if almost all of it is found: it may be rounded off at its foot and top */
#define HALF_WAY 0.5f
/* A skirt that hangs from a lip must not lie in the faces of solids that end where cells do; a rim that may face it
 * stays back. */
#define BEYOND_HALF 0.5625f
#define BEFORE_HALF 0.4375f
#define PLENTY 4.0f /* times as much liquid as a sheet needs */

int32_t rill_column_at_level(const rill_build *build, int32_t level, int32_t beside, int32_t x, int32_t y) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    if (surface->m[beside] < level && level < surface->lid[beside]) return beside;
    const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        if (surface->m[place] < level && level < surface->lid[place]) return place;
    }
    return -1;
}

/* Tells whether a level ends at something solid where it is not linked to `other`, the column of the next cell whose
 * range it is in. */
static bool is_wall(const rill_build *build, int32_t place, int32_t other) {
    const rill_surface *surface = build->surface;
    return other < 0 || !(surface->state[other] & RILL_HERE) || surface->h[other] >= surface->lid[place];
}

bool rill_ends_at_wall(const rill_build *build, int32_t place, int32_t beside, int32_t x, int32_t y) {
    return is_wall(build, place, rill_column_at_level(build, build->surface->h[place], beside, x, y));
}

/* Tells what a column has left of air below its ceiling: its surface comes and goes with it, as with its depth. */
static int32_t room_of(const rill_build *build, int32_t place) {
    return build->surface->lid[place] - build->surface->h[place];
}

/* Tells how far the surface of a column gets where nothing rises before it. */
static float reach(const rill_build *build, int32_t place, float farthest) {
    const int32_t least = rill_min_i(build->view->flow->H[place], room_of(build, place));
    return rill_max_f(RILL_RIM_NEAREST, farthest * rill_min_f(1.0f, (float)least / (float)build->thin));
}

/* Tells how far into a wall it goes, if its level has to change by so much until the next column has a surface too. */
static float into_wall(const rill_build *build, int32_t place, int32_t direction, int32_t left) {
    const rill_surface *surface = build->surface;
    if (!surface->terrain || left <= build->dx) return IN_WALL;
    const rill_wall_face wall = surface->walls[place][direction / 2];
    const float face = (float)wall.distance / 255.0f + BEHIND;
    if (wall.share < STANDING_SHARE || face > IN_WALL) return IN_WALL;
    const float known = rill_min_f(1.0f, (float)(left - build->dx) / (float)build->dx);
    return IN_WALL + known * (face - IN_WALL);
}

/* Tells how far a level is above the underside of a solid that it meets. */
static int32_t above_underside(int32_t level, int32_t underside) {
    return underside > INT32_MIN ? level - underside : RILL_WALL;
}

/* Tells by how much a level falls from the column behind one to itself. Where surface tension acts the edge of a drop is as
 * steep as its contact angle has it, and ends where it would with that slope: round, wherever cells begin. */
static int32_t fall_to(const rill_build *build, int32_t place, int32_t stride, int32_t direction) {
    const rill_surface *surface = build->surface;
    const int32_t behind = place - RILL_STEP_X[direction] - RILL_STEP_Y[direction] * stride;
    if (!build->view->tension || !(surface->links[place] >> ((direction + 4) & 7) & 1)) return 0;
    return surface->state[behind] & RILL_WET ? rill_max_i(surface->top[behind] - surface->top[place], 0) : 0;
}

/* Tells how far a shore is: where the bed rises or falls steeply it is a wall or an edge. One formula for all: which it
 * is cannot be foreseen. */
static float shore(const rill_build *build, int32_t place, int32_t stride, int32_t direction, int32_t rise) {
    const int32_t depth = build->view->flow->H[place], room = room_of(build, place);
    const bool up = rise > build->dx, down = rise < -build->dx;
    const float far = up ? into_wall(build, place, direction, rise - depth) : HALF_WAY;
    const float farthest = (up | down) ? far : 1.0f, most = (up | down) ? 1.0f : RILL_RIM_FARTHEST;
    const int32_t bank = rill_max_i(rill_way_up(build, rise), rise + fall_to(build, place, stride, direction));
    const int32_t way = (up | down) ? build->thin : bank;
    const float share = (float)depth / (float)way, air = room < build->thin ? (float)room / (float)build->thin : 1.0f;
    return rill_max_f(RILL_RIM_NEAREST, farthest * rill_min_f(most, rill_min_f(share, air)));
}

/* Finds the velocity of the sparse pipe from a column to another. */
static float pipe_velocity(const rill_build *build, int32_t place, int32_t other) {
    const rill_joint *joints = build->surface->joint_list.data, *end = joints + build->surface->joint_list.count;
    const rill_joint *joint = joints + build->surface->joint_first[place];
    while (joint < end && joint->place == place && joint->other != other) joint += 1;
    const bool found = joint < end && joint->place == place && joint->pipe >= 0;
    return found ? build->view->flow->pipe_u[joint->pipe] : 0.0f;
}

/* Tells how much liquid runs from a column over its lip: 1 is the least for a sheet, less than this clings to the
 * solid, or drips. */
static float runs_over(const rill_build *build, const rill_rim *rim, int32_t beside) {
    const double least = 1e-6; /* m2/s */
    const rill_flow *flow = build->view->flow;
    const bool forth = rim->direction < 4;
    float u;
    if (rim->beyond == beside)
        u = (rim->direction & 2 ? flow->v : flow->u)[forth ? beside : rim->place];
    else
        u = pipe_velocity(build, rim->place, rim->beyond);
    const double depth = (double)flow->H[rim->place] * build->view->bed->quantum;
    return (float)((double)(forth ? u : -u) * depth / least);
}

/* Extends a lip over which liquid runs: it goes on almost to the next centre, from where it can fall: what it comes
 * from may be bulged anywhere before that. */
static void run_over(const rill_build *build, rill_rim *rim, int32_t beside) {
    const float flow = runs_over(build, rim, beside), far = rill_min_f(1.0f, (flow - 1.0f) / (PLENTY - 1.0f));
    if (!(flow > 1.0f)) return;
    rim->skirt = 0;
    rim->unclipped = reach(build, rim->place, BEYOND_HALF + far * (IN_WALL - BEYOND_HALF));
}

/* Tells how far the surface of a column gets that ends at something solid: where the ceiling comes down to it, if the
 * next column is full. Liquid that has another level there, with a surface of its own, shares the way. */
static float wall(const rill_build *build, int32_t place, int32_t direction, int32_t beside, int32_t left) {
    const rill_surface *surface = build->surface;
    const int32_t fall = rill_column_is_full(surface, beside) ? surface->lid[place] - surface->lid[beside] : 0;
    if (fall <= 0 || fall > build->dx) {
        const float far = into_wall(build, place, direction, left);
        return reach(build, place, surface->state[beside] & RILL_WET ? rill_min_f(BEFORE_HALF, far) : far);
    }
    const float depth = (float)build->view->flow->H[place] / (float)build->thin;
    const float share = (float)room_of(build, place) / (float)rill_way_up(build, fall);
    return rill_max_f(RILL_RIM_NEAREST, rill_min_f(IN_WALL, rill_min_f(share, depth)));
}

/* Tells how far a level has to fall until it is below the solid of a cell, where it is in the range of `other` or, with
 * -1, of none. */
static int32_t left_at_wall(const rill_build *build, int32_t level, int32_t other, int32_t x, int32_t y) {
    const rill_bed *bed = build->view->bed;
    const int32_t *first = bed->cell_first + (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    if (other >= 0) return above_underside(level, build->surface->m[other]);
    return first[0] < first[1] ? rill_max_i(level - build->surface->lid[bed->places[first[1] - 1]], 0) : RILL_WALL;
}

/* Fills in how the surface of a column ends that is not linked to a dry one there. */
static void find_end(const rill_build *build, const rill_surface_row *row, rill_rim *rim) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const int32_t place = rim->place, direction = rim->direction;
    const int32_t x = row->x0 + (place - row->start - 1) + RILL_STEP_X[direction];
    const int32_t y = row->y + RILL_STEP_Y[direction];
    rim->beyond = -1;
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) {
        rim->kind = RILL_RIM_BORDER;
        rim->unclipped = reach(build, place, HALF_WAY);
        return;
    }
    const int32_t beside = place + RILL_STEP_X[direction] + RILL_STEP_Y[direction] * row->stride;
    const int32_t other = rill_column_at_level(build, surface->h[place], beside, x, y);
    if (is_wall(build, place, other)) {
        rim->kind = RILL_RIM_WALL;
        rim->unclipped = wall(build, place, direction, beside, left_at_wall(build, surface->h[place], other, x, y));
        return;
    }
    rim->beyond = other;
    rim->kind = RILL_RIM_LIP;
    rim->unclipped = reach(build, place, BEYOND_HALF);
    const bool falls = surface->top[place] - surface->top[other] > build->thin;
    if (surface->def.skirts && !build->view->flies && surface->def.smooth_shores && falls) run_over(build, rim, beside);
}

/* Ends a surface at a slab: liquid also goes below the column that it is linked to. */
static void end_at_slab(const rill_build *build, rill_rim *rim) {
    const rill_surface *surface = build->surface;
    const int32_t level = surface->h[rim->place];
    const int32_t left =
        rill_min_i(build->view->bed->b[rim->beyond] - level, above_underside(level, surface->m[rim->beyond]));
    rim->beyond = -1;
    rim->kind = RILL_RIM_WALL;
    rim->unclipped = reach(build, rim->place, into_wall(build, rim->place, rim->direction, left));
}

/* Finds the height where a surface ends. On a bank a rim is on the floor, and not where the level is: that would be
 * below it by as much as the terrain may be above a straight line from column to column. So the surface is held by the
 * floor there as it is elsewhere (the lower of the surfaces over the floors of four columns is convex, hence below any
 * triangle that is on it where it meets the edges of the quartet); and nothing jumps up as the shore gets to the next
 * column. */
static float end_of(const rill_build *build, const rill_rim *rim) {
    const bool bank = rim->kind == RILL_RIM_SHORE && rill_abs_i(rim->rise) <= build->dx;
    return bank ? rill_rim_floor(build->surface, build->view->bed, rim, rim->unclipped) : rim->top;
}

/* Finds the rim of a column in a direction. Rims are filled in where they are: copies of what is just written wait for
 * it. */
static void find_rim(const rill_build *build, const rill_surface_row *row, int32_t place, int32_t direction,
                     rill_rim *rim) {
    const rill_surface *surface = build->surface;
    rim->place = place;
    rim->stride = row->stride;
    rim->direction = (uint8_t)direction;
    rim->skirt = -1;
    rim->cut = false;
    rim->raised = 0.0f;
    if (!((surface->links[place] | surface->joints[place]) >> direction & 1)) {
        find_end(build, row, rim);
    } else {
        const int32_t *b = build->view->bed->b, other = rill_surface_neighbour(surface, place, direction, row->stride);
        rim->beyond = other;
        rim->kind = RILL_RIM_SHORE;
        rim->rise = b[other] - b[place];
        rim->unclipped = shore(build, place, row->stride, direction, rim->rise);
        if (surface->m[other] > b[place]) end_at_slab(build, rim);
    }
    RILL_ASSERT(rim->unclipped >= RILL_RIM_NEAREST && rim->unclipped <= 1.0f);
    rim->along = rim->unclipped;
    rim->top = (float)surface->top[place];
    rim->end = end_of(build, rim);
}

/* Finds the rims of a column, and returns the one after them. */
static rill_rim *find_rims(const rill_build *build, rill_surface_row *row, int32_t place, rill_rim *rim) {
    rill_surface *surface = build->surface;
    surface->rim_first[place] = (int32_t)(rim - (rill_rim *)surface->rims.data);
    RILL_ASSERT((size_t)(rim - (rill_rim *)surface->rims.data) < surface->rims.count);
    rill_saddle saddles[2];
    if (rill_may_be_saddle(surface, place, row->stride))
        row->saddles += rill_saddles_beside(build, row, place, saddles);
    for (uint32_t left = surface->rim[place]; left; left &= left - 1, ++rim) {
        const int32_t direction = __builtin_ctz(left);
        const float before = rim->along;
        row->rerimmed |= (rim->place != place) | (rim->direction != direction) | rim->cut;
        find_rim(build, row, place, direction, rim);
        row->rerimmed |= rim->along != before;
        row->walls += rim->kind == RILL_RIM_WALL;
        if (rim->skirt >= 0) rim->skirt = row->skirts++;
    }
    return rim;
}

void rill_row_find_rims(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    rill_rim *rim = (rill_rim *)surface->rims.data + row->first_rim;
    row->walls = row->skirts = row->saddles = 0;
    if (row->rims == 0) return;
    const uint64_t *const marks = rill_marks(surface, row, RILL_MARK_RIM);
    for (int32_t x = row->low & -64; x < row->high; x += 64)
        for (uint64_t left = marks[x / 64]; left; left &= left - 1)
            rim = find_rims(build, row, row->start + x + __builtin_ctzll(left), rim);
    RILL_ASSERT(rim == (rill_rim *)surface->rims.data + row->first_rim + row->rims);
}

void rill_row_number_skirts(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    rill_rim *rim = (rill_rim *)surface->rims.data + row->first_rim;
    const int32_t first =
        (int32_t)(surface->column_vertices + surface->rims.count + 2 * surface->saddles + row->first_skirt);
    for (int32_t i = 0; row->skirts > 0 && i < row->rims; ++i)
        if (rim[i].skirt >= 0) rim[i].skirt += first;
}

/* -------------------------------------------------------------------------------------------------------- vertices */

static void place_skirt(const rill_build *build, const rill_rim *rim, size_t vertex) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const rill_surface_mesh *mesh = &surface->mesh;
    const size_t below = (size_t)rim->skirt;
    RILL_ASSERT(rim->beyond >= 0 && below < mesh->vertex_count);
    memcpy(mesh->positions + 3 * below, mesh->positions + 3 * vertex, 3 * sizeof(float));
    mesh->positions[3 * below + 2] = (float)rill_bed_z(bed, surface->top[rim->beyond]);
    const float outward[3] = { (float)RILL_STEP_X[rim->direction], (float)RILL_STEP_Y[rim->direction], 0.0f };
    memcpy(mesh->normals + 3 * below, outward, sizeof outward);
    memcpy(mesh->velocities + 3 * below, mesh->velocities + 3 * vertex, 3 * sizeof(float));
    mesh->depths[below] = mesh->depths[vertex];
    mesh->opacities[below] = mesh->opacities[vertex];
    mesh->wetness[below] = mesh->wetness[vertex];
    mesh->layers[below] = mesh->layers[vertex];
}

static void place_rim(const rill_build *build, const rill_rim *rim, size_t vertex) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const rill_surface_mesh *mesh = &surface->mesh;
    const size_t column = (size_t)surface->vertex[rim->place];
    RILL_ASSERT(column < surface->column_vertices && vertex < mesh->vertex_count);
    RILL_ASSERT(rim->along > 0.0f && rim->along <= rim->unclipped);
    const float step = rim->along * (float)bed->grid.cell_size;
    const bool bank = rim->kind == RILL_RIM_SHORE && bed->b[rim->beyond] - bed->b[rim->place] <= build->dx;
    const float share = bank ? 0.0f : 1.0f; /* at a wall it is as deep as at the column */
    mesh->positions[3 * vertex] = mesh->positions[3 * column] + (float)RILL_STEP_X[rim->direction] * step;
    mesh->positions[3 * vertex + 1] = mesh->positions[3 * column + 1] + (float)RILL_STEP_Y[rim->direction] * step;
    mesh->positions[3 * vertex + 2] = (float)bed->datum + rill_rim_height(rim) * (float)bed->quantum;
    memcpy(mesh->normals + 3 * vertex, mesh->normals + 3 * column, 3 * sizeof(float));
    memcpy(mesh->velocities + 3 * vertex, mesh->velocities + 3 * column, 3 * sizeof(float));
    mesh->depths[vertex] = share * mesh->depths[column];
    mesh->opacities[vertex] = share * mesh->opacities[column];
    mesh->wetness[vertex] = share;
    mesh->layers[vertex] = mesh->layers[column];
}

void rill_row_place_rims(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    const rill_rim *rim = (const rill_rim *)surface->rims.data + row->first_rim;
    const size_t vertex = surface->column_vertices + row->first_rim;
    for (int32_t i = 0; i < row->rims; ++i, ++rim) {
        if (i == 0 || rim[-1].place != rim->place) rill_column_mend(build, rim->place, row->stride);
        if (!surface->def.smooth_shores) continue; /* it has no vertex */
        place_rim(build, rim, vertex + (size_t)i);
        if (rim->skirt >= 0) place_skirt(build, rim, vertex + (size_t)i);
    }
}
