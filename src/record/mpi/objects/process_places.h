/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Places of processes: their ranks in this MPI_COMM_WORLD, or in the remote group of a link with
 * another one (spawned, connected or joined processes). A process of another world has no rank that
 * this world could know: which world it is in, and its rank there, is found out when the archives
 * of the worlds are joined (record/worlds). No function here communicates.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_PROCESS_PLACES_H
#define FERMATA_RECORD_MPI_OBJECTS_PROCESS_PLACES_H

#include "record/mpi/wrap.h"

/** The place of a process. */
struct fm_process_place {
    uint64_t link; /**< 0: it is in this world */
    uint32_t rank; /**< in this world, or in the remote group of the link */
};

/** A call that has connected this world with another one. */
struct fm_connection {
    enum fm_link how;
    const char *detail; /**< by which both sides may be recognized; "": nothing is known */
    bool is_root;       /**< this process was the root of the call */
    uint64_t enter;     /**< of the call, clock ticks */
};

/** Begins with the processes of this world, in the order of their ranks. Called once.
 * @param all  valid to the end of the run */
void fm_process_places_begin(MPI_Group all);

/** Finds the places of all members of a group. Thread-safe.
 * @param places  receives them; room for all members
 * @return false: a member is not known */
bool fm_process_places_find(MPI_Group group, int size, struct fm_process_place *places);

/** Whether all members of a group are in this world. */
bool fm_process_places_are_here(MPI_Group group);

/** A number by which processes are ordered, the same on all processes of this world: those of this
 * world by rank, behind them the others in some order. */
uint32_t fm_process_place_order(struct fm_process_place place);

/** Defines a group by its members.
 * @param first  out: fm_process_place_order of the first member, UINT32_MAX: empty group; only set
 * with a definition
 * @return its number; FM_DEFINE_NONE: a member is not known, or no memory */
uint32_t fm_group_define(MPI_Group group, uint32_t *first);

/** Defines a link with the remote group of a new inter-communicator. All members of its local group
 * in this world define the same number.
 * @param group  definition of its local group
 * @param count  number of links that this group made before
 * @param remote_group  out: definition of the remote group
 * @return the number of the link; 0: it cannot be recorded */
uint64_t fm_link_define(MPI_Comm comm, uint32_t group, uint32_t count,
                        const struct fm_connection *connection, uint32_t *remote_group);

#endif
