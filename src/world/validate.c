/* Every invariant of a world, checked one by one: for tests, bug reports and loaded snapshots. The bed has a validator
 * of its own (bed/), which comes first: what follows relies on its places. */
#include <math.h>

#include "kandemir/kandemir.h"
#include "motion/opening_ceilings.h"
#include "motion/swept_volume.h"
#include "wang/wang.h"
#include "waves/theta.h"
#include "world/method.h"
#include "world/world_shells.h"

static rill_result wrong(rill_message *message, const char *what, int64_t where, double found) {
    return rill_fail(message, RILL_INVALID_DATA, "invalid world: %s (at %lld, found %g)", what, (long long)where,
                     found);
}

/* ---------------------------------------------------------------------------------------------------------- tables */

/* Written so that NaN fails. */
static bool possible_speed(float speed) {
    return fabsf(speed) <= RILL_SPEED_BOUND;
}

static rill_result check_solids(const rill_world *world, rill_message *message) {
    const rill_solid_slot *slots = world->solids.data;
    size_t reusable = 0, changed = 0;
    for (size_t i = 0; i < world->solids.count; ++i) {
        if (slots[i].generation == 0) return wrong(message, "solid without a generation", (int64_t)i, 0.0);
        reusable += rill_slot_free(&slots[i]);
        changed += slots[i].changed;
        const rill_area *area = &slots[i].built;
        for (int axis = 0; axis < 2; ++axis)
            if (area->low[axis] < 0 || area->high[axis] > world->def.grid.cells[axis])
                return wrong(message, "cells under a solid", (int64_t)i, (double)area->low[axis]);
    }
    if (world->solids.count > RILL_SLOTS_MAX || reusable != world->solids_free)
        return wrong(message, "number of free solid slots", (int64_t)world->solids_free, (double)reusable);
    if (changed != world->changes || (changed > 0 && !world->built))
        return wrong(message, "number of changed solids", (int64_t)world->changes, (double)changed);
    return RILL_OK;
}

static rill_result check_source(const rill_world *world, size_t index, rill_message *message) {
    const rill_source *source = (const rill_source *)world->sources.data + index;
    if (source->book < RILL_BOOK_FIXED || (size_t)source->book >= world->books.count)
        return wrong(message, "source without an account", (int64_t)index, (double)source->book);
    if (!((const rill_book *)world->books.data)[source->book].used)
        return wrong(message, "account of a source that is thought to be free", (int64_t)index, (double)source->book);
    if (!(source->pending >= 0.0) || source->pending >= 1.0)
        return wrong(message, "pending fraction of a source", (int64_t)index, source->pending);
    if (source->turn > 0 && source->turn >= source->place_count)
        return wrong(message, "turn of a source", (int64_t)index, (double)source->turn);
    for (size_t i = 0; i < source->place_count; ++i) {
        const int32_t place = source->places[i];
        if (place < 0 || place >= world->bed.plane_size || world->bed.b[place] == RILL_WALL ||
            (i > 0 && source->places[i - 1] >= place))
            return wrong(message, "columns of a source", (int64_t)index, (double)place);
    }
    for (size_t i = 0; i < source->tile_count; ++i) {
        if (source->tiles[i] < 0 || source->tiles[i] >= world->bed.tile_count)
            return wrong(message, "tiles of a source", (int64_t)index, (double)source->tiles[i]);
    }
    return rill_check_source_def(&source->def, message);
}

static rill_result check_sources(const rill_world *world, rill_message *message) {
    const rill_source *sources = world->sources.data;
    size_t reusable = 0;
    for (size_t i = 0; i < world->sources.count; ++i) {
        if (sources[i].generation == 0) return wrong(message, "source without a generation", (int64_t)i, 0.0);
        reusable += !sources[i].alive && sources[i].generation < RILL_GENERATION_MAX;
        if (!sources[i].alive) continue;
        const rill_result result = check_source(world, i, message);
        if (result) return result;
    }
    if (world->sources.count > RILL_SLOTS_MAX || reusable != world->sources_free)
        return wrong(message, "number of free source slots", (int64_t)world->sources_free, (double)reusable);
    return RILL_OK;
}

