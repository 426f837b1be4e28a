/** @file
 * Threads of the recorded process and their buffers of compact records.
 *
 * A thread becomes a location at its first recorded call. Its records go to a list of chunks that
 * only this thread changes; when a chunk is full the thread takes another from the process's memory
 * budget; when that is spent, and now and then (fm_threads_interval), it hands its chunks to the
 * flush function and uses them again. When it ends, its location waits for a thread to come: there
 * are never more locations than threads that recorded at the same time.
 *
 * Other threads, and signal handlers, may read what a thread has recorded up to `done`.
 */
#ifndef FERMATA_RECORD_CAPTURE_THREAD_H
#define FERMATA_RECORD_CAPTURE_THREAD_H

#include "record/capture/clock.h"
#include "record/capture/instrumented_functions.h"
#include "record/capture/nesting.h"
#include "record/capture/path.h"
#include "record/capture/record.h"
#include "record/capture/sample.h"
#include "record/flight/cut.h"
#include "record/selection/pause.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_stack_change;

enum { FM_CACHE_SIZE = 8, FM_CHUNK_BYTES = 256 * 1024 };

/** A chunk of records, FM_CHUNK_BYTES with its head. */
struct fm_chunk {
    struct fm_chunk *next;
    uint64_t *used; /**< end of the records; valid once the thread has left the chunk */
    uint64_t words[];
};

/** Per-thread copy of recent look-ups in a handle map (handles.h). */
struct fm_cache_entry {
    uint64_t handle;
    uint64_t generation;
    void *object;
};

/** What a region of user code is to the thread in which it is open; its user may keep more behind.
 */
struct fm_open_region {
    uint32_t number;  /**< of its definition */
    bool is_phase;    /**< visits are recorded from their begin on, or not at all */
    bool is_selected; /**< only visits of it are recorded (selected.h) */
};

/** Set in an entry of fm_thread.open: the region is open, but its Enter was not recorded. */
#define FM_OPEN_UNRECORDED ((uint64_t)1)
/** Set there: recording goes on because of this visit. */
#define FM_OPEN_SELECTED ((uint64_t)2)

/** What recording has cost a thread (overhead.h). */
struct fm_thread_work {
    uint64_t readings; /**< of the clock, for records of calls and marks */
    uint64_t sites;    /**< functions of call stacks, recorded */
    uint64_t flushing; /**< ticks spent on writing buffers */
};

/** A thread of the process. All fields belong to the thread itself, except where noted. */
struct fm_thread {
    /* What every call touches stands on two lines of the processor's cache. */
    uint64_t *cursor;       /**< where the next record goes */
    uint64_t *limit;        /**< end of the current chunk */
    uint64_t **publish;     /**< &done; while recording is paused, &unpublished */
    uint64_t enter;         /**< Enter of the call that is open */
    uint64_t flush_due;     /**< Enter at or after this time calls fm_thread_flush first; written by
                                 other threads, too (pause.h) */
    struct fm_stack *stack; /**< its call stack (stack/stack.h); NULL: it is not recorded now */
    uint32_t depth;         /**< nesting of recorded calls; not 0: do not record */
    uint32_t over;          /**< not 0: recording has ended; set by fm_threads_end */
    uint32_t function;      /**< the call that is open */
    uint32_t is_marking;    /**< the program's marks are being recorded: no samples now */

    uint64_t *done;      /**< end of the records that are whole; a place in some chunk */
    uint64_t next_id;    /**< last request or matching id given out */
    uint32_t index;      /**< number of the thread in its process, in order of appearance */
    uint32_t told_sites; /**< call sites below this number are known to all that need it */
    struct fm_thread_functions functions;
    uint64_t *unpublished;
    uint32_t writing; /**< not 0: someone writes the records to the journal (fm_thread_claim) */
    struct fm_cache_entry cache[3][FM_CACHE_SIZE]; /**< communicators, windows, groups */
    void *scratch[2];                              /**< fm_thread_scratch */
    size_t scratch_size[2];

    struct fm_nesting open; /**< regions of user code: struct fm_open_region *, maybe marked */
    struct fm_thread_pause pause;
    struct fm_thread_samples samples;

