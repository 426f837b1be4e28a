/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks. The runtime copies the arguments of a task and calls its body later, in any thread of the
 * team. The wrapper adds to the arguments what links the execution of a task to its creation,
 * behind the program's: the begin of the block belongs to the program and, in task loops, to the
 * runtime.
 *
 *     | the program's arguments | (padding) | struct origin |
 *
 * The padding makes the size one of a few, for each of which there is a function that is executed
 * instead of the body and knows where the origin is.
 *
 * Task loops make several tasks of one block of arguments: all executions refer to one creation. */
#include "record/openmp/openmp.h"
#include "record/stack/places.h"

#include <string.h>

/* The creation of a task; copied behind the task's arguments. */
struct origin {
    fm_omp_body_t body;
    const struct fm_construct_region *task;
    uint32_t creator, generation; /* number of the thread in its team, number among its tasks */
};

/* What the runtime gets as arguments. Where the runtime reads or writes the arguments of the
 * program, it accesses their begin, which is copied here. */
enum { BEGIN_WORDS = 4, DETACHED = 1 << 13 };
struct package {
    uint64_t begin[BEGIN_WORDS];
    const void *data;
    void (*copy)(void *to, void *from); /* NULL: bytes */
    size_t words;                       /* of the program's arguments and the padding */
    size_t bytes;
    bool is_detached; /* the runtime stores a handle in `begin` */
    struct origin origin;
};

/* Called by the runtime to copy the arguments. */
static void unpack(void *to, void *from)
{
    const struct package *package = from;
    void *data = (void *)(uintptr_t)package->data;
    if (package->is_detached) {
        memcpy(data, package->begin, sizeof(void *));
    }
    if (package->copy != NULL) {
        package->copy(to, data);
    } else {
        memcpy(to, data, package->bytes);
    }
    memcpy((char *)to + package->words * sizeof(uint64_t), &package->origin,
           sizeof package->origin);
}

/* ---- execution ---- */

static void execute(void *arguments, const struct origin *origin, struct fm_here here)
{
    struct fm_thread *thread = fm_thread_self;
    if (thread == NULL || __atomic_load_n(&thread->over, __ATOMIC_RELAXED) != 0 ||
        (thread->depth != 0 && thread->depth != FM_DEPTH_RUNTIME)) {
        origin->body(arguments);
        return;
    }
    uint32_t depth = thread->depth;
    if (depth == FM_DEPTH_RUNTIME) {
        fm_omp_interrupt(thread);
    }
    uint64_t now = fm_construct_time(thread, FM_METER_TASKS, here, true);
    const size_t item = thread->open.count;
    const bool is_single = !thread->visits.wanted;
    if (is_single) {
        fm_construct_note(thread, FM_RECORD_TASK_SWITCH, 0, origin->creator, now,
                          origin->generation);
    }
    fm_construct_enter(thread, origin->task, now);
    fm_construct_computes(thread, now);
    fm_construct_done(thread);
    origin->body(arguments);
    now = fm_construct_time_left(thread, FM_METER_TASKS, here, item);
    fm_construct_leave(thread, item, now);
    if (is_single) {
        fm_construct_note(thread, FM_RECORD_TASK_COMPLETE, 0, origin->creator, now,
                          origin->generation);
    }
    thread->left = now;
    thread->depth = depth;
    fm_construct_done(thread);
}

/* Sizes of arguments are known at compile time in programs, but not here: each number of words up
 * to 31, then powers of two. */
/* clang-format off */
#define FM_TASK_SIZES(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) \
    X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) \
    X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) \
    X(32) X(64) X(128) X(256) X(512) X(1024) X(2048) X(4096) X(8192) X(16384) X(32768) X(65536)
/* clang-format on */
enum { EXACT_WORDS = 32, MOST_WORDS = 65536 };

#define FM_TASK_BODY(words)                                                                        \
    static void run_##words(void *arguments)                                                       \
    {                                                                                              \
        struct origin origin;                                                                      \
        memcpy(&origin, (char *)arguments + (words) * sizeof(uint64_t), sizeof origin);            \
        execute(arguments, &origin, FM_HERE);                                                      \
    }
FM_TASK_SIZES(FM_TASK_BODY)

static const fm_omp_body_t bodies[] = {
#define FM_TASK_ITEM(words) run_##words,
    FM_TASK_SIZES(FM_TASK_ITEM)
#undef FM_TASK_ITEM
};

/* @return the smallest size in words that has room for so many bytes */
static size_t words_for(size_t bytes)
{
    size_t words = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    size_t room = EXACT_WORDS;
    while (room < words) {
        room *= 2;
    }
    return words < EXACT_WORDS ? words : room;
}

static fm_omp_body_t body_for(size_t words)
{
    size_t number = words < EXACT_WORDS ? words : EXACT_WORDS;
    for (size_t room = EXACT_WORDS; room < words; room *= 2) {
        number++;
    }
    return bodies[number];
}

/* ---- creation ---- */

