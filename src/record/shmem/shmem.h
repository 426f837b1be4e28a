/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common header of all files with wrappers of OpenSHMEM. They are built without the header of any
 * library and call the functions of the library that the process has loaded: handles have the same
 * size in all libraries, and constants whose values differ are not used.
 *
 * Processes are numbered by PE. The symmetric memory of all of them is one window, created in the
 * initialization. Each active set and team has a window of its own in records of collective
 * operations, which names its group; these windows are not created by a record.
 */
#ifndef FERMATA_RECORD_SHMEM_SHMEM_H
#define FERMATA_RECORD_SHMEM_SHMEM_H

#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fm_shmem_library_context *shmem_ctx_t;
typedef struct fm_shmem_library_team *shmem_team_t;

#include "functions.h"
#include "prototypes.h"
#include "record/paradigm/open_call.h"
#include "record/paradigm/wrapper.h"

/** The library's function `name`; not to be called if fm_shmem_has(name) is false. */
#define FM_SHMEM(name)     ((__typeof__(&fm_##name))fm_next_functions[FM_FUNCTION_##name])
#define fm_shmem_has(name) (fm_next_functions[FM_FUNCTION_##name] != NULL)

/** Whether several threads may call the library at once (SHMEM_THREAD_MULTIPLE). */
extern FM_HIDDEN bool fm_shmem_threaded;

/** Caches of look-ups by handle (handles.h). */
enum { FM_SHMEM_CONTEXTS_CACHE = 3, FM_SHMEM_GROUPS_CACHE = 4 };

/* ---- groups of PEs (groups.c) ---- */

/** A group of PEs that takes part in collective operations. */
struct fm_shmem_group {
    uint32_t window, communicator; /**< numbers of their definitions */
    int size, rank;                /**< rank: of this PE; -1: it is no member */
    int *members;                  /**< PEs; NULL: all, in their order */
    uint32_t splits;               /**< number of teams made from it */
};

/** The group of all PEs; its window is that of all one-sided operations. size == 0: the library is
 * not initialized, or nothing is recorded. */
extern FM_HIDDEN struct fm_shmem_group fm_shmem_world;

/** Defines the group of all PEs. */
void fm_shmem_groups_begin(int rank, int size);

/** The group of an active set, or of a team; NULL: it is not known, or without memory. */
struct fm_shmem_group *fm_shmem_active_set(struct fm_thread *thread, int first, int log_stride,
                                           int size);
struct fm_shmem_group *fm_shmem_team(struct fm_thread *thread, shmem_team_t team);

/* ---- contexts and one-sided operations (operations.c) ---- */

/** Operations on one PE since the last completion. */
struct fm_shmem_target {
    uint64_t puts;  /**< matching id of locally complete ones; 0: none */
    uint64_t begun; /**< matching id of non-blocking ones; 0: none */
    uint32_t place; /**< in fm_shmem_context.open, plus 1; 0: not there */
};

/** A communication context: operations are completed together. */
struct fm_shmem_context {
    fm_spin_t lock;
    const struct fm_shmem_group *group; /**< operations name its members */
    struct fm_shmem_target *targets;    /**< by PE; NULL: nothing is recorded */
    uint32_t *open;                     /**< PEs with operations that are not complete */
    uint32_t open_count;
};

extern FM_HIDDEN struct fm_shmem_context fm_shmem_default;

static inline struct fm_shmem_context *fm_shmem_default_context(void)
{
    return &fm_shmem_default;
}

/** The context of a handle; that of a handle without one is the default context. */
struct fm_shmem_context *fm_shmem_context(struct fm_thread *thread, shmem_ctx_t ctx);

/** Begins the default context, after fm_shmem_groups_begin. */
void fm_shmem_contexts_begin(void);

/** Number of events that fm_shmem_complete would write. */
uint64_t fm_shmem_completions(const struct fm_shmem_context *context);

/** Records the completion of all operations of the context. To be called between fm_thread_leave
 * and fm_thread_done. */
void fm_shmem_complete(struct fm_thread *thread, struct fm_shmem_context *context);

/* The functions below end a recorded call (they call fm_thread_leave and fm_thread_done). `pe` is
 * the program's: a member of the context's group. `context` and `group` may be NULL. */

/** A put that is complete at the origin; a get that is complete. */
void fm_pe_put(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes, int pe);
void fm_pe_get(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes, int pe);

/** Operations that a later call completes. */
void fm_pe_begin_put(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes,
                     int pe);
void fm_pe_begin_get(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes,
                     int pe);

/** An atomic operation that is complete, and one that a later call completes. */
void fm_pe_atomic(struct fm_thread *thread, struct fm_shmem_context *context,
                  OTF2_RmaAtomicType type, uint64_t sent, uint64_t received, int pe);
void fm_pe_begin_atomic(struct fm_thread *thread, struct fm_shmem_context *context,
                        OTF2_RmaAtomicType type, uint64_t sent, uint64_t received, int pe);

/** A quiet: completes the operations of the context. */
void fm_pe_quiet(struct fm_thread *thread, struct fm_shmem_context *context);

/** A wait. `changed`: the memory has the awaited value. */
void fm_pe_changed(struct fm_thread *thread, bool changed);

/** A test. `changed`: the memory has the awaited value. */
void fm_pe_tested(struct fm_thread *thread, bool changed);

/* ---- collective operations (collective.c) ---- */

/** States that the open call is a collective operation. @param root  -1: none */
static inline void fm_pe_awaits(struct fm_thread *thread, const struct fm_shmem_group *group,
                                int root)
{
    if (group != NULL && group->size != 0) {
        fm_open_rma_collective(thread, group->communicator, root);
    }
}

/** A collective operation in which `bytes` bytes go from each member to each, itself included. */
void fm_pe_collective(struct fm_thread *thread, OTF2_CollectiveOp operation,
                      const struct fm_shmem_group *group, uint64_t bytes);

/** A broadcast of `bytes` bytes from the member `root`. */
void fm_pe_broadcast(struct fm_thread *thread, const struct fm_shmem_group *group, int root,
                     uint64_t bytes);

/** A collective operation in which the PE completes all its operations of the default context. */
void fm_pe_completing(struct fm_thread *thread, OTF2_CollectiveOp operation,
                      const struct fm_shmem_group *group);
void fm_pe_barrier(struct fm_thread *thread, const struct fm_shmem_group *group);

/* ---- locks (lock.c) ---- */

/** Begins the identification of locks.
 * @param heap  a symmetric object in dynamic memory, the same one on all PEs */
void fm_shmem_locks_begin(const void *heap);

/* ---- communication of the recorder (exchange.c) ---- */

/** Allocates symmetric memory for the exchange. Collective. On failure fm_exchange.failure says
 * why. @return the memory; NULL: failed */
void *fm_shmem_exchange_begin(void);

/** Frees it. Collective. */
void fm_shmem_exchange_end(void);

extern FM_HIDDEN struct fm_exchange fm_shmem_exchange;

#endif
