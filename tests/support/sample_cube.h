/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A small cube as an analysis would make it, for the tests.
 */
#ifndef FERMATA_TESTS_SAMPLE_CUBE_H
#define FERMATA_TESTS_SAMPLE_CUBE_H

#include "cube/model/cube.h"

/** Call paths of the sample, in the order of their indices. */
enum {
    SAMPLE_MAIN,
    SAMPLE_SOLVE,
    SAMPLE_RECV,
    SAMPLE_SEND,
    SAMPLE_WAIT,
    SAMPLE_EVIL,
    SAMPLE_BARRIER,
    SAMPLE_CALLPATHS
};

/** 4 ranks on 2 nodes, rank 3 with 2 threads; Late Sender in solve/MPI_Recv on ranks 1 and 2 caused
 * by rank 3, Early Wait on rank 0, a barrier; one region's name holds a terminal escape, quotes and
 * bytes that are no UTF-8. A microsecond clock. @return a sealed cube. */
struct fm_cube *sample_cube(void);

/** @return a cube of 300 ranks that send messages to their neighbours. */
struct fm_cube *wide_cube(void);

/** @return a cube that is as small as possible. */
struct fm_cube *empty_cube(void);

#endif
