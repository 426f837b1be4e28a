/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/info/info.h"

#include "base/text.h"
#include "cli/text/safe_text.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_REGIONS 15
#define SHOWN_COMMS   15
#define SHOWN_MARKERS 15
#define NAME_LENGTH   96

static void print_field(const char *title, const char *value)
{
    char safe[256];
    if (value != NULL && value[0] != '\0') {
        printf("%-14s %s\n", title, fm_safe_copy(safe, sizeof safe, value));
    }
}

static const char *environment_text(const struct fm_info *info, const char *key)
{
    return json_string_value(json_object_get(info->environment, key));
}

/* Numbers of bytes and events, readable at a glance. */
static void print_scaled(const char *title, double value, const char *unit, const char *suffix)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    size_t i = 0;
    while (value >= 10000 && i + 1 < sizeof prefixes / sizeof *prefixes) {
        value /= 1000;
        i++;
    }
    printf("%-14s %.*f %s%s%s\n", title, i == 0 ? 0 : 1, value, prefixes[i], unit, suffix);
}

static void print_origin(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    const char *program = fm_survey_string(survey, info->summary->program);
    char version[64];
    snprintf(version, sizeof version, "OTF2 %u.%u.%u", survey->version[0], survey->version[1],
             survey->version[2]);
    print_field("archive", survey->anchor);
    print_field("written by", survey->creator);
    print_field("format", version);
    print_field("program", program != NULL ? program : environment_text(info, "command"));
    print_field("machine", survey->machine);
    print_field("description", survey->description);
    print_field("recorded", environment_text(info, "recorded"));
}

static void print_clock(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    const struct fm_summary *summary = info->summary;
    if (survey->ticks_per_second > 0 && summary->events > 0) {
        uint64_t ticks = summary->last_time - summary->first_time;
        printf("%-14s %.6f s\n", "run time", (double)ticks / (double)survey->ticks_per_second);
    }
    if (survey->has_clock) {
        printf("%-14s %" PRIu64 " ticks per second, offset %" PRIu64 ", length %" PRIu64 " ticks",
               "clock", survey->ticks_per_second, survey->clock_offset, survey->clock_length);
        if (survey->clock_realtime != OTF2_UNDEFINED_TIMESTAMP) {
            printf(", begin %.3f s after 1970", (double)survey->clock_realtime / 1e9);
        }
        putchar('\n');
    }
}

/* What recording cost, as its closing line states. */
static void print_recorder(const struct fm_info *info)
{
    const json_t *recorder = json_object_get(info->environment, "recorder");
    if (json_is_object(recorder)) {
        const double percent = json_number_value(json_object_get(recorder, "overhead_percent"));
        char longer[FM_TEXT_NUMBER];
        printf("%-14s %.1f MB of memory a process, %.2f s of CPU time, makes the run %s\n",
               "recorder", json_number_value(json_object_get(recorder, "memory_bytes")) / 1e6,
               json_number_value(json_object_get(recorder, "cpu_seconds")),
               fm_text_longer(longer, percent / 100,
                              json_is_true(json_object_get(recorder, "overhead_is_least"))));
    }
}

/* How often the sampling clock fired, beside the rate that was asked for or is the highest one. */
static void print_samples(const struct fm_info *info)
{
    const json_t *sampling = json_object_get(info->environment, "sampling");
    const json_t *obtained = json_object_get(sampling, "obtained_hertz");
    const char *clock = json_string_value(json_object_get(sampling, "clock"));
    char safe[64];
    if (json_is_number(obtained)) {
        bool is_asked = json_is_true(json_object_get(sampling, "asked"));
        printf("%-14s %.0f taken, %.0f lost; %s of %s%g Hz fired %.0f times a second of CPU time\n",
               "samples", json_number_value(json_object_get(sampling, "samples")),
               json_number_value(json_object_get(sampling, "lost")),
               fm_safe_copy(safe, sizeof safe, clock != NULL ? clock : "timers"),
               is_asked ? "" : "up to ", json_number_value(json_object_get(sampling, "hertz")),
               json_number_value(obtained));
    }
}

static void print_size(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    char bytes_per_event[64] = "";
    printf("%-14s %u processes with %s%u %s, %zu locations\n", "size", info->process_count,
           info->max_threads > 1 ? "up to " : "", info->max_threads,
           info->max_threads == 1 ? "thread" : "threads", survey->locations.count);
    print_clock(info);
    printf("%-14s ", "paradigms");
    for (size_t i = 0; i < survey->paradigms.count; i++) {
        char safe[NAME_LENGTH];
        printf(
            "%s%s", i == 0 ? "" : ", ",
            fm_safe_copy(safe, sizeof safe, fm_info_paradigm(survey, &survey->paradigms.items[i])));
    }
    puts(survey->paradigms.count == 0 ? "none defined" : "");
    printf("%-14s %" PRIu64 "\n", "events", info->summary->events);
    if (info->summary->events > 0) {
        snprintf(bytes_per_event, sizeof bytes_per_event, ", %.1f bytes per event",
                 (double)info->summary->bytes / (double)info->summary->events);
    }
    print_scaled("on disk", (double)info->summary->bytes, "B", bytes_per_event);
    print_recorder(info);
    print_samples(info);
}

