/* Functions of Open MPI 4.1 that perform collective operations by one algorithm each: coll_tuned
 * and other components call them by their names. Algorithms that use another one count both. */
#include "record/hooks/hook_counts.h"

#include <stdbool.h>

enum { WORDS = 12 };

/* MPI_IN_PLACE of Open MPI. */
#define IN_PLACE 1

/* Where the arguments of a family are; -1: it has none. */
struct family {
    int count, type, communicator;
    bool counts_each; /* `count` is an array, with an element for each process */
};

enum { ALLTOALL_SENT = 0, ALLTOALL_COUNT = 4, ALLTOALL_TYPE = 5 }; /* what is received in place */

static const struct family families[] = {
#define BCAST 0
    {1, 2, 4, false},
#define REDUCE 1
    {2, 3, 6, false},
#define REDUCE_SCATTER 2
    {2, 3, 5, true},
#define ALLREDUCE 3
    {2, 3, 5, false},
#define SCATTER 4
    {4, 5, 7, false},
#define GATHER 5
    {1, 2, 7, false},
#define ALLTOALL 6
    {1, 2, 6, false},
#define ALLGATHER 7
    {1, 2, 6, false},
#define BARRIER 8
    {-1, -1, 0, false},
};

/* Elements that this process gives, or gets from the root. */
static uint64_t elements(const struct family *family, const long *words, int processes)
{
    if (!family->counts_each) {
        int count = (int)words[family->count];
        return count > 0 ? (uint64_t)count : 0;
    }
    const int *counts = (const int *)words[family->count];
    uint64_t sum = 0;
    for (int i = 0; i < processes; i++) {
        sum += counts[i] > 0 ? (uint64_t)counts[i] : 0;
    }
    return sum;
}

static void count(enum fm_hooked counter, struct family family, const long *words)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    if (places == NULL || places->words[counter] == NULL) {
        return;
    }
    int processes = places->comm_size((void *)words[family.communicator]);
    uint64_t bytes = 0;
    if (family.count >= 0) {
        int size = places->type_size((void *)words[family.type]);
        bytes = elements(&family, words, processes) * (uint64_t)(size > 0 ? size : 0);
    }
    unsigned bin =
        2u * (bytes > places->message_boundary) + (processes > places->communicator_boundary);
    __atomic_add_fetch(&places->words[counter][bin], 1, __ATOMIC_RELAXED);
}

static void count_call(enum fm_hooked counter, int family, const long *words)
{
    if (family == ALLTOALL && words[ALLTOALL_SENT] == IN_PLACE) {
        struct family received = families[ALLTOALL];
        received.count = ALLTOALL_COUNT;
        received.type = ALLTOALL_TYPE;
        count(FM_HOOKED_ALLTOALL_INPLACE, received, words);
    } else {
        count(counter, families[family], words);
    }
}

#define FM_ALGORITHM(counter, function, family)                                                    \
    FM_HOOK_EXPORT fm_hooked_function_t ompi_coll_base_##function;                                 \
    long ompi_coll_base_##function(long a, long b, long c, long d, long e, long f, long g, long h, \
                                   long i, long j, long k, long l)                                 \
    {                                                                                              \
        static fm_hooked_function_t *original;                                                     \
        const long words[WORDS] = {a, b, c, d, e, f, g, h, i, j, k, l};                            \
        fm_hooked_function_t *next = __atomic_load_n(&original, __ATOMIC_ACQUIRE);                 \
        if (next == NULL) {                                                                        \
            next = fm_hook_original("ompi_coll_base_" #function);                                  \
            __atomic_store_n(&original, next, __ATOMIC_RELEASE);                                   \
        }                                                                                          \
        count_call(FM_HOOKED_##counter, family, words);                                            \
        return next(a, b, c, d, e, f, g, h, i, j, k, l);                                           \
    }
#include "record/hooks/algorithms.def"
#undef FM_ALGORITHM
