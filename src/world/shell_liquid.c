/* Liquid on shells: put there, and read. */
#include <math.h>
#include <string.h>

#include "base/power.h"
#include "base/vec.h"
#include "shape/contact_angle.h"
#include "waves/wetting.h"
#include "world/ids.h"
#include "world/world_shells.h"

int64_t rill_shells_quanta(const rill_world *world) {
    int64_t sum = 0;
    for (size_t i = 0; i < world->shells.count; ++i)
        if (rill_shell_slot_at(world, i)->alive) sum += rill_films_total(rill_shell_slot_at(world, i)->films);
    return sum;
}

static int64_t empty(rill_films *films, int32_t columns) {
    int64_t sum = 0;
    for (int32_t i = 0; i < columns; ++i) {
        const int64_t quanta = rill_films_quanta(films, i);
        if (quanta > 0) rill_films_give(films, i, -quanta);
        sum += quanta;
    }
    rill_films_stop(films);
    return sum;
}

int64_t rill_shells_empty(rill_world *world) {
    int64_t sum = 0;
    for (size_t i = 0; i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (slot->alive) sum += empty(slot->films, slot->shell->count);
    }
    return sum;
}

/* ---------------------------------------------------------------------------------------------------------------- fills */

/* Most that a column may be given: as deep as the shell is large, and no more than counts exactly. */
static double most_of(const rill_world *world, const rill_shell *shell, int32_t column) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) square += (shell->high[k] - shell->low[k]) * (shell->high[k] - shell->low[k]);
    return fmin(sqrt(square) * shell->area[column] / rill_world_quantum(world), 0x1p50);
}

static void give(rill_world *world, rill_shell_slot *slot, int32_t column, int64_t quanta) {
    rill_films_give(slot->films, column, quanta);
    rill_book_change(world, RILL_BOOK_FILL, quanta);
}

static void report_fill(const rill_world *world, int64_t columns, int64_t cut, int64_t quanta,
                        rill_fill_report *report) {
    if (report)
        *report = (rill_fill_report){ .columns = columns,
                                      .columns_cut = cut,
                                      .volume = (double)quanta * rill_world_quantum(world) };
}

rill_result rill_shell_fill_depths(rill_world *world, rill_shell_id id, const double *depths, size_t count,
                                   rill_fill_report *report) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!depths || count != (size_t)slot->shell->count)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "there are %zu depths; expected %d, one per column",
                         depths ? count : 0, slot->shell->count);
    for (size_t i = 0; i < count; ++i)
        if (depths[i] < 0.0 || isinf(depths[i]))
            return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                             "depths[%zu] is %g; expected no less than 0 m, or NaN to leave the column alone", i,
                             depths[i]);
    int64_t columns = 0, cut = 0, quanta = 0;
    for (int32_t i = 0; i < slot->shell->count; ++i) {
        if (isnan(depths[i])) continue;
        const double wanted = depths[i] * slot->shell->area[i] / rill_world_quantum(world);
        const double most = most_of(world, slot->shell, i);
        const int64_t there = (int64_t)(fmin(wanted, most) + 0.5);
        give(world, slot, i, there - rill_films_quanta(slot->films, i));
        columns += 1, cut += wanted > most, quanta += there;
    }
    rill_films_stop(slot->films);
    report_fill(world, columns, cut, quanta, report);
    return RILL_OK;
}

/* A drop that is being put down: columns within its radius that hang together with the one in its middle. */
typedef struct drop {
    int32_t *columns;
    double *heights; /* of the drop there, of a paraboloid of height 1 */
    uint8_t *seen;
    int32_t count;
    double radius, sum; /* m; of heights times areas, m2 */
} drop;

static double height_at(const rill_shell *shell, const drop *laid, int32_t middle, int32_t column) {
    double way[3];
    rill_vec_difference(shell->positions[column], shell->positions[middle], way);
    return 1.0 - rill_vec_dot(way, way) / (laid->radius * laid->radius);
}

