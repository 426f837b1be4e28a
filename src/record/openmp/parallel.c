/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions: the forking thread and the members of its team. */
#include "record/constructs/team_end.h"
#include "record/openmp/fork_join.h"
#include "record/openmp/team_memory.h"
#include "record/stack/places.h"

static _Atomic uint64_t teams;

/* ---- the members ---- */

/* Records the end of the body. The thread is in the runtime then, until the team ends. */
static inline __attribute__((always_inline)) void
end_body(struct fm_omp_team *team, struct fm_thread *thread, struct fm_here here, uint32_t number)
{
    uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, here, true);
    fm_construct_enter(thread, team->barrier, now);
    if (number != 0) {
        thread->member.instance = team->instance;
    }
    fm_omp_hold(thread);
    fm_construct_done(thread);
}

/* The body of all parallel regions. */
static void run(void *argument)
{
    struct fm_omp_team *team = argument;
    uint32_t number = (uint32_t)FM_OMP(omp_get_thread_num)();
    struct fm_thread *thread = fm_thread_self;
    if (thread == NULL || FM_UNLIKELY(!fm_thread_is_own(thread))) {
        thread = fm_thread_attach_as(fm_omp_part(team, (uint32_t)FM_OMP(omp_get_level)(), number),
                                     number);
    }
    if (number != 0 && thread != NULL) {
        fm_team_end_record(thread);
    }
    if (thread == NULL || __atomic_load_n(&thread->over, __ATOMIC_RELAXED) != 0) {
        team->body(team->data);
        return;
    }
    fm_omp_begin_team(team, thread, FM_HERE, number, (uint32_t)FM_OMP(omp_get_num_threads)(),
                      (uint32_t)FM_OMP(omp_get_level)());
    team->body(team->data);
    end_body(team, thread, FM_HERE, number);
}

/* ---- the forking thread ---- */

/* Begins a parallel region. @return whether it is recorded */
static inline __attribute__((always_inline)) bool
fork_team(struct fm_omp_team *team, struct fm_here here, enum fm_construct inner,
          fm_omp_body_t body, void *data, unsigned threads)
{
    struct fm_thread *thread = fm_omp_thread(here);
    if (FM_UNLIKELY(thread == NULL)) {
        return false;
    }
    /* The call has no line of its own; the function that the compiler has made of the body has. */
    uint64_t pc = (uint64_t)(uintptr_t)body | FM_PLACE_FUNCTION;
    *team = (struct fm_omp_team){
        .body = body,
        .data = data,
        .parallel = fm_construct_at(FM_CONSTRUCT_PARALLEL, pc),
        .inner = inner != FM_CONSTRUCT_PARALLEL ? fm_construct_at(inner, pc) : NULL,
        .barrier = fm_construct_at(FM_CONSTRUCT_IMPLICIT_BARRIER, pc),
        .forker = thread,
        .instance = atomic_fetch_add_explicit(&teams, 1, memory_order_relaxed) + 1,
        .item = SIZE_MAX,
        .outer = thread->member.team,
        .outer_number = thread->member.number,
    };
    team->ordered = (const char *)thread + FM_OMP(omp_get_level)() % 64;
    uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, here, true);
    uint64_t *place = fm_thread_reserve(thread, FM_WORDS_FORK);
    place[0] = fm_record_header(FM_RECORD_FORK, 0,
                                threads != 0 ? threads : (uint32_t)FM_OMP(omp_get_max_threads)());
    place[1] = now;
    fm_omp_hold(thread);
    fm_construct_done(thread);
    return true;
}

