/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Regions of the constructs of OpenMP. A region belongs to a construct and to the call by which the
 * program enters it; its name (`!$omp parallel @file.c:17`) is determined at the end of the run
 * (construct_names.h), when the source lines of calls are known. Until then its definition contains
 * the number of the call site.
 *
 * Constructs are marked regions (record kinds REGION_ENTER and REGION_LEAVE): they nest with the
 * call stack, with the regions that the program marks, and with pauses of the recording.
 */
#ifndef FERMATA_RECORD_CONSTRUCTS_CONSTRUCT_H
#define FERMATA_RECORD_CONSTRUCTS_CONSTRUCT_H

#include "record/capture/thread.h"
#include "record/stack/places.h"

/** The constructs (constructs.def). */
enum fm_construct {
#define FM_CONSTRUCT_ROW(symbol, name) FM_CONSTRUCT_##symbol,
#include "record/constructs/constructs.def"
#undef FM_CONSTRUCT_ROW
    FM_CONSTRUCT_COUNT
};

/** In a definition of a region: `line` is the number of the call site. */
#define FM_REGION_AT_SITE ((uint32_t)1 << 31)
/** Also flag then: the call site is the begin of a function that the compiler has made of the
 * construct. */
#define FM_REGION_AT_BEGIN ((uint32_t)1 << 30)

/** The region of a construct at a place. Its address has room for the flags of an open region. */
struct fm_construct_region {
    /** Must be first: an item of fm_thread.open. */
    _Alignas(FM_OPEN_FLAGS + 1) struct fm_open_region open;
    enum fm_construct construct;
    uint64_t pc; /**< as in fm_construct_at */
    /** Of the implicit barrier at its end; NULL: not asked for yet. Atomic. */
    const struct fm_construct_region *barrier;
};

/** Finds the region of a construct. The first look-up defines it; later ones take no lock and no
 * system call. errno is preserved.
 * @param pc  return address of the call that enters the construct, or the begin of the function
 * that the compiler has made of it | FM_PLACE_FUNCTION; 0: not known
 * @return NULL: the run is ending, or no memory */
FM_API const struct fm_construct_region *fm_construct_at(enum fm_construct construct, uint64_t pc);

/** A construct and a place as one number, not 0. */
static inline uint64_t fm_construct_key(enum fm_construct construct, uint64_t pc)
{
    enum { CONSTRUCT_BITS = 8 };
    return pc << CONSTRUCT_BITS | (uint64_t)(construct + 1);
}

/** fm_construct_near() for a region that the thread has not found recently. */
FM_API FM_COLD const struct fm_construct_region *
fm_construct_far(struct fm_thread *thread, enum fm_construct construct, uint64_t pc);

/** fm_construct_at() for a construct that the thread executes again and again: from the thread's
 * own copy of its recent look-ups, without a call. */
FM_INLINE const struct fm_construct_region *
fm_construct_near(struct fm_thread *thread, enum fm_construct construct, uint64_t pc)
{
    const struct fm_cache_entry *entry = &thread->constructs[(pc + construct) % FM_CACHE_SIZE];
    if (FM_LIKELY(entry->handle == fm_construct_key(construct, pc) &&
                  entry->generation == __atomic_load_n(&fm_places_generation, __ATOMIC_RELAXED))) {
        return entry->object;
    }
    return fm_construct_far(thread, construct, pc);
}

/** fm_construct_barrier() for the first time. */
FM_API FM_COLD const struct fm_construct_region *
fm_construct_define_barrier(const struct fm_construct_region *region);

/** The region of the implicit barrier at the end of a construct: fm_construct_at() for its place.
 */
FM_INLINE const struct fm_construct_region *
fm_construct_barrier(const struct fm_construct_region *region)
{
    const struct fm_construct_region *barrier = __atomic_load_n(&region->barrier, __ATOMIC_ACQUIRE);
    return FM_LIKELY(barrier != NULL) ? barrier : fm_construct_define_barrier(region);
}

