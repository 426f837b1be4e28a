/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of GCC's OpenMP under many threads, on a runtime of this test: every team begins and
 * ends on each of its members, the acquisitions of a lock are numbered without a gap, each task is
 * executed as often as it was created. Without an archive. Meant for ThreadSanitizer, too, which
 * does not see how GCC's own runtime synchronizes. */
#include "omp_records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const struct fm_paradigm fermata_paradigm;

enum { TASK_BYTES = 64 };

/* ---- a runtime ---- */

/* A task that waits for its execution. */
struct task {
    void (*body)(void *data);
    uint64_t arguments[TASK_BYTES];
    struct task *next;
};

struct team {
    int size, level;
    pthread_barrier_t barrier;
};

static __thread struct team *team;
static __thread int number;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t named_critical = PTHREAD_MUTEX_INITIALIZER;
static struct task *queue;

struct member {
    struct team *team;
    int number;
    void (*body)(void *data);
    void *data;
};

static void *run_member(void *argument)
{
    const struct member *member = argument;
    team = member->team;
    number = member->number;
    member->body(member->data);
    return NULL;
}

static void parallel(void (*body)(void *data), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    struct team *outer = team, own = {.size = (int)threads};
    const int outer_number = number;
    struct member members[THREADS];
    pthread_t others[THREADS];
    own.level = outer != NULL ? outer->level + 1 : 1;
    pthread_barrier_init(&own.barrier, NULL, threads);
    for (int i = 1; i < own.size; i++) {
        members[i] = (struct member){&own, i, body, data};
        assert_int_equal(pthread_create(&others[i], NULL, run_member, &members[i]), 0);
    }
    members[0] = (struct member){&own, 0, body, data};
    run_member(&members[0]);
    for (int i = 1; i < own.size; i++) {
        pthread_join(others[i], NULL);
    }
    pthread_barrier_destroy(&own.barrier);
    team = outer;
    number = outer_number;
}

/* A region that a call of its own ends. `own` must be first: it is the team of the members. */
struct started {
    struct team own, *outer;
    int outer_number;
    struct member members[THREADS];
    pthread_t others[THREADS];
};

static void parallel_start(void (*body)(void *data), void *data, unsigned threads)
{
    struct started *started = calloc(1, sizeof *started);
    assert_non_null(started);
    started->outer = team;
    started->outer_number = number;
    started->own.size = (int)threads;
    started->own.level = team != NULL ? team->level + 1 : 1;
    pthread_barrier_init(&started->own.barrier, NULL, threads);
    for (int i = 1; i < started->own.size; i++) {
        started->members[i] = (struct member){&started->own, i, body, data};
        assert_int_equal(
            pthread_create(&started->others[i], NULL, run_member, &started->members[i]), 0);
    }
    team = &started->own;
    number = 0;
}

static void parallel_end(void)
{
    struct started *started = (struct started *)team;
    for (int i = 1; i < started->own.size; i++) {
        pthread_join(started->others[i], NULL);
    }
    pthread_barrier_destroy(&started->own.barrier);
    team = started->outer;
    number = started->outer_number;
    free(started);
}

static int get_thread_num(void)
{
    return number;
}

static int get_num_threads(void)
{
    return team != NULL ? team->size : 1;
}

static int get_max_threads(void)
{
    return THREADS;
}

static int get_level(void)
{
    return team != NULL ? team->level : 0;
}

static void barrier(void)
{
    pthread_barrier_wait(&team->barrier);
}

static void critical_start(void)
{
    pthread_mutex_lock(&critical);
}

static void critical_end(void)
{
    pthread_mutex_unlock(&critical);
}

static void critical_name_start(void **lock)
{
    (void)lock;
    pthread_mutex_lock(&named_critical);
}

static void critical_name_end(void **lock)
{
    (void)lock;
    pthread_mutex_unlock(&named_critical);
}

static void create_task(void (*body)(void *data), void *data, void (*copy)(void *to, void *from),
                        long bytes, long align, bool condition, unsigned flags, void **depend,
                        int priority, void *detach)
{
    (void)align, (void)condition, (void)flags, (void)depend, (void)priority, (void)detach;
    struct task *task = malloc(sizeof *task);
    assert_non_null(task);
    assert_true((size_t)bytes <= sizeof task->arguments);
    task->body = body;
    if (copy != NULL) {
        copy(task->arguments, data);
    } else {
        memcpy(task->arguments, data, (size_t)bytes);
    }
    pthread_mutex_lock(&queue_lock);
    task->next = queue;
    queue = task;
    pthread_mutex_unlock(&queue_lock);
}

/* Executes tasks of all threads until there is none. */
static void wait_for_tasks(void)
{
    for (;;) {
        pthread_mutex_lock(&queue_lock);
        struct task *task = queue;
        queue = task != NULL ? task->next : NULL;
        pthread_mutex_unlock(&queue_lock);
        if (task == NULL) {
            return;
        }
        task->body(task->arguments);
        free(task);
    }
}

