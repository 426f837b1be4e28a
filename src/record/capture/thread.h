/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Threads of the recorded process and their buffers of compact records.
 *
 * A thread becomes a location at its first recorded call. Its records go to a list of chunks that
 * only this thread changes. When a chunk is full the thread takes another from the process's memory
 * budget; when the budget is spent, and at intervals (fm_threads_interval), it passes its chunks to
 * the flush function and reuses them. The chunks lie in the buffer file of the process
 * (buffers/buffer_file.h) once there is one: then all records up to `*ends` survive the process.
 * When a thread ends, its location becomes available to a later thread: there are never more
 * locations than threads that recorded at the same time.
 *
 * A program may leave a call without returning from it: by a C++ exception or longjmp() in a
 * function that the library calls, such as an error handler. Such a call ends at the thread's next
 * event (fm_thread_end_left_call).
 *
 * Other threads, and signal handlers, may read a thread's records up to `*ends`.
 */
#ifndef FERMATA_RECORD_CAPTURE_THREAD_H
#define FERMATA_RECORD_CAPTURE_THREAD_H

#include "record/brief/merged_calls.h"
#include "record/brief/merged_visits.h"
#include "record/brief/meter.h"
#include "record/buffers/buffer_layout.h"
#include "record/capture/clock.h"
#include "record/capture/instrumented_functions.h"
#include "record/capture/nesting.h"
#include "record/capture/record.h"
#include "record/computation/stolen_time.h"
#include "record/conversion/dropped.h"
#include "record/conversion/paths/path.h"
#include "record/conversion/stream_events.h"
#include "record/counting/count.h"
#include "record/flight/cut.h"
#include "record/sampling/sample.h"
#include "record/selection/pause.h"
#include "record/stack/bounds.h"
#include "record/stack/registers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_stack_change;

enum { FM_CACHE_SIZE = 8 };

/** Per-thread copy of recent look-ups in a handle map (handles.h). */
struct fm_cache_entry {
    uint64_t handle;
    uint64_t generation;
    void *object;
};

/** A region of user code that is open in a thread. May be the first member of a larger structure.
 */
struct fm_open_region {
    uint32_t number;                /**< of its definition */
    bool is_phase;                  /**< visits are recorded from their begin, or not at all */
    bool is_selected;               /**< only visits of it are recorded (selected.h) */
    bool is_construct;              /**< it is a struct fm_construct_region (construct.h) */
    struct fm_phase_visits *visits; /**< of a phase; else NULL */
};

/** Set in an entry of fm_thread.open: the region is open, but its Enter was not recorded. */
#define FM_OPEN_UNRECORDED ((uint64_t)1)
/** Also flags of such an entry: recording is active because of this visit; the visit is an
 * iteration, which may be skipped, and it is skipped (size_limit.h). */
#define FM_OPEN_SELECTED  ((uint64_t)2)
#define FM_OPEN_ITERATION ((uint64_t)4)
#define FM_OPEN_SKIPPED   ((uint64_t)8)
/** All of these flags. */
#define FM_OPEN_FLAGS ((uint64_t)15)

/** fm_thread.depth in a call of a library that is based on another one and leaves the communication
 * of the recorder to it: the run may begin in an inner call, which is not recorded. */
enum { FM_DEPTH_LENDING = 2 };

/** fm_thread.depth in a recorded call that a library reports by callbacks: no frame of the recorder
 * is on the stack while the call lasts, so that nothing shows whether the program has left it. */
enum { FM_DEPTH_REPORTED = 4 };

/** fm_thread.depth in a runtime of OpenMP, which has no recorded call: it waits, starts threads, or
 * calls functions of the program. */
enum { FM_DEPTH_RUNTIME = 3 };

/** The life of a thread whose creation is recorded. Zeroed = none is. */
struct fm_thread_life {
    uint64_t number; /**< of its creation, from 1 on; 0: the begin of the thread is not recorded */
    uint32_t paradigm; /**< OTF2_Paradigm that created it */
    uint32_t site;     /**< call site of the first instruction of its function; FM_SITE_UNKNOWN */
};

