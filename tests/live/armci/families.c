/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls every function of ARMCI that is recorded, and writes what each call must be recorded as, a
 * line for each call in the format of check_families.py. usage: families FOLDER   writes
 * FOLDER/expected.RANK */
#include <armcix.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 4096, BYTES = 40 };

static FILE *out;
static int me, size, next, other;
static char *far;     /* memory of the next process */
static char *farther; /* memory of the one after it, `other` */
static char near[ROOM];
static double scale = 1;

__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

static void expect_put(const char *function, int bytes)
{
    expect("%s put:%d:%d blocking:%d", function, next, bytes, next);
}

static void expect_get(const char *function, int bytes)
{
    expect("%s get:%d:%d blocking:%d", function, next, bytes, next);
}

static void expect_accumulate(const char *function, int bytes)
{
    expect("%s atomic:%d:ACCUMULATE:%d:0 blocking:%d", function, next, bytes, next);
}

static void expect_barrier(void)
{
    expect("ARMCI_Barrier collective:BARRIER:%d:0:0:-", size);
}

/* Two levels: three pieces of 16 bytes at distances of 64 bytes, and this twice. */
static int strides[] = {64, 512}, counts[] = {16, 3, 2};
enum { LEVELS = 2, STRIDED = 16 * 3 * 2 };

/* Three pieces of 8 bytes and two of 24. */
enum { PIECES = 5, VECTORS = 2, VECTORED = 3 * 8 + 2 * 24 };
static void *far_pieces[PIECES], *near_pieces[PIECES];
static armci_giov_t out_of[VECTORS], into[VECTORS];

static void make_vectors(void)
{
    enum { PIECE = 32, BEGIN = 2048 };
    for (int i = 0; i < PIECES; i++) {
        far_pieces[i] = far + BEGIN + PIECE * i;
        near_pieces[i] = near + BEGIN + PIECE * i;
    }
    out_of[0] = (armci_giov_t){near_pieces, far_pieces, 8, 3};
    out_of[1] = (armci_giov_t){near_pieces + 3, far_pieces + 3, 24, 2};
    into[0] = (armci_giov_t){far_pieces, near_pieces, 8, 3};
    into[1] = (armci_giov_t){far_pieces + 3, near_pieces + 3, 24, 2};
}

static void call_blocking(void)
{
    expect_put("ARMCI_Put", BYTES);
    ARMCI_Put(near, far, BYTES, next);
    expect_get("ARMCI_Get", BYTES);
    ARMCI_Get(far, near, BYTES, next);
    expect_accumulate("ARMCI_Acc", BYTES);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, near, far, BYTES, next);
    expect_put("ARMCI_PutS", STRIDED);
    ARMCI_PutS(near, strides, far, strides, counts, LEVELS, next);
    expect_get("ARMCI_GetS", STRIDED);
    ARMCI_GetS(far, strides, near, strides, counts, LEVELS, next);
    expect_accumulate("ARMCI_AccS", STRIDED);
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, near, strides, far, strides, counts, LEVELS, next);
    expect_put("ARMCI_PutV", VECTORED);
    ARMCI_PutV(out_of, VECTORS, next);
    expect_get("ARMCI_GetV", VECTORED);
    ARMCI_GetV(into, VECTORS, next);
    expect_accumulate("ARMCI_AccV", VECTORED);
    ARMCI_AccV(ARMCI_ACC_DBL, &scale, out_of, VECTORS, next);
    expect_put("ARMCI_Put_flag", BYTES + (int)sizeof(int));
    ARMCI_Put_flag(near, far, BYTES, (int *)(far + BYTES), 1, next);
    expect_put("ARMCI_PutS_flag", STRIDED + (int)sizeof(int));
    ARMCI_PutS_flag(near, strides, far, strides, counts, LEVELS, (int *)(far + 2 * BYTES), 1, next);
}

static void call_values(void)
{
#define VALUE(name, type)                                                                          \
    expect_put("ARMCI_PutValue" #name, (int)sizeof(type));                                         \
    ARMCI_PutValue##name(1, far, next);                                                            \
    expect_get("ARMCI_GetValue" #name, (int)sizeof(type));                                         \
    (void)ARMCI_GetValue##name(far, next);
    VALUE(Int, int)
    VALUE(Long, long)
    VALUE(Float, float)
    VALUE(Double, double)
#undef VALUE
    int old = 0;
    long old_long = 0;
    expect("ARMCI_Rmw atomic:%d:FETCH_AND_ADD:4:4 blocking:%d", next, next);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, far, 1, next);
    expect("ARMCI_Rmw atomic:%d:FETCH_AND_ADD:8:8 blocking:%d", next, next);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old_long, far, 1, next);
    expect("ARMCI_Rmw atomic:%d:SWAP:4:4 blocking:%d", next, next);
    ARMCI_Rmw(ARMCI_SWAP, &old, far, 1, next);
    expect("ARMCI_Rmw atomic:%d:SWAP:8:8 blocking:%d", next, next);
    ARMCI_Rmw(ARMCI_SWAP_LONG, &old_long, far, 1, next);
}

