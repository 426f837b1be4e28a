/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Windows of the program, and their operations that are not complete yet (open operations).
 *
 * Operations between two completions of a target share a matching id: one for those that send
 * (puts, accumulates) and one for gets, because only for gets local completion implies remote
 * completion. Each request-based operation has an id of its own.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_WINDOW_H
#define FERMATA_RECORD_MPI_OBJECTS_WINDOW_H

#include "record/capture/handles.h"
#include "record/mpi/wrap.h"

/** An id that waits for its remote completion. */
struct fm_waiting {
    uint64_t id;
    struct fm_waiting *next;
};

/** State of one target rank. */
struct fm_target {
    uint64_t sends, gets; /**< matching ids of operations since the last completion; 0: none */
    struct fm_waiting *waiting; /**< locally complete or request-based, remotely not */
    uint32_t place;             /**< in fm_win.open, plus 1; 0: no open operations */
    bool locked;                /**< by a recorded lock epoch */
};

/** A live window. */
struct fm_win {
    uint32_t number;                       /**< of its definition */
    int size;                              /**< of its communicator */
    bool allocated;                        /**< the library allocated its memory */
    bool locked_all;                       /**< by a recorded lock_all epoch */
    uint32_t access_group, exposure_group; /**< of the open epochs */
    fm_spin_t lock;                        /**< guards the members below */
    struct fm_target *targets;
    uint32_t *open; /**< targets with open operations */
    uint32_t open_count;
    struct fm_waiting *unused;
};

extern FM_HIDDEN struct fm_handle_map fm_wins;
enum { FM_WINS_CACHE = 1 };

/** The window of a handle, or NULL. */
static inline struct fm_win *fm_win_find(struct fm_thread *thread, MPI_Win win)
{
    return fm_handles_find_in(&fm_wins, FM_WINS_CACHE, thread, FM_HANDLE(win));
}

/** Adds a target to those with open operations. The window is locked. O(1). */
static inline void fm_win_note_open(struct fm_win *win, int target)
{
    struct fm_target *t = &win->targets[target];
    if (t->place == 0) {
        win->open[win->open_count++] = (uint32_t)target;
        t->place = win->open_count;
    }
}

/** The matching id for an operation on a target; `get`: the operation only fetches. */
static inline uint64_t fm_win_operation(struct fm_thread *thread, struct fm_win *win, int target,
                                        bool get)
{
    fm_spin_lock(&win->lock);
    struct fm_target *t = &win->targets[target];
    uint64_t *id = get ? &t->gets : &t->sends;
    if (*id == 0) {
        *id = fm_thread_new_id(thread);
        fm_win_note_open(win, target);
    }
    uint64_t used = *id;
    fm_spin_unlock(&win->lock);
    return used;
}

/** A new matching id for a request-based operation. */
uint64_t fm_win_request_operation(struct fm_thread *thread, struct fm_win *win, int target,
                                  bool get);

/** What a synchronization call completes. */
enum fm_completion {
    FM_COMPLETE_AT_ORIGIN, /**< flush_local: sends are only locally complete */
    FM_COMPLETE_FULLY,     /**< flush, unlock: locally and remotely */
    FM_COMPLETE_EPOCH      /**< fence, complete: locally; ids waiting for remote completion are
                                dropped */
};

/** Removes a target from those with open operations. The window is locked. O(1). */
static inline void fm_win_note_closed(struct fm_win *win, int target)
{
    struct fm_target *t = &win->targets[target];
    if (t->place != 0) {
        uint32_t last = win->open[--win->open_count];
        win->open[t->place - 1] = last;
        win->targets[last].place = t->place;
        t->place = 0;
    }
}

static inline void fm_win_put_completion(struct fm_thread *thread, enum fm_record_kind kind,
                                         const struct fm_win *win, uint64_t id)
{
    fm_put_id(fm_thread_reserve(thread, FM_WORDS_COMPLETE_LOCAL), kind, win->number, id);
}

/** Keeps an id until its remote completion. The window is locked. */
FM_COLD void fm_win_wait_for_remote(struct fm_win *win, int target, uint64_t id);

/** Removes the ids that wait for remote completion; records it if `completion` includes it. The
 * window is locked. */
FM_COLD void fm_win_complete_waiting(struct fm_thread *thread, struct fm_win *win,
                                     struct fm_target *target, enum fm_completion completion);

/** Records the completion of the open operations of a target. The window is locked. */
FM_INLINE void fm_win_complete_target(struct fm_thread *thread, struct fm_win *win, int target,
                                      enum fm_completion completion)
{
    struct fm_target *t = &win->targets[target];
    if (FM_UNLIKELY(t->gets != 0)) {
        fm_win_put_completion(thread, FM_RECORD_COMPLETE_FULLY, win, t->gets);
        t->gets = 0;
    }
    if (t->sends != 0) {
        bool fully = completion == FM_COMPLETE_FULLY;
        fm_win_put_completion(thread, fully ? FM_RECORD_COMPLETE_FULLY : FM_RECORD_COMPLETE_LOCAL,
                              win, t->sends);
        if (completion == FM_COMPLETE_AT_ORIGIN) {
            fm_win_wait_for_remote(win, target, t->sends);
        }
        t->sends = 0;
    }
    if (completion != FM_COMPLETE_AT_ORIGIN) {
        if (FM_UNLIKELY(t->waiting != NULL)) {
            fm_win_complete_waiting(thread, win, t, completion);
        }
        fm_win_note_closed(win, target);
    }
}

/** Records the completion of the open operations of all targets. */
void fm_win_complete_all(struct fm_thread *thread, struct fm_win *win,
                         enum fm_completion completion);

/** Records the completion of the open operations of a target (-1: all targets). To be called
 * between fm_thread_leave and fm_thread_done. */
FM_INLINE void fm_win_complete(struct fm_thread *thread, struct fm_win *win, int target,
                               enum fm_completion completion)
{
    if (target < 0) {
        fm_win_complete_all(thread, win, completion);
        return;
    }
    fm_spin_lock(&win->lock);
    fm_win_complete_target(thread, win, target, completion);
    fm_spin_unlock(&win->lock);
}

#endif
