/* The graph of passages, looked at from inside after steps of random layered worlds: every open face and
 * sparse pipe of an inner node is an edge, once and with the right ends; what has a ceiling beside an active node is an
 * inner node; islands are the components of active nodes. The bits are the same however it is run. */
#include "tanks.h"

#include "passages/passages_internal.h"
#include "world/world.h"

enum { WIDE = 44, DEEP = 30 };

/* Slabs with holes in one, two or three layers, walls between them, all flooded more or less, sources and sinks in
 * them. */
static rill_world *layered_world(uint64_t number, const rill_runtime *runtime) {
    dice dice_of = { number * 0x2545f4914f6cdd1du }, *d = &dice_of;
    rill_world_def def = tank_def(WIDE, DEEP, RILL_PASSAGES_ANY);
    if (runtime) def.runtime = *runtime;
    def.headroom = 12 * MM;
    def.liquid.viscosity = 1e-6;
    if (chance(d, 0.3)) def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    if (chance(d, 0.3)) def.gravity[0] = between(d, -2, 2);
    rill_world *world = make_tank(&def);
    const int layers = 1 + (int)between(d, 0, 3);
    for (int k = 0; k < layers; ++k) {
        const double z = 2.0 + 2.5 * k, holes = between(d, 0.05, 0.4);
        for (double x = 0; x < WIDE; x += 4)
            for (double y = 0; y < DEEP; y += 5)
                if (!chance(d, holes)) add_box(world, x, y, z + between(d, -0.4, 0.4), x + 4, y + 5, z + 0.8);
        for (int i = 0; i < 4; ++i) {
            const double x = floor(between(d, 0, WIDE)), y = floor(between(d, 0, DEEP));
            const bool along = chance(d, 0.5);
            add_box(world, x, y, z - 2.2, along ? x + 15 : x + 1, along ? y + 1 : y + 15, z);
        }
    }
    build(world);
    for (int i = 0; i < 3; ++i) {
        const double at[3] = { WIDE * MM * between(d, 0, 1), DEEP * MM * between(d, 0, 1), MM * between(d, 0.1, 6) };
        const rill_result result = rill_world_fill_level(world, at, MM * between(d, 1, 8), NULL);
        if (result != RILL_OK) assert_int_equal(result, RILL_INVALID_ARGUMENT); /* no column, or its floor is higher */
        rill_source_def source = point_source(NULL, at[0], at[1], at[2], 1e-5);
        source.sink = chance(d, 0.3);
        rill_source_id id;
        (void)rill_source_create(world, &source, &id); /* it may find no column there */
    }
    return world;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

static bool has_ceiling(const rill_bed *bed, int32_t place) {
    return bed->c[place] < RILL_TOP && bed->b[place] < RILL_TOP && !rill_passages_ghost(bed, place);
}

static void check_node_of(const rill_bed *bed, const rill_passage_solver *passages) {
    const rill_passage_nodes *a = &passages->nodes;
    int32_t found = 0;
    for (int32_t place = 0; place < bed->plane_size; ++place) {
        const int32_t n = passages->node_of[place];
        found += n > 0;
        if (n > 0) assert_true(n < passages->node_count && a->place[n] == place);
        if (n < 0) assert_int_equal(passages->port_place[-n], place);
    }
    assert_int_equal(found, passages->node_count - 1);
    for (int32_t n = 1; n < passages->node_count; ++n) {
        assert_int_equal(a->place[n], rill_sheet_place(&bed->sheets[a->sheet[n]], a->column[n], a->row[n]));
        assert_int_equal(a->tile[n], rill_bed_tile_of(bed, a->place[n]));
        if (a->port[n] > 0) assert_int_equal(passages->port_place[a->port[n]], a->place[n]);
        assert_true(!a->inner[n] || has_ceiling(bed, a->place[n]));
        assert_true(!a->active[n] || a->inner[n]);
    }
}

/* Every open face of an inner node, and no other; from both ends. */
static void check_faces(const rill_bed *bed, const rill_passage_solver *passages) {
    const rill_passage_nodes *a = &passages->nodes;
    const rill_passage_edges *e = &passages->faces;
    int32_t found = 0;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const int32_t stride = bed->sheets[a->sheet[n]].stride, here = a->place[n];
        const int32_t faces[4] = { a->west[n], a->east[n], a->south[n], a->north[n] };
        const int32_t steps[4] = { -1, 1, -stride, stride };
        for (int32_t k = 0; k < 4; ++k) {
            const int32_t there = here + steps[k], other = passages->node_of[there], i = faces[k];
            const int32_t room = (bed->c[here] < bed->c[there] ? bed->c[here] : bed->c[there]) -
                                 (bed->b[here] > bed->b[there] ? bed->b[here] : bed->b[there]);
            const bool inner = a->inner[n] || (other > 0 && a->inner[other]);
            assert_int_equal(i > 0, inner && room > 1);
            if (i == 0) continue;
            found += k % 2;
            assert_true(other > 0 && i < e->count && e->axis[i] == k / 2);
            assert_int_equal(e->l[i], k % 2 ? n : other);
            assert_int_equal(e->r[i], k % 2 ? other : n);
            assert_int_equal(e->at[i], k % 2 ? there : here);
        }
    }
    assert_int_equal(found, e->count - 1); /* each is the east or north one of one node: none is there twice */
}