static void print_counts(const struct fm_info *info)
{
    const struct fm_summary *summary = info->summary;
    if (summary->events > 0) {
        printf("\n%-32s %14s\n", "event", "number");
    }
    for (int kind = 0; kind < FM_SURVEY_KINDS; kind++) {
        if (summary->counts[kind] > 0) {
            printf("%-32s %14" PRIu64 "\n", fm_survey_kind_name((fm_survey_kind_t)kind),
                   summary->counts[kind]);
        }
    }
}

/* Two columns; a long name takes columns of the number. */
static void print_row(const char *name, uint64_t number)
{
    enum { NAME_COLUMNS = 32, NUMBER_COLUMNS = 14 };
    size_t length = strlen(name);
    size_t excess = length > NAME_COLUMNS ? length - NAME_COLUMNS : 0;
    int room = excess < NUMBER_COLUMNS ? (int)(NUMBER_COLUMNS - excess) : 1;
    printf("%-*s %*" PRIu64 "\n", NAME_COLUMNS, name, room, number);
}

static void print_regions(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    size_t count = info->top_regions.count;
    char name[NAME_LENGTH];
    if (count > 0) {
        printf("\n%-32s %14s\n", "region", "visits");
    }
    for (size_t i = 0; i < count && i < SHOWN_REGIONS; i++) {
        uint32_t region = info->top_regions.items[i];
        const char *text =
            fm_survey_name(survey, survey->regions.items[region].name, "unnamed region");
        print_row(fm_safe_copy(name, sizeof name, text), info->summary->visits[region]);
    }
    if (count > SHOWN_REGIONS) {
        printf("... and %zu more\n", count - SHOWN_REGIONS);
    }
}

static void print_comms(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    char name[NAME_LENGTH];
    if (survey->comms.count > 0) {
        printf("\n%-32s %14s\n", "communicator", "processes");
    }
    for (uint32_t i = 0; i < survey->comms.count && i < SHOWN_COMMS; i++) {
        const char *text = fm_survey_name(survey, survey->comms.items[i].name, "unnamed");
        print_row(fm_safe_copy(name, sizeof name, text), fm_survey_comm_size(survey, i));
    }
    if (survey->comms.count > SHOWN_COMMS) {
        printf("... and %zu more\n", survey->comms.count - SHOWN_COMMS);
    }
    if (survey->windows.count > 0) {
        printf("\n%-32s %s\n", "window", "communicator");
    }
    for (uint32_t i = 0; i < survey->windows.count && i < SHOWN_COMMS; i++) {
        const struct fm_survey_window *window = &survey->windows.items[i];
        uint32_t comm = fm_survey_find(&survey->comm_index, window->comm);
        uint32_t comm_name =
            comm == FM_SURVEY_NONE ? FM_SURVEY_NONE : survey->comms.items[comm].name;
        printf("%-32s ",
               fm_safe_copy(name, sizeof name, fm_survey_name(survey, window->name, "unnamed")));
        puts(fm_safe_copy(name, sizeof name, fm_survey_name(survey, comm_name, "unnamed")));
    }
    if (survey->windows.count > SHOWN_COMMS) {
        printf("... and %zu more\n", survey->windows.count - SHOWN_COMMS);
    }
}

static void print_markers(const struct fm_info *info)
{
    const struct fm_survey *survey = info->survey;
    char text[NAME_LENGTH];
    if (survey->markers.count > 0) {
        printf("\n%-32s %14s %14s\n", "marker", "seconds", "location");
    }
    for (size_t i = 0; i < survey->markers.count && i < SHOWN_MARKERS; i++) {
        const struct fm_survey_marker *marker = &survey->markers.items[i];
        int64_t since = (int64_t)(marker->time - info->summary->first_time);
        printf("%-32s %14.6f", fm_safe_copy(text, sizeof text, marker->text),
               survey->ticks_per_second > 0 ? (double)since / (double)survey->ticks_per_second : 0);
        if (marker->has_location) {
            printf(" %14" PRIu64, marker->location);
        }
        putchar('\n');
    }
    if (survey->markers.count > SHOWN_MARKERS) {
        printf("... and %zu more\n", survey->markers.count - SHOWN_MARKERS);
    }
}

static void print_environment(const struct fm_info *info)
{
    enum { DIGITS = 9 }; /* 17, the default, show how numbers are stored */
    const char *key;
    json_t *value;
    if (info->environment == NULL) {
        return;
    }
    puts("\nenvironment");
    json_object_foreach(info->environment, key, value)
    {
        char name[NAME_LENGTH];
        char *text =
            json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS));
        printf("  %-20s %s\n", fm_safe_copy(name, sizeof name, key), text == NULL ? "" : text);
        free(text);
    }
}

void fm_info_print_text(const struct fm_info *info)
{
    print_origin(info);
    print_size(info);
    print_counts(info);
    print_regions(info);
    print_comms(info);
    print_markers(info);
    print_environment(info);
    for (size_t i = 0; i < info->warnings.count; i++) {
        printf("%swarning: %s\n", i == 0 ? "\n" : "", fm_safe_text(info->warnings.items[i]));
    }
}
