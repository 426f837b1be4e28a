/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a function does in a loop that polls. Thread-safe, no allocation.
 */
#ifndef FERMATA_FUNCTIONS_POLLING_ROLE_H
#define FERMATA_FUNCTIONS_POLLING_ROLE_H

#include "functions/function_kind.h"

/** Parts of a polling loop. */
typedef enum {
    FM_POLLING_OTHER, /**< a call that ends the loop, or a function of the program */
    FM_POLLING_TEST,  /**< tests without waiting */
    FM_POLLING_WAIT,  /**< waits for what a test tests */
    FM_POLLING_LOCAL, /**< a local call: MPI_Wtime, MPI_Comm_rank */
    FM_POLLING_PAUSE  /**< only passes time: usleep, sched_yield */
} fm_polling_part_t;

/** What is tested, or waited for. */
typedef enum {
    FM_POLLED_NOTHING,
    FM_POLLED_REQUEST,   /**< of MPI */
    FM_POLLED_PROBE,     /**< a message that has not been received */
    FM_POLLED_WINDOW,    /**< the end of an exposure epoch */
    FM_POLLED_VARIABLE,  /**< of symmetric memory */
    FM_POLLED_OPERATION, /**< of ARMCI */
    FM_POLLED_SHMEM_LOCK,
    FM_POLLED_OPENMP_LOCK,
    FM_POLLED_OPENMP_NEST_LOCK,
    FM_POLLED_MUTEX,
    FM_POLLED_SPIN_LOCK,
    FM_POLLED_READ_WRITE_LOCK,
    FM_POLLED_C11_MUTEX,
    FM_POLLED_COUNT
} fm_polled_t;

struct fm_polling_role {
    uint8_t part;   /**< fm_polling_part_t */
    uint8_t polled; /**< fm_polled_t; FM_POLLED_NOTHING unless `part` is TEST or WAIT */
};

/** @return the role of a function, named with its prefix. Case and trailing underscores matter as
 * little as in fm_function_kind().
 * @param call  rule class of the function */
struct fm_polling_role fm_polling_role(fm_paradigm_t paradigm, const char *name, fm_call_t call);

#endif