/** A lock that a thread holds, and that can be shared: the acquisition. */
struct fm_thread_held {
    const void *lock;
    uint64_t order; /**< of the lock's acquisitions */
    uint64_t time;
    uint64_t in; /**< return address of the acquiring call */
    bool is_record;
};

/** Shared locks of a thread that are known; it may hold more. */
enum { FM_HELD_MOST = 8 };

/** A thread as a member of teams that other threads fork (team_end.h). */
struct fm_thread_member {
    uint64_t instance; /**< the team whose end the thread has not recorded yet; 0: none */
    size_t item;       /**< of fm_thread.open: the region of the team's construct */
    uint64_t ended;    /**< the last team that has ended, and when; written by the thread that */
    uint64_t ended_at; /**< forked it, and read by this thread when it is in the next team */
    void *team;        /**< the innermost team, an object of the paradigm */
    void *unused;      /**< memory for teams, a list that belongs to the paradigm */
    uint32_t number;   /**< in the innermost team */
    uint32_t tasks;    /**< generation number of the last task that the thread created */
    struct fm_thread *next; /**< list of the members of a team */
};

/** A thread of the process. All fields belong to the thread itself, except where noted. */
struct fm_thread {
    /* The members that every call accesses occupy two cache lines. */
    uint64_t *cursor;       /**< place of the next record */
    uint64_t *limit;        /**< end of the current chunk */
    uint64_t **publish;     /**< `ends`; while recording is paused, &unpublished */
    uint64_t enter;         /**< Enter of the open call */
    uint64_t flush_due;     /**< an Enter at or after this time calls fm_thread_flush first; also
                                 written by other threads (pause.h) */
    struct fm_stack *stack; /**< its call stack (stack/stack.h); NULL: it is not recorded now */
    uint32_t depth;         /**< nesting of recorded calls; not 0: do not record;
                                 FM_DEPTH_LENDING, FM_DEPTH_RUNTIME, FM_DEPTH_REPORTED */
    uint32_t over;          /**< not 0: recording has ended; set by fm_threads_end */
    uint32_t function;      /**< function of the open call */
    uint32_t is_marking;    /**< not 0: a mark of the program is being recorded; no samples */

    struct fm_shown_call *shown; /**< the open call, for readers of the buffer file: in `slot`, or
                                     in memory of the process */
    uint64_t next_id;            /**< last assigned request or matching id */
    uint32_t index;              /**< number of the thread in its process, in order of appearance */
    uint32_t told_sites; /**< call sites below this number are defined (fm_thread_tell_sites) */
    struct fm_here call; /**< the wrapper of the open call, and ... */
    uint64_t returns_to; /**< the address that it returns to */
    /* The members that measure stretches of computation (stolen_time.h). */
    uint64_t left;                /**< Leave of the last call; 0: none */
    uint64_t stretch_least;       /**< ticks of a long stretch; UINT64_MAX: nothing is measured */
    uint64_t reading_due;         /**< a Leave at or after this time reads the CPU clock */
    uint64_t long_after;          /**< bit of function % 64: so does a Leave of this function */
    struct fm_counting *counting; /**< counts the records (count.h); NULL: nobody does */
    struct fm_thread_functions functions;
    struct fm_meters meters;
    struct fm_merging merging;
    struct fm_merged_visits visits;
    uint64_t flushing; /**< ticks spent on writing buffers */
    uint64_t *unpublished;
    uint32_t saves;   /**< atomic: how often fm_thread_settle has stored an end */
    uint32_t writing; /**< not 0: the records are being written to the journal (fm_thread_claim) */
    struct fm_cache_entry cache[7][FM_CACHE_SIZE];   /**< of each handle map (handles.h) */
    struct fm_cache_entry constructs[FM_CACHE_SIZE]; /**< of regions (construct.h) */
    void *scratch[2];                                /**< fm_thread_scratch */
    size_t scratch_size[2];

    struct fm_nesting open; /**< regions of user code: struct fm_open_region * | FM_OPEN_ flags */
    uint32_t iterations;    /**< open entries with FM_OPEN_ITERATION */
    struct fm_thread_pause pause;
    struct fm_thread_samples samples;
    struct fm_thread_processor processor;
    struct fm_own_stack own_stack;
    struct fm_thread_life life;
    struct fm_thread_held held[FM_HELD_MOST];
    uint32_t held_count;
    uint32_t awaits;         /**< number of the object that the open call waits for; 0: none */
    uint64_t flushed_at_end; /**< time of the last flush at the end of a thread of this location */
    struct fm_thread_member member;

