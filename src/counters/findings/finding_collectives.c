/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings about collective operations: algorithms that the library changes between, and recursive
 * doubling of a number of processes that is not a power of two. */
#include "counters/findings/finding_parts.h"

#include <stdio.h>
#include <string.h>

/* Shares of the calls of the most frequent algorithm, and calls, below which nothing is stated. */
#define ALGORITHM_SHARE 0.1
enum { CALLS_LEAST = 100 };

/* Part of the difference between ranks that recursive doubling predicts which must be there. */
#define STRIPES_SHARE 0.8

enum { RANKS = 64, VOLUMES = 4 * FM_TEXT_NUMBER };

/* ---- algorithms ---- */

/* Beginnings of the names of counters: of Open MPI's 161, and of the others (inside.def). */
static const struct {
    const char *spc, *own, *function;
} operations[] = {
    {"BASE_BCAST_", "algorithm.bcast.", "MPI_Bcast"},
    {"BASE_REDUCE_SCATTER_", "algorithm.reduce_scatter.", "MPI_Reduce_scatter"},
    {NULL, "algorithm.reduce_scatter_block.", "MPI_Reduce_scatter_block"},
    {"BASE_REDUCE_", "algorithm.reduce.", "MPI_Reduce"},
    {"BASE_ALLREDUCE_", "algorithm.allreduce.", "MPI_Allreduce"},
    {NULL, "algorithm.scan.", "MPI_Scan"},
    {NULL, "algorithm.exscan.", "MPI_Exscan"},
    {"BASE_SCATTER_", "algorithm.scatter.", "MPI_Scatter"},
    {"BASE_GATHER_", NULL, "MPI_Gather"},
    {"BASE_ALLTOALL_", NULL, "MPI_Alltoall"},
    {NULL, "algorithm.alltoallv.", "MPI_Alltoallv"},
    {"BASE_ALLGATHER_", NULL, "MPI_Allgather"},
    {NULL, "algorithm.allgatherv.", "MPI_Allgatherv"},
    {"BASE_BARRIER_", NULL, "MPI_Barrier"},
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* @return what follows a beginning of a name; NULL: the name begins otherwise */
static const char *behind(const char *name, const char *beginning)
{
    size_t length = beginning != NULL ? strlen(beginning) : 0;
    return length > 0 && strncmp(name, beginning, length) == 0 ? name + length : NULL;
}

/* The operation that an algorithm's counter belongs to; OPERATIONS: none.
 * @param algorithm  out: its name */
static size_t operation_of(const char *name, const char **algorithm)
{
    *algorithm = NULL;
    for (size_t i = 0; i < OPERATIONS; i++) {
        *algorithm = behind(name, operations[i].spc);
        *algorithm = *algorithm != NULL ? *algorithm : behind(name, operations[i].own);
        if (*algorithm != NULL) {
            return i;
        }
    }
    return OPERATIONS;
}

/* Algorithms of Open MPI 4.1 that hand calls over to another one of the same operation, which then
 * counts the call, too: allreduces of fewer elements than processes, allgathers of a number of
 * processes that is odd or no power of two, broadcasts that are too small to be split, reductions
 * by an operation that is not commutative. These are the calls between the functions of
 * algorithms.def (record/hooks) in its libmpi. */
static const struct {
    const char *from, *to;
} handovers[] = {
    {"BASE_BCAST_SPLIT_BINTREE", "BASE_BCAST_CHAIN"},
    {"BASE_ALLREDUCE_RING", "BASE_ALLREDUCE_RECURSIVE_DOUBLING"},
    {"BASE_ALLREDUCE_RING_SEGMENTED", "BASE_ALLREDUCE_RING"},
    {"BASE_ALLGATHER_RECURSIVE_DOUBLING", "BASE_ALLGATHER_BRUCK"},
    {"BASE_ALLGATHER_NEIGHBOR_EXCHANGE", "BASE_ALLGATHER_RING"},
    {"algorithm.bcast.knomial", "BASE_BCAST_BINOMIAL"},
    {"algorithm.bcast.scatter_allgather", "BASE_BCAST_LINEAR"},
    {"algorithm.bcast.scatter_allgather_ring", "BASE_BCAST_LINEAR"},
    {"algorithm.reduce.redscat_gather", "BASE_REDUCE_LINEAR"},
    {"algorithm.allreduce.redscat_allgather", "BASE_ALLREDUCE_LINEAR"},
    {"algorithm.allgatherv.neighbor_exchange", "algorithm.allgatherv.ring"},
    {"algorithm.reduce_scatter_block.recursive_doubling", "algorithm.reduce_scatter_block.linear"},
    {"algorithm.reduce_scatter_block.recursive_halving", "algorithm.reduce_scatter_block.linear"},
};

/* The algorithm that calls may be handed over to; NULL: none. */
static const char *successor_of(const char *name)
{
    for (size_t i = 0; i < sizeof handovers / sizeof handovers[0]; i++) {
        if (strcmp(handovers[i].from, name) == 0) {
            return handovers[i].to;
        }
    }
    return NULL;
}

/* Calls of an algorithm, in the rank in which it has certainly performed most of them. */
struct uses {
    double calls;     /* counted there */
    double performed; /* at least: without those that it may have handed over */
    double small;     /* of these: of a volume up to the boundary between the bins */
};

/* A call that is handed over is counted in the same bin (of volume and communicator) twice. */
static struct uses uses_in(const struct fm_counter_job *job, size_t rank, size_t counter)
{
    const char *successor = successor_of(job->counters[counter].name);
    size_t other = successor != NULL ? fm_counter_job_find(job, successor) : job->count;
    int bins = (int)job->counters[counter].bins;
    struct uses uses = {0, 0, 0};
    for (int bin = bins > 1 ? 0 : -1; bin < (bins > 1 ? bins : 0); bin++) {
        double calls = 0, handed_over = 0;
        if (!fm_counter_job_value(job, rank, counter, bin, &calls)) {
            return uses;
        }
        if (successor != NULL &&
            (other == job->count || !fm_counter_job_value(job, rank, other, bin, &handed_over))) {
            handed_over = calls; /* it is not known how many */
        }
        uses.calls += calls;
        double performed = calls > handed_over ? calls - handed_over : 0;
        uses.performed += performed;
        uses.small += bin == 0 || bin == 1 ? performed : 0;
    }
    return uses;
}

static struct uses most_uses(const struct fm_counter_job *job, size_t counter)
{
    struct uses most = {0, 0, 0};
    for (size_t rank = 0; rank < job->ranks; rank++) {
        struct uses uses = uses_in(job, rank, counter);
        most = uses.performed > most.performed ? uses : most;
    }
    return most;
}

/* Appends the algorithm of a counter as words: "recursive doubling". */
static void append_words(char text[TEXT], const char *counter)
{
    const char *name;
    size_t length = strlen(text);
    operation_of(counter, &name);
    for (; *name != '\0' && length + 1 < TEXT; name++) {
        text[length++] = *name == '_' ? ' ' : (char)(*name | 0x20);
    }
    text[length] = '\0';
}

/* The volumes of the calls of an algorithm: "volumes up to 12,288 bytes". "": not known */
static void describe_volumes(char text[VOLUMES], struct uses uses, unsigned boundary)
{
    char numbers[3][FM_TEXT_NUMBER];
    number(numbers[0], boundary);
    text[0] = '\0';
    if (boundary == 0) {
        return;
    }
    if (uses.small == uses.performed) {
        snprintf(text, VOLUMES, "volumes up to %s bytes", numbers[0]);
    } else if (uses.small == 0) {
        snprintf(text, VOLUMES, "volumes above %s bytes", numbers[0]);
    } else {
        snprintf(text, VOLUMES, "volumes up to %s bytes in %s, above in %s", numbers[0],
                 number(numbers[1], uses.small), number(numbers[2], uses.performed - uses.small));
    }
}

/* @param boundary  bytes of the largest small volume; 0: the counter does not tell them apart */
static void append_algorithm(char text[TEXT], const char *name, struct uses uses, unsigned boundary)
{
    char calls[2][FM_TEXT_NUMBER], volumes[VOLUMES];
    size_t length = strlen(text);
    bool is_bound = uses.performed < uses.calls;
    describe_volumes(volumes, uses, boundary);
    snprintf(text + length, TEXT - length, "%s%s%s by ", length == 0 ? "" : ", ",
             is_bound ? "at least " : "", number(calls[0], uses.performed));
    append_words(text, name);
    length = strlen(text);
    if (is_bound) {
        snprintf(text + length, TEXT - length, " (%s%sof %s calls: the others may have gone on to ",
                 volumes, volumes[0] != '\0' ? "; " : "", number(calls[1], uses.calls));
        append_words(text, successor_of(name));
        length = strlen(text);
        snprintf(text + length, TEXT - length, ")");
    } else if (volumes[0] != '\0') {
        snprintf(text + length, TEXT - length, " (%s)", volumes);
    }
}

/* Operations that several algorithms have certainly performed: the library changes between them. */
static void look_for_algorithms(struct looking *looking, size_t operation)
{
    const struct fm_counter_job *job = looking->job;
    char list[TEXT] = "", text[2 * TEXT];
    double most = 0;
    size_t algorithms = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < job->count; i++) {
            const char *name = job->counters[i].name, *algorithm;
            if (operation_of(name, &algorithm) != operation) {
                continue;
            }
            struct uses uses = most_uses(job, i);
            if (pass == 0) {
                most = uses.performed > most ? uses.performed : most;
            } else if (uses.performed >= CALLS_LEAST && uses.performed >= ALGORITHM_SHARE * most) {
                append_algorithm(list, name, uses,
                                 job->counters[i].bins > 1 ? job->counters[i].boundary : 0);
                algorithms++;
            }
        }
    }
    if (algorithms > 1) {
        snprintf(text, sizeof text,
                 "Several algorithms performed %s, for the program or inside of other operations. "
                 "The most in a rank: %s.",
                 operations[operation].function, list);
        state(
            looking, "algorithms", -1, text,
            "The library chooses by sizes of messages and communicators; coll_tuned_..._algorithm "
            "with coll_tuned_use_dynamic_rules forces one.");
    }
}

