/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Performance variables of the MPI library (MPI_T) as counters: "mpit:NAME", and Open MPI's
 * software performance counters of a library that was built with --enable-spc, by their own names.
 *
 * The tools interface is initialized before MPI_Init and never finalized: after MPI_Finalize that
 * crashes with Open MPI 4.1. Variables are looked up by name when the run begins, because their
 * numbers change until then.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_PVARS_H
#define FERMATA_RECORD_MPI_INSIDE_PVARS_H

#include "record/counting/counter_file.h"

/** Before MPI_Init: initializes the tools interface, and switches on in the library what the list
 * of counters names: Open MPI's counters and its monitoring components. No action if it names none.
 */
void fm_pvars_prepare(void);

/** After MPI_Init, with the file of counters open: adds the variables that are named.
 * @param version   of the library
 * @param has_world whether MPI_COMM_WORLD exists, to which variables of communicators are bound
 * @return what reads them; NULL: there are none */
fm_counter_reader_t *fm_pvars_begin(const char *version, int has_world);

/** The program has called MPI_Finalize: reads the variables for the last time, before the recorder
 * communicates. */
void fm_pvars_end(void);

#endif