/* The body of a wrapper: `call` calls the runtime with run and &team. */
#define FM_OMP_PARALLEL(inner, call, original)                                                     \
    struct fm_omp_team team;                                                                       \
    if (!fork_team(&team, FM_HERE, FM_CONSTRUCT_##inner, body, data, threads)) {                   \
        original;                                                                                  \
        return;                                                                                    \
    }                                                                                              \
    call;                                                                                          \
    fm_omp_join_team(&team)

void fm_GOMP_parallel(fm_omp_body_t body, void *data, unsigned threads, unsigned flags)
{
    FM_OMP_PARALLEL(PARALLEL, FM_OMP(GOMP_parallel)(run, &team, threads, flags),
                    FM_OMP(GOMP_parallel)(body, data, threads, flags));
}

unsigned fm_GOMP_parallel_reductions(fm_omp_body_t body, void *data, unsigned threads,
                                     unsigned flags)
{
    struct fm_omp_team team;
    if (!fork_team(&team, FM_HERE, FM_CONSTRUCT_PARALLEL, body, data, threads)) {
        return FM_OMP(GOMP_parallel_reductions)(body, data, threads, flags);
    }
    team.reductions = *(void **)data; /* the runtime reads it */
    unsigned size = FM_OMP(GOMP_parallel_reductions)(run, &team, threads, flags);
    fm_omp_join_team(&team);
    return size;
}

void fm_GOMP_parallel_sections(fm_omp_body_t body, void *data, unsigned threads, unsigned count,
                               unsigned flags)
{
    FM_OMP_PARALLEL(SECTIONS, FM_OMP(GOMP_parallel_sections)(run, &team, threads, count, flags),
                    FM_OMP(GOMP_parallel_sections)(body, data, threads, count, flags));
}

#define FM_OMP_PARALLEL_LOOP(schedule)                                                             \
    void fm_GOMP_parallel_loop_##schedule(fm_omp_body_t body, void *data, unsigned threads,        \
                                          long begin, long end, long step, long chunk,             \
                                          unsigned flags)                                          \
    {                                                                                              \
        FM_OMP_PARALLEL(LOOP,                                                                      \
                        FM_OMP(GOMP_parallel_loop_##schedule)(run, &team, threads, begin, end,     \
                                                              step, chunk, flags),                 \
                        FM_OMP(GOMP_parallel_loop_##schedule)(body, data, threads, begin, end,     \
                                                              step, chunk, flags));                \
    }

FM_OMP_PARALLEL_LOOP(static)
FM_OMP_PARALLEL_LOOP(dynamic)
FM_OMP_PARALLEL_LOOP(guided)
FM_OMP_PARALLEL_LOOP(nonmonotonic_dynamic)
FM_OMP_PARALLEL_LOOP(nonmonotonic_guided)

