/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Support of Fortran programs. The Fortran libraries of Open MPI, and that of MPICH for functions
 * of `use mpi_f08` without choice buffers, convert the arguments and call PMPI_... functions. These
 * calls bypass the names that the preload library exports.
 */
#ifndef FERMATA_RECORD_PRELOAD_FORTRAN_H
#define FERMATA_RECORD_PRELOAD_FORTRAN_H

#include <link.h>

/** If an object is such a library, redirects its PMPI_... calls to the MPI_... functions of this
 * library; PMPIX_... calls likewise. Not thread-safe. */
void fm_preload_redirect_fortran(const struct dl_phdr_info *object);

#endif
