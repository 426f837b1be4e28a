/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The number of messages in Open MPI's queues of unexpected ones, by its variable
 * pml_ob1_unexpected_msgq_length (MPI_T): of the communicators of the program that exist, for hooks
 * that look at it before each receive. Inter-communicators are left out, for which Open MPI 4.1
 * reads as many queues as the local group has processes, not the remote one. All functions are
 * thread-safe but opening and closing.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_UNEXPECTED_QUEUE_H
#define FERMATA_RECORD_MPI_INSIDE_UNEXPECTED_QUEUE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/** To be called between MPI_Init and MPI_Finalize.
 * @return false: the library does not have the variable */
bool fm_unexpected_queue_open(void);

/** A communicator has been created; it is about to be freed. No action while the queue is closed.
 */
void fm_unexpected_queue_begins(MPI_Comm comm);
void fm_unexpected_queue_ends(MPI_Comm comm);

/** @return messages that wait for their receive in this process now; 0 while the queue is closed.
 * O(processes of all communicators) */
uint64_t fm_unexpected_queue_length(void);

/** What is known at the end of the run. */
struct fm_unexpected_rest {
    uint64_t messages; /**< that no receive has taken: in communicators that exist, or were freed */
    uint64_t longest;  /**< longest queue now, and when communicators were freed */
};

struct fm_unexpected_rest fm_unexpected_queue_rest(void);

/** To be called before MPI_Finalize, when no thread asks for the length anymore. */
void fm_unexpected_queue_close(void);

#endif
