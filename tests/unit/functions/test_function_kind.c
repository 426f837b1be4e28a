/* SPDX-License-Identifier: BSD-3-Clause */
/* What a function is by its name, against a written list, and that the tables of functions name
 * metrics that exist. Argument: the list. */
#include "check.h"

#include "analysis/model/own_metric.h"
#include "functions/function_kind.h"
#include "functions/tables.h"
#include "scenario/region_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *expected_path;

struct named_value {
    const char *name;
    unsigned value;
};

static const struct named_value roles[] = {
#define ROLE(name)                                                                                 \
    {                                                                                              \
#name, OTF2_REGION_ROLE_##name                                                             \
    }
    ROLE(ALLOCATE),     ROLE(ATOMIC),           ROLE(BARRIER),      ROLE(CODE),
    ROLE(COLL_ALL2ALL), ROLE(COLL_ALL2ONE),     ROLE(COLL_ONE2ALL), ROLE(COLL_OTHER),
    ROLE(CRITICAL),     ROLE(CRITICAL_SBLOCK),  ROLE(DEALLOCATE),   ROLE(FILE_IO),
    ROLE(FLUSH),        ROLE(FILE_IO_METADATA), ROLE(FUNCTION),     ROLE(IMPLICIT_BARRIER),
    ROLE(LOOP),         ROLE(MASTER),           ROLE(ORDERED),      ROLE(ORDERED_SBLOCK),
    ROLE(PARALLEL),     ROLE(POINT2POINT),      ROLE(REALLOCATE),   ROLE(RMA),
    ROLE(SECTION),      ROLE(SECTIONS),         ROLE(SINGLE),       ROLE(SINGLE_SBLOCK),
    ROLE(TASK),         ROLE(TASK_CREATE),      ROLE(TASK_WAIT),    ROLE(THREAD_CREATE),
    ROLE(THREAD_WAIT),  ROLE(WORKSHARE),        {NULL, 0},
};

static const struct named_value calls[] = {
#define CALL(name)                                                                                 \
    {                                                                                              \
#name, FM_CALL_##name                                                                      \
    }
    CALL(USER),
    CALL(OTHER),
    CALL(BUFFERED_SEND),
    CALL(SYNCHRONOUS_SEND),
    CALL(BUFFER_FLUSH),
    CALL(PROBE),
    CALL(MATCHED_PROBE),
    CALL(MATCHED_RECEIVE),
    CALL(BARRIER),
    CALL(ALL_TO_ALL),
    CALL(NEIGHBORHOOD),
    CALL(ONE_TO_ALL),
    CALL(ALL_TO_ONE),
    CALL(SCAN),
    CALL(INIT),
    CALL(FINALIZE),
    CALL(COMMUNICATOR),
    CALL(DETACHED_COMMUNICATOR),
    CALL(FILE),
    CALL(FILE_ACCESS),
    CALL(WINDOW_CREATE),
    CALL(WINDOW_FREE),
    CALL(FENCE),
    CALL(START),
    CALL(COMPLETE),
    CALL(POST),
    CALL(WAIT),
    CALL(LOCK),
    CALL(UNLOCK),
    CALL(FLUSH),
    CALL(FLUSH_ALL),
    CALL(FLUSH_LOCAL),
    CALL(FLUSH_LOCAL_ALL),
    CALL(REQUEST_OPERATION),
    CALL(ALLOCATE),
    CALL(DEALLOCATE),
    CALL(COMPLETION),
    CALL(WAIT_UNTIL),
    CALL(SYNC_IMAGES),
    CALL(EVENT_POST),
    CALL(EVENT_WAIT),
    CALL(TEAM_BARRIER),
    CALL(CRITICAL),
    CALL(ORDERED),
    CALL(TASK_WAIT),
    CALL(SHARED_LOCK),
    CALL(CONDITION_WAIT),
    CALL(CONDITION_SIGNAL),
    CALL(THREAD_BARRIER),
    CALL(SEMAPHORE_WAIT),
    CALL(SEMAPHORE_POST),
    {NULL, 0},
};

static const char *name_of(const struct named_value *values, unsigned value)
{
    while (values->name != NULL && values->value != value) {
        values++;
    }
    assert_non_null(values->name);
    return values->name;
}

static const char *id_of(fm_metric_t metric)
{
    return metric == FM_METRIC_NONE ? "-" : fm_metric_info(metric)->id;
}

