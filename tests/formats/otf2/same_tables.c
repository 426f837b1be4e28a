/* SPDX-License-Identifier: BSD-3-Clause */
#include "same_tables.h"

#include "trace/read/events.h"

#include <inttypes.h>
#include <string.h>

#define SAME(condition, ...)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fm_fail(reason, FM_ERR_FAILED, __VA_ARGS__);                                           \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

/* Rows may have padding: they are compared field by field. */
#define SAME_TABLE(table, type, ...)                                                               \
    SAME(a->table.count == b->table.count, "location %" PRIu64 ": %zu and %zu " #table, a->id,     \
         a->table.count, b->table.count);                                                          \
    for (size_t i = 0; i < a->table.count; ++i) {                                                  \
        const type *x = &a->table.items[i], *y = &b->table.items[i];                               \
        SAME(__VA_ARGS__, "location %" PRIu64 ": row %zu of " #table, a->id, i);                   \
    }
#define EQUAL(field) (x->field == y->field)

static bool same_counters(const struct fm_location *a, const struct fm_location *b,
                          struct fm_error *reason)
{
    SAME_TABLE(
        counters, struct fm_counter_series,
        EQUAL(counter) && EQUAL(samples.count) && EQUAL(stride) && EQUAL(in_last) &&
            (x->samples.count == 0 || memcmp(x->samples.items, y->samples.items,
                                             x->samples.count * sizeof *x->samples.items) == 0))
    return true;
}

static bool same_location(const struct fm_location *a, const struct fm_location *b,
                          struct fm_error *reason)
{
    SAME(a->event_count == b->event_count && a->begin == b->begin && a->end == b->end &&
             a->paused == b->paused && a->lasts_to == b->lasts_to &&
             a->is_incomplete == b->is_incomplete,
         "location %" PRIu64 ": %" PRIu64 " and %" PRIu64 " events, extent, pauses or cut", a->id,
         a->event_count, b->event_count);
    SAME_TABLE(enter, uint64_t, *x == *y)
    SAME_TABLE(leave, uint64_t, *x == *y)
    SAME_TABLE(visit, uint32_t, *x == *y)
    SAME_TABLE(state_since, uint64_t, *x == *y)
    SAME_TABLE(state_visit, uint32_t, *x == *y)
    SAME_TABLE(profile, struct fm_visit_profile,
               EQUAL(value) && EQUAL(kind) && EQUAL(parent) && EQUAL(region) && EQUAL(line) &&
                   EQUAL(callpath) && EQUAL(counts) && EQUAL(time) && EQUAL(overhead) &&
                   EQUAL(visits))
    SAME_TABLE(open, struct fm_unleft_region, EQUAL(visit) && EQUAL(activity) && EQUAL(phase))
    SAME_TABLE(open_waits, struct fm_open_wait,
               EQUAL(activity) && EQUAL(stated) && EQUAL(communicator) && EQUAL(source) &&
                   EQUAL(tag) && EQUAL(root) && EQUAL(window) && EQUAL(target) &&
                   EQUAL(has_request) && EQUAL(request) && EQUAL(kind) && EQUAL(row))
    SAME_TABLE(counts, struct fm_count_row, memcmp(x, y, sizeof *x) == 0)
#define SAME_ENDS(table)                                                                           \
    SAME_TABLE(table, struct fm_message_end,                                                       \
               EQUAL(start) && EQUAL(complete) && EQUAL(complete_location) &&                      \
                   EQUAL(communicator) && EQUAL(peer) && EQUAL(tag) && EQUAL(bytes))
    SAME_ENDS(sends)
    SAME_ENDS(receives)
    SAME_TABLE(matched, struct fm_matched_receive, EQUAL(receive) && EQUAL(post))
    SAME_TABLE(collectives, struct fm_collective,
               EQUAL(start) && EQUAL(complete) && EQUAL(complete_location) && EQUAL(communicator) &&
                   EQUAL(root) && EQUAL(operation) && EQUAL(non_blocking) && EQUAL(moved_bytes))
    SAME_TABLE(rma, struct fm_rma,
               EQUAL(id) && EQUAL(activity) && EQUAL(window) && EQUAL(peer) && EQUAL(type) &&
                   EQUAL(shared))
    SAME_TABLE(operation_bytes, uint64_t, *x == *y)
    SAME_TABLE(nested, struct fm_nested_time, EQUAL(activity) && EQUAL(ticks))
    SAME_TABLE(unrecorded, struct fm_unrecorded,
               EQUAL(time) && EQUAL(count) && EQUAL(reference) && EQUAL(peer) && EQUAL(tag) &&
                   EQUAL(series))
    SAME_TABLE(pauses, struct fm_pause, EQUAL(begin) && EQUAL(end))
    SAME_TABLE(phases, struct fm_phase,
               EQUAL(begin) && EQUAL(end) && EQUAL(computation) && EQUAL(visit))
    SAME_TABLE(traffic, struct fm_traffic,
               EQUAL(process) && EQUAL(kind) && EQUAL(count) && EQUAL(bytes))
    return same_counters(a, b, reason);
}

static bool same_traces(const struct fm_trace *a, const struct fm_trace *b, struct fm_error *reason)
{
    SAME((a->program == NULL) == (b->program == NULL) &&
             (a->program == NULL || strcmp(a->program, b->program) == 0),
         "name of the program");
    SAME(a->callpaths.count == b->callpaths.count, "%zu and %zu call paths", a->callpaths.count,
         b->callpaths.count);
    for (uint32_t i = 0; i < a->location_count; ++i) {
        if (!same_location(&a->locations[i], &b->locations[i], reason)) {
            return false;
        }
    }
    return true;
}

static fm_status_t load(const char *archive, struct fm_event_readers *readers,
                        struct fm_trace_defects *defects, struct fm_trace **trace,
                        struct fm_error *reason)
{
    fm_status_t status = fm_trace_open(archive, trace, reason);
    if (status == FM_OK) {
        (*trace)->in_detail = true;
        status = fm_events_load(*trace, 0, (*trace)->process_count, readers, defects, reason);
        fm_trace_unify(*trace);
    }
    return status;
}

bool same_tables(const char *archive, uint32_t *decoded, uint32_t *locations,
                 struct fm_error *reason)
{
    struct fm_event_readers both = {.only_otf2 = false}, otf2 = {.only_otf2 = true};
    struct fm_trace_defects of_both = {0}, of_otf2 = {0};
    struct fm_trace *a = NULL, *b = NULL;
    bool same = load(archive, &both, &of_both, &a, reason) == FM_OK &&
                load(archive, &otf2, &of_otf2, &b, reason) == FM_OK && same_traces(a, b, reason);
    if (same && memcmp(&of_both, &of_otf2, sizeof of_both) != 0) {
        fm_fail(reason, FM_ERR_FAILED, "defects");
        same = false;
    }
    *decoded = both.decoded;
    *locations = a == NULL ? 0 : a->location_count;
    fm_trace_free(a);
    fm_trace_free(b);
    return same;
}
