/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Groups of the program.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_GROUP_H
#define FERMATA_RECORD_MPI_OBJECTS_GROUP_H

#include "record/mpi/wrap.h"

/** Number of the definition for a group handle of the program, FM_DEFINE_NONE if a member is not in
 * this MPI_COMM_WORLD. O(1) for a handle that was used before. */
uint32_t fm_group_find(struct fm_thread *thread, MPI_Group group);

#endif