/* Writes a line of the list for a region of the paradigm. */
static void describe(char *line, size_t size, fm_paradigm_t paradigm, const char *role,
                     const char *name)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", name);
    struct fm_region region = {.name = copy, .paradigm = paradigm};
    region.call = fm_call_classify(paradigm, name, OTF2_REGION_ROLE_FUNCTION);
    snprintf(line, size, "%s %s %s %s %s %s %s", fm_paradigm_name(paradigm), role,
             name_of(calls, region.call), id_of(fm_own_metric(&region)),
             fm_makes_progress(&region) ? "progress" : "-",
             id_of(fm_file_operation_metric(&region)),
             fm_call_completes_requests(name) ? "completes" : "-");
}

static void check_c_spelling(const char *expected, const char *name)
{
    char line[256];
    struct fm_region_kind kind = fm_region_kind(name);
    describe(line, sizeof line, fm_paradigm_classify((uint8_t)kind.paradigm, name),
             name_of(roles, kind.role), name);
    if (strcmp(line, expected) != 0) {
        fail_msg("%s: %s instead of %s", name, line, expected);
    }
}

/* mpi_recv_ and MPI_RECV are what MPI_Recv is. */
static void check_fortran_spellings(const char *expected, const char *name)
{
    char lower[128] = "", upper[128] = "", line[256], role[64];
    for (size_t i = 0; name[i] != '\0'; i++) {
        lower[i] = (char)tolower((unsigned char)name[i]);
        upper[i] = (char)toupper((unsigned char)name[i]);
    }
    strcat(lower, "_");
    sscanf(expected, "%*s %63s", role);
    const char *const spellings[] = {lower, upper};
    for (size_t i = 0; i < 2; i++) {
        describe(line, sizeof line, FM_PARADIGM_MPI, role, spellings[i]);
        if (strcmp(line, expected) != 0) {
            fail_msg("%s: %s instead of %s", spellings[i], line, expected);
        }
    }
}

static void names_decide(void **state)
{
    (void)state;
    FILE *list = fopen(expected_path, "r");
    assert_non_null(list);
    char line[256], expected[256] = "";
    size_t names = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != ' ') {
            snprintf(expected, sizeof expected, "%s", line);
            continue;
        }
        for (char *name = strtok(line, ","); name != NULL; name = strtok(NULL, ",")) {
            name += strspn(name, " ");
            if (name[0] == '\0') {
                continue;
            }
            check_c_spelling(expected, name);
            if (strncmp(name, "MPI", 3) == 0) {
                check_fortran_spellings(expected, name);
            }
            names++;
        }
    }
    fclose(list);
    assert_true(names > 1500);
}

static void names_need_no_prefix(void **state)
{
    (void)state;
    assert_string_equal(fm_function_kind(FM_PARADIGM_MPI, "Recv").own_metric, "mpi_point2point");
    assert_string_equal(fm_function_kind(FM_PARADIGM_OPENMP, "critical").own_metric,
                        "omp_critical");
    assert_int_equal(fm_call_classify(FM_PARADIGM_MPI, "sum", OTF2_REGION_ROLE_COLL_ALL2ALL),
                     FM_CALL_ALL_TO_ALL);
    assert_int_equal(fm_call_classify(FM_PARADIGM_MPI, "MPI_Sum", OTF2_REGION_ROLE_COLL_ALL2ALL),
                     FM_CALL_OTHER);
    assert_int_equal(fm_call_classify(FM_PARADIGM_SHMEM, "sum", OTF2_REGION_ROLE_COLL_ALL2ALL),
                     FM_CALL_OTHER);
}

