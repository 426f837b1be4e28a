/* SPDX-License-Identifier: BSD-3-Clause */
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
    fm_analysis_words analysis;
    int program_status =
        fm_recording_run(FM_COMMAND_run, argc, argv, &result, &recorded, &analysis);
    if (!recorded || result.directory[0] == '\0') {
        fm_vector_free(&analysis);
        return program_status;
    }
    fflush(stdout);
    if (fm_counters_are_all(result.directory)) {
        char *report[] = {"report", result.directory, NULL};
        char *show[] = {"counters", "show", result.directory, NULL};
        fm_vector_free(&analysis);
        int shown = fm_command_report(2, report);
        shown = shown == FM_OK ? fm_command_counters(3, show) : shown;
        return program_status != 0 ? program_status : shown;
    }
    char *page;
    if (asprintf(&page, "%s/report.html", result.directory) < 0) {
        fm_vector_free(&analysis);
        return FM_ERR_SYSTEM;
    }
    /* The analysis also writes the page: its timeline needs tables that only the analysis has. */
    FM_VECTOR(char *) analyze = {0};
    char *words[] = {"analyze", "--quiet", "--html", page};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        fm_vector_push(&analyze, words[i]);
    }
    for (size_t i = 0; i < analysis.count; i++) {
        fm_vector_push(&analyze, (char *)analysis.items[i]);
    }
    fm_vector_push(&analyze, result.directory);
    fm_vector_push(&analyze, NULL);
    char *report[] = {"report", result.directory, NULL};
    int status = fm_command_analyze((int)analyze.count - 1, analyze.items);
    fm_vector_free(&analyze);
    fm_vector_free(&analysis);
    if (status == FM_OK) {
        status = fm_command_report(2, report);
    }
    if (status == FM_OK) {
        printf("\nfermata: page for the browser: %s\n", fm_safe_text(page));
    }
    free(page);
    return program_status != 0 ? program_status : status;
}
