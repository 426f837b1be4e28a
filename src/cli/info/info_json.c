#include "cli/info/info.h"

#include "cli/text/safe_text.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* JSON is UTF-8: other bytes become question marks; an unknown text is null. */
static json_t *text(const char *value)
{
    json_t *string = value == NULL ? json_null() : json_string(value);
    if (string == NULL) {
        char *copy = fm_copy_string(value);
        for (char *byte = copy; *byte != '\0'; byte++) {
            *byte = (*byte & 0x80) != 0 ? '?' : *byte;
        }
        string = json_string(copy);
        fm_free(copy);
    }
    return string;
}

static json_t *number(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static json_t *name_of(const struct fm_survey *survey, uint32_t reference)
{
    return text(fm_survey_string(survey, reference));
}

static json_t *clock_object(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    json_t *clock = json_object();
    json_object_set_new(clock, "ticks_per_second", number(survey->ticks_per_second));
    json_object_set_new(clock, "offset", number(survey->clock_offset));
    json_object_set_new(clock, "length", number(survey->clock_length));
    json_object_set_new(clock, "realtime_ns",
                        survey->clock_realtime == OTF2_UNDEFINED_TIMESTAMP
                            ? json_null()
                            : number(survey->clock_realtime));
    return clock;
}

static json_t *paradigm_array(const struct fm_info *info)
{
    json_t *paradigms = json_array();
    for (size_t i = 0; i < info->survey->paradigms.count; i++) {
        json_array_append_new(paradigms,
                              text(fm_info_paradigm_name(info->survey->paradigms.items[i])));
    }
    return paradigms;
}

static json_t *count_object(const struct fm_info *info)
{
    json_t *counts = json_object();
    for (int kind = 0; kind < FM_SURVEY_KINDS; kind++) {
        if (info->summary->counts[kind] > 0) {
            json_object_set_new(counts, fm_survey_kind_name((fm_survey_kind_t)kind),
                                number(info->summary->counts[kind]));
        }
    }
    return counts;
}

static json_t *region_array(const struct fm_info *info)
{
    json_t *regions = json_array();
    for (size_t i = 0; i < info->top_regions.count; i++) {
        uint32_t index = info->top_regions.items[i];
        const struct fm_survey_region *definition = &info->survey->regions.items[index];
        json_t *region = json_object();
        json_object_set_new(region, "name", name_of(info->survey, definition->name));
        json_object_set_new(region, "paradigm", text(fm_info_paradigm_name(definition->paradigm)));
        json_object_set_new(region, "visits", number(info->summary->visits[index]));
        json_array_append_new(regions, region);
    }
    return regions;
}

static json_t *comm_array(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    json_t *comms = json_array();
    for (uint32_t i = 0; i < survey->comms.count; i++) {
        json_t *comm = json_object();
        json_object_set_new(comm, "id", number(survey->comms.items[i].reference));
        json_object_set_new(comm, "name", name_of(survey, survey->comms.items[i].name));
        json_object_set_new(comm, "ranks", number(fm_survey_comm_size(survey, i)));
        json_array_append_new(comms, comm);
    }
    return comms;
}

static json_t *window_array(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    json_t *windows = json_array();
    for (uint32_t i = 0; i < survey->windows.count; i++) {
        json_t *window = json_object();
        json_object_set_new(window, "id", number(survey->windows.items[i].reference));
        json_object_set_new(window, "name", name_of(survey, survey->windows.items[i].name));
        json_object_set_new(window, "communicator", number(survey->windows.items[i].comm));
        json_array_append_new(windows, window);
    }
    return windows;
}

static json_t *marker_array(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    json_t *markers = json_array();
    for (size_t i = 0; i < survey->markers.count; i++) {
        const struct fm_survey_marker *definition = &survey->markers.items[i];
        json_t *marker = json_object();
        json_object_set_new(marker, "time", number(definition->time));
        json_object_set_new(marker, "group",
                            definition->group == FM_SURVEY_NONE
                                ? json_null()
                                : text(survey->marker_groups.items[definition->group]));
        json_object_set_new(marker, "location",
                            definition->has_location ? number(definition->location) : json_null());
        json_object_set_new(marker, "text", text(definition->text));
        json_array_append_new(markers, marker);
    }
    return markers;
}

static json_t *property_object(const struct fm_info *info)
{
    json_t *properties = json_object();
    for (size_t i = 0; i < info->survey->properties.count; i++) {
        const struct fm_survey_property *property = &info->survey->properties.items[i];
        json_object_set_new(properties, property->name, text(property->value));
    }
    return properties;
}

static json_t *warning_array(const struct fm_info *info)
{
    json_t *warnings = json_array();
    for (size_t i = 0; i < info->warnings.count; i++) {
        json_array_append_new(warnings, text(info->warnings.items[i]));
    }
    return warnings;
}

int fm_info_print_json(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    const struct fm_summary *summary = info->summary;
    char version[16];
    snprintf(version, sizeof version, "%u.%u.%u", survey->version[0], survey->version[1],
             survey->version[2]);
    json_t *root = json_object();
    json_object_set_new(root, "archive", text(survey->anchor));
    json_object_set_new(root, "creator", text(survey->creator));
    json_object_set_new(root, "format_version", text(version));
    json_object_set_new(root, "program", name_of(survey, summary->program));
    json_object_set_new(root, "machine", text(survey->machine));
    json_object_set_new(root, "description", text(survey->description));
    json_object_set_new(root, "properties", property_object(info));
    json_object_set_new(root, "processes", number(info->process_count));
    json_object_set_new(root, "max_threads", number(info->max_threads));
    json_object_set_new(root, "locations", number(survey->locations.count));
    json_object_set_new(root, "clock", survey->has_clock ? clock_object(info) : json_null());
    json_object_set_new(root, "run_time_s",
                        survey->ticks_per_second > 0 && summary->events > 0
                            ? json_real((double)(summary->last_time - summary->first_time) /
                                        (double)survey->ticks_per_second)
                            : json_null());
    json_object_set_new(root, "paradigms", paradigm_array(info));
    json_object_set_new(root, "events", number(summary->events));
    json_object_set_new(root, "event_kinds", count_object(info));
    json_object_set_new(root, "regions", region_array(info));
    json_object_set_new(root, "communicators", comm_array(info));
    json_object_set_new(root, "windows", window_array(info));
    json_object_set_new(root, "markers", marker_array(info));
    json_object_set_new(root, "bytes", number(summary->bytes));
    json_object_set_new(root, "bytes_per_event",
                        summary->events > 0
                            ? json_real((double)summary->bytes / (double)summary->events)
                            : json_null());
    json_object_set(root, "environment",
                    info->environment == NULL ? json_null() : info->environment);
    json_object_set_new(root, "warnings", warning_array(info));
    char *output = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    if (output == NULL) {
        return -1;
    }
    puts(output);
    free(output);
    return 0;
}