/* A column under a body is there, known by its place, and its base is not lowered. */
static rill_result check_node(const rill_world *world, size_t index, rill_message *message) {
    const rill_bodies *bodies = &world->bodies;
    const rill_bed *bed = &world->bed;
    const rill_body_node *node = (const rill_body_node *)bodies->nodes.data + index;
    const int32_t place = node->place;
    if (place < 0 || place >= bed->plane_size || bed->b[place] == RILL_WALL)
        return wrong(message, "column under a body", (int64_t)index, (double)place);
    int32_t x, y;
    rill_bed_sheet_of(bed, place, &x, &y);
    if (x != node->cell[0] || y != node->cell[1] || bodies->node_of[place] != (int32_t)index + 1)
        return wrong(message, "place of a column under a body", (int64_t)index, (double)place);
    if (node->base < 0 || node->base > RILL_TOP)
        return wrong(message, "base of a column under a body", (int64_t)index, (double)node->base);
    const double most = RILL_HEAD_MOST;
    if (!(node->e >= 0.0 && node->e <= most && fabs(node->pi) <= most &&
          fabs(node->displaced_before) <= RILL_BODY_BOUND))
        return wrong(message, "head under a body", (int64_t)index, node->e);
    if (node->deck < 0 || node->deck > RILL_TOP || (node->deck > 0 && !node->apart) || (node->apart && node->over))
        return wrong(message, "liquid on a body", (int64_t)index, (double)node->deck);
    if (!possible_speed(node->slip[0]) || !possible_speed(node->slip[1]))
        return wrong(message, "velocity of liquid on a body", (int64_t)index, (double)node->slip[0]);
    if (bodies->lifted[place] < bed->b[place] || bodies->lifted[place] > RILL_TOP)
        return wrong(message, "lifted base", place, (double)bodies->lifted[place]);
    return RILL_OK;
}

static rill_result check_bodies(const rill_world *world, rill_message *message) {
    const rill_bodies *bodies = &world->bodies;
    size_t reusable = 0;
    int32_t alive = 0;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        if (body->generation == 0) return wrong(message, "body without a generation", (int64_t)i, 0.0);
        reusable += !body->alive && body->generation < RILL_GENERATION_MAX;
        alive += body->alive;
        const rill_result result = body->alive ? rill_check_body(body, RILL_BODY_BOUND, message) : RILL_OK;
        if (result) return result;
    }
    if (bodies->list.count > RILL_SLOTS_MAX || reusable != bodies->free_slots || alive != bodies->alive)
        return wrong(message, "number of bodies", (int64_t)bodies->free_slots, (double)reusable);
    if (bodies->nodes.count > 0 &&
        (alive == 0 || world->method.tank || bodies->plane_size != (size_t)world->bed.plane_size))
        return wrong(message, "columns under no body", 0, (double)bodies->nodes.count);
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        const rill_result result = check_node(world, i, message);
        if (result) return result;
    }
    return RILL_OK;
}

static rill_result check_ledger(const rill_world *world, rill_message *message) {
    const rill_book *books = world->books.data;
    if (world->books.count < RILL_BOOK_FIXED) return wrong(message, "fixed accounts", 0, (double)world->books.count);
    for (size_t i = 0; i < world->books.count; ++i) {
        if (books[i].poured < 0 || books[i].drained < 0)
            return wrong(message, "negative account", (int64_t)i,
                         (double)(books[i].poured < 0 ? books[i].poured : books[i].drained));
    }
    rill_ledger ledger;
    const rill_result result = rill_world_get_ledger(world, &ledger);
    if (result) return result;
    return ledger.error == 0 ? RILL_OK : wrong(message, "ledger error", ledger.columns, (double)ledger.error);
}

/* ----------------------------------------------------------------------------------------------------------- state */

/* Where there is no column nothing may be stored, and nowhere more than fits. */
static rill_result check_planes(const rill_world *world, rill_message *message) {
    const rill_bed *bed = &world->bed;
    const rill_flow *flow = &world->flow;
    for (int32_t i = 0; i < bed->plane_size; ++i) {
        if (flow->H[i] < 0 || flow->H[i] > bed->c[i] - bed->b[i])
            return wrong(message, bed->b[i] == RILL_WALL ? "liquid in a wall" : "depth outside its void", i,
                         (double)flow->H[i]);
        if (!possible_speed(flow->u[i]) || !possible_speed(flow->v[i]))
            return wrong(message, "velocity that cannot be", i,
                         (double)(possible_speed(flow->u[i]) ? flow->v[i] : flow->u[i]));
        if (bed->b[i] == RILL_WALL && (flow->u[i] != 0.0f || flow->v[i] != 0.0f))
            return wrong(message, "velocity in a wall", i, (double)(flow->u[i] != 0.0f ? flow->u[i] : flow->v[i]));
    }
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        if (flow->H[bed->ghosts[i].place] != bed->ghosts[i].still)
            return wrong(message, "depth outside an edge", i, (double)flow->H[bed->ghosts[i].place]);
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        if (!possible_speed(flow->pipe_u[i]))
            return wrong(message, "velocity of a sparse pipe", i, (double)flow->pipe_u[i]);
    }
    return RILL_OK;
}