/* ---- recursive doubling ---- */

/* Messages that one operation sends to a rank, of `ranks` of them with `power` the largest power of
 * two among them: the first 2 (ranks - power) form pairs, whose odd member takes part. */
static double messages_of(unsigned rank, unsigned ranks, unsigned power)
{
    double steps = 0;
    for (unsigned p = power; p > 1; p /= 2) {
        steps++;
    }
    bool is_paired = rank < 2 * (ranks - power);
    return !is_paired ? steps : rank % 2 == 0 ? 1 : steps + 1;
}

/* Messages that the library has sent to a rank for itself. */
static bool internal_in(const struct fm_counter_job *job, size_t rank, double *messages)
{
    double all, received;
    bool known =
        arrivals_in(job, rank, &all) && value_in(job, rank, "mpi.messages_received", &received);
    *messages = known ? all - received : 0;
    return known;
}

/* Names every second rank from `first` on, below `end`: "ranks 1 and 3", "ranks 1, 3, ..., 61". */
static const char *every_second(char text[RANKS], unsigned first, unsigned end)
{
    unsigned count = (end - first + 1) / 2, last = first + 2 * (count - 1);
    if (count == 1) {
        snprintf(text, RANKS, "rank %u", first);
    } else if (count == 2) {
        snprintf(text, RANKS, "ranks %u and %u", first, last);
    } else if (count == 3) {
        snprintf(text, RANKS, "ranks %u, %u and %u", first, first + 2, last);
    } else {
        snprintf(text, RANKS, "ranks %u, %u, ..., %u", first, first + 2, last);
    }
    return text;
}

