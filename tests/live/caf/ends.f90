! SPDX-License-Identifier: BSD-3-Clause
! Ends in different ways. usage: ends end|early|stop|error|kill|fail
program ends
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env
    implicit none
    integer, parameter :: rounds = 5
    character(len=8) :: way
    integer :: data(16)[*], i, status, me, next ! windows of 4 bytes do not work with every MPI library

    interface
        integer(c_int) function raise(signal) bind(C)
            import :: c_int
            integer(c_int), value :: signal
        end function
    end interface

    call get_command_argument(1, way)
    me = this_image()
    next = modulo(me, num_images()) + 1
    sync all
    do i = 1, rounds
        data(9:16)[next] = i
        sync images (*)
    end do
    if (data(16) /= rounds) error stop 9
    print '(a, i0, a)', 'image ', me, ' is done'
    flush (output_unit)
    select case (way)
    case ('early') ! an image that meets one that has ended is told so
        if (me == 2) then
            sync images (1, stat=status)
            print '(a, l1)', 'image 1 has stopped: ', status == STAT_STOPPED_IMAGE
        end if
    case ('stop')
        if (me == 1) stop 3
    case ('error')
        if (me == 1) error stop 3
    case ('kill')
        if (me == 2) status = raise(9)
    case ('fail')
        if (me == 2) fail image
    end select
    if (way == 'stop' .or. way == 'error' .or. way == 'kill' .or. way == 'fail') sync all
end program