/* A face that joins nothing is at rest, and so is every face of a sleeping tile. */
static rill_result check_faces(const rill_world *world, rill_message *message) {
    const rill_bed *bed = &world->bed;
    const rill_flow *flow = &world->flow;
    const uint16_t busy = RILL_TILE_AWAKE | RILL_TILE_SWEPT;
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const rill_sheet *sheet = &bed->sheets[s];
        for (int32_t y = -1; y <= sheet->ny; ++y) {
            for (int32_t x = -1; x <= sheet->nx; ++x) {
                const int32_t place = sheet->first + y * sheet->stride + x;
                if (flow->u[place] == 0.0f && flow->v[place] == 0.0f) continue;
                if (flow->u[place] != 0.0f && !rill_face_joined(bed, place - 1, place))
                    return wrong(message, "velocity through a wall, u", place, (double)flow->u[place]);
                if (flow->v[place] != 0.0f && !rill_face_joined(bed, place - sheet->stride, place))
                    return wrong(message, "velocity through a wall, v", place, (double)flow->v[place]);
                const int32_t tile = sheet->first_tile + (y + 1) / RILL_TILE_H * sheet->tiles_x + (x + 1) / RILL_TILE_W;
                if (!(flow->tiles[tile] & busy))
                    return wrong(message, "velocity in a sleeping tile", place, (double)flow->tiles[tile]);
            }
        }
    }
    return RILL_OK;
}

static rill_result check_counters(const rill_world *world, rill_message *message) {
    const rill_flow_extent *extent = &world->flow.extent;
    for (int32_t i = 0; i < world->bed.tile_count; ++i) {
        if (world->flow.tiles[i] / RILL_TILE_CALM_ONE > RILL_TILE_CALM_CHECKS)
            return wrong(message, "calm count of a tile", i, (double)(world->flow.tiles[i] / RILL_TILE_CALM_ONE));
    }
    if (extent->depth < 0 || extent->depth > RILL_TOP) return wrong(message, "extent: depth", 0, (double)extent->depth);
    if (extent->level < 0 || extent->level > RILL_TOP) return wrong(message, "extent: level", 0, (double)extent->level);
    if (!(extent->speed >= 0.0f && extent->speed <= 2.0f * RILL_SPEED_BOUND)) /* of both axes together */
        return wrong(message, "extent: speed", 0, (double)extent->speed);
    if (!(extent->rush >= 0.0f && isfinite(extent->rush)))
        return wrong(message, "extent: rush", 0, (double)extent->rush);
    if (!(extent->dash >= extent->rush && isfinite(extent->dash)))
        return wrong(message, "extent: dash", 0, (double)extent->dash);
    return RILL_OK;
}

/* Each method has its own memory beside the flow, and no other's. Pressures that no definition allows would make what is not finite. */
static rill_result check_method(const rill_world *world, rill_message *message) {
    const rill_tank *tank = world->method.tank;
    if ((tank != NULL) != rill_world_uses(world, RILL_METHOD_KANDEMIR))
        return wrong(message, "method and tank", 0, (double)world->def.solver.method);
    if ((world->method.theta != NULL) != rill_world_uses(world, RILL_METHOD_WAVES))
        return wrong(message, "method and waves", 0, (double)world->def.solver.method);
    if ((world->method.heights != NULL) != (world->def.solver.papers == RILL_PAPERS_WANG))
        return wrong(message, "papers and heights", 0, (double)world->def.solver.papers);
    if (world->method.heights && !rill_heights_possible(world->method.heights, &world->flow))
        return wrong(message, "heights of wang", 0, 0.0);
    if (!rill_world_method(world)->has_bodies && world->bodies.alive > 0)
        return wrong(message, "bodies with a method that has none", 0, (double)world->bodies.alive);
    for (size_t i = 0; world->method.theta && i < world->method.theta->size; ++i)
        if (!isfinite(world->method.theta->E[i]))
            return wrong(message, "pressure of waves", (int64_t)i, (double)world->method.theta->E[i]);
    for (size_t i = 0; tank && i < tank->size; ++i) {
        if (!possible_speed(tank->ne[i]) || !possible_speed(tank->nw[i]))
            return wrong(message, "velocity of a diagonal pipe", (int64_t)i,
                         (double)(possible_speed(tank->ne[i]) ? tank->nw[i] : tank->ne[i]));
        if (!(fabsf(tank->set[i]) <= RILL_PRESSURE_BOUND && fabsf(tank->bodies[i]) <= RILL_PRESSURE_BOUND))
            return wrong(message, "external pressure", (int64_t)i, (double)(tank->set[i] + tank->bodies[i]));
    }
    return RILL_OK;
}