/* The form of a name, a row of it. */
static void functions_of_mpi(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_function, is_listed;
    } expected[] = {
        {"MPI_Send", true, true},
        {"MPIX_Allreduce_init", true, true},
        {"MPIX_Query_cuda_support", true, true},
        {"MPI_Future_start", true, false},
        {"MPIX_Comm_shrink", true, false},
        {"MPIX_Send", true, false},
        {"MPI_T_init_thread", false, true},
        {"MPI_IN_PLACE", false, false},
        {"mpi_send_", false, true},
        {"PMPI_Send", false, false},
        {"Send", false, false},
        {"MPI_", false, false},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const char *name = expected[i].name;
        if (fm_is_mpi_function(name) != expected[i].is_function ||
            fm_function_is_listed(FM_PARADIGM_MPI, name) != expected[i].is_listed) {
            fail_msg("%s", name);
        }
    }
    assert_string_equal(fm_function_without_prefix(FM_PARADIGM_MPI, "MPIX_Scan_init"), "Scan_init");
    assert_string_equal(fm_function_without_prefix(FM_PARADIGM_MPI, "mpi_scan_"), "scan_");
    assert_string_equal(fm_function_without_prefix(FM_PARADIGM_MPI, "Scan"), "Scan");
    assert_int_equal(fm_call_classify(FM_PARADIGM_MPI, "MPIX_Sum", OTF2_REGION_ROLE_COLL_ALL2ALL),
                     FM_CALL_OTHER);
}

static void paradigms_claim_regions(void **state)
{
    (void)state;
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_USER, "MPI_Recv"), FM_PARADIGM_USER);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_UNKNOWN, "mpi_recv_"), FM_PARADIGM_MPI);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_UNKNOWN, "mpix_bcast_init_"),
                     FM_PARADIGM_MPI);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_UNKNOWN, "shmem_put"), FM_PARADIGM_USER);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_USER, "ARMCI_Put"), FM_PARADIGM_ARMCI);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_TBBTHREAD, "ARMCI_Put"), FM_PARADIGM_ARMCI);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_MPI, "ARMCI_Put"), FM_PARADIGM_MPI);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_COMPILER, "main"), FM_PARADIGM_USER);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_MEASUREMENT_SYSTEM, "x"),
                     FM_PARADIGM_MEASUREMENT);
    assert_int_equal(fm_paradigm_classify(OTF2_PARADIGM_CUDA, "force"), FM_PARADIGM_CUDA);
    assert_int_equal(fm_paradigm_of_function("cudaMemcpy"), FM_PARADIGM_CUDA);
    assert_int_equal(fm_paradigm_of_function("cumulate"), FM_PARADIGM_USER);
    assert_int_equal(fm_paradigm_of_function("hipMemcpy"), FM_PARADIGM_HIP);
    assert_int_equal(fm_paradigm_of_function("hipass"), FM_PARADIGM_USER);
    assert_int_equal(fm_paradigm_of_function("clFinish"), FM_PARADIGM_OPENCL);
    assert_int_equal(fm_paradigm_of_function("clear"), FM_PARADIGM_USER);
    assert_int_equal(fm_paradigm_of_function("shmalloc"), FM_PARADIGM_SHMEM);
    assert_int_equal(fm_paradigm_named("opencl"), FM_PARADIGM_OPENCL);
    assert_int_equal(fm_paradigm_named("no model"), FM_PARADIGM_USER);
    assert_true(fm_paradigm_is_of_accelerators(FM_PARADIGM_HIP));
    assert_false(fm_paradigm_is_of_accelerators(FM_PARADIGM_MPI));
}

/* Kernels have any name; what streams do besides stands under names with blanks. */
static void streams_execute_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *name, *metric;
        fm_call_t call;
    } expected[] = {
        {"copy_kernel(double*)", "comp", FM_CALL_USER},
        {"kernel idle", "comp", FM_CALL_USER},
        {"cuda copy host to device", "cuda_copy", FM_CALL_USER},
        {"cuda idle", "cuda_idle", FM_CALL_STREAM_IDLE},
        {"cuda wait for event", "cuda_idle", FM_CALL_USER},
        {"cudaMemcpyAsync", "cuda_copy", FM_CALL_OTHER},
        {"cudaMemcpy2D", "cuda_copy", FM_CALL_STREAM_COPY},
        {"cuMemcpyDtoH_v2", "cuda_copy", FM_CALL_STREAM_COPY},
        {"cuMemcpyDtoHAsync_v2", "cuda_copy", FM_CALL_OTHER},
        {"cudaEventSynchronize", "cuda_synchronization", FM_CALL_STREAM_WAIT},
        {"cuCtxSynchronize", "cuda_synchronization", FM_CALL_STREAM_WAIT},
        {"cudaEventRecordWithFlags", "cuda_time", FM_CALL_STREAM_EVENT_RECORD},
        {"cuEventRecord", "cuda_time", FM_CALL_STREAM_EVENT_RECORD},
        {"cudaEventQuery", "cuda_time", FM_CALL_OTHER},
        {"cudaStreamWaitEvent", "cuda_time", FM_CALL_STREAM_EVENT_WAIT},
        {"cuStreamWaitEvent_ptsz", "cuda_time", FM_CALL_STREAM_EVENT_WAIT},
        {"cuStreamWaitValue32", "cuda_time", FM_CALL_OTHER},
        {"cudaMalloc", "cuda_time", FM_CALL_OTHER},
        {"cuLaunchKernel", "cuda_launch", FM_CALL_OTHER},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct fm_function_kind kind = fm_function_kind(FM_PARADIGM_CUDA, expected[i].name);
        assert_string_equal(kind.own_metric, expected[i].metric);
        assert_int_equal(kind.call, expected[i].call);
    }
}

