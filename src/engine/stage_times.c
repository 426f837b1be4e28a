/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/stage_times.h"

#include <string.h>
#include <time.h>

static uint64_t nanoseconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t fm_thread_nanoseconds(void)
{
    return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static struct fm_stage_time *current(struct fm_stage_times *times)
{
    unsigned count = atomic_load_explicit(&times->count, memory_order_relaxed);
    return count == 0 ? NULL : &times->stages[count - 1];
}

static void add_worker(struct fm_stage_time *stage, double seconds)
{
    stage->least_cpu =
        stage->workers == 0 || seconds < stage->least_cpu ? seconds : stage->least_cpu;
    stage->most_cpu = seconds > stage->most_cpu ? seconds : stage->most_cpu;
    stage->cpu += seconds;
    ++stage->workers;
}

void fm_stage_end(struct fm_stage_times *times)
{
    struct fm_stage_time *stage = times == NULL ? NULL : current(times);
    if (stage == NULL) {
        return;
    }
    uint64_t now = nanoseconds_of(CLOCK_MONOTONIC), cpu = fm_thread_nanoseconds();
    stage->seconds += (double)(now - times->begun) * 1e-9;
    /* The first worker is the calling thread: its time outside of fm_engine_run() counts, too. */
    add_worker(stage, (double)(cpu - times->begun_cpu) * 1e-9);
    for (uint32_t w = 1; w < times->workers; ++w) {
        add_worker(stage, (double)times->worker_times[w].nanoseconds * 1e-9);
        times->worker_times[w].nanoseconds = 0;
    }
    times->begun = now;
    times->begun_cpu = cpu;
}

void fm_stage_begin(struct fm_stage_times *times, const char *name)
{
    if (times == NULL) {
        return;
    }
    unsigned count = atomic_load_explicit(&times->count, memory_order_relaxed);
    if (count == 0) {
        times->begun = nanoseconds_of(CLOCK_MONOTONIC);
        times->begun_cpu = fm_thread_nanoseconds();
    } else {
        fm_stage_end(times);
    }
    atomic_store(&times->planned, 0);
    atomic_store(&times->done, 0);
    if (count < FM_MOST_STAGES) {
        times->stages[count].name = name;
        /* Another thread may read the name (progress bar). */
        atomic_store_explicit(&times->count, count + 1, memory_order_release);
    }
}

void fm_stage_count(struct fm_stage_times *times, uint64_t records, uint64_t bytes)
{
    struct fm_stage_time *stage = times == NULL ? NULL : current(times);
    if (stage != NULL) {
        stage->records += records;
        stage->bytes += bytes;
    }
}

void fm_stage_workers(struct fm_stage_times *times, uint32_t workers)
{
    if (workers <= times->workers) {
        return;
    }
    struct fm_worker_time *more = fm_allocate_apart(workers, sizeof *more);
    for (uint32_t w = 0; w < times->workers; ++w) {
        more[w].nanoseconds = times->worker_times[w].nanoseconds;
    }
    fm_free(times->worker_times);
    times->worker_times = more;
    times->workers = workers;
}

void fm_stage_times_collect(struct fm_stage_times *times, struct fm_team *team)
{
    size_t bytes;
    struct fm_stage_time *all = fm_team_share(team, times->stages, sizeof times->stages, &bytes);
    for (unsigned m = 0; m < fm_team_size(team); ++m) {
        for (unsigned s = 0; s < FM_MOST_STAGES && m != fm_team_self(team); ++s) {
            const struct fm_stage_time *other = &all[m * FM_MOST_STAGES + s];
            struct fm_stage_time *own = &times->stages[s];
            own->records += other->records;
            own->bytes += other->bytes;
            if (other->workers != 0 && own->workers != 0) {
                own->least_cpu =
                    other->least_cpu < own->least_cpu ? other->least_cpu : own->least_cpu;
                own->most_cpu = other->most_cpu > own->most_cpu ? other->most_cpu : own->most_cpu;
                own->cpu += other->cpu;
                own->workers += other->workers;
            }
        }
    }
    fm_free(all);
}

void fm_stage_times_free(struct fm_stage_times *times)
{
    fm_free(times->worker_times);
    times->worker_times = NULL;
    times->workers = 0;
}
