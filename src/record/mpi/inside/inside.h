/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters of what happens inside the MPI library: its variables (pvars.h) and hooks
 * (hook_connection.h); and the recorder's counters behind its variables (offered_pvars.h).
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_INSIDE_H
#define FERMATA_RECORD_MPI_INSIDE_INSIDE_H

#include <stdint.h>

/** Before MPI_Init, or before the first session. */
void fm_inside_prepare(void);

/** After MPI_Init, with the file of counters open.
 * @param version     of the library
 * @param has_world   whether there is MPI_COMM_WORLD
 * @param rank, size  of the process among all, which have exchanged messages */
void fm_inside_begin(const char *version, int has_world, uint32_t rank, uint32_t size);

/** The program has called MPI_Finalize, and the recorder is going to communicate. May be called
 * repeatedly. */
void fm_inside_end(void);

#endif
