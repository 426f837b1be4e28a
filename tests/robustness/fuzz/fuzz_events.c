/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes behind the header of a chunk are an event file that is decoded, or refused. What the
 * decoder has built before it refuses a file can be thrown away and built again. */
#include "trace/read/event_decoder.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAIN, SEND, WAIT, PUT, FENCE, LOCK, PROBE, DUPLICATE, STEP, REGIONS };
enum { THREADS = 2, CHUNK = 4096, HEADER = 18 };

static struct fm_region regions[REGIONS] = {
    [MAIN] = {.name = "main", .is_computation = true},
    [SEND] = {.name = "MPI_Isend", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    [WAIT] = {.name = "MPI_Wait", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    [PUT] = {.name = "MPI_Rput", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_REQUEST_OPERATION},
    [FENCE] = {.name = "MPI_Win_fence", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    [LOCK] = {.name = "MPI_Win_lock", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    [PROBE] = {.name = "MPI_Mprobe", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_MATCHED_PROBE},
    [DUPLICATE] = {.name = "MPI_Comm_idup",
                   .paradigm = FM_PARADIGM_MPI,
                   .call = FM_CALL_DETACHED_COMMUNICATOR},
    [STEP] = {.name = "step", .is_phase = true},
};
static uint32_t members[] = {0, 1};
static struct fm_communicator communicators[] = {
    {.size = 2, .first_group_size = 2, .members = members}};
static struct fm_window windows[] = {{.name = NULL}};
static struct fm_group groups[] = {{2, members}};
static struct fm_counter counters[] = {{.name = "a", .unit = "", .scale = 1},
                                       {.name = "b", .unit = "", .is_relative = true, .scale = 2}};

static void define(struct fm_trace_private *references)
{
    for (uint32_t i = 0; i < REGIONS; ++i) {
        fm_references_define(&references->regions, i, i);
    }
    for (uint32_t i = 0; i < FM_ATTRIBUTE_COUNT; ++i) {
        fm_references_define(&references->attributes, i, i);
    }
    fm_references_define(&references->communicators, 0, 0);
    fm_references_define(&references->windows, 0, 0);
    fm_references_define(&references->groups, 0, 0);
    fm_references_define(&references->metrics, 0, 0);
    fm_vector_push(&references->sets, (struct fm_counter_set){0, 2});
    fm_vector_push(&references->set_members, 0);
    fm_vector_push(&references->set_members, 1);
}

static void forget(struct fm_trace_private *references)
{
    fm_references_free(&references->regions);
    fm_references_free(&references->attributes);
    fm_references_free(&references->communicators);
    fm_references_free(&references->windows);
    fm_references_free(&references->groups);
    fm_references_free(&references->metrics);
    fm_vector_free(&references->sets);
    fm_vector_free(&references->set_members);
}

static int file_of(const uint8_t *header, const uint8_t *data, size_t size)
{
    int file = memfd_create("events", MFD_CLOEXEC);
    if (file < 0 || write(file, header, HEADER) < 0 || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    return file;
}

/* Both threads of a process have the same events. */
static void decode(const uint8_t *data, size_t size, bool with_maps)
{
    static const uint8_t header[HEADER] = {3, 0x42};
    struct fm_location locations[THREADS];
    struct fm_process process = {.location_count = THREADS};
    struct fm_trace_private references = {
        .trace = {.regions = regions,
                  .region_count = REGIONS,
                  .processes = &process,
                  .process_count = 1,
                  .locations = locations,
                  .location_count = THREADS,
                  .communicators = communicators,
                  .communicator_count = 1,
                  .windows = windows,
                  .window_count = 1,
                  .groups = groups,
                  .group_count = 1,
                  .counters = counters,
                  .counter_count = 2,
                  .in_detail = true},
        .program_region = MAIN,
    };
    struct fm_trace_defects defects = {0};
    struct fm_location_maps maps = {.unusable = false};
    struct fm_event_files files;
    struct fm_event_sink sink = {.references = &references, .program_name = FM_NONE};
    define(&references);
    if (with_maps) {
        fm_vector_push(&maps.of[FM_MAP_REGIONS], 3);
        fm_vector_push(&maps.of[FM_MAP_ATTRIBUTES], 1);
        fm_clock_add(&maps.clock, 10, 5);
        fm_clock_add(&maps.clock, 1000, 900000000);
        fm_clock_add(&maps.clock, 2000, -7);
        sink.maps = &maps;
    }
    fm_builder_open(&sink.builder, &references.trace, &defects);
    fm_event_files_use(&files, FM_FILES_EVENTS, "", CHUNK);
    for (uint32_t i = 0; i < THREADS; ++i) {
        locations[i] =
            (struct fm_location){.id = i, .thread = i, .begin = UINT64_MAX, .lasts_to = UINT64_MAX};
        fm_builder_begin_location(&sink.builder, i);
        uint64_t events = 0;
        if (!fm_event_files_select_open(&files, file_of(header, data, size)) ||
            (fm_events_decode(&sink, &files, &maps.clock, &events) && events > size / 2)) {
            abort();
        }
        if (size % 2 == 0) {
            fm_builder_restart_location(&sink.builder);
            if (locations[i].enter.count != 0 || locations[i].event_count != 0) {
                abort();
            }
        }
        fm_builder_end_location(&sink.builder);
    }
    fm_builder_end_process(&sink.builder);
    fm_event_files_close(&files);
    fm_builder_close(&sink.builder);
    for (uint32_t i = 0; i < THREADS; ++i) {
        fm_location_free(&locations[i]);
    }
    fm_location_maps_free(&maps);
    forget(&references);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size, false);
    decode(data, size, true);
    return 0;
}
