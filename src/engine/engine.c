/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/engine_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Divides the processes first .. last - 1 into contiguous parts of about the same weight.
 * begin: [parts + 1], out */
static void divide(const uint64_t *weights, uint32_t first, uint32_t last, unsigned parts,
                   uint32_t *begin)
{
    double total = 0, before = 0;
    for (uint32_t p = first; p < last; ++p) {
        total += (double)weights[p] + 1;
    }
    unsigned part = 0;
    begin[0] = first;
    for (uint32_t p = first; p < last; ++p) {
        double middle = before + ((double)weights[p] + 1) / 2;
        unsigned wanted = (unsigned)(middle / total * parts);
        wanted = wanted < parts ? wanted : parts - 1;
        while (part < wanted) {
            begin[++part] = p;
        }
        before += (double)weights[p] + 1;
    }
    while (part < parts) {
        begin[++part] = last;
    }
}

/* @return the processors available to this process: its affinity, or its share of the machine if
 * other processes of the team run there */
static unsigned count_processors(const struct fm_team *team)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned share = online > 0 ? (unsigned)online / fm_team_neighbors(team) : 1;
    cpu_set_t allowed;
    unsigned bound =
        sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (unsigned)CPU_COUNT(&allowed) : share;
    unsigned processors = share < bound ? share : bound;
    return processors > 0 ? processors : 1;
}

/* Numbers the workers of the team in the order of the processes that they own. */
static void number_workers(struct fm_engine *engine)
{
    size_t bytes;
    unsigned *workers =
        fm_team_share(engine->team, &engine->workers, sizeof engine->workers, &bytes);
    for (unsigned m = 0; m < fm_team_size(engine->team); ++m) {
        engine->first_sender += m < fm_team_self(engine->team) ? workers[m] : 0;
        engine->sender_count += workers[m];
    }
    fm_free(workers);
}

struct fm_engine *fm_engine_create(struct fm_team *team, unsigned workers, uint32_t process_count,
                                   const uint64_t *weights)
{
    struct fm_engine *engine = fm_allocate_apart(1, sizeof *engine);
    unsigned self = fm_team_self(team), size = fm_team_size(team);
    uint32_t *begin = fm_allocate((size_t)size + 1, sizeof *begin);
    divide(weights, 0, process_count, size, begin);
    uint32_t own = begin[self + 1] - begin[self];
    workers = workers == 0 ? count_processors(team) : workers;
    if (workers > own) {
        workers = own > 0 ? own : 1;
    }
    engine->team = team;
    engine->workers = workers;
    engine->process_count = process_count;
    engine->first = fm_allocate((size_t)workers + 1, sizeof *engine->first);
    engine->owner_of = fm_allocate(process_count, sizeof *engine->owner_of);
    divide(weights, begin[self], begin[self + 1], workers, engine->first);
    for (unsigned m = 0; m < size; ++m) {
        for (uint32_t p = begin[m]; p < begin[m + 1]; ++p) {
            engine->owner_of[p] = workers + m;
        }
    }
    for (unsigned w = 0; w < workers; ++w) {
        for (uint32_t p = engine->first[w]; p < engine->first[w + 1]; ++p) {
            engine->owner_of[p] = w;
        }
    }
    fm_free(begin);
    number_workers(engine);
    engine->pool = fm_pool_create(workers);
    if (engine->pool == NULL) {
        fprintf(stderr, "fermata: cannot start %u threads: %m\n", workers);
        exit(FM_ERR_SYSTEM);
    }
    return engine;
}

void fm_engine_free(struct fm_engine *engine)
{
    if (engine != NULL) {
        fm_pool_free(engine->pool);
        if (engine->times != NULL) {
            engine->times->workers = 1; /* the calling thread */
        }
        fm_free(engine->first);
        fm_free(engine->owner_of);
        fm_free(engine);
    }
}

void fm_engine_time(struct fm_engine *engine, struct fm_stage_times *times)
{
    engine->times = times;
    if (times != NULL) {
        fm_stage_workers(times, engine->workers);
    }
}

struct fm_team *fm_engine_team(const struct fm_engine *engine)
{
    return engine->team;
}

unsigned fm_engine_workers(const struct fm_engine *engine)
{
    return engine->workers;
}

void fm_engine_own(const struct fm_engine *engine, uint32_t *first, uint32_t *last)
{
    *first = engine->first[0];
    *last = engine->first[engine->workers];
}

bool fm_engine_owns(const struct fm_engine *engine, uint32_t process)
{
    return engine->owner_of[process] < engine->workers;
}

struct assignment {
    const struct fm_engine *engine;
    fm_stage_t *stage;
    void *context;
};

static void work(void *context, unsigned worker)
{
    const struct assignment *assignment = context;
    const uint32_t *first = &assignment->engine->first[worker];
    struct fm_stage_times *times = assignment->engine->times;
    uint64_t begin = times == NULL ? 0 : fm_thread_nanoseconds();
    assignment->stage(assignment->context, worker, first[0], first[1]);
    if (times != NULL) {
        times->worker_times[worker].nanoseconds += fm_thread_nanoseconds() - begin;
    }
}

void fm_engine_run(struct fm_engine *engine, fm_stage_t *stage, void *context)
{
    fm_pool_run(engine->pool, work, &(struct assignment){engine, stage, context});
    fm_memory_relax();
}
