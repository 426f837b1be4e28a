/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that the records of each request, one-sided operation and lock fit together. */
#include "trace/validate/validator.h"

#include <otf2/otf2.h>

enum request_kind { REQUEST_SEND = 1, REQUEST_RECEIVE, REQUEST_COLLECTIVE };

/* Base of the balance of starts and completions of a request that several threads share. */
#define BALANCED (1u << 30)

/* The records that have occurred for an operation or a lock. */
enum record_state { SEEN_BEGIN = 1, SEEN_END = 2, SEEN_ACQUISITION = 4 };

#define WINDOW_SHIFT 44

static const char *request_name(uint32_t kind)
{
    return kind == REQUEST_SEND ? "send" : kind == REQUEST_RECEIVE ? "receive" : "collective";
}

static void start_request(struct fm_validator *validator, const struct fm_survey_event *event,
                          enum request_kind kind)
{
    if (validator->several_threads) {
        ++*fm_map_at(&validator->requests, event->id, BALANCED);
        return;
    }
    if (!validator->was_paused && fm_map_get(&validator->requests, event->id) != FM_MAP_ABSENT) {
        fm_validator_find(validator, event->time,
                          "request %llu is started again before it is completed",
                          (unsigned long long)event->id);
    }
    *fm_map_at(&validator->requests, event->id, kind) = kind;
}

static void complete_request(struct fm_validator *validator, const struct fm_survey_event *event,
                             uint32_t kind)
{
    if (validator->several_threads) {
        --*fm_map_at(&validator->requests, event->id, BALANCED);
        return;
    }
    uint32_t started = fm_map_take(&validator->requests, event->id);
    if (started == FM_MAP_ABSENT && validator->was_paused) {
        return;
    }
    if (started == FM_MAP_ABSENT) {
        fm_validator_find(validator, event->time,
                          "%s of request %llu, which is not started or complete already",
                          fm_survey_kind_name(event->kind), (unsigned long long)event->id);
    } else if (kind != 0 && kind != started) {
        fm_validator_find(validator, event->time, "%s of request %llu, which is a %s",
                          fm_survey_kind_name(event->kind), (unsigned long long)event->id,
                          request_name(started));
    }
}

static void test_request(struct fm_validator *validator, const struct fm_survey_event *event)
{
    if (!validator->several_threads && !validator->was_paused &&
        fm_map_get(&validator->requests, event->id) == FM_MAP_ABSENT) {
        fm_validator_find(validator, event->time,
                          "a test of request %llu, which is not started or complete already",
                          (unsigned long long)event->id);
    }
}

/* Matching ids are small numbers in practice; larger ones share the key's bits with the window. */
static uint64_t operation_key(const struct fm_survey_event *event)
{
    return event->id + ((uint64_t)event->reference << WINDOW_SHIFT);
}

static void start_operation(struct fm_validator *validator, const struct fm_survey_event *event)
{
    uint32_t *state = fm_map_at(&validator->operations, operation_key(event), SEEN_BEGIN);
    *state = validator->several_threads ? *state | SEEN_BEGIN : SEEN_BEGIN;
}

/* An operation completes at the origin and at the target, in two records or in one; one record may
 * complete several operations. */
static void complete_operation(struct fm_validator *validator, const struct fm_survey_event *event)
{
    uint32_t *state = fm_map_at(&validator->operations, operation_key(event), 0);
    if (!validator->several_threads && !validator->was_paused && (*state & SEEN_BEGIN) == 0) {
        fm_validator_find(
            validator, event->time, "%s of operation %llu on window %u, which was never started",
            fm_survey_kind_name(event->kind), (unsigned long long)event->id, event->reference);
        *state |= SEEN_BEGIN;
    }
    *state |= SEEN_END;
}

static uint64_t lock_key(const struct fm_survey_event *event)
{
    uint64_t place = (uint64_t)event->reference << 32 | event->peer;
    return fm_hash(fm_hash(event->id) ^ place);
}

static void request_lock(struct fm_validator *validator, const struct fm_survey_event *event,
                         uint32_t step)
{
    uint32_t *state = fm_map_at(&validator->locks, lock_key(event), 0);
    if (!validator->several_threads && !validator->was_paused && (*state & step) != 0) {
        fm_validator_find(
            validator, event->time, "%s of lock %llu on window %u, which is not released yet",
            fm_survey_kind_name(event->kind), (unsigned long long)event->id, event->reference);
    }
    *state |= step;
}

static void release_lock(struct fm_validator *validator, const struct fm_survey_event *event)
{
    uint64_t key = lock_key(event);
    if (validator->several_threads) {
        *fm_map_at(&validator->locks, key, 0) |= SEEN_END;
    } else if (fm_map_take(&validator->locks, key) == FM_MAP_ABSENT && !validator->was_paused) {
        fm_validator_find(validator, event->time,
                          "release of lock %llu on window %u, which was not requested",
                          (unsigned long long)event->id, event->reference);
    }
}

