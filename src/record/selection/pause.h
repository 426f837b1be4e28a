/** @file
 * Recording may be paused and resumed, in all threads of the process together.
 *
 * The wrappers of a paused process do everything they do else, so that they know its communicators,
 * windows and requests when it goes on; but before the next call of a thread the records of the
 * last one are folded into counts (unrecorded.h), and their room is used again. When recording
 * resumes the counts become records, and regions of user code that were left or entered meanwhile
 * are.
 *
 * A thread notices at its next call or record that recording was paused or resumed; nothing in the
 * hot path looks for it (the time at which its next flush is due becomes 0).
 */
#ifndef FERMATA_RECORD_SELECTION_PAUSE_H
#define FERMATA_RECORD_SELECTION_PAUSE_H

#include "record/capture/hot.h"
#include "record/selection/unrecorded.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_chunk;
struct fm_thread;

/** A thread's side of it. Zeroed = recording. */
struct fm_thread_pause {
    uint32_t seen;          /**< how often recording was switched, as far as the thread knows */
    bool paused;            /**< what is written from now on is to be folded */
    bool broken;            /**< there was no memory: counts are missing */
    struct fm_chunk *chunk; /**< where folding begins */
    uint64_t *mark;
    uint32_t function; /**< of the call whose records were folded last */
    size_t common;     /**< number of open regions that were open throughout */
    struct fm_unrecorded_table unrecorded;
    struct fm_stack *stack; /**< the thread's, which is not looked at meanwhile */
    struct fm_here here;    /**< the call that the thread is in */
};

/** Reasons for a pause: recording goes on where there is none. */
enum fm_pause_reason {
    FM_PAUSE_PROGRAM = 1, /**< the program calls fm_pause */
    FM_PAUSE_RANK = 2,    /**< the rank was not selected */
    FM_PAUSE_WINDOW = 4,  /**< the time lies outside of what was selected */
    FM_PAUSE_PHASE = 8,   /**< no visit of the selected phase is open */
    FM_PAUSE_SIGNAL = 16  /**< a signal has switched recording off */
};

/** Names the functions in records: called once, before all others. */
void fm_pause_begin(const char *(*function_name)(uint32_t function));

/** Pauses or resumes. Before the run begins that is noted for then. Idempotent, thread-safe; errno
 * is preserved. */
void fm_pause(void);
void fm_resume(void);

/** The same, for a reason. */
void fm_pause_for(enum fm_pause_reason reason, bool paused);

/** Pauses before `begin` and from `end` on. Once, before the run begins or while it does. */
void fm_pause_outside(uint64_t begin, uint64_t end);

/** Pauses or resumes for the reason FM_PAUSE_SIGNAL: for signal handlers. */
void fm_pause_toggle(void);

/** Time at which recording will be paused or resumed next; UINT64_MAX: that is not known. */
uint64_t fm_pause_next(void);

/** Whether recording goes on (or will, when the run begins). */
bool fm_is_recording(void);

/** The run has begun. */
FM_API void fm_pause_run_begins(void);

/** The run ends with the call in which the thread is, which is recorded: a pause ends here. */
void fm_pause_run_ends(struct fm_thread *thread);

/** A thread became known: it is paused if all are. */
void fm_pause_attach(struct fm_thread *thread);

/** Takes note of what was switched, and folds; between calls of the thread, by itself.
 * @param flush  writes the thread's records to the journal; called where a pause begins
 * @return whether the thread is paused now */
bool fm_pause_attend(struct fm_thread *thread, bool (*flush)(struct fm_thread *thread, bool full));

/** Whether the thread has not seen yet what was switched last. */
bool fm_pause_is_due(const struct fm_thread *thread);

/** Folding begins at what the thread writes next; what is written stays. */
void fm_pause_mark(struct fm_thread *thread);

/** Folds the records behind the mark. By the thread itself, at any time. */
void fm_pause_fold(struct fm_thread *thread);

#endif
