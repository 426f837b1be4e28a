! SPDX-License-Identifier: BSD-3-Clause
! Executes every kind of coarray statement, in an order that check_caf.py knows. (OpenCoarrays 2.10 on
! MPICH cannot allocate components.)
program statements
    use, intrinsic :: iso_fortran_env
    implicit none

    type box
        integer :: number
        integer, allocatable :: content(:)
    end type

    integer :: a(10)[*], b(4, 3)[*], me, n, next, before, s, old, count, local(10)
    integer(atomic_int_kind) :: counter[*]
    integer, allocatable :: dynamic(:)[:]
    type(event_type) :: event[*]
    type(lock_type) :: locks(2)[*]
    type(box) :: boxes[*]
    type(team_type) :: half
    logical :: acquired

    me = this_image()
    n = num_images()
    next = modulo(me, n) + 1
    before = modulo(me - 2, n) + 1
    local = me
    counter = 0
    sync all

    ! Transfers: whole, sections, elements, between other images, in components.
    a(:)[next] = local
    a(1:9:2)[next] = local(1:5)
    a(3)[next] = me
    b(2, :)[next] = me
    local(1:4) = b(:, 2)[before]
    a(2:3)[next] = a(5:6)[before]
    boxes[next]%number = me
    sync memory
#ifdef WITH_ALLOCATABLE_COMPONENTS
    allocate (boxes%content(6))
    sync all
    boxes[next]%content(2:4) = local(1:3)
    local(1:6) = boxes[before]%content(:)
#endif

    ! Atomic subroutines.
    call atomic_define(counter[next], me)
    call atomic_ref(s, counter[next])
    call atomic_cas(counter[next], old, me, 7)
    call atomic_add(counter[next], 1)
    sync all

    ! Some images, events, locks.
    if (me <= 2) then
        a(1)[3 - me] = 0
        sync images (3 - me)
    end if
    sync images (*)
    event post(event[next])
    event wait(event)
    call event_query(event, count)
    if (me == 1) then
        lock (locks(2)[n])
        lock (locks(1)[n], acquired_lock=acquired)
        unlock (locks(1)[n])
    end if
    sync all
    if (me == 2) then
        lock (locks(2)[n], acquired_lock=acquired)
        if (acquired) error stop 1
    end if
    sync all
    if (me == 1) then
        unlock (locks(2)[n])
    end if
    sync all
    critical
        s = me
    end critical

    ! Collective subroutines.
    call co_broadcast(local, source_image=2)
    s = me
    call co_sum(s)
    if (s /= n*(n + 1)/2) error stop 2
    call co_sum(s, result_image=3)
    call co_min(local(1:2))
    call co_max(local(1:2), result_image=1)
    s = me
    call co_reduce(s, product_of)

    ! Allocation, teams.
    allocate (dynamic(100)[*])
    deallocate (dynamic)
    form team(1 + (me - 1)/2, half)
    change team(half)
        a(4)[modulo(this_image(), num_images()) + 1] = 1
        sync all
    end team
    sync team(half)
    print '(a, i0, a, i0, a)', 'image ', me, ' of ', n, ' is done'

contains

    pure function product_of(x, y) result(z)
        integer, intent(in) :: x, y
        integer :: z
        z = x*y
    end function
end program
