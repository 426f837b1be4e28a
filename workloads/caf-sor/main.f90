! SPDX-License-Identifier: BSD-3-Clause
! Poisson's equation by red-black successive over-relaxation, with coarrays (usage() lists the options).
! Each image has a strip of columns. Behind each half-sweep an image puts its outer columns into its
! neighbours' memory and meets them in `sync images`. Halos are used in turn: one is overwritten only
! when its image has met the others behind the half-sweep that reads it. All images compare their
! columns with a serial computation.
module relaxation
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: error_unit, real64
    implicit none
    integer, parameter :: colours = 2
    integer :: grid = 64, iterations = 20, late_image = 0, late_milliseconds = 0

    interface
        integer(c_int) function usleep(microseconds) bind(C)
            import :: c_int
            integer(c_int), value :: microseconds
        end function
    end interface

contains

    subroutine usage()
        write (error_unit, '(a)') 'usage: caf-sor [--size N] [--iterations N] [--late MILLISECONDS:IMAGE]', &
            '  --late  this image comes late to each exchange'
        error stop 2, quiet=.true.
    end subroutine

    subroutine read_options()
        character(len=32) :: option, value
        integer :: i, colon, status
        do i = 1, command_argument_count(), 2
            call get_command_argument(i, option)
            call get_command_argument(i + 1, value)
            status = 0
            select case (option)
            case ('--size')
                read (value, *, iostat=status) grid
            case ('--iterations')
                read (value, *, iostat=status) iterations
            case ('--late')
                colon = index(value, ':')
                if (colon == 0) call usage()
                read (value(:colon - 1), *, iostat=status) late_milliseconds
                if (status == 0) read (value(colon + 1:), *, iostat=status) late_image
            case default
                call usage()
            end select
            if (status /= 0) call usage()
        end do
        if (grid < num_images() .or. iterations < 1) call usage()
    end subroutine

    ! A half-sweep over the cells of a colour of columns, of which the first is column `first` of the
    ! grid; columns have a border on both sides. Gives the largest change.
    function sweep(columns, first, colour) result(most)
        real(real64), intent(inout) :: columns(0:, 0:)
        integer, intent(in) :: first, colour
        real(real64) :: most, mean, change, source
        integer :: i, j
        most = 0
        source = 1 / real(grid, real64)**2
        do j = 1, ubound(columns, 2) - 1
            do i = 1 + modulo(first + j + colour, 2), grid, 2
                mean = (columns(i - 1, j) + columns(i + 1, j) + columns(i, j - 1) + columns(i, j + 1)) / 4
                change = 1.7_real64 * (mean + source / 4 - columns(i, j))
                columns(i, j) = columns(i, j) + change
                most = max(most, abs(change))
            end do
        end do
    end function

    subroutine come_late()
        integer(c_int) :: status
        status = usleep(int(1000 * late_milliseconds, c_int))
    end subroutine

    ! Gives the outer columns to the neighbours and receives theirs.
    subroutine exchange(columns, left, right, turn)
        real(real64), intent(inout) :: columns(0:, 0:)
        real(real64), intent(inout) :: left(:, :)[*], right(:, :)[*]
        integer, intent(in) :: turn
        integer :: last
        last = ubound(columns, 2) - 1
        if (this_image() == late_image) call come_late()
        if (this_image() > 1) right(:, turn)[this_image() - 1] = columns(:, 1)
        if (this_image() < num_images()) left(:, turn)[this_image() + 1] = columns(:, last)
        call meet_neighbours()
        if (this_image() > 1) columns(:, 0) = left(:, turn)
        if (this_image() < num_images()) columns(:, last + 1) = right(:, turn)
    end subroutine

    subroutine meet_neighbours()
        integer :: i
        integer, allocatable :: neighbours(:)
        neighbours = pack([(i, i=this_image() - 1, this_image() + 1, 2)], &
                          [this_image() > 1, this_image() < num_images()])
        sync images (neighbours)
    end subroutine

    ! Whether the columns are those of a serial computation.
    function are_right(columns, first) result(same)
        real(real64), intent(in) :: columns(0:, 0:)
        integer, intent(in) :: first
        real(real64), allocatable :: all(:, :)
        real(real64) :: change
        logical :: same
        integer :: half, count
        count = ubound(columns, 2) - 1
        allocate (all(0:grid + 1, 0:grid + 1))
        all = 0
        do half = 0, colours * iterations - 1
            change = sweep(all, 0, modulo(half, colours))
        end do
        same = .true.
        do half = 1, count
            same = same .and. .not. any(abs(all(:, first + half) - columns(:, half)) > 0)
        end do
    end function
end module

program caf_sor
    use relaxation
    implicit none
    real(real64), allocatable :: columns(:, :), left(:, :)[:], right(:, :)[:]
    real(real64) :: change, largest
    integer :: first, count, half
    call read_options()
    first = grid * (this_image() - 1) / num_images()
    count = grid * this_image() / num_images() - first
    allocate (columns(0:grid + 1, 0:count + 1))
    allocate (left(0:grid + 1, colours)[*], right(0:grid + 1, colours)[*])
    columns = 0
    sync all
    do half = 0, colours * iterations - 1
        change = sweep(columns, first, modulo(half, colours))
        largest = merge(change, max(largest, change), modulo(half, colours) == 0)
        call exchange(columns, left, right, 1 + modulo(half, colours))
    end do
    call co_max(largest)
    if (.not. are_right(columns, first)) then
        write (error_unit, '(a, i0, a)') 'caf-sor: image ', this_image(), ': wrong result'
        error stop 1
    end if
    sync all
    if (this_image() == 1) then
        print '(a, i0, a, es22.15, a)', 'caf-sor: ', iterations, ' iterations, last change ', largest, ', right'
    end if
end program
