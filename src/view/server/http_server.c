/* The server, implemented with GNU libmicrohttpd. */
#include "view/server/server.h"

#include "view/server/http_request.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/** Maximum number of connections. A browser opens six; several pages may be open. */
#define CONNECTIONS 64U

#define IDLE_SECONDS 120U

/** Maximum bytes of the headers of a request; longer requests are rejected. */
#define REQUEST_BYTES 16384U

struct fm_server {
    const struct fm_server_content *content;
    struct fm_service service;
    struct MHD_Daemon *daemon;
    char url[64 + FM_TOKEN_LENGTH];
};

static void add_headers(struct MHD_Response *response, const char *type, bool never_changes)
{
    MHD_add_response_header(response, "Content-Type", type);
    /* The address of a tile contains the token, so its content never changes. */
    MHD_add_response_header(response, "Cache-Control",
                            never_changes ? "private, max-age=86400, immutable" : "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
}

static struct MHD_Response *refusal(unsigned status)
{
    const char *text = status == 403   ? "This needs the whole address that fermata has printed.\n"
                       : status == 404 ? "There is nothing here.\n"
                       : status == 405 ? "Only GET and HEAD.\n"
                       : status == 421 ? "This server answers to its own address only.\n"
                                       : "The timeline cannot be read.\n";
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (response != NULL) {
        add_headers(response, "text/plain; charset=utf-8", false);
        if (status == 405)
            MHD_add_response_header(response, "Allow", "GET, HEAD");
    }
    return response;
}

static struct MHD_Response *constant(const void *bytes, size_t size, const char *type)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
    if (response != NULL)
        add_headers(response, type, false);
    return response;
}

static struct MHD_Response *tile(const struct fm_server *server, uint64_t number, unsigned *status)
{
    unsigned char *bytes;
    size_t size;
    if (fm_tile_store_read(server->content->tiles, number, &bytes, &size, NULL) != FM_OK) {
        *status = 500;
        return refusal(*status);
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        free(bytes);
    else
        add_headers(response, "application/octet-stream", true);
    return response;
}

static struct MHD_Response *answer(const struct fm_server *server,
                                   const struct fm_http_request *request, unsigned *status)
{
    const struct fm_server_content *content = server->content;
    struct fm_found found;
    *status = fm_request_decide(&server->service, request, &found);
    if (*status != 200)
        return refusal(*status);
    switch (found.resource) {
    case FM_RESOURCE_PAGE:
        return constant(content->page, content->page_size, "text/html; charset=utf-8");
    case FM_RESOURCE_REPORT:
        return constant(content->reports[found.number].bytes, content->reports[found.number].size,
                        "application/octet-stream");
    case FM_RESOURCE_INDEX:
    case FM_RESOURCE_TILE:
        break;
    }
    return tile(server, found.number, status);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state)
{
    static char seen;
    (void)version;
    (void)upload_data;
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (*state == NULL && reads) {
        *state = &seen; /* headers only: a body may follow; other methods fail at once */
        return MHD_YES;
    }
    if (*upload_data_size != 0)
        return MHD_NO; /* valid requests have no body */
    const struct fm_http_request request = {
        .method = method,
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        .path = url,
    };
    unsigned status;
    struct MHD_Response *response = answer(context, &request, &status);
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/** Disables URL decoding: no valid path contains escapes. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

static fm_status_t make_token(char *token, struct fm_error *error)
{
    unsigned char bytes[FM_TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot get random numbers: %m");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return FM_OK;
}

fm_status_t fm_server_start(const struct fm_server_content *content, uint16_t port,
                            struct fm_server **server, struct fm_error *error)
{
    struct fm_server *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    made->content = content;
    made->service.reports = content->report_count;
    made->service.tiles = content->tiles == NULL ? 0 : fm_tile_store_count(content->tiles);
    fm_status_t status = make_token(made->service.token, error);
    if (status != FM_OK) {
        free(made);
        return status;
    }
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    made->daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, port, NULL, NULL, handle, made,
                                    MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
                                    CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
                                    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
                                    MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
                                    keep_escapes, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *bound =
        made->daemon == NULL ? NULL : MHD_get_daemon_info(made->daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (bound == NULL) {
        if (made->daemon != NULL)
            MHD_stop_daemon(made->daemon);
        free(made);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot listen on 127.0.0.1, port %u: %m", port);
    }
    made->service.port = bound->port;
    snprintf(made->url, sizeof made->url, "http://127.0.0.1:%u/%s/", made->service.port,
             made->service.token);
    *server = made;
    return FM_OK;
}

const char *fm_server_url(const struct fm_server *server)
{
    return server->url;
}

void fm_server_stop(struct fm_server *server)
{
    if (server == NULL)
        return;
    MHD_stop_daemon(server->daemon);
    free(server);
}
