/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of processes and collective operations. The definition of a group is equal on
 * all members without communication: a group is known by its members. */
#include "record/armci/armci.h"

#include <stdlib.h>

struct fm_armci_group fm_armci_world;

/* ---- groups ---- */

/* Room for the library's structure of a group: that of ARMCI-MPI has 40 bytes, that of ComEx 4. */
union library_group {
    uint64_t words[32];
    void *pointers[32];
};

void fm_armci_place(int *rank, int *size)
{
    union library_group world = {0};
    FM_ARMCI(ARMCI_Group_get_world)(&world);
    FM_ARMCI(ARMCI_Group_rank)(&world, rank);
    FM_ARMCI(ARMCI_Group_size)(&world, size);
}

/* Defines the communicator and the window of a group. @return whether there was room */
static bool define(struct fm_armci_group *group, const int *members, uint32_t origin,
                   uint32_t flags, const char *name)
{
    uint32_t number = fm_session_group(OTF2_PARADIGM_UNKNOWN, members, (size_t)group->size);
    uint32_t text = name != NULL ? fm_session_string(name) : FM_DEFINE_NONE;
    if (number == FM_DEFINE_NONE) {
        return false;
    }
    const uint32_t communicator[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = origin,
                                                  [FM_COMM_PARADIGM] = OTF2_PARADIGM_UNKNOWN,
                                                  [FM_COMM_A] =
                                                      origin == FM_COMM_FROM_GROUP ? number : 0,
                                                  [FM_COMM_FLAGS] = OTF2_COMM_FLAG_NONE,
                                                  [FM_COMM_GROUP] = number,
                                                  [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                                  [FM_COMM_PARENT] = FM_DEFINE_NONE,
                                                  [FM_COMM_NAME] = text};
    group->communicator = fm_session_define(FM_DEFINE_COMM, communicator, FM_COMM_WORDS);
    if (group->communicator == FM_DEFINE_NONE) {
        return false;
    }
    const uint32_t window[FM_WIN_WORDS] = {
        [FM_WIN_COMM] = group->communicator, [FM_WIN_FLAGS] = flags, [FM_WIN_NAME] = text};
    group->window = fm_session_define(FM_DEFINE_WIN, window, FM_WIN_WORDS);
    return group->window != FM_DEFINE_NONE;
}

void fm_armci_groups_begin(int size)
{
    struct fm_armci_group world = {.size = size};
    int *members = malloc((size_t)size * sizeof *members);
    for (int i = 0; members != NULL && i < size; i++) {
        members[i] = i;
    }
    if (members != NULL && define(&world, members, FM_COMM_WORLD,
                                  OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS, "ARMCI_WORLD")) {
        fm_armci_world = world;
    }
    free(members);
}

struct fm_armci_group fm_armci_group_of(void *handle)
{
    struct fm_armci_group group = {.size = 0};
    if (fm_armci_world.size == 0) {
        return group;
    }
    FM_ARMCI(ARMCI_Group_size)(handle, &group.size);
    if (group.size == fm_armci_world.size) {
        return fm_armci_world;
    }
    int *members = group.size > 0 ? malloc((size_t)group.size * sizeof *members) : NULL;
    for (int i = 0; members != NULL && i < group.size; i++) {
        members[i] = FM_ARMCI(ARMCI_Absolute_id)(handle, i);
    }
    if (members == NULL ||
        !define(&group, members, FM_COMM_FROM_GROUP, OTF2_RMA_WIN_FLAG_NONE, NULL)) {
        group.size = 0;
    }
    free(members);
    return group;
}

/* ---- collective operations ---- */

void fm_armci_collective(struct fm_thread *thread, OTF2_CollectiveOp operation,
                         const struct fm_armci_group *group)
{
    if (group->size != 0) {
        uint64_t *r =
            fm_thread_leave(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_put_rma_collective(r, operation, group->window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
                              OTF2_RMA_SYNC_LEVEL_PROCESS);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

/* ARMCI_Barrier completes the operations of the process. */
void fm_ARMCI_Barrier(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Barrier);
    if (thread != NULL) {
        fm_armci_awaits(thread, &fm_armci_world);
    }
    FM_ARMCI(ARMCI_Barrier)();
    if (thread == NULL) {
        return;
    }
    fm_thread_leave(thread, 0);
    if (fm_armci_world.size != 0) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN),
                    FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_armci_complete_all(thread);
        fm_put_rma_collective(fm_thread_reserve(thread, FM_WORDS_RMA_COLLECTIVE),
                              OTF2_COLLECTIVE_OP_BARRIER, fm_armci_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
                              OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
    }
    fm_thread_done(thread);
}

/* Functions that all processes call. */
#define COLLECTIVE(name, prototype, arguments, operation)                                          \
    int fm_##name prototype                                                                        \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        if (thread != NULL) {                                                                      \
            fm_armci_awaits(thread, &fm_armci_world);                                              \
        }                                                                                          \
        int outcome = FM_ARMCI(name) arguments;                                                    \
        if (thread != NULL) {                                                                      \
            fm_armci_collective(thread, OTF2_COLLECTIVE_OP_##operation, &fm_armci_world);          \
        }                                                                                          \
        return outcome;                                                                            \
    }

/* Functions that the processes of `group` call. The group may end with the call. */
#define COLLECTIVE_OF_GROUP(name, prototype, arguments, operation)                                 \
    int fm_##name prototype                                                                        \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        struct fm_armci_group members = {.size = 0};                                               \
        if (thread != NULL) {                                                                      \
            members = fm_armci_group_of(group);                                                    \
            fm_armci_awaits(thread, &members);                                                     \
        }                                                                                          \
        int outcome = FM_ARMCI(name) arguments;                                                    \
        if (thread != NULL) {                                                                      \
            fm_armci_collective(thread, OTF2_COLLECTIVE_OP_##operation, &members);                 \
        }                                                                                          \
        return outcome;                                                                            \
    }

COLLECTIVE(ARMCI_Malloc, (void **pointers, long bytes), (pointers, bytes), ALLOCATE)
COLLECTIVE(ARMCI_Malloc_memdev, (void **pointers, long bytes, const char *device),
           (pointers, bytes, device), ALLOCATE)
COLLECTIVE(ARMCI_Free, (void *pointer), (pointer), DEALLOCATE)
COLLECTIVE(ARMCI_Free_memdev, (void *pointer), (pointer), DEALLOCATE)
COLLECTIVE(ARMCI_Create_mutexes, (int count), (count), CREATE_HANDLE)
COLLECTIVE(ARMCI_Destroy_mutexes, (void), (), DESTROY_HANDLE)

COLLECTIVE_OF_GROUP(ARMCI_Malloc_group, (void **pointers, long bytes, void *group),
                    (pointers, bytes, group), ALLOCATE)
COLLECTIVE_OF_GROUP(ARMCI_Malloc_group_memdev,
                    (void **pointers, long bytes, void *group, const char *device),
                    (pointers, bytes, group, device), ALLOCATE)
COLLECTIVE_OF_GROUP(ARMCI_Free_group, (void *pointer, void *group), (pointer, group), DEALLOCATE)
