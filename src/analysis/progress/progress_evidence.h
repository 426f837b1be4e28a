/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Evidence: whether calls of a kind need the software of their partners to make progress. Where the
 * hardware serves, calls end while their partners compute.
 *
 * A piece is a call and a partner that is outside of all progressing calls when the need begins. It
 * counts if the partner's next such call begins more than u later, or never: u is what calls of the
 * kind take once their partners make progress. A piece has passed if the call ended before the
 * partner's next call; it was held if the call contains that. A kind waits for progress if more
 * pieces were held than passed. docs/wait-states.md has the rules.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_PROGRESS_EVIDENCE_H
#define FERMATA_ANALYSIS_PROGRESS_PROGRESS_EVIDENCE_H

#include "analysis/progress/needs.h"

/** A kind of calls. */
struct fm_progress_kind {
    uint64_t key;          /**< fm_need_key() */
    uint64_t usual;        /**< u: ticks that calls take once all of their partners make progress */
    uint64_t passed, held; /**< pieces */
    bool waits;
};

/** The kinds of all calls that need partners. */
struct fm_evidence {
    const struct fm_progress *progress;
    FM_VECTOR(struct fm_progress_kind) kinds; /**< ascending by key */
    bool is_stated; /**< the user states that every call needs its partners: nothing is weighed */
};

/** @return the kind with a key, which exists. O(log kinds). Thread-safe. */
const struct fm_progress_kind *fm_evidence_kind_of(const struct fm_evidence *evidence,
                                                   uint64_t key);

/** A wait for progress. */
struct fm_progress_wait {
    struct fm_call_ref call;
    struct fm_call_ref cause; /**< the partner's call, whose Enter ends the wait */
    uint64_t until;           /**< Enter of it */
    uint64_t begin;           /**< of the need of this partner */
    uint64_t uncovered;       /**< ticks from there in which no partner was in a progressing call */
};

/** @return from when on a call needs its partners at the earliest: struct fm_need_trial */
typedef uint64_t fm_needed_since_t(const struct fm_analysis *analysis, uint32_t process,
                                   struct fm_call_ref call);

/** Weighs the evidence: u, passed and held pieces of each kind. The partners of a part of the calls
 * at a time are asked, so that not all answers are in memory at once. Afterwards there are no
 * trials. Runs stages; collective.
 * @param progress   must outlive the use of all functions but those on kinds and windows
 * @param since      NULL: the calls need their partners from their Enter on
 * @param is_stated  all kinds wait, whatever the evidence says
 * @return to be freed with fm_evidence_free() */
struct fm_evidence *fm_evidence_weigh(struct fm_progress *progress, fm_needed_since_t *since,
                                      bool is_stated);

/** NULL is allowed. */
void fm_evidence_free(struct fm_evidence *evidence);

/** @return the kind of a call; NULL: it needs nobody. Thread-safe.
 * @param call  among the needs of the process */
const struct fm_progress_kind *fm_evidence_kind(const struct fm_evidence *evidence,
                                                uint32_t process, uint32_t call);

/** @return whether calls of any kind wait for progress. */
bool fm_evidence_any_waits(const struct fm_evidence *evidence);

/** @return whether some kind of call on a window waits for progress; false without evidence (NULL).
 * To be called at any time after the evidence has been weighed: `analysis->evidence` has that of
 * one-sided calls once Lock Contention has been detected. Thread-safe. */
bool fm_evidence_window_waits(const struct fm_evidence *evidence, uint32_t window);

/** Judges a call by the states of its partners in a trial. Thread-safe.
 * @param wait  out
 * @return whether it waits for progress */
bool fm_evidence_judge(const struct fm_evidence *evidence, uint32_t process,
                       const struct fm_need_trial *trial, struct fm_progress_wait *wait);

#endif
