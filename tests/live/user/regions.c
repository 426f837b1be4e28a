/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions and phases in every way that programs may use and misuse them. What comes of it stands in
 * check_regions.py. */
#include "together.h"

#include <fermata/fermata.h>

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        failures++;
    }
}

static void recursive(int depth)
{
    FERMATA_SCOPE("recursive");
    if (depth == 0) {
        return;
    }
    recursive(depth - 1);
}

/* Inside an MPI call nothing is recorded. */
static void reduce(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    FERMATA_BEGIN("in a reduction");
    for (int i = 0; i < *length; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
    FERMATA_END("in a reduction");
}

static void call_reduction(void)
{
    int mine = 1, sum = 0;
    MPI_Op operation;
    MPI_Op_create(reduce, 1, &operation);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, operation, MPI_COMM_WORLD);
    MPI_Op_free(&operation);
}

static void loops(void)
{
    for (int i = 0; i < 4; i++) {
        FERMATA_ITERATION("step");
        if (i == 1) {
            FERMATA_BEGIN("left by continue");
            continue;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    FERMATA_ITERATIONS_END("step");
    for (int i = 0; i < 2; i++) {
        FERMATA_PHASE_SCOPE("phase");
        FERMATA_SCOPE("body");
    }
    FERMATA_PHASE_BEGIN("last phase");
    FERMATA_PHASE_END("last phase");
}

static void misuse(void)
{
    static fermata_region_t never = FERMATA_REGION_HERE("never begun", FERMATA_CODE);
    FERMATA_END("never begun");
    fermata_region_end(&never);
    fermata_region_end_named(NULL);
    FERMATA_BEGIN("outer");
    FERMATA_BEGIN("forgotten");
    FERMATA_BEGIN("forgotten, too");
    FERMATA_END("outer");
    FERMATA_END("forgotten");
}

/* The name goes away, the region stays. */
static void names_of_run_time(void)
{
    char *name = strdup("made at run time");
    fermata_region_t *region = calloc(1, sizeof *region);
    region->name = name;
    fermata_region_begin(region);
    memset(name, 'x', strlen(name));
    fermata_region_end_named("made at run time");
    free(name);
    free(region);
    static fermata_region_t unnamed = {NULL, NULL, 0, FERMATA_CODE, NULL};
    fermata_region_begin(&unnamed);
    fermata_region_end(&unnamed);
}

static void *in_thread(void *nothing)
{
    (void)nothing;
    FERMATA_END("outside of the thread");
    for (int i = 0; i < 3; i++) {
        FERMATA_SCOPE("in a thread");
        recursive(1);
    }
    FERMATA_BEGIN("not ended in its thread");
    return NULL;
}

static void thread(void)
{
    pthread_t thread;
    FERMATA_BEGIN("outside of the thread");
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    FERMATA_END("outside of the thread");
}

static void many(int count)
{
    for (int i = 0; i < count; i++) {
        FERMATA_SCOPE("one of many");
    }
}

int main(int argc, char **argv)
{
    together_begin();
    errno = 77;
    FERMATA_BEGIN("program");
    expect(errno == 77, "errno is left alone");
    recursive(0);
    MPI_Init(&argc, &argv);
    recursive(2);
    call_reduction();
    loops();
    misuse();
    names_of_run_time();
    thread();
    recursive(3000);
    many(argc > 1 ? atoi(argv[1]) : 0);
    if (argc > 2 && strcmp(argv[2], "exit") == 0) {
        together_exit(3);
    }
    FERMATA_BEGIN("open at the end");
    MPI_Finalize();
    FERMATA_END("open at the end");
    recursive(5);
    FERMATA_END("program");
    return failures;
}
