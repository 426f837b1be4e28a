/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/info/info.h"

#include "base/json/json_writer.h"

#include <math.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

static void put_name(struct fm_json *json, const struct fm_survey *survey, uint32_t reference)
{
    fm_json_string(json, "name", fm_survey_string(survey, reference));
}

static void put_clock(struct fm_json *json, const struct fm_survey *survey)
{
    if (!survey->has_clock) {
        fm_json_null(json, "clock");
        return;
    }
    fm_json_object(json, "clock");
    fm_json_unsigned(json, "ticks_per_second", survey->ticks_per_second);
    fm_json_unsigned(json, "offset", survey->clock_offset);
    fm_json_unsigned(json, "length", survey->clock_length);
    if (survey->clock_realtime == OTF2_UNDEFINED_TIMESTAMP) {
        fm_json_null(json, "realtime_ns");
    } else {
        fm_json_unsigned(json, "realtime_ns", survey->clock_realtime);
    }
    fm_json_end(json);
}

static void put_paradigms(struct fm_json *json, const struct fm_survey *survey)
{
    fm_json_array(json, "paradigms");
    for (size_t i = 0; i < survey->paradigms.count; i++) {
        fm_json_string(json, NULL, fm_info_paradigm(survey, &survey->paradigms.items[i]));
    }
    fm_json_end(json);
}

static void put_counts(struct fm_json *json, const struct fm_summary *summary)
{
    fm_json_object(json, "event_kinds");
    for (int kind = 0; kind < FM_SURVEY_KINDS; kind++) {
        if (summary->counts[kind] > 0) {
            fm_json_unsigned(json, fm_survey_kind_name((fm_survey_kind_t)kind),
                             summary->counts[kind]);
        }
    }
    fm_json_end(json);
}

static void put_regions(struct fm_json *json, const struct fm_info *info)
{
    fm_json_array(json, "regions");
    for (size_t i = 0; i < info->top_regions.count; i++) {
        uint32_t index = info->top_regions.items[i];
        const struct fm_survey_region *region = &info->survey->regions.items[index];
        fm_json_object(json, NULL);
        put_name(json, info->survey, region->name);
        fm_json_string(json, "paradigm", fm_info_region_paradigm(info->survey, region));
        fm_json_unsigned(json, "visits", info->summary->visits[index]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_communicators(struct fm_json *json, const struct fm_survey *survey)
{
    fm_json_array(json, "communicators");
    for (uint32_t i = 0; i < survey->comms.count; i++) {
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "id", survey->comms.items[i].reference);
        put_name(json, survey, survey->comms.items[i].name);
        fm_json_unsigned(json, "ranks", fm_survey_comm_size(survey, i));
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_windows(struct fm_json *json, const struct fm_survey *survey)
{
    fm_json_array(json, "windows");
    for (uint32_t i = 0; i < survey->windows.count; i++) {
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "id", survey->windows.items[i].reference);
        put_name(json, survey, survey->windows.items[i].name);
        fm_json_unsigned(json, "communicator", survey->windows.items[i].comm);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_markers(struct fm_json *json, const struct fm_survey *survey)
{
    fm_json_array(json, "markers");
    for (size_t i = 0; i < survey->markers.count; i++) {
        const struct fm_survey_marker *marker = &survey->markers.items[i];
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "time", marker->time);
        fm_json_string(
            json, "group",
            marker->group == FM_SURVEY_NONE ? NULL : survey->marker_groups.items[marker->group]);
        if (marker->has_location) {
            fm_json_unsigned(json, "location", marker->location);
        } else {
            fm_json_null(json, "location");
        }
        fm_json_string(json, "text", marker->text);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* @return 0, -1 without memory */
static int put_environment(struct fm_json *json, const json_t *environment)
{
    char *text = environment == NULL ? NULL : json_dumps(environment, JSON_INDENT(2));
    if (environment != NULL && text == NULL) {
        return -1;
    }
    fm_json_raw(json, "environment", text == NULL ? "null" : text);
    free(text);
    return 0;
}

static void put_properties(struct fm_json *json, const struct fm_survey *survey)
{
    fm_json_object(json, "properties");
    for (size_t i = 0; i < survey->properties.count; i++) {
        fm_json_string(json, survey->properties.items[i].name, survey->properties.items[i].value);
    }
    fm_json_end(json);
}

int fm_info_print_json(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    const struct fm_summary *summary = info->summary;
    double ticks = (double)(summary->last_time - summary->first_time);
    bool has_events = summary->events > 0;
    char version[16];
    snprintf(version, sizeof version, "%u.%u.%u", survey->version[0], survey->version[1],
             survey->version[2]);
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_string(&json, "archive", survey->anchor);
    fm_json_string(&json, "creator", survey->creator);
    fm_json_string(&json, "format_version", version);
    fm_json_string(&json, "program", fm_survey_string(survey, summary->program));
    fm_json_string(&json, "machine", survey->machine);
    fm_json_string(&json, "description", survey->description);
    put_properties(&json, survey);
    fm_json_unsigned(&json, "processes", info->process_count);
    fm_json_unsigned(&json, "max_threads", info->max_threads);
    fm_json_unsigned(&json, "locations", survey->locations.count);
    put_clock(&json, survey);
    fm_json_double(&json, "run_time_s",
                   survey->ticks_per_second > 0 && has_events
                       ? ticks / (double)survey->ticks_per_second
                       : NAN);
    put_paradigms(&json, survey);
    fm_json_unsigned(&json, "events", summary->events);
    put_counts(&json, summary);
    put_regions(&json, info);
    put_communicators(&json, survey);
    put_windows(&json, survey);
    put_markers(&json, survey);
    fm_json_unsigned(&json, "bytes", summary->bytes);
    fm_json_double(&json, "bytes_per_event",
                   has_events ? (double)summary->bytes / (double)summary->events : NAN);
    int status = put_environment(&json, info->environment);
    fm_json_array(&json, "warnings");
    for (size_t i = 0; i < info->warnings.count; i++) {
        fm_json_string(&json, NULL, info->warnings.items[i]);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    putchar('\n');
    return status;
}
