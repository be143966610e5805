/* Questions that a program may ask of a trial's world, and what the answers must agree with: lists and names, pointers of its own,
 * parts of fields, accounts, meshes of the surface. */
#ifndef RILL_TESTS_TRIAL_READS_H
#define RILL_TESTS_TRIAL_READS_H

#include "mesh_check.h"
#include "trial.h"

/* ------------------------------------------------------------------------------------------------- lists and names */

/* Defines functions for one kind of object: what is in the list has a name, by which it is found; and the pointer of an
 * id, which is the one that was set as long as the id names the same object. */
#define TRIAL_KIND(KIND)                                                                                               \
    static inline void check_##KIND##s(const rill_world *world) {                                                      \
        const int32_t count = rill_world_##KIND##_count(world);                                                        \
        FUZZ_CHECK(count >= 0 && rill_world_##KIND##_at(world, count).value == 0, "%d " #KIND "s", count);             \
        for (int32_t i = 0; i < count; ++i) {                                                                          \
            const rill_##KIND##_id id = rill_world_##KIND##_at(world, i);                                              \
            const char *name = rill_##KIND##_name(world, id);                                                          \
            FUZZ_CHECK(id.value != 0 && name != NULL, #KIND " %d of %d is stale", i, count);                           \
            FUZZ_CHECK(!name[0] || rill_##KIND##_find(world, name).value == id.value, "%s is another", name);          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void check_##KIND##_user(const rill_world *world, const rill_##KIND##_id *ids, remembered *users) {  \
        for (int i = 0; i < SLOTS; ++i) {                                                                              \
            const bool stale = rill_##KIND##_name(world, ids[i]) == NULL;                                              \
            if (users[i].id != ids[i].value || stale) {                                                                \
                for (int k = 0; k < SLOTS; ++k) users[k].user = users[k].id == ids[i].value ? NULL : users[k].user;    \
                users[i] = (remembered){ .id = ids[i].value };                                                         \
            }                                                                                                          \
            const void *user = rill_##KIND##_user_data(world, ids[i]);                                                 \
            FUZZ_CHECK(user == users[i].user, #KIND " %d: %p, expected %p", i, user, users[i].user);                   \
        }                                                                                                              \
    }                                                                                                                  \
    static inline rill_result set_##KIND##_user(rill_world *world, rill_##KIND##_id id, remembered *users,             \
                                                void *user) {                                                          \
        const rill_result result = rill_##KIND##_set_user_data(world, id, user);                                       \
        for (int i = 0; i < SLOTS && result == RILL_OK; ++i)                                                           \
            if (users[i].id == id.value) users[i].user = user;                                                         \
        return result;                                                                                                 \
    }

TRIAL_KIND(solid)
TRIAL_KIND(source)
TRIAL_KIND(body)
TRIAL_KIND(control)

static inline void check_users(trial *s) {
    check_solid_user(s->world, s->solids, s->users[0]);
    check_source_user(s->world, s->sources, s->users[1]);
    check_body_user(s->world, s->bodies, s->users[2]);
    check_control_user(s->world, s->controls, s->users[3]);
}

static inline rill_result call_user(trial *s, int32_t slot) {
    void *user = (void *)(uintptr_t)fuzz_u8(&s->in);
    switch (fuzz_below(&s->in, 4)) {
    case 0: return set_solid_user(s->world, s->solids[slot], s->users[0], user);
    case 1: return set_source_user(s->world, s->sources[slot], s->users[1], user);
    case 2: return set_body_user(s->world, s->bodies[slot], s->users[2], user);
    default: return set_control_user(s->world, s->controls[slot], s->users[3], user);
    }
}

static inline void check_solid_mesh(const rill_world *world, rill_solid_id id) {
    rill_solid_mesh mesh;
    if (rill_solid_get_mesh(world, id, &mesh) != RILL_OK) return;
    for (size_t i = 0; i < 3 * mesh.triangle_count; ++i)
        FUZZ_CHECK(mesh.indices[i] < mesh.vertex_count, "index %u of %zu", mesh.indices[i], mesh.vertex_count);
    for (size_t i = 0; i < 3 * mesh.vertex_count; ++i) FUZZ_CHECK(isfinite(mesh.vertices[i]), "%g", mesh.vertices[i]);
}

/* Looks at everything there is a list of. */
static inline rill_result call_lists(trial *s) {
    check_solids(s->world);
    check_sources(s->world);
    check_bodys(s->world);
    check_controls(s->world);
    for (int i = 0; i < SLOTS; ++i) check_solid_mesh(s->world, s->solids[i]);
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- fields */

/* Compares parts of a field with all of it: bits, or what they round to. */
static inline void check_part(const trial *s, const rill_field_area *area, int32_t per_cell, const double *all,
                              const double *part, const float *floats) {
    for (int32_t y = area->low[1], i = 0; y < area->high[1]; ++y)
        for (int32_t x = area->low[0] * per_cell; x < area->high[0] * per_cell; ++x, ++i) {
            const double expected = all[y * s->cells[0] * per_cell + x];
            FUZZ_CHECK(memcmp(&part[i], &expected, sizeof expected) == 0, "%g, expected %g", part[i], expected);
            FUZZ_CHECK(isnan(expected) ? isnan(floats[i]) : floats[i] == (float)expected, "%g, expected %g",
                       (double)floats[i], expected);
        }
}

/* Mostly areas of the grid; some end before they begin, and some beyond it. */
static inline rill_field_area random_area(trial *s) {
    rill_field_area area = { .layer = fuzz_below(&s->in, 4) };
    for (int i = 0; i < 2; ++i) {
        area.low[i] = fuzz_below(&s->in, s->cells[i] + 1);
        area.high[i] = s->cells[i] - fuzz_below(&s->in, s->cells[i] + 1) + (fuzz_below(&s->in, 32) == 0);
    }
    return area;
}

static inline rill_result call_field(trial *s) {
    static double all[2 * WIDEST * MOST_CELLS], part[2 * WIDEST * MOST_CELLS];
    static float floats[2 * WIDEST * MOST_CELLS];
    const rill_field field = (rill_field)fuzz_below(&s->in, 8); /* one too many */
    const rill_field_area area = random_area(s);
    const int32_t per_cell = field == RILL_FIELD_VELOCITY || field == RILL_FIELD_FACES ? 2 : 1;
    const int64_t cells = (int64_t)(area.high[0] - area.low[0]) * (area.high[1] - area.low[1]);
    const size_t count = cells > 0 ? (size_t)(cells * per_cell) : 0;
    const size_t most = (size_t)s->cells[0] * (size_t)s->cells[1] * (size_t)per_cell;
    const rill_result whole = rill_world_read_field(s->world, field, area.layer, all, most);
    if (count > most) return RILL_OK; /* both ends are the wrong way round */
    const rill_result result = rill_world_read_field_area(s->world, field, &area, part, count);
    FUZZ_CHECK(rill_world_read_field_floats(s->world, field, &area, floats, count) == result, "not the same as floats");
    if (result == RILL_OK) {
        FUZZ_CHECK(whole == RILL_OK, "a part of what cannot be read");
        check_part(s, &area, per_cell, all, part, floats);
    }
    return result;
}

/* ---------------------------------------------------------------------------------------------------------- reports */

/* Accounts come to what the ledger says in all. */
static inline rill_result call_accounts(trial *s) {
    rill_ledger ledger;
    rill_step_info info;
    const rill_result result = rill_world_get_ledger(s->world, &ledger);
    if (result) return result;
    int64_t poured = 0, drained = 0;
    for (int32_t i = 0; i < rill_world_account_count(s->world); ++i) {
        rill_account account;
        FUZZ_CHECK(rill_world_get_account(s->world, i, &account) == RILL_OK && account.name, "no account %d", i);
        FUZZ_CHECK(account.poured >= 0 && account.drained >= 0, "%s: a negative volume", account.name);
        poured += account.poured;
        drained += account.drained;
    }
    FUZZ_CHECK(poured == ledger.poured && drained == ledger.drained, "accounts come to %lld poured, %lld drained",
               (long long)poured, (long long)drained);
    if (rill_world_get_step_info(s->world, &info) == RILL_OK)
        FUZZ_CHECK(info.substeps >= 0 && isfinite(info.max_speed), "speed %g", info.max_speed);
    return RILL_OK;
}

/* Tells that every event is of a kind that has a name, about one object of that kind, and in order. */
static inline rill_result call_events(trial *s) {
    int32_t before = 0;
    for (int32_t i = 0; i < rill_world_event_count(s->world); ++i) {
        rill_event event;
        FUZZ_CHECK(rill_world_get_event(s->world, i, &event) == RILL_OK, "no event %d", i);
        FUZZ_CHECK(rill_event_kind_name(event.kind) && event.time >= 0.0 && event.time <= 3600.0, "%g s", event.time);
        const int32_t order = event.source.value ? 0 : event.body.value ? 1 : 2;
        const int32_t about = !!event.source.value + !!event.body.value + !!event.solid.value;
        FUZZ_CHECK(about == 1 && order >= before, "event %d is about %d, order %d after %d", i, about, order, before);
        before = order;
    }
    return RILL_OK;
}

/* ------------------------------------------------------------------------------------------------------------- rays */

/* A hit lies on its ray, faces where that comes from, and is of a kind that was asked for. */
static inline void check_hit(const trial *s, const rill_ray *ray, uint32_t targets, const rill_ray_hit *hit) {
    const double length = sqrt(fuzz_square(ray->direction)), scale = hit->distance + s->extent;
    double facing = 0.0;
    if (hit->what == RILL_RAY_NOTHING) return;
    FUZZ_CHECK(((uint32_t)hit->what & targets) != 0, "%d of %u", (int)hit->what, targets);
    FUZZ_CHECK(hit->distance >= 0.0 && isfinite(hit->distance), "a hit at %g", hit->distance);
    FUZZ_CHECK(fabs(fuzz_square(hit->normal) - 1.0) < 1e-6, "a normal of %g", sqrt(fuzz_square(hit->normal)));
    for (int i = 0; i < 3; ++i) {
        const double along = ray->direction[i] / length, expected = ray->origin[i] + hit->distance * along;
        facing += along * hit->normal[i];
        FUZZ_CHECK(fabs(hit->point[i] - expected) <= 1e-6 * (scale + fabs(expected)), "%g, expected %g", hit->point[i],
                   expected);
    }
    FUZZ_CHECK(facing <= 1e-6, "it faces away by %g", facing);
    FUZZ_CHECK(!hit->solid.value || rill_solid_name(s->world, hit->solid), "a stale solid");
    FUZZ_CHECK(!hit->body.value || rill_body_name(s->world, hit->body), "a stale body");
}

static inline rill_result call_rays(trial *s) {
    rill_ray rays[2];
    rill_ray_hit hits[2];
    const uint32_t targets = (uint32_t)fuzz_below(&s->in, 16);
    for (int i = 0; i < 2; ++i) {
        fuzz_vector(&s->in, -0.2 * s->extent, 1.2 * s->extent, rays[i].origin);
        fuzz_vector(&s->in, -1.0, 1.0, rays[i].direction);
        if (fuzz_below(&s->in, 4) == 0) rays[i].direction[0] = rays[i].direction[1] = 0.0; /* straight down, or up */
    }
    const rill_result result = rill_query_rays(s->world, rays, 2, targets, hits);
    for (int i = 0; i < 2 && result == RILL_OK; ++i) check_hit(s, &rays[i], targets, &hits[i]);
    return result;
}

/* ---------------------------------------------------------------------------------------------------------- surface */

static inline rill_surface_def random_surface(fuzz_input *in) {
    rill_surface_def def = rill_default_surface_def();
    const uint8_t bits = fuzz_u8(in);
    def.form = bits & 1 ? RILL_SURFACE_GRIDS : RILL_SURFACE_MESH;
    def.floor = bits & 2;
    def.smooth_shores = bits & 4;
    def.skirts = bits & 8;
    def.distances = (bits & 0x30) == 0x30;
    def.falloff = (rill_falloff)(bits >> 6 & 1);
    def.meniscus = (rill_meniscus)fuzz_below(in, 4); /* one too many */
    if (bits & 128) def.opaque_depth = fuzz_double(in, 0.0, 0.01);
    return def;
}

/* A surface is built from whatever has become of the world since, or another one takes its place. */
static inline rill_result call_surface(trial *s) {
    rill_grid grid;
    rill_surface_info info;
    if (!s->surface || fuzz_below(&s->in, 8) == 0) {
        const rill_surface_def def = random_surface(&s->in);
        rill_surface_destroy(s->surface);
        s->surface = NULL;
        const rill_result result = rill_surface_create(s->world, &def, &s->surface);
        if (result) return result;
    }
    const rill_result result = rill_surface_build(s->surface);
    if (result) return result;
    rill_world_get_grid(s->world, &grid);
    FUZZ_CHECK(rill_surface_get_info(s->surface, &info) == RILL_OK, "a surface without info");
    const mesh_report report = mesh_check(s->surface, grid.cell_size);
    FUZZ_CHECK(!report.text[0], "%s", report.text);
    return RILL_OK;
}

#endif
