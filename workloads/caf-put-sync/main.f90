! SPDX-License-Identifier: BSD-3-Clause
! The example of Hermanns 2005, figure 3, with coarrays: even images put into the memory of the odd image
! before them, between two meetings of the pair (docs/case-studies/put-and-sync.md). The origins come late
! to the first meeting and compute before the second one.
program caf_put_sync
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    integer, parameter :: length = 1024
    integer :: row(length)[*]
    integer :: partner

    interface
        integer(c_int) function usleep(microseconds) bind(C)
            import :: c_int
            integer(c_int), value :: microseconds
        end function
    end interface

    if (modulo(num_images(), 2) /= 0) error stop 'caf-put-sync: an even number of images is needed'
    row = 0
    sync all
    if (modulo(this_image(), 2) == 0) then
        call update(this_image() - 1)
    else
        partner = this_image() + 1
        sync images (partner) ! as MPI_Win_post: the row may be written
        sync images (partner) ! as MPI_Win_wait: it is
        if (any(row /= partner)) error stop 'caf-put-sync: wrong result'
    end if
    sync all
    if (this_image() == 1) print '(a)', 'caf-put-sync: right'

contains

    subroutine update(target)
        integer, intent(in) :: target
        call prepare()
        sync images (target)
        row(:)[target] = this_image()
        call continue_work()
        sync images (target)
    end subroutine

    subroutine prepare()
        integer(c_int) :: status
        status = usleep(20000_c_int)
    end subroutine

    subroutine continue_work()
        integer(c_int) :: status
        status = usleep(30000_c_int)
    end subroutine
end program
