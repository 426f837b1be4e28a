/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA as a paradigm. Its libraries are not interposed: most programs contain the runtime library,
 * and the driver library is found by it. CUPTI, which is loaded when recording begins, reports the
 * calls and the work of the streams. */
#include "record/cuda/cuda.h"

#include "record/cuda/measuring.h"
#include "record/experiment/kept_variables.h"
#include "record/gpu_option.h"
#include "record/session/session_tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fm_cupti fm_cupti;

static void *subscriber; /* NULL: nothing is recorded */

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_CUDA,
    .otf2_class = OTF2_PARADIGM_CLASS_ACCELERATOR,
    .name = "CUDA",
};

static const struct fm_function functions[] = {
#define FM_CUDA_FUNCTION(name, role, use) {#name, OTF2_REGION_ROLE_##role},
#include "record/cuda/functions.def"
#undef FM_CUDA_FUNCTION
};

uint32_t fm_first_function;

bool fm_cuda_reports(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        const char *rank = fm_variable(ranks[i]);
        if (rank != NULL) {
            return strcmp(rank, "0") == 0;
        }
    }
    return true;
}

static void refuse(const char *reason)
{
    if (fm_cuda_reports()) {
        fm_session_tell_each("accelerators are not recorded: %s", reason);
    }
}

static void refuse_result(const char *what, int result)
{
    char reason[512];
    const char *text = NULL;
    if (fm_cupti.get_result_string(result, &text) != FM_CUPTI_SUCCESS || text == NULL) {
        text = "unknown result";
    }
    snprintf(reason, sizeof reason, "%s: CUPTI %s (%s, version %u)%s", what, text, fm_cupti.path,
             fm_cupti.version,
             result == FM_CUPTI_MULTIPLE_SUBSCRIBERS ? "; another tool is attached to CUDA"
             : result == FM_CUPTI_INSUFFICIENT_PRIVILEGES
                 ? "; the administrator must permit profiling"
                 : "");
    refuse(reason);
}

/* Loads CUPTI and lets it report. */
static void begin(void)
{
    char reason[512];
    if (!fm_cuda_driver_is_installed()) {
        refuse(FM_CUDA_NO_DRIVER);
        return;
    }
    if (!fm_cupti_load(&fm_cupti, reason, sizeof reason)) {
        refuse(reason);
        return;
    }
    fm_cuda_regions_begin();
    const char *gpu = fm_variable(FM_GPU_VARIABLE);
    if (gpu != NULL && strcasecmp(gpu, FM_GPU_METRICS) == 0) {
        fm_cuda_measure_begin();
    }
    void *handle = NULL;
    int result = fm_cupti.subscribe(&handle, fm_cuda_call, NULL);
    if (result != FM_CUPTI_SUCCESS) {
        refuse_result("CUDA accepts no tool", result);
        return;
    }
    result = fm_cuda_calls_enable(handle);
    if (result == FM_CUPTI_SUCCESS) {
        result = fm_cuda_activities_enable();
    }
    if (result != FM_CUPTI_SUCCESS) {
        refuse_result("CUDA reports no activities", result);
        fm_cupti.unsubscribe(handle);
        return;
    }
    subscriber = handle;
}

/* What CUPTI does, and the threads that it creates, are not of the program. */
static void do_quietly(void (*act)(void))
{
    struct fm_thread *thread = fm_thread_self;
    uint32_t depth = thread != NULL ? thread->depth : 0;
    if (thread != NULL) {
        thread->depth = 1;
    }
    act();
    if (thread != NULL) {
        thread->depth = depth;
    }
}

/* An exit handler of this library runs before those of the libraries that were loaded before. */
static void take_over(void)
{
    if (subscriber != NULL) {
        do_quietly(fm_cuda_measure_end);
        fm_cupti.flush_all(FM_CUPTI_FLUSH_FORCED);
    }
}

static void attach(void)
{
    do_quietly(begin);
    if (subscriber != NULL) {
        atexit(take_over);
    }
}

static void run_ends(void)
{
    if (subscriber != NULL) {
        fm_cuda_measure_end();
        fm_cuda_activities_end();
    }
}

static void finalize(void)
{
    if (subscriber != NULL) {
        fm_cupti.unsubscribe(subscriber);
        subscriber = NULL;
    }
}

FM_API extern const struct fm_paradigm fermata_paradigm;
const struct fm_paradigm fermata_paradigm = {.description = &description,
                                             .count = FM_CUDA_FUNCTIONS,
                                             .functions = functions,
                                             .first = &fm_first_function,
                                             .attach = attach,
                                             .run_ends = run_ends,
                                             .finalize = finalize};
