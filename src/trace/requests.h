/** @file
 * Pairs the start of a non-blocking operation with its completion, which another thread of the
 * process may have called. Private to src/trace.
 */
#ifndef FERMATA_TRACE_REQUESTS_H
#define FERMATA_TRACE_REQUESTS_H

#include "base/map.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { FM_REQUEST_SEND, FM_REQUEST_RECEIVE, FM_REQUEST_COLLECTIVE } fm_request_kind_t;

/** A started operation: row of the table of its kind on its location. */
struct fm_open_request {
    uint64_t id;
    uint64_t time; /**< when it was started */
    uint32_t location;
    uint32_t row;
    uint8_t kind; /**< fm_request_kind_t */
};

/** A completion whose start was not found on its own location. */
struct fm_foreign_completion {
    uint64_t id;
    uint64_t time;
    uint32_t location;
    uint32_t activity;
    uint8_t kind; /**< fm_request_kind_t */
    bool cancelled;
    uint32_t communicator, peer, tag; /**< of receives; communicator and root of collectives */
    uint8_t operation;                /**< of collectives */
    bool moved_bytes;                 /**< of collectives */
};

/** Operations of one process that wait for their completion. */
struct fm_requests {
    struct fm_map open_by_id[3]; /**< by kind: position in `open` */
    FM_VECTOR(struct fm_open_request) open;
    FM_VECTOR(uint32_t) unused; /**< free positions in `open` */
    FM_VECTOR(struct fm_open_request) left_open; /**< of locations that are done */
    FM_VECTOR(struct fm_foreign_completion) foreign;
};

/** Notes the start of an operation. An open one with the same id moves to `left_open`. */
void fm_requests_start(struct fm_requests *requests, const struct fm_open_request *request);

/** @return the open request with this id, or NULL. */
struct fm_open_request *fm_requests_find(struct fm_requests *requests, fm_request_kind_t kind,
                                         uint64_t id);

/** Removes the request with this id and returns it in `*request`. @return whether there was one. */
bool fm_requests_take(struct fm_requests *requests, fm_request_kind_t kind, uint64_t id,
                      struct fm_open_request *request);

/** Moves all open requests to `left_open`: the location is done. */
void fm_requests_close_location(struct fm_requests *requests);

/** Forgets everything: the process is done. */
void fm_requests_clear(struct fm_requests *requests);

/** Frees the memory. */
void fm_requests_free(struct fm_requests *requests);

#endif
