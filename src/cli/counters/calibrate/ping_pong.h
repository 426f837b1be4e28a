/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A measured ping-pong, with and without counters: real messages between two ranks that a launcher
 * starts. The program that sends them belongs to fermata, one for each MPI library
 * (counters/ping_pong).
 */
#ifndef FERMATA_CLI_COUNTERS_CALIBRATE_PING_PONG_H
#define FERMATA_CLI_COUNTERS_CALIBRATE_PING_PONG_H

#include "base/error.h"
#include "counters/costs/call_updates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_PING_PONG_BYTES = 8, FM_PING_PONG_REPETITIONS = 101, FM_PING_PONG_ROUNDS = 1000 };

/** How the ping-pong runs; in each round once each, one after another. */
enum fm_ping_pong_variant {
    FM_PING_PONG_PLAIN,
    FM_PING_PONG_UPDATED,  /**< each call makes the updates, as inside of a library */
    FM_PING_PONG_RECORDED, /**< fermata record --counters-only --callpath flat */
    FM_PING_PONG_VARIANTS
};

struct fm_ping_pong {
    char library[96];   /**< the MPI library and its version, as it states them */
    unsigned exchanges; /**< of a repetition */
    size_t rounds;
    bool
        has_hooks; /**< the recorded variant runs with --hooks, since a chosen counter needs them */
    /** Nanoseconds of a message, in each round: in the fastest of its repetitions, since what
     * else a machine does only makes a repetition slower. */
    double times[FM_PING_PONG_VARIANTS][FM_PING_PONG_ROUNDS];
};

/** What a variant adds to the plain one of the same round, nanoseconds of a message. */
struct fm_ping_pong_added {
    double median, least, most;
};

/** Measures. Recorded experiments are made in TMPDIR and removed.
 * @param launcher  words of the command that starts 2 ranks of the program behind it: mpirun -n 2
 * @param chosen    what each call updates
 * @param patterns  the same, as the user wrote it; for `fermata record --counters`
 * @param rounds    1 .. FM_PING_PONG_ROUNDS
 * @return FM_ERR_FAILED: no ping-pong, for the reason in `error`. Not thread-safe: it starts
 * processes. */
fm_status_t fm_ping_pong_measure(char *const *launcher, const struct fm_call_updates *chosen,
                                 char *const *patterns, size_t rounds, struct fm_ping_pong *result,
                                 struct fm_error *error);

/** Median time of a message of a variant, nanoseconds. */
double fm_ping_pong_median(const struct fm_ping_pong *measured, enum fm_ping_pong_variant variant);

struct fm_ping_pong_added fm_ping_pong_added(const struct fm_ping_pong *measured,
                                             enum fm_ping_pong_variant variant);

#endif
