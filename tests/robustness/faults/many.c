/* SPDX-License-Identifier: BSD-3-Clause */
/* Very many objects of MPI, one kind after the other:
 *
 *   many COUNT [KIND]...
 *
 * requests, groups, types: COUNT of them, never freed (requests are completed at the end);
 * communicators, windows: COUNT times created and freed; threads: COUNT of them, one after the
 * other, each makes a call. Without kinds all of them. Rank 0 prints the peak of its memory behind
 * MPI_Finalize to stderr. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static long requests(int count)
{
    enum { TAGS = 1000 };
    MPI_Request *all = malloc((size_t)count * sizeof *all);
    int *values = calloc((size_t)count, sizeof *values);
    long sum = 0;
    for (int i = 0; i < count; i++) {
        MPI_Irecv(&values[i], 1, MPI_INT, 0, i % TAGS, MPI_COMM_SELF, &all[i]);
    }
    for (int i = 0; i < count; i++) {
        MPI_Send(&i, 1, MPI_INT, 0, i % TAGS, MPI_COMM_SELF);
    }
    MPI_Waitall(count, all, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    free(all);
    free(values);
    return sum;
}

static long groups(int count)
{
    MPI_Group world, group;
    long sum = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < count; i++) {
        int member = i % size, members;
        MPI_Group_incl(world, 1, &member, &group);
        MPI_Group_size(group, &members);
        sum += members;
    }
    return sum;
}

static long types(int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++) {
        MPI_Datatype type;
        int bytes;
        MPI_Type_contiguous(1 + i % 5, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Type_size(type, &bytes);
        sum += bytes;
    }
    return sum;
}

static long communicators(int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++) {
        MPI_Comm comm;
        int members;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_size(comm, &members);
        MPI_Comm_free(&comm);
        sum += members;
    }
    return sum;
}

static long windows(int count)
{
    static double memory[64];
    for (int i = 0; i < count; i++) {
        MPI_Win win;
        MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_free(&win);
    }
    return count;
}

static void *call(void *sum)
{
    int flag;
    MPI_Initialized(&flag);
    *(long *)sum += flag;
    return NULL;
}

static long threads(int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, call, &sum);
        pthread_join(thread, NULL);
    }
    return sum;
}

static const struct {
    const char *name;
    long (*make)(int count);
} kinds[] = {{"requests", requests},           {"groups", groups},   {"types", types},
             {"communicators", communicators}, {"windows", windows}, {"threads", threads}};

static int is_wanted(const char *name, int argc, char **argv)
{
    int wanted = argc < 3;
    for (int i = 2; i < argc; i++) {
        wanted = wanted || strcmp(argv[i], name) == 0;
    }
    return wanted;
}

static void print_peak(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) {
            fprintf(stderr, "peak%s", line + 6);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
}

int main(int argc, char **argv)
{
    int provided, count = argc > 1 ? atoi(argv[1]) : 1000;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (is_wanted(kinds[i].name, argc, argv)) {
            printf("rank %d: %s %ld\n", rank, kinds[i].name, kinds[i].make(count));
        }
    }
    MPI_Finalize();
    if (rank == 0) {
        print_peak();
    }
    return 0;
}