/* Whether a column is at a place; ghosts are none. */
static bool is_column(const rill_bed *bed, int32_t place) {
    int32_t x = -1, y = -1;
    if (place >= 0 && place < bed->plane_size && bed->b[place] != RILL_WALL) rill_bed_sheet_of(bed, place, &x, &y);
    return x >= 0 && x < bed->grid.cells[0] && y >= 0 && y < bed->grid.cells[1];
}

/* Something, at columns that there are, in their order, and not for ever. */
static rill_result check_held(const rill_world *world, rill_message *message) {
    const rill_expelled *expelled = world->flow.expelled.data;
    for (size_t i = 0; i < world->flow.expelled.count; ++i) {
        const int32_t place = expelled[i].place;
        if (!is_column(&world->bed, place) || (i > 0 && expelled[i - 1].place >= place))
            return wrong(message, "where liquid is held", (int64_t)i, (double)place);
        if (expelled[i].amount <= 0 || expelled[i].pushed != 0)
            return wrong(message, "amount of liquid that is held", (int64_t)i, (double)expelled[i].amount);
        if (!(expelled[i].seconds >= 0.0 && expelled[i].seconds <= RILL_EXPELLED_SLOWEST))
            return wrong(message, "time for which liquid is held", (int64_t)i, expelled[i].seconds);
        if (!isfinite(expelled[i].wall[0]) || !isfinite(expelled[i].wall[1]) || expelled[i].side < -1 ||
            expelled[i].side > 3)
            return wrong(message, "velocity of what presses liquid", (int64_t)i, expelled[i].wall[0]);
    }
    return RILL_OK;
}

/* Checks what walls have withdrawn, which may be nothing yet. */
static rill_result check_withdrawn(const rill_world *world, rill_message *message) {
    const rill_withdrawn *withdrawn = world->flow.withdrawn.data;
    for (size_t i = 0; i < world->flow.withdrawn.count; ++i) {
        const rill_withdrawn *item = &withdrawn[i];
        if (!is_column(&world->bed, item->place) || (i > 0 && withdrawn[i - 1].place >= item->place))
            return wrong(message, "where liquid is withdrawn", (int64_t)i, (double)item->place);
        if (item->amount < 0 || item->claims != 0 || item->before != 0)
            return wrong(message, "amount of liquid that is withdrawn", (int64_t)i, (double)item->amount);
        if (!(item->seconds > 0.0 && item->seconds <= RILL_EXPELLED_SLOWEST && item->most > 0.0 &&
              item->most <= RILL_WITHDRAWN_MOST))
            return wrong(message, "speed at which liquid is withdrawn", (int64_t)i, item->seconds);
        if (item->side < 0 || item->side > 3)
            return wrong(message, "side to which liquid is withdrawn", (int64_t)i, (double)item->side);
    }
    return RILL_OK;
}

/* Something, on its way to a column that there is or over an edge. */
static rill_result check_parcels(const rill_world *world, rill_message *message) {
    const rill_falls *falls = world->falls;
    size_t flying = 0;
    for (size_t i = 0; falls && i < falls->capacity; ++i) {
        const rill_parcel *parcel = &falls->parcels[i];
        if (parcel->amount == 0) continue;
        flying += 1;
        if (parcel->amount < 0) return wrong(message, "amount in the air", (int64_t)i, (double)parcel->amount);
        if (parcel->place < rill_parcel_over(RILL_NORTH) ||
            (parcel->place >= 0 && !is_column(&world->bed, parcel->place)))
            return wrong(message, "where a parcel lands", (int64_t)i, (double)parcel->place);
        bool possible = parcel->hit >= 0.0f && parcel->hit <= parcel->flight && isfinite(parcel->flight);
        for (int axis = 0; axis < 3; ++axis)
            possible = possible && isfinite(parcel->from[axis]) && possible_speed(parcel->velocity[axis]);
        if (!possible) return wrong(message, "flight of a parcel", (int64_t)i, (double)parcel->flight);
    }
    if (falls && flying != (size_t)falls->count)
        return wrong(message, "number of parcels", (int64_t)flying, (double)falls->count);
    return RILL_OK;
}

