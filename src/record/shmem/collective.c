/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations, and the allocation of symmetric memory. Bytes are counted as for MPI: one
 * transfer for each member that data goes to or comes from, the PE itself included. */
#include "record/shmem/shmem.h"

static void record(struct fm_thread *thread, OTF2_CollectiveOp operation,
                   const struct fm_shmem_group *group, uint32_t root, uint64_t sent,
                   uint64_t received, OTF2_RmaSyncLevel level)
{
    if (group != NULL && group->size != 0) {
        uint64_t *r =
            fm_thread_leave(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_put_rma_collective(r, operation, group->window, root, sent, received, level);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_pe_collective(struct fm_thread *thread, OTF2_CollectiveOp operation,
                      const struct fm_shmem_group *group, uint64_t bytes)
{
    uint64_t all = group != NULL ? (uint64_t)group->size * bytes : 0;
    record(thread, operation, group, OTF2_COLLECTIVE_ROOT_NONE, all, all,
           bytes == 0 ? OTF2_RMA_SYNC_LEVEL_PROCESS : OTF2_RMA_SYNC_LEVEL_NONE);
}

void fm_pe_broadcast(struct fm_thread *thread, const struct fm_shmem_group *group, int root,
                     uint64_t bytes)
{
    bool is_root = group != NULL && group->rank == root;
    record(thread, OTF2_COLLECTIVE_OP_BCAST, group, (uint32_t)root,
           is_root ? (uint64_t)group->size * bytes : 0, bytes, OTF2_RMA_SYNC_LEVEL_NONE);
}

void fm_pe_completing(struct fm_thread *thread, OTF2_CollectiveOp operation,
                      const struct fm_shmem_group *group)
{
    fm_thread_leave(thread, 0);
    if (group != NULL && group->size != 0) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN),
                    FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_shmem_complete(thread, &fm_shmem_default);
        fm_put_rma_collective(fm_thread_reserve(thread, FM_WORDS_RMA_COLLECTIVE), operation,
                              group->window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
                              OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
    }
    fm_thread_done(thread);
}

void fm_pe_barrier(struct fm_thread *thread, const struct fm_shmem_group *group)
{
    fm_pe_completing(thread, OTF2_COLLECTIVE_OP_BARRIER, group);
}

void fm_shmem_barrier_all(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_barrier_all);
    if (FM_LIKELY(thread != NULL)) {
        fm_pe_awaits(thread, &fm_shmem_world, -1);
    }
    FM_SHMEM(shmem_barrier_all)();
    if (FM_LIKELY(thread != NULL)) {
        fm_pe_barrier(thread, &fm_shmem_world);
    }
}

void fm_shmem_sync_all(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_sync_all);
    if (FM_LIKELY(thread != NULL)) {
        fm_pe_awaits(thread, &fm_shmem_world, -1);
    }
    FM_SHMEM(shmem_sync_all)();
    if (FM_LIKELY(thread != NULL)) {
        fm_pe_collective(thread, OTF2_COLLECTIVE_OP_BARRIER, &fm_shmem_world, 0);
    }
}

/* ---- symmetric memory: a barrier of all PEs belongs to its calls, if they have an effect ---- */

/* Begins such a call. */
FM_INLINE struct fm_thread *enter_memory(uint32_t function, bool has_effect)
{
    struct fm_thread *thread = fm_call_enter(function);
    if (thread != NULL && has_effect) {
        fm_pe_awaits(thread, &fm_shmem_world, -1);
    }
    return thread;
}

static void record_memory(struct fm_thread *thread, OTF2_CollectiveOp operation, bool has_effect)
{
    if (thread != NULL) {
        fm_pe_completing(thread, operation, has_effect ? &fm_shmem_world : NULL);
    }
}

#define ALLOCATE(name, prototype, arguments, size)                                                 \
    void *fm_##name prototype                                                                      \
    {                                                                                              \
        struct fm_thread *thread = enter_memory(FM_FUNCTION_##name, (size) != 0);                  \
        void *outcome = FM_SHMEM(name) arguments;                                                  \
        record_memory(thread, OTF2_COLLECTIVE_OP_ALLOCATE, (size) != 0);                           \
        return outcome;                                                                            \
    }

#define REALLOCATE(name)                                                                           \
    void *fm_##name(void *ptr, size_t size)                                                        \
    {                                                                                              \
        struct fm_thread *thread = enter_memory(FM_FUNCTION_##name, ptr != NULL || size != 0);     \
        void *outcome = FM_SHMEM(name)(ptr, size);                                                 \
        record_memory(thread,                                                                      \
                      size != 0 ? OTF2_COLLECTIVE_OP_ALLOCATE : OTF2_COLLECTIVE_OP_DEALLOCATE,     \
                      ptr != NULL || size != 0);                                                   \
        return outcome;                                                                            \
    }

#define FREE(name)                                                                                 \
    void fm_##name(void *ptr)                                                                      \
    {                                                                                              \
        struct fm_thread *thread = enter_memory(FM_FUNCTION_##name, ptr != NULL);                  \
        FM_SHMEM(name)(ptr);                                                                       \
        record_memory(thread, OTF2_COLLECTIVE_OP_DEALLOCATE, ptr != NULL);                         \
    }

ALLOCATE(shmem_malloc, (size_t size), (size), size)
ALLOCATE(shmem_malloc_with_hints, (size_t size, long hints), (size, hints), size)
ALLOCATE(shmem_calloc, (size_t count, size_t size), (count, size), count *size)
ALLOCATE(shmem_align, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATE(shmalloc, (size_t size), (size), size)
ALLOCATE(shmemalign, (size_t alignment, size_t size), (alignment, size), size)
REALLOCATE(shmem_realloc)
REALLOCATE(shrealloc)
FREE(shmem_free)
FREE(shfree)
