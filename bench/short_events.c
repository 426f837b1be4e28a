/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of very many short events: short_events PROGRAM NUMBER. They compute nothing else, so
 * that recording slows them down as much as it can. Each prints its result, the seconds that it has
 * taken without the start and the end of the process, and its processor time in them. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Functions of short_functions.c. */
long call_functions(long number);

static long fib(long n)
{
    if (n < 2) {
        return n;
    }
    long x, y;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static long fib_of_tasks(long n)
{
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(n);
    return result;
}

enum { LARGEST_BOARD = 16 };

/* Whether the queen of the last column is safe from those before. */
static int is_safe(long columns, const char *rows)
{
    const long last = columns - 1;
    for (long i = 0; i < last; i++) {
        const long distance = rows[i] - rows[last];
        if (distance == 0 || labs(distance) == last - i) {
            return 0;
        }
    }
    return 1;
}

static void place_queens(long board, long column, const char *rows, long *solutions)
{
    *solutions = column == board;
    if (column == board) {
        return;
    }
    long found[LARGEST_BOARD] = {0};
    for (long row = 0; row < board; row++) {
#pragma omp task untied firstprivate(row) shared(found)
        {
            char own[LARGEST_BOARD];
            memcpy(own, rows, (size_t)column);
            own[column] = (char)row;
            if (is_safe(column + 1, own)) {
                place_queens(board, column + 1, own, &found[row]);
            }
        }
    }
#pragma omp taskwait
    for (long row = 0; row < board; row++) {
        *solutions += found[row];
    }
}

static long queens(long board)
{
    const char none[LARGEST_BOARD] = {0};
    long solutions = 0;
    if (board < 1 || board > LARGEST_BOARD) {
        return 0;
    }
#pragma omp parallel
#pragma omp single
    place_queens(board, 0, none, &solutions);
    return solutions;
}

static long lock_mutex(long number)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    volatile long sum = 0;
    for (long i = 0; i < number; i++) {
        pthread_mutex_lock(&mutex);
        sum += i;
        pthread_mutex_unlock(&mutex);
    }
    return sum;
}

static long set_lock(long number)
{
    omp_lock_t lock;
    volatile long sum = 0;
    omp_init_lock(&lock);
    for (long i = 0; i < number; i++) {
        omp_set_lock(&lock);
        sum += i;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return sum;
}

static long enter_critical(long number)
{
    volatile long sum = 0;
    for (long i = 0; i < number; i++) {
#pragma omp critical
        sum += i;
    }
    return sum;
}

/* Two threads that want the same construct. */
static long contend(long number)
{
    volatile long sum = 0;
#pragma omp parallel num_threads(2)
    for (long i = 0; i < number / 2; i++) {
#pragma omp critical(contended)
        sum += i;
    }
    return sum;
}

static const struct program {
    const char *name;
    long (*run)(long number);
} programs[] = {
    {"fib", fib_of_tasks},         {"queens", queens},
    {"mutex", lock_mutex},         {"lock", set_lock},
    {"critical", enter_critical},  {"contended", contend},
    {"functions", call_functions},
};

static void run(const struct program *program, long number)
{
    const double begin = omp_get_wtime();
    const clock_t begin_cpu = clock();
    const long result = program->run(number);
    const clock_t cpu = clock() - begin_cpu;
    printf("%ld %.6f %.6f\n", result, omp_get_wtime() - begin, (double)cpu / CLOCKS_PER_SEC);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(programs[i].name, argv[1]) == 0) {
            run(&programs[i], strtol(argv[2], NULL, 10));
            return 0;
        }
    }
    fputs("short_events: needs a program and a number\n", stderr);
    return 2;
}
