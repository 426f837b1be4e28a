/* SPDX-License-Identifier: BSD-3-Clause */
/* Planted causes of waiting, of one kind each, in functions that compute; and the same program with
 * the cause removed. Nothing is marked, and nothing sleeps. Rank 0 prints how long the steps took,
 * and how long it, or the rank of the cause, was in the function of the cause. `clean` and
 * `starved` have no cause in the program.
 *
 * usage: planted_causes KIND [fixed], two ranks; chain: three; starved: more than there are
 * processors */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

/* Turns of the loop below in a microsecond, approximately. */
#define TURNS 1300

static volatile double sink;
static double inside; /* seconds in the function of the cause */

/* Not MPI_Wtime: a recorded call would tell exactly where the function begins and ends. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Each function computes by itself, so that samples lie in it. */
#define COMPUTE(microseconds)                                                                      \
    do {                                                                                           \
        double sum = sink;                                                                         \
        for (long i = 0; i < (long)((microseconds)*TURNS); i++) {                                  \
            sum += (double)i * 0.5;                                                                \
        }                                                                                          \
        sink = sum;                                                                                \
    } while (0)

static NOINLINE void prepare(double microseconds)
{
    COMPUTE(microseconds);
}

static NOINLINE void late_part(double microseconds)
{
    const double begin = now();
    COMPUTE(microseconds);
    inside += now() - begin;
}

static NOINLINE void late_library(int values)
{
    const double begin = now();
    double sum = 0;
    for (int i = 0; i < values; i++) {
        sum += sin(i + sink * 1e-30);
    }
    sink = sum;
    inside += now() - begin;
}

/* Larger than what malloc keeps when it is freed. */
enum { BYTES = 48 << 20 };

static NOINLINE void late_scratch(char *kept)
{
    enum { PAGE = 4096 };
    const double begin = now();
    char *scratch = kept != NULL ? kept : malloc(BYTES);
    for (size_t i = 0; scratch != NULL && i < BYTES; i += PAGE) {
        scratch[i] = (char)i;
    }
    sink += scratch != NULL ? scratch[PAGE] : 0;
    if (kept == NULL) {
        free(scratch);
    }
    inside += now() - begin;
}

/* ---- kinds: what a rank does in a step ---- */

