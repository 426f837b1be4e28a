/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Implementation of marks (fermata/fermata.h) in the recorder.
 */
#ifndef FERMATA_RECORD_USER_FUNCTIONS_H
#define FERMATA_RECORD_USER_FUNCTIONS_H

#include "record/archive/define.h"
#include "record/capture/thread.h"
#include "user/interface.h"

/** Table of the functions below, for libfermata-user. */
extern const struct fm_user_functions fm_user_functions;

/* Documented in user/interface.h. In region.c: */
void *fm_user_define_region(struct fm_text name, struct fm_text file, uint32_t line, uint32_t kind);
void fm_user_begin_region(void *region);
void fm_user_end_region(const void *region);
void fm_user_end_region_named(struct fm_text name);

/** Switches the records of regions that begin from now on off or on, in all threads. Regions that
 * are open then end as they began. Thread-safe. */
void fm_user_switch_regions(bool off);

/* In value.c: */
void *fm_user_define_parameter(struct fm_text name, bool is_text);
void *fm_user_define_parameter_unsigned(struct fm_text name);
void fm_user_set_parameter(const void *parameter, int64_t value);
void fm_user_set_parameter_text(const void *parameter, struct fm_text value);
void *fm_user_define_counter(struct fm_text name, struct fm_text unit, uint32_t kind, bool is_real);
void fm_user_count(const void *counter, int64_t value);
void fm_user_count_real(const void *counter, double value);
void fm_user_mark(struct fm_text text);

/* In functions.c: */
void fm_user_flight_dump(void);

/** The unique object for a definition: the object of an earlier call for the same definition (then
 * `candidate` is freed), else `candidate`, which was allocated by malloc. Thread-safe.
 * @return NULL without memory (`candidate` is freed) */
void *fm_user_object(enum fm_define_kind kind, uint32_t number, void *candidate);

/** Copy of a text with a terminating zero byte, to be freed; NULL without memory. */
char *fm_user_copy(struct fm_text text);

/** Begins to write records between calls.
 * @param now     out: time of the records
 * @param merges  they may be merged with others; else the open merged visits are told
 * @return the calling thread, for which the caller calls fm_user_done() at the end; NULL: nothing
 * is recorded (any more), or the thread is inside a recorded call */
static inline __attribute__((always_inline)) struct fm_thread *fm_user_thread(uint64_t *now,
                                                                              bool merges)
{
    struct fm_thread *thread = fm_thread_self;
    if (__builtin_expect(thread == NULL, 0)) {
        thread = fm_thread_attach();
        if (thread == NULL) {
            return NULL;
        }
    }
    if (__builtin_expect(fm_thread_is_quiet(thread), 0) &&
        !fm_thread_end_left_call(thread, FM_HERE)) {
        return NULL;
    }
    fm_meter_begin(&thread->meters, FM_METER_MARKS);
    thread->is_marking = 1;
    fm_signal_fence();
    if (__builtin_expect(thread->visits.count != 0, 0) && !merges) {
        const struct fm_here here = FM_HERE;
        fm_merged_visits_tell(thread, &here);
    }
    *now = fm_clock_now();
    if (__builtin_expect(*now >= __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED), 0)) {
        fm_thread_flush(thread);
        *now = fm_clock_now();
    }
    if (__builtin_expect(thread->functions.due, 0) && !(merges && thread->visits.count != 0)) {
        if (thread->stack != NULL) {
            fm_thread_note_stack(thread, FM_HERE);
        }
        fm_functions_tell(thread, *now);
    }
    return thread;
}

/** Ends what fm_user_thread() has begun: samples are possible again. */
static inline void fm_user_done(struct fm_thread *thread)
{
    fm_signal_fence();
    thread->is_marking = 0;
    fm_meter_end(&thread->meters);
}

/** Room for a record of `words` words. The record becomes valid with fm_user_written: another
 * thread may save or end the recording at any time, and then reads the valid records. */
static inline uint64_t *fm_user_room(struct fm_thread *thread, int words)
{
    if (__builtin_expect(thread->limit - thread->cursor < words, 0)) {
        return fm_thread_grow(thread, (size_t)words);
    }
    return thread->cursor;
}

/** Makes a complete record valid; `end` is the place behind it. */
static inline void fm_user_written(struct fm_thread *thread, uint64_t *end)
{
    __atomic_store_n(&thread->cursor, end, __ATOMIC_RELEASE);
    fm_thread_publish(thread);
}

#endif
