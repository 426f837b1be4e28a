/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Needs for progress: calls that cannot end before the library has made progress on other processes
 * (their partners), and what the partners do when the needs begin [H17 algorithm 1].
 *
 * A need of a partner begins at the Enter of the call, or later: when what the call depends on
 * besides has happened (a lock was passed on, a target has posted). A trial supposes such a time
 * for a call; its answers are the states of all partners then.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_NEEDS_H
#define FERMATA_ANALYSIS_PROGRESS_NEEDS_H

#include "analysis/progress/need_key.h"
#include "analysis/progress/partner_calls.h"
#include "base/containers/map.h"

/** When a partner is needed, if an event on it decides that. */
struct fm_partner_times {
    uint64_t event; /**< when what the call depends on besides happens on the partner; 0: nothing */
    uint64_t begin; /**< the need begins no earlier: at the event, or where its call ends */
    uint64_t until; /**< the partner has served then what it has to serve; UINT64_MAX: never */
};

/** A process that a call needs. */
struct fm_partner {
    uint32_t process;
    uint32_t times; /**< in `times`; FM_NONE: it is needed from the begin of the call on */
};

/** A call that needs partners. There are as many as calls that communicate: nothing is kept here
 * that can be found otherwise. */
struct fm_needing_call {
    struct fm_call_ref call;
    uint32_t kind;          /**< in `kinds`: why it needs its partners */
    uint32_t first_partner; /**< in `partners`; see fm_partner_count() */
};

/** A kind of calls of a process. */
struct fm_need_kind {
    uint64_t key;    /**< fm_need_key() */
    uint32_t number; /**< among the kinds of the evidence, once that has been weighed; before, of
                          the worker, if FM_NONE none */
};

/** A supposed begin of the needs of a call. */
struct fm_need_trial {
    uint64_t since; /**< the needs begin no earlier; 0: at the Enter of the call, or with the events
                         of the partners */
    uint32_t call;  /**< in `calls` */
    uint32_t first_state; /**< in `states`: as many as the call has partners */
};

/** The needs of one process. */
struct fm_process_needs {
    FM_VECTOR(struct fm_needing_call) calls; /**< each once */
    FM_VECTOR(struct fm_partner) partners;
    FM_VECTOR(struct fm_partner_times) times;
    FM_VECTOR(struct fm_need_kind) kinds;
    struct fm_map kind_of_key;
    FM_VECTOR(struct fm_need_trial) trials; /**< ascending by call and `since` */
    FM_VECTOR(struct fm_partner_state) states;
    bool are_unordered;           /**< `calls`, by location and activity */
    uint32_t recent;              /**< the call that fm_progress_set_event() found last */
    struct fm_map number_of_call; /**< likewise, of unordered calls */
};

struct fm_progress {
    struct fm_analysis *analysis;
    struct fm_process_needs *of_process; /**< by process; empty for those owned by others */
    struct fm_partner_calls *partner_calls;
    uint32_t *nodes; /**< by process: number of its node */
    struct fm_dispatch *questions;
    struct fm_dispatch *answers;
    bool reports_unknown; /**< answers that are not known count as omissions */
};

/** @return the number of partners of a call; 0: it needs nobody. */
static inline uint32_t fm_partner_count(const struct fm_process_needs *needs, uint32_t call)
{
    const struct fm_needing_call *needing = &needs->calls.items[call];
    const uint32_t end =
        call + 1 < needs->calls.count ? needing[1].first_partner : (uint32_t)needs->partners.count;
    return end - needing->first_partner;
}

/** @return no needs, to be freed with fm_progress_free() */
struct fm_progress *fm_progress_create(struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_progress_free(struct fm_progress *progress);

/** Adds a need: `call` of `process` cannot end before the library that it belongs to has made
 * progress on `partner`. To be called by the worker that owns the process, for one of its calls
 * after the other, once for each partner.
 * @param partner  FM_NONE: only the reason is added, to a need that the call has already */
void fm_progress_need(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                      uint32_t partner, const struct fm_needed *why);

/** The same for a need that is known to begin and end with events of the partner. */
void fm_progress_need_of(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                         uint32_t partner, const struct fm_partner_times *times,
                         const struct fm_needed *why);

/** Gives unused room of a process's needs back. To be called once it has all of them. */
void fm_progress_trim(struct fm_progress *progress, uint32_t process);

/** Notes that what a call depends on besides happens on a partner: at the Enter of a call that only
 * starts something. Of several events the latest counts. Ignored if the call does not need the
 * partner. To be called by the owner of the call's process, after all of its needs.
 * @param ends  Leave of the partner's call */
void fm_progress_set_event(struct fm_progress *progress, struct fm_call_ref call, uint32_t partner,
                           uint64_t event, uint64_t ends);

/** Adds a trial to a process. To be called by its owner, in the order of `trials`. */
void fm_progress_try(struct fm_process_needs *needs, uint32_t call, uint64_t since);

/** Asks the partners of all trials. Runs stages; collective. */
void fm_progress_ask(struct fm_progress *progress);

/** Forgets the trials of a process and the answers. To be called by its owner. */
void fm_progress_forget_trials(struct fm_process_needs *needs);

/** @return when what a call depends on besides happens on a partner; 0: nothing */
static inline uint64_t fm_need_event(const struct fm_process_needs *needs,
                                     const struct fm_partner *partner)
{
    return partner->times == FM_NONE ? 0 : needs->times.items[partner->times].event;
}

/** @return when the need of a call for a partner begins in a trial; UINT64_MAX: the partner has
 * nothing to serve then. @param enter  of the call */
static inline uint64_t fm_need_begin(const struct fm_process_needs *needs,
                                     const struct fm_partner *partner,
                                     const struct fm_need_trial *trial, uint64_t enter)
{
    uint64_t begin = trial->since > enter ? trial->since : enter;
    if (partner->times == FM_NONE) {
        return begin;
    }
    const struct fm_partner_times *times = &needs->times.items[partner->times];
    begin = times->begin > begin ? times->begin : begin;
    return times->until <= begin ? UINT64_MAX : begin;
}

#endif
