/* fermata check: is an archive consistent? */
#include "cli/archive/complete.h"
#include "cli/archive/isolate.h"
#include "cli/commands/commands.h"
#include "cli/text/safe_text.h"
#include "cli/text/usage.h"
#include "trace/validate/validate.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_LIMIT 100

struct request {
    const char *archive;
    uint64_t limit; /* findings to print */
    uint64_t printed;
};

static void print_usage(FILE *stream)
{
    fprintf(stream,
            "usage: fermata check [-n NUMBER] DIR|ANCHOR.otf2\n\n"
            "Reads all of an archive and tells what is inconsistent in it.\n\n"
            "  -n, --max NUMBER   print at most NUMBER findings (default: %d)\n\n"
            "Exit status: 0 nothing found, 1 findings, 3 not readable.\n",
            DEFAULT_LIMIT);
}

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

static int check(void *argument)
{
    struct request *request = argument;
    struct fm_validation result = {0};
    struct fm_error error;
    fm_status_t status = fm_validate(request->archive, print_finding, request, &result, &error);
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
    static const struct option options[] = {
        {"max", required_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {.limit = DEFAULT_LIMIT};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":n:h", options, NULL)) != -1) {
        char *end = NULL;
        switch (option) {
        case 'n':
            request.limit = strtoull(optarg, &end, 10);
            if (*optarg < '0' || *optarg > '9' || *end != '\0') {
                fputs("fermata check: -n needs a number\n", stderr);
                return FM_ERR_USAGE;
            }
            break;
        case 'h':
            print_usage(stdout);
            return FM_OK;
        default:
            return fm_refuse_option(argv, option);
        }
    }
    if (argc - optind != 1) {
        return fm_refuse_usage("check", "one archive, please");
    }
    request.archive = argv[optind];
    int status = fm_complete_experiment("check", request.archive);
    if (status != FM_OK) {
        return status;
    }
    fm_warn_of_experiment(request.archive);
    return fm_run_isolated("check", request.archive, FM_READING_CPU_SECONDS, check, &request);
}
