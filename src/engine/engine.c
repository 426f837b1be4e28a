#include "engine/engine_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct fm_engine *fm_engine_create(unsigned workers, uint32_t process_count,
                                   const uint64_t *weights)
{
    if (workers == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        workers = processors > 0 ? (unsigned)processors : 1;
    }
    if (workers > process_count) {
        workers = process_count > 0 ? process_count : 1;
    }
    struct fm_engine *engine = fm_allocate(1, sizeof *engine);
    engine->workers = workers;
    engine->process_count = process_count;
    engine->first = fm_allocate(workers + 1, sizeof *engine->first);
    engine->worker_of = fm_allocate(process_count, sizeof *engine->worker_of);
    double total = 0, before = 0;
    for (uint32_t p = 0; p < process_count; ++p) {
        total += (double)weights[p] + 1;
    }
    unsigned worker = 0;
    for (uint32_t p = 0; p < process_count; ++p) {
        double middle = before + ((double)weights[p] + 1) / 2;
        unsigned wanted = (unsigned)(middle / total * workers);
        wanted = wanted < workers ? wanted : workers - 1;
        while (worker < wanted) {
            engine->first[++worker] = p;
        }
        engine->worker_of[p] = worker;
        before += (double)weights[p] + 1;
    }
    while (worker < workers) {
        engine->first[++worker] = process_count;
    }
    return engine;
}

void fm_engine_free(struct fm_engine *engine)
{
    if (engine != NULL) {
        fm_free(engine->first);
        fm_free(engine->worker_of);
        fm_free(engine);
    }
}

unsigned fm_engine_workers(const struct fm_engine *engine)
{
    return engine->workers;
}

struct assignment {
    struct fm_engine *engine;
    fm_phase_t *phase;
    void *context;
    unsigned worker;
};

static void *work(void *argument)
{
    struct assignment *assignment = argument;
    const uint32_t *first = &assignment->engine->first[assignment->worker];
    assignment->phase(assignment->context, assignment->worker, first[0], first[1]);
    return NULL;
}

void fm_engine_run(struct fm_engine *engine, fm_phase_t *phase, void *context)
{
    pthread_t *threads = fm_allocate(engine->workers, sizeof *threads);
    struct assignment *assignments = fm_allocate(engine->workers, sizeof *assignments);
    unsigned started = 1;
    for (unsigned w = 0; w < engine->workers; ++w) {
        assignments[w] = (struct assignment){engine, phase, context, w};
    }
    while (started < engine->workers &&
           pthread_create(&threads[started], NULL, work, &assignments[started]) == 0) {
        ++started;
    }
    if (started < engine->workers) {
        /* The others may already wait for messages of the missing one. */
        fprintf(stderr, "fermata: cannot start %u threads: %m\n", engine->workers);
        exit(FM_ERR_SYSTEM);
    }
    work(&assignments[0]);
    for (unsigned w = 1; w < started; ++w) {
        pthread_join(threads[w], NULL);
    }
    fm_free(threads);
    fm_free(assignments);
    fm_memory_relax();
}