static int32_t pipes_of(const rill_passage_solver *passages, int32_t node) {
    int32_t count = 0;
    EACH_PIPE(passages, node, edge) {
        assert_true(edge < passages->pipes.count);
        assert_true(passages->pipes.l[edge] == node || passages->pipes.r[edge] == node);
        count += 1;
    }
    return count;
}

/* Every sparse pipe of an inner node, once. */
static void check_pipes(const rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *e = &passages->pipes;
    const int32_t count = flow->bed->pipe_count;
    int32_t *times = calloc((size_t)count + 1, sizeof *times), hung = 0;
    assert_non_null(times);
    for (int32_t i = 1; i < e->count; ++i) {
        const rill_pipe *p = &flow->sparse->pipes[e->at[i]];
        times[e->at[i]] += 1;
        assert_int_equal(passages->nodes.place[e->l[i]], p->l);
        assert_int_equal(passages->nodes.place[e->r[i]], p->r);
        assert_int_equal(e->axis[i], p->axis);
    }
    for (int32_t i = 0; i < count; ++i) {
        const rill_pipe *p = &flow->sparse->pipes[i];
        const int32_t l = passages->node_of[p->l], r = passages->node_of[p->r];
        assert_int_equal(times[i], (l > 0 && passages->nodes.inner[l]) || (r > 0 && passages->nodes.inner[r]));
    }
    for (int32_t n = 1; n < passages->node_count; ++n) hung += pipes_of(passages, n);
    assert_int_equal(hung, 2 * (e->count - 1));
    free(times);
}

/* ----------------------------------------------------------------------------------------------------- active nodes */

static void check_edge(const rill_bed *bed, const rill_passage_solver *passages, const rill_passage_edges *e,
                       int32_t i) {
    const rill_passage_nodes *a = &passages->nodes;
    const int32_t ends[2] = { e->l[i], e->r[i] };
    for (int32_t k = 0; k < 2; ++k)
        assert_true(!a->active[ends[k]] || a->inner[ends[1 - k]] || !has_ceiling(bed, a->place[ends[1 - k]]));
    if (a->inner[ends[0]] && a->inner[ends[1]]) assert_int_equal(passages->pool[ends[0]], passages->pool[ends[1]]);
}

/* Checks what is beside active nodes, and that all flooded columns are active. */
static void check_active(const rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    const rill_bed *bed = flow->bed;
    for (int32_t i = 1; i < passages->faces.count; ++i) check_edge(bed, passages, &passages->faces, i);
    for (int32_t i = 1; i < passages->pipes.count; ++i) check_edge(bed, passages, &passages->pipes, i);
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i], n = passages->node_of[place];
        if (flow->pressure[place] != 0) assert_true(n > 0 && passages->nodes.active[n]);
        if (n > 0 && passages->nodes.active[n]) assert_true(flow->pressure[place] != 0);
    }
}

/* Joins what an open edge joins: `to` becomes the least number of a component. True if something changed. */
static bool spread(const rill_passage_solver *passages, const rill_passage_edges *e, int32_t *to) {
    bool changed = false;
    for (int32_t i = 1; i < e->count; ++i) {
        const int32_t l = e->l[i], r = e->r[i];
        if (!(e->gain[i] * e->reach[i] > 0.0f) || !passages->nodes.active[l] || !passages->nodes.active[r]) continue;
        changed |= to[l] != to[r];
        to[l] = to[r] = to[l] < to[r] ? to[l] : to[r];
    }
    return changed;
}

