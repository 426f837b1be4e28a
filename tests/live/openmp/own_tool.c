/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a tool of its own for the runtime, which counts the parallel regions. */
#include <omp-tools.h>
#include <stdio.h>

static int regions;

static void begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                  unsigned threads, int flags, const void *call)
{
    (void)task, (void)frame, (void)parallel, (void)threads, (void)flags, (void)call;
    regions++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    return set(ompt_callback_parallel_begin, (ompt_callback_t)begin) != 0;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    (void)version, (void)runtime;
    return &result;
}

int main(void)
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
#pragma omp critical
        count++;
    }
    printf("%d %d\n", regions, count);
    return 0;
}
