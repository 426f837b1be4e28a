/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata top: what the ranks of a running program are doing. */
#include "cli/commands/commands.h"
#include "cli/counters/counter_output.h"
#include "cli/hang/live_hang.h"
#include "cli/hang/top_threads.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"

#include <stdio.h>

int fm_command_top(int argc, char **argv)
{
    double period = 1;
    uint64_t count = UINT64_MAX;
    struct fm_counter_job job;
    struct fm_error error;
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_top, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        fm_status_t status = FM_OK;
        switch (option) {
        case FM_OPTION_top_PERIOD:
            status = fm_counter_period(&reader, &period);
            break;
        case FM_OPTION_top_COUNT:
            status = fm_option_number(&reader, 1, UINT64_MAX, &count);
            break;
        default:
            return fm_options_stop(&reader, option);
        }
        if (status != FM_OK) {
            return fm_options_complain(&reader);
        }
    }
    if (!fm_options_operands(&reader, 1, 1, "one experiment")) {
        return fm_options_complain(&reader);
    }
    fm_status_t status = fm_counter_job_open(reader.operands[0], &job, &error);
    if (status != FM_OK && fm_live_hang_is_due(reader.operands[0])) {
        fm_top_threads(reader.operands[0], period, count);
        return FM_OK;
    }
    if (status != FM_OK) {
        fprintf(stderr, "fermata top: %s\n", fm_safe_text(error.message));
        return status;
    }
    fm_counters_top(reader.operands[0], &job, period, count);
    fm_counter_job_close(&job);
    return FM_OK;
}
