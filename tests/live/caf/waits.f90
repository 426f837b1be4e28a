! SPDX-License-Identifier: BSD-3-Clause
! Waits once at each kind of statement, for an image that comes late.
program waits
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env
    implicit none
    integer, parameter :: late = 60 ! milliseconds
    type(event_type) :: event[*]
    type(lock_type) :: lock_variable[*]
    integer :: total

    interface
        integer(c_int) function usleep(microseconds) bind(C)
            import :: c_int
            integer(c_int), value :: microseconds
        end function
    end interface

    ! Image 1 waits for image 2.
    sync all
    if (this_image() == 2) call come_late()
    if (this_image() <= 2) sync images (3 - this_image())

    ! Image 1 waits for the event of image 2.
    sync all
    if (this_image() == 2) then
        call come_late()
        event post(event[1])
    else if (this_image() == 1) then
        event wait(event)
    end if

    ! Image 3 waits for the lock that image 1 holds.
    sync all
    if (this_image() == 1) then
        lock (lock_variable[2])
        sync images (3)
        call come_late()
        unlock (lock_variable[2])
    else if (this_image() == 3) then
        sync images (1)
        lock (lock_variable[2])
        unlock (lock_variable[2])
    end if

    ! All wait for image 3.
    sync all
    total = this_image()
    if (this_image() == 3) call come_late()
    call co_sum(total)
    if (total /= num_images()*(num_images() + 1)/2) error stop 1
    print '(a, i0, a)', 'image ', this_image(), ' is done'

contains

    subroutine come_late()
        integer(c_int) :: status
        status = usleep(int(1000*late, c_int))
    end subroutine
end program