    uint64_t *done;  /**< where `ends` points to without a buffer file */
    uint64_t **ends; /**< the end of the complete records, a place in one of the chunks: in `slot`,
                          or `done` */
    struct fm_buffer_slot *slot; /**< in the buffer file; NULL: the records are not in one */
    struct fm_chunk *front;      /**< in the buffer file; NULL: nothing is lost (last_records.c) */
    struct fm_chunk *first;      /**< oldest chunk with records */
    struct fm_chunk *current;    /**< chunk being filled */
    struct fm_chunk *spare;      /**< chunks to be reused */
    size_t chunks;               /**< number of chunks, including those to be reused */
    uint64_t filled;             /**< words recorded before the current chunk, in total */
    uint64_t counted;            /**< words that fm_size_limit_check has counted */
    uint64_t part;               /**< fm_thread_attach_as; constant */
    bool is_unused;              /**< no thread has come yet (fm_thread_attach_as) */
    bool is_stream;              /**< of an accelerator (fm_thread_add_stream); constant */
    uint64_t owner;              /**< the thread that records here, or did last (pthread_self), */
    int32_t system_id;           /**< and its ID in the system; atomic */
    struct fm_thread *next;      /**< list of all threads; constant */
    struct fm_thread *idle;      /**< list of locations whose thread has ended */

    /* Guarded by `writing`: */
    struct fm_chunk *kept_chunk; /**< the journal has all records before `kept` in this chunk; */
    const uint64_t *kept;        /**< NULL: the journal has none of the records in memory */
    uint64_t journaled;          /**< words of records in the journal */
    const uint64_t *settled;     /**< fm_thread_settle; NULL: none */
    struct fm_cut cut;           /**< summary of the records before `passed` */
    struct fm_chunk *passed_chunk;
    const uint64_t *passed; /**< in that chunk; NULL: before all records in memory */

    uint32_t rank; /**< of the process; set when the archive is written */

    void *writer; /**< of the archive; used at the end of the run, like the members below */
    struct fm_chunk *converted_chunk; /**< chunk of `converted` */
    const uint64_t *converted;        /**< end of the records in memory that are in the archive */
    uint64_t last_time;               /**< time of the last event written */
    uint64_t pending_leave;           /**< Leave to be written after the call's operations */
    uint64_t pending_length;          /**< duration of that call by its record */
    uint32_t pending_region;          /**< region number of the call's events */
    bool pending;                     /**< whether a Leave is pending */
    bool is_in_call;                  /**< the last event is in a call that is never left */
    uint64_t bytes_above;             /**< BYTES_ABOVE record before the next record; 0: none */
    bool visits_compared;      /**< with those at the next call already (fm_convert_open_call) */
    uint64_t flush_begin[2];   /**< begin and end of a flush that is to be recorded; 0: none */
    uint64_t events;           /**< events written */
    uint64_t stretch[7];       /**< words of a PROCESSOR record without its time that precedes the
                                  next call; 0: none */
    bool off;                  /**< recording was paused at the last record */
    struct fm_dropped dropped; /**< records that are left out now */
    uint64_t gap;              /**< time of the last sample that was lost */
    uint64_t sampled;          /**< time of the last sample that was not */
    uint64_t sample_reach;     /**< after it, an event is this near or comes after another sample */
    uint64_t held_since;       /**< begin of the hold that the next call ends; 0: none known */
    uint32_t held_in;          /**< function that took the lock then: number of its region */
    struct fm_path path;       /**< open regions */
    bool has_forked;           /**< the next team is one that this thread forked */
    struct fm_nesting teams;   /**< open teams (team_events.c) */
    struct fm_stream_events stream; /**< its work, if the location is a stream */
};

/** The calling thread; NULL before its first recorded call. */
extern FM_API __thread struct fm_thread *fm_thread_self __attribute__((tls_model("initial-exec")));

