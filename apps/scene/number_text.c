/* The fewest digits that still mean the same float.
 *
 * A decimal number reads back as the float f when it lies between the midpoints of f and its neighbours,
 * which are doubles. So for more and more digits the integer n nearest to f / 10^k is tried until n * 10^k lies between
 * them. Doubles carry 29 bits more than floats: the few roundings on the way are met by a margin of 2^-49, too small
 * to cost a digit in practice. Nine digits always do (a step of the ninth is less than a fifth of the gap).
 *
 * Doubles are few in our files, and printed with the C library: 15 digits, or 16, or 17. */
#include "number_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 9, EXACT_POWERS = 22 };
static const double MARGIN = 1 / 562949953421312.0;      /* 2^-49 */
static const double EXACT_INTEGERS = 9007199254740992.0; /* 2^53: products of integers are exact below */

static const double powers[EXACT_POWERS + 1] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* value * 10^k; not more than three roundings, as k is between -46 and 54 here. */
static double scale(double value, int k) {
    for (; k > EXACT_POWERS; k -= EXACT_POWERS) value *= powers[EXACT_POWERS];
    for (; k < -EXACT_POWERS; k += EXACT_POWERS) value /= powers[EXACT_POWERS];
    return k < 0 ? value / powers[-k] : value * powers[k];
}

/* Returns the digits of n and the exponent k: value = n * 10^k. */
static uint64_t shortest(double value, int *k) {
    int exponent;
    double part = frexp(value, &exponent); /* value = part * 2^exponent, 0.5 <= part < 1 */
    int last = exponent - 24 < -149 ? -149 : exponent - 24;
    double above = ldexp(1, last), below = part > 0.5 || last == -149 ? above : above / 2;
    double low = value - below / 2, high = value + above / 2;
    /* A midpoint itself is read as the float whose last bit is 0. Decimal numbers meet one only as integers. */
    bool even = value < EXACT_INTEGERS && (uint32_t)(value / above) % 2 == 0;
    int top = (int)floor((exponent - 1) * 0.30102999566398120) + 1; /* 10^top > value, or the power above */
    /* Of six digits only one number lies between the midpoints, if any: fewer ones end in zeros then. Not so among the
     * tiny floats that have lost bits. */
    for (int digits = value < (double)FLT_MIN ? 1 : 5;; ++digits) {
        *k = top - digits;
        double n = nearbyint(scale(value, -*k)), back = scale(n, *k);
        bool between = back > low * (1 + MARGIN) && back < high * (1 - MARGIN);
        if (between || (even && *k >= 0 && (back == low || back == high)) || digits > MOST_DIGITS) return (uint64_t)n;
    }
}

size_t rill_number_count(uint64_t value, char out[RILL_NUMBER_TEXT]) {
    char digits[RILL_NUMBER_TEXT];
    size_t length = 0;
    do {
        digits[length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < length; ++i) out[i] = digits[length - 1 - i];
    out[length] = 0;
    return length;
}

/* Digits with a point before their last `behind` ones: 0.00123, 12.3. */
static size_t put_plain(const char *digits, size_t count, size_t behind, char *out) {
    size_t at = 0;
    if (behind >= count) {
        out[at++] = '0';
        out[at++] = '.';
        for (size_t i = count; i < behind; ++i) out[at++] = '0';
        memcpy(out + at, digits, count);
        return at + count;
    }
    memcpy(out, digits, count - behind);
    at = count - behind;
    if (behind) {
        out[at++] = '.';
        memcpy(out + at, digits + count - behind, behind);
        at += behind;
    }
    return at;
}

/* 1.23e-7. */
static size_t put_scientific(const char *digits, size_t count, int exponent, char *out) {
    size_t at = put_plain(digits, count, count - 1, out);
    out[at++] = 'e';
    if (exponent < 0) {
        out[at++] = '-';
        exponent = -exponent;
    }
    return at + rill_number_count((uint64_t)exponent, out + at);
}

static size_t put_word(const char *word, char *out) {
    strcpy(out, word);
    return strlen(word);
}

size_t rill_number_float(float value, char out[RILL_NUMBER_TEXT]) {
    size_t at = 0;
    if (!isfinite(value)) return put_word(isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", out);
    if (signbit(value)) out[at++] = '-';
    if (value == 0) return at + put_word("0", out + at);
    int k;
    char digits[RILL_NUMBER_TEXT];
    uint64_t n = shortest(fabs((double)value), &k);
    for (; n % 10 == 0; n /= 10) ++k;
    size_t count = rill_number_count(n, digits);
    int exponent = (int)count - 1 + k;
    if (k >= 0 && exponent < MOST_DIGITS) {
        memset(digits + count, '0', (size_t)k);
        at += put_plain(digits, count + (size_t)k, 0, out + at);
    } else if (k < 0 && exponent >= -5) {
        at += put_plain(digits, count, (size_t)-k, out + at);
    } else {
        at += put_scientific(digits, count, exponent, out + at);
    }
    out[at] = 0;
    return at;
}

size_t rill_number_double(double value, char out[RILL_NUMBER_TEXT]) {
    char text[64];
    if (!isfinite(value)) return put_word(isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", out);
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    /* A character that is no digit, sign or 'e' is the point of the locale, which may have several bytes. */
    size_t at = 0;
    bool point = false;
    for (const char *c = text; *c && at + 1 < RILL_NUMBER_TEXT; ++c) {
        bool known = strchr("0123456789+-e", *c) != NULL;
        if (known || !point) out[at++] = known ? *c : '.';
        point = !known;
    }
    out[at] = 0;
    return at;
}