/* Adds a column, unless it is in already. */
static void add(const rill_shell *shell, drop *laid, double height, int32_t column) {
    if (laid->seen[column]) return;
    laid->seen[column] = 1;
    laid->columns[laid->count] = column;
    laid->heights[laid->count++] = height;
    laid->sum += height * shell->area[column];
}

static void spread(const rill_shell *shell, drop *laid, int32_t middle) {
    add(shell, laid, 1.0, middle);
    for (int32_t next = 0; next < laid->count; ++next) {
        const int32_t i = laid->columns[next];
        for (int32_t at = shell->first[i]; at < shell->first[i + 1]; ++at) {
            const int32_t j = shell->neighbours[at];
            const double height = height_at(shell, laid, middle, j);
            if (height > 0.0) add(shell, laid, height, j);
        }
    }
}

/* The radius of a paraboloid of some volume that ends at an angle: V = pi r^3 tan(theta / 2) / 4. */
static double radius_of(double volume, const rill_contact_angle *angle) {
    const double mean = fmin(fmax(rill_contact_angle_mean(angle), 10.0), 120.0), half = 0.5 * rill_wetting_s(mean);
    const double tangent = half / sqrt(1.0 - half * half);
    return rill_power(4.0 * volume / (3.14159265358979323846 * tangent), 1.0 / 3.0);
}

static bool make_drop(const rill_world *world, const rill_shell_slot *slot, drop *laid) {
    const size_t count = (size_t)slot->shell->count;
    laid->columns = rill_alloc(&world->allocator, count, sizeof *laid->columns);
    laid->heights = rill_alloc(&world->allocator, count, sizeof *laid->heights);
    laid->seen = rill_alloc_zeroed(&world->allocator, count, sizeof *laid->seen);
    return laid->columns && laid->heights && laid->seen;
}

static void free_drop(const rill_world *world, const rill_shell_slot *slot, drop *laid) {
    const size_t count = (size_t)slot->shell->count;
    rill_free(&world->allocator, laid->columns, count, sizeof *laid->columns);
    rill_free(&world->allocator, laid->heights, count, sizeof *laid->heights);
    rill_free(&world->allocator, laid->seen, count, sizeof *laid->seen);
}

/* Deals out whole quanta; what rounding leaves gets the middle. */
static void deal_out(rill_world *world, rill_shell_slot *slot, const drop *laid, int64_t quanta) {
    int64_t left = quanta;
    for (int32_t k = laid->count - 1; k > 0; --k) {
        const double share = laid->heights[k] * slot->shell->area[laid->columns[k]] / laid->sum;
        const int64_t part = (int64_t)(share * (double)quanta);
        give(world, slot, laid->columns[k], part);
        left -= part;
    }
    give(world, slot, laid->columns[0], left);
}

rill_result rill_shell_fill_drop(rill_world *world, rill_shell_id id, const double at[3], double volume,
                                 rill_fill_report *report) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!at || !(isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2])))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "at is %s; expected a point", at ? "not finite" : "NULL");
    const double quanta = volume / rill_world_quantum(world);
    if (!(volume > 0.0 && quanta < 0x1p50))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "volume is %g m3; expected more than 0 and less than %g",
                         volume, rill_world_quantum(world) * 0x1p50);
    const rill_contact_angle *angle = rill_contact_angle_given(&slot->def.contact_angle)
                                          ? &slot->def.contact_angle
                                          : &world->def.liquid.contact_angle;
    drop laid = { .radius = fmax(radius_of(volume, angle), slot->shell->spacing) };
    const bool good = make_drop(world, slot, &laid);
    if (good) {
        double own[3];
        rill_shell_to_own(slot, at, own);
        spread(slot->shell, &laid, rill_shell_nearest(slot, own));
        deal_out(world, slot, &laid, (int64_t)(quanta + 0.5));
        report_fill(world, laid.count, 0, (int64_t)(quanta + 0.5), report);
    }
    free_drop(world, slot, &laid);
    return good ? RILL_OK : rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a drop");
}

