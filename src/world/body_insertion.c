/* New bodies push aside the liquid that they displace: their columns lose it, and the liquid that these are joined with
 * is raised by it, all to the same height, as if the body had been there before. So it neither knocks nor is knocked.
 *
 * Columns under bodies get as much as keeps b + H + D(e) = e (bodies/bodies.h) at heads that are raised too; all others
 * share the rest, to a quantum. */
#include <math.h>

#include "base/simd.h"
#include "flow/column.h"
#include "world/method.h"

typedef struct insert_work {
    rill_world *world;
    int32_t *queue; /* the columns that are joined */
    int64_t count;
    int64_t takers;  /* of these, beside bodies */
    double open;     /* under bodies, but not in contact with them, in columns */
    int32_t highest; /* level, quanta */
} insert_work;

/* Returns the volume that a body displaces in a column beyond what is left out there already, quanta. Under a ceiling
 * pressure sees to it. */
static int32_t surplus(const rill_world *world, const rill_body_node *node) {
    const double more = rill_body_node_displaced(&world->bodies, node, node->e) - node->displaced_before;
    if (!(more >= 1.0) || world->bed.c[node->place] < RILL_TOP) return 0;
    return (int32_t)fmin(more, (double)world->flow.H[node->place]);
}

/* Whether liquid can pass between two columns: each stands above the other's base. Else what is on a ledge, and what is
 * below it, are pools of their own, and a body below would lift liquid onto dry ledges. */
static bool is_beside(const rill_world *world, int32_t from, int32_t place) {
    const int32_t *b = world->bed.b, *H = world->flow.H;
    const rill_body_node *node = rill_bodies_node(&world->bodies, from);
    const double level = (double)b[from] + (node ? node->e : (double)H[from]);
    return rill_face_joined(&world->bed, from, place) && b[place] + H[place] > b[from] + RILL_DRY &&
           level > (double)b[place] + RILL_DRY;
}

static void visit(insert_work *insertion, int32_t from, int32_t place) {
    const rill_bed *bed = &insertion->world->bed;
    const int32_t *H = insertion->world->flow.H;
    int32_t *seen = insertion->world->bodies.stamp;
    const rill_body_node *node = rill_bodies_node(&insertion->world->bodies, place);
    if (bed->b[place] == RILL_WALL || seen[place] || bed->c[place] < RILL_TOP) return;
    if (from >= 0 && !is_beside(insertion->world, from, place)) return;
    seen[place] = 1;
    insertion->queue[insertion->count++] = place;
    insertion->highest = rill_max_i(insertion->highest, bed->b[place] + H[place]);
    insertion->takers += node == NULL;
    if (!node) return;
    const double deep = rill_body_node_displaced(&insertion->world->bodies, node, node->e);
    insertion->open += 1.0 - (rill_body_node_displaced(&insertion->world->bodies, node, node->e + 1.0) - deep);
}

/* Columns beyond open and still edges are none of it. */
static void mark_ghosts(rill_world *world, int32_t mark) {
    for (int32_t i = 0; i < world->bed.ghost_count; ++i) world->bodies.stamp[world->bed.ghosts[i].place] = mark;
}

static void find_pool(insert_work *insertion, const rill_body *body) {
    rill_world *world = insertion->world;
    const rill_bed *bed = &world->bed;
    const rill_body_touch *touches = world->bodies.touches.data;
    const rill_body_node *nodes = world->bodies.nodes.data;
    const rill_sheet *sheet = NULL;
    mark_ghosts(world, 1);
    for (int32_t i = body->first_touch; i < body->end_touch; ++i)
        if (surplus(world, &nodes[touches[i].node]) > 0) visit(insertion, -1, nodes[touches[i].node].place);
    for (int64_t i = 0; i < insertion->count; ++i) {
        const int32_t place = insertion->queue[i];
        sheet = rill_face_sheet(bed, place, sheet);
        visit(insertion, place, place - 1);
        visit(insertion, place, place + 1);
        visit(insertion, place, place - sheet->stride);
        visit(insertion, place, place + sheet->stride);
        for (int32_t k = rill_bed_first_pipe(bed, NULL, place); k < bed->pipe_count && bed->pipe_l[k] == place; ++k)
            visit(insertion, place, bed->pipe_r[k]);
        for (int32_t k = rill_bed_first_pipe(bed, world->pipes_by_r, place); k < bed->pipe_count; ++k) {
            if (bed->pipe_r[world->pipes_by_r[k]] != place) break;
            visit(insertion, place, bed->pipe_l[world->pipes_by_r[k]]);
        }
    }
    mark_ghosts(world, 0);
    for (int64_t i = 0; i < insertion->count; ++i) world->bodies.stamp[insertion->queue[i]] = 0;
}

/* Returns the volume that a body displaces beyond what is left out for it already, quanta. */
static int64_t whole_surplus(const rill_world *world, const rill_body *body) {
    const rill_body_touch *touches = world->bodies.touches.data;
    const rill_body_node *nodes = world->bodies.nodes.data;
    int64_t sum = 0;
    for (int32_t i = body->first_touch; i < body->end_touch; ++i) sum += surplus(world, &nodes[touches[i].node]);
    return sum;
}

/* Takes that from its columns. */
static void take_out(rill_world *world, const rill_body *body) {
    const rill_body_touch *touches = world->bodies.touches.data;
    rill_body_node *nodes = world->bodies.nodes.data;
    for (int32_t i = body->first_touch; i < body->end_touch; ++i) {
        rill_body_node *node = &nodes[touches[i].node];
        const int32_t part = surplus(world, node);
        if (part == 0) continue;
        node->displaced_before = rill_body_node_displaced(&world->bodies, node, node->e);
        rill_column_take(&world->flow, node->place, part);
    }
}

static void put_in(const insert_work *insertion, int64_t amount) {
    rill_world *world = insertion->world;
    const double rise = (double)amount / ((double)insertion->takers + insertion->open);
    for (int64_t i = 0; i < insertion->count; ++i) {
        rill_body_node *node = rill_bodies_node(&world->bodies, insertion->queue[i]);
        if (!node) continue;
        const double more = rill_body_node_displaced(&world->bodies, node, node->e + rise) -
                            rill_body_node_displaced(&world->bodies, node, node->e);
        const double part = fmin(fmax(rise - more, 0.0), (double)amount);
        node->e += rise;
        node->displaced_before += more;
        rill_column_give(&world->flow, node->place, (int32_t)part);
        amount -= (int32_t)part;
    }
    for (int64_t i = 0, left = insertion->takers; i < insertion->count; ++i) {
        if (rill_bodies_node(&world->bodies, insertion->queue[i])) continue;
        const int32_t part = (int32_t)(amount / left--);
        rill_column_give(&world->flow, insertion->queue[i], part);
        amount -= part;
    }
}

void rill_world_insert_body(rill_world *world, const rill_body *body, int32_t *queue) {
    insert_work insertion = { .world = world, .queue = queue };
    if (!rill_world_method(world)->layered) return;
    rill_world_cover(world, false);
    find_pool(&insertion, body);
    const int64_t room = RILL_TOP - RILL_TOP / 16 - insertion.highest, amount = whole_surplus(world, body);
    if (insertion.takers == 0 || amount > room * insertion.takers) return; /* the step has to cope with it */
    take_out(world, body);
    put_in(&insertion, amount);
    for (int64_t i = 0; i < insertion.count; ++i) rill_flow_wake(&world->flow, queue[i]);
    rill_world_measure_flow(world);
}
