/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of calls that create and free windows; the state of windows. */
#include "record/mpi/objects/window.h"

#include "record/mpi/inside/pvar_objects.h"
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/comm.h"

#include <stdlib.h>

struct fm_handle_map fm_wins = FM_HANDLE_MAP(FM_WINS_CACHE);

static struct fm_win *new_win(struct fm_comm *c, MPI_Win handle, bool allocated, uint32_t count)
{
    struct fm_win *win = calloc(1, sizeof *win);
    if (win == NULL) {
        return NULL;
    }
    win->targets = calloc((size_t)c->size, sizeof *win->targets);
    win->open = calloc((size_t)c->size, sizeof *win->open);
    win->size = c->size;
    win->allocated = allocated;
    win->access_group = FM_DEFINE_NONE;
    win->exposure_group = FM_DEFINE_NONE;
    const uint32_t words[FM_WIN_WORDS] = {[FM_WIN_COMM] = c->number,
                                          [FM_WIN_ORDINAL] = count,
                                          [FM_WIN_FLAGS] = OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS,
                                          [FM_WIN_NAME] = FM_DEFINE_NONE};
    win->number = fm_session_define(FM_DEFINE_WIN, words, FM_WIN_WORDS);
    if (win->targets == NULL || win->open == NULL || win->number == FM_DEFINE_NONE) {
        free(win->targets);
        free(win->open);
        free(win);
        return NULL;
    }
    fm_handles_insert(&fm_wins, FM_HANDLE(handle), win);
    return win;
}

static void free_win(struct fm_win *win)
{
    for (int i = 0; i < win->size; i++) {
        while (win->targets[i].waiting != NULL) {
            struct fm_waiting *next = win->targets[i].waiting->next;
            free(win->targets[i].waiting);
            win->targets[i].waiting = next;
        }
    }
    while (win->unused != NULL) {
        struct fm_waiting *next = win->unused->next;
        free(win->unused);
        win->unused = next;
    }
    free(win->targets);
    free(win->open);
    free(win);
}

/* Writes the records of a call that creates or frees a window. */
static void record(struct fm_thread *thread, enum fm_record_kind kind, uint32_t win,
                   OTF2_CollectiveOp operation)
{
    uint64_t *r = fm_thread_leave(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN + FM_WORDS_WIN_CREATE +
                                              FM_WORDS_WIN_COLLECTIVE_END);
    r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
    r = fm_put_mark(r, kind, win);
    r[0] = fm_record_header(FM_RECORD_WIN_COLLECTIVE_END, operation, win);
    r[1] = OTF2_RMA_SYNC_LEVEL_PROCESS;
}

#define CREATE(name, has_memory, operation, call)                                                  \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        if (thread == NULL) {                                                                      \
            return call;                                                                           \
        }                                                                                          \
        struct fm_comm *c = fm_comm_find(thread, comm);                                            \
        uint32_t count = c != NULL ? c->windows++ : 0;                                             \
        fm_open_window_creation(thread, c);                                                        \
        int result = call;                                                                         \
        struct fm_win *made = NULL;                                                                \
        if (c != NULL && result == MPI_SUCCESS) {                                                  \
            made = new_win(c, *win, has_memory, count);                                            \
        }                                                                                          \
        if (result == MPI_SUCCESS) {                                                               \
            fm_pvar_object_begins(MPI_T_BIND_MPI_WIN, win);                                        \
        }                                                                                          \
        if (made != NULL) {                                                                        \
            record(thread, FM_RECORD_WIN_CREATE, made->number, operation);                         \
        } else {                                                                                   \
            fm_thread_leave(thread, 0);                                                            \
        }                                                                                          \
        fm_thread_done(thread);                                                                    \
        return result;                                                                             \
    }

