! SPDX-License-Identifier: BSD-3-Clause
! fermata.f90 - marks up a program for fermata, in Fortran 2003 or later.
!
! Part of fermata, under the BSD-3-Clause license (see LICENSE).
!
! The same as fermata/fermata.h, where the rules and records are described; read its introduction.
!
!     use fermata
!     type(fermata_region), save :: matvec, step
!
!     do i = 1, iterations
!         call fermata_iteration(step, 'time step')      ! ends the last iteration, begins the next
!         call fermata_region_begin(matvec, 'matvec', __FILE__, __LINE__)
!         ...
!         call fermata_region_end(matvec)
!     end do
!     call fermata_region_end(step)
!
! Compile this file with your compiler (a compiled module fits one compiler only), or use the module
! that was installed if it fits: `pkg-config --cflags --libs fermata-fortran`. Without it, compile
! fermata.f90 with the program and link what `pkg-config --libs fermata` prints.
!
! The variables that stand for regions, parameters and counters are declared with `save` (those of
! modules have it). File and line may be left out; `__FILE__` and `__LINE__` need the preprocessor.
! Trailing blanks of names and texts do not count.
module fermata
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int32_t, c_int64_t, &
        c_float, c_null_ptr, c_ptr, c_size_t
    implicit none
    private

    public :: fermata_region, fermata_parameter, fermata_counter
    public :: fermata_region_begin, fermata_phase_begin, fermata_iteration, fermata_region_end
    public :: fermata_parameter_set, fermata_count, fermata_marker
    public :: fermata_pause, fermata_resume, fermata_is_recording, fermata_flight_dump
    public :: fermata_level, fermata_total

    ! What the values of a counter are: the value at this moment, or the sum since the start.
    integer, parameter :: fermata_level = 0, fermata_total = 1

    ! A part of the program.
    type :: fermata_region
        private
        type(c_ptr) :: recorder = c_null_ptr
    end type fermata_region

    ! A value that distinguishes visits of a region.
    type :: fermata_parameter
        private
        type(c_ptr) :: recorder = c_null_ptr
    end type fermata_parameter

    ! A number that the program knows.
    type :: fermata_counter
        private
        type(c_ptr) :: recorder = c_null_ptr
    end type fermata_counter

    ! call fermata_region_end(region): leaves the region and whatever was entered in it and not left.
    ! call fermata_region_end(name): leaves the innermost open region of this name.
    interface fermata_region_end
        module procedure region_end, region_end_named
    end interface fermata_region_end

    ! call fermata_parameter_set(parameter, name, value), an integer or a text
    interface fermata_parameter_set
        module procedure parameter_set_int32, parameter_set_int64, parameter_set_text
    end interface fermata_parameter_set

    ! call fermata_count(counter, name, unit, kind, value), of fermata_level or fermata_total; the
    ! first value decides whether the counter holds integers or real numbers
    interface fermata_count
        module procedure count_int32, count_int64, count_real32, count_real64
    end interface fermata_count

    integer(c_int), parameter :: code = 0, phase = 1

    interface
        subroutine c_region_begin(object, name, name_length, file, file_length, line, kind, again) &
            bind(c, name='fermata_fortran_region_begin')
            import :: c_char, c_int, c_ptr, c_size_t
            type(c_ptr), intent(inout) :: object
            character(kind=c_char), intent(in) :: name(*), file(*)
            integer(c_size_t), value :: name_length, file_length
            integer(c_int), value :: line, kind, again
        end subroutine c_region_begin

        subroutine c_region_end(object) bind(c, name='fermata_fortran_region_end')
            import :: c_ptr
            type(c_ptr), intent(inout) :: object
        end subroutine c_region_end

        subroutine c_region_end_named(name, length) &
            bind(c, name='fermata_fortran_region_end_named')
            import :: c_char, c_size_t
            character(kind=c_char), intent(in) :: name(*)
            integer(c_size_t), value :: length
        end subroutine c_region_end_named

        subroutine c_parameter_int(object, name, length, val) &
            bind(c, name='fermata_fortran_parameter_int')
            import :: c_char, c_int64_t, c_ptr, c_size_t
            type(c_ptr), intent(inout) :: object
            character(kind=c_char), intent(in) :: name(*)
            integer(c_size_t), value :: length
            integer(c_int64_t), value :: val
        end subroutine c_parameter_int

        subroutine c_parameter_string(object, name, length, val, val_length) &
            bind(c, name='fermata_fortran_parameter_string')
            import :: c_char, c_ptr, c_size_t
            type(c_ptr), intent(inout) :: object
            character(kind=c_char), intent(in) :: name(*), val(*)
            integer(c_size_t), value :: length, val_length
        end subroutine c_parameter_string

        subroutine c_counter_int(object, name, length, unit, unit_length, kind, val) &
            bind(c, name='fermata_fortran_counter_int')
            import :: c_char, c_int, c_int64_t, c_ptr, c_size_t
            type(c_ptr), intent(inout) :: object
            character(kind=c_char), intent(in) :: name(*), unit(*)
            integer(c_size_t), value :: length, unit_length
            integer(c_int), value :: kind
            integer(c_int64_t), value :: val
        end subroutine c_counter_int

        subroutine c_counter_double(object, name, length, unit, unit_length, kind, val) &
            bind(c, name='fermata_fortran_counter_double')
            import :: c_char, c_double, c_int, c_ptr, c_size_t
            type(c_ptr), intent(inout) :: object
            character(kind=c_char), intent(in) :: name(*), unit(*)
            integer(c_size_t), value :: length, unit_length
            integer(c_int), value :: kind
            real(c_double), value :: val
        end subroutine c_counter_double

        ! Pauses recording in this process, or resumes it.
        subroutine fermata_pause() bind(c, name='fermata_pause')
        end subroutine fermata_pause

        subroutine fermata_resume() bind(c, name='fermata_resume')
        end subroutine fermata_resume

        ! Lets the flight recorder write the records that it keeps now.
        subroutine fermata_flight_dump() bind(c, name='fermata_flight_dump')
        end subroutine fermata_flight_dump

        integer(c_int) function c_is_recording() bind(c, name='fermata_is_recording')
            import :: c_int
        end function c_is_recording

        subroutine c_marker(text, length) bind(c, name='fermata_fortran_marker')
            import :: c_char, c_size_t
            character(kind=c_char), intent(in) :: text(*)
            integer(c_size_t), value :: length
        end subroutine c_marker
    end interface

