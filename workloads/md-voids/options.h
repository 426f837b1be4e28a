/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of md-voids. */
#ifndef MD_VOIDS_OPTIONS_H
#define MD_VOIDS_OPTIONS_H

#include "activity.h"
#include "domain.h"

#include <stddef.h>

struct options {
    struct problem problem; /* its grid is {0, 0, 0} unless given */
    int seed, steps;
    bool timing;
    bool is_model;      /* model the kernel's activity instead of computing forces */
    bool has_kernel;    /* --kernel is given */
    enum kernel kernel; /* of an accelerator */
    const char *output; /* folder for tables; NULL: none */
    bool help;
};

const char *options_usage(void);

/* Reads the command line. Returns false and says why in `why` if it is wrong. */
bool options_read(struct options *o, int argc, char **argv, char *why, size_t why_size);

#endif