/* The forms with displacement units of type int and MPI_Aint (_c). */
#define CREATE_FORMS(suffix, unit)                                                                 \
    int fm_MPI_Win_create##suffix(void *base, MPI_Aint size, unit disp_unit, MPI_Info info,        \
                                  MPI_Comm comm, MPI_Win *win)                                     \
        CREATE(MPI_Win_create##suffix, false, OTF2_COLLECTIVE_OP_CREATE_HANDLE,                    \
               PMPI_Win_create##suffix(                                                            \
                   base, size, disp_unit, info, comm,                                              \
                   win)) int fm_MPI_Win_allocate##suffix(MPI_Aint size, unit disp_unit,            \
                                                         MPI_Info info, MPI_Comm comm,             \
                                                         void *baseptr, MPI_Win *win)              \
            CREATE(MPI_Win_allocate##suffix, true, OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE,  \
                   PMPI_Win_allocate##suffix(                                                      \
                       size, disp_unit, info, comm, baseptr,                                       \
                       win)) int fm_MPI_Win_allocate_shared##suffix(MPI_Aint size, unit disp_unit, \
                                                                    MPI_Info info, MPI_Comm comm,  \
                                                                    void *baseptr, MPI_Win *win)   \
                CREATE(                                                                            \
                    MPI_Win_allocate_shared##suffix, true,                                         \
                    OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE,                                 \
                    PMPI_Win_allocate_shared##suffix(size, disp_unit, info, comm, baseptr, win))

CREATE_FORMS(, int)
CREATE_FORMS(_c, MPI_Aint)

int fm_MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
    CREATE(MPI_Win_create_dynamic, false, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
           PMPI_Win_create_dynamic(info, comm, win))

        int fm_MPI_Win_free(MPI_Win *win)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_free);
    if (thread == NULL) {
        return PMPI_Win_free(win);
    }
    MPI_Win handle = *win;
    struct fm_win *w = fm_handles_remove(&fm_wins, FM_HANDLE(handle));
    fm_pvar_object_ends(MPI_T_BIND_MPI_WIN, win);
    fm_open_window(thread, w);
    int result = PMPI_Win_free(win);
    if (result != MPI_SUCCESS) {
        fm_pvar_object_begins(MPI_T_BIND_MPI_WIN, &handle);
    }
    if (w != NULL && result == MPI_SUCCESS) {
        record(thread, FM_RECORD_WIN_DESTROY, w->number,
               w->allocated ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE
                            : OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
        free_win(w);
    } else {
        fm_thread_leave(thread, 0);
        if (w != NULL) {
            fm_handles_insert(&fm_wins, FM_HANDLE(handle), w);
        }
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Win_set_name(MPI_Win win, const char *win_name)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Win_set_name);
    int result = PMPI_Win_set_name(win, win_name);
    if (thread != NULL) {
        struct fm_win *w = result == MPI_SUCCESS ? fm_win_find(thread, win) : NULL;
        fm_thread_leave(thread, 0);
        if (w != NULL) {
            fm_session_name(FM_DEFINE_WIN, w->number, win_name);
        }
        fm_thread_done(thread);
    }
    return result;
}

/* ---- open operations ---- */

void fm_win_wait_for_remote(struct fm_win *win, int target, uint64_t id)
{
    struct fm_waiting *waiting = win->unused;
    if (waiting != NULL) {
        win->unused = waiting->next;
    } else {
        waiting = malloc(sizeof *waiting);
    }
    if (waiting != NULL) {
        waiting->id = id;
        waiting->next = win->targets[target].waiting;
        win->targets[target].waiting = waiting;
    }
}

uint64_t fm_win_request_operation(struct fm_thread *thread, struct fm_win *win, int target,
                                  bool get)
{
    uint64_t id = fm_thread_new_id(thread);
    if (!get) {
        fm_spin_lock(&win->lock);
        fm_win_wait_for_remote(win, target, id);
        fm_win_note_open(win, target);
        fm_spin_unlock(&win->lock);
    }
    return id;
}

void fm_win_complete_waiting(struct fm_thread *thread, struct fm_win *win, struct fm_target *target,
                             enum fm_completion completion)
{
    while (target->waiting != NULL) {
        struct fm_waiting *waiting = target->waiting;
        if (completion == FM_COMPLETE_FULLY) {
            fm_win_put_completion(thread, FM_RECORD_COMPLETE_REMOTE, win, waiting->id);
        }
        target->waiting = waiting->next;
        waiting->next = win->unused;
        win->unused = waiting;
    }
}

void fm_win_complete_all(struct fm_thread *thread, struct fm_win *win,
                         enum fm_completion completion)
{
    fm_spin_lock(&win->lock);
    for (uint32_t i = win->open_count; i-- > 0;) {
        fm_win_complete_target(thread, win, (int)win->open[i], completion);
    }
    fm_spin_unlock(&win->lock);
}
