/* Shells of a world, by id. */
#include "world/world_shells.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "shape/constants.h"
#include "shape/contact_angle.h"
#include "shape/shape_def.h"
#include "waves/wetting.h"
#include "world/ids.h"

/* Where there is no grid: quanta of columns as far apart as those of the first shell are 2^-23 of that deep. */
static const double FINEST = 1.1920928955078125e-07;

static rill_shell_id id_of(const rill_world *world, size_t index, uint16_t generation) {
    return (rill_shell_id){ rill_id_of(world, index, generation) };
}

rill_shell_slot *rill_world_shell(const rill_world *world, rill_shell_id id) {
    const size_t index = rill_id_slot(id.value);
    if (index < world->shells.count) {
        rill_shell_slot *slot = rill_shell_slot_at(world, index);
        if (slot->alive && rill_id_names(world, id.value, slot->generation)) return slot;
    }
    rill_id_refuse(world, "shell", id.value, world->shells.count);
    return NULL;
}

rill_shell_id rill_shell_find(const rill_world *world, const char *name) {
    if (!world || !name || !*name) return (rill_shell_id){ 0 };
    for (size_t i = 0; i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (slot->alive && strcmp(slot->name, name) == 0) return id_of(world, i, slot->generation);
    }
    return (rill_shell_id){ 0 };
}

const char *rill_shell_name(const rill_world *world, rill_shell_id id) {
    const rill_shell_slot *slot = world ? rill_world_shell(world, id) : NULL;
    return slot ? slot->name : NULL;
}

int32_t rill_world_shell_count(const rill_world *world) {
    int32_t count = 0;
    for (size_t i = 0; world && i < world->shells.count; ++i) count += rill_shell_slot_at(world, i)->alive;
    return count;
}

rill_shell_id rill_world_shell_at(const rill_world *world, int32_t index) {
    for (size_t i = 0; world && index >= 0 && i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (slot->alive && index-- == 0) return id_of(world, i, slot->generation);
    }
    return (rill_shell_id){ 0 };
}

void *rill_shell_user_data(const rill_world *world, rill_shell_id id) {
    const rill_shell_slot *slot = world ? rill_world_shell(world, id) : NULL;
    return slot ? slot->user : NULL;
}

rill_result rill_shell_set_user_data(rill_world *world, rill_shell_id id, void *user) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    slot->user = user;
    return RILL_OK;
}

double rill_world_quantum(const rill_world *world) {
    return world->built ? rill_quantum_volume(&world->bed) : world->shell_quantum;
}

/* ---------------------------------------------------------------------------------------------------------------- check */

static const char *name_of(const rill_shell_def *def) {
    return def->name && def->name[0] ? def->name : "(nameless)";
}

static rill_shell_input input_of(const rill_shell_def *def) {
    return (rill_shell_input){ .name = name_of(def),
                               .vertices = def->vertices,
                               .vertex_count = def->vertex_count,
                               .indices = def->indices,
                               .triangle_count = def->triangle_count,
                               .scale = def->scale,
                               .inside = def->inside };
}

rill_result rill_check_shell_def(const rill_world *world, const rill_shell_def *def) {
    const rill_shape_rules rules = { .whose = "shell", .name = name_of(def) };
    const rill_shell_input input = input_of(def);
    rill_result result = rill_check_name("shell", def->name, world->note);
    if (!result) result = rill_shape_check_vector(&rules, "rotate", def->rotate, 1e6, world->note);
    if (!result) result = rill_shape_check_vector(&rules, "translate", def->translate, 1e7, world->note);
    if (!result && rill_contact_angle_given(&def->contact_angle))
        result = rill_contact_angle_check("shell.", &def->contact_angle, world->note);
    if (!result) result = rill_shell_check(&input, world->note);
    for (size_t v = 0; !result && def->contact_angles && v < def->vertex_count; ++v)
        if (!(def->contact_angles[v] >= 0.0 && def->contact_angles[v] <= 180.0))
            result = rill_fail(world->note, RILL_INVALID_ARGUMENT,
                               "shell %.64s: contact_angles[%zu] is %g; expected 0 to 180 degrees", name_of(def), v,
                               def->contact_angles[v]);
    return result;
}

