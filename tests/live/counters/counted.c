/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks exchange messages of known numbers and sizes, also in a second thread and in a forked
 * child that must not count; then they wait for a file, and rank 1 kills itself.
 *
 * usage: counted FOLDER    creates FOLDER/ready.RANK, waits for FOLDER/go */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 1000, SMALL = 100, LARGE = 20000, LARGE_MESSAGES = 3, PROBES = 50 };
enum { REQUESTS = 5 };

static void *probe(void *nothing)
{
    int flag;
    for (int i = 0; i < PROBES; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    return nothing;
}

static void exchange(int rank)
{
    static char buffer[LARGE];
    for (int i = 0; i < MESSAGES + LARGE_MESSAGES; i++) {
        int bytes = i < MESSAGES ? SMALL : LARGE;
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* Requests that are open at a time: up to REQUESTS, one of them until the end. */
static MPI_Request open_requests(void)
{
    MPI_Request requests[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
        MPI_Ibarrier(MPI_COMM_SELF, &requests[i]);
    }
    for (int i = 0; i < REQUESTS - 1; i++) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    return requests[REQUESTS - 1];
}

static void wait_for(const char *folder, int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ready.%d", folder, rank);
    fclose(fopen(path, "w"));
    snprintf(path, sizeof path, "%s/go", folder);
    while (access(path, F_OK) != 0) {
        usleep(10000);
    }
}

int main(int argc, char **argv)
{
    int rank, level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank);
    MPI_Request last = open_requests();
    if (level == MPI_THREAD_MULTIPLE) {
        pthread_create(&thread, NULL, probe, NULL);
        pthread_join(thread, NULL);
    }
    pid_t child = fork();
    if (child == 0) {
        int flag;
        MPI_Initialized(&flag);
        _exit(flag != 1);
    }
    waitpid(child, NULL, 0);
    wait_for(argv[1], rank);
    if (rank == 1) {
        kill(getpid(), SIGKILL);
    }
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
