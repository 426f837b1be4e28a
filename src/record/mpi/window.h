/** @file
 * Windows of the program, and their operations that are not complete yet.
 *
 * Operations between two completions of a target share a matching id: one for those that send
 * (puts, accumulates), one for gets, because only the latter are remotely complete when they are
 * locally. Request-based operations have an id of their own.
 */
#ifndef FERMATA_RECORD_MPI_WINDOW_H
#define FERMATA_RECORD_MPI_WINDOW_H

#include "record/core/handles.h"
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
    bool locked;                /**< by a lock epoch that is recorded */
};

/** A live window. */
struct fm_win {
    uint32_t number;                       /**< of its definition */
    int size;                              /**< of its communicator */
    bool allocated;                        /**< the library allocated its memory */
    bool locked_all;                       /**< by a lock_all epoch that is recorded */
    uint32_t access_group, exposure_group; /**< of the open epochs */
    fm_spin_t lock;                        /**< of all below */
    struct fm_target *targets;
    uint32_t *open; /**< targets with open operations */
    uint32_t open_count;
    struct fm_waiting *unused;
};

extern struct fm_handle_map fm_wins;

/** The window behind a handle, or NULL. */
static inline struct fm_win *fm_win_find(struct fm_thread *thread, MPI_Win win)
{
    return fm_handles_find(&fm_wins, thread, FM_HANDLE(win));
}

/** The matching id for an operation on a target; `get`: one that only fetches. */
uint64_t fm_win_operation(struct fm_thread *thread, struct fm_win *win, int target, bool get);

/** A matching id of its own for a request-based operation. */
uint64_t fm_win_request_operation(struct fm_thread *thread, struct fm_win *win, int target,
                                  bool get);

/** What a completing call completes. */
enum fm_completion {
    FM_COMPLETE_AT_ORIGIN, /**< flush_local: sends wait for their remote completion */
    FM_COMPLETE_FULLY,     /**< flush, unlock */
    FM_COMPLETE_EPOCH      /**< fence, complete: locally; nothing waits any more */
};

/** Records the completion of the open operations of a target (-1: all targets). To be called
 * between fm_thread_leave and fm_thread_done. */
void fm_win_complete(struct fm_thread *thread, struct fm_win *win, int target,
                     enum fm_completion completion);

#endif
