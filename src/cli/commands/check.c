/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata check: is an archive consistent? */
#include "cli/archive/complete.h"
#include "cli/archive/isolated_command.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"
#include "trace/validate/validate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_LIMIT 100

struct request {
    const char *archive;
    uint64_t limit; /* findings to print */
    uint64_t printed;
};

static void print_finding(void *context, const struct fm_survey *survey,
                          const struct fm_finding *finding)
{
    struct request *request = context;
    char reason[sizeof finding->reason];
    if (request->printed++ >= request->limit) {
        return;
    }
    if (finding->location == FM_SURVEY_NONE) {
        printf("definitions: ");
    } else {
        const struct fm_survey_location *location = &survey->locations.items[finding->location];
        uint32_t process = fm_survey_find(&survey->process_index, location->process);
        uint32_t process_name =
            process == FM_SURVEY_NONE ? FM_SURVEY_NONE : survey->processes.items[process].name;
        char name[64];
        printf("location %" PRIu64 " (%s", location->id,
               fm_safe_copy(name, sizeof name, fm_survey_name(survey, process_name, "no process")));
        printf(", %s)",
               fm_safe_copy(name, sizeof name, fm_survey_name(survey, location->name, "no name")));
        if (finding->has_time) {
            printf(" at %" PRIu64, finding->time);
        }
        fputs(": ", stdout);
    }
    puts(fm_safe_copy(reason, sizeof reason, finding->reason));
}

static void print_silence(void *context, const char *sentence)
{
    (void)context;
    char text[1024];
    printf("note: %s\n", fm_safe_copy(text, sizeof text, sentence));
}

static int check(void *argument)
{
    struct request *request = argument;
    struct fm_validation result = {0};
    struct fm_error error;
    fm_status_t status =
        fm_validate(request->archive, print_finding, print_silence, request, &result, &error);
    if (status != FM_OK && status != FM_ERR_FAILED) {
        fprintf(stderr, "fermata check: %s\n", fm_safe_text(error.message));
        return status;
    }
    if (result.findings > request->limit) {
        printf("... and %" PRIu64 " more findings\n", result.findings - request->limit);
    }
    printf("%" PRIu64 " locations, %" PRIu64 " events, %" PRIu64 " findings", result.locations,
           result.events, result.findings);
    if (result.open_requests > 0) {
        printf(" (%" PRIu64 " requests are never completed, which is legal)", result.open_requests);
    }
    if (result.open_ends > 0) {
        printf(" (%" PRIu64 " %s inside of functions or calls, where %s)", result.open_ends,
               result.open_ends == 1 ? "location ends" : "locations end",
               result.open_ends == 1 ? "its process ended" : "their processes ended");
    }
    if (result.paused > 0) {
        printf(" (of %" PRIu64
               " processes a part was not recorded: what it began or ended there is not missed)",
               result.paused);
    }
    putchar('\n');
    return status;
}

int fm_command_check(int argc, char **argv)
{
    struct request request = {.limit = DEFAULT_LIMIT};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_check, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option != FM_OPTION_check_MAX) {
            return fm_options_stop(&reader, option);
        }
        if (fm_option_number(&reader, 0, UINT64_MAX, &request.limit) != FM_OK) {
            return fm_options_complain(&reader);
        }
    }
    if (!fm_options_operands(&reader, 1, 1, "one archive")) {
        return fm_options_complain(&reader);
    }
    request.archive = reader.operands[0];
    int status = fm_complete_experiment("check", request.archive);
    if (status != FM_OK) {
        return status;
    }
    fm_warn_of_experiment(request.archive);
    return fm_run_isolated("check", request.archive, FM_READING_CPU_SECONDS, check, &request);
}