static void find_exits(const rill_passage_solver *passages, const rill_passage_edges *e, const int32_t *to,
                       bool *leads_out) {
    for (int32_t i = 1; i < e->count; ++i) {
        const int32_t l = e->l[i], r = e->r[i];
        if (!(e->gain[i] * e->reach[i] > 0.0f) || passages->nodes.active[l] == passages->nodes.active[r]) continue;
        leads_out[to[passages->nodes.active[l] ? l : r]] = true;
    }
}

/* Returns how many there are. */
static int32_t check_islands(rill_passage_solver *passages) {
    const size_t count = (size_t)passages->node_count;
    int32_t *to = calloc(count, sizeof *to), *island_of = calloc(count, sizeof *island_of), active_count = 0, roots = 0;
    bool *leads_out = calloc(count, sizeof *leads_out);
    assert_true(to && island_of && leads_out);
    for (int32_t n = 0; n < passages->node_count; ++n) to[n] = n;
    for (bool again = true; again;) {
        again = spread(passages, &passages->faces, to);
        again |= spread(passages, &passages->pipes, to);
    }
    find_exits(passages, &passages->faces, to, leads_out);
    find_exits(passages, &passages->pipes, to, leads_out);
    bool sealed = false;
    const bool any = rill_passages_find_islands(passages);
    for (int32_t k = 0; k < passages->island_count; ++k) {
        const rill_passage_island *island = &passages->islands[k];
        assert_true(island->first == active_count && island->count > 0);
        active_count += island->count;
        const int32_t root = to[passages->order[island->first]];
        assert_int_equal(island->sealed, !leads_out[root]);
        sealed |= island->sealed;
        for (int32_t i = island->first; i < island->first + island->count; ++i) {
            const int32_t n = passages->order[i];
            assert_true(passages->nodes.active[n] && passages->island_of[n] == k && to[n] == root);
            assert_int_equal(passages->nodes.sealed[n], island->sealed);
            assert_int_equal(island_of[n]++, 0);
        }
    }
    for (int32_t n = 1; n < passages->node_count; ++n) {
        assert_int_equal(island_of[n], passages->nodes.active[n]);
        roots += passages->nodes.active[n] && to[n] == n;
    }
    assert_int_equal(roots, passages->island_count);
    assert_int_equal(any, sealed);
    free(to), free(island_of), free(leads_out);
    return roots;
}

static void graphs_are_sound(void **state) {
    (void)state;
    int32_t islands = 0, pipes = 0, outer = 0;
    for (uint64_t number = 1; number <= 24 / ALONE_PART; ++number) {
        rill_world *world = layered_world(number, NULL);
        rill_solver solver;
        assert_int_equal(rill_world_get_solver(world, &solver), RILL_OK);
        solver.rest = false; /* or what sleeps has no nodes */
        must(world, rill_world_set_solver(world, &solver));
        for (int i = 0; i < 12; ++i) {
            step(world, i % 3 ? 2e-3 : 5e-4);
            rill_passage_solver *passages = world->flow.passages;
            assert_non_null(passages);
            if (passages->node_count < 2) continue;
            check_node_of(&world->bed, passages);
            check_faces(&world->bed, passages);
            check_pipes(&world->flow);
            check_active(&world->flow);
            islands += check_islands(passages);
            pipes += passages->pipes.count - 1;
            for (int32_t n = 1; n < passages->node_count; ++n) outer += !passages->nodes.inner[n];
            assert_int_equal(ledger_error(world), 0);
        }
        check(world);
        rill_world_destroy(world);
    }
    assert_true(islands > 100 / ALONE_PART && pipes > 100 / ALONE_PART && outer > 100 / ALONE_PART);
}

/* -------------------------------------------------------------------------------------------------------- same bits */

static uint64_t hash_after(uint64_t number, int32_t threads, bool scalar) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = threads;
    runtime.scalar = scalar;
    rill_world *world = layered_world(number, &runtime);
    for (int i = 0; i < 6; ++i) step(world, 2e-3);
    assert_int_equal(ledger_error(world), 0);
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void bits_are_the_same(void **state) {
    (void)state;
    for (uint64_t number = 40; number < 46; ++number) {
        const uint64_t hash = hash_after(number, 1, false);
        assert_true(hash_after(number, 3, false) == hash);
        assert_true(hash_after(number, 1, true) == hash);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_sound),
        cmocka_unit_test(bits_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
