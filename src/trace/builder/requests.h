/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Pairs the start of a non-blocking operation with its completion, which another thread of the
 * process may have called. Private to src/trace.
 */
#ifndef FERMATA_TRACE_BUILDER_REQUESTS_H
#define FERMATA_TRACE_BUILDER_REQUESTS_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { FM_REQUEST_SEND, FM_REQUEST_RECEIVE, FM_REQUEST_COLLECTIVE } fm_request_kind_t;

/** A started operation that its location did not complete. */
struct fm_open_request {
    uint64_t id;
    uint64_t time; /**< Enter of the call that started it; set at the end of the process */
    uint32_t location;
    uint32_t row;   /**< of the table of its kind at the location */
    uint8_t kind;   /**< fm_request_kind_t */
    bool restarted; /**< the location started its id again: it was complete by then */
};

/** A completion whose start was not found on its own location. */
struct fm_foreign_completion {
    uint64_t id;
    uint64_t time;
    uint32_t location;
    uint32_t activity;
    uint8_t kind; /**< fm_request_kind_t */
    bool cancelled;
    bool is_awaited;                  /**< by a call that was never left: it is no completion */
    uint32_t communicator, peer, tag; /**< of receives; communicator and root of collectives */
    uint32_t bytes;                   /**< of receives, as in the table */
    uint8_t operation;                /**< of collectives */
    bool moved_bytes;                 /**< of collectives */
    uint8_t size_class;               /**< of collectives, as in the table */
    uint32_t persistent, init;        /**< of collectives, as in the table */
    struct fm_partitioned_message partitioned; /**< of receives */
};

/** What the completion of a collective states about its request. */
struct fm_collective_request {
    uint64_t id;
    uint32_t persistent, init; /**< as in struct fm_collective */
};

/** Operations of one process that wait for their completion. */
struct fm_requests {
    uint32_t location;                           /**< the current one */
    struct fm_map row_by_id[3];                  /**< by kind: open operations of that location */
    FM_VECTOR(struct fm_open_request) left_open; /**< operations that were not completed there */
    FM_VECTOR(struct fm_foreign_completion) foreign;
};

/** Begins a location. */
void fm_requests_open_location(struct fm_requests *requests, uint32_t location);

/** Discards the entries since the begin of a location: its open operations, and all but the first
 * `left_open` and `foreign` entries of those lists. */
void fm_requests_reopen_location(struct fm_requests *requests, size_t left_open, size_t foreign);

/** Adds the start of an operation. An open one with the same id moves to `left_open`. */
void fm_requests_start(struct fm_requests *requests, fm_request_kind_t kind, uint64_t id,
                       uint32_t row);

/** @return the row of the open request with this id, or FM_MAP_ABSENT. */
static inline uint32_t fm_requests_find(const struct fm_requests *requests, fm_request_kind_t kind,
                                        uint64_t id)
{
    return fm_map_get(&requests->row_by_id[kind], id);
}

/** Removes the open request with this id. @return its row, or FM_MAP_ABSENT. */
static inline uint32_t fm_requests_take(struct fm_requests *requests, fm_request_kind_t kind,
                                        uint64_t id)
{
    return fm_map_take(&requests->row_by_id[kind], id);
}

/** Ends a location: moves all its open requests to `left_open`. */
void fm_requests_close_location(struct fm_requests *requests);

/** Discards everything at the end of a process. */
void fm_requests_clear(struct fm_requests *requests);

/** Frees the memory. */
void fm_requests_free(struct fm_requests *requests);

#endif
