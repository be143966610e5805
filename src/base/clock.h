/* Seconds since some fixed moment, for timing stages; never part of a result. */
#ifndef RILL_BASE_CLOCK_H
#define RILL_BASE_CLOCK_H

double rill_clock(void);

#endif
