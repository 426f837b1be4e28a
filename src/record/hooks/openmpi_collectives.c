/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of Open MPI 4.1 that perform collective operations by one algorithm each: coll_tuned
 * and other components call them by their names. Algorithms that use another one count both. */
#include "record/hooks/hook_counts.h"

#include <stdbool.h>

enum { WORDS = 12 };

/* MPI_IN_PLACE of Open MPI. */
#define IN_PLACE 1

/* How many elements a process gives, by the argument `count` of a family. */
enum volume {
    ONCE,  /* so many */
    TIMES, /* so many for each process */
    EACH   /* an array: so many for each process */
};

/* Where the arguments of a family are; -1: it has none. */
struct family {
    int count, type, communicator;
    enum volume volume;
    int buffer;                  /* that may be MPI_IN_PLACE, which voids `count` and `type` */
    int other_count, other_type; /* then valid, of the other buffer */
};

/* The volume is what this process gives, or gets from the root; of ALLTOALLV and ALLGATHERV, whose
 * processes differ in that, all that it gets. */
static const struct family families[] = {
#define BCAST 0
    {1, 2, 4, ONCE, -1, 0, 0},
#define REDUCE 1
    {2, 3, 6, ONCE, -1, 0, 0},
#define REDUCE_SCATTER 2
    {2, 3, 5, EACH, -1, 0, 0},
#define REDUCE_SCATTER_BLOCK 3
    {2, 3, 5, TIMES, -1, 0, 0},
#define ALLREDUCE 4
    {2, 3, 5, ONCE, -1, 0, 0},
#define SCAN 5
    {2, 3, 5, ONCE, -1, 0, 0},
#define SCATTER 6
    {4, 5, 7, ONCE, 3, 1, 2},
#define GATHER 7
    {1, 2, 7, ONCE, 0, 4, 5},
#define ALLTOALL 8
    {1, 2, 6, ONCE, 0, 4, 5},
#define ALLTOALLV 9
    {5, 7, 8, EACH, -1, 0, 0},
#define ALLGATHER 10
    {1, 2, 6, ONCE, 0, 4, 5},
#define ALLGATHERV 11
    {4, 6, 7, EACH, -1, 0, 0},
#define BARRIER 12
    {-1, -1, 0, ONCE, -1, 0, 0},
};

static uint64_t not_negative(int count)
{
    return count > 0 ? (uint64_t)count : 0;
}

static bool is_in_place(const struct family *family, const long *words)
{
    return family->buffer >= 0 && words[family->buffer] == IN_PLACE;
}

/* Bytes of the process, of a family that has a volume. */
static uint64_t volume_of(const struct fm_hook_places *places, const struct family *family,
                          const long *words, int processes)
{
    bool in_place = is_in_place(family, words);
    long count = words[in_place ? family->other_count : family->count];
    long type = words[in_place ? family->other_type : family->type];
    uint64_t elements = 0;
    if (family->volume == EACH) {
        const int *counts = (const int *)count;
        for (int i = 0; i < processes; i++) {
            elements += not_negative(counts[i]);
        }
    } else {
        elements =
            not_negative((int)count) * (family->volume == TIMES ? not_negative(processes) : 1);
    }
    return elements == 0 ? 0 : elements * not_negative(places->type_size((void *)type));
}

static _Thread_local unsigned depth; /* algorithms that are being executed */

static void count_call(enum fm_hooked counter, const struct family *family, const long *words)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    if (family == &families[ALLTOALL] && is_in_place(family, words)) {
        counter = FM_HOOKED_ALLTOALL_INPLACE;
    }
    if (depth > 0) {
        fm_hook_add(FM_HOOKED_NESTED, 1);
    }
    if (places == NULL || places->words[counter] == NULL) {
        return;
    }
    int processes = places->comm_size((void *)words[family->communicator]);
    uint64_t bytes = family->count >= 0 ? volume_of(places, family, words, processes) : 0;
    unsigned bin =
        2u * (bytes > places->message_boundary) + (processes > places->communicator_boundary);
    __atomic_add_fetch(&places->words[counter][bin], 1, __ATOMIC_RELAXED);
}

#define FM_ALGORITHM(symbol, counter, function, family)                                            \
    FM_HOOK_EXPORT fm_hooked_function_t ompi_coll_base_##function;                                 \
    long ompi_coll_base_##function(long a, long b, long c, long d, long e, long f, long g, long h, \
                                   long i, long j, long k, long l)                                 \
    {                                                                                              \
        FM_HOOK_NEXT(fm_hooked_function_t, "ompi_coll_base_" #function, FM_HOOKED_OB1)             \
        const long words[WORDS] = {a, b, c, d, e, f, g, h, i, j, k, l};                            \
        count_call(FM_HOOKED_##symbol, &families[family], words);                                  \
        depth++;                                                                                   \
        long result = next(a, b, c, d, e, f, g, h, i, j, k, l);                                    \
        depth--;                                                                                   \
        return result;                                                                             \
    }
#include "record/hooks/algorithms.def"
#undef FM_ALGORITHM