/** The meter of a construct. */
FM_INLINE enum fm_meter_kind fm_construct_meter(enum fm_construct construct)
{
    switch (construct) {
    case FM_CONSTRUCT_TASK:
    case FM_CONSTRUCT_TASK_CREATE:
    case FM_CONSTRUCT_TASKLOOP:
    case FM_CONSTRUCT_TASKGROUP:
    case FM_CONSTRUCT_TASKWAIT:
        return FM_METER_TASKS;
    case FM_CONSTRUCT_ATOMIC:
    case FM_CONSTRUCT_CRITICAL:
    case FM_CONSTRUCT_CRITICAL_SBLOCK:
        return FM_METER_LOCKS;
    default:
        return FM_METER_CONSTRUCTS;
    }
}

/** fm_construct_time() with the decision whether the present section merges what it enters. If it
 * does not, the open merged visits are told. */
FM_INLINE uint64_t fm_construct_time_as(struct fm_thread *thread, enum fm_meter_kind kind,
                                        struct fm_here here, bool stack, bool merges)
{
    fm_meter_begin(&thread->meters, kind);
    thread->is_marking = 1;
    fm_signal_fence();
    thread->visits.wanted = merges;
    if (FM_UNLIKELY(merges)) {
        thread->visits.here = here;
    } else {
        if (FM_UNLIKELY(thread->visits.count != 0)) {
            fm_merged_visits_tell(thread, &here);
        }
        if (stack && thread->stack != NULL) {
            fm_thread_note_stack(thread, here);
        }
    }
    thread->enter = fm_clock_now();
    if (FM_UNLIKELY(thread->functions.due) && !merges) {
        fm_functions_tell(thread, thread->enter);
    }
    if (FM_UNLIKELY(thread->enter - thread->left >=
                    __atomic_load_n(&thread->stretch_least, __ATOMIC_RELAXED))) {
        fm_processor_enter(thread, thread->function);
    }
    if (FM_UNLIKELY(thread->enter >= __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED))) {
        fm_thread_attend(thread, here);
    }
    return thread->enter;
}

/** Begins to record a construct at the present time, between calls. The call stack is recorded,
 * too, unless `here` is that of a function that is not called by the program (stack == false), or
 * the construct is merged with others (fm_thread_merges).
 * @param kind  of the construct (fm_construct_meter)
 * @return the time; 0: nothing is recorded (inside a recorded call, or recording is over) */
FM_INLINE uint64_t fm_construct_time(struct fm_thread *thread, enum fm_meter_kind kind,
                                     struct fm_here here, bool stack)
{
    return fm_construct_time_as(thread, kind, here, stack,
                                (FM_METERS_MERGED >> kind & 1) != 0 &&
                                    fm_thread_merges(thread, kind));
}

/** Whether the region of an item of fm_thread.open is merged with others. */
FM_INLINE bool fm_construct_is_merged(const struct fm_thread *thread, size_t item)
{
    return FM_UNLIKELY(thread->visits.count != 0) && item < thread->open.count &&
           thread->open.count - item <= thread->visits.regions;
}

/** The same, to leave the open region number `item`. */
FM_INLINE uint64_t fm_construct_time_left(struct fm_thread *thread, enum fm_meter_kind kind,
                                          struct fm_here here, size_t item)
{
    return fm_construct_time_as(thread, kind, here, true, fm_construct_is_merged(thread, item));
}

/** Ends what fm_construct_time() has begun: the records are complete. */
static inline void fm_construct_done(struct fm_thread *thread)
{
    fm_thread_publish(thread);
    fm_signal_fence();
    thread->is_marking = 0;
    fm_meter_end(&thread->meters);
}

/** Ends a wait of the thread: computation begins at `time`. To be called before fm_construct_done.
 */
static inline void fm_construct_computes(struct fm_thread *thread, uint64_t time)
{
    thread->left = time;
    if (FM_UNLIKELY(time >= __atomic_load_n(&thread->reading_due, __ATOMIC_RELAXED))) {
        fm_processor_leave(thread);
    }
}

