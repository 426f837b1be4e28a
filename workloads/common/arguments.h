/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing of command line arguments. */
#ifndef WORKLOADS_ARGUMENTS_H
#define WORKLOADS_ARGUMENTS_H

#include <stdbool.h>

/* Reads a number of seconds from 0 to 3600. Returns false if `text` is not such a number. */
bool read_seconds(const char *text, double *seconds);

/* Reads a whole number from `least` to `most`. Returns false if `text` is not such a number. */
bool read_count(const char *text, int least, int most, int *count);

/* Reads a whole number of at least `least` up to the character that `*end` is set to. Returns false
 * if there is no such number. */
bool read_whole(const char *text, int least, int *value, char **end);

/* Reads a finite number that is not negative, up to the character that `*end` is set to. Returns
 * false if there is no such number. */
bool read_real(const char *text, double *value, char **end);

/* Reads NXxNY, two positive numbers. Returns false for any other text. */
bool read_size(const char *text, int *nx, int *ny);

/* Reads PERCENT[:RANK,RANK...], where ranks are those of `size` ranks and no rank means the last
 * one. `*percent` becomes PERCENT if `rank` is listed, else 0. Returns false for any other text. */
bool read_imbalance(const char *text, int rank, int size, double *percent);

#endif
