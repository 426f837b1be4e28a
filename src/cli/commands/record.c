/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands/commands.h"
#include "cli/recording/recording.h"

int fm_command_record(int argc, char **argv)
{
    struct fm_record_result result;
    bool recorded;
    fm_analysis_words analysis; /* none: it has no such option */
    return fm_recording_run(FM_COMMAND_record, argc, argv, &result, &recorded, &analysis);
}