/* The same calls of the other models. */
static void models_of_accelerators_are_alike(void **state)
{
    (void)state;
    static const struct {
        fm_paradigm_t paradigm;
        const char *name, *metric;
        fm_call_t call;
    } expected[] = {
        {FM_PARADIGM_HIP, "force(double*)", "comp", FM_CALL_USER},
        {FM_PARADIGM_HIP, "hip idle", "cuda_idle", FM_CALL_STREAM_IDLE},
        {FM_PARADIGM_HIP, "hipExtModuleLaunchKernel", "cuda_launch", FM_CALL_OTHER},
        {FM_PARADIGM_HIP, "hipMemcpyDtoHAsync", "cuda_copy", FM_CALL_OTHER},
        {FM_PARADIGM_HIP, "hipMemcpyDtoH", "cuda_copy", FM_CALL_STREAM_COPY},
        {FM_PARADIGM_HIP, "hipEventSynchronize", "cuda_synchronization", FM_CALL_STREAM_WAIT},
        {FM_PARADIGM_HIP, "hipStreamWaitEvent", "cuda_time", FM_CALL_STREAM_EVENT_WAIT},
        {FM_PARADIGM_HIP, "hipMalloc", "cuda_time", FM_CALL_OTHER},
        {FM_PARADIGM_OPENCL, "vadd", "comp", FM_CALL_USER},
        {FM_PARADIGM_OPENCL, "clEnqueueMapBuffer", "cuda_copy", FM_CALL_OTHER},
        {FM_PARADIGM_OPENCL, "clEnqueueNDRangeKernel", "cuda_launch", FM_CALL_OTHER},
        {FM_PARADIGM_OPENCL, "clEnqueueMarkerWithWaitList", "cuda_time", FM_CALL_OTHER},
        {FM_PARADIGM_OPENCL, "clWaitForEvents", "cuda_synchronization", FM_CALL_STREAM_WAIT},
        {FM_PARADIGM_OPENCL, "clBuildProgram", "cuda_time", FM_CALL_OTHER},
        {FM_PARADIGM_OPENACC, "acc_launch_kernel@a.c:4", "cuda_launch", FM_CALL_OTHER},
        {FM_PARADIGM_OPENACC, "acc_implicit_wait@a.c:4", "cuda_synchronization",
         FM_CALL_STREAM_WAIT},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct fm_function_kind kind =
            fm_function_kind(expected[i].paradigm, expected[i].name);
        assert_string_equal(kind.own_metric, expected[i].metric);
        assert_int_equal(kind.call, expected[i].call);
    }
}

static void check_metrics(const struct fm_function_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].metric != NULL && fm_metric_by_id(rows[i].metric) == FM_METRIC_NONE) {
            fail_msg("%s: metrics.def has no row for %s", rows[i].name, rows[i].metric);
        }
    }
}

static void metrics_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < fm_function_section_count; i++) {
        const struct fm_function_section *section = &fm_function_sections[i];
        size_t rules = 0;
        while (strcmp(section->rules[rules++].name, "*") != 0) {
        }
        check_metrics(section->functions, section->function_count);
        check_metrics(section->rules, rules);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_function_kind EXPECTED\n");
        return 2;
    }
    expected_path = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_decide),
        cmocka_unit_test(names_need_no_prefix),
        cmocka_unit_test(functions_of_mpi),
        cmocka_unit_test(paradigms_claim_regions),
        cmocka_unit_test(streams_execute_kernels),
        cmocka_unit_test(models_of_accelerators_are_alike),
        cmocka_unit_test(metrics_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
