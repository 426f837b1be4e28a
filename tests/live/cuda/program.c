/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with kernels whose durations are planted. usage: program CASE [RANK]
 *   late      the kernel `force` of rank RANK (else of all) is slow; all ranks meet in each step
 *   kinds     each kind of work once, on several streams of two devices
 *   graph     three kernels of a graph that run at the same time
 *   events    a stream waits for the kernel `force` of another one by an event, not for what is
 *             launched behind it
 *   capture   the same, while both streams are captured and afterwards
 *   many      4000 kernels without waiting between
 *   mixed     kernels before and after a graph and a launch that fails
 *   threads   two threads launch at the same time, and then one alone
 *   contexts  a kernel in each of two contexts, the first of which is destroyed
 *   kill      as late, but killed in the middle */
#include "stub/stub.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { STEPS = 4 };
#define FAST 10.0
#define SLOW 60.0

static int rank;
static double memory;

static void meet(void)
{
#ifdef WITH_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
}

__attribute__((noinline)) static void launch_forces(cudaStream_t stream, double milliseconds)
{
    cudaLaunchKernel("_Z5forceIfEvPT_i", milliseconds, stream);
    __asm__ volatile("");
}

__attribute__((noinline)) static void launch_update(cudaStream_t stream)
{
    cuLaunchKernel("update", 2, stream);
    __asm__ volatile("");
}

static void late(int slow, int killed)
{
    cudaStream_t streams[2];
    cudaStreamCreate(&streams[0]);
    cudaStreamCreate(&streams[1]);
    for (int step = 0; step < STEPS; step++) {
        launch_update(streams[1]);
        launch_forces(streams[0], slow == rank || slow < 0 ? SLOW : FAST);
        cudaStreamSynchronize(streams[0]);
        cudaMemcpy(&memory, &memory, sizeof memory, cudaMemcpyDeviceToHost);
        meet();
        if (killed && step == 2) {
            sleep(1);
            meet();
            raise(SIGKILL);
        }
    }
}

static void kinds(void)
{
    for (int device = 0; device < 2; device++) {
        cudaStream_t stream;
        cudaEvent_t event;
        cudaSetDevice(device);
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
        cudaMemcpyAsync(&memory, &memory, sizeof memory, cudaMemcpyHostToDevice, stream);
        cudaMemsetAsync(&memory, 0, sizeof memory, stream);
        launch_forces(stream, 5);
        cudaMemcpyPeerAsync(&memory, &memory, sizeof memory, stream);
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(NULL, event, 0);
        cudaLaunchKernel("second", 3, NULL);
        cudaEventSynchronize(event);
        cudaDeviceSynchronize();
    }
    cuCtxSynchronize();
}

static void graph(void)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraphLaunch("node", 20, 3, stream);
    cudaStreamSynchronize(stream);
}

static void events(int slow)
{
    cudaStream_t slow_stream, waiting;
    cudaEvent_t event;
    cudaStreamCreate(&slow_stream);
    cudaStreamCreate(&waiting);
    cudaEventCreate(&event);
    for (int step = 0; step < STEPS; step++) {
        if (step > 0) { /* the first work of the stream waits, too */
            launch_update(waiting);
        }
        launch_forces(slow_stream, slow == rank || slow < 0 ? SLOW : FAST);
        cudaEventRecord(event, slow_stream);
        cudaLaunchKernel("behind", 2 * SLOW, slow_stream);
        cudaStreamWaitEvent(waiting, event, 0);
        launch_update(waiting);
        cudaStreamSynchronize(waiting);
        cudaEventSynchronize(event);
        cudaDeviceSynchronize();
        meet();
    }
}

static void capture(void)
{
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    void *graph;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    launch_update(second);
    cudaStreamBeginCapture(first, 0);
    cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    launch_forces(second, SLOW);
    cudaEventRecord(join, second);
    cudaStreamWaitEvent(first, join, 0);
    cudaStreamEndCapture(first, &graph);
    cudaStreamWaitEvent(second, join, 0); /* fails: the event was captured */
    launch_forces(first, FAST);
    cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    launch_update(second);
    cudaDeviceSynchronize();
}

static void many(void)
{
    for (int i = 0; i < 4000; i++) {
        cudaLaunchKernel("small", 0.001, NULL);
    }
    cudaDeviceSynchronize();
}

static void mixed(void)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    launch_update(stream);
    cudaGraphLaunch("node", 5, 3, stream);
    if (cuLaunchKernel("broken", 1, stream) == 0) {
        abort();
    }
    launch_update(stream);
    launch_forces(stream, 5);
    cudaStreamSynchronize(stream);
}

static void *launch_both(void *stream)
{
    cuLaunchKernel("both", 1, stream);
    return NULL;
}

static void threads(void)
{
    pthread_t other;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    pthread_create(&other, NULL, launch_both, stream);
    launch_both(stream);
    pthread_join(other, NULL);
    launch_update(stream);
    cudaDeviceSynchronize();
}

static void contexts(void)
{
    cudaSetDevice(0);
    launch_forces(NULL, 5);
    cudaDeviceReset();
    cudaSetDevice(1);
    launch_forces(NULL, 5);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "late";
    int slow = argc > 2 ? atoi(argv[2]) : -1;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    if (strcmp(name, "kinds") == 0) {
        kinds();
    } else if (strcmp(name, "graph") == 0) {
        graph();
    } else if (strcmp(name, "events") == 0) {
        events(slow);
    } else if (strcmp(name, "capture") == 0) {
        capture();
    } else if (strcmp(name, "many") == 0) {
        many();
    } else if (strcmp(name, "mixed") == 0) {
        mixed();
    } else if (strcmp(name, "threads") == 0) {
        threads();
    } else if (strcmp(name, "contexts") == 0) {
        contexts();
    } else {
        late(slow, strcmp(name, "kill") == 0);
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    printf("rank %d ends\n", rank);
    return 0;
}
