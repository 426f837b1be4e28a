/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls every family of functions of OpenSHMEM 1.4, and writes what each call must be recorded as,
 * a line for each call in the format of check_shmem.py. usage: families FOLDER   writes
 * FOLDER/expected.PE */
#include <complex.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 256, COUNT = 3 };

static FILE *out;
static int me, size, next;
static long flag_lock, sync_barrier[4][SHMEM_SYNC_SIZE];
static char static_source[ROOM], static_work[ROOM];

__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

#define TYPES(X)                                                                                   \
    X(float, float)                                                                                \
    X(double, double)                                                                              \
    X(longdouble, long double)                                                                     \
    X(char, char)                                                                                  \
    X(schar, signed char)                                                                          \
    X(short, short)                                                                                \
    X(int, int)                                                                                    \
    X(long, long)                                                                                  \
    X(longlong, long long)                                                                         \
    X(uchar, unsigned char)                                                                        \
    X(ushort, unsigned short)                                                                      \
    X(uint, unsigned int)                                                                          \
    X(ulong, unsigned long)                                                                        \
    X(ulonglong, unsigned long long)                                                               \
    X(int8, int8_t)                                                                                \
    X(int16, int16_t)                                                                              \
    X(int32, int32_t)                                                                              \
    X(int64, int64_t)                                                                              \
    X(uint8, uint8_t)                                                                              \
    X(uint16, uint16_t)                                                                            \
    X(uint32, uint32_t)                                                                            \
    X(uint64, uint64_t)                                                                            \
    X(size, size_t)                                                                                \
    X(ptrdiff, ptrdiff_t)
#define ADDED(X)                                                                                   \
    X(int, int)                                                                                    \
    X(long, long)                                                                                  \
    X(longlong, long long)                                                                         \
    X(uint, unsigned int)                                                                          \
    X(ulong, unsigned long)                                                                        \
    X(ulonglong, unsigned long long)
#define SET(X)  ADDED(X) X(float, float) X(double, double)
#define BITS(X) ADDED(X) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)
#define OLD(X)  X(int, int) X(long, long) X(longlong, long long)
#define WAITED(X)                                                                                  \
    X(short, short)                                                                                \
    X(ushort, unsigned short)                                                                      \
    X(size, size_t) X(ptrdiff, ptrdiff_t) BITS(X)
#define BLOCKS(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16) X(mem, 1)
#define SIZED(X)  X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

