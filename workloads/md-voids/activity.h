/* SPDX-License-Identifier: BSD-3-Clause */
/* A model of what the force kernels of force.cu keep busy of an accelerator: for machines that have
 * none, and as what to expect of one that is there. No part of it is measured.
 *
 * Both kernels compare each atom with all atoms of 27 boxes. A comparison of a whole warp takes
 * COMPARISON cycles of a multiprocessor; fewer than HIDING warps are bound by the latency of the
 * arithmetic units.
 *
 *   naive   a block for each box, 64 x 16 threads: 16 threads for each slot of the box, which share
 *           the atoms of another box. Only the filled slots (18 of 64 on average) have work. Blocks
 *           are given to the multiprocessor that is free first.
 *   packed  a thread for each atom, a block of 1024 threads for each multiprocessor, which computes
 *           the chunks of its bin one after another (packing.h). */
#ifndef MD_VOIDS_ACTIVITY_H
#define MD_VOIDS_ACTIVITY_H

#include "packing.h"

#include <stdbool.h>
#include <stdint.h>

#define PROCESSORS 80    /* multiprocessors of a V100 */
#define CLOCK      1.53  /* GHz */
#define COMPARISON 12    /* cycles of the units for numbers of 64 bits */
#define HIDING     8     /* warps */
#define BLOCK      600   /* cycles to start a block */
#define LAUNCH     7.5e3 /* cycles to start a kernel */

enum kernel { KERNEL_NAIVE, KERNEL_PACKED };

/* Numbers of atoms of all boxes of the whole crystal. */
struct crystal {
    int boxes;       /* of a domain in each direction */
    int grid[3];     /* domains in each direction */
    uint8_t *counts; /* [domain][box] */
};

/* The activity of a kernel on the boxes of a domain. Cycles are those of a multiprocessor. */
struct activity {
    double elapsed;              /* cycles from the launch to the end of the kernel */
    double average, least, most; /* active cycles of the multiprocessors */
    double warp;                 /* active threads of 32 in an instruction, 0..1 */
    double threads[CHUNK];       /* comparisons of each thread of a block, mean over the blocks */
    long long atoms, comparisons;
};

/* Computes the activity for a domain. Returns false if there is not enough memory. */
bool activity_of(const struct crystal *crystal, int domain, enum kernel kernel,
                 struct activity *activity);

#endif
