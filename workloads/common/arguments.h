/* Reading arguments of the command line. */
#ifndef WORKLOADS_ARGUMENTS_H
#define WORKLOADS_ARGUMENTS_H

#include <stdbool.h>

/* Reads a number of seconds from 0 to 3600. Returns false if `text` is none. */
bool read_seconds(const char *text, double *seconds);

/* Reads a whole number from `least` to `most`. Returns false if `text` is none. */
bool read_count(const char *text, int least, int most, int *count);

/* Reads a whole number of at least `least` up to the character that `*end` is set to. Returns false
 * if there is none. */
bool read_whole(const char *text, int least, int *value, char **end);

/* Reads a finite number that is not negative, up to the character that `*end` is set to. Returns
 * false if there is none. */
bool read_real(const char *text, double *value, char **end);

/* Reads NXxNY, two positive numbers. Returns false if `text` is anything else. */
bool read_size(const char *text, int *nx, int *ny);

/* Reads PERCENT[:RANK,RANK...], where ranks are those of `size` ranks and none means the last one.
 * `*percent` becomes PERCENT if `rank` is among them, else 0. Returns false if `text` is anything
 * else. */
bool read_imbalance(const char *text, int rank, int size, double *percent);

#endif
