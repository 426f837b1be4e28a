/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP's runtimes with OMPT (LLVM's, Intel's) as a paradigm and as a tool. The runtime asks for
 * the tool when it begins (preload/tool.c); the functions of locks, critical and ordered regions
 * are wrapped as those of other libraries. */
#include "record/openmp/ompt_tool.h"

#include "record/openmp/lock_table.h"
#include "record/session/session_unseen.h"

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_OPENMP,
    .otf2_class = OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN,
    .name = "OpenMP",
    .communicator = "OpenMP team ${id}",
};

static const struct fm_function functions[] = {
#include "regions.inc"
};

#define FM_OWN(name) [FM_FUNCTION_##name] = (fm_function_t)fm_##name
static const fm_function_t wrappers[FM_FUNCTION_COUNT] = {
    FM_OWN(omp_set_lock),         FM_OWN(omp_unset_lock),
    FM_OWN(omp_test_lock),        FM_OWN(omp_set_nest_lock),
    FM_OWN(omp_unset_nest_lock),  FM_OWN(omp_test_nest_lock),
    FM_OWN(omp_set_lock_),        FM_OWN(omp_unset_lock_),
    FM_OWN(omp_test_lock_),       FM_OWN(omp_set_nest_lock_),
    FM_OWN(omp_unset_nest_lock_), FM_OWN(omp_test_nest_lock_),
    FM_OWN(__kmpc_critical),      FM_OWN(__kmpc_critical_with_hint),
    FM_OWN(__kmpc_end_critical),  FM_OWN(__kmpc_ordered),
    FM_OWN(__kmpc_doacross_wait), FM_OWN(__kmpc_end_ordered),
    FM_OWN(__kmpc_taskloop),      FM_OWN(__kmpc_taskloop_5),
};

uint32_t fm_first_function;

FM_API extern const struct fm_paradigm fermata_paradigm;
const struct fm_paradigm fermata_paradigm = {.description = &description,
                                             .count = FM_FUNCTION_COUNT,
                                             .functions = functions,
                                             .wrappers = wrappers,
                                             .next = fm_next_functions,
                                             .first = &fm_first_function,
                                             .report_objects = fm_omp_locks_report};

/* ---- the tool ---- */

static int initialize(fm_ompt_lookup_t lookup, int device, fm_ompt_data_t *data)
{
    static const struct {
        int event;
        fm_ompt_function_t callback;
    } callbacks[] = {
        {FM_OMPT_PARALLEL_BEGIN, (fm_ompt_function_t)fm_ompt_parallel_begin},
        {FM_OMPT_PARALLEL_END, (fm_ompt_function_t)fm_ompt_parallel_end},
        {FM_OMPT_IMPLICIT_TASK, (fm_ompt_function_t)fm_ompt_implicit_task},
        {FM_OMPT_WORK, (fm_ompt_function_t)fm_ompt_work},
        {FM_OMPT_MASKED, (fm_ompt_function_t)fm_ompt_masked},
        {FM_OMPT_SYNC_REGION, (fm_ompt_function_t)fm_ompt_sync_region},
        {FM_OMPT_SYNC_REGION_WAIT, (fm_ompt_function_t)fm_ompt_sync_region_wait},
        {FM_OMPT_TASK_CREATE, (fm_ompt_function_t)fm_ompt_task_create},
        {FM_OMPT_TASK_SCHEDULE, (fm_ompt_function_t)fm_ompt_task_schedule},
    };
    (void)device, (void)data;
    fm_ompt_set_callback_t set = (fm_ompt_set_callback_t)lookup("ompt_set_callback");
    for (size_t i = 0; set != NULL && i < sizeof callbacks / sizeof callbacks[0]; i++) {
        set(callbacks[i].event, callbacks[i].callback);
    }
    if (set != NULL) {
        fm_session_note_tool();
    }
    return set != NULL;
}

static void finalize(fm_ompt_data_t *data)
{
    (void)data;
}

FM_API extern struct fm_ompt_tool fermata_tool;
struct fm_ompt_tool fermata_tool = {.initialize = initialize, .finalize = finalize};
