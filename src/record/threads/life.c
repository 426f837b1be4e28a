/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation of threads, their begin, and the calls that wait for their end. Creations are numbered
 * in the process. The number of a thread that can be waited for is kept with its handle, from its
 * creation until a call waits for it; a later thread of the same handle replaces it. */
#include "record/threads/posix.h"

#include "record/capture/handles.h"
#include "record/paradigm/open_call.h"

#include <sys/mman.h>

/* ---- what a new thread is given ---- */

/* What a new thread executes. Kept in a list of free ones afterwards. */
struct start {
    union {
        void *(*posix)(void *argument);
        thrd_start_t c11;
    } routine;
    void *argument;
    uint64_t number;
    struct fm_thread *location; /* fm_thread_provide */
    struct start *next;
};

enum { STARTS = 512 };

static fm_lock_t lock;
static struct start *free_starts;
static uint64_t created;

/* The number of each thread that can be waited for. */
static struct fm_handle_map numbers = FM_HANDLE_MAP(0);

/* @return NULL: without memory */
static struct start *take_start(void)
{
    fm_lock(&lock);
    if (free_starts == NULL) {
        struct start *more = mmap(NULL, STARTS * sizeof *more, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; more != MAP_FAILED && i < STARTS; i++) {
            more[i].next = free_starts;
            free_starts = &more[i];
        }
    }
    struct start *start = free_starts;
    if (start != NULL) {
        free_starts = start->next;
        start->number = ++created;
    }
    fm_unlock(&lock);
    return start;
}

static void return_start(struct start *start)
{
    fm_lock(&lock);
    start->next = free_starts;
    free_starts = start;
    fm_unlock(&lock);
}

/* Both the thread and its creator note its number, because either may run first, and both before
 * any call waits for the thread. A thread of a later creation has got the handle of one that cannot
 * be waited for any more. */
static void note_number(uint64_t handle, uint64_t number)
{
    fm_lock(&lock);
    void *before = fm_handles_remove(&numbers, handle);
    if ((uint64_t)(uintptr_t)before > number) {
        number = (uint64_t)(uintptr_t)before;
    }
    fm_handles_insert(&numbers, handle, (void *)(uintptr_t)number);
    fm_unlock(&lock);
}

static uint64_t take_number(uint64_t handle)
{
    fm_lock(&lock);
    void *number = fm_handles_remove(&numbers, handle);
    fm_unlock(&lock);
    return (uint64_t)(uintptr_t)number;
}

/* Copies what the calling thread executes, and notes its number. */
static struct start begin(void *given, uint64_t routine)
{
    struct start start = *(struct start *)given;
    return_start(given);
    note_number((uint64_t)pthread_self(), start.number);
    fm_thread_begin(OTF2_PARADIGM_PTHREAD, start.number, routine, start.location);
    return start;
}

static void *begin_posix(void *given)
{
    struct start *start = given;
    struct start own = begin(start, (uint64_t)(uintptr_t)start->routine.posix);
    return own.routine.posix(own.argument);
}

static int begin_c11(void *given)
{
    struct start *start = given;
    struct start own = begin(start, (uint64_t)(uintptr_t)start->routine.c11);
    return own.routine.c11(own.argument);
}

/* ---- creation ---- */

/* Ends the recorded call that creates a thread.
 * @param number  of the thread; 0: there is none */
static void leave_create(struct fm_thread *thread, uint64_t number)
{
    uint64_t *place = fm_thread_leave(thread, number != 0 ? FM_WORDS_THREAD_CREATE : 0);
    if (number != 0) {
        fm_put_id(place, FM_RECORD_THREAD_CREATE, 0, number);
        place[0] |= fm_record_header(FM_RECORD_THREAD_CREATE, OTF2_PARADIGM_PTHREAD, 0);
    }
    fm_thread_done(thread);
}

