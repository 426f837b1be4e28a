/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/offered_pvars.h"

#include "counters/catalogue.h"
#include "record/counting/offered_counters.h"
#include "record/paradigm/put.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { HANDLES_MOST = 4096 };

static struct {
    fm_spin_t lock;
    atomic_bool has_begun;
    atomic_bool known; /* what follows is constant */
    int first;         /* index of the first one */
    int count;
} offered;

static struct {
    fm_spin_t lock;
    size_t next; /* where the search for a free one begins */
    struct handle {
        const struct fm_offered_counter *counter; /* NULL: the handle is free */
        MPI_T_pvar_session session;
    } all[HANDLES_MOST];
} handles;

/* ---- variables ---- */

void fm_offered_pvars_begin(void)
{
    offered.has_begun = fm_counters_are_offered();
}

bool fm_offered_pvars_are_there(void)
{
    int library;
    if (!offered.has_begun || PMPI_T_pvar_get_num(&library) != MPI_SUCCESS) {
        return false;
    }
    if (!offered.known) {
        fm_spin_lock_if(true, &offered.lock);
        if (!offered.known) {
            offered.first = library;
            offered.count = (int)fm_offered_counters_take();
            offered.known = true;
        }
        fm_spin_unlock_if(true, &offered.lock);
    }
    return true;
}

int fm_offered_pvars_count(void)
{
    return offered.count;
}

const struct fm_offered_counter *fm_offered_pvar(int index)
{
    return index >= offered.first && index - offered.first < offered.count
               ? fm_offered_counter_at((size_t)(index - offered.first))
               : NULL;
}

int fm_offered_pvar_index(const char *name, int variable_class)
{
    int found = -1;
    for (int i = 0; found < 0 && i < offered.count; i++) {
        const struct fm_offered_counter *counter = fm_offered_counter_at((size_t)i);
        if (strcmp(counter->name, name) == 0 && fm_offered_pvar_class(counter) == variable_class) {
            found = offered.first + i;
        }
    }
    return found;
}

int fm_offered_index_of_program(int index)
{
    return index >= offered.first ? index + offered.count : index;
}

int fm_offered_index_of_library(int index)
{
    return index >= offered.first ? index - offered.count : index;
}

int fm_offered_pvar_class(const struct fm_offered_counter *counter)
{
    switch (counter->kind) {
    case FM_COUNTER_BYTES:
    case FM_COUNTER_REAL:
        return MPI_T_PVAR_CLASS_AGGREGATE;
    case FM_COUNTER_LEVEL:
    case FM_COUNTER_REAL_LEVEL:
        return MPI_T_PVAR_CLASS_LEVEL;
    case FM_COUNTER_HIGH_WATERMARK:
        return MPI_T_PVAR_CLASS_HIGHWATERMARK;
    case FM_COUNTER_LOW_WATERMARK:
        return MPI_T_PVAR_CLASS_LOWWATERMARK;
    case FM_COUNTER_TIMER:
    case FM_COUNTER_NANOSECONDS:
        return MPI_T_PVAR_CLASS_TIMER;
    default:
        return MPI_T_PVAR_CLASS_COUNTER;
    }
}

MPI_Datatype fm_offered_pvar_type(const struct fm_offered_counter *counter)
{
    return counter->is_whole ? MPI_UNSIGNED_LONG_LONG : MPI_DOUBLE;
}

/* ---- handles ---- */

int fm_offered_handle_new(MPI_T_pvar_session session, const struct fm_offered_counter *counter,
                          MPI_T_pvar_handle *handle)
{
    int result = MPI_T_ERR_OUT_OF_HANDLES;
    fm_spin_lock_if(true, &handles.lock);
    for (size_t i = 0; result != MPI_SUCCESS && i < HANDLES_MOST; i++) {
        size_t place = (handles.next + i) % HANDLES_MOST;
        if (handles.all[place].counter == NULL) {
            handles.all[place] = (struct handle){counter, session};
            handles.next = place + 1;
            *handle = (MPI_T_pvar_handle)(void *)&handles.all[place];
            result = MPI_SUCCESS;
        }
    }
    fm_spin_unlock_if(true, &handles.lock);
    return result;
}

bool fm_offered_handle_is(MPI_T_pvar_handle handle)
{
    uintptr_t place = (uintptr_t)handle;
    return place >= (uintptr_t)&handles.all[0] && place < (uintptr_t)&handles.all[HANDLES_MOST];
}

const struct fm_offered_counter *fm_offered_handle_counter(MPI_T_pvar_session session,
                                                           MPI_T_pvar_handle handle)
{
    const struct handle *own = (const struct handle *)(void *)handle;
    return own->session == session ? own->counter : NULL;
}

void fm_offered_handle_free(MPI_T_pvar_handle handle)
{
    fm_spin_lock_if(true, &handles.lock);
    *(struct handle *)(void *)handle = (struct handle){NULL, MPI_T_PVAR_SESSION_NULL};
    fm_spin_unlock_if(true, &handles.lock);
}

void fm_offered_handles_end(MPI_T_pvar_session session)
{
    if (!offered.known) {
        return;
    }
    fm_spin_lock_if(true, &handles.lock);
    for (size_t i = 0; i < HANDLES_MOST; i++) {
        if (handles.all[i].counter != NULL && handles.all[i].session == session) {
            handles.all[i] = (struct handle){NULL, MPI_T_PVAR_SESSION_NULL};
        }
    }
    fm_spin_unlock_if(true, &handles.lock);
}
