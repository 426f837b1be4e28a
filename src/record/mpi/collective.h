/** @file
 * Recording of collective calls, for the files that wrap them.
 */
#ifndef FERMATA_RECORD_MPI_COLLECTIVE_H
#define FERMATA_RECORD_MPI_COLLECTIVE_H

#include "record/mpi/objects/comm.h"
#include "record/mpi/wrap.h"

/** Bytes that this rank sends and receives in a collective, counted once for each peer. */
struct fm_volume {
    uint64_t sent, received;
};

/** Records a blocking collective and ends the call; without an operation if c is NULL. */
void fm_collective_record(struct fm_thread *thread, OTF2_CollectiveOp operation,
                          const struct fm_comm *c, int root, struct fm_volume volume);

/** Records the start of a non-blocking collective and ends the call; without an operation if c is
 * NULL. */
void fm_collective_start(struct fm_thread *thread, OTF2_CollectiveOp operation,
                         const struct fm_comm *c, int root, struct fm_volume volume,
                         MPI_Request handle);

/** Sum of `count` counts; negative ones count as 0. */
uint64_t fm_counts_sum(const int counts[], int count);

#define FM_NO_ROOT ((int)OTF2_COLLECTIVE_ROOT_NONE)

#define FM_UNPACK(...) __VA_ARGS__

/** Defines the blocking and the non-blocking wrapper of a collective.
 * @param root        root of the operation or FM_NO_ROOT
 * @param volume      struct fm_volume, computed from the arguments and the communicator c
 * @param parameters  (declarations) before the communicator
 * @param arguments   (their names) */
#define FM_COLLECTIVE(name, iname, operation, root, volume, parameters, arguments)                 \
    int fm_##name(FM_UNPACK parameters, MPI_Comm comm)                                             \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = P##name(FM_UNPACK arguments, comm);                                           \
        if (thread != NULL) {                                                                      \
            const struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;   \
            fm_collective_record(thread, operation, c, root,                                       \
                                 c != NULL ? (volume) : (struct fm_volume){0, 0});                 \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    int fm_##iname(FM_UNPACK parameters, MPI_Comm comm, MPI_Request *request)                      \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##iname);                             \
        int result = P##iname(FM_UNPACK arguments, comm, request);                                 \
        if (thread != NULL) {                                                                      \
            const struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;   \
            fm_collective_start(thread, operation, c, root,                                        \
                                c != NULL ? (volume) : (struct fm_volume){0, 0}, *request);        \
        }                                                                                          \
        return result;                                                                             \
    }

#endif