/* ---- a program ---- */

static uint64_t executed, inside, named_inside, inner;
static void *name_of_critical;

static void work_in_task(void *data)
{
    __atomic_add_fetch(&executed, *(const uint64_t *)data, __ATOMIC_RELAXED);
}

static void work_inside(void *nothing)
{
    (void)nothing;
    __atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
    fm_GOMP_barrier();
}

static void work(void *nothing)
{
    (void)nothing;
    for (int i = 0; i < ROUNDS; i++) {
        for (uint64_t k = 0; k < TASKS; k++) {
            uint64_t one = 1;
            fm_GOMP_task(work_in_task, &one, NULL, sizeof one, sizeof one, true, 0, NULL, 0, NULL);
        }
        fm_GOMP_critical_start();
        inside++;
        fm_GOMP_critical_end();
        fm_GOMP_critical_name_start(&name_of_critical);
        named_inside++;
        fm_GOMP_critical_name_end(&name_of_critical);
        fm_GOMP_taskwait();
        fm_GOMP_barrier();
    }
    fm_GOMP_parallel(work_inside, NULL, NESTED, 0);
    fm_GOMP_parallel_start(work_inside, NULL, NESTED);
    work_inside(NULL);
    fm_GOMP_parallel_end();
}

static void teams_locks_and_tasks_are_complete(void **state)
{
    (void)state;
    seen.counted_lock = fm_omp_lock_at(&name_of_critical)->id;
    for (int i = 0; i < REGIONS; i++) {
        fm_GOMP_parallel(work, NULL, THREADS, 0);
    }
    check_records(REGIONS + 2 * REGIONS * THREADS,
                  REGIONS * THREADS + 2 * REGIONS * THREADS * NESTED);
    assert_int_equal(executed, TASKS_ALL);
    assert_int_equal(inside, ACQUISITIONS);
    assert_int_equal(named_inside, ACQUISITIONS);
    assert_int_equal(inner, 2 * REGIONS * THREADS * NESTED);
}

/* More places than a thread has copies of look-ups of, each of two constructs. */
static void each_place_of_a_construct_has_its_region(void **state)
{
    (void)state;
    enum { PLACES = 4 * FM_CACHE_SIZE };
    static const enum fm_construct constructs[] = {FM_CONSTRUCT_LOOP,
                                                   FM_CONSTRUCT_IMPLICIT_BARRIER};
    const struct fm_construct_region *before[2][PLACES];
    for (int round = 0; round < 3; round++) {
        for (uint64_t pc = 1; pc <= PLACES; pc++) {
            for (int c = 0; c < 2; c++) {
                const struct fm_construct_region *region =
                    fm_construct_near(fm_thread_self, constructs[c], pc);
                assert_ptr_equal(region, fm_construct_at(constructs[c], pc));
                assert_ptr_equal(region, fm_construct_near(fm_thread_self, constructs[c], pc));
                assert_int_equal(region->construct, constructs[c]);
                assert_int_equal(region->pc, pc);
                before[c][pc - 1] = region;
            }
        }
    }
    fm_places_generation++; /* other code may be at the same addresses now */
    const struct fm_construct_region *after =
        fm_construct_near(fm_thread_self, constructs[1], PLACES);
    assert_ptr_not_equal(after, before[1][PLACES - 1]);
    assert_ptr_equal(after, fm_construct_at(constructs[1], PLACES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_place_of_a_construct_has_its_region),
        cmocka_unit_test(teams_locks_and_tasks_are_complete),
    };
    fm_threads_begin(4 * 1024 * 1024, take_all);
    if (!fm_session_attach(&fermata_paradigm)) {
        return 1;
    }
#define FM_SET(name, function) fm_next_functions[FM_FUNCTION_##name] = (fm_function_t)function;
    FM_SET(GOMP_parallel, parallel)
    FM_SET(GOMP_parallel_start, parallel_start)
    FM_SET(GOMP_parallel_end, parallel_end)
    FM_SET(GOMP_barrier, barrier)
    FM_SET(GOMP_critical_start, critical_start)
    FM_SET(GOMP_critical_end, critical_end)
    FM_SET(GOMP_critical_name_start, critical_name_start)
    FM_SET(GOMP_critical_name_end, critical_name_end)
    FM_SET(GOMP_task, create_task)
    FM_SET(GOMP_taskwait, wait_for_tasks)
    FM_SET(omp_get_thread_num, get_thread_num)
    FM_SET(omp_get_num_threads, get_num_threads)
    FM_SET(omp_get_max_threads, get_max_threads)
    FM_SET(omp_get_level, get_level)
    return fm_thread_attach() != NULL ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