/** Sets the memory budget for records.
 * @param bytes  for all threads together; each thread gets at least two chunks
 * @param flush  stores all records of `thread` and calls fm_thread_reuse; called by the thread
 *               itself. `full`: there is no memory left, else the interval has passed. Returns
 *               false if the records stay in memory. */
void fm_threads_begin(size_t bytes, bool (*flush)(struct fm_thread *thread, bool full));

/** Lowers the memory budget to `bytes`, if it is larger. */
void fm_threads_limit(size_t bytes);

/** Moves the thread's records to the buffer file of the process, where later ones follow. Called by
 * the thread itself, which has claimed them. Without room for that, and if they are there, nothing
 * changes. errno is preserved. */
void fm_thread_move_to_file(struct fm_thread *thread);

/** Selects that nothing is flushed when memory is spent: the oldest records are discarded
 * (fm_thread.cut). Called before the first thread attaches.
 * @param function_name  names functions in records */
void fm_threads_keep_last(const char *(*function_name)(uint32_t function));

/** Passes records of the settled thread that the journal does not have to fm_thread.cut as lost: up
 * to the first call or record between calls at or after `time`, and records without own time before
 * that one.
 * @return the remaining records */
struct fm_extent fm_thread_cut_before(struct fm_thread *thread, uint64_t time);

/** Time of the settled thread's first record that the journal does not have, if older records are
 * lost; else 0. */
uint64_t fm_thread_first_kept(const struct fm_thread *thread);

/** Makes every thread call fm_thread_flush before its next call. Takes no lock: may be called
 * anywhere, also in signal handlers. */
void fm_threads_attend(void);

/** Sets the maximum time, in ticks, that records stay in memory before the next call flushes them;
 * UINT64_MAX: until memory is full. For the calling thread and later threads. */
void fm_threads_interval(uint64_t ticks);

/** Claims the thread's records to write them to the journal. Only one claim is possible at a time.
 * @return whether the caller has the claim; fm_thread_unclaim ends it */
