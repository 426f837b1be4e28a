! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program that contains its MPI library.
program contained
  use mpi
  implicit none
  integer :: rank, total, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  print '(a, i0, a, i0)', 'rank ', rank, ': ', total
  call MPI_Finalize(error)
end program
