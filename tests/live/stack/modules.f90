! SPDX-License-Identifier: BSD-3-Clause
! A late sender in the procedures of a module.
module solver
  use mpi
  implicit none
contains

  subroutine compute(seconds)
    double precision, intent(in) :: seconds
    integer(kind=8) :: begin, now, rate
    call system_clock(begin, rate)
    do
      call system_clock(now)
      if (dble(now - begin) / dble(rate) >= seconds) exit
    end do
  end subroutine compute

  subroutine exchange(rank, data)
    integer, intent(in) :: rank
    double precision, intent(inout) :: data(100)
    integer :: error
    if (rank == 0) then
      call MPI_Send(data, 100, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error)
    else if (rank == 1) then
      call MPI_Recv(data, 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
  end subroutine exchange

  subroutine step(rank)
    integer, intent(in) :: rank
    double precision :: data(100)
    integer :: error
    data = 1
    if (rank == 0) call compute(0.02d0)
    call exchange(rank, data)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine step

end module solver

program late
  use mpi
  use solver
  implicit none
  integer :: rank, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, 3
    call step(rank)
  end do
  call MPI_Finalize(error)
end program late
