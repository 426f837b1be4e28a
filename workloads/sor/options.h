/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of sor. */
#ifndef SOR_OPTIONS_H
#define SOR_OPTIONS_H

#include "halo.h"

typedef struct options {
    int nx, ny;
    int iterations;
    double tolerance;   /* residual at which the iteration ends; 0: never */
    int check_interval; /* iterations between two computations of the residual */
    const halo_variant *variant;
    double work;      /* seconds that a sweep takes besides its arithmetic, asleep */
    double imbalance; /* additional work of this process in percent of its regular work */
    bool verify, timing, help;
} options;

/* Reads the arguments for process `rank` of `size`. Returns false, with the reason in `why` (at
 * most `why_size` bytes), for a wrong argument; the result is the same on every process. */
bool options_read(options *o, int argc, char **argv, int rank, int size, char *why,
                  size_t why_size);

/* The text of --help. */
const char *options_usage(void);

#endif
