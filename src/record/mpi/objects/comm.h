/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Communicators of the program.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_COMM_H
#define FERMATA_RECORD_MPI_OBJECTS_COMM_H

#include "record/capture/handles.h"
#include "record/mpi/objects/process_places.h"
#include "record/mpi/wrap.h"

/** A live communicator. */
struct fm_comm {
    uint32_t number;             /**< of its definition */
    int rank, size;              /**< in the local group */
    int remote_size;             /**< size of the remote group; 0: not an inter-communicator */
    uint32_t group, other_group; /**< definitions; for inter-communicators in the same order on both
                                    sides; FM_DEFINE_NONE: none */
    uint32_t leader;  /**< fm_process_place_order of the first member (the lowest of both sides) */
    uint32_t made;    /**< communicators made from it so far; equal on all members */
    uint32_t windows; /**< windows made on it so far; equal on all members */
    uint32_t persistent;  /**< persistent collectives made on it so far; likewise */
    int sources, targets; /**< neighbours in its topology, including missing ones */
    bool is_recorded;     /**< its creation was, and its end is */
    uint64_t missing;     /**< bit i: neighbour i is MPI_PROC_NULL (border of a Cartesian grid) */
};

extern FM_HIDDEN struct fm_handle_map fm_comms;
enum { FM_COMMS_CACHE = 0 };

/** fm_comm_find before MPI_COMM_WORLD is defined: defines it if the program itself calls MPI. */
FM_COLD struct fm_comm *fm_comm_find_first(struct fm_thread *thread, MPI_Comm comm);

/** Whether MPI_COMM_WORLD and MPI_COMM_SELF are defined, or fm_comm_begin_sessions was called. */
extern FM_HIDDEN bool fm_comm_has_begun;

/** The communicator of a handle, or NULL if it is not known. */
static inline struct fm_comm *fm_comm_find(struct fm_thread *thread, MPI_Comm comm)
{
    if (FM_UNLIKELY(!__atomic_load_n(&fm_comm_has_begun, __ATOMIC_ACQUIRE))) {
        return fm_comm_find_first(thread, comm);
    }
    return fm_handles_find_in(&fm_comms, FM_COMMS_CACHE, thread, FM_HANDLE(comm));
}

/** Defines MPI_COMM_WORLD and MPI_COMM_SELF; called in MPI_Init, or at the first use of a
 * communicator if a library that is based on MPI has initialized it. */
void fm_comm_begin(void);

/** Begins the definition of communicators in a program that has sessions and no MPI_COMM_WORLD (so
 * far).
 * @param all  all processes of the run, in the order of their ranks; valid to the end of the run */
void fm_comm_begin_sessions(MPI_Group all);

/** Defines a communicator that all members of `parent` (NULL: unknown) have created together.
 * @param count     number of communicators created from `parent` before (parent->made)
 * @param recorded  whether the creation is recorded: not if a library creates it inside a recorded
 *                  call of its own
 * @return the communicator, or NULL if it is MPI_COMM_NULL or cannot be recorded */
struct fm_comm *fm_comm_from_parent(struct fm_comm *parent, uint32_t count, MPI_Comm comm,
                                    bool recorded);

/** Defines a communicator created by the members of its group alone: MPI_Comm_create_group,
 * MPI_Comm_create_from_group.
 * @param tag  distinguishes those that members may create in any order (a string tag), and is the
 * name of the communicator; NULL: none
 * @return as fm_comm_from_parent */
struct fm_comm *fm_comm_from_group(struct fm_comm *parent, MPI_Comm comm, const char *tag,
                                   bool recorded);

/** Defines an inter-communicator created by the members of its two groups.
 * @return as fm_comm_from_parent */
struct fm_comm *fm_comm_from_pair(MPI_Comm comm, const char *tag, bool recorded);

/** Defines a communicator that MPI uses internally for an object (a file) that all members of
 * `parent` have made together. The program has no handle of it.
 * @param count  as of fm_comm_from_parent
 * @return its number; FM_DEFINE_NONE: a communicator of this process alone, or it cannot be
 *         recorded */
uint32_t fm_comm_define_duplicate(const struct fm_comm *parent, uint32_t count, const char *name);

/** Defines an inter-communicator that a call has made with processes that may be of another
 * MPI_COMM_WORLD.
 * @return as fm_comm_from_parent */
struct fm_comm *fm_comm_connected(MPI_Comm comm, const struct fm_connection *connection,
                                  bool recorded);

/** Puts the records of a call that has created a communicator: a collective operation.
 * @param common  communicator of all that take part
 * @param made    the new one; NULL: MPI_COMM_NULL, or it cannot be recorded */
static inline void fm_put_creation(struct fm_thread *thread, const struct fm_comm *common,
                                   const struct fm_comm *made)
{
    fm_put_mark(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_BEGIN), FM_RECORD_COLLECTIVE_BEGIN,
                0);
    if (made != NULL) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_COMM_CREATE), FM_RECORD_COMM_CREATE,
                    made->number);
    }
    fm_put_collective(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_END),
                      OTF2_COLLECTIVE_OP_CREATE_HANDLE, common->number, OTF2_COLLECTIVE_ROOT_NONE,
                      0, 0);
}

/** Converts the root argument of a collective to OTF2's representation. */
static inline uint32_t fm_comm_root(const struct fm_comm *comm, int root)
{
    if (comm->remote_size != 0 && root == MPI_ROOT) {
        return OTF2_COLLECTIVE_ROOT_SELF;
    }
    if (comm->remote_size != 0 && root == MPI_PROC_NULL) {
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    }
    return (uint32_t)root;
}

#endif
