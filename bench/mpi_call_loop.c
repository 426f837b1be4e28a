/* SPDX-License-Identifier: BSD-3-Clause */
/* A tight loop of the cheapest MPI calls (call_loop.h): measures the cost that recording adds to a
 * call.
 *
 *   mpi_call_loop p2p COUNT   MPI_Irecv, MPI_Send, MPI_Wait of one byte to itself
 *   mpi_call_loop rma COUNT   MPI_Put of one byte to itself and MPI_Win_flush
 *   mpi_call_loop locks COUNT MPI_Win_lock (exclusive), MPI_Put of one byte to itself,
 *                             MPI_Win_unlock
 *   mpi_call_loop pready COUNT MPI_Pready of one byte to itself (MPI 4), with a start of the
 * message for every PARTITIONS calls mpi_call_loop deep COUNT      as p2p, 12 functions deep
 *   mpi_call_loop changing COUNT  the same calls, each through 12 functions. 11 of them differ from
 *                                 those of the previous call, but equal those of the call before
 * that mpi_call_loop varying COUNT   the same, but except for one call in a thousand no chain of
 * functions has occurred before mpi_call_loop functions COUNT  visits of a function that the
 * compiler has instrumented, instead of MPI calls
 *
 * The loops have COUNT turns; with a third argument N there are N loops (default 9). */
#include "call_loop.h"

#include <mpi.h>

#define WINDOW_BYTES 64

static MPI_Win window = MPI_WIN_NULL; /* of the loops rma and locks */

