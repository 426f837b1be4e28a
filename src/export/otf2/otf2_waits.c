/* SPDX-License-Identifier: BSD-3-Clause */
/* The archive with the results of the analysis as additional records: each wait state is a region
 * inside the waiting call, and a metric shows when a location is on the critical path. */
#include "diagnosis/process_word.h"
#include "export/event_source.h"
#include "export/otf2/otf2_copy.h"
#include "timeline/spans.h"

#include "base/memory.h"

struct additions {
    const struct fm_event_source *events;
    const struct fm_cube *cube;
    struct fm_process_word process;
    OTF2_RegionRef regions[FM_METRIC_COUNT]; /* [metric], for the metrics of wait states */
    struct fm_otf2_references unused;
    OTF2_AttributeList *attributes;
    uint32_t *by_location; /* segments of the critical path, by location and time */
    uint32_t *first;       /* [location]: first position in `by_location` */
    uint32_t location;
    uint32_t segment;                /* position in `by_location` of the current or next segment */
    bool on_path;                    /* the begin of the current segment has been written */
    const struct fm_candidate *wait; /* its begin is due after the events at `wait_from` */
    bool waiting;                    /* the end of the wait state is due at `wait_until` */
    uint64_t wait_from, wait_until;
    uint8_t wait_metric;
};

enum { ATTRIBUTE_RANK, ATTRIBUTE_LOCATION };

/* ---- critical path ---- */

/* Sorts the segments of the path by location; the path is already sorted by time. */
static void sort_segments(struct additions *additions)
{
    const struct fm_cube *cube = additions->cube;
    additions->first = fm_allocate(cube->location_count + (size_t)2, sizeof *additions->first);
    additions->by_location =
        fm_allocate(cube->segment_count + (size_t)1, sizeof *additions->by_location);
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        additions->first[cube->segments[i].location + 2]++;
    }
    for (uint32_t l = 2; l < cube->location_count + 2; l++) {
        additions->first[l] += additions->first[l - 1];
    }
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        additions->by_location[additions->first[cube->segments[i].location + 1]++] = i;
    }
}

static OTF2_ErrorCode put_on_path(struct additions *additions, OTF2_EvtWriter *writer,
                                  uint64_t time, bool on_path)
{
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = on_path};
    return OTF2_EvtWriter_Metric(writer, NULL, time, additions->unused.metric, 1, &type, &value);
}

/* Writes the begins and ends of segments up to `time`. */
static OTF2_ErrorCode advance_path(struct additions *additions, OTF2_EvtWriter *writer,
                                   uint64_t time)
{
    const struct fm_cube *cube = additions->cube;
    uint64_t begin = additions->events->begin;
    uint32_t end = additions->first[additions->location + 1];
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (code == OTF2_SUCCESS && additions->segment < end) {
        const struct fm_cube_segment *segment =
            &cube->segments[additions->by_location[additions->segment]];
        uint64_t next = begin + (additions->on_path ? segment->end : segment->begin);
        if (next > time) {
            break;
        }
        additions->on_path = !additions->on_path;
        code = put_on_path(additions, writer, next, additions->on_path);
        additions->segment += !additions->on_path;
    }
    return code;
}

/* ---- wait states ---- */

static OTF2_ErrorCode end_wait(struct additions *additions, OTF2_EvtWriter *writer)
{
    additions->waiting = false;
    return OTF2_EvtWriter_Leave(writer, NULL, additions->wait_until,
                                additions->regions[additions->wait_metric]);
}

static OTF2_ErrorCode begin_wait(struct additions *additions, OTF2_EvtWriter *writer)
{
    const struct fm_candidate *wait = additions->wait;
    const struct fm_location *cause =
        &additions->events->detail->trace->locations[wait->cause_location];
    OTF2_ErrorCode code = OTF2_AttributeList_AddUint32(additions->attributes,
                                                       additions->unused.attribute + ATTRIBUTE_RANK,
                                                       cause->process + additions->process.first);
    if (code == OTF2_SUCCESS) {
        code = OTF2_AttributeList_AddLocationRef(
            additions->attributes, additions->unused.attribute + ATTRIBUTE_LOCATION, cause->id);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_EvtWriter_Enter(writer, additions->attributes, additions->wait_from,
                                    additions->regions[wait->metric]);
    }
    additions->wait = NULL;
    additions->waiting = true;
    additions->wait_until = wait->t;
    additions->wait_metric = wait->metric;
    return code;
}

/* ---- callbacks of the copy ---- */

static void number_regions(struct additions *additions, const struct fm_otf2_references *unused)
{
    OTF2_RegionRef next = unused->region;
    for (unsigned m = 0; m < fm_metric_end(); m++) {
        additions->regions[m] =
            fm_metric_info((fm_metric_t)m)->is_wait_state ? next++ : OTF2_UNDEFINED_REGION;
    }
}