/* The first slot that may be used, which may be one that is not there yet. */
static size_t free_slot(const rill_world *world) {
    size_t index = 0;
    while (index < world->shells.count && (rill_shell_slot_at(world, index)->alive ||
                                           rill_shell_slot_at(world, index)->generation == RILL_GENERATION_MAX))
        index += 1;
    return index;
}

static rill_result check_new(const rill_world *world, const rill_shell_def *def) {
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    rill_result result = rill_world_has_grid(world) ? rill_world_need_bed(world, "rill_shell_create") : RILL_OK;
    if (!result) result = rill_check_shell_def(world, def);
    if (result) return result;
    if (rill_shell_find(world, def->name).value)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "shell.name is \"%.64s\", which another shell has already",
                         def->name);
    if (free_slot(world) >= RILL_SLOTS_MAX)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %zu shells; expected at most %d", world->shells.count,
                         RILL_SLOTS_MAX);
    return RILL_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- make */

static void *copy_of(const rill_allocator *allocator, const void *from, size_t count, size_t size) {
    void *copy = from ? rill_alloc(allocator, count, size) : NULL;
    if (copy) memcpy(copy, from, count * size);
    return copy;
}

static bool copy_def(const rill_shell_def *def, const rill_allocator *allocator, rill_shell_slot *slot) {
    slot->def = *def;
    slot->def.name = slot->name = rill_string_copy(allocator, def->name);
    slot->def.vertices = copy_of(allocator, def->vertices, def->vertex_count, 3 * sizeof *def->vertices);
    slot->def.indices = copy_of(allocator, def->indices, def->triangle_count, 3 * sizeof *def->indices);
    slot->def.contact_angles = copy_of(allocator, def->contact_angles, def->vertex_count, sizeof *def->contact_angles);
    return slot->name && slot->def.vertices && slot->def.indices && (slot->def.contact_angles || !def->contact_angles);
}

static void place(rill_shell_slot *slot) {
    rill_solid_def def = { .scale = 1.0 };
    memcpy(def.rotate, slot->def.rotate, sizeof def.rotate);
    memcpy(def.translate, slot->def.translate, sizeof def.translate);
    slot->placing = rill_placing_of(&def);
}

static rill_triangles triangles_of(const rill_shell *shell) {
    return (rill_triangles){ &shell->positions[0][0], &shell->triangles[0][0], (size_t)shell->triangle_count };
}

/* The largest power of two that is no more than a number. */
static double power_below(double number) {
    int exponent;
    frexp(number, &exponent);
    return ldexp(0.5, exponent);
}

static double quantum_for(const rill_world *world, const rill_shell *shell) {
    const double l = shell->spacing, known = rill_world_quantum(world);
    return known > 0.0 ? known : power_below(l * l * l) * FINEST;
}

rill_result rill_shell_slot_make(const rill_world *world, const rill_shell_def *def, rill_shell_slot *out) {
    const rill_shell_input input = input_of(def);
    rill_shell_slot slot = { .alive = true };
    rill_result result = copy_def(def, &world->allocator, &slot)
                             ? rill_shell_make(&input, &world->allocator, &slot.shell, world->note)
                             : rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for shell %.64s", name_of(def));
    if (!result)
        result =
            rill_films_make(slot.shell, quantum_for(world, slot.shell), &world->def.runtime, &slot.films, world->note);
    if (!result) {
        const rill_triangles triangles = triangles_of(slot.shell);
        if (!rill_ray_tree_make(&slot.tree, &triangles, &world->allocator))
            result = rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for boxes around the triangles of a shell");
    }
    if (result) {
        rill_shell_slot_free(&slot, &world->allocator);
        return result;
    }
    place(&slot);
    slot.wetted_by = (rill_contact_angle){ -1.0, -1.0 };
    rill_shell_wet(world, &slot);
    *out = slot;
    return RILL_OK;
}

