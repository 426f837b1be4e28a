/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The resource and the permission of a request to the viewer's server. No request is mapped to a
 * path in the file system: the only resources are a page, a report, and numbered tiles.
 */
#ifndef FERMATA_VIEW_SERVER_HTTP_REQUEST_H
#define FERMATA_VIEW_SERVER_HTTP_REQUEST_H

#include <stdint.h>

/** Number of characters of a token: 128 bits. */
#define FM_TOKEN_LENGTH 32U

enum fm_resource {
    FM_RESOURCE_PAGE,   /**< http://HOST/TOKEN/ */
    FM_RESOURCE_REPORT, /**< .../report, of other runs: .../report-1, .../report-2 */
    FM_RESOURCE_INDEX,  /**< .../timeline: the last tile; of other runs: .../timeline-1 */
    FM_RESOURCE_TILE    /**< .../tiles/NUMBER; of other runs: .../tiles-1/NUMBER */
};

/** The access rules and contents of a server. */
struct fm_service {
    char token[FM_TOKEN_LENGTH + 1]; /**< first part of each path */
    uint64_t runs;                   /**< number of reports */
    const uint64_t *tiles;           /**< [run]: number of tiles; 0: there is no timeline */
};

/** A request as received. Texts may have any content, or be NULL. */
struct fm_http_request {
    const char *method;
    const char *host; /**< the Host header */
    unsigned hosts;   /**< number of Host headers */
    const char *path; /**< of the URL, with its leading slash, without a query */
};

struct fm_found {
    enum fm_resource resource;
    uint64_t run;    /**< of the report, or the timeline */
    uint64_t number; /**< of the tile */
};

/** Decides whether a request is served.
 * @param found  out: set only if the status is 200
 * @return an HTTP status: 200; 405: neither GET nor HEAD; 400: not exactly one Host header; 421:
 * the Host header is no name of this machine's loopback interface (127.0.0.1, localhost, [::1],
 * with any port), as in DNS rebinding; 403: the path has no valid token; 404 */
unsigned fm_request_decide(const struct fm_service *service, const struct fm_http_request *request,
                           struct fm_found *found);

#endif