static OTF2_ErrorCode begin(void *context, OTF2_EvtWriter *writer, uint32_t location,
                            const struct fm_otf2_references *unused)
{
    (void)writer;
    struct additions *additions = context;
    additions->unused = *unused;
    number_regions(additions, unused);
    additions->location = location;
    additions->segment = additions->first[location];
    additions->on_path = additions->waiting = false;
    additions->wait = NULL;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode advance(void *context, OTF2_EvtWriter *writer, uint64_t time)
{
    struct additions *additions = context;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (additions->wait != NULL && additions->wait_from < time) {
        code = begin_wait(additions, writer);
    }
    if (code == OTF2_SUCCESS && additions->waiting && additions->wait_until < time) {
        code = advance_path(additions, writer, additions->wait_until);
        if (code == OTF2_SUCCESS) {
            code = end_wait(additions, writer);
        }
    }
    return code == OTF2_SUCCESS ? advance_path(additions, writer, time) : code;
}

/* Records of the call at the time of its Enter belong to the call, not to its waiting. */
static OTF2_ErrorCode entered(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time)
{
    (void)writer;
    struct additions *additions = context;
    additions->wait = fm_span_wait(additions->events->detail, additions->location, activity);
    additions->wait_from = time;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode leaving(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time)
{
    (void)activity, (void)time;
    struct additions *additions = context;
    OTF2_ErrorCode code = additions->wait == NULL ? OTF2_SUCCESS : begin_wait(additions, writer);
    return code == OTF2_SUCCESS && additions->waiting ? end_wait(additions, writer) : code;
}

static OTF2_ErrorCode define_string(OTF2_GlobalDefWriter *writer, OTF2_StringRef *next,
                                    const char *text, OTF2_StringRef *string)
{
    *string = (*next)++;
    return OTF2_GlobalDefWriter_WriteString(writer, *string, text);
}

static OTF2_ErrorCode define_wait_states(const struct additions *additions,
                                         OTF2_GlobalDefWriter *writer, OTF2_StringRef *next)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (unsigned m = 0; m < fm_metric_end() && code == OTF2_SUCCESS; m++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)m);
        OTF2_StringRef name = 0, id = 0, description = 0;
        if (!info->is_wait_state) {
            continue;
        }
        code = define_string(writer, next, info->name, &name);
        if (code == OTF2_SUCCESS) {
            code = define_string(writer, next, info->id, &id);
        }
        if (code == OTF2_SUCCESS) {
            code = define_string(writer, next, info->description, &description);
        }
        if (code == OTF2_SUCCESS) {
            code = OTF2_GlobalDefWriter_WriteRegion(
                writer, additions->regions[m], name, id, description, OTF2_REGION_ROLE_ARTIFICIAL,
                OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
                0);
        }
    }
    return code;
}

static OTF2_ErrorCode define_attributes(OTF2_GlobalDefWriter *writer, OTF2_StringRef *next,
                                        const struct fm_otf2_references *unused,
                                        struct fm_process_word word)
{
    char process[32];
    snprintf(process, sizeof process, "caused by %s", word.one);
    const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[] = {
        [ATTRIBUTE_RANK] = {process, "whose lateness ends the wait state", OTF2_TYPE_UINT32},
        [ATTRIBUTE_LOCATION] = {"caused by location", "whose lateness ends the wait state",
                                OTF2_TYPE_LOCATION},
    };
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint32_t i = 0; i < 2 && code == OTF2_SUCCESS; i++) {
        OTF2_StringRef name = 0, description = 0;
        code = define_string(writer, next, attributes[i].name, &name);
        if (code == OTF2_SUCCESS) {
            code = define_string(writer, next, attributes[i].description, &description);
        }
        if (code == OTF2_SUCCESS) {
            code = OTF2_GlobalDefWriter_WriteAttribute(writer, unused->attribute + i, name,
                                                       description, attributes[i].type);
        }
    }
    return code;
}

static OTF2_ErrorCode define_path(OTF2_GlobalDefWriter *writer, OTF2_StringRef *next,
                                  const struct fm_otf2_references *unused)
{
    OTF2_StringRef name = 0, description = 0, unit = 0;
    OTF2_ErrorCode code = define_string(writer, next, "critical path", &name);
    if (code == OTF2_SUCCESS) {
        code = define_string(writer, next, "1 while the location is on the critical path",
                             &description);
    }
    if (code == OTF2_SUCCESS) {
        code = define_string(writer, next, "#", &unit);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_GlobalDefWriter_WriteMetricMember(
            writer, unused->metric_member, name, description, OTF2_METRIC_TYPE_OTHER,
            OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, unit);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_GlobalDefWriter_WriteMetricClass(
            writer, unused->metric, 1, &unused->metric_member, OTF2_METRIC_ASYNCHRONOUS,
            OTF2_RECORDER_KIND_ABSTRACT);
    }
    return code;
}

static OTF2_ErrorCode define(void *context, OTF2_GlobalDefWriter *writer,
                             const struct fm_otf2_references *unused)
{
    struct additions *additions = context;
    OTF2_StringRef next = unused->string;
    number_regions(additions, unused);
    OTF2_ErrorCode code = define_wait_states(additions, writer, &next);
    if (code == OTF2_SUCCESS) {
        code = define_attributes(writer, &next, unused, additions->process);
    }
    return code == OTF2_SUCCESS ? define_path(writer, &next, unused) : code;
}

static fm_status_t write_archive(const struct fm_export_request *request, const char *directory,
                                 struct fm_error *error)
{
    struct fm_event_source events;
    fm_status_t status = fm_event_source_open(&events, request, error);
    if (status != FM_OK) {
        return status;
    }
    struct additions additions = {.events = &events,
                                  .cube = events.cube,
                                  .process = fm_process_word(events.cube),
                                  .attributes = OTF2_AttributeList_New()};
    sort_segments(&additions);
    const struct fm_otf2_additions functions = {.context = &additions,
                                                .define = define,
                                                .begin = begin,
                                                .advance = advance,
                                                .entered = entered,
                                                .leaving = leaving};
    status = fm_otf2_copy(events.detail->trace, directory, &functions, error);
    OTF2_AttributeList_Delete(additions.attributes);
    fm_free(additions.by_location);
    fm_free(additions.first);
    fm_event_source_close(&events);
    return status;
}

const struct fm_export_format fm_export_otf2_waits = {
    .name = "otf2",
    .file = "otf2-waits",
    .summary = "the trace with wait states and the critical path as further records",
    .of_events = true,
    .write_directory = write_archive,
};
