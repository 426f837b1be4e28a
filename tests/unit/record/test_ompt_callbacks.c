/* SPDX-License-Identifier: BSD-3-Clause */
/* The callbacks of OpenMP's tools interface under many threads, called by a runtime of this test as
 * LLVM's calls them. Without an archive. Meant for ThreadSanitizer, too. */
#include "omp_records.h"

#include "record/openmp/ompt_tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const struct fm_paradigm fermata_paradigm;
extern struct fm_ompt_tool fermata_tool;

/* ---- a runtime ---- */

struct task {
    uint64_t *counter; /* the body adds 1 to it */
    fm_ompt_data_t data;
    struct task *next;
};

struct team {
    unsigned size;
    fm_ompt_data_t data;
    pthread_barrier_t barrier;
    void (*body)(void);
};

struct member {
    struct team *team;
    unsigned number;
};

static struct {
    void (*parallel_begin)(fm_ompt_data_t *, const void *, fm_ompt_data_t *, unsigned, int,
                           const void *);
    void (*parallel_end)(fm_ompt_data_t *, fm_ompt_data_t *, int, const void *);
    void (*implicit_task)(int, fm_ompt_data_t *, fm_ompt_data_t *, unsigned, unsigned, int);
    void (*sync_region)(int, int, fm_ompt_data_t *, fm_ompt_data_t *, const void *);
    void (*task_create)(fm_ompt_data_t *, const void *, fm_ompt_data_t *, int, int, const void *);
    void (*task_schedule)(fm_ompt_data_t *, int, fm_ompt_data_t *);
} callbacks;

static __thread struct team *team;
static __thread fm_ompt_data_t own_task; /* the implicit one */
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER;
static struct task *queue;

static int set_callback(int event, fm_ompt_function_t function)
{
    void **const places[] = {
        [FM_OMPT_PARALLEL_BEGIN] = (void **)&callbacks.parallel_begin,
        [FM_OMPT_PARALLEL_END] = (void **)&callbacks.parallel_end,
        [FM_OMPT_TASK_CREATE] = (void **)&callbacks.task_create,
        [FM_OMPT_TASK_SCHEDULE] = (void **)&callbacks.task_schedule,
        [FM_OMPT_IMPLICIT_TASK] = (void **)&callbacks.implicit_task,
        [FM_OMPT_SYNC_REGION] = (void **)&callbacks.sync_region,
    };
    if ((size_t)event < sizeof places / sizeof *places && places[event] != NULL) {
        *(fm_ompt_function_t *)places[event] = function;
    }
    return 0;
}

static fm_ompt_function_t look_up(const char *name)
{
    assert_string_equal(name, "ompt_set_callback");
    return (fm_ompt_function_t)set_callback;
}

static const void *place(void)
{
    return __builtin_return_address(0);
}

static void *run_member(void *argument)
{
    const struct member *member = argument;
    struct team *outer = team;
    const fm_ompt_data_t outer_task = own_task;
    team = member->team;
    callbacks.implicit_task(FM_OMPT_BEGIN, &team->data, &own_task, team->size, member->number, 0);
    team->body();
    callbacks.sync_region(FM_OMPT_BARRIER_PARALLEL, FM_OMPT_BEGIN, &team->data, &own_task, NULL);
    pthread_barrier_wait(&team->barrier);
    team = outer;
    own_task = outer_task;
    return NULL;
}

static void parallel(void (*body)(void), unsigned threads)
{
    struct team own = {.size = threads, .body = body};
    struct member members[THREADS];
    pthread_t others[THREADS];
    pthread_barrier_init(&own.barrier, NULL, threads);
    callbacks.parallel_begin(&own_task, NULL, &own.data, threads, 0, place());
    for (unsigned i = 1; i < threads; i++) {
        members[i] = (struct member){&own, i};
        assert_int_equal(pthread_create(&others[i], NULL, run_member, &members[i]), 0);
    }
    members[0] = (struct member){&own, 0};
    run_member(&members[0]);
    for (unsigned i = 1; i < threads; i++) {
        pthread_join(others[i], NULL);
    }
    callbacks.sync_region(FM_OMPT_BARRIER_PARALLEL, FM_OMPT_END, &own.data, &own_task, NULL);
    callbacks.parallel_end(&own.data, &own_task, 0, place());
    pthread_barrier_destroy(&own.barrier);
}

