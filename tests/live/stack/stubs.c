/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls short functions of libraries most of the time, from functions that one indirect call calls:
 * many samples are taken in stubs, prologues and epilogues (check_stubs.py). */
#include <math.h>
#include <mpi.h>

#define NOINLINE __attribute__((noinline))

double exported_solve(double x);
double exported_tiny(double x);
double exported_chosen(double x);
double exported_jump(double x);
double (*exported_pointer(void))(double);
double in_assembly(double x);

enum { TURNS = 60, CALLS = 2000000, SOLVES = CALLS / 10, EXPONENTIALS = CALLS / 4 };

static volatile double sum;

static NOINLINE void with_tiny(void)
{
    for (int i = 0; i < CALLS; i++) {
        sum += exported_tiny(i);
    }
}

static NOINLINE void with_assembly(void)
{
    for (int i = 0; i < CALLS; i++) {
        sum += in_assembly(i);
    }
}

static NOINLINE void with_solve(void)
{
    for (int i = 0; i < SOLVES; i++) {
        sum += exported_solve(i);
    }
}

static NOINLINE void with_exponential(void)
{
    for (int i = 0; i < EXPONENTIALS; i++) {
        sum += exp(-i) + sin(i);
    }
}

static NOINLINE void with_nameless(void)
{
    double (*const function)(double) = exported_pointer();
    for (int i = 0; i < SOLVES; i++) {
        sum += exported_chosen(i) + exported_jump(i) + function(i);
    }
}

static void (*const kernels[])(void) = {with_tiny, with_assembly, with_solve, with_exponential,
                                        with_nameless};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static NOINLINE void run_kernel(int number)
{
    kernels[number]();
    sum += number; /* no tail call */
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < KERNELS; k++) {
            run_kernel(k);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
