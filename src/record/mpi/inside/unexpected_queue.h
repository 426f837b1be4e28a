/** @file
 * The number of messages in Open MPI's queues of unexpected ones, by its variable
 * pml_ob1_unexpected_msgq_length (MPI_T), for hooks that look at it before each receive.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_UNEXPECTED_QUEUE_H
#define FERMATA_RECORD_MPI_INSIDE_UNEXPECTED_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/** To be called between MPI_Init and MPI_Finalize.
 * @return false: the library does not have the variable */
bool fm_unexpected_queue_open(void);

/** @return messages of MPI_COMM_WORLD that wait for their receive in this process now; 0 before
 * fm_unexpected_queue_open(), or while another thread asks. Thread-safe. */
uint64_t fm_unexpected_queue_length(void);

/** To be called before MPI_Finalize, when no thread asks for the length anymore. */
void fm_unexpected_queue_close(void);

#endif
