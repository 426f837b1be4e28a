/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Recording of collective calls, for the files that wrap them.
 */
#ifndef FERMATA_RECORD_MPI_COLLECTIVE_H
#define FERMATA_RECORD_MPI_COLLECTIVE_H

#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/comm.h"
#include "record/mpi/wrap.h"

/** Bytes that this rank sends and receives in a collective, counted once for each peer. */
struct fm_volume {
    uint64_t sent, received;
};

/** Records a blocking collective and ends the call; without an operation if c is NULL. */
void fm_collective_record(struct fm_thread *thread, OTF2_CollectiveOp operation,
                          const struct fm_comm *c, int root, struct fm_volume volume);

/** Ends a call that has initialized a persistent collective, and notes the operation, of which each
 * start is recorded as that of a non-blocking one; without an operation if c is NULL.
 * @param function  that initialized it: FM_FUNCTION_name */
void fm_collective_init(struct fm_thread *thread, OTF2_CollectiveOp operation, struct fm_comm *c,
                        int root, struct fm_volume volume, uint32_t function, MPI_Request handle);

/** Records the start of a non-blocking collective and ends the call; without an operation if c is
 * NULL. */
void fm_collective_start(struct fm_thread *thread, OTF2_CollectiveOp operation,
                         const struct fm_comm *c, int root, struct fm_volume volume,
                         MPI_Request handle);

/** An array of counts, of either type. */
struct fm_counts {
    const void *values;
    bool large; /**< MPI_Count, else int */
};

/** The i-th count; 0 if it is negative. */
static inline uint64_t fm_count_at(struct fm_counts counts, int i)
{
    const MPI_Count count =
        counts.large ? ((const MPI_Count *)counts.values)[i] : ((const int *)counts.values)[i];
    return count > 0 ? (uint64_t)count : 0;
}

#define FM_NO_ROOT ((int)OTF2_COLLECTIVE_ROOT_NONE)

/** Defines the wrapper of a function that initializes a persistent collective, in one form
 * (wrap.h).
 * @param function    MPI_name_init, or MPIX_name_init
 * @param operation, root, volume, parameters, arguments  as those of FM_COLLECTIVE */
#define FM_COLLECTIVE_INIT(function, operation, root, volume, parameters, arguments)               \
    int FM_FORM(fm_, function)(FM_UNPACK parameters, MPI_Comm comm, MPI_Info info,                 \
                               MPI_Request * request)                                              \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FORM(FM_FUNCTION_, function));                 \
        int result = FM_FORM(P, function)(FM_UNPACK arguments, comm, info, request);               \
        if (thread != NULL) {                                                                      \
            struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;         \
            fm_collective_init(thread, operation, c, root,                                         \
                               c != NULL ? (volume) : (struct fm_volume){0, 0},                    \
                               FM_FORM(FM_FUNCTION_, function), *request);                         \
        }                                                                                          \
        return result;                                                                             \
    }

/** Defines the wrappers of a collective in one form (wrap.h): the blocking call, the non-blocking
 * one, and the initialization of the persistent operation, also under its earlier name MPIX_ if the
 * form has one: FM_EARLIER is FM_COLLECTIVE_INIT, else a macro that defines nothing.
 * FM_AWAITS: fm_open_collective, or a macro that does nothing, if not all members are awaited.
 * @param name        of the blocking call without MPI_; `iname` of the non-blocking one
 * @param root        root of the operation or FM_NO_ROOT
 * @param volume      struct fm_volume, computed from the arguments and the communicator c
 * @param parameters  (declarations) before the communicator
 * @param arguments   (their names) */
#define FM_COLLECTIVE(name, iname, operation, root, volume, parameters, arguments)                 \
    int FM_FORM(fm_, MPI_##name)(FM_UNPACK parameters, MPI_Comm comm)                              \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_##name));         \
        if (thread == NULL) {                                                                      \
            return FM_FORM(P, MPI_##name)(FM_UNPACK arguments, comm);                              \
        }                                                                                          \
        const struct fm_comm *c = fm_comm_find(thread, comm);                                      \
        FM_AWAITS(thread, c, root);                                                                \
        int result = FM_FORM(P, MPI_##name)(FM_UNPACK arguments, comm);                            \
        c = result == MPI_SUCCESS ? c : NULL;                                                      \
        fm_collective_record(thread, operation, c, root,                                           \
                             c != NULL ? (volume) : (struct fm_volume){0, 0});                     \
        return result;                                                                             \
    }                                                                                              \
    int FM_FORM(fm_, MPI_##iname)(FM_UNPACK parameters, MPI_Comm comm, MPI_Request * request)      \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_##iname));        \
        int result = FM_FORM(P, MPI_##iname)(FM_UNPACK arguments, comm, request);                  \
        if (thread != NULL) {                                                                      \
            const struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;   \
            fm_collective_start(thread, operation, c, root,                                        \
                                c != NULL ? (volume) : (struct fm_volume){0, 0}, *request);        \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    FM_COLLECTIVE_INIT(MPI_##name##_init, operation, root, volume, parameters, arguments)          \
    FM_EARLIER(MPIX_##name##_init, operation, root, volume, parameters, arguments)

#endif
