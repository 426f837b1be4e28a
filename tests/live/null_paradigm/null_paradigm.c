/* SPDX-License-Identifier: BSD-3-Clause */
/* The null paradigm: its description, and the wrappers that are not generated. */
#include "null_paradigm.h"

#include <otf2/otf2.h>

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_UNKNOWN,
    .otf2_class = OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT,
    .name = "Null",
    .last_call = "null_finalize",
};

static const struct fm_function functions[] = {
#include "regions.inc"
};

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
                                             .first = &fm_first_function};

void fm_null_init(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_null_init);
    fm_next_functions[FM_FUNCTION_null_init]();
    fm_session_join(&fermata_paradigm, "null library 1.0");
    fm_call_leave(thread);
}

/* Enter and Leave. */
enum { FINALIZE_EVENTS = 2 };

void fm_null_finalize(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_null_finalize);
    fm_next_functions[FM_FUNCTION_null_finalize]();
    fm_session_leave(&fermata_paradigm, thread, fm_call_ends_at, FINALIZE_EVENTS);
}
