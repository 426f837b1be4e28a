/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with too many links keep the largest, whatever the number of workers. */
#include "check.h"

#include "analysis/results/matrices.h"

enum { PROCESSES = 40, PARTNERS = 12 };

/* Every process sends to some others; amounts are pseudo-random, with many ties. */
static struct fm_trace *make_trace(void)
{
    struct fm_trace *trace = fm_allocate(1, sizeof *trace);
    uint64_t state = 12345;
    trace->process_count = trace->location_count = PROCESSES;
    trace->processes = fm_allocate(PROCESSES, sizeof *trace->processes);
    trace->locations = fm_allocate(PROCESSES, sizeof *trace->locations);
    for (uint32_t i = 0; i < PROCESSES; ++i) {
        trace->processes[i] = (struct fm_process){.first_location = i, .location_count = 1};
        trace->locations[i].process = i;
        for (uint32_t k = 0; k < PARTNERS; ++k) {
            fm_vector_push(&trace->locations[i].traffic,
                           (struct fm_traffic){(i + 3 * k) % PROCESSES, FM_TRAFFIC_MESSAGES, 1 + k,
                                               next_random(&state) % 16});
        }
    }
    return trace;
}

static void free_trace(struct fm_trace *trace)
{
    for (uint32_t i = 0; i < PROCESSES; ++i) {
        fm_vector_free(&trace->locations[i].traffic);
    }
    fm_free(trace->locations);
    fm_free(trace->processes);
    fm_free(trace);
}

static struct fm_cube *fill(const struct fm_trace *trace, unsigned workers, size_t limit)
{
    uint64_t weights[PROCESSES];
    for (int i = 0; i < PROCESSES; ++i) {
        weights[i] = 1;
    }
    struct fm_cube *cube = fm_cube_create();
    for (uint32_t i = 0; i < PROCESSES; ++i) {
        assert_int_equal(fm_cube_add_location(cube, i, i, 0, "node", "rank"), i);
    }
    struct fm_analysis analysis = {
        .trace = trace,
        .engine = fm_engine_create(NULL, workers, PROCESSES, weights),
        .findings = fm_allocate(PROCESSES, sizeof(struct fm_findings)),
    };
    struct fm_cube_matrix matrices[FM_MATRIX_COUNT];
    const struct fm_formation formation = {.analysis = &analysis};
    fm_matrices_compute(&formation, limit, matrices);
    for (int kind = 0; kind < FM_MATRIX_COUNT; ++kind) {
        assert_int_equal(
            fm_cube_set_matrix(cube, (enum fm_cube_matrix_kind)kind, &matrices[kind], NULL), FM_OK);
        fm_free(matrices[kind].links);
    }
    fm_engine_free(analysis.engine);
    fm_free(analysis.findings);
    return cube;
}

static void test_the_largest_links_are_kept(void **state)
{
    (void)state;
    static const size_t limits[] = {1, 2, 7, 100, PROCESSES * PARTNERS - 1};
    struct fm_trace *trace = make_trace();
    struct fm_cube *whole = fill(trace, 1, PROCESSES * PARTNERS);
    const struct fm_cube_matrix *all = &whole->matrices[FM_MATRIX_MESSAGES];
    assert_int_equal(all->link_count, PROCESSES * PARTNERS);
    assert_int_equal(all->omitted_links, 0);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        for (unsigned workers = 1; workers <= 7; workers += 3) {
            struct fm_cube *cube = fill(trace, workers, limits[i]);
            const struct fm_cube_matrix *kept = &cube->matrices[FM_MATRIX_MESSAGES];
            uint64_t smallest = UINT64_MAX, count = 0, amount = 0, larger = 0;
            assert_int_equal(kept->link_count, limits[i]);
            for (size_t k = 0; k < kept->link_count; ++k) {
                const struct fm_cube_link *link = &kept->links[k];
                smallest = link->amount < smallest ? link->amount : smallest;
                count += link->count;
                amount += link->amount;
            }
            for (size_t k = 0; k < all->link_count; ++k) {
                larger += all->links[k].amount > smallest;
                count -= all->links[k].count;
                amount -= all->links[k].amount;
            }
            /* All links with larger amounts than the smallest one that was kept were kept. */
            assert_true(larger < limits[i]);
            assert_true(kept->omitted_links == all->link_count - limits[i]);
            assert_true(kept->omitted_count + count == 0 && kept->omitted_amount + amount == 0);
            fm_cube_free(cube);
        }
    }
    fm_cube_free(whole);
    free_trace(trace);
}

/* Of equal amounts it does not depend on the workers which are kept. */
static void test_workers_do_not_matter(void **state)
{
    (void)state;
    struct fm_trace *trace = make_trace();
    struct fm_cube *expected = fill(trace, 1, 50);
    for (unsigned workers = 2; workers < 9; ++workers) {
        struct fm_cube *cube = fill(trace, workers, 50);
        for (size_t k = 0; k < 50; ++k) {
            const struct fm_cube_link *a = &expected->matrices[FM_MATRIX_MESSAGES].links[k];
            const struct fm_cube_link *b = &cube->matrices[FM_MATRIX_MESSAGES].links[k];
            assert_true(a->from == b->from && a->to == b->to && a->amount == b->amount);
        }
        fm_cube_free(cube);
    }
    fm_cube_free(expected);
    free_trace(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_largest_links_are_kept),
        cmocka_unit_test(test_workers_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