static inline bool fm_thread_claim(struct fm_thread *thread)
{
    return __atomic_exchange_n(&thread->writing, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void fm_thread_unclaim(struct fm_thread *thread)
{
    __atomic_store_n(&thread->writing, 0, __ATOMIC_RELEASE);
}

/** Does what is due before the next call: begins or ends a pause (pause.h), or flushes after the
 * interval. Called between calls. errno is preserved. */
FM_COLD void fm_thread_flush(struct fm_thread *thread);

/** fm_thread_flush() at the begin of a call; then reads the call's Enter again. */
FM_API void fm_thread_attend(struct fm_thread *thread, struct fm_here here);

/** Region of an entry of fm_thread.open. */
static inline const struct fm_open_region *fm_open_region(uint64_t entry)
{
    return (const struct fm_open_region *)(uintptr_t)(entry & ~FM_OPEN_FLAGS);
}

/** Makes the calling thread a location, or gives it the location of a thread that has ended, unless
 * recording is over.
 * @return the thread; NULL: it is not recorded. errno is preserved. */
FM_API FM_COLD struct fm_thread *fm_thread_attach(void);

/** Makes the calling thread a location and records its begin; its end is recorded when it ends.
 * @param paradigm  OTF2_Paradigm that created it
 * @param number    of its creation, unique in the process, from 1 on
 * @param routine   address of the function that the thread executes
 * @param provided  location that the creator has provided, which is taken or given back; may be
 * NULL
 * @return the thread; NULL: it is not recorded. errno is preserved. */
FM_API FM_COLD struct fm_thread *fm_thread_begin(uint32_t paradigm, uint64_t number,
                                                 uint64_t routine, struct fm_thread *provided);

/** Provides a location for a thread that the calling thread is going to create: locations have the
 * order in which threads are created, not that in which they begin to run.
 * @return for fm_thread_begin or fm_thread_give_back; NULL: the thread may take any. errno is
 * preserved. */
FM_API FM_COLD struct fm_thread *fm_thread_provide(void);

/** Gives back a location that was provided. NULL is allowed. */
FM_API FM_COLD void fm_thread_give_back(struct fm_thread *thread);

/** Call site of a return address, or of any other place (places.h), defined for records of the
 * thread; FM_SITE_UNKNOWN: call stacks are not recorded, or the code is not shown. Not to be called
 * in signal handlers. errno is preserved. */
FM_API FM_COLD uint32_t fm_thread_site_of(struct fm_thread *thread, uint64_t place);

/** Adds a location that no thread has: a stream of an accelerator. Its records are written by any
 * thread, by one at a time: STREAM_WORK and STREAM_ACTIVITY records, by the next two functions.
 * @param name     number of its string
 * @param context  number that calls which wait for all of its streams name
 * @return NULL: recording is over, no thread is recorded yet, or there is no memory. errno is
 * preserved. */
FM_API FM_COLD struct fm_thread *fm_thread_add_stream(uint32_t name, uint32_t context);

/** Records a work of a stream; see record.h.
 * @param region  number of its definition
 * @param correlation  number that the record of its launch has */
FM_API FM_COLD void fm_stream_put(struct fm_thread *stream, uint32_t region, uint64_t begin,
                                  uint64_t end, uint64_t correlation);

/** Records what was active inside of the accelerator during a kernel of the stream, before or after
 * its work.
 * @param correlation  as that of the work
 * @param values       [fm_kernel_activity_t]: of the counters; NAN: not known */
FM_API FM_COLD void fm_stream_put_activity(struct fm_thread *stream, uint64_t correlation,
                                           const double *values);

/** Writes the records of a stream to the journal, if the interval has passed
 * (fm_threads_interval). */
FM_API FM_COLD void fm_stream_flush(struct fm_thread *stream);

/** fm_thread_attach() for a thread that plays a part in the program, such as the third thread of a
 * team: it gets the location of an earlier thread with the same part, and no other one. A new
 * location comes behind those of the threads with lower numbers in the team, which are made now if
 * their threads have not come yet.
 * @param part    not 0; the parts of a team are consecutive
 * @param number  in the team; part - number is that of its first thread */
FM_API FM_COLD struct fm_thread *fm_thread_attach_as(uint64_t part, uint32_t number);

/** The thread with an ID in the system; NULL: it is not recorded. */
FM_API FM_COLD struct fm_thread *fm_thread_of_system(int32_t id);

/** The next thread that has the lock `held`, and can share it, behind one of the list of all
 * threads (NULL: the first one).
 * @param acquisition  receives a copy, which may be out of date
 * @return NULL: there is none */
FM_API FM_COLD struct fm_thread *fm_thread_sharing(const struct fm_thread *behind, const void *held,
                                                   struct fm_thread_held *acquisition);

/** Whether the calling thread still has the location that it was given last. It has lost it if it
 * plays its part no longer, and another thread does (fm_thread_attach_as). */
static inline bool fm_thread_is_own(const struct fm_thread *thread)
{
    return __atomic_load_n(&thread->owner, __ATOMIC_RELAXED) == (uint64_t)pthread_self();
}

/** Makes room for `words` words in one chunk, flushing if necessary. errno is preserved. */
FM_API FM_COLD uint64_t *fm_thread_grow(struct fm_thread *thread, size_t words);

/** Begins a new chunk, if one is available without flushing. May be called in a signal handler of
 * the thread, between its calls. errno is not preserved. @return whether there is a new chunk */
bool fm_thread_extend(struct fm_thread *thread);

/** fm_thread_leave for long calls and full chunks. */
FM_API FM_COLD uint64_t *fm_thread_leave_slowly(struct fm_thread *thread, uint64_t now,
                                                size_t words);

/** Discards the words after a place in one of the thread's chunks. */
void fm_thread_rewind(struct fm_thread *thread, struct fm_chunk *chunk, uint64_t *place);

/** Makes every chunk of the thread available for reuse: its records are stored, or discarded.
 * Called by the thread itself. */
void fm_thread_reuse(struct fm_thread *thread);

/** Makes the chunks available for reuse that are completely in the journal, except the current
 * chunk. Called by the thread itself, which has claimed its records. */
void fm_thread_release(struct fm_thread *thread);

/** Ends recording in all threads; open calls are still recorded. @return the list of all threads */
struct fm_thread *fm_threads_end(void);

/** Records in memory that the journal does not have: from `begin` in `first` to `end` in `last`;
 * each chunk before `last` ends at its `used`. */
struct fm_extent {
    struct fm_chunk *first;
    const uint64_t *begin;
    struct fm_chunk *last;
    const uint64_t *end;
};

/** Begin of the records that the journal does not have; the caller sets `last` and `end`. */
static inline struct fm_extent fm_thread_unsaved_begin(const struct fm_thread *thread)
{
    if (thread->kept != NULL) {
        return (struct fm_extent){.first = thread->kept_chunk, .begin = thread->kept};
    }
    return (struct fm_extent){.first = thread->first, .begin = thread->first->words};
}

/** All records that the journal does not have. Called by the thread itself or when it has stopped;
 * the caller has claimed the records. */
static inline struct fm_extent fm_thread_unsaved(const struct fm_thread *thread)
{
    struct fm_extent extent = fm_thread_unsaved_begin(thread);
    extent.last = thread->current;
    extent.end = thread->cursor;
    return extent;
}

/** Settles the thread: stores the present end of its complete records, while the thread may
 * continue to record. Takes no lock: may be called anywhere, also in signal handlers, like
 * fm_thread_settled; by one caller at a time.
 * @param claimed  whether the caller has claimed the records; if not, no end is stored */
void fm_thread_settle(struct fm_thread *thread, bool claimed);

/** Records up to the stored end that the journal does not have. Valid until the claim ends. */
struct fm_extent fm_thread_settled(const struct fm_thread *thread);

/** Where the number of locations is, which grows. Atomic. */
const uint32_t *fm_threads_counter(void);

/** Whether a thread got the location of one that had ended. */
bool fm_threads_reused(void);

/** List of all threads so far. Takes no lock: may be called anywhere, also in signal handlers. */
struct fm_thread *fm_threads_all(void);

/** Memory owned by the thread, valid until the next call with this slot.
 * @return at least `bytes` bytes, or NULL if there is no memory. errno is preserved. */
FM_API void *fm_thread_scratch(struct fm_thread *thread, int slot, size_t bytes);

/** Sets that call stacks are recorded in threads that become locations from now on.
 * @param deepest  maximum number of functions of a call stack; 0: call stacks are not recorded
 * @param met      called for new call sites (places.h) before a record refers to them; by any
 *                 thread, never in signal handlers */
void fm_threads_with_stacks(uint32_t deepest, void (*met)(void));

/** Ends the recording of call stacks, in the calling thread and later threads. */
void fm_threads_without_stacks(void);

/** Writes the records of a change of the call stack: one word for each added call site, at least
 * one word. @return the place after the records */
uint64_t *fm_thread_put_stack(uint64_t *place, const struct fm_stack_change *change);

/** Calls `met` (fm_threads_with_stacks) if there are new call sites. errno is preserved.
 * @return number of defined call sites */
uint32_t fm_thread_tell_sites(void);

/** Records the change of the call stack before an event. The records are complete without the
 * event. errno is preserved. */
FM_API void fm_thread_note_stack(struct fm_thread *thread, struct fm_here here);

/** An identifier that no other request or operation of the process has. */
static inline uint64_t fm_thread_new_id(struct fm_thread *thread)
{
    return ++thread->next_id | (uint64_t)thread->index << 40;
}

/** Orders memory accesses for the thread's signal handlers: they observe writes before the fence
 * before writes after it. */
static inline void fm_signal_fence(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** Ends the open call if the program has left it. It has if the caller's frame contains the place
 * where the frame of the call's wrapper was, or if the wrapper's return address is no longer there;
 * both can be seen on the thread's own stack only. After a jump, deeper calls may leave the return
 * address unchanged by chance: then the call is ended by a later event.
 * @param here  in the function that the program has called now
 * @return whether the thread is not in a call any more; false: it is, or recording is over */
FM_API FM_COLD bool fm_thread_end_left_call(struct fm_thread *thread, struct fm_here here);

/** Whether the thread must not record now: it is in a call, or recording is over. */
static inline bool fm_thread_is_quiet(const struct fm_thread *thread)
{
    return (thread->depth | __atomic_load_n(&thread->over, __ATOMIC_RELAXED)) != 0;
}

/** Lets the open call last although its wrapper returns (FM_DEPTH_REPORTED); ended by
 * fm_thread_resume. */
static inline void fm_thread_suspend(struct fm_thread *thread)
{
    fm_signal_fence();
    thread->depth = FM_DEPTH_REPORTED;
}

/** Continues an open call, to end it. @return NULL: no such call is open */
static inline struct fm_thread *fm_thread_resume(void)
{
    struct fm_thread *thread = fm_thread_self;
    if (thread == NULL || thread->depth != FM_DEPTH_REPORTED) {
        return NULL;
    }
    thread->depth = 1;
    fm_signal_fence();
    return thread;
}

/** Whether an event of a kind is to be merged with others (merged_visits.h): it exceeds its budget,
 * or lies in a merged visit. */
FM_INLINE bool fm_thread_merges(const struct fm_thread *thread, enum fm_meter_kind kind)
{
    return ((thread->meters.over >> kind & 1) != 0 && !thread->pause.paused &&
            thread->counting == NULL) ||
           thread->visits.count != 0;
}

/** States in the buffer file that the call is open, which has begun. What it waits for follows
 * (open_call.h). */
static inline void fm_thread_show_open(struct fm_thread *thread)
{
    struct fm_shown_call *open = thread->shown;
    __atomic_store_n(&open->call, thread->function, __ATOMIC_RELAXED);
    __atomic_store_n(&open->place, thread->cursor, __ATOMIC_RELAXED);
    fm_signal_fence();
    __atomic_store_n(&open->enter, thread->enter, __ATOMIC_RELAXED);
}

/** States in the buffer file that no call is open any more. */
static inline void fm_thread_show_closed(struct fm_thread *thread)
{
    fm_signal_fence();
    __atomic_store_n(&thread->shown->enter, 0, __ATOMIC_RELAXED);
}

/** Begins a call. Inlined into the wrapper, because the recorded call stack is that of the
 * wrapper's caller.
 * @param kind  of its meter
 * @return NULL: the call is not recorded (nested, or recording has ended) */
FM_INLINE struct fm_thread *fm_thread_enter_as(uint32_t function, enum fm_meter_kind kind)
{
    struct fm_thread *thread = fm_thread_self;
    if (FM_UNLIKELY(thread == NULL)) {
        thread = fm_thread_attach();
        if (thread == NULL) {
            return NULL;
        }
    }
    if (FM_UNLIKELY(fm_thread_is_quiet(thread)) && !fm_thread_end_left_call(thread, FM_HERE)) {
        return NULL;
    }
    fm_meter_begin(&thread->meters, kind);
    thread->depth = 1;
    fm_signal_fence();
    thread->call = FM_HERE;
    thread->returns_to = fm_here_caller(FM_HERE).pc;
    uint32_t before = thread->function;
    thread->function = function;
    if (thread->merging.group.end != NULL) {
        fm_merged_enter(thread, FM_HERE);
    } else if (thread->stack != NULL) {
        fm_thread_note_stack(thread, FM_HERE);
    }
    if (FM_UNLIKELY(thread->functions.due)) {
        fm_functions_tell(thread, fm_clock_now());
    }
    thread->enter = fm_clock_now();
    if (FM_UNLIKELY(thread->enter - thread->left >=
                    __atomic_load_n(&thread->stretch_least, __ATOMIC_RELAXED))) {
        fm_processor_enter(thread, before);
    }
    if (FM_UNLIKELY(thread->enter >= __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED))) {
        fm_thread_attend(thread, FM_HERE);
    }
    /* In this order: GCC takes all for cold that follows an fm_meter_end() in front of a return. */
    fm_meter_end(&thread->meters);
    fm_thread_show_open(thread);
    return thread;
}

/** Begins a call of a library. */
FM_INLINE struct fm_thread *fm_thread_enter(uint32_t function)
{
    return fm_thread_enter_as(function, FM_METER_CALLS);
}

/** Whether `words` words fit into the rest of the chunk. */
static inline bool fm_thread_has_room(const struct fm_thread *thread, size_t words)
{
    return (uintptr_t)thread->cursor + words * sizeof *thread->cursor <= (uintptr_t)thread->limit;
}

/** Room for `words` words of records. */
static inline uint64_t *fm_thread_reserve(struct fm_thread *thread, size_t words)
{
    uint64_t *place = thread->cursor;
    if (FM_UNLIKELY(!fm_thread_has_room(thread, words))) {
        place = fm_thread_grow(thread, words);
    }
    thread->cursor = place + words;
    return place;
}

/** fm_thread_leave() for a call that ended earlier.
 * @param time  of its end, clock ticks */
static inline uint64_t *fm_thread_leave_at(struct fm_thread *thread, uint64_t time, size_t words)
{
    uint64_t duration = time - thread->enter;
    uint64_t *place = thread->cursor;
    thread->left = time;
    if (FM_UNLIKELY(duration >> FM_CALL_DURATION_BITS != 0 ||
                    !fm_thread_has_room(thread, FM_WORDS_CALL + words))) {
        return fm_thread_leave_slowly(thread, time, words);
    }
    thread->cursor = place + FM_WORDS_CALL + words;
    place[0] = fm_record_call(thread->function, duration);
    place[1] = thread->enter;
    return place + FM_WORDS_CALL;
}

/** Writes the CALL record of a call that ends now, and reserves `words` words for its operations,
 * which the caller fills. @return the place of these words */
static inline uint64_t *fm_thread_leave(struct fm_thread *thread, size_t words)
{
    return fm_thread_leave_at(thread, fm_clock_now(), words);
}

/** Writes the CALL record of a brief call that ends at `time`: of a failed test, or of a local call
 * that has no operations. Such calls may be merged with others (merged_calls.h): their operations
 * are those of what was tested only. */
static inline void fm_thread_leave_brief_at(struct fm_thread *thread, uint64_t time, bool is_test)
{
    uint64_t *place = fm_thread_leave_at(thread, time, FM_WORDS_MERGED);
    place[0] = fm_record_merged(1, 0);
    thread->merging.call = place - FM_WORDS_CALL;
    thread->merging.attention |= is_test ? FM_MERGED_TEST : FM_MERGED_LOCAL;
}

/** Ends a test: as a brief call if it has failed, else as fm_thread_leave_at() without operations.
 */
static inline void fm_thread_leave_test_at(struct fm_thread *thread, uint64_t time, bool has_failed)
{
    if (has_failed) {
        fm_thread_leave_brief_at(thread, time, true);
    } else {
        fm_thread_leave_at(thread, time, 0);
    }
}

/** The same of a test that ends now. */
static inline void fm_thread_leave_test(struct fm_thread *thread, bool has_failed)
{
    fm_thread_leave_test_at(thread, fm_clock_now(), has_failed);
}

/** Declares the thread's records complete: they are saved if the process ends now. */
static inline void fm_thread_publish(struct fm_thread *thread)
{
    __atomic_store_n(thread->publish, thread->cursor, __ATOMIC_RELEASE);
}

/** Ends the recording of a call that fm_thread_enter_as() has begun. */
FM_INLINE void fm_thread_done_as(struct fm_thread *thread, enum fm_meter_kind kind)
{
    if (FM_UNLIKELY(thread->left >= __atomic_load_n(&thread->reading_due, __ATOMIC_RELAXED) ||
                    (thread->long_after >> thread->function % 64 & 1) != 0)) {
        fm_processor_leave(thread);
    }
    if (thread->merging.attention != 0) {
        fm_merged_leave(thread);
    }
    if (FM_UNLIKELY(__atomic_load_n(&thread->counting, __ATOMIC_ACQUIRE) != NULL)) {
        fm_count_call(thread);
    }
    fm_signal_fence();
    thread->depth--;
    fm_signal_fence();
    fm_thread_publish(thread);
    fm_thread_show_closed(thread);
    fm_meter_count(&thread->meters, kind, thread->left);
}

/** Ends the call's recording; nothing more may be reserved for it. */
static inline void fm_thread_done(struct fm_thread *thread)
{
    fm_thread_done_as(thread, FM_METER_CALLS);
}

#endif
