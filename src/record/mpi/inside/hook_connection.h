/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The recorder's side of the hooks in MPI libraries (record/hooks/hooks.h): connects them, if
 * the library of hooks is loaded and the MPI library is of a version that they are tested with.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_HOOK_CONNECTION_H
#define FERMATA_RECORD_MPI_INSIDE_HOOK_CONNECTION_H

#include <stdint.h>

/** When the run begins, with the file of counters open: adds the counters of the hooks that are
 * asked for, or states why there are none: to the file for those that are named, and in a message
 * of rank 0. No action without --hooks or without counters.
 * @param version  of the library
 * @param rank, size  of the process among all, which have exchanged messages */
void fm_hooks_begin(const char *version, uint32_t rank, uint32_t size);

/** The hooks count no more. */
void fm_hooks_end(void);

#endif
