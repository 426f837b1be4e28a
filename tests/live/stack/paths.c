/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI from functions of many kinds; check_paths.py knows which functions must lead to
 * each. Compiled with optimization, with and without debug information.
 *
 *   paths PLUGIN [ending]      ending: finalize (default), abort
 */
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static int rank;

/* ---- a late sender: rank 1 waits in exchange() for what rank 0 computes in compute() ---- */

static NOINLINE double compute(double seconds)
{
    struct timespec begin, now;
    double sum = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 1; i < 1000; i++) {
            sum += 1.0 / i;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
             seconds);
    return sum;
}

static NOINLINE int exchange(double *data)
{
    if (rank == 0) {
        MPI_Send(data, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(data, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return rank;
}

static NOINLINE double solve(int steps)
{
    double data[100] = {0}, sum = 0;
    for (int i = 0; i < steps; i++) {
        if (rank == 0) {
            sum += compute(0.02);
        }
        sum += exchange(data);
    }
    return sum;
}

/* ---- shapes ---- */

/* Inlined wherever the compiler optimizes; debug information tells of it. */
static inline __attribute__((always_inline)) int inlined(void)
{
    int flag;
    MPI_Initialized(&flag);
    return flag + 1;
}

static NOINLINE int around_inlined(void)
{
    int sum = inlined();
    return sum + 1;
}

/* Its last act is a call of MPI: its frame may be gone by then. */
static NOINLINE int tail(void)
{
    return MPI_Barrier(MPI_COMM_WORLD);
}

static NOINLINE int around_tail(void)
{
    return tail() + 1;
}

static NOINLINE int recursive(int depth)
{
    if (depth == 0) {
        int flag;
        MPI_Finalized(&flag);
        return flag;
    }
    int sum = recursive(depth - 1);
    __asm__ volatile("" : "+r"(sum)); /* no loop instead of the recursion */
    return sum + 1;
}

static int compare(const void *a, const void *b)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* called back by the C library */
    return *(const int *)a - *(const int *)b + 0 * size;
}

static NOINLINE void through_library(void)
{
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare);
}

/* Two functions that take turns at the same place of the stack. */
static NOINLINE double left(double sum)
{
    return sum + MPI_Wtime() * 0;
}

static NOINLINE double right(double sum)
{
    return sum + MPI_Wtick() * 0;
}

static NOINLINE double turns(void)
{
    double sum = 0;
    for (int i = 0; i < 10; i++) {
        sum = left(sum) + right(sum);
    }
    return sum;
}

static jmp_buf place;

static NOINLINE void jump(int depth)
{
    if (depth == 0) {
        char name[MPI_MAX_PROCESSOR_NAME];
        int length;
        MPI_Get_processor_name(name, &length);
        longjmp(place, 1);
    }
    jump(depth - 1);
    MPI_Abort(MPI_COMM_WORLD, 1); /* never reached */
}

static NOINLINE int around_jump(void)
{
    if (setjmp(place) == 0) {
        jump(3);
    }
    int version, subversion;
    return MPI_Get_version(&version, &subversion);
}

static NOINLINE void in_plugin(const char *path)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        int (*function)(void) = NULL;
        if (library != NULL) {
            *(void **)&function = dlsym(library, "plugin_function");
        }
        if (function == NULL) {
            fprintf(stderr, "paths: %s\n", dlerror());
            MPI_Abort(MPI_COMM_WORLD, 2);
            return;
        }
        function();
        dlclose(library);
    }
}

static NOINLINE int in_thread(void)
{
    int flag;
    MPI_Is_thread_main(&flag);
    return flag;
}

static void *thread_start(void *nothing)
{
    return in_thread() != 0 ? nothing : NULL;
}

static NOINLINE int in_two_lines(void)
{
    int first = 0, second = 0;
    MPI_Error_class(MPI_SUCCESS, &first);  /* line one */
    MPI_Error_class(MPI_SUCCESS, &second); /* line two */
    return first + second;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = solve(3);
    sum += around_inlined() + around_tail();
    sum += recursive(2) + turns() + around_jump();
    sum += in_two_lines();
    through_library();
    in_plugin(argc > 1 ? argv[1] : "");
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_t thread;
        pthread_create(&thread, NULL, thread_start, &rank);
        pthread_join(thread, NULL);
    }
    if (argc > 2 && strcmp(argv[2], "abort") == 0) {
        tail();
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Finalize();
    return sum < 0;
}
