/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common functions of all wrappers. Included after the paradigm's generated functions.h, by the
 * paradigm's header that its generated sources include.
 */
#ifndef FERMATA_RECORD_PARADIGM_WRAPPER_H
#define FERMATA_RECORD_PARADIGM_WRAPPER_H

#include "record/capture/thread.h"
#include "record/paradigm/paradigm.h"
#include "record/session/session.h"

/** Number of the paradigm's first function (fm_paradigm.first). */
extern FM_HIDDEN uint32_t fm_first_function;

/** Functions of the paradigm's library, for paradigms whose functions have no second names
 * (fm_paradigm.next). */
extern FM_HIDDEN fm_function_t fm_next_functions[];

/** Begins a call of the paradigm.
 * @param function  its number in the paradigm: FM_FUNCTION_name
 * @return as fm_thread_enter */
static inline __attribute__((always_inline)) struct fm_thread *fm_call_enter(uint32_t function)
{
    return fm_thread_enter(fm_first_function + function);
}

/** fm_call_enter() of a call that leaves nothing behind which later calls refer to. While counting
 * is switched off (fm_calls_are_off), it returns NULL: the call is not noted, at the cost of a
 * branch here and of the wrapper's own test for NULL. */
static inline __attribute__((always_inline)) struct fm_thread *
fm_call_enter_brief(uint32_t function)
{
    return FM_UNLIKELY(__atomic_load_n(&fm_calls_are_off, __ATOMIC_RELAXED))
               ? NULL
               : fm_call_enter(function);
}

/** Ends a call that has no operations. `thread` may be NULL. */
static inline void fm_call_leave(struct fm_thread *thread)
{
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        fm_thread_done(thread);
    }
}

/** Ends a local call without operations, which may be merged with others. `thread` may be NULL. */
static inline void fm_call_leave_local(struct fm_thread *thread)
{
    if (thread != NULL) {
        const uint64_t now = fm_clock_now();
        if (thread->merging.attention == 0 || !fm_merged_add(thread, now, NULL, false)) {
            fm_thread_leave_brief_at(thread, now, false);
            fm_thread_done(thread);
        }
    }
}

/** Ends a call without operations that is a test. `thread` may be NULL. */
static inline void fm_call_leave_test(struct fm_thread *thread, bool has_failed)
{
    if (thread != NULL) {
        const uint64_t now = fm_clock_now();
        if (!has_failed || thread->merging.attention == 0 ||
            !fm_merged_add(thread, now, NULL, true)) {
            fm_thread_leave_test_at(thread, now, has_failed);
            fm_thread_done(thread);
        }
    }
}

/** Ends a call without operations at `time`: a fm_last_call_t. */
static inline void fm_call_ends_at(struct fm_thread *thread, uint64_t time)
{
    fm_thread_leave_at(thread, time, 0);
}

/** Bodies of wrappers that record only Enter and Leave, for functions with and without a result. */
#define FM_RECORD_PLAIN(type, name, call)                                                          \
    struct fm_thread *fm_caller = fm_call_enter_brief(FM_FUNCTION_##name);                         \
    type fm_outcome = call;                                                                        \
    fm_call_leave(fm_caller);                                                                      \
    return fm_outcome

#define FM_RECORD_PLAIN_VOID(name, call)                                                           \
    struct fm_thread *fm_caller = fm_call_enter_brief(FM_FUNCTION_##name);                         \
    call;                                                                                          \
    fm_call_leave(fm_caller)

/** The same of local functions (src/functions). */
#define FM_RECORD_LOCAL(type, name, call)                                                          \
    struct fm_thread *fm_caller = fm_call_enter_brief(FM_FUNCTION_##name);                         \
    type fm_outcome = call;                                                                        \
    fm_call_leave_local(fm_caller);                                                                \
    return fm_outcome

#define FM_RECORD_LOCAL_VOID(name, call)                                                           \
    struct fm_thread *fm_caller = fm_call_enter_brief(FM_FUNCTION_##name);                         \
    call;                                                                                          \
    fm_call_leave_local(fm_caller)

/** The same of a test that completes nothing; `failed`: whether it has failed. */
#define FM_RECORD_TEST(type, name, call, failed)                                                   \
    struct fm_thread *fm_caller = fm_call_enter_brief(FM_FUNCTION_##name);                         \
    type outcome = call;                                                                           \
    fm_call_leave_test(fm_caller, failed);                                                         \
    return outcome

/** Bodies of wrappers that end with a statement of the table, which ends the recorded call: it is
 * executed with `thread`, not NULL, and with `outcome`, the result of the call. So is `open` in
 * front of the call, which states what that waits for (open_call.h). */
#define FM_RECORD(type, name, call, open, record)                                                  \
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                                  \
    if (FM_LIKELY(thread != NULL)) {                                                               \
        open;                                                                                      \
    }                                                                                              \
    type outcome = call;                                                                           \
    if (FM_LIKELY(thread != NULL)) {                                                               \
        record;                                                                                    \
    }                                                                                              \
    return outcome

#define FM_RECORD_VOID(name, call, open, record)                                                   \
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                                  \
    if (FM_LIKELY(thread != NULL)) {                                                               \
        open;                                                                                      \
    }                                                                                              \
    call;                                                                                          \
    if (FM_LIKELY(thread != NULL)) {                                                               \
        record;                                                                                    \
    }

#endif
