/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A simulated run of a stencil solver (successive over-relaxation) on a two-dimensional grid of
 * ranks. In each iteration a rank sweeps over its part, exchanges its borders with up to four
 * neighbours and occasionally takes part in a reduction. Computing times differ pseudo-randomly,
 * and no time depends on a later one: the times are causally consistent. Nanoseconds.
 */
#ifndef FERMATA_BENCH_SOR_SIMULATION_H
#define FERMATA_BENCH_SOR_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#define SOR_CALL          200     /**< duration of a call that does not wait */
#define SOR_LATENCY       1500    /**< of a message */
#define SOR_INIT_END      2000000 /**< end of MPI_Init on all ranks */
#define SOR_CREATE_END    2100000 /**< end of MPI_Win_create on all ranks */
#define SOR_SOLVE_BEGIN   2200000 /**< begin of the first iteration; end of the first fence */
#define SOR_MAX_NEIGHBORS 4

/** The ways of exchanging borders. */
enum sor_variant {
    SOR_P2P,   /**< Irecv, Isend, Waitall */
    SOR_FENCE, /**< Put, Win_fence */
    SOR_GATS,  /**< Win_post, Win_start, Put, Win_complete, Win_wait */
    SOR_LOCKS, /**< for each neighbour Win_lock, Put, Win_unlock; a barrier ends the exchange */
    SOR_RARE, /**< as SOR_P2P with one rank at a time: a far one in every `period`-th iteration, one
                 of two near ones in all others */
    SOR_ROTATE, /**< as SOR_P2P with one rank at a time: with `period` different ones in turn,
                   `dwell` iterations with each */
};

struct sor_problem {
    enum sor_variant variant;
    uint32_t ranks;
    uint32_t width; /**< of the grid of ranks; divides `ranks` */
    uint32_t iterations;
    uint32_t reduce_every; /**< iterations between reductions */
    uint32_t period; /**< SOR_RARE: iterations until a far pair synchronizes again; SOR_ROTATE:
                        number of partners of each rank */
    uint32_t dwell;  /**< SOR_ROTATE: consecutive iterations of a pair; at least 1 */
    uint64_t seed;
};

/** One iteration of one rank. */
struct sor_step {
    uint64_t sweep;    /**< begin of the sweep */
    uint64_t exchange; /**< its end, begin of the exchange */
    uint64_t opened;   /**< gats: end of Win_start */
    uint64_t done;     /**< end of the exchange */
};

struct sor_simulation {
    struct sor_problem problem;
    struct sor_step *steps; /**< [iterations][ranks] */
    uint64_t (
        *granted)[SOR_MAX_NEIGHBORS]; /**< [iterations][ranks]: end of Win_lock; only SOR_LOCKS */
    uint64_t *reduced;                /**< [iterations]: end of the reduction on all ranks */
    uint64_t *solved;                 /**< [ranks]: end of the last iteration */
    uint64_t end;                     /**< latest of `solved` */
    uint64_t finalized;               /**< end of MPI_Finalize on all ranks */
};

/** Chooses the width that makes the grid as square as `ranks` allows. */
uint32_t sor_grid_width(uint32_t ranks);

/** @return whether borders are exchanged by messages, without a window. */
bool sor_sends_messages(const struct sor_problem *problem);

/** @return the largest number of ranks that one rank can exchange borders with in turn by
 * SOR_ROTATE */
uint32_t sor_longest_rotation(uint32_t ranks);

/** Stores the neighbours of a rank in an iteration in `neighbors`; in the variants on a grid they
 * are the same in all iterations.
 * @return the number of neighbours */
uint32_t sor_neighbors(const struct sor_problem *problem, uint32_t rank, uint32_t iteration,
                       uint32_t neighbors[SOR_MAX_NEIGHBORS]);

/** @return whether a reduction follows the iteration. */
bool sor_reduces(const struct sor_problem *problem, uint32_t iteration);

/** Runs the simulation.
 * @return whether there was enough memory; if so, free the result with sor_simulation_free() */
bool sor_simulate(const struct sor_problem *problem, struct sor_simulation *simulation);

void sor_simulation_free(struct sor_simulation *simulation);

#endif
