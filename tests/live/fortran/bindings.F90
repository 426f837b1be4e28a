! SPDX-License-Identifier: BSD-3-Clause
! Every kind of MPI call through one of Fortran's three interfaces: USE_MPIF, USE_MPI, USE_F08.
! The arguments that only Fortran has (MPI_IN_PLACE, MPI_BOTTOM, MPI_STATUS_IGNORE, LOGICAL) are used and their effect is verified: what is printed is the same with a recorder.
#if defined(USE_MPI_4)
#define ALLREDUCE_INIT MPI_Allreduce_init
#define BARRIER_INIT MPI_Barrier_init
#elif defined(USE_MPIX)
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define BARRIER_INIT MPIX_Barrier_init
#endif
program bindings
#if defined(USE_F08)
  use mpi_f08
#if defined(USE_MPIX)
  use mpi_f08_ext
#endif
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
#if defined(USE_F08)
  type(MPI_Request) :: requests(2)
  type(MPI_Win) :: window
  type(MPI_Comm) :: half, grid
  type(MPI_Datatype) :: absolute
  type(MPI_Status) :: status
#define SOURCE_OF(s) s%MPI_SOURCE
#else
  integer :: requests(2), window, half, grid, absolute, status(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#endif
  integer, parameter :: length = 100
  integer :: rank, ranks, left, right, ierr, count, finished, i
  integer :: counts(8), offsets(8), coordinates(1), neighbor
  integer(MPI_ADDRESS_KIND) :: address
  logical :: flag, periodic(1)
  real(8), asynchronous :: mine(length), theirs(length), sums(length), memory(length), all(8)
  real(8) :: problems

  problems = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  mine = rank + 1

  ! Blocking, with a status and without.
  call MPI_Sendrecv(mine, length, MPI_DOUBLE_PRECISION, right, 1, theirs, length, &
                    MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
  if (SOURCE_OF(status) /= left .or. any(theirs /= left + 1)) problems = problems + 1
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
  if (count /= length) problems = problems + 1
  if (modulo(rank, 2) == 0 .and. rank + 1 < ranks) then
    call MPI_Send(mine, length, MPI_DOUBLE_PRECISION, rank + 1, 2, MPI_COMM_WORLD, ierr)
  else if (modulo(rank, 2) == 1) then
    call MPI_Recv(theirs, length, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (any(theirs /= rank)) problems = problems + 1
  end if

  ! Non-blocking: all, then one by one. (In MPICH 4.0's mpi_f08 the indices begin with 0.)
  call MPI_Irecv(theirs, length, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(mine, length, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (any(theirs /= left + 1)) problems = problems + 1
  call MPI_Irecv(theirs, length, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(mine, length, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, requests(2), ierr)
  do i = 1, 2
    call MPI_Waitany(2, requests, finished, MPI_STATUS_IGNORE, ierr)
    if (finished < 0 .or. finished > 2) problems = problems + 1
  end do
  call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
  if (.not. flag) problems = problems + 1

  ! An absolute address: the datatype knows where the data are, the buffer is MPI_BOTTOM.
  call MPI_Get_address(mine, address, ierr)
  counts(1) = length
  call MPI_Type_create_hindexed(1, counts, (/ address /), MPI_DOUBLE_PRECISION, absolute, ierr)
  call MPI_Type_commit(absolute, ierr)
  call MPI_Irecv(theirs, length, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send(MPI_BOTTOM, 1, absolute, right, 5, MPI_COMM_WORLD, ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  if (any(theirs /= left + 1)) problems = problems + 1
  call MPI_Type_free(absolute, ierr)

  ! Collectives, also those whose Fortran binding asks for the size itself.
  sums = mine
  call MPI_Allreduce(MPI_IN_PLACE, sums, length, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (any(sums /= ranks * (ranks + 1) / 2)) problems = problems + 1
  if (rank == 0) then
    all(1) = 1
    call MPI_Gather(MPI_IN_PLACE, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, &
                    MPI_COMM_WORLD, ierr)
    if (any(all(1:ranks) /= (/ (i, i = 1, ranks) /))) problems = problems + 1
  else
    call MPI_Gather(mine, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, &
                    MPI_COMM_WORLD, ierr)
  end if
  counts = 1
  offsets = (/ (i, i = 0, 7) /)
  call MPI_Alltoallv(mine, counts, offsets, MPI_DOUBLE_PRECISION, all, counts, offsets, &
                     MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  if (any(all(1:ranks) /= (/ (i, i = 1, ranks) /))) problems = problems + 1
  call MPI_Barrier(MPI_COMM_WORLD, ierr)

  ! Communicators and topologies.
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, ierr)
  call MPI_Bcast(sums, length, MPI_DOUBLE_PRECISION, 0, half, ierr)
  call MPI_Comm_free(half, ierr)
  periodic = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ ranks /), periodic, .false., grid, ierr)
  coordinates = rank + 1
  call MPI_Cart_rank(grid, coordinates, neighbor, ierr)
  if (neighbor /= right) problems = problems + 1
  call MPI_Comm_free(grid, ierr)

  ! One-sided communication.
  memory = 0
  call MPI_Win_create(memory, int(8 * length, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, &
                      MPI_COMM_WORLD, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  call MPI_Put(mine, length, MPI_DOUBLE_PRECISION, right, 0_MPI_ADDRESS_KIND, length, &
               MPI_DOUBLE_PRECISION, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  if (any(memory /= left + 1)) problems = problems + 1
  call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window, ierr)
  call MPI_Get(theirs, length, MPI_DOUBLE_PRECISION, right, 0_MPI_ADDRESS_KIND, length, &
               MPI_DOUBLE_PRECISION, window, ierr)
  call MPI_Win_flush(right, window, ierr)
  if (any(theirs /= rank + 1)) problems = problems + 1
  call MPI_Win_unlock(right, window, ierr)
  call MPI_Win_free(window, ierr)

#if defined(ALLREDUCE_INIT)
  ! Persistent collectives.
  call ALLREDUCE_INIT(mine, sums, length, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
                      MPI_INFO_NULL, requests(1), ierr)
  call BARRIER_INIT(MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierr)
  do i = 1, 2
    sums = 0
    call MPI_Start(requests(1), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    if (any(sums /= ranks * (ranks + 1) / 2)) problems = problems + 1
    call MPI_Start(requests(2), ierr)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
#endif
#if defined(USE_MPI_4)
  ! Both directions with one request, a large count (only mpi_f08 has these).
  call MPI_Isendrecv(mine, length, MPI_DOUBLE_PRECISION, right, 6, theirs, length, &
                     MPI_DOUBLE_PRECISION, left, 6, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  if (any(theirs /= left + 1)) problems = problems + 1
#if defined(USE_F08)
  call MPI_Bcast(sums, int(length, MPI_COUNT_KIND), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
#endif
#endif

  call MPI_Reduce(problems, sums, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, f4.0)', 'problems:', sums(1)
  call MPI_Finalize(ierr)
end program