    struct fm_chunk *first;   /**< oldest chunk with records */
    struct fm_chunk *current; /**< chunk being filled */
    struct fm_chunk *spare;   /**< chunks to be filled again */
    size_t chunks;            /**< how many it has, those to be filled again included */
    struct fm_thread *next;   /**< list of all threads; constant */
    struct fm_thread *idle;   /**< list of those whose thread has ended */

    /* Guarded by `writing`: */
    struct fm_chunk *kept_chunk; /**< the journal has all records before `kept` in this chunk; */
    const uint64_t *kept;        /**< NULL: it has none of those in memory */
    struct fm_thread_work work;  /**< but for `flushing`, known when its records are converted */
    uint64_t journaled;          /**< words of records that the journal has */
    const uint64_t *settled;     /**< fm_thread_settle; NULL: none */
    struct fm_cut cut;           /**< what is left of the records in front of `passed` */
    struct fm_chunk *passed_chunk;
    const uint64_t *passed; /**< in that chunk; NULL: all that are in memory lie behind */

    uint32_t rank; /**< of the process; set when the archive is written */

    void *writer; /**< of the archive; used at the end of the run, like those below */
    struct fm_chunk *converted_chunk; /**< how far the records in memory have been written */
    const uint64_t *converted;
    uint64_t last_time;      /**< time of the last event written */
    uint64_t pending_leave;  /**< Leave to be written once the call's operations are through */
    uint32_t pending_region; /**< number that the call's events have */
    bool pending;            /**< whether there is one */
    uint64_t bytes_above;    /**< BYTES_ABOVE record of the next one; 0: none */
    uint64_t flush_begin[2]; /**< begin and end of a flush that is to be recorded; 0: none */
    uint64_t events;         /**< events written */
    bool off;                /**< recording was paused at the last record */
    uint64_t gap;            /**< time of the last sample that was lost */
    struct fm_path path;     /**< regions that are open */
};

/** The calling thread; NULL before its first recorded call. */
extern FM_API __thread struct fm_thread *fm_thread_self __attribute__((tls_model("initial-exec")));

/** Sets the memory budget for records.
 * @param bytes  of all threads together; each thread gets at least two chunks
 * @param flush  stores all records of `thread` and calls fm_thread_reuse; called by the thread
 *               itself. `full`: there is no memory left, else it is just time. Returns false if the
 *               records stay in memory. */
void fm_threads_begin(size_t bytes, bool (*flush)(struct fm_thread *thread, bool full));

/** From now on nothing is flushed when memory is spent: the oldest records make room
 * (fm_thread.cut). Before there are threads.
 * @param function_name  names functions in records */
void fm_threads_keep_last(const char *(*function_name)(uint32_t function));

/** Passes the thread's records that no journal has, up to the first one behind `time` (or that has
 * no time of its own before it), as lost; it has been settled.
 * @return those behind */
struct fm_extent fm_thread_cut_before(struct fm_thread *thread, uint64_t time);

/** Time of the first record that no journal has, if older ones are lost; else 0. The thread has
 * been settled. */
uint64_t fm_thread_first_kept(const struct fm_thread *thread);

/** Lets every thread call fm_thread_flush before its next call. Takes no lock: may be called
 * anywhere, in signal handlers too. */
void fm_threads_attend(void);

/** Sets how long records stay in memory at most before the next call flushes them, in ticks;
 * UINT64_MAX: until it is full. Of the calling thread and those to come. */
void fm_threads_interval(uint64_t ticks);

/** Begins to write the thread's records to the journal; not while another thread does.
 * @return whether the caller may; fm_thread_unclaim ends it */