void rill_shell_slot_free(rill_shell_slot *slot, const rill_allocator *allocator) {
    rill_ray_tree_free(&slot->tree, allocator);
    rill_films_free(slot->films, allocator);
    rill_shell_free(slot->shell, allocator);
    rill_free(allocator, (void *)(uintptr_t)slot->def.vertices, slot->def.vertex_count, 3 * sizeof(float));
    rill_free(allocator, (void *)(uintptr_t)slot->def.indices, slot->def.triangle_count, 3 * sizeof(uint32_t));
    rill_free(allocator, (void *)(uintptr_t)slot->def.contact_angles, slot->def.vertex_count, sizeof(double));
    rill_string_free(allocator, slot->name);
    *slot = (rill_shell_slot){ .generation = slot->generation };
}

void rill_world_free_shells(rill_world *world) {
    for (size_t i = 0; i < world->shells.count; ++i) {
        rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (slot->alive) rill_shell_slot_free(slot, &world->allocator);
    }
    rill_array_free(&world->shells, &world->allocator);
}

rill_result rill_shell_create(rill_world *world, const rill_shell_def *def, rill_shell_id *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = check_new(world, def);
    if (result) return result;
    const size_t index = free_slot(world);
    rill_shell_slot slot;
    result = rill_shell_slot_make(world, def, &slot);
    if (result) return result;
    if (index == world->shells.count && !rill_array_resize(&world->shells, &world->allocator, index + 1)) {
        rill_shell_slot_free(&slot, &world->allocator);
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for shell %.64s", name_of(def));
    }
    slot.generation = (uint16_t)(rill_shell_slot_at(world, index)->generation + 1);
    if (rill_world_quantum(world) == 0.0) world->shell_quantum = quantum_for(world, slot.shell);
    *rill_shell_slot_at(world, index) = slot;
    if (out) *out = id_of(world, index, slot.generation);
    return RILL_OK;
}

rill_result rill_shell_destroy(rill_world *world, rill_shell_id id) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    const int32_t book = rill_book_open(world, "emptied");
    if (book < 0) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for an account of what is emptied");
    rill_book_change(world, book, -rill_films_total(slot->films));
    rill_shell_slot_free(slot, &world->allocator);
    return RILL_OK;
}

rill_result rill_shell_set_pose(rill_world *world, rill_shell_id id, const double translate[3],
                                const double rotate[3]) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!translate || !rotate)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected three numbers",
                         translate ? "rotate" : "translate");
    const rill_shape_rules rules = { .whose = "shell", .name = name_of(&slot->def) };
    rill_result result = rill_shape_check_vector(&rules, "translate", translate, 1e7, world->note);
    if (!result) result = rill_shape_check_vector(&rules, "rotate", rotate, 1e6, world->note);
    if (result) return result;
    memcpy(slot->def.translate, translate, sizeof slot->def.translate);
    memcpy(slot->def.rotate, rotate, sizeof slot->def.rotate);
    place(slot);
    return RILL_OK;
}

rill_result rill_shell_get_pose(const rill_world *world, rill_shell_id id, double translate[3], double rotate[3]) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!translate || !rotate)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected a place for three numbers",
                         translate ? "rotate" : "translate");
    memcpy(translate, slot->def.translate, sizeof slot->def.translate);
    memcpy(rotate, slot->def.rotate, sizeof slot->def.rotate);
    return RILL_OK;
}

/* --------------------------------------------------------------------------------------------------------------- frames */

void rill_shell_turn_to_own(const rill_shell_slot *slot, const double direction[3], double out[3]) {
    for (int k = 0; k < 3; ++k) {
        const double column[3] = { slot->placing.turn[0][k], slot->placing.turn[1][k], slot->placing.turn[2][k] };
        out[k] = rill_vec_dot(column, direction);
    }
}

