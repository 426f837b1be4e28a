/* Computes between MPI calls for less than a period of the samples, in functions without MPI calls,
 * and tells how long it was in each: check_short.py compares that with what was recorded.
 *
 *   short RESULT   RESULT: the file that is written
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

enum { STEPS = 400, STEPS_TO_CHECKPOINT = 10 };

static volatile double sink;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Until the thread has used so much CPU time, which samples are taken of. @return seconds */
static inline __attribute__((always_inline)) double compute(double cpu)
{
    const double begin = now(CLOCK_MONOTONIC), end = now(CLOCK_THREAD_CPUTIME_ID) + cpu;
    double sum = 0;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (int i = 1; i < 1000; i++) {
            sum += 1.0 / i;
        }
    }
    sink = sum;
    return now(CLOCK_MONOTONIC) - begin;
}

static NOINLINE double less(void)
{
    return compute(0.001);
}

static NOINLINE double more(void)
{
    return compute(0.003);
}

static NOINLINE double checkpoint(void)
{
    return compute(0.012);
}

static double in_less, in_more, in_checkpoint;

static NOINLINE void work(int step)
{
    in_less += less();
    in_more += more();
    if (step % STEPS_TO_CHECKPOINT == 0) {
        in_checkpoint += checkpoint();
    }
}

static NOINLINE void simulate(void)
{
    for (int step = 0; step < STEPS; step++) {
        work(step);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    simulate();
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (file == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else {
        fprintf(file, "less %f %f\nmore %f %f\ncheckpoint %f %f\n", in_less, 0.001 * STEPS, in_more,
                0.003 * STEPS, in_checkpoint, 0.012 * STEPS / STEPS_TO_CHECKPOINT);
        fclose(file);
    }
    MPI_Finalize();
    return 0;
}
