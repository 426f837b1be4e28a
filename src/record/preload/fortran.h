/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Support of Fortran programs. The Fortran libraries of Open MPI, and that of MPICH for functions
 * of `use mpi_f08` without choice buffers, convert the arguments and call PMPI_... functions. These
 * calls bypass the names that the preload library exports.
 */
#ifndef FERMATA_RECORD_PRELOAD_FORTRAN_H
#define FERMATA_RECORD_PRELOAD_FORTRAN_H

#include <stddef.h>

/** Redirects the PMPI_... calls of the loaded Fortran libraries to the MPI_... functions of this
 * library, by changing the entries of their global offset tables; PMPIX_... calls likewise.
 * PMPI_... calls of other libraries and of the program do not change. May be called repeatedly, for
 * libraries that are loaded later; not thread-safe.
 * @param names  of the MPI_... functions, `count` of them */
void fm_preload_redirect_fortran(const char *const *names, size_t count);

#endif
