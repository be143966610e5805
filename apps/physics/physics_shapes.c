/* Shapes of the engine for bodies and solids.
 *
 * Simple shapes stay what they are: contacts with them are better than those with their triangles. Heightmaps become
 * height fields, all else triangle meshes. The engine keeps pointers into the arrays that it is given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics_internal.h"
#include "scene/turn.h"

void rill_geom_free(rill_geom *geom) {
    if (geom->id) dGeomDestroy(geom->id);
    if (geom->mesh) dGeomTriMeshDataDestroy(geom->mesh);
    if (geom->heights) dGeomHeightfieldDataDestroy(geom->heights);
    free(geom->points);
    free(geom->planes);
    free(geom->faces);
    *geom = (rill_geom){ 0 };
}

/* ---------------------------------------------------------------------------------------------------------- meshes */

/* Vertices in the engine's units, and indices: `lead` numbers before those of each triangle are the count of its
 * corners. */
static bool take_triangles(rill_geom *out, const double *vertices, size_t vertex_count, const uint32_t *indices,
                           size_t triangle_count, double unit, size_t lead) {
    out->points = malloc((3 * vertex_count + 1) * sizeof *out->points);
    out->faces = malloc(((3 + lead) * triangle_count + 1) * sizeof *out->faces);
    if (!out->points || !out->faces) return false;
    for (size_t i = 0; i < 3 * vertex_count; ++i) out->points[i] = vertices[i] / unit;
    unsigned *face = out->faces;
    for (size_t i = 0; i < 3 * triangle_count; ++i) {
        if (lead && i % 3 == 0) *face++ = 3;
        *face++ = indices[i];
    }
    return true;
}

static bool make_mesh(const double *vertices, size_t vertex_count, const uint32_t *indices, size_t triangle_count,
                      double unit, rill_geom *out) {
    if (triangle_count == 0) return true;
    if (!take_triangles(out, vertices, vertex_count, indices, triangle_count, unit, 0)) return false;
    out->mesh = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(out->mesh, out->points, 3 * sizeof *out->points, (int)vertex_count, out->faces,
                                (int)(3 * triangle_count), 3 * sizeof *out->faces);
    dGeomTriMeshDataPreprocess2(
        out->mesh, (1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES) | (1U << dTRIDATAPREPROCESS_BUILD_CONCAVE_EDGES), NULL);
    out->id = dCreateTriMesh(NULL, out->mesh, NULL, NULL, NULL);
    return true;
}

/* A convex body: its faces as planes n.x = d with outward normals. */
static bool make_convex(const rill_body_info *info, double unit, rill_geom *out) {
    size_t count = info->triangle_count;
    out->planes = malloc((4 * count + 1) * sizeof *out->planes);
    if (!out->planes || !take_triangles(out, info->vertices, info->vertex_count, info->indices, count, unit, 1))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const double *a = out->points + 3 * info->indices[3 * i], *b = out->points + 3 * info->indices[3 * i + 1];
        const double *c = out->points + 3 * info->indices[3 * i + 2];
        double *n = out->planes + 4 * i;
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            n[k] = (b[l] - a[l]) * (c[m] - a[m]) - (b[m] - a[m]) * (c[l] - a[l]);
        }
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; ++k) n[k] /= length;
        n[3] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
    }
    out->id = dCreateConvex(NULL, out->planes, (unsigned)count, out->points, (unsigned)info->vertex_count, out->faces);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- bodies */

/* Simple shapes have their centre of mass in the middle unless somebody has put it elsewhere. */
static bool is_centred(const rill_body_info *info) {
    return info->middle[0] == 0 && info->middle[1] == 0 && info->middle[2] == 0;
}

bool rill_geom_of_body(rill_physics *physics, const rill_body_info *info, rill_geom *out) {
    const double unit = physics->unit, radius = info->radius / unit, length = info->length / unit;
    rill_shape shape = info->shape != RILL_SHAPE_MESH && !is_centred(info) ? RILL_SHAPE_HULL : info->shape;
    switch (shape) {
    case RILL_SHAPE_SPHERE: out->id = dCreateSphere(NULL, radius); return true;
    case RILL_SHAPE_BOX:
        out->id = dCreateBox(NULL, info->size[0] / unit, info->size[1] / unit, info->size[2] / unit);
        return true;
    case RILL_SHAPE_CAPSULE: out->id = dCreateCapsule(NULL, radius, length); return true;
    case RILL_SHAPE_CYLINDER: out->id = dCreateCylinder(NULL, radius, length); return true;
    case RILL_SHAPE_HULL: return make_convex(info, unit, out);
    default: return make_mesh(info->vertices, info->vertex_count, info->indices, info->triangle_count, unit, out);
    }
}

/* ---------------------------------------------------------------------------------------------------------- solids */

/* A point of a solid where the solid is now: scaled, turned, moved, in the engine's units. */
static void placed(const rill_physics *physics, const rill_physics_solid *solid, const double turn[4],
                   const double point[3], double out[3]) {
    double scaled[3];
    for (int i = 0; i < 3; ++i) scaled[i] = point[i] * solid->source->def.scale;
    rill_turn_vector(turn, scaled, out);
    for (int i = 0; i < 3; ++i) out[i] = (out[i] + solid->translate[i]) / physics->unit;
}