/* The calls below are made without a context and with one. */
#define TRANSFER(context, first, name, type)                                                       \
    {                                                                                              \
        type *dest = there, *source = (type *)static_source;                                       \
        int bytes = (int)(COUNT * sizeof(type));                                                   \
        shmem_##context##name##_put(first dest, source, COUNT, next);                              \
        expect("shmem_" #context #name "_put put:%d:%d blocking:%d", next, bytes, next);           \
        shmem_##context##name##_iput(first dest, source, 2, 1, COUNT, next);                       \
        expect("shmem_" #context #name "_iput put:%d:%d blocking:%d", next, bytes, next);          \
        shmem_##context##name##_p(first dest, source[0], next);                                    \
        expect("shmem_" #context #name "_p put:%d:%d blocking:%d", next, (int)sizeof(type), next); \
        shmem_##context##name##_put_nbi(first dest, source, COUNT, next);                          \
        expect("shmem_" #context #name "_put_nbi put:%d:%d", next, bytes);                         \
        shmem_##context##name##_get(first(type *) static_work, dest, COUNT, next);                 \
        expect("shmem_" #context #name "_get get:%d:%d blocking:%d", next, bytes, next);           \
        shmem_##context##name##_iget(first(type *) static_work, dest, 1, 2, COUNT, next);          \
        expect("shmem_" #context #name "_iget get:%d:%d blocking:%d", next, bytes, next);          \
        shmem_##context##name##_g(first dest, next);                                               \
        expect("shmem_" #context #name "_g get:%d:%d blocking:%d", next, (int)sizeof(type), next); \
        shmem_##context##name##_get_nbi(first(type *) static_work, dest, COUNT, next);             \
        expect("shmem_" #context #name "_get_nbi get:%d:%d", next, bytes);                         \
    }
#define BLOCK(context, first, name, unit)                                                          \
    shmem_##context##put##name(first there, static_source, COUNT, next);                           \
    expect("shmem_" #context "put" #name " put:%d:%d blocking:%d", next, COUNT *unit, next);       \
    shmem_##context##put##name##_nbi(first there, static_source, COUNT, next);                     \
    expect("shmem_" #context "put" #name "_nbi put:%d:%d", next, COUNT *unit);                     \
    shmem_##context##get##name(first static_work, there, COUNT, next);                             \
    expect("shmem_" #context "get" #name " get:%d:%d blocking:%d", next, COUNT *unit, next);       \
    shmem_##context##get##name##_nbi(first static_work, there, COUNT, next);                       \
    expect("shmem_" #context "get" #name "_nbi get:%d:%d", next, COUNT *unit);
#define STRIDED(context, first, name, unit)                                                        \
    shmem_##context##iput##name(first there, static_source, 2, 1, COUNT, next);                    \
    expect("shmem_" #context "iput" #name " put:%d:%d blocking:%d", next, COUNT *unit, next);      \
    shmem_##context##iget##name(first static_work, there, 1, 2, COUNT, next);                      \
    expect("shmem_" #context "iget" #name " get:%d:%d blocking:%d", next, COUNT *unit, next);

#define ATOMIC(function, kind, sent, received)                                                     \
    expect(function " atomic:%d:" kind ":%d:%d blocking:%d remote:%d", next, (int)(sent),          \
           (int)(received), next, next);
/* Open MPI 4.1 overwrites its stack in a compare and swap of 32 bits. */
#define ADD(context, first, name, type)                                                            \
    shmem_##context##name##_atomic_add(first(type *) there, 1, next);                              \
    ATOMIC("shmem_" #context #name "_atomic_add", "ACCUMULATE", sizeof(type), 0)                   \
    shmem_##context##name##_atomic_fetch_add(first(type *) there, 1, next);                        \
    ATOMIC("shmem_" #context #name "_atomic_fetch_add", "FETCH_AND_ADD", sizeof(type),             \
           sizeof(type))                                                                           \
    shmem_##context##name##_atomic_inc(first(type *) there, next);                                 \
    ATOMIC("shmem_" #context #name "_atomic_inc", "INCREMENT", 0, 0)                               \
    shmem_##context##name##_atomic_fetch_inc(first(type *) there, next);                           \
    ATOMIC("shmem_" #context #name "_atomic_fetch_inc", "FETCH_AND_INCREMENT", 0, sizeof(type))    \
    if (sizeof(type) == sizeof(long)) {                                                            \
        shmem_##context##name##_atomic_compare_swap(first(type *) there, 1, 2, next);              \
        ATOMIC("shmem_" #context #name "_atomic_compare_swap", "COMPARE_AND_SWAP",                 \
               2 * sizeof(type), sizeof(type))                                                     \
    }
#define STORE(context, first, name, type)                                                          \
    shmem_##context##name##_atomic_set(first(type *) there, 1, next);                              \
    ATOMIC("shmem_" #context #name "_atomic_set", "SWAP", sizeof(type), 0)                         \
    shmem_##context##name##_atomic_swap(first(type *) there, 1, next);                             \
    ATOMIC("shmem_" #context #name "_atomic_swap", "SWAP", sizeof(type), sizeof(type))             \
    shmem_##context##name##_atomic_fetch(first(type *) there, next);                               \
    ATOMIC("shmem_" #context #name "_atomic_fetch", "FETCH_AND_ACCUMULATE", 0, sizeof(type))
#define FIRST_
#define FIRST_ctx_ context,
#define COMBINE(context, name, type, operation)                                                    \
    shmem_##context##name##_atomic_##operation(FIRST_##context(type *) there, 1, next);            \
    ATOMIC("shmem_" #context #name "_atomic_" #operation, "ACCUMULATE", sizeof(type), 0)           \
    shmem_##context##name##_atomic_fetch_##operation(FIRST_##context(type *) there, 1, next);      \
    ATOMIC("shmem_" #context #name "_atomic_fetch_" #operation, "FETCH_AND_ACCUMULATE",            \
           sizeof(type), sizeof(type))
#define LOGIC(context, name, type)                                                                 \
    COMBINE(context, name, type, and)                                                              \
    COMBINE(context, name, type, or)                                                               \
    COMBINE(context, name, type, xor)

#define NOTHING
#define WITH_CONTEXT                 context,
#define PLAIN_TRANSFER(name, type)   TRANSFER(, NOTHING, name, type)
#define CONTEXT_TRANSFER(name, type) TRANSFER(ctx_, WITH_CONTEXT, name, type)
#define PLAIN_BLOCK(name, unit)      BLOCK(, NOTHING, name, unit)
#define CONTEXT_BLOCK(name, unit)    BLOCK(ctx_, WITH_CONTEXT, name, unit)
#define PLAIN_STRIDED(name, unit)    STRIDED(, NOTHING, name, unit)
#define CONTEXT_STRIDED(name, unit)  STRIDED(ctx_, WITH_CONTEXT, name, unit)
#define PLAIN_ADD(name, type)        ADD(, NOTHING, name, type)
#define CONTEXT_ADD(name, type)      ADD(ctx_, WITH_CONTEXT, name, type)
#define PLAIN_STORE(name, type)      STORE(, NOTHING, name, type)
#define CONTEXT_STORE(name, type)    STORE(ctx_, WITH_CONTEXT, name, type)
#define PLAIN_LOGIC(name, type)      LOGIC(, name, type)
#define CONTEXT_LOGIC(name, type)    LOGIC(ctx_, name, type)

static void transfer(void *there, shmem_ctx_t context)
{
    TYPES(PLAIN_TRANSFER)
    BLOCKS(PLAIN_BLOCK)
    SIZED(PLAIN_STRIDED)
    shmem_fence();
    expect("shmem_fence");
    TYPES(CONTEXT_TRANSFER)
    BLOCKS(CONTEXT_BLOCK)
    SIZED(CONTEXT_STRIDED)
    shmem_ctx_fence(context);
    expect("shmem_ctx_fence");
    shmem_quiet(); /* leaves the operations of the other context open */
    expect("shmem_quiet remote:%d local:%d remote:%d", next, next, next);
    shmem_quiet();
    expect("shmem_quiet");
    shmem_ctx_quiet(context);
    expect("shmem_ctx_quiet remote:%d local:%d remote:%d", next, next, next);
}

#define OLD_ATOMICS(name, type)                                                                    \
    shmem_##name##_set((type *)there, 1, next);                                                    \
    ATOMIC("shmem_" #name "_set", "SWAP", sizeof(type), 0)                                         \
    shmem_##name##_fetch((type *)there, next);                                                     \
    ATOMIC("shmem_" #name "_fetch", "FETCH_AND_ACCUMULATE", 0, sizeof(type))                       \
    shmem_##name##_swap((type *)there, 1, next);                                                   \
    ATOMIC("shmem_" #name "_swap", "SWAP", sizeof(type), sizeof(type))                             \
    if (sizeof(type) == sizeof(long)) {                                                            \
        shmem_##name##_cswap((type *)there, 1, 2, next);                                           \
        ATOMIC("shmem_" #name "_cswap", "COMPARE_AND_SWAP", 2 * sizeof(type), sizeof(type))        \
    }                                                                                              \
    shmem_##name##_add((type *)there, 1, next);                                                    \
    ATOMIC("shmem_" #name "_add", "ACCUMULATE", sizeof(type), 0)                                   \
    shmem_##name##_fadd((type *)there, 1, next);                                                   \
    ATOMIC("shmem_" #name "_fadd", "FETCH_AND_ADD", sizeof(type), sizeof(type))                    \
    shmem_##name##_inc((type *)there, next);                                                       \
    ATOMIC("shmem_" #name "_inc", "INCREMENT", 0, 0)                                               \
    shmem_##name##_finc((type *)there, next);                                                      \
    ATOMIC("shmem_" #name "_finc", "FETCH_AND_INCREMENT", 0, sizeof(type))

static void change(void *there, shmem_ctx_t context)
{
    ADDED(PLAIN_ADD)
    SET(PLAIN_STORE)
    BITS(PLAIN_LOGIC)
    ADDED(CONTEXT_ADD)
    SET(CONTEXT_STORE)
    BITS(CONTEXT_LOGIC)
    OLD(OLD_ATOMICS)
}

#define WAIT(name, type)                                                                           \
    {                                                                                              \
        static type value = 5;                                                                     \
        shmem_##name##_wait_until(&value, SHMEM_CMP_EQ, 5);                                        \
        expect("shmem_" #name "_wait_until change");                                               \
        shmem_##name##_test(&value, SHMEM_CMP_EQ, 5);                                              \
        expect("shmem_" #name "_test change");                                                     \
        shmem_##name##_test(&value, SHMEM_CMP_NE, 5);                                              \
        expect("shmem_" #name "_test");                                                            \
    }

static void lock(void)
{
    shmem_set_lock(&flag_lock);
    expect("shmem_set_lock acquire:static");
    shmem_clear_lock(&flag_lock);
    expect("shmem_clear_lock release:static");
}

/* A lock that another PE has. */
static void try_lock(long *shared)
{
    shmem_barrier_all();
    expect("shmem_barrier_all collective:BARRIER:%d:0:0:-", size);
    if (me == 0) {
        shmem_set_lock(shared);
        expect("shmem_set_lock acquire:heap");
    }
    shmem_barrier_all();
    expect("shmem_barrier_all collective:BARRIER:%d:0:0:-", size);
    if (me == 1) {
        if (shmem_test_lock(shared) == 0) {
            exit(1);
        }
        expect("shmem_test_lock try:heap");
    }
    shmem_barrier_all();
    expect("shmem_barrier_all collective:BARRIER:%d:0:0:-", size);
    if (me == 0) {
        shmem_int_p((int *)shared + 2, 1, 1);
        expect("shmem_int_p put:1:4 blocking:1");
        shmem_clear_lock(shared);
        expect("shmem_clear_lock release:heap remote:1");
    }
    shmem_barrier_all();
    expect("shmem_barrier_all collective:BARRIER:%d:0:0:-", size);
    if (me == 1) {
        if (shmem_test_lock(shared) != 0) {
            exit(1);
        }
        expect("shmem_test_lock acquire:heap");
        shmem_clear_lock(shared);
        expect("shmem_clear_lock release:heap");
    }
}

#define COLLECTIVE(name, kind, bytes)                                                              \
    expect(name " collective:" kind ":%d:%d:%d:-", members, members *(int)(bytes),                 \
           members *(int)(bytes));
#define REDUCE(name, type, operation)                                                              \
    shmem_##name##_##operation##_to_all(to, from, COUNT, 0, stride, members, work, next_sync());   \
    COLLECTIVE("shmem_" #name "_" #operation "_to_all", "ALLREDUCE", COUNT * sizeof(type))
#define REDUCE_INTEGERS(name, type)                                                                \
    REDUCE(name, type, and)                                                                        \
    REDUCE(name, type, or)                                                                         \
    REDUCE(name, type, xor)
#define REDUCE_REALS(name, type)                                                                   \
    REDUCE(name, type, max)                                                                        \
    REDUCE(name, type, min)
#define REDUCE_ALL(name, type)                                                                     \
    REDUCE(name, type, sum)                                                                        \
    REDUCE(name, type, prod)
#define WORDS(unit)                                                                                \
    shmem_broadcast##unit(to, from, COUNT, 1, 0, stride, members, next_sync());                    \
    expect("shmem_broadcast" #unit " collective:BCAST:%d:%d:%d:1", members,                        \
           me == 1 << stride ? members * COUNT * unit / 8 : 0, COUNT * unit / 8);                  \
    shmem_collect##unit(to, from, COUNT, 0, stride, members, next_sync());                         \
    COLLECTIVE("shmem_collect" #unit, "ALLGATHERV", COUNT *unit / 8)                               \
    shmem_fcollect##unit(to, from, COUNT, 0, stride, members, next_sync());                        \
    COLLECTIVE("shmem_fcollect" #unit, "ALLGATHER", COUNT *unit / 8)                               \
    shmem_alltoall##unit(to, from, 1, 0, stride, members, next_sync());                            \
    COLLECTIVE("shmem_alltoall" #unit, "ALLTOALL", unit / 8)                                       \
    shmem_alltoalls##unit(to, from, 1, 1, 1, 0, stride, members, next_sync());                     \
    COLLECTIVE("shmem_alltoalls" #unit, "ALLTOALL", unit / 8)

/* Calls in turn use different arrays, as the specification demands. */
static long *next_sync(void)
{
    static int turn;
    return sync_barrier[turn++ % 4];
}

/* All collective operations of the PEs 0, 1 << stride, ... */
static void collect(void *to, void *from, void *work, int stride, int members)
{
    shmem_barrier(0, stride, members, next_sync());
    expect("shmem_barrier collective:BARRIER:%d:0:0:-", members);
    shmem_sync(0, stride, members, next_sync());
    expect("shmem_sync collective:BARRIER:%d:0:0:-", members);
    WORDS(32)
    WORDS(64)
    REDUCE_INTEGERS(short, short)
    REDUCE_INTEGERS(int, int)
    REDUCE_INTEGERS(long, long)
    REDUCE_INTEGERS(longlong, long long)
    REDUCE_REALS(short, short)
    REDUCE_REALS(int, int)
    REDUCE_REALS(long, long)
    REDUCE_REALS(longlong, long long)
    REDUCE_REALS(float, float)
    REDUCE_REALS(double, double)
    REDUCE_REALS(longdouble, long double)
    REDUCE_ALL(short, short)
    REDUCE_ALL(int, int)
    REDUCE_ALL(long, long)
    REDUCE_ALL(longlong, long long)
    REDUCE_ALL(float, float)
    REDUCE_ALL(double, double)
    REDUCE_ALL(longdouble, long double)
    REDUCE_ALL(complexf, float complex)
    REDUCE_ALL(complexd, double complex)
}

static void *allocate(void)
{
    void *memory = shmem_calloc(4, ROOM);
    expect("shmem_calloc collective:ALLOCATE:%d:0:0:-", size);
    shmem_free(shmem_align(64, ROOM));
    expect("shmem_align collective:ALLOCATE:%d:0:0:-", size);
    expect("shmem_free collective:DEALLOCATE:%d:0:0:-", size);
    shmem_free(shmem_realloc(shmem_malloc(ROOM), 2 * ROOM));
    expect("shmem_malloc collective:ALLOCATE:%d:0:0:-", size);
    expect("shmem_realloc collective:ALLOCATE:%d:0:0:-", size);
    expect("shmem_free collective:DEALLOCATE:%d:0:0:-", size);
    shmem_free(NULL);
    expect("shmem_free");
    return memory;
}

static void ask(void *memory)
{
    char name[SHMEM_MAX_NAME_LEN];
    int major, minor;
    shmem_query_thread(&major);
    expect("shmem_query_thread");
    shmem_info_get_version(&major, &minor);
    expect("shmem_info_get_version");
    shmem_info_get_name(name);
    expect("shmem_info_get_name");
    shmem_pe_accessible(next);
    expect("shmem_pe_accessible");
    shmem_addr_accessible(memory, next);
    expect("shmem_addr_accessible");
    shmem_ptr(memory, next);
    expect("shmem_ptr");
}

int main(int argc, char **argv)
{
    char path[4096];
    shmem_ctx_t context, short_lived;
    (void)argc;
    shmem_init();
    me = shmem_my_pe();
    size = shmem_n_pes();
    next = (me + 1) % size;
    snprintf(path, sizeof path, "%s/expected.%d", argv[1], me);
    out = fopen(path, "w");
    setvbuf(out, NULL, _IOLBF, 0);
    expect("shmem_init create collective:CREATE_HANDLE:%d:0:0:-", size);
    expect("shmem_my_pe");
    expect("shmem_n_pes");
    for (int i = 0; i < 4 * SHMEM_SYNC_SIZE; i++) {
        sync_barrier[i / SHMEM_SYNC_SIZE][i % SHMEM_SYNC_SIZE] = SHMEM_SYNC_VALUE;
    }
    char *memory = allocate();
    ask(memory);
    shmem_ctx_create(0, &context);
    expect("shmem_ctx_create");
    transfer(memory, context);
    change(memory, context);
    shmem_ctx_create(0, &short_lived);
    expect("shmem_ctx_create");
    shmem_ctx_putmem(short_lived, memory, static_source, 1, next);
    expect("shmem_ctx_putmem put:%d:1 blocking:%d", next, next);
    shmem_ctx_destroy(short_lived);
    expect("shmem_ctx_destroy remote:%d", next);
    shmem_ctx_destroy(context);
    expect("shmem_ctx_destroy");
    WAITED(WAIT)
    lock();
    try_lock((long *)memory);
    shmem_sync_all();
    expect("shmem_sync_all collective:BARRIER:%d:0:0:-", size);
    collect(memory, memory + ROOM, memory + 2 * ROOM, 0, size);
    if (me % 2 == 0) {
        collect(memory, memory + ROOM, memory + 2 * ROOM, 1, size / 2);
    }
    shmem_putmem(memory, static_source, 8, next);
    expect("shmem_putmem put:%d:8 blocking:%d", next, next);
    shmem_putmem_nbi(memory, static_source, 8, next);
    expect("shmem_putmem_nbi put:%d:8", next);
    shmem_barrier_all();
    expect("shmem_barrier_all remote:%d local:%d remote:%d collective:BARRIER:%d:0:0:-", next, next,
           next, size);
    shmem_int_p((int *)memory, 1, next);
    expect("shmem_int_p put:%d:4 blocking:%d", next, next);
    shmem_free(memory);
    expect("shmem_free remote:%d collective:DEALLOCATE:%d:0:0:-", next, size);
    shmem_int_p((int *)static_work, 1, next);
    expect("shmem_int_p put:%d:4 blocking:%d", next, next);
    expect("shmem_finalize remote:%d destroy collective:DESTROY_HANDLE:%d:0:0:-", next, size);
    fclose(out);
    if (me == 0) {
        puts("all families");
    }
    fflush(stdout);
    shmem_finalize();
    return 0;
}