/* ---------------------------------------------------------------------------------------------------------------- reading */

static rill_result check_out(const rill_world *world, const void *out, size_t count, size_t expected) {
    if (out && count == expected) return RILL_OK;
    return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out has room for %zu numbers; expected %zu", out ? count : 0,
                     expected);
}

rill_result rill_shell_get_mesh(const rill_world *world, rill_shell_id id, rill_shell_mesh *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the mesh");
    const rill_shell *shell = slot->shell;
    *out = (rill_shell_mesh){ &shell->positions[0][0], &shell->normals[0][0], shell->area, shell->count,
                              &shell->triangles[0][0], shell->triangle_count };
    return RILL_OK;
}

rill_result rill_shell_get_info(const rill_world *world, rill_shell_id id, rill_shell_info *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
    const rill_shell *shell = slot->shell;
    const int64_t quanta = rill_films_total(slot->films);
    *out = (rill_shell_info){ .columns = shell->count,
                              .triangles = shell->triangle_count,
                              .spacing = shell->spacing,
                              .area = shell->report.area,
                              .worst_angle = shell->report.worst_angle,
                              .smallest_limit = shell->report.smallest_limit,
                              .quanta = quanta,
                              .volume = (double)quanta * rill_world_quantum(world),
                              .awake_columns = (int64_t)rill_films_awake(slot->films) * RILL_SHELL_BLOCK,
                              .substeps = slot->substeps };
    return RILL_OK;
}

rill_result rill_shell_read_depths(const rill_world *world, rill_shell_id id, double *out, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    const rill_result result = check_out(world, out, count, (size_t)slot->shell->count);
    if (result) return result;
    for (int32_t i = 0; i < slot->shell->count; ++i) out[i] = rill_films_depth(slot->films, i);
    return RILL_OK;
}

static void read_velocity(const rill_shell_slot *slot, int32_t column, double out[3]) {
    double own[3];
    rill_films_flow(slot->films, column, own);
    rill_shell_turn_to_world(slot, own, out);
}

rill_result rill_shell_read_velocities(const rill_world *world, rill_shell_id id, double *out, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    const rill_result result = check_out(world, out, count, 3 * (size_t)slot->shell->count);
    if (result) return result;
    for (int32_t i = 0; i < slot->shell->count; ++i) read_velocity(slot, i, out + 3 * (size_t)i);
    return RILL_OK;
}

static rill_shell_sample sample_at(const rill_shell_slot *slot, const double point[3]) {
    double own[3];
    rill_shell_to_own(slot, point, own);
    rill_shell_sample sample = { .column = rill_shell_nearest(slot, own) };
    sample.wet = rill_films_is_wet(slot->films, sample.column);
    sample.depth = rill_films_depth(slot->films, sample.column);
    rill_shell_turn_to_world(slot, slot->shell->positions[sample.column], sample.position);
    for (int k = 0; k < 3; ++k) sample.position[k] += slot->placing.shift[k];
    rill_shell_turn_to_world(slot, slot->shell->normals[sample.column], sample.normal);
    read_velocity(slot, sample.column, sample.velocity);
    return sample;
}

rill_result rill_shell_query_points(const rill_world *world, rill_shell_id id, const double *points, size_t count,
                                    rill_shell_sample *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_shell_slot *slot = rill_world_shell(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (count > 0 && (!points || !out))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected an array for %zu points",
                         points ? "out" : "points", count);
    for (size_t i = 0; i < 3 * count; ++i)
        if (!isfinite(points[i]))
            return rill_fail(world->note, RILL_INVALID_ARGUMENT, "point %zu is (%g, %g, %g); expected finite numbers",
                             i / 3, points[i / 3 * 3], points[i / 3 * 3 + 1], points[i / 3 * 3 + 2]);
    for (size_t i = 0; i < count; ++i) out[i] = sample_at(slot, points + 3 * i);
    return RILL_OK;
}
