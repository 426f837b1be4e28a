/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's interface for the preload library. */
#include "record/flight/flight.h"
#include "record/interface.h"
#include "record/session/session.h"
#include "record/session/session_stack.h"
#include "record/user/functions.h"

static void save(bool ending)
{
    fm_session_save(ending);
    if (ending) {
        fm_flight_alarm();
    }
}

FM_API extern const struct fm_recorder fermata_recorder;
const struct fm_recorder fermata_recorder = {.begin = fm_session_begin,
                                             .attach = fm_session_attach,
                                             .attached = fm_session_attached,
                                             .main_begins = fm_session_main_begins,
                                             .user = &fm_user_functions,
                                             .save = save,
                                             .signal_set = fm_samples_signal_set,
                                             .signal_mask = fm_signal_mask_set,
                                             .blocking_begin = fm_blocking_begin,
                                             .blocking_end = fm_blocking_end,
                                             .unloaded = fm_session_unloaded,
                                             .function_enter = fm_function_enter,
                                             .function_leave = fm_function_leave};
