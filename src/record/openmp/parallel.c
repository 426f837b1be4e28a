/* Parallel regions: the forking thread and the members of its team. */
#include "record/constructs/team_end.h"
#include "record/openmp/fork_join.h"
#include "record/stack/places.h"

static _Atomic uint64_t teams;

/* ---- the members ---- */

/* Records the end of the body. The thread is in the runtime then, until the team ends. */
static inline __attribute__((always_inline)) void
end_body(struct fm_omp_team *team, struct fm_thread *thread, struct fm_here here, uint32_t number)
{
    uint64_t now = fm_construct_time(thread, here, true);
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
    uint64_t now = fm_construct_time(thread, here, true);
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
