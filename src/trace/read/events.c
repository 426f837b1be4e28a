/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the events of an archive into the tables of the trace. */
#include "trace/read/events.h"

#include "trace/archive/anchor.h"
#include "trace/archive/otf2_error.h"
#include "trace/archive/record_count.h"
#include "trace/clock/process_end.h"
#include "trace/read/calling_contexts.h"
#include "trace/read/event_callbacks.h"
#include "trace/read/event_decoder.h"

/* Both readers of events and the sink that receives the events. */
struct readers {
    OTF2_Reader *archive;
    OTF2_EvtReaderCallbacks *callbacks;
    struct fm_event_files files;
    struct fm_event_readers *used;
    struct fm_event_sink sink;
};

/* Whether OTF2 failed because memory is exhausted, not because damaged data demand too much. */
static bool lacks_memory(OTF2_Reader *archive)
{
    uint64_t events = 0, definitions = 0;
    return fm_otf2_error_is_memory() &&
           OTF2_Reader_GetChunkSize(archive, &events, &definitions) == OTF2_SUCCESS &&
           events <= OTF2_CHUNK_SIZE_MAX;
}

static void note_events(struct fm_location *location, uint64_t read)
{
    /* The builder does not count events that the analysis ignores. */
    location->event_count = read > location->event_count ? read : location->event_count;
}

/* @return false if OTF2 has to read the location; it is then as it was begun */
static bool decode_location(struct readers *readers, const struct fm_location_maps *maps)
{
    struct fm_event_sink *sink = &readers->sink;
    struct fm_location *location = sink->builder.location;
    if (readers->used->only_otf2 || !fm_event_files_usable(&readers->files) ||
        !fm_location_maps_are_exact(maps) ||
        !fm_event_files_select(&readers->files, location->id)) {
        return false;
    }
    uint32_t program_name = sink->program_name;
    uint64_t read = 0;
    sink->maps = maps;
    sink->clock = &maps->clock;
    if (!fm_events_decode(sink, &readers->files, &maps->clock, &read)) {
        fm_builder_restart_location(&sink->builder);
        fm_event_contexts_begin(sink);
        sink->program_name = program_name;
        return false;
    }
    note_events(location, read);
    return true;
}

static void read_by_otf2(struct readers *readers, const struct fm_location_maps *maps)
{
    struct fm_event_sink *sink = &readers->sink;
    struct fm_location *location = sink->builder.location;
    uint64_t most = fm_record_count_events(&readers->files, location->id);
    bool has_lines = fm_location_has_lines(maps);
    sink->maps = has_lines ? maps : NULL;
    sink->clock = &maps->clock;
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(readers->archive, location->id);
    bool complete = false;
    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks(readers->archive, events, readers->callbacks, sink);
        uint64_t read = 0;
        if (has_lines) {
            OTF2_EvtReader_ApplyMappingTables(events, false);
        }
        if (sink->builder.trace->ignores_clock_offsets) {
            OTF2_EvtReader_ApplyClockOffsets(events, false);
        }
        complete =
            OTF2_Reader_ReadLocalEvents(readers->archive, events, most, &read) == OTF2_SUCCESS &&
            read < most;
        OTF2_Reader_CloseEvtReader(readers->archive, events);
        note_events(location, read);
    }
    if (!complete && location->defined_events != location->event_count) {
        if (lacks_memory(readers->archive)) {
            fm_memory_exhausted();
        }
        sink->builder.defects->missing_locations++;
        location->is_incomplete = true;
    }
    (void)fm_otf2_error_take();
}

/* Notes until when a process lived, in the repaired time of one of its locations. */
static void note_end(struct fm_event_sink *sink, const struct fm_clock_correction *clock)
{
    const struct fm_trace *trace = sink->builder.trace;
    struct fm_location *location = sink->builder.location;
    const struct fm_process *process = &trace->processes[location->process];
    uint64_t end = fm_process_end(process->heartbeat, process->job_end, trace->ticks_per_second);
    if (end == UINT64_MAX) {
        return;
    }
    size_t interval = 0;
    if (fm_clock_correct(clock, &interval, &end)) {
        location->lasts_to = fm_event_repaired(sink, end);
    }
}

static void read_location(struct readers *readers, uint32_t index, struct fm_location_maps *maps)
{
    struct fm_builder *builder = &readers->sink.builder;
    fm_builder_begin_location(builder, index);
    builder->location->has_clock_offsets = maps->clock.has_offset;
    if (builder->trace->ignores_clock_offsets) {
        fm_clock_free(&maps->clock);
    }
    fm_event_sink_use_lines(&readers->sink, maps);
    fm_event_contexts_begin(&readers->sink);
    builder->location->is_unreadable = builder->location->is_incomplete = maps->damaged;
    if (maps->damaged) {
        builder->defects->missing_locations++;
    } else if (decode_location(readers, maps)) {
        readers->used->decoded++;
    } else {
        read_by_otf2(readers, maps);
        readers->used->by_otf2++;
    }
    note_end(&readers->sink, &maps->clock);
    fm_builder_end_location(builder);
}

