/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/objects/group.h"

#include "record/capture/handles.h"
#include "record/mpi/objects/comm.h"

static struct fm_handle_map groups = FM_HANDLE_MAP(2);

uint32_t fm_group_find(struct fm_thread *thread, MPI_Group group)
{
    uintptr_t known = (uintptr_t)fm_handles_find(&groups, thread, FM_HANDLE(group));
    if (known != 0) {
        return (uint32_t)(known - 1);
    }
    uint32_t first;
    uint32_t number = fm_group_define(group, &first);
    if (number != FM_DEFINE_NONE) {
        fm_handles_insert(&groups, FM_HANDLE(group), (void *)((uintptr_t)number + 1));
    }
    return number;
}

int fm_MPI_Group_free(MPI_Group *group)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Group_free);
    if (thread == NULL) {
        return PMPI_Group_free(group);
    }
    fm_handles_remove(&groups, FM_HANDLE(*group));
    int result = PMPI_Group_free(group);
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    return result;
}
