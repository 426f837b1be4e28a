/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A pattern: the implementation of one kind of wait state (with its sub-patterns) or of a family of
 * counts. Each pattern has a file of its own (or shares it with closely related patterns) and a
 * line in patterns.def; docs/adding-a-pattern.md explains an example.
 *
 * The analysis matches messages, gathers the members of collective operations, and builds the
 * epochs of one-sided communication. A pattern states which of these it handles, and is called for
 * each of them, on all workers concurrently.
 */
#ifndef FERMATA_ANALYSIS_PATTERN_H
#define FERMATA_ANALYSIS_PATTERN_H

#include "analysis/model/finder.h"
#include "analysis/model/readers.h"
#include "analysis/model/record_merge.h"
#include "analysis/model/run.h"

struct fm_access_match;
struct fm_exposure_match;
struct fm_gathered;
struct fm_member;
struct fm_message;

/** Selection of the messages that a pattern is called for. */
enum {
    FM_MESSAGES_ALL = 1,             /**< every matched message */
    FM_MESSAGES_RECEIVER_WAITED = 2, /**< sent while the receiver was in its completing call */
    FM_MESSAGES_SENDER_WAITED = 4,   /**< received late: the sender was in a blocking call */
};

/** A set of kinds of calls: FM_CALLS(BARRIER) | FM_CALLS(INIT). */
#define FM_CALLS(call) ((uint64_t)1 << FM_CALL_##call)

/** Upper limit of the number of kinds of calls. */
#define FM_CALL_KINDS 64

struct fm_pattern {
    const char *name; /**< as in docs/wait-states.md */

    unsigned messages; /**< FM_MESSAGES_...: what `message` is called for; 0: none */
    /** Called for a matched message, on the worker that owns its receiver. The messages of a
     * process are passed from the last received to the first. See p2p/message.h. */
    void (*message)(const struct fm_finder *finder, const struct fm_message *message);

    uint64_t members; /**< FM_CALLS(...): the collective operations that `member` is called for */
    /** Called for each member of a complete collective operation on a communicator, on the worker
     * that owns the member's process; the members of one process are passed in the order of their
     * operations. See collective/gathering.h. */
    void (*member)(const struct fm_finder *finder, const struct fm_member *member,
                   const struct fm_gathered *all);

    uint64_t instances; /**< FM_CALLS(...): those that `instance` is called for */
    /** Called for a complete collective operation as a whole, on any worker: it must report
     * findings with fm_found_remote_wait() and fm_found_remote_part(). `members` are in no
     * particular order and may be sorted by the callee. See collective/instance.h. */
    void (*instance)(const struct fm_finder *finder, const struct fm_member **members,
                     uint32_t count);

    /** Called for each access epoch (MPI_Win_start to MPI_Win_complete), on the worker that owns
     * its process. See one_sided/active_target.h. */
    void (*access)(const struct fm_finder *finder, const struct fm_access_match *access);

    /** Called for each exposure epoch (MPI_Win_post to MPI_Win_wait) likewise. */
    void (*exposure)(const struct fm_finder *finder, const struct fm_exposure_match *exposure);

    unsigned
        reads; /**< FM_READS(...): tables that `detect` reads; they are kept until it returns */
    /** Called once for the run, before or after other patterns, for wait states that the functions
     * above do not cover. Runs its own stages; `finder->worker` is undefined. A pattern that reads
     * FM_READS(EPOCHS) is called only if the run has windows. Collective. */
    void (*detect)(const struct fm_finder *finder);
    bool of_threads; /**< `detect` is called only if the run defines regions of OpenMP or of POSIX
                          threads */
    bool of_partitions; /**< likewise, messages in partitions */
};

/** All patterns in the order of their precedence, terminated by NULL: of two wait states of one
 * call with the same event time, the one of the earlier pattern is chosen. */
extern const struct fm_pattern *const fm_patterns[];

/** Finds all wait states of a run with the patterns of fm_patterns. Runs stages; collective. */
void fm_patterns_run(struct fm_analysis *analysis);

#endif
