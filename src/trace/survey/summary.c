/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/survey/summary.h"

#include "base/merged_visit_names.h"
#include "base/polling_names.h"
#include "functions/paradigm_names.h"
#include "trace/clock/process_end.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define OPEN_FOLDERS 16

struct counting {
    const struct fm_survey *survey;
    struct fm_summary *summary;
    uint32_t entered; /* index of the region that the location has entered last; FM_SURVEY_NONE: it
                         has left one since */
    uint64_t depth;   /* regions of the location that are open */
    bool was_paused;  /* what it left meanwhile is not recorded */
};

/* A merged call of a library stands for several visits, and so does a region with merged ones. */
static void count_merged(const struct counting *counting, const struct fm_survey_event *event)
{
    const struct fm_survey *survey = counting->survey;
    const uint32_t index = fm_survey_find(&survey->parameter_index, event->parameter);
    if (index == FM_SURVEY_NONE || counting->entered == FM_SURVEY_NONE) {
        return;
    }
    const struct fm_survey_region *region = &survey->regions.items[counting->entered];
    const char *name = fm_survey_name(survey, survey->parameters.items[index].name, "");
    if (strcmp(name, FM_MERGED_VISITS) == 0) {
        counting->summary->visits[counting->entered] += event->value - 1;
        return;
    }
    if (strcmp(name, FM_MERGED_CALLS) == 0 && event->value != 0 &&
        fm_paradigm_classify(region->paradigm, fm_survey_name(survey, region->name, "")) !=
            FM_PARADIGM_USER) {
        counting->summary->visits[counting->entered] += event->value - 1;
    }
}

static void count_event(void *context, const struct fm_survey_event *event)
{
    struct counting *counting = context;
    struct fm_summary *summary = counting->summary;
    summary->counts[event->kind]++;
    if (summary->events == 0 || event->time < summary->first_time) {
        summary->first_time = event->time;
    }
    if (summary->events == 0 || event->time > summary->last_time) {
        summary->last_time = event->time;
    }
    summary->events++;
    if (event->kind == FM_SURVEY_ENTER) {
        uint32_t region = fm_survey_find(&counting->survey->region_index, event->reference);
        counting->entered = region;
        counting->depth++;
        if (region != FM_SURVEY_NONE) {
            summary->visits[region]++;
        }
    } else if (event->kind == FM_SURVEY_LEAVE) {
        counting->entered = FM_SURVEY_NONE;
        counting->depth -= counting->depth != 0;
    } else if (event->kind == FM_SURVEY_MEASUREMENT_ON_OFF) {
        counting->was_paused = true;
    } else if (event->kind == FM_SURVEY_PARAMETER_UNSIGNED_INT) {
        count_merged(counting, event);
    } else if (event->kind == FM_SURVEY_PROGRAM_BEGIN && summary->program == FM_SURVEY_NONE) {
        summary->program = event->reference;
    }
}

static uint64_t tree_bytes; /* nftw() has no user data; only one survey exists in a process */

static int add_bytes(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)path;
    (void)place;
    if (type == FTW_F) {
        tree_bytes += (uint64_t)status->st_size;
    }
    return 0;
}

/* An archive NAME consists of NAME.otf2, NAME.def, NAME.marker and the directory NAME. */
uint64_t fm_summary_bytes(const char *anchor)
{
    static const char *const endings[] = {".otf2", ".def", ".marker", ""};
    size_t length = strlen(anchor);
    size_t base = length > 5 && strcmp(anchor + length - 5, ".otf2") == 0 ? length - 5 : length;
    char *path = fm_allocate(length + 16, 1);
    tree_bytes = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, length + 16, "%.*s%s", (int)base, anchor, endings[i]);
        nftw(path, add_bytes, OPEN_FOLDERS, FTW_PHYS);
    }
    fm_free(path);
    return tree_bytes;
}

/* A location that ends inside of regions lasts as long as its process lived. */
static void end_location(struct counting *counting, const struct fm_survey_location *location)
{
    struct fm_summary *summary = counting->summary;
    if (counting->depth == 0 || counting->was_paused) {
        return;
    }
    const uint64_t end =
        fm_process_end(location->heartbeat, location->job_end, counting->survey->ticks_per_second);
    summary->open_locations++;
    if (end != UINT64_MAX && end > summary->last_time) {
        summary->last_time = end;
    }
}

void fm_summary_read(struct fm_survey *survey, struct fm_summary *summary)
{
    *summary = (struct fm_summary){.program = FM_SURVEY_NONE};
    summary->visits = fm_allocate(survey->regions.count + 1, sizeof *summary->visits);
    struct counting counting = {.survey = survey, .summary = summary};
    for (uint32_t i = 0; i < survey->locations.count; i++) {
        struct fm_error error;
        uint64_t count;
        counting.entered = FM_SURVEY_NONE;
        counting.depth = 0;
        counting.was_paused = false;
        summary->defined_events += survey->locations.items[i].defined_events;
        if (fm_survey_read(survey, i, count_event, &counting, &count, &error) != FM_OK) {
            if (summary->unreadable_locations++ == 0) {
                summary->first_unreadable = survey->locations.items[i].id;
                snprintf(summary->reason, sizeof summary->reason, "%.255s", error.message);
            }
        } else {
            end_location(&counting, &survey->locations.items[i]);
        }
    }
    summary->bytes = fm_summary_bytes(survey->anchor);
}

void fm_summary_free(struct fm_summary *summary)
{
    fm_free(summary->visits);
    summary->visits = NULL;
}
