/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem-queue: a distributed queue of tasks in OpenSHMEM (usage() lists the options). Each PE has a
 * queue, which is guarded by a lock. A PE takes tasks from its own queue until that is empty, then
 * from those of the next PEs. Who has done a task adds to its count and to the sum of the results
 * by atomic operations on its home, the PE in whose queue the task was. PE 0 checks the counts and
 * the sum. */
#include <errno.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    int tasks, owner, task_microseconds, hold_milliseconds, slow_pe;
} options = {.tasks = 64, .owner = -1, .task_microseconds = 500, .slow_pe = -1};

/* Symmetric. locks[PE] guards next and end of that PE: its tasks that are still to be done. */
static long *locks, *done;
static long next, end, sum;

static int me, pes;

static void usage(void)
{
    if (me == 0) {
        fprintf(stderr, "usage: shmem-queue [--tasks N] [--owner PE] [--task MICROSECONDS] "
                        "[--hold MILLISECONDS:PE]\n"
                        "  --tasks  number of tasks (default 64)\n"
                        "  --owner  all tasks are in the queue of this PE (default: equal shares)\n"
                        "  --task   duration of a task (default 500)\n"
                        "  --hold   this PE holds the lock so long whenever it takes a task\n");
    }
    shmem_global_exit(2);
}

/* @return a number from 0 to a million. Ends the program if the text is none. */
static int read_number(const char *text)
{
    char *rest;
    const long number = strtol(text, &rest, 10);
    if (*text == '\0' || *rest != '\0' || number < 0 || number > 1000000) {
        usage();
    }
    return (int)number;
}

static void read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--tasks") == 0) {
            options.tasks = read_number(value);
        } else if (strcmp(argv[i], "--owner") == 0) {
            options.owner = read_number(value);
        } else if (strcmp(argv[i], "--task") == 0) {
            options.task_microseconds = read_number(value);
        } else if (strcmp(argv[i], "--hold") != 0 ||
                   sscanf(value, "%d:%d", &options.hold_milliseconds, &options.slow_pe) != 2) {
            usage();
        }
    }
    if (options.owner >= pes || options.hold_milliseconds < 0) {
        usage();
    }
}

static void sleep_for(long microseconds)
{
    struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
    }
}

/* The first task of a PE's queue; that of `pes` is the number of tasks. */
static int first_task(int pe)
{
    if (options.owner >= 0) {
        return pe <= options.owner ? 0 : options.tasks;
    }
    return (int)((long)options.tasks * pe / pes);
}

/* What the slow PE does while it holds the lock. */
__attribute__((noinline)) static void inspect_queue(void)
{
    sleep_for(options.hold_milliseconds * 1000L);
    __asm__ volatile("");
}

/* Takes a task from a PE's queue. @return the task, or -1 if the queue is empty */
static long take_task(int pe)
{
    long task = -1;
    shmem_set_lock(&locks[pe]);
    const long first = shmem_long_g(&next, pe);
    if (first < shmem_long_g(&end, pe)) {
        shmem_long_p(&next, first + 1, pe);
        if (me == options.slow_pe) {
            inspect_queue();
        }
        task = first;
    }
    shmem_clear_lock(&locks[pe]);
    return task;
}

static long result_of(long task)
{
    return task * task % 101;
}

__attribute__((noinline)) static void do_task(long task, int home)
{
    sleep_for(options.task_microseconds);
    shmem_long_atomic_inc(&done[task], home);
    shmem_long_atomic_add(&sum, result_of(task), home);
}

/* Empties all queues, the own one first. */
static void work(void)
{
    for (int i = 0; i < pes; i++) {
        const int home = (me + i) % pes;
        long task;
        while ((task = take_task(home)) >= 0) {
            do_task(task, home);
        }
    }
}

/* @return whether each task was done once, and the sum of their results is right */
static int is_right(long *total)
{
    long expected = 0;
    int right = 1;
    *total = 0;
    for (int pe = 0; pe < pes; pe++) {
        *total += shmem_long_g(&sum, pe);
        for (long task = first_task(pe); task < first_task(pe + 1); task++) {
            right &= shmem_long_g(&done[task], pe) == 1;
            expected += result_of(task);
        }
    }
    return right && *total == expected;
}

static long *symmetric_zeros(size_t count)
{
    long *memory = shmem_malloc((count + 1) * sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "shmem-queue: the symmetric heap is too small\n");
        shmem_global_exit(1);
    }
    memset(memory, 0, (count + 1) * sizeof *memory);
    return memory;
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    read_options(argc, argv);
    locks = symmetric_zeros((size_t)pes);
    done = symmetric_zeros((size_t)options.tasks);
    next = first_task(me);
    end = first_task(me + 1);
    shmem_barrier_all();
    work();
    shmem_barrier_all();
    if (me == 0) {
        long total;
        const int right = is_right(&total);
        printf("shmem-queue: %d tasks, the sum of their results is %ld, %s\n", options.tasks, total,
               right ? "right" : "wrong");
        fflush(stdout);
        if (!right) {
            shmem_global_exit(1);
        }
    }
    shmem_barrier_all();
    shmem_free(done);
    shmem_free(locks);
    shmem_finalize();
    return 0;
}
