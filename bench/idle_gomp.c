/* SPDX-License-Identifier: BSD-3-Clause */
/* A runtime of OpenMP, with the functions of GCC's that thread_call_loop calls, for one thread: it
 * does what these need and returns at once. The time of a real runtime, which may enter the kernel
 * for a barrier of one thread, varies by more than the recorder adds; beside this runtime the
 * recorder's own time is measured. */
#include <stdbool.h>

void GOMP_parallel(void (*body)(void *data), void *data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
bool GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk, long *from,
                                          long *to);
bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to);
void GOMP_loop_end(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_level(void);

static int level;

void GOMP_parallel(void (*body)(void *data), void *data, unsigned threads, unsigned flags)
{
    (void)threads, (void)flags;
    level++;
    body(data);
    level--;
}

void GOMP_barrier(void)
{
}

/* All iterations are one part. */
bool GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk, long *from,
                                          long *to)
{
    (void)step, (void)chunk;
    *from = first;
    *to = end;
    return true;
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to)
{
    (void)from, (void)to;
    return false;
}

void GOMP_loop_end(void)
{
}

void GOMP_critical_start(void)
{
}

void GOMP_critical_end(void)
{
}

int omp_get_thread_num(void)
{
    return 0;
}

int omp_get_num_threads(void)
{
    return 1;
}

int omp_get_max_threads(void)
{
    return 1;
}

int omp_get_level(void)
{
    return level;
}
