/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The recorder's counters as performance variables of MPI (MPI_T), for the program and other tools
 * in its process (--counters-mpit). Their indices follow those that the library has when a tool
 * first asks for variables after MPI_Init; further ones of the library follow behind. They belong
 * to no category.
 *
 * They are continuous and read-only, and bound to no object. Their handles are addresses in a table
 * of the recorder, by which the wrappers of MPI_T_pvar_... (pvar_calls.c) tell them from the
 * library's own.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_OFFERED_PVARS_H
#define FERMATA_RECORD_MPI_INSIDE_OFFERED_PVARS_H

#include <mpi.h>
#include <stdbool.h>

struct fm_offered_counter;

/** All counters are known: variables may be offered from now on. */
void fm_offered_pvars_begin(void);

/** Whether variables are offered at present, and MPI_T is initialized. If not, all indices are the
 * library's. Thread-safe, as all of these functions. */
bool fm_offered_pvars_are_there(void);

/** Number of the variables. */
int fm_offered_pvars_count(void);

/** @return the variable of an index; NULL: the index is the library's */
const struct fm_offered_counter *fm_offered_pvar(int index);

/** @return the index of the variable of this name and class; -1: there is none */
int fm_offered_pvar_index(const char *name, int variable_class);

/** The program's index of a variable of the library, and the reverse. */
int fm_offered_index_of_program(int index);
int fm_offered_index_of_library(int index);

/** MPI_T_PVAR_CLASS_... and type of a variable's elements. */
int fm_offered_pvar_class(const struct fm_offered_counter *counter);
MPI_Datatype fm_offered_pvar_type(const struct fm_offered_counter *counter);

/** Makes a handle. @return MPI_SUCCESS or a code of MPI_T */
int fm_offered_handle_new(MPI_T_pvar_session session, const struct fm_offered_counter *counter,
                          MPI_T_pvar_handle *handle);

/** Whether a handle is one of these. */
bool fm_offered_handle_is(MPI_T_pvar_handle handle);

/** @return the variable of such a handle; NULL: it is not valid in this session */
const struct fm_offered_counter *fm_offered_handle_counter(MPI_T_pvar_session session,
                                                           MPI_T_pvar_handle handle);

/** Frees such a handle, which is valid. */
void fm_offered_handle_free(MPI_T_pvar_handle handle);

/** Frees those of a session. */
void fm_offered_handles_end(MPI_T_pvar_session session);

#endif
