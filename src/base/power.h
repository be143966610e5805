/* x^y without the C library, whose last bits differ between machines: only + - * / on doubles, so the same bits
 * everywhere. */
#ifndef RILL_BASE_POWER_H
#define RILL_BASE_POWER_H

/* Returns x^y for 0 < x and finite y; relative error below 1e-13 while the result is a normal number. */
double rill_power(double x, double y);

#endif
