/** @file
 * What a request to the viewer's server asks for, and whether it may. No request leads to a path in
 * the file system: there is a page, a report, and numbered tiles.
 */
#ifndef FERMATA_VIEW_SERVER_HTTP_REQUEST_H
#define FERMATA_VIEW_SERVER_HTTP_REQUEST_H

#include <stdint.h>

/** Letters of a token: 128 bits. */
#define FM_TOKEN_LENGTH 32U

enum fm_resource {
    FM_RESOURCE_PAGE,   /**< http://HOST/TOKEN/ */
    FM_RESOURCE_REPORT, /**< .../report */
    FM_RESOURCE_INDEX,  /**< .../timeline: the last tile */
    FM_RESOURCE_TILE    /**< .../tiles/NUMBER */
};

/** What is served, to whom. */
struct fm_service {
    char token[FM_TOKEN_LENGTH + 1]; /**< that each path begins with */
    uint16_t port;
    uint64_t tiles; /**< number of tiles; 0: there is no timeline */
};

/** A request as it came. Texts may be anything, or NULL. */
struct fm_http_request {
    const char *method;
    const char *host; /**< the header */
    const char *path; /**< of the URL, with its slash, without a query */
};

struct fm_found {
    enum fm_resource resource;
    uint64_t tile;
};

/** Decides about a request.
 * @param found  out: set only if the status is 200
 * @return an HTTP status: 200; 405: neither GET nor HEAD; 421: the Host header is not the server's
 * own address, as when a foreign name was made to lead here; 403: without the token; 404 */
unsigned fm_request_decide(const struct fm_service *service, const struct fm_http_request *request,
                           struct fm_found *found);

#endif
