/* Taking time, and reading numbers from the command line. */
#ifndef WORKLOADS_DURATION_H
#define WORKLOADS_DURATION_H

#include <stdbool.h>

/* Lets the processor go for a time. */
void sleep_for(double seconds);

/* Computes until a time has passed. */
void work_for(double seconds);

/* Reads a number of seconds from 0 to 3600. Returns false if `text` is none. */
bool read_seconds(const char *text, double *seconds);

/* Reads a whole number from `least` to `most`. Returns false if `text` is none. */
bool read_count(const char *text, int least, int most, int *count);

#endif
