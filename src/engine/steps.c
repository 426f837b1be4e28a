#include "engine/steps.h"

#include "base/memory.h"
#include "engine/backoff.h"

#include <stdatomic.h>

/* A worker's steps, as others see them. */
struct walker {
    atomic_size_t taken; /* steps */
    atomic_size_t
        in_vain; /* steps of all workers together before its last one, which was in vain */
    unsigned char apart[FM_APART];
};

#define NOT_IN_VAIN SIZE_MAX
#define DONE        (SIZE_MAX - 1)

struct stepping {
    fm_stage_t *begin;
    fm_step_function_t *step;
    void *context;
    unsigned workers;
    struct walker *walkers; /* by worker */
    atomic_bool is_stuck;
};

static size_t steps_of_all(const struct stepping *stepping)
{
    size_t sum = 0;
    for (unsigned w = 0; w < stepping->workers; ++w) {
        sum += atomic_load(&stepping->walkers[w].taken);
    }
    return sum;
}

/* @return whether no worker will ever go on: since all had taken so many steps, each that is not
 * done has taken one in vain, and none another one */
static bool all_wait(const struct stepping *stepping, size_t steps)
{
    for (unsigned w = 0; w < stepping->workers; ++w) {
        size_t in_vain = atomic_load(&stepping->walkers[w].in_vain);
        if (in_vain != DONE && in_vain != steps) {
            return false;
        }
    }
    return steps_of_all(stepping) == steps;
}

static void work(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct stepping *stepping = context;
    struct walker *walker = &stepping->walkers[worker];
    stepping->begin(stepping->context, worker, first, last);
    for (unsigned turn = 0;;) {
        /* Mostly one waits for a moment only, and nobody asks who else does. */
        bool asks = turn >= FM_SPIN_POLLS;
        size_t steps = asks ? steps_of_all(stepping) : 0;
        fm_step_t step = stepping->step(stepping->context, worker);
        if (step != FM_STEP_IN_VAIN) {
            atomic_store_explicit(&walker->in_vain, NOT_IN_VAIN, memory_order_relaxed);
            atomic_fetch_add(&walker->taken, 1);
            turn = 0;
        }
        if (step == FM_STEP_LAST) {
            atomic_store(&walker->in_vain, DONE);
            return;
        }
        if (step == FM_STEP_TAKEN) {
            continue;
        }
        if (asks) {
            atomic_store(&walker->in_vain, steps);
            if (all_wait(stepping, steps)) {
                atomic_store(&stepping->is_stuck, true);
            }
            if (atomic_load(&stepping->is_stuck)) {
                return;
            }
        }
        if (!fm_spin(turn)) {
            fm_backoff(turn - FM_SPIN_POLLS);
        }
        ++turn;
    }
}

void fm_engine_run_steps(struct fm_engine *engine, fm_stage_t *begin, fm_step_function_t *step,
                         void *context)
{
    unsigned workers = fm_engine_workers(engine);
    struct stepping stepping = {
        .begin = begin,
        .step = step,
        .context = context,
        .workers = workers,
        .walkers = fm_allocate_apart(workers, sizeof *stepping.walkers),
    };
    for (unsigned w = 0; w < workers; ++w) {
        atomic_store(&stepping.walkers[w].in_vain, NOT_IN_VAIN);
    }
    fm_engine_run(engine, work, &stepping);
    fm_free(stepping.walkers);
}