void rill_shell_turn_to_world(const rill_shell_slot *slot, const double direction[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = rill_vec_dot(slot->placing.turn[k], direction);
}

void rill_shell_to_own(const rill_shell_slot *slot, const double point[3], double out[3]) {
    double from[3];
    rill_vec_difference(point, slot->placing.shift, from);
    rill_shell_turn_to_own(slot, from, out);
}

static double square_to(const rill_shell *shell, int32_t column, const double own[3]) {
    double way[3];
    rill_vec_difference(shell->positions[column], own, way);
    return rill_vec_dot(way, way);
}

int32_t rill_shell_nearest(const rill_shell_slot *slot, const double own[3]) {
    int32_t nearest = 0;
    double least = square_to(slot->shell, 0, own);
    for (int32_t i = 1; i < slot->shell->count; ++i) {
        const double square = square_to(slot->shell, i, own);
        if (square < least) least = square, nearest = i;
    }
    return nearest;
}

bool rill_shell_cast(const rill_shell_slot *slot, const rill_ray_line *line, double *distance, int32_t *column,
                     double normal[3]) {
    const rill_triangles triangles = triangles_of(slot->shell);
    rill_ray_line own;
    uint32_t triangle;
    rill_shell_to_own(slot, line->origin, own.origin);
    rill_shell_turn_to_own(slot, line->direction, own.direction);
    if (!rill_ray_tree_cast(&slot->tree, &triangles, &own, distance, &triangle)) return false;
    double at[3], ab[3], ac[3], cross[3];
    const uint32_t *v = slot->shell->triangles[triangle];
    for (int k = 0; k < 3; ++k) at[k] = own.origin[k] + *distance * own.direction[k];
    *column = (int32_t)v[0];
    for (int k = 1; k < 3; ++k)
        if (square_to(slot->shell, (int32_t)v[k], at) < square_to(slot->shell, *column, at)) *column = (int32_t)v[k];
    rill_vec_difference(slot->shell->positions[v[1]], slot->shell->positions[v[0]], ab);
    rill_vec_difference(slot->shell->positions[v[2]], slot->shell->positions[v[0]], ac);
    rill_vec_cross(ab, ac, cross);
    const double length = sqrt(rill_vec_dot(cross, cross));
    for (int k = 0; k < 3; ++k) cross[k] /= length > 0.0 ? length : 1.0;
    rill_shell_turn_to_world(slot, cross, normal);
    return true;
}

/* --------------------------------------------------------------------------------------------------------------- wetting */

/* The mean angle that is painted where a column stands. */
static double painted(const rill_shell_slot *slot, int32_t column) {
    const rill_shell_origin *origin = &slot->shell->origins[column];
    double angle = 0.0;
    for (size_t k = 0; k < 3; ++k)
        if (origin->shares[k] > 0.0f)
            angle += (double)origin->shares[k] *
                     slot->def.contact_angles[slot->def.indices[3 * (size_t)origin->triangle + k]];
    return angle;
}

void rill_shell_wet(const rill_world *world, rill_shell_slot *slot) {
    const rill_contact_angle *liquid = &world->def.liquid.contact_angle;
    if (slot->wetted_by.advancing == liquid->advancing && slot->wetted_by.receding == liquid->receding) return;
    slot->wetted_by = *liquid;
    const rill_contact_angle own =
        rill_contact_angle_given(&slot->def.contact_angle) ? slot->def.contact_angle : *liquid;
    for (int32_t i = 0; i < slot->shell->count; ++i) {
        const rill_contact_angle angle =
            slot->def.contact_angles ? rill_contact_angle_around(painted(slot, i), &own) : own;
        rill_films_set_wetting(slot->films, i, rill_wetting_s(angle.advancing), rill_wetting_s(angle.receding));
    }
}