contains

    ! Enters a region.
    subroutine fermata_region_begin(region, name, file, line)
        type(fermata_region), intent(inout) :: region
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: file
        integer, intent(in), optional :: line
        call begin(region, name, code, 0_c_int, file, line)
    end subroutine fermata_region_begin

    ! Enters a phase: a region whose visits are distinguished. It is left by fermata_region_end.
    subroutine fermata_phase_begin(region, name, file, line)
        type(fermata_region), intent(inout) :: region
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: file
        integer, intent(in), optional :: line
        call begin(region, name, phase, 0_c_int, file, line)
    end subroutine fermata_phase_begin

    ! At the top of a loop's body: ends the iteration before, if there is one, and begins the next.
    ! fermata_region_end behind the loop ends the last one.
    subroutine fermata_iteration(region, name, file, line)
        type(fermata_region), intent(inout) :: region
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: file
        integer, intent(in), optional :: line
        call begin(region, name, phase, 1_c_int, file, line)
    end subroutine fermata_iteration

    ! Whether records are kept now: false without the recorder and while recording is paused.
    logical function fermata_is_recording()
        fermata_is_recording = c_is_recording() /= 0
    end function fermata_is_recording

    ! Marks this moment in the recording with a text.
    subroutine fermata_marker(text)
        character(len=*), intent(in) :: text
        call c_marker(text, len(text, c_size_t))
    end subroutine fermata_marker

    subroutine begin(region, name, kind, again, file, line)
        type(fermata_region), intent(inout) :: region
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: kind, again
        character(len=*), intent(in), optional :: file
        integer, intent(in), optional :: line
        integer(c_int) :: known_line
        known_line = 0
        if (present(line)) known_line = int(line, c_int)
        if (present(file)) then
            call c_region_begin(region%recorder, name, len(name, c_size_t), file, &
                len(file, c_size_t), known_line, kind, again)
        else
            call c_region_begin(region%recorder, name, len(name, c_size_t), '', 0_c_size_t, &
                known_line, kind, again)
        end if
    end subroutine begin

    subroutine region_end(region)
        type(fermata_region), intent(inout) :: region
        call c_region_end(region%recorder)
    end subroutine region_end

    subroutine region_end_named(name)
        character(len=*), intent(in) :: name
        call c_region_end_named(name, len(name, c_size_t))
    end subroutine region_end_named

    subroutine parameter_set_int32(parameter, name, val)
        type(fermata_parameter), intent(inout) :: parameter
        character(len=*), intent(in) :: name
        integer(c_int32_t), intent(in) :: val
        call c_parameter_int(parameter%recorder, name, len(name, c_size_t), int(val, c_int64_t))
    end subroutine parameter_set_int32

    subroutine parameter_set_int64(parameter, name, val)
        type(fermata_parameter), intent(inout) :: parameter
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(in) :: val
        call c_parameter_int(parameter%recorder, name, len(name, c_size_t), val)
    end subroutine parameter_set_int64

    subroutine parameter_set_text(parameter, name, val)
        type(fermata_parameter), intent(inout) :: parameter
        character(len=*), intent(in) :: name, val
        call c_parameter_string(parameter%recorder, name, len(name, c_size_t), val, &
            len(val, c_size_t))
    end subroutine parameter_set_text

    subroutine count_int32(counter, name, unit, kind, val)
        type(fermata_counter), intent(inout) :: counter
        character(len=*), intent(in) :: name, unit
        integer, intent(in) :: kind
        integer(c_int32_t), intent(in) :: val
        call count_int64(counter, name, unit, kind, int(val, c_int64_t))
    end subroutine count_int32

    subroutine count_int64(counter, name, unit, kind, val)
        type(fermata_counter), intent(inout) :: counter
        character(len=*), intent(in) :: name, unit
        integer, intent(in) :: kind
        integer(c_int64_t), intent(in) :: val
        call c_counter_int(counter%recorder, name, len(name, c_size_t), unit, &
            len(unit, c_size_t), int(kind, c_int), val)
    end subroutine count_int64

    subroutine count_real32(counter, name, unit, kind, val)
        type(fermata_counter), intent(inout) :: counter
        character(len=*), intent(in) :: name, unit
        integer, intent(in) :: kind
        real(c_float), intent(in) :: val
        call count_real64(counter, name, unit, kind, real(val, c_double))
    end subroutine count_real32

    subroutine count_real64(counter, name, unit, kind, val)
        type(fermata_counter), intent(inout) :: counter
        character(len=*), intent(in) :: name, unit
        integer, intent(in) :: kind
        real(c_double), intent(in) :: val
        call c_counter_double(counter%recorder, name, len(name, c_size_t), unit, &
            len(unit, c_size_t), int(kind, c_int), val)
    end subroutine count_real64

end module fermata
