/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata info: what is in an archive. */
#include "cli/info/info.h"

#include "cli/archive/complete.h"
#include "cli/archive/environment.h"
#include "cli/archive/isolated_command.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *archive;
    bool json;
};

static void warn(struct fm_info *info, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void warn(struct fm_info *info, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fm_vector_push(&info->warnings, fm_copy_string(text));
}

static void find_warnings(struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    const struct fm_summary *summary = info->summary;
    if (summary->unreadable_locations > 0) {
        warn(info, "%" PRIu64 " %s cannot be read to %s end; location %" PRIu64 ": %s",
             summary->unreadable_locations,
             summary->unreadable_locations == 1 ? "location" : "locations",
             summary->unreadable_locations == 1 ? "its" : "their", summary->first_unreadable,
             summary->reason);
    }
    if (summary->events != summary->defined_events) {
        warn(info, "%" PRIu64 " events were read, the definitions promise %" PRIu64,
             summary->events, summary->defined_events);
    }
    if (!survey->has_clock || survey->ticks_per_second == 0) {
        warn(info, "the resolution of the clock is not defined");
    }
    if (summary->counts[FM_SURVEY_BUFFER_FLUSH] > 0) {
        warn(info, "the recorder wrote its buffers %" PRIu64 " times during the run",
             summary->counts[FM_SURVEY_BUFFER_FLUSH]);
    }
    if (summary->counts[FM_SURVEY_MEASUREMENT_ON_OFF] > 0) {
        warn(info, "recording was paused for a while: %" PRIu64 " events mark it",
             summary->counts[FM_SURVEY_MEASUREMENT_ON_OFF]);
    }
    if (summary->open_locations > 0) {
        warn(info,
             "%" PRIu64 " %s inside of functions or calls: the run ended there; fermata hang tells "
             "what they waited for",
             summary->open_locations,
             summary->open_locations == 1 ? "location ends" : "locations end");
    }
    if (summary->counts[FM_SURVEY_UNKNOWN] > 0) {
        warn(info, "%" PRIu64 " events are of kinds that this OTF2 library does not know",
             summary->counts[FM_SURVEY_UNKNOWN]);
    }
}

static const struct fm_summary *sorted_summary; /* for qsort() */

static int compare_visits(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    uint64_t visits_a = sorted_summary->visits[a];
    uint64_t visits_b = sorted_summary->visits[b];
    return visits_a != visits_b ? (visits_a < visits_b) - (visits_a > visits_b) : (a > b) - (a < b);
}

static void sort_regions(struct fm_info *info)
{
    for (uint32_t i = 0; i < info->survey->regions.count; i++) {
        if (info->summary->visits[i] > 0) {
            fm_vector_push(&info->top_regions, i);
        }
    }
    sorted_summary = info->summary;
    if (info->top_regions.count > 0) {
        qsort(info->top_regions.items, info->top_regions.count, sizeof *info->top_regions.items,
              compare_visits);
    }
}

static void count_processes(struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    uint32_t *threads = fm_allocate(survey->processes.count + 1, sizeof *threads);
    for (size_t i = 0; i < survey->locations.count; i++) {
        const struct fm_survey_location *location = &survey->locations.items[i];
        uint32_t process = fm_survey_find(&survey->process_index, location->process);
        if (process != FM_SURVEY_NONE && location->type == OTF2_LOCATION_TYPE_CPU_THREAD) {
            info->process_count += threads[process]++ == 0;
            info->max_threads =
                threads[process] > info->max_threads ? threads[process] : info->max_threads;
        }
    }
    fm_free(threads);
}

static int inform(void *argument)
{
    const struct request *request = argument;
    struct fm_survey *survey = NULL;
    struct fm_summary summary;
    struct fm_error error;
    fm_status_t status = fm_survey_open(request->archive, &survey, &error);
    if (status != FM_OK) {
        struct fm_error no_counters;
        if (fm_info_print_counters(request->archive, request->json, &no_counters) == FM_OK) {
            return FM_OK;
        }
        fprintf(stderr, "fermata info: %s\n", fm_safe_text(error.message));
        return status;
    }
    fm_summary_read(survey, &summary);
    struct fm_info info = {.survey = survey, .summary = &summary};
    info.environment = fm_environment_load(survey->directory);
    find_warnings(&info);
    if (fm_survey_read_markers(survey, &error) != FM_OK) {
        warn(&info, "%s", error.message);
    }
    sort_regions(&info);
    count_processes(&info);
    if (!request->json) {
        fm_info_print_text(&info);
    } else if (fm_info_print_json(&info) != 0) {
        fputs("fermata info: out of memory\n", stderr);
        status = FM_ERR_SYSTEM;
    }
    for (size_t i = 0; i < info.warnings.count; i++) {
        fm_free(info.warnings.items[i]);
    }
    fm_vector_free(&info.warnings);
    fm_vector_free(&info.top_regions);
    json_decref(info.environment);
    fm_summary_free(&summary);
    fm_survey_close(survey);
    return status;
}

int fm_command_info(int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", NULL};
    struct request request = {0};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_info, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        int format = 0;
        if (option != FM_OPTION_info_FORMAT) {
            return fm_options_stop(&reader, option);
        }
        if (fm_option_choice(&reader, formats, &format) != FM_OK) {
            return fm_options_complain(&reader);
        }
        request.json = format == 1;
    }
    if (!fm_options_operands(&reader, 1, 1, "one archive")) {
        return fm_options_complain(&reader);
    }
    request.archive = reader.operands[0];
    int status = fm_complete_experiment("info", request.archive);
    if (status != FM_OK) {
        return status;
    }
    fm_warn_of_experiment(request.archive);
    return fm_run_isolated("info", request.archive, FM_READING_CPU_SECONDS, inform, &request);
}
