#include "base/power.h"
#include "base/assert.h"

#include <stdint.h>
#include <string.h>

static const double LN2 = 0.69314718055994530942;

/* ln of the mantissa by the series of 2 artanh((m - 1) / (m + 1)), |argument| <= 0.172 after halving the range. */
static double logarithm(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t exponent = (int32_t)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent += 1;
    }
    double z = (m - 1.0) / (m + 1.0), square = z * z, sum = 0.0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2.0 * z * sum + (double)exponent * LN2;
}

/* e^x = 2^n e^r, |r| <= ln 2 / 2, by Taylor. */
static double exponential(double x) {
    if (x < -700.0) return 0.0;
    if (x > 700.0) x = 700.0;
    double scaled = x / LN2;
    int64_t n = (int64_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
    double r = x - (double)n * LN2, sum = 1.0;
    for (int k = 18; k >= 1; --k) sum = 1.0 + sum * r / k;
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

double rill_power(double x, double y) {
    RILL_ASSERT(x > 0.0 && y - y == 0.0);
    return x == 1.0 ? 1.0 : exponential(y * logarithm(x));
}