/** Records the acquisition of a lock that fm_construct_take() has kept for a merged visit. */
FM_API FM_COLD void fm_construct_record_taken(struct fm_thread *thread, uint64_t time);

/** Records that a region is entered. */
static inline void fm_construct_enter(struct fm_thread *thread,
                                      const struct fm_construct_region *region, uint64_t time)
{
    if (FM_UNLIKELY(thread->visits.wanted) && region != NULL &&
        fm_visit_enter(thread, fm_visit_key(FM_VISITED_REGION, region->open.number), time,
                       thread->visits.here)) {
        if (!fm_nesting_push(&thread->open, (uintptr_t)region)) {
            fm_visit_leave(thread, time);
        }
        return;
    }
    thread->visits.wanted = 0;
    if (FM_UNLIKELY(thread->visits.taken != 0)) {
        fm_construct_record_taken(thread, time);
    }
    if (FM_LIKELY(region != NULL && fm_nesting_push(&thread->open, (uintptr_t)region))) {
        uint64_t *place = fm_thread_reserve(thread, FM_WORDS_REGION_ENTER);
        place[0] = fm_record_header(FM_RECORD_REGION_ENTER, 0, region->open.number);
        place[1] = time;
    }
}

/** The region of an item of fm_thread.open; NULL: it is not a construct. */
static inline const struct fm_construct_region *fm_construct_open(const struct fm_thread *thread,
                                                                  size_t item)
{
    const struct fm_open_region *region = fm_open_region(thread->open.regions[item]);
    return region->is_construct ? (const struct fm_construct_region *)region : NULL;
}

/** The innermost open region of a construct inside the innermost parallel region.
 * @return its item of fm_thread.open; thread->open.count: there is none */
static inline size_t fm_construct_find(const struct fm_thread *thread, enum fm_construct construct)
{
    for (size_t i = thread->open.count; i-- > 0;) {
        const struct fm_construct_region *region = fm_construct_open(thread, i);
        if (region != NULL && region->construct == construct) {
            return i;
        }
        if (region != NULL && region->construct == FM_CONSTRUCT_PARALLEL) {
            break;
        }
    }
    return thread->open.count;
}

/** Records that the open region number `item` and the regions inside it are left. Without effect if
 * there is none. */
static inline void fm_construct_leave(struct fm_thread *thread, size_t item, uint64_t time)
{
    if (FM_UNLIKELY(item >= thread->open.count) ||
        (FM_UNLIKELY(thread->visits.count != 0) && fm_visit_leave_open(thread, item, time))) {
        return;
    }
    uint64_t *place = fm_thread_reserve(thread, FM_WORDS_REGION_LEAVE);
    place[0] = fm_record_header(FM_RECORD_REGION_LEAVE, 0,
                                fm_open_region(thread->open.regions[item])->number);
    place[1] = time;
    thread->open.count = item;
}

/** Records a record of two further words: the time and a value. */
static inline void fm_construct_note(struct fm_thread *thread, enum fm_record_kind kind,
                                     uint32_t aux, uint32_t ref, uint64_t time, uint64_t value)
{
    uint64_t *place = fm_thread_reserve(thread, FM_WORDS_TEAM_BEGIN);
    place[0] = fm_record_header(kind, aux, ref);
    place[1] = time;
    place[2] = value;
}

/** Records that a lock has been taken, in front of the region that is entered next.
 * @param order  of its acquisitions */
static inline void fm_construct_take(struct fm_thread *thread, uint32_t paradigm, uint32_t lock,
                                     uint64_t time, uint64_t order)
{
    if (FM_UNLIKELY(thread->visits.wanted)) {
        thread->visits.taken = fm_record_header(FM_RECORD_LOCK_TAKEN, paradigm, lock);
        thread->visits.order = order;
    } else {
        fm_construct_note(thread, FM_RECORD_LOCK_TAKEN, paradigm, lock, time, order);
    }
}

#endif