static dGeomID make_cylinder(const double from[3], const double to[3], double radius) {
    double axis[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] };
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    dGeomID id = dCreateCylinder(NULL, radius, length);
    dMatrix3 turn;
    dRFromZAxis(turn, axis[0], axis[1], axis[2]);
    dGeomSetRotation(id, turn);
    dGeomSetPosition(id, (from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2);
    return id;
}

/* Samples are in the middle of their cells, one more on either side has the value of its neighbour. The engine's fields
 * have y up and rows along z: turned by 90 degrees about x, rows run southwards. */
static bool make_heights(rill_physics *physics, const rill_solid_def *def, rill_geom *out) {
    const rill_grid *grid = &physics->scene->world.grid;
    int nx = def->shape.heights_size[0], ny = def->shape.heights_size[1], wide = nx + 2, deep = ny + 2;
    double *heights = malloc((size_t)wide * (size_t)deep * sizeof *heights);
    if (!heights) return false;
    for (int row = 0; row < deep; ++row) {
        int y = deep - 2 - row, j = y < 0 ? 0 : y < ny ? y : ny - 1;
        for (int column = 0; column < wide; ++column) {
            int x = column - 1, i = x < 0 ? 0 : x < nx ? x : nx - 1;
            heights[row * wide + column] = def->shape.heights[(size_t)j * (size_t)nx + (size_t)i] / physics->unit;
        }
    }
    double size[2];
    for (int i = 0; i < 2; ++i) size[i] = grid->cells[i] * grid->cell_size / physics->unit;
    out->heights = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(out->heights, heights, 1, size[0] * (nx + 1) / nx, size[1] * (ny + 1) / ny, wide,
                                    deep, 1, 0, 1, 0);
    free(heights);
    out->id = dCreateHeightfield(NULL, out->heights, 1);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 1, 0, 0, acos(-1.0) / 2);
    dGeomSetRotation(out->id, turn);
    dGeomSetPosition(out->id, grid->origin[0] / physics->unit + size[0] / 2,
                     grid->origin[1] / physics->unit + size[1] / 2, grid->origin[2] / physics->unit);
    return true;
}

static bool make_triangles(rill_physics *physics, const rill_physics_solid *solid, rill_geom *out) {
    rill_solid_mesh mesh;
    return rill_solid_get_mesh(physics->world, solid->id, &mesh) == RILL_OK &&
           make_mesh(mesh.vertices, mesh.vertex_count, mesh.indices, mesh.triangle_count, physics->unit, out);
}

static void make_box(rill_physics *physics, const rill_physics_solid *solid, const double turn[4], rill_geom *out) {
    const rill_solid_def *def = &solid->source->def;
    const double scale = def->scale / physics->unit;
    double middle[3], at[3], size[3];
    for (int i = 0; i < 3; ++i) {
        middle[i] = (def->shape.min[i] + def->shape.max[i]) / 2;
        size[i] = (def->shape.max[i] - def->shape.min[i]) * scale;
    }
    placed(physics, solid, turn, middle, at);
    out->id = dCreateBox(NULL, size[0], size[1], size[2]);
    dGeomSetPosition(out->id, at[0], at[1], at[2]);
    dGeomSetQuaternion(out->id, (const dReal[4]){ turn[3], turn[0], turn[1], turn[2] });
}

bool rill_geom_of_solid(rill_physics *physics, const rill_physics_solid *solid, rill_geom *out) {
    if (!solid->source) return make_triangles(physics, solid, out);
    const rill_solid_def *def = &solid->source->def;
    const double radius = def->shape.radius * def->scale / physics->unit;
    double turn[4], a[3], b[3];
    rill_turn_of(solid->rotate, turn);
    switch (def->shape.type) {
    case RILL_SHAPE_BOX: make_box(physics, solid, turn, out); return true;
    case RILL_SHAPE_SPHERE:
        placed(physics, solid, turn, def->shape.centre, a);
        out->id = dCreateSphere(NULL, radius);
        dGeomSetPosition(out->id, a[0], a[1], a[2]);
        return true;
    case RILL_SHAPE_CYLINDER:
        placed(physics, solid, turn, def->shape.from, a);
        placed(physics, solid, turn, def->shape.to, b);
        out->id = make_cylinder(a, b, radius);
        return true;
    case RILL_SHAPE_PLANE: {
        double length = sqrt(def->shape.axis[0] * def->shape.axis[0] + def->shape.axis[1] * def->shape.axis[1] +
                             def->shape.axis[2] * def->shape.axis[2]);
        placed(physics, solid, turn, def->shape.point, a);
        rill_turn_vector(turn, def->shape.axis, b);
        double distance = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / length;
        out->id = dCreatePlane(NULL, b[0] / length, b[1] / length, b[2] / length, distance);
        return true;
    }
    case RILL_SHAPE_HEIGHTMAP: return make_heights(physics, def, out);
    default: return make_triangles(physics, solid, out);
    }
}
