/* SPDX-License-Identifier: BSD-3-Clause */
/* Touches PAGES new pages in the first thread, as many in a thread that it creates, and as many in
 * a forked child, whose page faults are not those of this process. */
#include <mpi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 3000, PAGE = 4096 };

static void *touch(void *nothing)
{
    volatile char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++) {
        memory[(size_t)i * PAGE] = 1;
    }
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    MPI_Init(&argc, &argv);
    touch(NULL);
    pthread_create(&thread, NULL, touch, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        touch(NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