static void barrier(void)
{
    callbacks.sync_region(FM_OMPT_BARRIER_EXPLICIT, FM_OMPT_BEGIN, &team->data, &own_task, place());
    pthread_barrier_wait(&team->barrier);
    callbacks.sync_region(FM_OMPT_BARRIER_EXPLICIT, FM_OMPT_END, &team->data, &own_task, place());
}

static void create_task(uint64_t *counter)
{
    struct task *task = calloc(1, sizeof *task);
    assert_non_null(task);
    task->counter = counter;
    callbacks.task_create(&own_task, NULL, &task->data, FM_OMPT_TASK_EXPLICIT, 0, place());
    pthread_mutex_lock(&queue_lock);
    task->next = queue;
    queue = task;
    pthread_mutex_unlock(&queue_lock);
}

/* Executes tasks of all threads until there is none. */
static void wait_for_tasks(void)
{
    enum { COMPLETE = 1 };
    callbacks.sync_region(FM_OMPT_TASKWAIT, FM_OMPT_BEGIN, &team->data, &own_task, place());
    for (;;) {
        pthread_mutex_lock(&queue_lock);
        struct task *task = queue;
        queue = task != NULL ? task->next : NULL;
        pthread_mutex_unlock(&queue_lock);
        if (task == NULL) {
            break;
        }
        callbacks.task_schedule(&own_task, FM_OMPT_SWITCHED, &task->data);
        __atomic_add_fetch(task->counter, 1, __ATOMIC_RELAXED);
        callbacks.task_schedule(&task->data, COMPLETE, &own_task);
        free(task);
    }
    callbacks.sync_region(FM_OMPT_TASKWAIT, FM_OMPT_END, &team->data, &own_task, place());
}

static void begin_critical(void *where, int thread, void *lock)
{
    (void)where, (void)thread, (void)lock;
    pthread_mutex_lock(&critical);
}

static void end_critical(void *where, int thread, void *lock)
{
    (void)where, (void)thread, (void)lock;
    pthread_mutex_unlock(&critical);
}

/* ---- a program ---- */

static uint64_t executed, inside, inner;
static int lock;

static void work_inside(void)
{
    __atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
    barrier();
}

static void work(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < TASKS; k++) {
            create_task(&executed);
        }
        fm___kmpc_critical(NULL, 0, &lock);
        inside++;
        fm___kmpc_end_critical(NULL, 0, &lock);
        wait_for_tasks();
        barrier();
    }
    parallel(work_inside, NESTED);
}

static void teams_locks_and_tasks_are_complete(void **state)
{
    (void)state;
    assert_true(fermata_tool.initialize(look_up, 0, NULL));
    seen.counted_lock = fm_omp_lock_at(&lock)->id;
    for (int i = 0; i < REGIONS; i++) {
        parallel(work, THREADS);
    }
    assert_int_equal(executed, TASKS_ALL);
    assert_int_equal(inside, ACQUISITIONS);
    assert_int_equal(inner, REGIONS * THREADS * NESTED);
    check_records(REGIONS + REGIONS * THREADS, REGIONS * THREADS + REGIONS * THREADS * NESTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teams_locks_and_tasks_are_complete),
    };
    fm_threads_begin(4 * 1024 * 1024, take_all);
    if (!fm_session_attach(&fermata_paradigm)) {
        return 1;
    }
    fm_next_functions[FM_FUNCTION___kmpc_critical] = (fm_function_t)begin_critical;
    fm_next_functions[FM_FUNCTION___kmpc_end_critical] = (fm_function_t)end_critical;
    return fm_thread_attach() != NULL ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