static void sum_up(void)
{
    double own = 1, all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void step_of(double length, bool slow)
{
    prepare(0.6 * length);
    late_part((slow ? 0.9 : 0.1) * length);
    sum_up();
}

static void steps_1ms(int rank, int step, bool fixed)
{
    (void)step;
    step_of(1000, rank == 1 && !fixed);
}

static void steps_10ms(int rank, int step, bool fixed)
{
    (void)step;
    step_of(10000, rank == 1 && !fixed);
}

static void some_steps(int rank, int step, bool fixed)
{
    step_of(4000, rank == 1 && !fixed && step >= 100 && step < 220);
}

static void late_sender(int rank, int step, bool fixed)
{
    char byte = 0;
    prepare(3000);
    if (rank == 1) {
        late_part(fixed ? 500 : 5000);
        MPI_Send(&byte, 1, MPI_CHAR, 0, step, MPI_COMM_WORLD);
    } else {
        late_part(500);
        MPI_Recv(&byte, 1, MPI_CHAR, 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static MPI_Win window;
static double *memory;

static void fence(int rank, int step, bool fixed)
{
    (void)step;
    double value = rank;
    prepare(2000);
    late_part(rank == 0 && !fixed ? 4500 : 400);
    MPI_Put(&value, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
}

static void library(int rank, int step, bool fixed)
{
    (void)step;
    prepare(2000);
    late_library(rank == 1 && !fixed ? 400000 : 50000);
    sum_up();
}

static void more_calls(int rank, int step, bool fixed)
{
    (void)step;
    prepare(2500);
    for (int i = 0; i < (rank == 0 && !fixed ? 12 : 2); i++) {
        late_part(400);
        prepare(20);
    }
    sum_up();
}

static void page_faults(int rank, int step, bool fixed)
{
    static char kept[BYTES];
    (void)step;
    prepare(2000);
    late_scratch(rank == 0 && !fixed ? NULL : kept);
    sum_up();
}

/* Each rank holds the lock while it computes. */
static void lock(int rank, int step, bool fixed)
{
    (void)step;
    const double value = rank;
    prepare(1000);
    if (fixed) {
        late_part(4000);
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
    if (!fixed) {
        late_part(4000);
    }
    MPI_Win_unlock(0, window);
}

/* Rank 2 waits for rank 1, which waits for rank 0. */
static void chain(int rank, int step, bool fixed)
{
    char byte = 0;
    if (rank == 0) {
        prepare(2000);
        late_part(fixed ? 500 : 5000);
        MPI_Send(&byte, 1, MPI_CHAR, 1, step, MPI_COMM_WORLD);
    } else {
        prepare(500);
        MPI_Recv(&byte, 1, MPI_CHAR, rank - 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        late_part(500);
    }
    if (rank == 1) {
        MPI_Send(&byte, 1, MPI_CHAR, 2, step, MPI_COMM_WORLD);
    }
}

enum { NUMBERS = 4000000, DIGITS = 20 };
static FILE *numbers;
static double read_numbers[NUMBERS];

/* Rank 0 reads numbers: as text, or as they are in memory. */
static NOINLINE void read_input(bool is_text)
{
    const double begin = now();
    char text[DIGITS + 1] = "";
    rewind(numbers);
    for (int i = 0; is_text && i < NUMBERS && fread(text, DIGITS, 1, numbers) == 1; i++) {
        read_numbers[i] = strtod(text, NULL);
    }
    if (!is_text && fread(read_numbers, sizeof read_numbers, 1, numbers) != 1) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    inside += now() - begin;
}

/* The same numbers again and again: writing takes much less time than reading. */
static void write_input(bool is_text)
{
    enum { DIFFERENT = 1000 };
    static char text[DIFFERENT * DIGITS + 1];
    for (int i = 0; i < DIFFERENT; i++) {
        snprintf(text + i * DIGITS, DIGITS + 1, "%*.*f", DIGITS, DIGITS / 2, i / 3.0);
    }
    numbers = tmpfile();
    for (int i = 0; numbers != NULL && is_text && i < NUMBERS; i += DIFFERENT) {
        fwrite(text, DIGITS, DIFFERENT, numbers);
    }
    if (numbers == NULL ||
        (!is_text && fwrite(read_numbers, sizeof read_numbers, 1, numbers) != 1) ||
        fflush(numbers) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void input(int rank, int step, bool fixed)
{
    if (step == 0 && rank == 0) {
        read_input(!fixed);
    }
    if (step == 0) {
        MPI_Bcast(read_numbers, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    prepare(5000);
    sum_up();
}

/* Nothing is planted: the ranks do the same, on two processors or too few. */
static void equal(int rank, int step, bool fixed)
{
    (void)rank, (void)step, (void)fixed;
    step_of(4000, false);
}

static const struct kind {
    const char *name;
    void (*step)(int rank, int step, bool fixed);
    int steps;
    int rank; /* of the cause */
} kinds[] = {
    {"steps-1ms", steps_1ms, 2000, 1},
    {"steps-10ms", steps_10ms, 200, 1},
    {"some-steps", some_steps, 400, 1},
    {"late-sender", late_sender, 350, 1},
    {"fence", fence, 400, 0},
    {"library", library, 400, 1},
    {"more-calls", more_calls, 300, 0},
    {"page-faults", page_faults, 200, 0},
    {"lock", lock, 250, 1},
    {"chain", chain, 300, 0},
    {"input", input, 200, 0},
    {"clean", equal, 600, 0},
    {"starved", equal, 400, 0},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct kind *kind = argc > 1 ? find_kind(argv[1]) : NULL;
    if (kind == NULL) {
        fputs("usage: planted_causes KIND [fixed]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    MPI_Win_fence(0, window);
    if (kind->step == input) { /* on all ranks, which take as long */
        write_input(argc == 2);
    }
    prepare(20000); /* the processors are awake */
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < kind->steps; i++) {
        kind->step(rank, i, argc > 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double length = MPI_Wtime() - begin;
    MPI_Bcast(&inside, 1, MPI_DOUBLE, kind->rank, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("steps %.6f inside %.6f\n", length, inside);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
