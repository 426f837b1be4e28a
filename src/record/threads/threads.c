/* SPDX-License-Identifier: BSD-3-Clause */
/* POSIX threads as a paradigm. It has no begin and no end: it is attached when the recorder is
 * loaded. */
#include "record/threads/posix.h"

#include "record/experiment/kept_variables.h"
#include "record/threads/futex.h"
#include "record/threads/objects.h"

#include <stdlib.h>
#include <string.h>

enum fm_threads_choice fm_threads_choice = FM_THREADS_OFF;

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_PTHREAD,
    .otf2_class = OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT,
    .name = "POSIX threads",
};

static const struct fm_function functions[] = {
#include "regions.inc"
};

static const fm_function_t wrappers[] = {
#include "wrappers.inc"
};

uint32_t fm_first_function;

static void attach(void)
{
    const char *text = fm_variable("FERMATA_THREADS");
    fm_threads_choice = FM_THREADS_CONTENDED;
    if (text != NULL && strcmp(text, "all") == 0) {
        fm_threads_choice = FM_THREADS_ALL;
    }
    if ((text != NULL && strcmp(text, "off") == 0) || !fm_objects_begin()) {
        fm_threads_choice = FM_THREADS_OFF;
    } else {
        fm_futexes_attach(&description);
    }
}

FM_API extern const struct fm_paradigm fermata_paradigm;
const struct fm_paradigm fermata_paradigm = {.description = &description,
                                             .count = FM_FUNCTION_COUNT,
                                             .functions = functions,
                                             .wrappers = wrappers,
                                             .next = fm_next_functions,
                                             .first = &fm_first_function,
                                             .attach = attach,
                                             .report_objects = fm_objects_report};
