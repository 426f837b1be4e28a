/* SPDX-License-Identifier: BSD-3-Clause */
/* GCC's OpenMP as a paradigm. It has no begin and no end: the runtime is there when it is called.
 */
#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_OPENMP,
    .otf2_class = OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN,
    .name = "OpenMP",
    .communicator = "OpenMP team ${id}",
};

static const struct fm_function functions[] = {
#include "regions.inc"
};

/* Calls of LLVM's runtime lead to it. */
#define __kmpc_critical
#define __kmpc_critical_with_hint
#define __kmpc_end_critical
#define __kmpc_ordered
#define __kmpc_end_ordered
#define __kmpc_doacross_wait
#define __kmpc_taskloop
#define __kmpc_taskloop_5
static const fm_function_t wrappers[] = {
#include "wrappers.inc"
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