#define FM_OMP_PARALLEL_LOOP_RUNTIME(schedule)                                                     \
    void fm_GOMP_parallel_loop_##schedule(fm_omp_body_t body, void *data, unsigned threads,        \
                                          long begin, long end, long step, unsigned flags)         \
    {                                                                                              \
        FM_OMP_PARALLEL(                                                                           \
            LOOP,                                                                                  \
            FM_OMP(GOMP_parallel_loop_##schedule)(run, &team, threads, begin, end, step, flags),   \
            FM_OMP(GOMP_parallel_loop_##schedule)(body, data, threads, begin, end, step, flags));  \
    }

FM_OMP_PARALLEL_LOOP_RUNTIME(runtime)
FM_OMP_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
FM_OMP_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

/* ---- regions that two calls begin and end ----
 *
 * So compilers of before OpenMP 4 did it (GCC up to 4.8): the forking thread executes the body
 * between the calls, without the runtime.
 *
 *     program              wrapper                           thread n
 *     GOMP_parallel_start  FORK; TEAM_BEGIN, Enter           run()
 *     body(data)
 *     GOMP_parallel_end    Enter implicit barrier; Leave, TEAM_END */

/* Forks a team. @return NULL: it is not recorded */
static inline __attribute__((always_inline)) struct fm_omp_team *
fork_started(struct fm_here here, enum fm_construct inner, fm_omp_body_t body, void *data,
             unsigned threads)
{
    struct fm_thread *thread = fm_omp_thread(here);
    struct fm_omp_team *team = thread != NULL ? fm_omp_take_team(thread) : NULL;
    if (team != NULL && fork_team(team, here, inner, body, data, threads)) {
        team->is_started = true;
    }
    return team;
}

/* The runtime has started the other members; the forking thread goes on to execute the body. */
static inline __attribute__((always_inline)) void begin_started(struct fm_omp_team *team,
                                                                struct fm_here here)
{
    fm_omp_begin_team(team, team->forker, here, 0, (uint32_t)FM_OMP(omp_get_num_threads)(),
                      (uint32_t)FM_OMP(omp_get_level)());
    team->forker->left = team->forker->enter;
}

/* The body of a wrapper: `call` calls the runtime with run and team. */
#define FM_OMP_START(inner, call, original)                                                        \
    struct fm_omp_team *team = fork_started(FM_HERE, FM_CONSTRUCT_##inner, body, data, threads);   \
    if (team == NULL) {                                                                            \
        original;                                                                                  \
        return;                                                                                    \
    }                                                                                              \
    call;                                                                                          \
    begin_started(team, FM_HERE)

void fm_GOMP_parallel_start(fm_omp_body_t body, void *data, unsigned threads)
{
    FM_OMP_START(PARALLEL, FM_OMP(GOMP_parallel_start)(run, team, threads),
                 FM_OMP(GOMP_parallel_start)(body, data, threads));
}

void fm_GOMP_parallel_sections_start(fm_omp_body_t body, void *data, unsigned threads,
                                     unsigned count)
{
    FM_OMP_START(SECTIONS, FM_OMP(GOMP_parallel_sections_start)(run, team, threads, count),
                 FM_OMP(GOMP_parallel_sections_start)(body, data, threads, count));
}

#define FM_OMP_START_LOOP(schedule)                                                                \
    void fm_GOMP_parallel_loop_##schedule##_start(fm_omp_body_t body, void *data,                  \
                                                  unsigned threads, long begin, long end,          \
                                                  long step, long chunk)                           \
    {                                                                                              \
        FM_OMP_START(LOOP,                                                                         \
                     FM_OMP(GOMP_parallel_loop_##schedule##_start)(run, team, threads, begin, end, \
                                                                   step, chunk),                   \
                     FM_OMP(GOMP_parallel_loop_##schedule##_start)(body, data, threads, begin,     \
                                                                   end, step, chunk));             \
    }

FM_OMP_START_LOOP(static)
FM_OMP_START_LOOP(dynamic)
FM_OMP_START_LOOP(guided)

void fm_GOMP_parallel_loop_runtime_start(fm_omp_body_t body, void *data, unsigned threads,
                                         long begin, long end, long step)
{
    FM_OMP_START(LOOP,
                 FM_OMP(GOMP_parallel_loop_runtime_start)(run, team, threads, begin, end, step),
                 FM_OMP(GOMP_parallel_loop_runtime_start)(body, data, threads, begin, end, step));
}

void fm_GOMP_parallel_end(void)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    struct fm_omp_team *team = thread != NULL ? thread->member.team : NULL;
    if (team == NULL || !team->is_started || team->forker != thread) {
        FM_OMP(GOMP_parallel_end)();
        return;
    }
    end_body(team, thread, FM_HERE, 0);
    FM_OMP(GOMP_parallel_end)();
    fm_omp_join_team(team);
    fm_omp_give_back_team(team);
}

/* ---- teams on the host ---- */

/* The runtime executes the teams of the league one after the other, in the calling thread. */
void fm_GOMP_teams_reg(fm_omp_body_t body, void *data, unsigned count, unsigned limit,
                       unsigned flags)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        const struct fm_construct_region *region =
            fm_construct_at(FM_CONSTRUCT_TEAMS, (uint64_t)(uintptr_t)body | FM_PLACE_FUNCTION);
        uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, FM_HERE, true);
        fm_construct_enter(thread, region, now);
        thread->left = now;
        fm_construct_done(thread);
    }
    FM_OMP(GOMP_teams_reg)(body, data, count, limit, flags);
    thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, FM_HERE, true);
        fm_construct_leave(thread, fm_construct_find(thread, FM_CONSTRUCT_TEAMS), now);
        thread->left = now;
        fm_construct_done(thread);
    }
}
