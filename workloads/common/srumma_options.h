/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs srumma and shmem-srumma do, as chosen by the user. */
#ifndef WORKLOADS_SRUMMA_OPTIONS_H
#define WORKLOADS_SRUMMA_OPTIONS_H

#include "block_multiply.h"

struct srumma_options {
    int blocks, length; /* struct block_grid */
    int repeats;        /* multiplications, one after the other */
    int late_milliseconds, late_process;
};

/* The options if the user chooses none. */
#define SRUMMA_DEFAULTS                                                                            \
    {                                                                                              \
        .blocks = 4, .length = 32, .repeats = 1, .late_process = -1                                \
    }

/* Lines of a usage text for the options. */
#define SRUMMA_USAGE                                                                               \
    "  --blocks N    blocks in a row of a matrix (default 4)\n"                                    \
    "  --length N    elements in a row of a block (default 32)\n"                                  \
    "  --repeats N   multiplications (default 1)\n"                                                \
    "  --late MS:P   process P comes MS milliseconds late to each of its products of blocks\n"

/* Applies an option. @return false if there is no such option or the value is none of its values */
bool srumma_read_option(struct srumma_options *options, const char *name, const char *value);

/* Sleeps if this process is the one that comes late. */
void come_late(const struct srumma_options *options, int process);

/* Prints the result of a multiplication. `sum`: of all elements of the product */
void srumma_print(const char *program, const struct srumma_options *options, double sum,
                  bool is_right);

#endif
