/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's counters explain of a computation, by what a page fault takes on the machine.
 */
#include "answer_cube.h"
#include "diagnosis/problems/evidence/kernel_evidence.h"

/** What the kernel counts in `slow` on rank 0, which takes 800 ms there. */
struct counted {
    int64_t kernel; /**< ms */
    int64_t faults;
    uint64_t page_fault; /**< us, measured on the machine; 0: not measured */
    struct {
        int64_t kernel, faults;
    } elsewhere[2];     /**< in `main`, of each rank */
    int64_t others;     /**< ms that `slow` takes on rank 1 */
    int64_t unmeasured; /**< of these */
};

/** @return the cube, with a clock of microseconds, for a fault takes some. */
static struct fm_cube *make_counted(const struct counted *counted)
{
    struct fm_cube *cube = make_cube();
    cube->experiment.ticks_per_second = 1000000;
    cube->experiment.end = 2000000;
    cube->experiment.page_fault = counted->page_fault;
    for (size_t i = 0; i < cube->cell_count; i++) {
        cube->cells[i].value *= 1000;
    }
    add(cube, FM_METRIC_MEASURED_TIME, SLOW, 0, 800000);
    add(cube, FM_METRIC_MEASURED_TIME, MAIN, 0, 200000);
    add(cube, FM_METRIC_MEASURED_TIME, MAIN, 1, 500000);
    add(cube, FM_METRIC_COUNTER_USAGE_TIME_SYSTEM, SLOW, 0, counted->kernel * 1000);
    add(cube, FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR, SLOW, 0, counted->faults);
    if (counted->others > 0) {
        add(cube, FM_METRIC_COMP, SLOW, 1, counted->others * 1000);
        add(cube, FM_METRIC_MEASURED_TIME, SLOW, 1, (counted->others - counted->unmeasured) * 1000);
    }
    for (uint32_t rank = 0; rank < 2; rank++) {
        add(cube, FM_METRIC_COUNTER_USAGE_TIME_SYSTEM, MAIN, rank,
            counted->elsewhere[rank].kernel * 1000);
        add(cube, FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR, MAIN, rank,
            counted->elsewhere[rank].faults);
    }
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300000);
    return cube;
}

static void expect(struct counted counted, fm_kernel_reason_t reason, const char *why)
{
    struct fm_cube *cube = make_counted(&counted);
    struct fm_diagnosis diagnosis;
    struct fm_sentences lines = {0};
    make_diagnosis(cube, &diagnosis);
    assert_int_equal(fm_kernel_reason(&diagnosis, &cube->problems[0]), reason);
    fm_evidence_of_kernel(&diagnosis, &cube->problems[0], &lines);
    assert_int_equal(lines.count, why == NULL ? 0 : 1);
    if (why != NULL) {
        assert_string_equal(lines.items[0].text, why);
    }
    fm_sentences_free(&lines);
    fm_cube_free(cube);
}

/* What the kernel counts in functions of libraries belongs to the function that calls them. */
static void test_libraries(void **state)
{
    (void)state;
    struct counted counted = {.kernel = 100};
    struct fm_cube *cube = make_counted(&counted);
    struct fm_diagnosis diagnosis;
    const uint32_t region = fm_cube_add_region(cube, "std::sort<int*>", "user", NULL, 0);
    const uint32_t sort = fm_cube_add_callpath(cube, SLOW, region);
    add(cube, FM_METRIC_COMP, sort, 0, 400000);
    add(cube, FM_METRIC_MEASURED_TIME, sort, 0, 400000);
    add(cube, FM_METRIC_COUNTER_USAGE_PREEMPTIONS, sort, 0, 30);
    make_diagnosis(cube, &diagnosis);
    char *text = fm_preemptions_text(&diagnosis, &cube->problems[0]);
    assert_string_equal(text, "preempted 30 times there, 0 times on the other rank");
    free(text);
    fm_cube_free(cube);
}

static void test_page_faults_of_common_machines(void **state)
{
    (void)state;
    static const char faults[] = "200,000 page faults there, 0 on the other rank: the kernel works "
                                 "600.0 ms longer, 75.0% of what it takes longer";
    expect((struct counted){.kernel = 600, .faults = 200000, .page_fault = 0},
           FM_KERNEL_PAGE_FAULTS, faults);
    expect((struct counted){.kernel = 600, .faults = 200000, .page_fault = 1},
           FM_KERNEL_PAGE_FAULTS, faults);
    /* 12 us of the kernel for each, where a fault takes 1 us or is not measured. */
    static const char calls[] =
        "the kernel works 600.0 ms longer there, 75.0% of what it takes longer: system calls, or "
        "page faults of large pages (50,000 page faults there, 0 on the other rank)";
    expect((struct counted){.kernel = 600, .faults = 50000, .page_fault = 0},
           FM_KERNEL_SYSTEM_CALLS, calls);
    expect((struct counted){.kernel = 600, .faults = 50000, .page_fault = 1},
           FM_KERNEL_SYSTEM_CALLS, calls);
}

