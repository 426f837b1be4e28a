! SPDX-License-Identifier: BSD-3-Clause
! Gets a patch of a global array in a subroutine.
program arrays
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "mpif.h"
  integer :: array, sizes(2), chunk(2)
  integer(4) :: error ! the MPI library's integers
  logical :: done
  call mpi_init(error)
  call ga_initialize()
  done = ma_init(MT_DBL, 100000, 100000)
  sizes = 100
  chunk = -1
  done = nga_create(MT_DBL, 2, sizes, 'matrix', chunk, array)
  call ga_zero(array)
  call get_patch(array)
  call ga_sync()
  done = ga_destroy(array)
  call ga_terminate()
  call mpi_finalize(error)
contains
  subroutine get_patch(from)
    integer, intent(in) :: from
    integer :: first(2), last(2), leading(1)
    double precision :: patch(100, 100)
    first = 1
    last = 100
    leading = 100
    call nga_get(from, first, last, patch, leading)
  end subroutine
end program
