/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common header of all files with wrappers of ARMCI. They are built without the header of any
 * library and call the functions that `next` names (paradigm.h): handles and groups are known by
 * their addresses only.
 *
 * ARMCI numbers processes as MPI does, on which its libraries are based: MPI begins first and
 * exchanges the recorder's data. All memory is one window, which is created in the initialization.
 * The group of a collective operation on fewer processes has a window of its own, which is not
 * created by a record.
 */
#ifndef FERMATA_RECORD_ARMCI_ARMCI_H
#define FERMATA_RECORD_ARMCI_ARMCI_H

#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>

/** armci_giov_t: equally long pieces. Libraries differ in the order of the two numbers. */
typedef struct {
    void **from, **to;
    int numbers[2]; /**< bytes of each piece, number of pieces */
} fm_armci_vector_t;

#include "functions.h"
#include "prototypes.h"
#include "record/paradigm/open_call.h"
#include "record/paradigm/wrapper.h"

/** The library's function `name`. */
#define FM_ARMCI(name) ((__typeof__(&fm_##name))fm_next_functions[FM_FUNCTION_##name])

/** Whether several threads may call the library at once. */
extern FM_HIDDEN bool fm_armci_threaded;

/* ---- groups of processes (collective.c) ---- */

/** Processes that take part in collective operations. */
struct fm_armci_group {
    uint32_t window, communicator; /**< numbers of their definitions */
    int size;                      /**< 0: nothing is recorded */
};

/** All processes; its window is that of all one-sided operations. */
extern FM_HIDDEN struct fm_armci_group fm_armci_world;

/** The group of a handle of the library. Equal groups have one definition. To be called outside of
 * fm_thread_leave and fm_thread_done. @return size == 0: it has no definition */
struct fm_armci_group fm_armci_group_of(void *handle);

/** States that the open call is a collective operation. @param group  size == 0: not known */
static inline void fm_armci_awaits(struct fm_thread *thread, const struct fm_armci_group *group)
{
    if (group->size != 0) {
        fm_open_rma_collective(thread, group->communicator, -1);
    }
}

/** Ends the recorded call of a collective operation.
 * @param group  size == 0: nothing but the call is recorded */
void fm_armci_collective(struct fm_thread *thread, OTF2_CollectiveOp operation,
                         const struct fm_armci_group *group);

/** Defines the group of all processes. */
void fm_armci_groups_begin(int size);

/** Rank of this process and number of processes, in the library. */
void fm_armci_place(int *rank, int *size);

/* ---- one-sided operations (operations.c) ---- */

/** In place of a handle: the call itself completes the operation. */
#define FM_ARMCI_COMPLETE ((void *)-1)

/** Begins the recording of operations, after fm_armci_groups_begin. */
void fm_armci_operations_begin(void);

/** The functions below end a recorded call (they call fm_thread_leave and fm_thread_done).
 * @param proc  -1: the call has failed
 * @param hdl   address of the handle; NULL: an implicit one */
void fm_armci_put(struct fm_thread *thread, uint64_t bytes, int proc, void *hdl);
void fm_armci_get(struct fm_thread *thread, uint64_t bytes, int proc, void *hdl);
void fm_armci_accumulate(struct fm_thread *thread, uint64_t bytes, int proc, void *hdl);

/** `proc` for the functions above. */
static inline int fm_armci_target(int outcome, int proc)
{
    return outcome == 0 ? proc : -1;
}

/** Number of events that fm_armci_complete_all would write. */
uint64_t fm_armci_completions(void);

/** Records the completion of all operations at their targets (a fence). To be called between
 * fm_thread_leave and fm_thread_done. */
void fm_armci_complete_all(struct fm_thread *thread);

/** Bytes of a strided operation: `count` has levels + 1 elements. */
static inline uint64_t fm_armci_strided(const int *count, int levels)
{
    uint64_t bytes = 1;
    for (int i = 0; i <= levels; i++) {
        bytes *= (uint64_t)count[i];
    }
    return bytes;
}

/** Bytes of a vector operation. */
static inline uint64_t fm_armci_vector(const fm_armci_vector_t *iov, int iov_len)
{
    uint64_t bytes = 0;
    for (int i = 0; i < iov_len; i++) {
        bytes += (uint64_t)iov[i].numbers[0] * (uint64_t)iov[i].numbers[1];
    }
    return bytes;
}

#endif