static void test_page_faults_of_slow_machines(void **state)
{
    (void)state;
    expect((struct counted){.kernel = 600, .faults = 50000, .page_fault = 11},
           FM_KERNEL_PAGE_FAULTS,
           "50,000 page faults there, 0 on the other rank: the kernel works 600.0 ms longer, 75.0% "
           "of what it takes longer");
    /* The kernel counts less than half of what the computation takes longer as its own time. */
    expect((struct counted){.kernel = 350, .faults = 70000, .page_fault = 11},
           FM_KERNEL_PAGE_FAULTS,
           "70,000 page faults there, 0 on the other rank: the kernel works 350.0 ms longer, 43.8% "
           "of what it takes longer");
    /* Too few: 35 us of the kernel for each; 11 us for each are not half of 800 ms; less than a
     * quarter is the kernel's. */
    expect((struct counted){.kernel = 600, .faults = 17000, .page_fault = 11},
           FM_KERNEL_SYSTEM_CALLS,
           "the kernel works 600.0 ms longer there, 75.0% of what it takes longer: system calls, "
           "or page faults of large pages (17,000 page faults there, 0 on the other rank)");
    expect((struct counted){.kernel = 350, .faults = 30000, .page_fault = 11},
           FM_KERNEL_EXPLAINS_NOTHING, NULL);
    expect((struct counted){.kernel = 190, .faults = 70000, .page_fault = 11},
           FM_KERNEL_EXPLAINS_NOTHING, NULL);
}

/* What `slow` has for its part of a stretch, the others have elsewhere. */
static void test_other_locations_have_as_much_elsewhere(void **state)
{
    (void)state;
    expect(
        (struct counted){
            .kernel = 450, .faults = 200000, .page_fault = 1, .elsewhere = {{10, 0}, {0, 0}}},
        FM_KERNEL_PAGE_FAULTS,
        "200,000 page faults there, 0 on the other rank: the kernel works 450.0 ms longer, "
        "56.2% of what it takes longer");
    expect(
        (struct counted){
            .kernel = 450, .faults = 200000, .page_fault = 1, .elsewhere = {{10, 0}, {10, 180000}}},
        FM_KERNEL_EXPLAINS_NOTHING, NULL);
    expect(
        (struct counted){
            .kernel = 450, .faults = 200000, .page_fault = 1, .elsewhere = {{10, 0}, {440, 0}}},
        FM_KERNEL_EXPLAINS_NOTHING, NULL);
    /* The kernel's times are 9 % of what the other rank has apart. */
    expect(
        (struct counted){
            .kernel = 450, .faults = 1, .page_fault = 1, .elsewhere = {{4500, 0}, {4500, 0}}},
        FM_KERNEL_SYSTEM_CALLS,
        "the kernel works 450.0 ms longer there, 56.2% of what it takes longer: system calls, "
        "or page faults of large pages (1 page fault there, 0 on the other rank)");
    expect(
        (struct counted){
            .kernel = 450, .faults = 1, .page_fault = 1, .elsewhere = {{5000, 0}, {5000, 0}}},
        FM_KERNEL_EXPLAINS_NOTHING, NULL);
}

/* 300 ms are waited for a computation that takes 800 ms on one rank: 651 ms longer is enough, 149
 * ms on average are less than half. */
static void test_locations_late_in_turn(void **state)
{
    (void)state;
    expect((struct counted){.kernel = 140, .faults = 200000, .page_fault = 1, .others = 651},
           FM_KERNEL_EXPLAINS_NOTHING, NULL);
    expect(
        (struct counted){.kernel = 140, .faults = 200000, .page_fault = 1, .others = 649},
        FM_KERNEL_PAGE_FAULTS,
        "200,000 page faults there, 0 on the other rank: the kernel works 140.0 ms longer, 92.7% "
        "of what it takes longer");
}

/* Of what the other rank computes, most is not measured: 80 of 800 ms do not matter. */
static void test_little_of_the_others_is_measured(void **state)
{
    (void)state;
    expect(
        (struct counted){
            .kernel = 600, .faults = 200000, .page_fault = 1, .others = 81, .unmeasured = 80},
        FM_KERNEL_PAGE_FAULTS,
        "200,000 page faults there, 0 on the other rank: the kernel works 600.0 ms longer, 83.4% "
        "of what it takes longer");
    expect(
        (struct counted){
            .kernel = 600, .faults = 200000, .page_fault = 1, .others = 82, .unmeasured = 81},
        FM_KERNEL_EXPLAINS_NOTHING, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_page_faults_of_common_machines),
        cmocka_unit_test(test_page_faults_of_slow_machines),
        cmocka_unit_test(test_other_locations_have_as_much_elsewhere),
        cmocka_unit_test(test_locations_late_in_turn),
        cmocka_unit_test(test_little_of_the_others_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