static void look_for_stripes(struct looking *looking)
{
    const struct fm_counter_job *job = looking->job;
    char text[TEXT], lists[2][RANKS], numbers[2][FM_TEXT_NUMBER];
    unsigned ranks = fm_counter_job_size(job), power = 1;
    double operations_done = 0, sums[2] = {0, 0};
    unsigned counts[2] = {0, 0};
    while (2 * power <= ranks) {
        power *= 2;
    }
    for (size_t rank = 0; rank < job->ranks; rank++) {
        double calls, internal;
        if (!value_in(job, rank, "BASE_ALLREDUCE_RECURSIVE_DOUBLING", &calls) ||
            !internal_in(job, rank, &internal) || (rank > 0 && calls != operations_done)) {
            return; /* not all ranks together, or not known */
        }
        operations_done = calls;
        if (number_of(job, rank) < 2 * (ranks - power)) {
            sums[number_of(job, rank) % 2] += internal;
            counts[number_of(job, rank) % 2]++;
        }
    }
    if (power == ranks || operations_done < CALLS_LEAST || counts[0] == 0 || counts[1] == 0) {
        return;
    }
    double low = messages_of(0, ranks, power), high = messages_of(1, ranks, power);
    double seen = sums[1] / counts[1] - sums[0] / counts[0];
    if (seen < STRIPES_SHARE * operations_done * (high - low)) {
        return;
    }
    unsigned paired = 2 * (ranks - power);
    snprintf(text, sizeof text,
             "%s allreduces by recursive doubling of %u ranks, which is not a power of two: %s %s "
             "%.0f messages for each, %s %s %.0f. In this run the former got %s messages more%s. "
             "%u or %u ranks have no such stripes.",
             number(numbers[0], operations_done), ranks, every_second(lists[0], 1, paired),
             paired > 2 ? "get" : "gets", high, every_second(lists[1], 0, paired),
             paired > 2 ? "get" : "gets", low, number(numbers[1], seen),
             paired > 2 ? " on average" : "", power, 2 * power);
    state(looking, "recursive-doubling", -1, text,
          "Take a power of two as the number of ranks, or another algorithm "
          "(coll_tuned_allreduce_algorithm).");
}

void fm_find_in_collectives(struct looking *looking)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        look_for_algorithms(looking, i);
    }
    look_for_stripes(looking);
}
