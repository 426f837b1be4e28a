/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters that are offered to PAPI as its software-defined events (--counters-sde): tools in the
 * process that use PAPI read them as "sde:::fermata::NAME". PAPI's library libsde is loaded for it,
 * if the machine has it; PAPI itself is not needed.
 *
 * Those that are asked for are offered, except those of functions and variables of the MPI library.
 * The value of a counter with bins is their sum; times are in seconds.
 */
#ifndef FERMATA_RECORD_COUNTING_PAPI_SDE_COUNTERS_H
#define FERMATA_RECORD_COUNTING_PAPI_SDE_COUNTERS_H

/** Environment variable, `1`: counters are offered. */
#define FM_COUNTERS_SDE_VARIABLE "FERMATA_COUNTERS_SDE"

/** PAPI's library of software-defined events. PAPI looks for its functions once, when PAPI begins:
 * the recorder loads it with the program (record/preload/preload.c). */
#define FM_SDE_LIBRARY "libsde.so.1"

/** Offers the counters that the file has and that are not offered yet; the file is open. Called by
 * one thread at a time, when the run begins. errno is not preserved.
 * @return NULL; or why none is offered, which is stated once */
const char *fm_sde_counters_offer(void);

#endif