int fm_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *),
                      void *argument)
{
    struct fm_thread *thread = fm_posix_enter(FM_FUNCTION_pthread_create, FM_CALLER);
    struct start *start = thread != NULL ? take_start() : NULL;
    if (start == NULL) {
        int result = FM_NEXT(pthread_create)(handle, attributes, routine, argument);
        fm_call_leave(thread);
        return result;
    }
    uint64_t number = start->number;
    start->location = fm_thread_provide();
    start->routine.posix = routine;
    start->argument = argument;
    int result = FM_NEXT(pthread_create)(handle, attributes, begin_posix, start);
    if (result == 0) {
        note_number((uint64_t)*handle, number);
    } else {
        fm_thread_give_back(start->location);
        return_start(start);
    }
    leave_create(thread, result == 0 ? number : 0);
    return result;
}

int fm_thrd_create(thrd_t *handle, thrd_start_t routine, void *argument)
{
    struct fm_thread *thread = fm_posix_enter(FM_FUNCTION_thrd_create, FM_CALLER);
    struct start *start = thread != NULL ? take_start() : NULL;
    if (start == NULL) {
        int result = FM_NEXT(thrd_create)(handle, routine, argument);
        fm_call_leave(thread);
        return result;
    }
    uint64_t number = start->number;
    start->location = fm_thread_provide();
    start->routine.c11 = routine;
    start->argument = argument;
    int result = FM_NEXT(thrd_create)(handle, begin_c11, start);
    if (result == thrd_success) {
        note_number((uint64_t)*handle, number);
    } else {
        fm_thread_give_back(start->location);
        return_start(start);
    }
    leave_create(thread, result == thrd_success ? number : 0);
    return result;
}

/* ---- the end of threads ---- */

/* A call that waits for a thread. Its number is taken out before the call, because afterwards a new
 * thread may have the handle. */
struct wait {
    struct fm_thread *thread; /* in whose recorded call; NULL: none */
    uint64_t handle;
    uint64_t number; /* 0: not known */
    uint64_t begin;  /* of a call that is not recorded */
};

static struct wait begin_wait(struct fm_thread *thread, uint64_t handle)
{
    const struct wait wait = {.thread = thread,
                              .handle = handle,
                              .number = thread != NULL ? take_number(handle) : 0,
                              .begin = thread == NULL ? fm_blocking_measure_begin() : 0};
    if (wait.number != 0) {
        fm_open_id(thread, fm_record_header(FM_RECORD_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, 0),
                   wait.number);
    }
    return wait;
}

/* Called when the wait ends, also by a cancellation. */
static void end_wait(struct wait *wait, bool joined)
{
    if (wait->thread == NULL) {
        fm_blocking_measure_end(wait->begin);
        return;
    }
    if (!joined && wait->number != 0) {
        note_number(wait->handle, wait->number);
    }
    joined = joined && wait->number != 0;
    uint64_t *place = fm_thread_leave(wait->thread, joined ? FM_WORDS_THREAD_WAIT : 0);
    if (joined) {
        place[0] = fm_record_header(FM_RECORD_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, 0);
        place[1] = wait->number;
    }
    fm_thread_done(wait->thread);
}

/* A cancelled thread leaves the call by unwinding. */
static void abandon(struct wait *wait)
{
    if (wait->handle != 0) {
        end_wait(wait, false);
    }
}

/* A wrapper of a call that waits for the thread `handle`. */
#define FM_JOIN(name, success, ...)                                                                \
    __attribute__((cleanup(abandon))) struct wait wait =                                           \
        begin_wait(fm_posix_enter(FM_FUNCTION_##name, FM_CALLER), (uint64_t)handle);               \
    int outcome = FM_NEXT(name)(__VA_ARGS__);                                                      \
    end_wait(&wait, outcome == (success));                                                         \
    wait.handle = 0;                                                                               \
    return outcome

int fm_pthread_join(pthread_t handle, void **result)
{
    FM_JOIN(pthread_join, 0, handle, result);
}

int fm_pthread_tryjoin_np(pthread_t handle, void **result)
{
    FM_JOIN(pthread_tryjoin_np, 0, handle, result);
}

int fm_pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *time)
{
    FM_JOIN(pthread_timedjoin_np, 0, handle, result, time);
}

int fm_pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                            const struct timespec *time)
{
    FM_JOIN(pthread_clockjoin_np, 0, handle, result, clock, time);
}

int fm_thrd_join(thrd_t handle, int *result)
{
    FM_JOIN(thrd_join, thrd_success, handle, result);
}
