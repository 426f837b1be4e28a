! SPDX-License-Identifier: BSD-3-Clause
! A planted cause of waiting in Fortran: a procedure of a module takes ten times as long on the last rank, in steps 101
! to 200 of 300. Nothing is marked, and nothing sleeps. Rank 0 prints how long the steps took.
!
! usage: planted_fortran [fixed], two ranks
module physics
  implicit none
  integer, parameter :: points = 20000
  real(8) :: q(points) = 1d0
contains
  subroutine advect(turns)
    integer, intent(in) :: turns
    integer :: turn, i
    do turn = 1, turns
      do i = 2, points
        q(i) = 0.5d0 * (q(i) + q(i - 1))
      end do
    end do
  end subroutine

  subroutine microphysics(turns)
    integer, intent(in) :: turns
    integer :: turn, i
    do turn = 1, turns
      do i = 1, points
        q(i) = q(i) + 1d-6 * exp(-abs(q(i)))
      end do
    end do
  end subroutine
end module

program planted_fortran
  use mpi_f08
  use physics
  implicit none
  integer :: rank, ranks, step, turns
  real(8) :: begin, sent(100), received(100)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  sent = 0
  call MPI_Barrier(MPI_COMM_WORLD)
  begin = MPI_Wtime()
  do step = 1, 300
    call advect(60)
    turns = 10
    if (rank == ranks - 1 .and. step > 100 .and. step <= 200 .and. command_argument_count() == 0) turns = 100
    call microphysics(turns)
    call MPI_Sendrecv(sent, 100, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 0, &
                      received, 100, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end do
  if (rank == 0) print '(a,f0.6)', 'steps ', MPI_Wtime() - begin
  call MPI_Finalize()
end program
