/* SPDX-License-Identifier: BSD-3-Clause */
/* Active-target synchronization: fence; start, complete, post, wait, test. */
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/group.h"
#include "record/mpi/objects/window.h"

int fm_MPI_Win_fence(int assert, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_fence);
    if (thread == NULL) {
        return PMPI_Win_fence(assert, win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    fm_open_window(thread, w);
    int result = PMPI_Win_fence(assert, win);
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN),
                    FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_win_complete(thread, w, -1, FM_COMPLETE_EPOCH);
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_END);
        r[0] =
            fm_record_header(FM_RECORD_WIN_COLLECTIVE_END, OTF2_COLLECTIVE_OP_BARRIER, w->number);
        r[1] = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
    }
    fm_thread_done(thread);
    return result;
}

static uint64_t group_sync(const struct fm_win *win, uint32_t level)
{
    return fm_record_header(FM_RECORD_GROUP_SYNC, level, win->number);
}

static void put_group_sync(struct fm_thread *thread, const struct fm_win *win, uint32_t level,
                           uint32_t group)
{
    if (group != FM_DEFINE_NONE) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_GROUP_SYNC);
        r[0] = group_sync(win, level);
        r[1] = group;
    }
}

/* States that the open call waits for a group. */
static void open_group_sync(struct fm_thread *thread, const struct fm_win *win, uint32_t level,
                            uint32_t group)
{
    if (win != NULL && group != FM_DEFINE_NONE) {
        fm_open_id(thread, group_sync(win, level), group);
    }
}

/* The group that the program passes to a call; FM_DEFINE_NONE: none. The library has not looked at
 * it. */
static uint32_t group_of(struct fm_thread *thread, const struct fm_win *win, MPI_Group group)
{
    return win != NULL && group != MPI_GROUP_NULL ? fm_group_find(thread, group) : FM_DEFINE_NONE;
}

enum { FULL_SYNC = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY };

int fm_MPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_start);
    if (thread == NULL) {
        return PMPI_Win_start(group, assert, win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    const uint32_t number = group_of(thread, w, group);
    open_group_sync(thread, w, OTF2_RMA_SYNC_LEVEL_PROCESS, number);
    int result = PMPI_Win_start(group, assert, win);
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS) {
        w->access_group = number;
        put_group_sync(thread, w, OTF2_RMA_SYNC_LEVEL_PROCESS, w->access_group);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Win_complete(MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_complete);
    if (thread == NULL) {
        return PMPI_Win_complete(win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    open_group_sync(thread, w, FULL_SYNC, w != NULL ? w->access_group : FM_DEFINE_NONE);
    int result = PMPI_Win_complete(win);
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS) {
        fm_win_complete(thread, w, -1, FM_COMPLETE_EPOCH);
        put_group_sync(thread, w, FULL_SYNC, w->access_group);
        w->access_group = FM_DEFINE_NONE;
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_post);
    if (thread == NULL) {
        return PMPI_Win_post(group, assert, win);
    }
    struct fm_win *w = fm_win_find(thread, win);
    const uint32_t number = group_of(thread, w, group);
    open_group_sync(thread, w, OTF2_RMA_SYNC_LEVEL_PROCESS, number);
    int result = PMPI_Win_post(group, assert, win);
    fm_thread_leave(thread, 0);
    if (w != NULL && result == MPI_SUCCESS) {
        w->exposure_group = number;
        put_group_sync(thread, w, OTF2_RMA_SYNC_LEVEL_PROCESS, w->exposure_group);
    }
    fm_thread_done(thread);
    return result;
}

/* Ends a call of MPI_Win_wait or MPI_Win_test; `closed`: the exposure epoch has ended. */
static void record_exposure_end(struct fm_thread *thread, MPI_Win win, bool closed)
{
    struct fm_win *w = closed ? fm_win_find(thread, win) : NULL;
    fm_thread_leave(thread, 0);
    if (w != NULL) {
        put_group_sync(thread, w, FULL_SYNC, w->exposure_group);
        w->exposure_group = FM_DEFINE_NONE;
    }
    fm_thread_done(thread);
}

int fm_MPI_Win_wait(MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_wait);
    const struct fm_win *w = thread != NULL ? fm_win_find(thread, win) : NULL;
    open_group_sync(thread, w, FULL_SYNC, w != NULL ? w->exposure_group : FM_DEFINE_NONE);
    int result = PMPI_Win_wait(win);
    if (thread != NULL) {
        record_exposure_end(thread, win, result == MPI_SUCCESS);
    }
    return result;
}

int fm_MPI_Win_test(MPI_Win win, int *flag)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_test);
    int result = PMPI_Win_test(win, flag);
    if (thread != NULL && result == MPI_SUCCESS && !*flag) {
        fm_call_leave_test(thread, true);
    } else if (thread != NULL) {
        record_exposure_end(thread, win, result == MPI_SUCCESS && *flag);
    }
    return result;
}
