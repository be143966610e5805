/* Primitive solids and vertical lines: where the line at (x, y) enters and leaves a box, sphere, cylinder, capsule,
 * torus or plane, exactly, in world space.
 *
 * A line is written q = (dx, dy, t) relative to the solid's centre. With the unit axis a and h(t) = h0 + t a_z the
 * height along it:
 *     cylinder  |h| <= half length  and  |q|^2 - h^2 <= r^2                        a slab and a quadratic
 *     torus     (|q|^2 + R^2 - r^2)^2 = 4 R^2 (|q|^2 - h^2)                        t^4 + p t^2 + q t + s = 0
 * The quartic's roots are bracketed between its critical points, and those between the critical points of its
 * derivative: no closed formula, no cancellation, no missed root. */
#include "base/assert.h"
#include "base/vec.h"
#include "shape/solid.h"

#include <math.h>

static const double DEGREE = 0.017453292519943295769;

/* Taylor series on [-45, 45] degrees, good to the last bit but one. */
void rill_sin_cos(double degrees, double *sine, double *cosine) {
    double turn = fmod(degrees, 360.0);
    int quarter = (int)floor(turn / 90.0 + 0.5);
    double x = (turn - 90.0 * quarter) * DEGREE, xx = x * x;
    double s = 0.0, c = 0.0;
    for (int n = 20; n >= 2; n -= 2) {
        s = (1.0 + s) * (-xx / (double)(n * (n + 1)));
        c = (1.0 + c) * (-xx / (double)(n * (n - 1)));
    }
    s = x * (1.0 + s);
    c = 1.0 + c;
    switch (quarter & 3) {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
    RILL_ASSERT(fabs(s * s + c * c - 1.0) < 1e-14);
}

rill_placing rill_placing_of(const rill_solid_def *def) {
    double sx, cx, sy, cy, sz, cz;
    rill_sin_cos(def->rotate[0], &sx, &cx);
    rill_sin_cos(def->rotate[1], &sy, &cy);
    rill_sin_cos(def->rotate[2], &sz, &cz);
    return (rill_placing){ .scale = def->scale, /* turn = Rz Ry Rx */
                           .turn = { { cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx },
                                     { sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx },
                                     { -sy, cy * sx, cy * cx } },
                           .shift = { def->translate[0], def->translate[1], def->translate[2] } };
}

static void turn_vector(const rill_placing *placing, const double in[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = rill_vec_dot(placing->turn[i], in);
}

void rill_placing_point(const rill_placing *placing, const double in[3], double out[3]) {
    double scaled[3] = { in[0] * placing->scale, in[1] * placing->scale, in[2] * placing->scale };
    turn_vector(placing, scaled, out);
    for (int i = 0; i < 3; ++i) out[i] += placing->shift[i];
}

/* Divides by the largest member first, so that no square overflows or vanishes. */
static void unit_vector(const double in[3], double out[3]) {
    double largest = fmax(fabs(in[0]), fmax(fabs(in[1]), fabs(in[2])));
    double v[3] = { in[0] / largest, in[1] / largest, in[2] / largest };
    double length = sqrt(rill_vec_dot(v, v));
    RILL_ASSERT(length >= 1.0 && length < 2.0); /* false for what has no direction */
    for (int i = 0; i < 3; ++i) out[i] = v[i] / length;
}

static void make_box(rill_primitive *primitive, const rill_solid_def *def, const rill_placing *placing) {
    double middle[3], sum[3] = { 0 };
    primitive->aligned = true;
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * (def->shape.min[k] + def->shape.max[k]);
        primitive->half[k] = 0.5 * (def->shape.max[k] - def->shape.min[k]) * placing->scale;
        for (int i = 0; i < 3; ++i) {
            primitive->axes[k][i] = placing->turn[i][k];
            sum[i] += fabs(placing->turn[i][k]) * primitive->half[k];
            primitive->aligned = primitive->aligned && (placing->turn[i][k] == 0.0 || fabs(placing->turn[i][k]) == 1.0);
        }
    }
    rill_placing_point(placing, middle, primitive->centre);
    double a[3], b[3];
    rill_placing_point(placing, def->shape.min, a);
    rill_placing_point(placing, def->shape.max, b);
    for (int i = 0; i < 3; ++i) {
        /* An aligned box keeps its corners to the bit: boxes that share a face then leave no gap between them. */
        primitive->low[i] = primitive->aligned ? fmin(a[i], b[i]) : primitive->centre[i] - sum[i];
        primitive->high[i] = primitive->aligned ? fmax(a[i], b[i]) : primitive->centre[i] + sum[i];
        RILL_ASSERT(primitive->low[i] <= primitive->high[i]);
    }
}

static void make_cylinder(rill_primitive *primitive, const rill_solid_def *def, const rill_placing *placing) {
    double a[3], b[3], along[3];
    rill_placing_point(placing, def->shape.from, a);
    rill_placing_point(placing, def->shape.to, b);
    for (int i = 0; i < 3; ++i) {
        along[i] = b[i] - a[i];
        primitive->centre[i] = 0.5 * (a[i] + b[i]);
    }
    unit_vector(along, primitive->axes[2]);
    primitive->half[2] = 0.5 * rill_vec_dot(along, primitive->axes[2]);
    primitive->radius = def->shape.radius * placing->scale;
    for (int i = 0; i < 3; ++i) {
        double cosine = primitive->axes[2][i];
        double reach = primitive->radius * sqrt(fmax(0.0, 1.0 - cosine * cosine));
        primitive->low[i] = fmin(a[i], b[i]) - reach;
        primitive->high[i] = fmax(a[i], b[i]) + reach;
        RILL_ASSERT(primitive->low[i] <= primitive->high[i]);
    }
}

/* A cylinder with half a ball at either end. */
static void make_capsule(rill_primitive *primitive, const rill_solid_def *def, const rill_placing *placing) {
    make_cylinder(primitive, def, placing);
    for (int i = 0; i < 3; ++i) {
        const double reach = primitive->half[2] * fabs(primitive->axes[2][i]) + primitive->radius;
        primitive->low[i] = primitive->centre[i] - reach;
        primitive->high[i] = primitive->centre[i] + reach;
    }
}

static void make_round(rill_primitive *primitive, const rill_solid_def *def, const rill_placing *placing) {
    rill_placing_point(placing, def->shape.centre, primitive->centre);
    primitive->radius = def->shape.radius * placing->scale;
    primitive->tube = 0.0;
    if (def->shape.type == RILL_SHAPE_TORUS) {
        double axis[3];
        unit_vector(def->shape.axis, axis);
        turn_vector(placing, axis, primitive->axes[2]);
        primitive->tube = def->shape.tube * placing->scale;
    }
    for (int i = 0; i < 3; ++i) {
        double cosine = primitive->axes[2][i];
        double reach = primitive->tube + primitive->radius * sqrt(fmax(0.0, 1.0 - cosine * cosine));
        primitive->low[i] = primitive->centre[i] - reach;
        primitive->high[i] = primitive->centre[i] + reach;
        RILL_ASSERT(primitive->low[i] <= primitive->high[i]);
    }
}

void rill_primitive_make(rill_solid *solid) {
    const rill_solid_def *def = &solid->def;
    rill_primitive *primitive = &solid->primitive;
    for (int i = 0; i < 3; ++i) primitive->low[i] = -INFINITY, primitive->high[i] = INFINITY;
    if (def->shape.type == RILL_SHAPE_HEIGHTMAP) return; /* its rotation is ignored, so it may be anything */
    rill_placing placing = rill_placing_of(def);
    switch (def->shape.type) {
    case RILL_SHAPE_BOX: make_box(primitive, def, &placing); break;
    case RILL_SHAPE_SPHERE:
    case RILL_SHAPE_TORUS: make_round(primitive, def, &placing); break;
    case RILL_SHAPE_CYLINDER: make_cylinder(primitive, def, &placing); break;
    case RILL_SHAPE_CAPSULE: make_capsule(primitive, def, &placing); break;
    case RILL_SHAPE_PLANE: {
        double normal[3];
        unit_vector(def->shape.axis, normal);
        turn_vector(&placing, normal, primitive->axes[2]);
        if (primitive->axes[2][2] < 0.0) /* below a plane is below it, however it was turned */
            for (int i = 0; i < 3; ++i) primitive->axes[2][i] = -primitive->axes[2][i];
        rill_placing_point(&placing, def->shape.point, primitive->centre);
        break;
    }
    case RILL_SHAPE_MESH:
    case RILL_SHAPE_HULL:
    case RILL_SHAPE_HEIGHTMAP: break;
    }
}

/* Narrows [*low, *high] to where |offset + t * slope| <= half; a slope of nearly nothing asks the offset alone. */
static bool clip_slab(double offset, double slope, double half, double *low, double *high) {
    if (fabs(slope) < 1e-15) return fabs(offset) <= half;
    double a = (-half - offset) / slope, b = (half - offset) / slope;
    *low = fmax(*low, fmin(a, b));
    *high = fmin(*high, fmax(a, b));
    return *low <= *high;
}

static int cross_box(const rill_primitive *primitive, double x, double y, double *low, double *high) {
    if (primitive->aligned) {
        /* Half-open, so that of two boxes side by side exactly one owns a centre on their common face. */
        if (!(x >= primitive->low[0] && x < primitive->high[0] && y >= primitive->low[1] && y < primitive->high[1]))
            return 0;
        *low = primitive->low[2], *high = primitive->high[2];
        return 1;
    }
    double dx = x - primitive->centre[0], dy = y - primitive->centre[1];
    double a = -INFINITY, b = INFINITY;
    for (int k = 0; k < 3; ++k)
        if (!clip_slab(dx * primitive->axes[k][0] + dy * primitive->axes[k][1], primitive->axes[k][2],
                       primitive->half[k], &a, &b))
            return 0;
    RILL_ASSERT(a <= b && b < INFINITY && a > -INFINITY);
    *low = primitive->centre[2] + a, *high = primitive->centre[2] + b;
    return 1;
}

static int cross_ball(const double centre[3], double radius, double x, double y, double *low, double *high) {
    double dx = x - centre[0], dy = y - centre[1];
    double square = radius * radius - (dx * dx + dy * dy);
    if (!(square > 0.0)) return 0;
    *low = centre[2] - sqrt(square), *high = centre[2] + sqrt(square);
    return 1;
}

static int cross_sphere(const rill_primitive *primitive, double x, double y, double *low, double *high) {
    return cross_ball(primitive->centre, primitive->radius, x, y, low, high);
}

static int cross_cylinder(const rill_primitive *primitive, double x, double y, double *low, double *high) {
    const double *axis = primitive->axes[2];
    double dx = x - primitive->centre[0], dy = y - primitive->centre[1];
    double h0 = dx * axis[0] + dy * axis[1];
    double a = -INFINITY, b = INFINITY;
    double lean = axis[0] * axis[0] + axis[1] * axis[1]; /* = 1 - a_z^2 without cancellation */
    double rest = (dx * dx + dy * dy) - h0 * h0 - primitive->radius * primitive->radius;
    if (lean < 1e-24) {
        if (rest > 0.0) return 0;
    } else {
        double middle = h0 * axis[2], square = middle * middle - lean * rest;
        if (!(square > 0.0)) return 0;
        a = (middle - sqrt(square)) / lean, b = (middle + sqrt(square)) / lean;
    }
    if (!clip_slab(h0, axis[2], primitive->half[2], &a, &b) || !(a < b)) return 0;
    RILL_ASSERT(a < b && b < INFINITY && a > -INFINITY);
    *low = primitive->centre[2] + a, *high = primitive->centre[2] + b;
    return 1;
}

/* It is convex, so the line is in it from where it enters any of its three parts to where it leaves the last. */
static int cross_capsule(const rill_primitive *primitive, double x, double y, double *low, double *high) {
    double a, b;
    int crossed = cross_cylinder(primitive, x, y, low, high);
    for (int end = -1; end <= 1; end += 2) {
        double cap[3];
        for (int i = 0; i < 3; ++i) cap[i] = primitive->centre[i] + end * primitive->half[2] * primitive->axes[2][i];
        if (!cross_ball(cap, primitive->radius, x, y, &a, &b)) continue;
        *low = crossed ? fmin(*low, a) : a;
        *high = crossed ? fmax(*high, b) : b;
        crossed = 1;
    }
    return crossed;
}

/* c[0] + c[1] t + ... + c[degree] t^degree */
static double polynomial(const double *c, int degree, double t) {
    double value = c[degree];
    for (int i = degree - 1; i >= 0; --i) value = value * t + c[i];
    return value;
}

/* The root of a polynomial that changes sign between a and b: Newton, kept inside the shrinking bracket. */
static double bracketed_root(const double *c, const double *slope, int degree, double a, double b) {
    bool rising = polynomial(c, degree, a) < 0.0;
    double t = 0.5 * (a + b);
    for (int i = 0; i < 80; ++i) {
        double value = polynomial(c, degree, t);
        if (value == 0.0) return t;
        if ((value < 0.0) == rising)
            a = t;
        else
            b = t;
        double step = value / polynomial(slope, degree - 1, t), next = t - step;
        if (fabs(step) <= 1e-15 * fabs(t) + 1e-17) return next;
        if (!(next > a && next < b)) next = 0.5 * (a + b);
        t = next;
    }
    return t;
}

/* Roots of a polynomial between consecutive `stops`, on each of which it is monotonic. Returns how many. */
static int roots_between(const double *c, const double *slope, int degree, const double *stops, int stop_count,
                         double *roots) {
    int count = 0;
    for (int i = 0; i + 1 < stop_count; ++i) {
        double fa = polynomial(c, degree, stops[i]), fb = polynomial(c, degree, stops[i + 1]);
        if ((fa < 0.0) != (fb < 0.0)) roots[count++] = bracketed_root(c, slope, degree, stops[i], stops[i + 1]);
    }
    return count;
}

static int cross_torus(const rill_primitive *primitive, double x, double y, double low[2], double high[2]) {
    /* In units of the outer radius, so that all coefficients are of order one. */
    double unit = primitive->radius + primitive->tube, R = primitive->radius / unit, r = primitive->tube / unit;
    double dx = (x - primitive->centre[0]) / unit, dy = (y - primitive->centre[1]) / unit;
    const double *axis = primitive->axes[2];
    double k = dx * dx + dy * dy, h0 = dx * axis[0] + dy * axis[1];
    if (!(k < 1.0)) return 0;
    double m = k + R * R - r * r, lean = axis[0] * axis[0] + axis[1] * axis[1];
    double quartic[5] = { m * m - 4.0 * R * R * (k - h0 * h0), 8.0 * R * R * h0 * axis[2], 2.0 * m - 4.0 * R * R * lean,
                          0.0, 1.0 };
    double cubic[4] = { quartic[1], 2.0 * quartic[2], 0.0, 4.0 };
    double quadratic[3] = { cubic[1], 0.0, 12.0 };
    double end = sqrt(1.0 - k) * (1.0 + 1e-12) + 1e-12;

    double stops[6], roots[4];
    int count = 0;
    stops[count++] = -end;
    double turn = quadratic[0] < 0.0 ? sqrt(-quadratic[0] / 12.0) : 0.0;
    if (turn > 0.0 && turn < end) stops[count++] = -turn, stops[count++] = turn;
    stops[count++] = end;
    double bends[3];
    int bend_count = roots_between(cubic, quadratic, 3, stops, count, bends);
    RILL_ASSERT(bend_count <= 3);
    count = 0;
    stops[count++] = -end;
    for (int i = 0; i < bend_count; ++i) stops[count++] = bends[i];
    stops[count++] = end;
    int root_count = roots_between(quartic, cubic, 4, stops, count, roots);
    RILL_ASSERT(root_count <= 4);

    /* Between two roots the line is wholly inside or outside; a spindle torus (r > R) is solid through. */
    int ranges = 0;
    bool joined = false;
    for (int i = 0; i + 1 < root_count; ++i) {
        double t = 0.5 * (roots[i] + roots[i + 1]), h = h0 + t * axis[2];
        double out = sqrt(fmax(0.0, k + t * t - h * h)) - R;
        bool inside = out * out + h * h < r * r;
        if (inside && joined)
            high[ranges - 1] = primitive->centre[2] + unit * roots[i + 1];
        else if (inside && ranges < 2) {
            low[ranges] = primitive->centre[2] + unit * roots[i];
            high[ranges++] = primitive->centre[2] + unit * roots[i + 1];
        }
        joined = inside;
    }
    return ranges;
}

int rill_line_cuts(const rill_solid *solid, double x, double y, double low[2], double high[2]) {
    const rill_primitive *primitive = &solid->primitive;
    switch (solid->def.shape.type) {
    case RILL_SHAPE_BOX: return cross_box(primitive, x, y, low, high);
    case RILL_SHAPE_SPHERE: return cross_sphere(primitive, x, y, low, high);
    case RILL_SHAPE_CYLINDER: return cross_cylinder(primitive, x, y, low, high);
    case RILL_SHAPE_CAPSULE: return cross_capsule(primitive, x, y, low, high);
    case RILL_SHAPE_TORUS: return cross_torus(primitive, x, y, low, high);
    case RILL_SHAPE_PLANE:
        *low = -INFINITY;
        *high = primitive->centre[2] - ((x - primitive->centre[0]) * primitive->axes[2][0] +
                                        (y - primitive->centre[1]) * primitive->axes[2][1]) /
                                           primitive->axes[2][2];
        return 1;
    case RILL_SHAPE_MESH:
    case RILL_SHAPE_HULL:
    case RILL_SHAPE_HEIGHTMAP: break;
    }
    return 0;
}