static void read_processes(struct readers *readers, uint32_t first, uint32_t last,
                           struct fm_location_maps *maps)
{
    const struct fm_trace *trace = readers->sink.builder.trace;
    for (uint32_t process = first; process < last; process++) {
        for (uint32_t t = 0; t < trace->processes[process].location_count; t++) {
            uint32_t location = trace->processes[process].first_location + t;
            read_location(readers, location, maps);
            fm_location_maps_free(maps++);
            if (trace->read_events != NULL) {
                atomic_fetch_add(trace->read_events, trace->locations[location].event_count);
            }
        }
        fm_builder_end_process(&readers->sink.builder);
    }
}

/* @return the local definitions of the locations first .. last - 1; to be freed */
static struct fm_location_maps *read_local_definitions(OTF2_Reader *archive,
                                                       const struct fm_trace *trace, uint32_t first,
                                                       uint32_t last)
{
    struct fm_location_maps *maps = fm_allocate(last - first, sizeof *maps);
    struct fm_event_files files;
    fm_event_files_open(&files, FM_FILES_DEFINITIONS, archive, trace->anchor);
    if (OTF2_Reader_OpenDefFiles(archive) == OTF2_SUCCESS) {
        for (uint32_t i = first; i < last; i++) {
            fm_location_maps_read(archive, trace->anchor, &files, trace->locations[i].id,
                                  &maps[i - first]);
        }
        OTF2_Reader_CloseDefFiles(archive);
    }
    fm_event_files_close(&files);
    (void)fm_otf2_error_take();
    return maps;
}

/* The process of lowest index that was read determines the name of the program. */
static void name_program(struct fm_trace *trace, const struct fm_event_sink *sink)
{
    uint32_t text = fm_references_find(&sink->references->strings, sink->program_name);
    if (sink->program_name != FM_NONE && text != FM_NONE) {
        fm_trace_name_program(trace, (struct fm_program_name){sink->program_process, text});
    }
}

/* @return end of the part of first .. last - 1 that one OTF2 reader reads */
static uint32_t end_of_part(const struct fm_trace *trace, uint32_t first, uint32_t last)
{
    uint32_t locations = trace->processes[first].location_count;
    while (++first < last && locations < FM_LOCATIONS_OF_A_READER) {
        locations += trace->processes[first].location_count;
    }
    return first;
}

/* Reads the processes first .. last - 1 with one OTF2 reader. */
static fm_status_t load_part(struct readers *readers, uint32_t first, uint32_t last,
                             struct fm_error *error)
{
    const struct fm_trace *trace = readers->sink.builder.trace;
    fm_status_t status = fm_anchor_open(trace->anchor, &readers->archive, error);
    if (status != FM_OK) {
        return status;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(readers->archive);
    uint32_t first_location = fm_trace_first_location(trace, first);
    uint32_t last_location = fm_trace_first_location(trace, last);
    for (uint32_t i = first_location; i < last_location; i++) {
        OTF2_Reader_SelectLocation(readers->archive, trace->locations[i].id);
    }
    struct fm_location_maps *maps =
        read_local_definitions(readers->archive, trace, first_location, last_location);
    fm_event_files_open(&readers->files, FM_FILES_EVENTS, readers->archive, trace->anchor);
    OTF2_Reader_OpenEvtFiles(readers->archive);
    read_processes(readers, first, last, maps);
    fm_event_files_close(&readers->files);
    fm_free(maps);
    OTF2_Reader_Close(readers->archive);
    return FM_OK;
}

fm_status_t fm_events_load(struct fm_trace *trace, uint32_t first, uint32_t last,
                           struct fm_event_readers *used, struct fm_trace_defects *defects,
                           struct fm_error *error)
{
    struct readers readers = {
        .callbacks = fm_event_callbacks_new(),
        .used = used,
        .sink = {.references = fm_trace_private(trace), .program_name = FM_NONE}};
    fm_builder_open(&readers.sink.builder, trace, defects);
    fm_status_t status = FM_OK;
    for (uint32_t begin = first, end; begin < last && status == FM_OK; begin = end) {
        end = end_of_part(trace, begin, last);
        status = load_part(&readers, begin, end, error);
    }
    OTF2_EvtReaderCallbacks_Delete(readers.callbacks);
    fm_builder_close(&readers.sink.builder);
    fm_vector_free(&readers.sink.calls);
    fm_vector_free(&readers.sink.open_contexts);
    fm_vector_free(&readers.sink.next_contexts);
    name_program(trace, &readers.sink);
    return status;
}

fm_status_t fm_trace_load(struct fm_trace *trace, uint32_t first, uint32_t last,
                          struct fm_trace_defects *defects, struct fm_error *error)
{
    struct fm_event_readers readers = {.only_otf2 = false};
    return fm_events_load(trace, first, last, &readers, defects, error);
}