static inline void exchange(long count, bool clock)
{
    char sent = 1, received;
    for (long i = 0; i < count; ++i) {
        MPI_Request request;
        CALL(clock, MPI_Irecv(&received, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request));
        CALL(clock, MPI_Send(&sent, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF));
        CALL(clock, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

static inline void put(long count, bool clock)
{
    char sent = 1;
    for (long i = 0; i < count; ++i) {
        CALL(clock, MPI_Put(&sent, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, window));
        CALL(clock, MPI_Win_flush(0, window));
    }
}

static inline void lock_and_put(long count, bool clock)
{
    char sent = 1;
    for (long i = 0; i < count; ++i) {
        CALL(clock, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
        CALL(clock, MPI_Put(&sent, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, window));
        CALL(clock, MPI_Win_unlock(0, window));
    }
}

#if MPI_VERSION >= 4
enum { PARTITIONS = 1000 };

static MPI_Request message[2]; /* its send and its receive */

static inline void pready(long count, bool clock)
{
    for (long i = 0; i < count; i += PARTITIONS) {
        MPI_Startall(2, message);
        for (int p = 0; p < PARTITIONS; ++p) {
            CALL(clock, MPI_Pready(p, message[0]));
        }
        MPI_Wait(&message[0], MPI_STATUS_IGNORE);
        MPI_Wait(&message[1], MPI_STATUS_IGNORE);
    }
}
#endif

/* ---- 12 functions deep ---- */

/* A chain of functions, each of which calls the next one; the last one calls `call`. Two chains
 * have no function in common. The empty statement prevents the compiler from replacing the calls by
 * jumps. */
#define LEVEL(chain, level, next)                                                                  \
    static __attribute__((noinline)) void chain##level(void (*call)(void *), void *data)           \
    {                                                                                              \
        next(call, data);                                                                          \
        __asm__ volatile("");                                                                      \
    }
#define CHAIN(chain)                                                                               \
    static __attribute__((noinline)) void chain##11(void (*call)(void *), void *data)              \
    {                                                                                              \
        call(data);                                                                                \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    LEVEL(chain, 10, chain##11)                                                                    \
    LEVEL(chain, 9, chain##10)                                                                     \
    LEVEL(chain, 8, chain##9)                                                                      \
    LEVEL(chain, 7, chain##8)                                                                      \
    LEVEL(chain, 6, chain##7)                                                                      \
    LEVEL(chain, 5, chain##6)                                                                      \
    LEVEL(chain, 4, chain##5)                                                                      \
    LEVEL(chain, 3, chain##4)                                                                      \
    LEVEL(chain, 2, chain##3)                                                                      \
    LEVEL(chain, 1, chain##2)
CHAIN(left)
CHAIN(right)

/* The same with two functions for each level, selected by the bits of `path`. */
struct exchange {
    long count;
    unsigned path;
    MPI_Request request;
    char sent, received;
};

#define FORK(side, level, next)                                                                    \
    static __attribute__((noinline)) void side##level(void (*call)(void *), struct exchange *e)    \
    {                                                                                              \
        if ((e->path >> ((level) + 16) & 1) != 0) {                                                \
            odd##next(call, e);                                                                    \
        } else {                                                                                   \
            even##next(call, e);                                                                   \
        }                                                                                          \
        __asm__ volatile("");                                                                      \
    }
#define FORKS(level, next) FORK(odd, level, next) FORK(even, level, next)
#define END_OF_FORKS(side)                                                                         \
    static __attribute__((noinline)) void side##11(void (*call)(void *), struct exchange *e)       \
    {                                                                                              \
        call(e);                                                                                   \
        __asm__ volatile("");                                                                      \
    }
END_OF_FORKS(odd)
END_OF_FORKS(even)
FORKS(10, 11)
FORKS(9, 10)
FORKS(8, 9)
FORKS(7, 8)
FORKS(6, 7)
FORKS(5, 6)
FORKS(4, 5)
FORKS(3, 4)
FORKS(2, 3)
FORKS(1, 2)

/* Calls through functions that all differ from those of the previous call. */
static void through_others(void (*call)(void *), struct exchange *e)
{
    e->path = e->path * 1664525u + 1013904223u; /* its last bit alternates */
    if ((e->path & 1) != 0) {
        odd1(call, e);
    } else {
        even1(call, e);
    }
}

static void exchange_here_plainly(void *data)
{
    exchange(((struct exchange *)data)->count, false);
}

static void exchange_here_with_clock(void *data)
{
    exchange(((struct exchange *)data)->count, true);
}

static void deep_plainly(long count)
{
    struct exchange exchange = {.count = count};
    left1(exchange_here_plainly, &exchange);
}

static void deep_with_clock(long count)
{
    struct exchange exchange = {.count = count};
    left1(exchange_here_with_clock, &exchange);
}

#define CALL_ALONE(clock, name)                                                                    \
    static void receive_##name(void *data)                                                         \
    {                                                                                              \
        struct exchange *e = data;                                                                 \
        CALL(clock, MPI_Irecv(&e->received, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &e->request));       \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    static void send_##name(void *data)                                                            \
    {                                                                                              \
        struct exchange *e = data;                                                                 \
        CALL(clock, MPI_Send(&e->sent, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF));                         \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    static void wait_##name(void *data)                                                            \
    {                                                                                              \
        struct exchange *e = data;                                                                 \
        CALL(clock, MPI_Wait(&e->request, MPI_STATUS_IGNORE));                                     \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    static void changing_##name(long count)                                                        \
    {                                                                                              \
        struct exchange e = {.sent = 1};                                                           \
        for (long i = 0; i < count; i += 2) {                                                      \
            left1(receive_##name, &e);                                                             \
            right1(send_##name, &e);                                                               \
            left1(wait_##name, &e);                                                                \
            right1(receive_##name, &e);                                                            \
            left1(send_##name, &e);                                                                \
            right1(wait_##name, &e);                                                               \
        }                                                                                          \
    }                                                                                              \
    static void varying_##name(long count)                                                         \
    {                                                                                              \
        struct exchange e = {.sent = 1};                                                           \
        for (long i = 0; i < count; ++i) {                                                         \
            through_others(receive_##name, &e);                                                    \
            through_others(send_##name, &e);                                                       \
            through_others(wait_##name, &e);                                                       \
        }                                                                                          \
    }
CALL_ALONE(false, plainly)
CALL_ALONE(true, with_clock)

CALL_LOOP(exchange)
CALL_LOOP(put)
CALL_LOOP(lock_and_put)
#if MPI_VERSION >= 4
CALL_LOOP(pready)
#endif

/* ---- an instrumented function ---- */

void instrumented(void); /* instrumented.c */

static void visit_plainly(long count)
{
    for (long i = 0; i < count; ++i) {
        instrumented();
    }
}

static void visit_with_clock(long count)
{
    for (long i = 0; i < count; ++i) {
        CALL(true, instrumented());
    }
}

static const struct call_loop loops[] = {
    {"p2p", 3, exchange_plainly, exchange_with_clock},
    {"rma", 2, put_plainly, put_with_clock},
    {"locks", 3, lock_and_put_plainly, lock_and_put_with_clock},
#if MPI_VERSION >= 4
    {"pready", 1, pready_plainly, pready_with_clock},
#endif
    {"deep", 3, deep_plainly, deep_with_clock},
    {"changing", 3, changing_plainly, changing_with_clock},
    {"varying", 3, varying_plainly, varying_with_clock},
    {"functions", 1, visit_plainly, visit_with_clock}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct call_loop_choice choice =
        call_loop_choose(argc, argv, loops, sizeof loops / sizeof *loops);
    if (choice.loop == NULL) {
        MPI_Finalize();
        return 2;
    }
    const bool is_put = choice.loop->plainly == put_plainly;
    const bool has_window = is_put || choice.loop->plainly == lock_and_put_plainly;
    if (has_window) {
        void *base;
        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &window);
    }
    if (is_put) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    }
#if MPI_VERSION >= 4
    static char sent[PARTITIONS], received[PARTITIONS];
    MPI_Psend_init(sent, PARTITIONS, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &message[0]);
    MPI_Precv_init(received, 1, PARTITIONS, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL,
                   &message[1]);
#endif
    const struct call_loop_times times = call_loop_measure(&choice);
#if MPI_VERSION >= 4
    MPI_Request_free(&message[0]);
    MPI_Request_free(&message[1]);
#endif
    if (is_put) {
        MPI_Win_unlock(0, window);
    }
    if (has_window) {
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    call_loop_print(&times);
    return 0;
}
