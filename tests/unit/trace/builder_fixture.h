/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A process with two threads whose tables are built from events: for the tests of the builder. */
#ifndef FERMATA_TESTS_UNIT_TRACE_BUILDER_FIXTURE_H
#define FERMATA_TESTS_UNIT_TRACE_BUILDER_FIXTURE_H

#include "check.h"

#include "trace/builder/builder.h"

enum { MAIN, SEND, WAIT, RECEIVE, SOLVE, STEP, LEVEL, SIZE, REGIONS };

static struct fm_region regions[REGIONS] = {
    {.name = "main", .paradigm = FM_PARADIGM_USER, .call = FM_CALL_USER, .is_computation = true},
    {.name = "MPI_Isend", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    {.name = "MPI_Wait", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    {.name = "MPI_Irecv", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    {.name = "solve", .paradigm = FM_PARADIGM_USER, .call = FM_CALL_USER, .is_computation = true},
    {.name = "step",
     .paradigm = FM_PARADIGM_USER,
     .call = FM_CALL_USER,
     .is_phase = true,
     .is_computation = true},
    {.name = "level",
     .paradigm = FM_PARADIGM_USER,
     .call = FM_CALL_USER,
     .is_computation = true,
     .parameter = FM_PARAMETER_SIGNED},
    {.name = "size",
     .paradigm = FM_PARADIGM_USER,
     .call = FM_CALL_USER,
     .is_computation = true,
     .parameter = FM_PARAMETER_SIGNED},
};

/* Two processes, in either order. */
static uint32_t members[2][2] = {{0, 1}, {1, 0}};
static struct fm_communicator communicators[2] = {
    {.size = 2, .first_group_size = 2, .members = members[0]},
    {.size = 2, .first_group_size = 2, .members = members[1]},
};
static struct fm_window windows[2] = {{.communicator = 1}, {.communicator = FM_NONE}};

/* One process with two threads. */
struct fixture {
    struct fm_process process;
    struct fm_location locations[2];
    struct fm_trace trace;
    struct fm_trace_defects defects;
    struct fm_builder builder;
    uint64_t now;
};

static inline int set_up(void **state)
{
    struct fixture *f = fm_allocate(1, sizeof *f);
    f->process = (struct fm_process){.location_count = 2};
    for (uint32_t i = 0; i < 2; ++i) {
        f->locations[i] =
            (struct fm_location){.id = i, .thread = i, .begin = UINT64_MAX, .lasts_to = UINT64_MAX};
    }
    f->trace = (struct fm_trace){.regions = regions,
                                 .region_count = REGIONS,
                                 .processes = &f->process,
                                 .process_count = 1,
                                 .locations = f->locations,
                                 .location_count = 2,
                                 .communicators = communicators,
                                 .communicator_count = 2,
                                 .windows = windows,
                                 .window_count = 2};
    fm_builder_open(&f->builder, &f->trace, &f->defects);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    fm_builder_close(&f->builder);
    for (uint32_t i = 0; i < 2; ++i) {
        fm_location_free(&f->locations[i]);
    }
    fm_free(f);
    return 0;
}

static inline void begin(struct fixture *f, uint32_t location)
{
    f->now = 0;
    fm_builder_begin_location(&f->builder, location);
}

static inline void enter(struct fixture *f, uint64_t time, uint32_t region)
{
    fm_builder_time(&f->builder, time);
    fm_builder_enter(&f->builder, region);
}

static inline void leave(struct fixture *f, uint64_t time, uint32_t region)
{
    fm_builder_time(&f->builder, time);
    fm_builder_leave(&f->builder, region);
}

static inline void end(struct fixture *f)
{
    fm_builder_end_location(&f->builder);
}

/* The visits and exclusive time of a region, summed over the call tree of location 0. */
static inline uint64_t time_in(const struct fixture *f, uint32_t region)
{
    uint64_t time = 0;
    for (size_t i = 0; i < f->locations[0].profile.count; ++i) {
        time += f->locations[0].profile.items[i].region == region
                    ? f->locations[0].profile.items[i].time
                    : 0;
    }
    return time;
}

/* A non-blocking send in MPI_Isend; its row of the sends. */
static inline uint32_t isend(struct fixture *f, uint64_t time, uint64_t request)
{
    uint32_t row = (uint32_t)f->builder.location->sends.count;
    enter(f, time, SEND);
    fm_builder_send(&f->builder, 0, 1, 7, 8, &request);
    leave(f, time + 1, SEND);
    return row;
}

static inline uint32_t irecv(struct fixture *f, uint64_t time, uint64_t request)
{
    uint32_t row = (uint32_t)f->builder.location->receives.count;
    enter(f, time, RECEIVE);
    fm_builder_receive_request(&f->builder, request);
    leave(f, time + 1, RECEIVE);
    return row;
}

/* Completes a send in MPI_Wait; the call. */
static inline uint32_t wait_send(struct fixture *f, uint64_t time, uint64_t request)
{
    uint32_t activity = (uint32_t)f->builder.location->enter.count;
    enter(f, time, WAIT);
    fm_builder_send_complete(&f->builder, request);
    leave(f, time + 1, WAIT);
    return activity;
}

static inline uint32_t wait_receive(struct fixture *f, uint64_t time, uint64_t request,
                                    uint32_t peer)
{
    uint32_t activity = (uint32_t)f->builder.location->enter.count;
    enter(f, time, WAIT);
    fm_builder_receive(&f->builder, 0, peer, 7, 8, &request);
    leave(f, time + 1, WAIT);
    return activity;
}

/* A test that is called with its fixture. */
#define builder_test(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

#endif
