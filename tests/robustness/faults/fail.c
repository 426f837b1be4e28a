/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that communicates and then fails in the way that is asked for, on rank 1:
 *
 *   fail kill|term|abort|exit|segv|finalize|fork|descriptors|filesize|flood|vanish FOLDER|none
 *        |fatal|assertion|immediate|handler|filesize-flood|flood-kill
 *
 * Every rank prints how many rounds it saw; nothing depends on time. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 50, FLOOD = 20000, VICTIM = 1 };

/* Rounds of a ring of messages. */
static void exchange(int rounds, int rank, int size)
{
    int in;
    for (int i = 0; i < rounds; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Freed by MPI_Finalize in the library, where it crashes (MPI 3.1, 8.7.1). */
static int crash(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    raise(SIGSEGV);
    return MPI_SUCCESS;
}

/* Opens files until there are no descriptors left. */
static void use_up_descriptors(void)
{
    struct rlimit limit = {64, 4096};
    setrlimit(RLIMIT_NOFILE, &limit);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
}

/* Children that end in every way, and one that runs another program. */
static void fork_children(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0 && i == 0) {
            exit(0); /* handlers that were inherited run */
        } else if (child == 0 && i == 1) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        } else if (child == 0) {
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

static void fail(const char *how, int rank, char **argv)
{
    if (strcmp(how, "descriptors") == 0) {
        use_up_descriptors();
    } else if (strncmp(how, "filesize", 8) == 0) {
        struct rlimit limit = {4096, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (strstr(how, "flood") != NULL) {
        int in;
        for (int i = 0; i < FLOOD; i++) {
            MPI_Sendrecv(&i, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        }
    } else if (strcmp(how, "fork") == 0) {
        fork_children();
    }
    if (strcmp(how, "vanish") == 0) {
        char command[4200];
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            snprintf(command, sizeof command, "rm -rf '%s'", argv[2]);
            if (system(command) != 0) {
                fprintf(stderr, "cannot remove %s\n", argv[2]);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "exit") == 0) {
        exit(3); /* all alike: the launcher passes on the code of whichever it sees first */
    } else if (strcmp(how, "immediate") == 0) {
        _exit(3);
    } else if (strcmp(how, "handler") == 0) {
        exit(0);
    } else if (rank != VICTIM) {
        return;
    } else if (strstr(how, "kill") != NULL) {
        raise(SIGKILL);
    } else if (strcmp(how, "term") == 0) {
        raise(SIGTERM);
    } else if (strcmp(how, "segv") == 0) {
        raise(SIGSEGV);
    } else if (strcmp(how, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    } else if (strcmp(how, "fatal") == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD); /* no such rank */
    } else if (strcmp(how, "assertion") == 0) {
        abort();
    } else if (strcmp(how, "finalize") == 0) {
        int key;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, crash, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
    }
}

static void finalize(void)
{
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm half;
    if (argc > 1 && strcmp(argv[1], "handler") == 0) {
        atexit(finalize);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, "half");
    exchange(ROUNDS, rank, size);
    MPI_Barrier(half);
    MPI_Barrier(MPI_COMM_WORLD); /* where all have written the rounds before they enter it */
    fail(argc > 1 ? argv[1] : "none", rank, argv);
    exchange(ROUNDS, rank, size);
    printf("rank %d: %d rounds\n", rank, 2 * ROUNDS);
    MPI_Finalize();
    return 0;
}