/* Checks ceilings that open: there are some, and the room is theirs. */
static rill_result check_openings(const rill_world *world, rill_message *message) {
    const rill_bed *bed = &world->bed;
    const rill_opening *openings = world->flow.openings.data;
    for (size_t i = 0; i < world->flow.openings.count; ++i) {
        const rill_opening *item = &openings[i];
        if (!is_column(bed, item->place) || bed->c[item->place] == RILL_TOP ||
            (i > 0 && openings[i - 1].place >= item->place))
            return wrong(message, "where a ceiling rises", (int64_t)i, (double)item->place);
        if (item->room <= 0 || item->room > bed->c[item->place] - bed->b[item->place])
            return wrong(message, "room under a ceiling that rises", (int64_t)i, (double)item->room);
        if (!(item->seconds > 0.0 && item->seconds <= RILL_EXPELLED_LONGEST))
            return wrong(message, "time in which a ceiling rises", (int64_t)i, item->seconds);
    }
    return RILL_OK;
}

/* The order of pipes_by_r, and floors that exist. */
static rill_result check_indices(const rill_world *world, rill_message *message) {
    const rill_bed *bed = &world->bed;
    const rill_solid_slot *slots = world->solids.data;
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        const int32_t pipe = world->pipes_by_r[i];
        if (pipe < 0 || pipe >= bed->pipe_count) return wrong(message, "order of pipes", i, (double)pipe);
        const int32_t before = i > 0 ? world->pipes_by_r[i - 1] : -1;
        if (before >= 0 &&
            (bed->pipe_r[before] > bed->pipe_r[pipe] || (bed->pipe_r[before] == bed->pipe_r[pipe] && before >= pipe)))
            return wrong(message, "order of pipes", i, (double)pipe);
    }
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        if (bed->floors[i] >= world->solids.count || (!slots[bed->floors[i]].solid && !slots[bed->floors[i]].changed))
            return wrong(message, "floor of a column", i, (double)bed->floors[i]);
    }
    return RILL_OK;
}

static rill_result check_shells(const rill_world *world, rill_message *message) {
    for (size_t i = 0; i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (slot->generation == 0) return wrong(message, "shell without a generation", (int64_t)i, 0.0);
        for (int32_t k = 0; slot->alive && k < slot->shell->count; ++k)
            if (rill_films_quanta(slot->films, k) < 0)
                return wrong(message, "depth on a shell", k, (double)rill_films_quanta(slot->films, k));
        for (int32_t e = 0; slot->alive && e < slot->shell->edge_count; ++e)
            if (!possible_speed((float)rill_films_velocity(slot->films, e)))
                return wrong(message, "velocity on a shell", e, rill_films_velocity(slot->films, e));
    }
    return RILL_OK;
}

rill_result rill_world_validate(const rill_world *world, rill_message *message) {
    if (!world) return rill_fail(message, RILL_INVALID_ARGUMENT, "world is NULL");
    rill_result result = rill_check_world_def(&world->def, message);
    if (!result) result = check_solids(world, message);
    if (!result && (!(world->time >= 0.0) || isinf(world->time))) result = wrong(message, "time", 0, world->time);
    if (!result) result = check_shells(world, message);
    if (!result && world->built) result = rill_bed_validate(&world->bed, message);
    if (!result && world->built) result = check_indices(world, message);
    if (!result && world->built) result = check_planes(world, message);
    if (!result && world->built) result = check_faces(world, message);
    if (!result && world->built) result = check_counters(world, message);
    if (!result && world->built) result = check_method(world, message);
    if (!result && world->built) result = check_held(world, message);
    if (!result && world->built) result = check_withdrawn(world, message);
    if (!result && world->built) result = check_openings(world, message);
    if (!result && world->built) result = check_parcels(world, message);
    if (!result) result = check_bodies(world, message);
    if (!result) result = check_sources(world, message);
    if (!result) result = check_ledger(world, message);
    return result ? RILL_INVALID_DATA : RILL_OK; /* whichever check it was that complained */
}
