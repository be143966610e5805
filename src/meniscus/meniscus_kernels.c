/* How far normals of the contact band lean. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * meniscus.h. Loops marked "vector" must vectorise (a test looks at the compiler's report). */
#include "meniscus/meniscus.h"

#include "base/simd.h"

#define INLINE static inline __attribute__((always_inline))

static const float FLATTEST = 0.05f; /* of a normal's z: it stays upwards */

INLINE float root(float square, float limit) {
    float size = square < 0.0f ? -square : square;
    float length = __builtin_sqrtf(rill_min_f(size, limit));
    return square < 0.0f ? -length : length;
}

/* Computes e^-x for 0 <= x, to 1e-6; beyond 8 its value there. */
INLINE float decayed(float x) {
    float y = rill_max_f(x * -0.125f, -1.0f);
    float e =
        1.0f + y * (1.0f + y * (1.0f / 2 + y * (1.0f / 6 + y * (1.0f / 24 + y * (1.0f / 120 + y * (1.0f / 720))))));
    e = e * e;
    e = e * e;
    return e * e;
}

/* Sums the series of the sine, for angles within a quarter turn either way. */
INLINE float sine(float angle) {
    float x = angle * angle;
    return angle * (1.0f - x * (1.0f / 6 - x * (1.0f / 120 - x * (1.0f / 5040 - x * (1.0f / 362880 - x / 39916800)))));
}
INLINE float cosine(float angle) {
    float x = angle * angle;
    return 1.0f - x * (1.0f / 2 - x * (1.0f / 24 - x * (1.0f / 720 - x * (1.0f / 40320 - x * (1.0f / 3628800)))));
}

/* Finds the way to the contact line, and how much of the lean is left: less than all near the middle between two
 * lines. */
INLINE float find_way(rill_contact_run *run, int32_t i, float limit) {
    float gx = 0.5f * (root(run->beside[2][i], limit) - root(run->beside[0][i], limit));
    float gy = 0.5f * (root(run->beside[3][i], limit) - root(run->beside[1][i], limit));
    float square = gx * gx + gy * gy;
    float inverse = square > 1e-12f ? 1.0f / __builtin_sqrtf(rill_max_f(square, 1e-12f)) : 0.0f;
    run->toward[0][i] = gx * inverse;
    run->toward[1][i] = gy * inverse;
    return rill_min_f(2.0f * square * inverse, 1.0f);
}

/* Turns a normal about the horizontal perpendicular of the way. */
INLINE void lean(rill_contact_run *run, int32_t i, float sine_of_lean, float cosine_of_lean) {
    float ex = run->toward[0][i], ey = run->toward[1][i];
    float x = run->n[0][i], y = run->n[1][i], z = run->n[2][i];
    float along = x * ex + y * ey, turned = along * cosine_of_lean - z * sine_of_lean;
    float up = rill_max_f(along * sine_of_lean + z * cosine_of_lean, FLATTEST);
    x += (turned - along) * ex;
    y += (turned - along) * ey;
    float length = 1.0f / __builtin_sqrtf(x * x + y * y + up * up);
    run->n[0][i] = x * length;
    run->n[1][i] = y * length;
    run->n[2][i] = up * length;
}

static void linear(int32_t n, rill_contact_run *run, const rill_contact_constants *constants) {
    RILL_ASSERT((n & 15) == 0 && n <= RILL_CONTACT_RUN);
    const float limit = constants->limit, decay = constants->decay;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -16); ++i) {
        float share = find_way(run, i, limit);
        float rest = rill_max_f(1.0f - root(run->own[i], limit) * decay, 0.0f);
        float angle = run->strength[i] * rest * share;
        lean(run, i, sine(angle), cosine(angle));
        run->lift[i] = 0.0f;
    }
}

static void exponential(int32_t n, rill_contact_run *run, const rill_contact_constants *constants) {
    RILL_ASSERT((n & 15) == 0 && n <= RILL_CONTACT_RUN);
    const float limit = constants->limit, decay = constants->decay;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -16); ++i) {
        float share = find_way(run, i, limit);
        float angle = run->strength[i] * decayed(root(run->own[i], limit) * decay) * share;
        lean(run, i, sine(angle), cosine(angle));
        run->lift[i] = 0.0f;
    }
}

/* Looks up t at a place of the table; half-way between entries it is off by less than 1e-5. */
INLINE float looked_up(const float *table, float q) {
    float place = __builtin_sqrtf(rill_max_f(1.0f - q, 0.0f)) * (float)RILL_PROFILE;
    int32_t low = rill_min_i((int32_t)place, RILL_PROFILE - 1);
    float rest = place - (float)low;
    return table[low] + rest * (table[low + 1] - table[low]);
}

static void profile(int32_t n, rill_contact_run *run, const rill_contact_constants *constants) {
    RILL_ASSERT((n & 15) == 0 && n <= RILL_CONTACT_RUN);
    const float limit = constants->limit, decay = constants->decay;
    for (int32_t i = 0; i < (n & -16); ++i) {
        float share = find_way(run, i, limit);
        float strength = run->strength[i], sign = strength < 0.0f ? -1.0f : 1.0f;
        float t = looked_up(constants->profile, sign * strength * decayed(root(run->own[i], limit) * decay));
        float square = t * t, inverse = 1.0f / (1.0f + square);
        float half_sine = 2.0f * t * inverse, half_cosine = (1.0f - square) * inverse;
        float sine_of_lean = 2.0f * half_sine * half_cosine * share;
        lean(run, i, sign * sine_of_lean, __builtin_sqrtf(rill_max_f(1.0f - sine_of_lean * sine_of_lean, 0.0f)));
        run->lift[i] = sign * 2.0f * half_sine;
    }
}

/* Turns slopes into angles by Abramowitz and Stegun 4.4.49, to 2e-8; an infinite slope into a quarter turn. */
static void angles(int32_t n, double *slopes) {
    RILL_ASSERT((n & 15) == 0);
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -16); ++i) {
        double slope = slopes[i], size = slope < 0.0 ? -slope : slope, x = size > 1.0 ? 1.0 / size : size;
        double sum = 0.0028662257;
        sum = sum * x * x - 0.0161657367;
        sum = sum * x * x + 0.0429096138;
        sum = sum * x * x - 0.0752896400;
        sum = sum * x * x + 0.1065626393;
        sum = sum * x * x - 0.1420889944;
        sum = sum * x * x + 0.1999355085;
        sum = sum * x * x - 0.3333314528;
        sum = sum * x * x + 1.0;
        double angle = size > 1.0 ? RILL_QUARTER_TURN - x * sum : x * sum;
        slopes[i] = slope < 0.0 ? -angle : angle;
    }
}

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

extern const rill_meniscus_kernels RILL_KERNELS_NAME;
const rill_meniscus_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .linear = linear,
    .exponential = exponential,
    .profile = profile,
    .angles = angles,
};
