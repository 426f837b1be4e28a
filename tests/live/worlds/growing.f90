! SPDX-License-Identifier: BSD-3-Clause
! A program that grows by one process at a time to PROCESSES: all processes so far spawn the next one together and
! merge with it. The last one makes all others wait.
program growing
   use mpi
   implicit none
   integer, parameter :: processes = 3
   integer :: all, larger, inter, size, rank, ierror, codes(1), total
   character(len=1024) :: command
   integer(kind=8) :: begin, now, rate

   call MPI_Init(ierror)
   call get_command_argument(0, command)
   call MPI_Comm_get_parent(inter, ierror)
   if (inter == MPI_COMM_NULL) then
      call MPI_Comm_dup(MPI_COMM_WORLD, all, ierror)
   else
      call MPI_Intercomm_merge(inter, .true., all, ierror)
      call MPI_Comm_disconnect(inter, ierror)
   end if
   call MPI_Comm_size(all, size, ierror)
   do while (size < processes)
      call MPI_Comm_spawn(trim(command), MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, all, inter, codes, ierror)
      call MPI_Intercomm_merge(inter, .false., larger, ierror)
      call MPI_Comm_disconnect(inter, ierror)
      all = larger
      call MPI_Comm_size(all, size, ierror)
   end do
   call MPI_Comm_rank(all, rank, ierror)
   if (rank == processes - 1) then
      call system_clock(begin, rate)
      now = begin
      do while (now - begin < 2 * rate / 5)
         call system_clock(now)
      end do
   end if
   call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, all, ierror)
   call MPI_Comm_free(all, ierror)
   call MPI_Finalize(ierror)
end program growing