static void call_non_blocking(void)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
#define WITH_HANDLE(name, kind, bytes, arguments)                                                  \
    expect("ARMCI_Nb" #name " " kind, next, bytes);                                                \
    ARMCI_Nb##name arguments;                                                                      \
    expect("ARMCI_Wait local:%d", next);                                                           \
    ARMCI_Wait(&handle);
#define PUT "put:%d:%d"
#define GET "get:%d:%d"
#define ACC "atomic:%d:ACCUMULATE:%d:0"
    WITH_HANDLE(Put, PUT, BYTES, (near, far, BYTES, next, &handle))
    WITH_HANDLE(Get, GET, BYTES, (far, near, BYTES, next, &handle))
    WITH_HANDLE(Acc, ACC, BYTES, (ARMCI_ACC_DBL, &scale, near, far, BYTES, next, &handle))
    WITH_HANDLE(PutS, PUT, STRIDED, (near, strides, far, strides, counts, LEVELS, next, &handle))
    WITH_HANDLE(GetS, GET, STRIDED, (far, strides, near, strides, counts, LEVELS, next, &handle))
    WITH_HANDLE(AccS, ACC, STRIDED,
                (ARMCI_ACC_DBL, &scale, near, strides, far, strides, counts, LEVELS, next, &handle))
    WITH_HANDLE(PutV, PUT, VECTORED, (out_of, VECTORS, next, &handle))
    WITH_HANDLE(GetV, GET, VECTORED, (into, VECTORS, next, &handle))
    WITH_HANDLE(AccV, ACC, VECTORED, (ARMCI_ACC_DBL, &scale, out_of, VECTORS, next, &handle))
    WITH_HANDLE(PutValueInt, PUT, (int)sizeof(int), (1, far, next, &handle))
    WITH_HANDLE(PutValueLong, PUT, (int)sizeof(long), (1, far, next, &handle))
    WITH_HANDLE(PutValueFloat, PUT, (int)sizeof(float), (1, far, next, &handle))
    WITH_HANDLE(PutValueDouble, PUT, (int)sizeof(double), (1, far, next, &handle))
#undef WITH_HANDLE
    expect("ARMCI_Wait"); /* it was completed before */
    ARMCI_Wait(&handle);
}

/* Which call completes what. */
static void call_completions(void)
{
    armci_hdl_t one, two;
    ARMCI_INIT_HANDLE(&one);
    ARMCI_INIT_HANDLE(&two);
    expect("ARMCI_AllFence remote:%d remote:%d", next, next); /* of the calls before */
    ARMCI_AllFence();

    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near, 8, next, &one);
    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near + 8, 8, next, &one); /* an aggregate */
    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near + 16, 8, next, &two);
    expect("ARMCI_Wait local:%d local:%d", next, next); /* those of the other handle, too */
    ARMCI_Wait(&two);
    expect("ARMCI_Test");
    if (ARMCI_Test(&one) != 0) {
        fprintf(stderr, "families: ARMCI_Test is not expected to fail\n");
    }

    expect("ARMCI_NbPut put:%d:8", next);
    ARMCI_NbPut(near, far, 8, next, NULL);
    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near, 8, next, NULL);
    expect("ARMCI_WaitProc local:%d local:%d", next, next);
    ARMCI_WaitProc(next);
    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near, 8, next, NULL);
    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near, 8, next, &one);
    expect("ARMCI_WaitAll local:%d local:%d", next, next); /* the put is complete already */
    ARMCI_WaitAll();
    expect("ARMCI_Wait");
    ARMCI_Wait(&one);

    expect("ARMCI_NbPut put:%d:8", next); /* not complete at the origin before the fence */
    ARMCI_NbPut(near, far, 8, next, &two);
    expect_put("ARMCI_Put", 8);
    ARMCI_Put(near, far + 8, 8, next);
    expect("ARMCI_Fence remote:%d local:%d remote:%d", next, next, next);
    ARMCI_Fence(next);
    expect("ARMCI_Fence");
    ARMCI_Fence(next);
    expect("ARMCI_Wait");
    ARMCI_Wait(&two);
    expect_put("ARMCI_Put", 8);
    ARMCI_Put(near, far, 8, next);
    expect("ARMCI_Barrier remote:%d collective:BARRIER:%d:0:0:-", next, size);
    ARMCI_Barrier();
}

