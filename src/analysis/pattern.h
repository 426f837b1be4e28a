/** @file
 * What a pattern is: a kind of wait state (with its sub-patterns) or a family of counts, and how it
 * is found. A pattern lives in a file of its own (or with its closest relatives) and has a line in
 * patterns.def; docs/adding-a-pattern.md leads through an example.
 *
 * The analysis matches messages, brings the members of collective operations together, and builds
 * the epochs of one-sided communication; a pattern states which of these it wants, and is called
 * for each, on all workers at the same time.
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

/** Which messages a pattern is called for. */
enum {
    FM_MESSAGES_ALL = 1,             /**< each that is matched */
    FM_MESSAGES_RECEIVER_WAITED = 2, /**< sent while the receiver was in its completing call */
    FM_MESSAGES_SENDER_WAITED = 4,   /**< received late: the sender was in a blocking call */
};

/** A set of kinds of calls: FM_CALLS(BARRIER) | FM_CALLS(INIT). */
#define FM_CALLS(call) ((uint64_t)1 << FM_CALL_##call)

/** All kinds of calls are below. */
#define FM_CALL_KINDS 64

struct fm_pattern {
    const char *name; /**< as the specification calls it */

    unsigned messages; /**< FM_MESSAGES_...: what `message` is called for; 0: none */
    /** For a matched message, on the worker that owns its receiver. The messages of a process come
     * from the last received one to the first. See p2p/message.h. */
    void (*message)(const struct fm_finder *finder, const struct fm_message *message);

    uint64_t members; /**< FM_CALLS(...): the collective operations that `member` is called for */
    /** For each member of a complete collective operation on a communicator, on the worker that
     * owns the member's process; those of a process come in their order. See
     * collective/gathering.h. */
    void (*member)(const struct fm_finder *finder, const struct fm_member *member,
                   const struct fm_gathered *all);

    uint64_t instances; /**< FM_CALLS(...): those that `instance` is called for */
    /** For a complete collective operation as a whole, on some worker: what is found must be
     * reported by fm_found_remote_wait() and fm_found_remote_part(). `members` come in no
     * particular order, and may be sorted. See collective/instance.h. */
    void (*instance)(const struct fm_finder *finder, const struct fm_member **members,
                     uint32_t count);

    /** For each access epoch (MPI_Win_start to MPI_Win_complete), on the worker that owns its
     * process. See one_sided/active_target.h. */
    void (*access)(const struct fm_finder *finder, const struct fm_access_match *access);

    /** For each exposure epoch (MPI_Win_post to MPI_Win_wait) likewise. */
    void (*exposure)(const struct fm_finder *finder, const struct fm_exposure_match *exposure);

    unsigned
        reads; /**< FM_READS(...): tables that `detect` reads; they are kept until it returns */
    /** Once for the run, before or after other patterns: for what the functions above do not cover.
     * Runs stages of its own; `finder->worker` means nothing here. A pattern that reads
     * FM_READS(EPOCHS) is called only if the run has windows. Collective. */
    void (*detect)(const struct fm_finder *finder);
};

/** All patterns in the order of their precedence, ended by NULL: of two wait states of one call
 * with the same event time the earlier pattern's is chosen. */
extern const struct fm_pattern *const fm_patterns[];

/** Finds all wait states of a run with the patterns of fm_patterns. Runs stages; collective. */
void fm_patterns_run(struct fm_analysis *analysis);

#endif