static inline bool fm_thread_claim(struct fm_thread *thread)
{
    return __atomic_exchange_n(&thread->writing, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void fm_thread_unclaim(struct fm_thread *thread)
{
    __atomic_store_n(&thread->writing, 0, __ATOMIC_RELEASE);
}

/** Does what is due before the next call: takes note that recording was paused or resumed
 * (pause.h), or flushes because it is time. Between calls. errno is preserved. */
FM_COLD void fm_thread_flush(struct fm_thread *thread);

/** fm_thread_flush() at the begin of a call, whose Enter is taken again. */
FM_API void fm_thread_attend(struct fm_thread *thread, struct fm_here here);

/** Region of an entry of fm_thread.open. */
static inline const struct fm_open_region *fm_open_region(uint64_t entry)
{
    return (const struct fm_open_region *)(uintptr_t)(entry &
                                                      ~(FM_OPEN_UNRECORDED | FM_OPEN_SELECTED));
}

/** Makes the calling thread a location, or gives it that of a thread that has ended, unless
 * recording is over.
 * @return the thread, or NULL if nothing is to be recorded. errno is preserved. */
FM_API FM_COLD struct fm_thread *fm_thread_attach(void);

/** Makes room for `words` words in one chunk, flushing if need be. errno is preserved. */
FM_API FM_COLD uint64_t *fm_thread_grow(struct fm_thread *thread, size_t words);

/** Begins a new chunk, if there is one left without flushing. May be called in a signal handler of
 * the thread, between its calls. errno is not preserved. */
bool fm_thread_extend(struct fm_thread *thread);

/** fm_thread_leave for long calls and full chunks. */
FM_API FM_COLD uint64_t *fm_thread_leave_slowly(struct fm_thread *thread, uint64_t now,
                                                size_t words);

/** Takes back what was written behind a place in one of the thread's chunks. */
void fm_thread_rewind(struct fm_thread *thread, struct fm_chunk *chunk, uint64_t *place);

/** Gives every chunk of the thread back for refilling: its records are stored, or given up. By the
 * thread itself. */
void fm_thread_reuse(struct fm_thread *thread);

/** Gives the chunks back that the journal has entirely; the one being filled is not among them. By
 * the thread itself, which has claimed its records. */
void fm_thread_release(struct fm_thread *thread);

/** Stops recording in all threads for good (calls that are open are still recorded); returns the
 * list of all threads. */
struct fm_thread *fm_threads_end(void);

/** Records in memory that the journal does not have: from `begin` in `first` to `end` in `last`;
 * chunks between them have theirs up to `used`. */
struct fm_extent {
    struct fm_chunk *first;
    const uint64_t *begin;
    struct fm_chunk *last;
    const uint64_t *end;
};

/** Where they begin; `last` and `end` are to be set. */
static inline struct fm_extent fm_thread_unsaved_begin(const struct fm_thread *thread)
{
    if (thread->kept != NULL) {
        return (struct fm_extent){.first = thread->kept_chunk, .begin = thread->kept};
    }
    return (struct fm_extent){.first = thread->first, .begin = thread->first->words};
}

/** All of them; by the thread itself or when it has stopped. The caller has claimed the records. */
static inline struct fm_extent fm_thread_unsaved(const struct fm_thread *thread)
{
    struct fm_extent extent = fm_thread_unsaved_begin(thread);
    extent.last = thread->current;
    extent.end = thread->cursor;
    return extent;
}

/** Notes which records are whole now, whatever the thread goes on to do; `claimed`: the caller has
 * claimed them, else none are noted. Takes no lock: may be called anywhere, in signal handlers too,
 * like the one below; by one caller at a time. */
void fm_thread_settle(struct fm_thread *thread, bool claimed);

/** Those that were noted, as long as the claim lasts. */
struct fm_extent fm_thread_settled(const struct fm_thread *thread);

/** Whether a thread got the location of one that had ended. */
bool fm_threads_reused(void);

/** List of all threads so far. Takes no lock: may be called anywhere, in signal handlers too. */
struct fm_thread *fm_threads_all(void);

/** Memory of the thread's own that stays valid until the next call with this slot.
 * @return at least `bytes` bytes, or NULL if there is no memory. errno is preserved. */
FM_API void *fm_thread_scratch(struct fm_thread *thread, int slot, size_t bytes);

/** From now on threads that become locations have their call stacks recorded.
 * @param deepest  number of functions of each at most; 0: call stacks are not recorded
 * @param met      called when call sites are new (places.h), before a record refers to them; by any
 *                 thread, never in signal handlers */
void fm_threads_with_stacks(uint32_t deepest, void (*met)(void));

/** Call stacks are not looked at any more, by the calling thread and those to come. */
void fm_threads_without_stacks(void);

/** Writes how the call stack has changed, into room for as many words as there are call sites, but
 * for one at least. @return the place behind */
uint64_t *fm_thread_put_stack(uint64_t *place, const struct fm_stack_change *change);

/** Makes new call sites known, before a record refers to them. errno is preserved.
 * @return how many call sites are known */
uint32_t fm_thread_tell_sites(void);

/** Records how the call stack has changed, before an event: whole at once, so that it may stand
 * alone. errno is preserved. */
FM_API void fm_thread_note_stack(struct fm_thread *thread, struct fm_here here);

/** An identifier that no other request or operation of the process has. */
static inline uint64_t fm_thread_new_id(struct fm_thread *thread)
{
    return ++thread->next_id | (uint64_t)thread->index << 40;
}

/** What the thread wrote before is seen by its signal handlers before what it writes next. */
static inline void fm_signal_fence(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** Whether the thread records nothing now: it is in a call, or recording is over. */
static inline bool fm_thread_is_quiet(const struct fm_thread *thread)
{
    return (thread->depth | __atomic_load_n(&thread->over, __ATOMIC_RELAXED)) != 0;
}

/** Begins a call: NULL if it is not to be recorded (nested, or recording is off). Inlined into the
 * wrapper, whose caller's call stack is the call's. */
static inline __attribute__((always_inline)) struct fm_thread *fm_thread_enter(uint32_t function)
{
    struct fm_thread *thread = fm_thread_self;
    if (FM_UNLIKELY(thread == NULL)) {
        thread = fm_thread_attach();
        if (thread == NULL) {
            return NULL;
        }
    }
    if (FM_UNLIKELY(fm_thread_is_quiet(thread))) {
        return NULL;
    }
    thread->depth = 1;
    fm_signal_fence();
    thread->function = function;
    if (thread->stack != NULL) {
        fm_thread_note_stack(thread, FM_HERE);
    }
    if (FM_UNLIKELY(thread->functions.due)) {
        fm_functions_tell(thread, fm_clock_now());
    }
    thread->enter = fm_clock_now();
    if (FM_UNLIKELY(thread->enter >= __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED))) {
        fm_thread_attend(thread, FM_HERE);
    }
    return thread;
}

/** Whether `words` words fit into what is left of the chunk. */
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

/** fm_thread_leave() for a call that ended a while ago.
 * @param time  of its end, clock ticks */
static inline uint64_t *fm_thread_leave_at(struct fm_thread *thread, uint64_t time, size_t words)
{
    uint64_t duration = time - thread->enter;
    uint64_t *place = thread->cursor;
    if (FM_UNLIKELY(duration >> FM_CALL_DURATION_BITS != 0 ||
                    !fm_thread_has_room(thread, FM_WORDS_CALL + words))) {
        return fm_thread_leave_slowly(thread, time, words);
    }
    thread->cursor = place + FM_WORDS_CALL + words;
    place[0] = fm_record_call(thread->function, duration);
    place[1] = thread->enter;
    return place + FM_WORDS_CALL;
}

/** Notes the end of the call: writes its CALL record and leaves room for `words` words of
 * operations, which the caller fills. */
static inline uint64_t *fm_thread_leave(struct fm_thread *thread, size_t words)
{
    return fm_thread_leave_at(thread, fm_clock_now(), words);
}

/** Declares what the thread has recorded to be whole: it is saved if the process ends now. */
static inline void fm_thread_publish(struct fm_thread *thread)
{
    __atomic_store_n(thread->publish, thread->cursor, __ATOMIC_RELEASE);
}

/** Ends the call's recording; nothing more may be reserved for it. */
static inline void fm_thread_done(struct fm_thread *thread)
{
    fm_signal_fence();
    thread->depth--;
    fm_signal_fence();
    fm_thread_publish(thread);
}

#endif
