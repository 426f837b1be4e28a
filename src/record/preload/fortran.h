/** @file
 * Fortran programs: the Fortran libraries of Open MPI, and that of MPICH where `use mpi_f08` needs
 * no choice buffers, convert the arguments and call PMPI_... functions, so that the names that the
 * preload library exports are never reached.
 */
#ifndef FERMATA_RECORD_PRELOAD_FORTRAN_H
#define FERMATA_RECORD_PRELOAD_FORTRAN_H

#include <stddef.h>

/** Leads the PMPI_... calls of the Fortran libraries that are loaded to this library's MPI_...
 * functions, by the entries of their global offset tables. Calls that others make to PMPI_...
 * functions stay what they are. May be called repeatedly, for libraries that came later; not from
 * several threads at a time.
 * @param names  of the MPI_... functions, `count` of them */
void fm_preload_redirect_fortran(const char *const *names, size_t count);

#endif