void fm_validator_check_state(struct fm_validator *validator, const struct fm_survey_event *event)
{
    switch (event->kind) {
    case FM_SURVEY_MEASUREMENT_ON_OFF:
        validator->was_paused = true;
        break;
    case FM_SURVEY_MPI_ISEND:
        start_request(validator, event, REQUEST_SEND);
        break;
    case FM_SURVEY_MPI_IRECV_REQUEST:
        start_request(validator, event, REQUEST_RECEIVE);
        break;
    case FM_SURVEY_NON_BLOCKING_COLLECTIVE_REQUEST:
        start_request(validator, event, REQUEST_COLLECTIVE);
        break;
    case FM_SURVEY_MPI_ISEND_COMPLETE:
        complete_request(validator, event, REQUEST_SEND);
        break;
    case FM_SURVEY_MPI_IRECV:
        complete_request(validator, event, REQUEST_RECEIVE);
        break;
    case FM_SURVEY_NON_BLOCKING_COLLECTIVE_COMPLETE:
        complete_request(validator, event, REQUEST_COLLECTIVE);
        break;
    case FM_SURVEY_MPI_REQUEST_CANCELLED:
        complete_request(validator, event, 0);
        break;
    case FM_SURVEY_MPI_REQUEST_TEST:
        test_request(validator, event);
        break;
    case FM_SURVEY_RMA_PUT:
    case FM_SURVEY_RMA_GET:
    case FM_SURVEY_RMA_ATOMIC:
        start_operation(validator, event);
        break;
    case FM_SURVEY_RMA_OP_COMPLETE_BLOCKING:
    case FM_SURVEY_RMA_OP_COMPLETE_NON_BLOCKING:
    case FM_SURVEY_RMA_OP_COMPLETE_REMOTE:
        complete_operation(validator, event);
        break;
    case FM_SURVEY_RMA_REQUEST_LOCK:
        request_lock(validator, event, SEEN_BEGIN);
        break;
    case FM_SURVEY_RMA_ACQUIRE_LOCK:
        request_lock(validator, event, SEEN_ACQUISITION);
        break;
    case FM_SURVEY_RMA_RELEASE_LOCK:
        release_lock(validator, event);
        break;
    case FM_SURVEY_THREAD_ACQUIRE_LOCK:
        *fm_map_at(&validator->thread_locks, event->id, 0) |= SEEN_BEGIN;
        break;
    case FM_SURVEY_THREAD_RELEASE_LOCK:
        *fm_map_at(&validator->thread_locks, event->id, 0) |= SEEN_END;
        break;
    default:
        break;
    }
}

static void end_requests(struct fm_validator *validator, uint32_t location)
{
    uint64_t unknown = 0;
    for (size_t i = 0; validator->requests.count > 0 && i <= validator->requests.mask; i++) {
        uint32_t value = validator->requests.slots[i].value;
        if (value == FM_MAP_ABSENT) {
            continue;
        }
        if (!validator->several_threads) {
            validator->result.open_requests++;
        } else if (value > BALANCED) {
            validator->result.open_requests += value - BALANCED;
        } else {
            unknown += BALANCED - value;
        }
    }
    if (unknown > 0 && !validator->was_paused) {
        fm_validator_find_untimed(validator, location,
                                  "%llu completions of requests that its process never started",
                                  (unsigned long long)unknown);
    }
}

/* Counts the entries with a begin but no end, and with an end but no begin. */
static void count_states(const struct fm_map *map, uint64_t *never_ended, uint64_t *never_begun)
{
    *never_ended = *never_begun = 0;
    for (size_t i = 0; map->count > 0 && i <= map->mask; i++) {
        uint32_t state = map->slots[i].value;
        if (state != FM_MAP_ABSENT) {
            bool has_begun = (state & (SEEN_BEGIN | SEEN_ACQUISITION)) != 0;
            *never_ended += has_begun && (state & SEEN_END) == 0;
            *never_begun += !has_begun && (state & SEEN_END) != 0;
        }
    }
}

static void end_states(struct fm_validator *validator, uint32_t location, const struct fm_map *map,
                       const char *never_ended_text, const char *never_begun_text)
{
    uint64_t never_ended;
    uint64_t never_begun;
    if (validator->was_paused) {
        return;
    }
    count_states(map, &never_ended, &never_begun);
    if (never_ended > 0 && never_ended_text != NULL && !validator->ends_inside) {
        fm_validator_find_untimed(validator, location, "%llu %s", (unsigned long long)never_ended,
                                  never_ended_text);
    }
    if (never_begun > 0) {
        fm_validator_find_untimed(validator, location, "%llu %s", (unsigned long long)never_begun,
                                  never_begun_text);
    }
}

void fm_validator_end_process(struct fm_validator *validator, uint32_t location)
{
    end_requests(validator, location);
    end_states(validator, location, &validator->operations,
               "one-sided operations of its process are never completed",
               "completions of operations that its process never started");
    end_states(validator, location, &validator->locks,
               "window locks of its process are never released",
               "releases of window locks that its process never requested");
    end_states(validator, location, &validator->thread_locks, NULL,
               "releases of thread locks that its process never acquired");
    validator->result.paused += validator->was_paused;
    validator->was_paused = validator->ends_inside = false;
    fm_map_clear(&validator->requests);
    fm_map_clear(&validator->operations);
    fm_map_clear(&validator->locks);
    fm_map_clear(&validator->thread_locks);
}
