/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive-target synchronization: locks and flushes. MPI does not report when a lock is acquired,
 * so only its request and release are recorded. */
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/window.h"

/* Number of the lock of a target; there is one for each. */
static uint32_t lock_of(uint32_t target)
{
    return target != OTF2_UNDEFINED_UINT32 ? target : 0;
}

static void put_lock(struct fm_thread *thread, enum fm_record_kind kind, const struct fm_win *win,
                     OTF2_LockType type, uint32_t target)
{
    fm_put_lock(fm_thread_reserve(thread, FM_WORDS_LOCK_REQUEST), kind, type, win->number, target,
                lock_of(target));
}

/* States that the open call waits for a lock. */
static void open_lock(struct fm_thread *thread, const struct fm_win *win, OTF2_LockType type,
                      uint32_t target)
{
    fm_open_end(thread, fm_put_lock(fm_open_begin(thread), FM_RECORD_LOCK_REQUEST, type,
                                    win->number, target, lock_of(target)));
}

int fm_MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_lock);
    if (thread == NULL) {
        return PMPI_Win_lock(lock_type, rank, assert, win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    const OTF2_LockType type =
        lock_type == MPI_LOCK_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
    const bool is_lock =
        w != NULL && rank >= 0 && rank < w->size && (assert &MPI_MODE_NOCHECK) == 0;
    if (is_lock) {
        open_lock(thread, w, type, (uint32_t)rank);
    }
    int result = PMPI_Win_lock(lock_type, rank, assert, win);
    fm_thread_leave(thread, 0);
    if (is_lock && result == MPI_SUCCESS) {
        w->targets[rank].locked = true;
        put_lock(thread, FM_RECORD_LOCK_REQUEST, w, type, (uint32_t)rank);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Win_unlock(int rank, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_unlock);
    if (thread == NULL) {
        return PMPI_Win_unlock(rank, win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    fm_open_target(thread, w, rank);
    int result = PMPI_Win_unlock(rank, win);
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS && rank >= 0 && rank < w->size) {
        fm_win_complete(thread, w, rank, FM_COMPLETE_FULLY);
        if (w->targets[rank].locked) {
            w->targets[rank].locked = false;
            put_lock(thread, FM_RECORD_LOCK_RELEASE, w, 0, (uint32_t)rank);
        }
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Win_lock_all(int assert, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_lock_all);
    if (thread == NULL) {
        return PMPI_Win_lock_all(assert, win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    const bool is_lock = w != NULL && (assert &MPI_MODE_NOCHECK) == 0;
    if (is_lock) {
        open_lock(thread, w, OTF2_LOCK_SHARED, OTF2_UNDEFINED_UINT32);
    }
    int result = PMPI_Win_lock_all(assert, win);
    fm_thread_leave(thread, 0);
    if (is_lock && result == MPI_SUCCESS) {
        w->locked_all = true;
        put_lock(thread, FM_RECORD_LOCK_REQUEST, w, OTF2_LOCK_SHARED, OTF2_UNDEFINED_UINT32);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Win_unlock_all(MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_unlock_all);
    if (thread == NULL) {
        return PMPI_Win_unlock_all(win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    fm_open_target(thread, w, -1);
    int result = PMPI_Win_unlock_all(win);
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS) {
        fm_win_complete(thread, w, -1, FM_COMPLETE_FULLY);
        if (w->locked_all) {
            w->locked_all = false;
            put_lock(thread, FM_RECORD_LOCK_RELEASE, w, 0, OTF2_UNDEFINED_UINT32);
        }
    }
    fm_thread_done(thread);
    return result;
}

/* A flush of one target (-1: all). @param w  NULL: not known */
FM_INLINE void record_flush(struct fm_thread *thread, int result, int rank, struct fm_win *w,
                            enum fm_completion completion)
{
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS && rank >= -1 && rank < w->size) {
        fm_win_complete(thread, w, rank, completion);
    }
    fm_thread_done(thread);
}

#define FLUSH(name, completion)                                                                    \
    int fm_##name(int rank, MPI_Win win)                                                           \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        if (thread == NULL) {                                                                      \
            return P##name(rank, win);                                                             \
        }                                                                                          \
        struct fm_win *w = fm_win_find(thread, win);                                               \
        fm_open_target(thread, w, rank);                                                           \
        int result = P##name(rank, win);                                                           \
        record_flush(thread, rank >= 0 ? result : MPI_ERR_RANK, rank, w, completion);              \
        return result;                                                                             \
    }

#define FLUSH_ALL(name, completion)                                                                \
    int fm_##name(MPI_Win win)                                                                     \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        if (thread == NULL) {                                                                      \
            return P##name(win);                                                                   \
        }                                                                                          \
        struct fm_win *w = fm_win_find(thread, win);                                               \
        fm_open_target(thread, w, -1);                                                             \
        int result = P##name(win);                                                                 \
        record_flush(thread, result, -1, w, completion);                                           \
        return result;                                                                             \
    }

FLUSH(MPI_Win_flush, FM_COMPLETE_FULLY)
FLUSH(MPI_Win_flush_local, FM_COMPLETE_AT_ORIGIN)
FLUSH_ALL(MPI_Win_flush_all, FM_COMPLETE_FULLY)
FLUSH_ALL(MPI_Win_flush_local_all, FM_COMPLETE_AT_ORIGIN)