/* ARMCI_Wait and ARMCI_Test of ARMCI-MPI complete the operations on all targets, or with a handle
 * that is not one for aggregates those on its target. */
static void call_waits(void)
{
    armci_hdl_t one, two, single;
    ARMCI_INIT_HANDLE(&one);
    ARMCI_INIT_HANDLE(&two);
    ARMCI_INIT_HANDLE(&single);
    ARMCI_UNSET_AGGREGATE_HANDLE(&single);

    expect("ARMCI_NbPut put:%d:8", next);
    ARMCI_NbPut(near, far, 8, next, &one);
    expect("ARMCI_NbPut put:%d:16", other);
    ARMCI_NbPut(near, farther, 16, other, &two);
    expect("ARMCI_NbGet get:%d:8", other);
    ARMCI_NbGet(farther, near, 8, other, NULL);
    expect("ARMCI_Wait local:%d local:%d local:%d", next, other, other);
    ARMCI_Wait(&one);
    expect("ARMCI_Wait");
    ARMCI_Wait(&two);

    expect("ARMCI_NbPut put:%d:8", next);
    ARMCI_NbPut(near, far, 8, next, &single);
    expect("ARMCI_NbPut put:%d:16", other);
    ARMCI_NbPut(near, farther, 16, other, &two);
    expect("ARMCI_NbGet get:%d:8", next);
    ARMCI_NbGet(far, near, 8, next, &one);
    expect("ARMCI_Wait local:%d local:%d", next, next);
    ARMCI_Wait(&single);
    expect("ARMCI_Test local:%d", other);
    if (ARMCI_Test(&two) != 0) {
        fprintf(stderr, "families: ARMCI_Test is not expected to fail\n");
    }
    expect("ARMCI_NbPut put:%d:8", next);
    ARMCI_NbPut(near, far, 8, next, &single);
    expect("ARMCI_NbGet get:%d:8", other);
    ARMCI_NbGet(farther, near, 8, other, &two);
    expect("ARMCI_Test local:%d", next);
    if (ARMCI_Test(&single) != 0) {
        fprintf(stderr, "families: ARMCI_Test is not expected to fail\n");
    }
    expect("ARMCI_WaitAll local:%d", other);
    ARMCI_WaitAll();
    expect("ARMCI_AllFence remote:%d remote:%d", other, next);
    ARMCI_AllFence();
}

static void call_mutexes(void)
{
    enum { MUTEXES = 2 };
    expect("ARMCI_Create_mutexes collective:CREATE_HANDLE:%d:0:0:-", size);
    ARMCI_Create_mutexes(MUTEXES);
    for (int mutex = 0; mutex < MUTEXES; mutex++) {
        expect("ARMCI_Lock acquire:%d:%d", next, mutex);
        ARMCI_Lock(mutex, next);
        expect("ARMCI_Unlock release:%d:%d", next, mutex);
        ARMCI_Unlock(mutex, next);
    }
    expect("ARMCI_Destroy_mutexes collective:DESTROY_HANDLE:%d:0:0:-", size);
    ARMCI_Destroy_mutexes();
}

enum { BY_ARMCI = 1 }; /* sets of mutexes that ARMCI_Create_mutexes has created before */

/* Locks, tries and unlocks the mutexes of a set.
 * @param number  of the set in its group
 * @param owner  its process, which has `rank` in the group */
static void call_set(armcix_mutex_hdl_t set, long number, int mutex, int owner, int rank)
{
    const long lock = number << 32 | mutex;
    expect("ARMCIX_Lock_hdl acquire:%d:%ld", rank, lock);
    ARMCIX_Lock_hdl(set, mutex, owner);
    expect("ARMCIX_Unlock_hdl release:%d:%ld", rank, lock);
    ARMCIX_Unlock_hdl(set, mutex, owner);
    expect("ARMCIX_Trylock_hdl acquire:%d:%ld", rank, lock); /* ARMCI-MPI waits for it */
    while (ARMCIX_Trylock_hdl(set, mutex, owner) != 0) {
    }
    expect("ARMCIX_Unlock_hdl release:%d:%ld", rank, lock);
    ARMCIX_Unlock_hdl(set, mutex, owner);
}

