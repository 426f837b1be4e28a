/* Workers that go on by what others write come to the end, however many there are; if all wait for
 * one another, they notice. */
#include "check.h"

#include "engine/steps.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define MOST   5
#define LENGTH 3000

/* A chain of numbers: element i can be made when i - 1 is there, by worker i % workers. */
struct chain {
    unsigned workers;
    unsigned missing; /* element that nobody makes; LENGTH: none */
    unsigned next[MOST];
    atomic_uint elements[LENGTH];
};

static void begin(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)first;
    (void)last;
    struct chain *chain = context;
    chain->next[worker] = worker;
}

static fm_step_t make_next(void *context, unsigned worker)
{
    struct chain *chain = context;
    unsigned next = chain->next[worker];
    if (next >= LENGTH) {
        return FM_STEP_LAST;
    }
    unsigned before = next == 0 ? 1 : atomic_load(&chain->elements[next - 1]);
    if (before == 0 || next == chain->missing) {
        return FM_STEP_IN_VAIN;
    }
    /* Some take so long that the others sleep. */
    if (next == LENGTH / 3 || next >= LENGTH - MOST) {
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    atomic_store(&chain->elements[next], before + 1);
    chain->next[worker] += chain->workers;
    return chain->next[worker] < LENGTH ? FM_STEP_TAKEN : FM_STEP_LAST;
}

static void run_chain(struct chain *chain, unsigned workers, unsigned missing)
{
    uint64_t weights[MOST] = {0};
    memset(chain, 0, sizeof *chain);
    chain->workers = workers;
    chain->missing = missing;
    struct fm_engine *engine = fm_engine_create(NULL, workers, workers, weights);
    fm_engine_run_steps(engine, begin, make_next, chain);
    fm_engine_free(engine);
}

static void a_chain_through_all_workers_is_completed(void **state)
{
    (void)state;
    static struct chain chain;
    for (unsigned workers = 1; workers <= MOST; ++workers) {
        run_chain(&chain, workers, LENGTH);
        for (unsigned i = 0; i < LENGTH; ++i) {
            assert_int_equal(chain.elements[i], i + 2);
        }
    }
}

static void workers_that_wait_for_one_another_notice(void **state)
{
    (void)state;
    static struct chain chain;
    const unsigned missing[] = {0, 1, LENGTH / 2, LENGTH - 1};
    for (unsigned workers = 1; workers <= MOST; ++workers) {
        for (size_t m = 0; m < sizeof missing / sizeof *missing; ++m) {
            run_chain(&chain, workers, missing[m]);
            for (unsigned i = 0; i < LENGTH; ++i) {
                assert_int_equal(chain.elements[i], i < missing[m] ? i + 2 : 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_through_all_workers_is_completed),
        cmocka_unit_test(workers_that_wait_for_one_another_notice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
