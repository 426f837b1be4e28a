/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks that meet in 20 barriers. Between them rank 0 has faults, whose signals the program
 * handles itself.
 *
 * usage: faults jump | overflow | abort | children
 *   jump      a handler of SIGSEGV leaves by siglongjmp
 *   overflow  the stack overflows; the handler, on a stack of its own, leaves by siglongjmp
 *   abort     a handler on a stack of its own calls abort()
 *   children  no faults: children by system, popen, posix_spawn and vfork */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BARRIERS = 20, FAULTS = 10, STACK = 1 << 16 };

static sigjmp_buf behind;
static int faults;

static void jump(int number)
{
    (void)number;
    siglongjmp(behind, 1);
}

static void end(int number)
{
    (void)number;
    abort();
}

static void handle(int number, void (*handler)(int), int flags)
{
    const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void use_other_stack(void)
{
    const stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    sigaltstack(&stack, NULL);
}

__attribute__((noinline)) static int descend(volatile char *above, int levels)
{
    volatile char room[4096];
    room[0] = above[0];
    return levels == 0 ? 0 : descend(room, levels - 1) + room[1];
}

__attribute__((noinline)) static void fault(const char *kind)
{
    if (sigsetjmp(behind, 1) != 0) {
        faults++;
    } else if (kind[0] == 'o') {
        descend("", INT_MAX);
    } else {
        *(volatile int *)(uintptr_t)16 = 1;
    }
}

static void run_children(void)
{
    char *arguments[] = {"true", NULL};
    pid_t child;
    int status = 1;
    if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0) {
        waitpid(child, &status, 0);
    }
    faults += status == 0;
    child = vfork();
    if (child == 0) {
        execv("/bin/true", arguments);
        _exit(1);
    }
    waitpid(child, &status, 0);
    faults += status == 0;
    faults += system("exit 3") == 3 << 8;
    FILE *stream = popen("exit 4", "r");
    faults += stream != NULL && pclose(stream) == 4 << 8;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use_other_stack();
    handle(SIGSEGV, jump, argv[1][0] == 'o' ? SA_ONSTACK : 0);
    handle(SIGUSR1, end, SA_ONSTACK);
    for (int i = 0; i < BARRIERS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 0 || i >= FAULTS) {
            continue;
        }
        if (argv[1][0] == 'c') {
            run_children();
        } else if (argv[1][0] != 'a') {
            fault(argv[1]);
        }
    }
    if (argv[1][0] != 'a') {
        printf("rank %d: %d\n", rank, faults);
        fflush(stdout);
    } else if (rank == 0) {
        raise(SIGUSR1);
    }
    MPI_Finalize();
    return 0;
}
