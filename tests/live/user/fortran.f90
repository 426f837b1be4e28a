! SPDX-License-Identifier: BSD-3-Clause
! Regions, parameters, counters and markers in Fortran. What comes of them stands in check_fortran.py.
! MPI is called by its C names: how Fortran reaches MPI is tested elsewhere.
program fortran
    use, intrinsic :: iso_c_binding
    use fermata
    implicit none

    interface
        integer(c_int) function mpi_init_c(argc, argv) bind(c, name='MPI_Init')
            import :: c_int, c_ptr
            type(c_ptr), value :: argc, argv
        end function mpi_init_c

        integer(c_int) function mpi_finalize_c() bind(c, name='MPI_Finalize')
            import :: c_int
        end function mpi_finalize_c
    end interface

    type(fermata_region), save :: whole, step, inner, again
    type(fermata_counter), save :: cells, residual
    type(fermata_parameter), save :: level, method
    integer :: i, failed

    call fermata_region_begin(whole, 'whole   ', 'somewhere.f90', 77)
    call fermata_marker('before MPI_Init  ')
    failed = mpi_init_c(c_null_ptr, c_null_ptr)
    do i = 1, 3
        call fermata_iteration(step, 'step', 'fortran.f90', 30)
        call fermata_parameter_set(level, 'level', i)
        if (i == 2) cycle
        call fermata_parameter_set(method, 'method', trim(name_of(i)))
        call fermata_region_begin(inner, 'inner')
        call fermata_count(cells, 'cells', 'cells', fermata_total, 100_c_int64_t * i)
        call fermata_count(residual, 'residual', '', fermata_level, 1.0 / i)
        call recursive_region(2)
        call fermata_region_end(inner)
    end do
    call fermata_region_end(step)
    call fermata_phase_begin(again, 'phase', line=41)
    call fermata_region_begin(inner, 'inner')
    call fermata_region_end('phase')
    call fermata_region_end(inner)
    call fermata_region_end('')
    failed = failed + mpi_finalize_c()
    call fermata_region_end(whole)
    if (failed /= 0) error stop

contains

    function name_of(i) result(name)
        integer, intent(in) :: i
        character(len=12) :: name
        name = 'jacobi'
        if (i > 1) name = 'gauss-seidel'
    end function name_of

    recursive subroutine recursive_region(depth)
        integer, intent(in) :: depth
        type(fermata_region) :: unsaved
        call fermata_region_begin(unsaved, 'recursive')
        if (depth > 0) call recursive_region(depth - 1)
        call fermata_region_end(unsaved)
    end subroutine recursive_region

end program fortran
