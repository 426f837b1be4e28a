! SPDX-License-Identifier: BSD-3-Clause
! Instrumented Fortran: procedures of a module, of the program, and outside of both; recursion.
module stencil
    use mpi
    implicit none
contains
    subroutine smooth(values)
        real(8), intent(inout) :: values(:)
        integer :: i
        do i = 2, size(values) - 1
            values(i) = 0.5d0 * (values(i - 1) + values(i + 1))
        end do
    end subroutine smooth

    subroutine exchange(values, partner)
        real(8), intent(inout) :: values(:)
        integer, intent(in) :: partner
        integer :: error
        real(8) :: received
        call MPI_Sendrecv(values(1), 1, MPI_DOUBLE_PRECISION, partner, 0, received, 1, &
                          MPI_DOUBLE_PRECISION, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
                          error)
        values(1) = received
    end subroutine exchange

    recursive subroutine descend(depth, values)
        integer, intent(in) :: depth
        real(8), intent(inout) :: values(:)
        if (depth == 0) then
            call smooth(values)
        else
            call descend(depth - 1, values)
            values(1) = values(1) + depth
        end if
    end subroutine descend
end module stencil

subroutine outside(values)
    implicit none
    real(8), intent(inout) :: values(8)
    values = values * 2
end subroutine outside

program procedures
    use mpi
    use stencil
    implicit none
    integer :: rank, error, i
    real(8) :: values(8)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = rank
    do i = 1, 3
        call step()
    end do
    call MPI_Finalize(error)
contains
    subroutine step()
        call smooth(values)
        call exchange(values, ieor(rank, 1))
        call descend(2, values)
        call outside(values)
    end subroutine step
end program procedures
