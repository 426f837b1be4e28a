#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/counters/counter_output.h"
#include "cli/recording/recording.h"
#include "cli/text/safe_text.h"

#include <stdio.h>
#include <stdlib.h>

int fm_command_run(int argc, char **argv)
{
    struct fm_record_result result;
    bool recorded;
    int program_status = fm_recording_run(FM_COMMAND_run, argc, argv, &result, &recorded);
    if (!recorded || result.directory[0] == '\0') {
        return program_status;
    }
    fflush(stdout);
    if (fm_counters_are_all(result.directory)) {
        char *show[] = {"counters", "show", result.directory, NULL};
        int shown = fm_command_counters(3, show);
        return program_status != 0 ? program_status : shown;
    }
    char *page;
    if (asprintf(&page, "%s/report.html", result.directory) < 0) {
        return FM_ERR_SYSTEM;
    }
    /* The analysis also writes the page: its timeline needs tables that only the analysis has. */
    char *analyze[] = {"analyze", "--quiet", "--html", page, result.directory, NULL};
    char *report[] = {"report", result.directory, NULL};
    int status = fm_command_analyze(5, analyze);
    if (status == FM_OK) {
        status = fm_command_report(2, report);
    }
    if (status == FM_OK) {
        printf("\nfermata: page for the browser: %s\n", fm_safe_text(page));
    }
    free(page);
    return program_status != 0 ? program_status : status;
}