/* Enters the creation of a task. @return whether the task is recorded */
static inline __attribute__((always_inline)) bool
create(struct package *package, struct fm_here here, enum fm_construct construct,
       fm_omp_body_t body, void *data, void (*copy)(void *, void *), long bytes, unsigned flags,
       struct fm_omp_wait *wait)
{
    struct fm_thread *thread = fm_omp_thread(here);
    wait->thread = NULL;
    if (thread == NULL || (size_t)bytes > MOST_WORDS * sizeof(uint64_t)) {
        return false;
    }
    uint64_t pc = (uint64_t)(uintptr_t)body | FM_PLACE_FUNCTION;
    const struct fm_construct_region *region = fm_construct_at(construct, pc);
    *package = (struct package){.data = data,
                                .copy = copy,
                                .words = words_for((size_t)bytes),
                                .bytes = (size_t)bytes,
                                .is_detached = construct == FM_CONSTRUCT_TASK_CREATE &&
                                               (flags & DETACHED) != 0,
                                .origin = {.body = body,
                                           .task = fm_construct_at(FM_CONSTRUCT_TASK, pc),
                                           .creator = thread->member.number,
                                           .generation = ++thread->member.tasks}};
    if (data != NULL) {
        size_t begin =
            (size_t)bytes < sizeof package->begin ? (size_t)bytes : sizeof package->begin;
        memcpy(package->begin, data, begin);
    }
    uint64_t now = fm_construct_time(thread, FM_METER_TASKS, here, true);
    *wait =
        (struct fm_omp_wait){.thread = thread, .item = thread->open.count, .kind = FM_METER_TASKS};
    fm_construct_enter(thread, region, now);
    if (!thread->visits.wanted) {
        fm_construct_note(thread, FM_RECORD_TASK_CREATE, 0, package->origin.creator, now,
                          package->origin.generation);
    }
    fm_omp_hold(thread);
    fm_construct_done(thread);
    return true;
}

static size_t whole(const struct package *package)
{
    return package->words * sizeof(uint64_t) + sizeof package->origin;
}

static long alignment(long align)
{
    return align > (long)sizeof(uint64_t) ? align : (long)sizeof(uint64_t);
}

void fm_GOMP_task(fm_omp_body_t body, void *data, fm_omp_copy_t copy, long bytes, long align,
                  bool condition, unsigned flags, void **depend, int priority, void *detach)
{
    struct package package;
    struct fm_omp_wait wait;
    if (!create(&package, FM_HERE, FM_CONSTRUCT_TASK_CREATE, body, data, copy, bytes, flags,
                &wait)) {
        FM_OMP(GOMP_task)
        (body, data, copy, bytes, align, condition, flags, depend, priority, detach);
        return;
    }
    FM_OMP(GOMP_task)
    (body_for(package.words), &package, unpack, (long)whole(&package), alignment(align), condition,
     flags, depend, priority, detach);
    fm_omp_wait_end(wait);
}

#define FM_OMP_TASKLOOP(name, type)                                                                \
    void fm_##name(fm_omp_body_t body, void *data, fm_omp_copy_t copy, long bytes, long align,     \
                   unsigned flags, unsigned long tasks, int priority, type begin, type end,        \
                   type step)                                                                      \
    {                                                                                              \
        struct package package;                                                                    \
        struct fm_omp_wait wait;                                                                   \
        if (!create(&package, FM_HERE, FM_CONSTRUCT_TASKLOOP, body, data, copy, bytes, flags,      \
                    &wait)) {                                                                      \
            FM_OMP(name)                                                                           \
            (body, data, copy, bytes, align, flags, tasks, priority, begin, end, step);            \
            return;                                                                                \
        }                                                                                          \
        FM_OMP(name)                                                                               \
        (body_for(package.words), &package, unpack, (long)whole(&package), alignment(align),       \
         flags, tasks, priority, begin, end, step);                                                \
        fm_omp_wait_end(wait);                                                                     \
    }

FM_OMP_TASKLOOP(GOMP_taskloop, long)
FM_OMP_TASKLOOP(GOMP_taskloop_ull, fm_omp_ull_t)

/* ---- waiting for tasks ---- */

void fm_GOMP_taskwait(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_TASKWAIT);
    FM_OMP(GOMP_taskwait)();
    fm_omp_wait_end(wait);
}

void fm_GOMP_taskwait_depend(void **depend)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_TASKWAIT);
    FM_OMP(GOMP_taskwait_depend)(depend);
    fm_omp_wait_end(wait);
}

void fm_GOMP_taskgroup_start(void)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        const struct fm_construct_region *region =
            fm_construct_at(FM_CONSTRUCT_TASKGROUP, fm_omp_pc(FM_HERE));
        uint64_t now = fm_construct_time(thread, FM_METER_TASKS, FM_HERE, true);
        fm_construct_enter(thread, region, now);
        thread->left = now;
        fm_construct_done(thread);
    }
    FM_OMP(GOMP_taskgroup_start)();
}

/* Waits for the tasks of the group, like a taskwait. */
void fm_GOMP_taskgroup_end(void)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    struct fm_omp_wait wait = {.thread = thread, .kind = FM_METER_TASKS};
    if (thread != NULL) {
        wait.item = fm_construct_find(thread, FM_CONSTRUCT_TASKGROUP);
        bool is_open = wait.item < thread->open.count;
        uint64_t pc = is_open ? fm_construct_open(thread, wait.item)->pc : fm_omp_pc(FM_HERE);
        const struct fm_construct_region *region = fm_construct_at(FM_CONSTRUCT_TASKWAIT, pc);
        uint64_t now = fm_construct_time(thread, FM_METER_TASKS, FM_HERE, true);
        fm_construct_enter(thread, region, now);
        fm_omp_hold(thread);
        fm_construct_done(thread);
    }
    FM_OMP(GOMP_taskgroup_end)();
    fm_omp_wait_end(wait);
}
