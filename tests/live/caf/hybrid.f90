! SPDX-License-Identifier: BSD-3-Clause
! Coarrays and MPI in turn.
program hybrid
    use mpi
    implicit none
    integer, parameter :: rounds = 5
    integer :: row(16)[*], i, total, ierror
    sync all
    do i = 1, rounds
        row(:)[modulo(this_image(), num_images()) + 1] = i
        sync all
        if (any(row /= i)) error stop 2
        call MPI_Allreduce(i, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        if (total /= i*num_images()) error stop 1
    end do
    print '(a, i0, a)', 'image ', this_image(), ' is done'
end program