static armcix_mutex_hdl_t create_set(int count, ARMCI_Group *group, int members)
{
    expect("ARMCIX_Create_mutexes_hdl collective:CREATE_HANDLE:%d:0:0:-", members);
    return ARMCIX_Create_mutexes_hdl(count, group);
}

static void destroy_set(armcix_mutex_hdl_t set, int members)
{
    expect("ARMCIX_Destroy_mutexes_hdl collective:DESTROY_HANDLE:%d:0:0:-", members);
    ARMCIX_Destroy_mutexes_hdl(set);
}

/* Sets of mutexes of all processes and of those with even numbers. (Open MPI 4.1 creates windows of
 * two groups at the same time in one file.) */
static void call_sets(void)
{
    ARMCI_Group world, copy, half;
    const int members = (size + 1) / 2, neighbour = (me / 2 + 1) % members;
    ARMCI_Group_get_world(&world);
    expect("ARMCIX_Progress");
    ARMCIX_Progress();
    armcix_mutex_hdl_t first = create_set(1, &world, size), second = create_set(2, &world, size);
    call_set(first, BY_ARMCI + 1, 0, next, next);
    call_set(second, BY_ARMCI + 2, 1, next, next);
    destroy_set(second, size);
    destroy_set(first, size);
    expect("ARMCIX_Group_dup");
    ARMCIX_Group_dup(&world, &copy);
    expect("ARMCIX_Group_split");
    ARMCIX_Group_split(&world, me % 2, me, &half);
    if (me % 2 == 0) {
        armcix_mutex_hdl_t set = create_set(1, &half, members);
        call_set(set, 1, 0, 2 * neighbour, neighbour);
        destroy_set(set, members);
    }
    expect("ARMCI_Group_free");
    ARMCI_Group_free(&half);
    expect("ARMCI_Group_free");
    ARMCI_Group_free(&copy);
    expect_barrier();
    ARMCI_Barrier();
}

/* A group of the processes with even numbers. */
static void call_group(void)
{
    ARMCI_Group group;
    int members = (size + 1) / 2;
    int *even = calloc((size_t)members, sizeof *even);
    void **memory = calloc((size_t)members, sizeof *memory);
    for (int i = 0; i < members; i++) {
        even[i] = 2 * i;
    }
    expect("ARMCI_Group_create");
    ARMCI_Group_create(members, even, &group);
    if (me % 2 == 0) {
        expect("ARMCI_Malloc_group collective:ALLOCATE:%d:0:0:-", members);
        ARMCI_Malloc_group(memory, ROOM, &group);
        expect("ARMCI_Free_group collective:DEALLOCATE:%d:0:0:-", members);
        ARMCI_Free_group(memory[me / 2], &group);
        expect("ARMCI_Group_free");
        ARMCI_Group_free(&group);
    }
    free(memory);
    free(even);
    expect_barrier();
    ARMCI_Barrier();
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (me + 1) % size;
    other = (me + 2) % size;
    snprintf(path, sizeof path, "%s/expected.%d", argc > 1 ? argv[1] : ".", me);
    out = fopen(path, "w");
    if (out == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    expect("ARMCI_Init_thread_comm create collective:CREATE_HANDLE:%d:0:0:-", size);
    ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD);
    void **memory = calloc((size_t)size, sizeof *memory);
    expect("ARMCI_Malloc collective:ALLOCATE:%d:0:0:-", size);
    ARMCI_Malloc(memory, ROOM);
    far = memory[next];
    farther = memory[other];
    expect("ARMCI_Malloc_local");
    void *own = ARMCI_Malloc_local(ROOM);
    expect("ARMCI_Free_local");
    ARMCI_Free_local(own);
    expect("ARMCI_Access_begin");
    ARMCI_Access_begin(memory[me]);
    expect("ARMCI_Access_end");
    ARMCI_Access_end(memory[me]);
    expect_barrier();
    ARMCI_Barrier();
    make_vectors();
    call_blocking();
    call_values();
    call_non_blocking();
    call_completions();
    call_waits();
    call_mutexes();
    call_sets();
    call_group();
    expect_put("ARMCI_Put", 8);
    ARMCI_Put(near, far, 8, next);
    expect("ARMCI_Barrier remote:%d collective:BARRIER:%d:0:0:-", next, size);
    ARMCI_Barrier();
    expect("ARMCI_Free collective:DEALLOCATE:%d:0:0:-", size);
    ARMCI_Free(memory[me]);
    free(memory);
    expect("ARMCI_Finalize destroy collective:DESTROY_HANDLE:%d:0:0:-", size);
    ARMCI_Finalize();
    fclose(out);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        printf("all families\n");
    }
    MPI_Finalize();
    return 0;
}
