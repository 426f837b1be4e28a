/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of GCC's runtime that compilers made before OpenMP 4: two calls begin and end a parallel
 * region, and the forking thread calls the body itself. No compiler of today makes them.
 * A comment `LINE name` marks the line that a region is expected at. */
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*body)(void *data), void *data, unsigned threads);
void GOMP_parallel_loop_static_start(void (*body)(void *data), void *data, unsigned threads,
                                     long begin, long end, long step, long chunk);
void GOMP_parallel_loop_dynamic_start(void (*body)(void *data), void *data, unsigned threads,
                                      long begin, long end, long step, long chunk);
void GOMP_parallel_loop_guided_start(void (*body)(void *data), void *data, unsigned threads,
                                     long begin, long end, long step, long chunk);
void GOMP_parallel_loop_runtime_start(void (*body)(void *data), void *data, unsigned threads,
                                      long begin, long end, long step);
void GOMP_parallel_sections_start(void (*body)(void *data), void *data, unsigned threads,
                                  unsigned count);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *first, long *last);
bool GOMP_loop_dynamic_next(long *first, long *last);
bool GOMP_loop_guided_next(long *first, long *last);
bool GOMP_loop_runtime_next(long *first, long *last);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);
void GOMP_barrier(void);
void omp_set_max_active_levels(int levels);

enum { THREADS = 3, ITERATIONS = 20, SECTIONS = 4, TURNS = 5 };

static long sum;

static void add(long value)
{
    __atomic_fetch_add(&sum, value, __ATOMIC_RELAXED);
}

static void plain(void *data)
{ /* LINE plain */
    add(*(int *)data);
    GOMP_barrier();
    add(1);
}

static void iterate(bool (*next)(long *, long *))
{
    long first, last;
    while (next(&first, &last)) {
        for (long i = first; i < last; i++) {
            add(i);
        }
    }
    GOMP_loop_end_nowait();
}

static void fixed(void *data)
{ /* LINE fixed */
    (void)data;
    iterate(GOMP_loop_static_next);
}

static void dynamic(void *data)
{ /* LINE dynamic */
    (void)data;
    iterate(GOMP_loop_dynamic_next);
}

static void guided(void *data)
{ /* LINE guided */
    (void)data;
    iterate(GOMP_loop_guided_next);
}

static void chosen(void *data)
{ /* LINE chosen */
    (void)data;
    iterate(GOMP_loop_runtime_next);
}

static void sections(void *data)
{ /* LINE sections */
    (void)data;
    for (unsigned section = GOMP_sections_next(); section != 0; section = GOMP_sections_next()) {
        add(section);
    }
    GOMP_sections_end_nowait();
}

static void inner(void *data)
{
    (void)data;
    add(1); /* LINE inner */
}

static void outer(void *data)
{ /* LINE outer */
    GOMP_parallel_start(inner, data, 2);
    inner(data);
    GOMP_parallel_end();
}

int main(void)
{
    int value = 7;
    for (int i = 0; i < TURNS; i++) {
        GOMP_parallel_start(plain, &value, THREADS);
        plain(&value);
        GOMP_parallel_end();
    }
    GOMP_parallel_loop_static_start(fixed, NULL, THREADS, 0, ITERATIONS, 1, 2);
    fixed(NULL);
    GOMP_parallel_end();
    GOMP_parallel_loop_dynamic_start(dynamic, NULL, THREADS, 0, ITERATIONS, 1, 2);
    dynamic(NULL);
    GOMP_parallel_end();
    GOMP_parallel_loop_guided_start(guided, NULL, THREADS, 0, ITERATIONS, 1, 2);
    guided(NULL);
    GOMP_parallel_end();
    GOMP_parallel_loop_runtime_start(chosen, NULL, THREADS, 0, ITERATIONS, 1);
    chosen(NULL);
    GOMP_parallel_end();
    GOMP_parallel_sections_start(sections, NULL, 2, SECTIONS);
    sections(NULL);
    GOMP_parallel_end();
    omp_set_max_active_levels(2);
    for (int i = 0; i < TURNS; i++) {
        GOMP_parallel_start(outer, NULL, 2);
        outer(NULL);
        GOMP_parallel_end();
    }
    printf("%ld\n", sum);
    return 0;
}
