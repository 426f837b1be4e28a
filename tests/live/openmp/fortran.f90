! SPDX-License-Identifier: BSD-3-Clause
! Directives of Fortran, in free form.
program main
  use omp_lib
  implicit none
  integer :: i, total
  integer(omp_lock_kind) :: lock
  total = 0
  call omp_init_lock(lock)
  !$omp parallel num_threads(2) private(i) ! LINE parallel
  !$omp do schedule(dynamic) reduction(+: total) ! LINE loop
  do i = 1, 10
    total = total + i
  end do
  !$omp end do
  !$omp critical ! LINE critical
  total = total + 100
  !$omp end critical
  call omp_set_lock(lock)
  total = total + 1000
  call omp_unset_lock(lock)
  !$omp barrier ! LINE barrier
  !$omp atomic
  total = total + 10000
  !$omp end parallel
  print '(i0)', total
end program
