/* SPDX-License-Identifier: BSD-3-Clause */
/* The server, implemented with GNU libmicrohttpd. */
#include "view/server/server.h"

#include "view/server/http_request.h"
#include "view/server/peers.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>

/** Maximum number of connections, strangers included. A browser opens six for each open page. */
#define CONNECTIONS (FM_STRANGERS + 96U)

/** Time without data after which a connection is closed: before and after a valid request. */
#define STRANGER_SECONDS 10U
#define TRUSTED_SECONDS  120U

/** Maximum bytes of the headers of a request; longer requests are rejected. */
#define REQUEST_BYTES 16384U

/** The functions of libmicrohttpd that are called, without MHD_. */
#define FUNCTIONS(F)                                                                               \
    F(add_response_header);                                                                        \
    F(create_response_from_buffer);                                                                \
    F(destroy_response);                                                                           \
    F(get_connection_info);                                                                        \
    F(get_connection_values);                                                                      \
    F(get_daemon_info);                                                                            \
    F(lookup_connection_value);                                                                    \
    F(queue_response);                                                                             \
    F(set_connection_option);                                                                      \
    F(start_daemon);                                                                               \
    F(stop_daemon)

/** The library is loaded by the first server: with the 12 libraries that it requires, loading takes
 * longer than most commands, which start no server. */
static struct {
#define MEMBER(name) __typeof__(MHD_##name) *name
    FUNCTIONS(MEMBER);
#undef MEMBER
} mhd;

struct fm_server {
    const struct fm_server_content *content;
    struct fm_service service;
    uint64_t *tile_counts; /* [run] */
    struct fm_peers peers;
    struct MHD_Daemon *daemon;
    uint16_t port;
    char url[64 + FM_TOKEN_LENGTH];
};

static void add_headers(struct MHD_Response *response, const char *type, bool never_changes)
{
    mhd.add_response_header(response, "Content-Type", type);
    /* The address of a tile contains the token, so its content never changes. */
    mhd.add_response_header(response, "Cache-Control",
                            never_changes ? "private, max-age=86400, immutable" : "no-store");
    mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
    mhd.add_response_header(response, "Referrer-Policy", "no-referrer");
    mhd.add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    mhd.add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    mhd.add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
}

static struct MHD_Response *refusal(unsigned status)
{
    const char *text = status == 400   ? "A request has exactly one Host header.\n"
                       : status == 403 ? "This needs the whole address that fermata has printed.\n"
                       : status == 404 ? "There is nothing here.\n"
                       : status == 405 ? "Only GET and HEAD.\n"
                       : status == 421
                           ? "This server answers to the names of the loopback interface only.\n"
                           : "The timeline cannot be read.\n";
    struct MHD_Response *response = mhd.create_response_from_buffer(
        strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (response != NULL) {
        add_headers(response, "text/plain; charset=utf-8", false);
        if (status == 405)
            mhd.add_response_header(response, "Allow", "GET, HEAD");
        if (status != 404 && status != 500) /* without the token: stays a stranger */
            mhd.add_response_header(response, "Connection", "close");
    }
    return response;
}

static struct MHD_Response *constant(const void *bytes, size_t size, const char *type)
{
    struct MHD_Response *response =
        mhd.create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
    if (response != NULL)
        add_headers(response, type, false);
    return response;
}

static struct MHD_Response *tile(const struct fm_server *server, const struct fm_found *found,
                                 unsigned *status)
{
    unsigned char *bytes;
    size_t size;
    if (fm_tile_store_read(server->content->tiles[found->run], found->number, &bytes, &size,
                           NULL) != FM_OK) {
        *status = 500;
        return refusal(*status);
    }
    struct MHD_Response *response =
        mhd.create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
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
        return constant(content->reports[found.run].bytes, content->reports[found.run].size,
                        "application/octet-stream");
    case FM_RESOURCE_INDEX:
    case FM_RESOURCE_TILE:
        break;
    }
    return tile(server, &found, status);
}

static enum MHD_Result count_host(void *count, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    (void)kind;
    (void)value;
    if (strcasecmp(key, "Host") == 0)
        (*(unsigned *)count)++;
    return MHD_YES;
}

static void trust(struct fm_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info != NULL && info->socket_context != NULL)
        fm_peers_trust(&server->peers, info->socket_context);
    mhd.set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, TRUSTED_SECONDS);
}

/** Begin and end of a connection. */
static void note_connection(void *context, struct MHD_Connection *connection, void **peer,
                            enum MHD_ConnectionNotificationCode what)
{
    struct fm_server *server = context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*peer != NULL)
            fm_peers_leave(&server->peers, *peer);
        free(*peer);
        *peer = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *peer = info == NULL ? NULL : malloc(sizeof(struct fm_peer));
    if (*peer == NULL)
        return; /* not counted: ends after STRANGER_SECONDS at the latest */
    struct fm_peer *closed = fm_peers_enter(&server->peers, *peer, info->connect_fd);
    if (closed != NULL)
        shutdown(closed->socket, SHUT_RDWR); /* libmicrohttpd notices and closes it */
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state)
{
    static char seen;
    struct fm_server *server = context;
    (void)version;
    (void)upload_data;
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (*state == NULL && reads) {
        *state = &seen; /* headers only: a body may follow; other methods fail at once */
        return MHD_YES;
    }
    if (*upload_data_size != 0)
        return MHD_NO; /* valid requests have no body */
    unsigned hosts = 0;
    mhd.get_connection_values(connection, MHD_HEADER_KIND, count_host, &hosts);
    const struct fm_http_request request = {
        .method = method,
        .hosts = hosts,
        .host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        .path = url,
    };
    unsigned status;
    struct MHD_Response *response = answer(server, &request, &status);
    if (status == 200 || status == 404 || status == 500)
        trust(server, connection); /* the token is right */
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = mhd.queue_response(connection, status, response);
    mhd.destroy_response(response);
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

/** @return the number of tiles of each run, to be freed; NULL: no memory */
static uint64_t *count_tiles(const struct fm_server_content *content)
{
    uint64_t *counts = calloc(content->run_count, sizeof *counts);
    for (size_t i = 0; counts != NULL && i < content->run_count; i++)
        counts[i] = content->tiles[i] == NULL ? 0 : fm_tile_store_count(content->tiles[i]);
    return counts;
}

static void free_server(struct fm_server *server)
{
    free(server->tile_counts);
    free(server);
}

static fm_status_t load_library(struct fm_error *error)
{
    void *library = dlopen(FM_MICROHTTPD_NAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = dlopen(FM_MICROHTTPD_PATH, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return fm_fail(error, FM_ERR_SYSTEM,
                       "the server needs libmicrohttpd: %s; install it, or use --html", dlerror());
#define LOAD(function)                                                                             \
    if ((mhd.function = (__typeof__(mhd.function))dlsym(library, "MHD_" #function)) == NULL)       \
    return fm_fail(error, FM_ERR_SYSTEM, "the server needs another libmicrohttpd: %s", dlerror())
    FUNCTIONS(LOAD);
#undef LOAD
    return FM_OK;
}

fm_status_t fm_server_start(const struct fm_server_content *content, uint16_t port,
                            struct fm_server **server, struct fm_error *error)
{
    fm_status_t status = load_library(error);
    if (status != FM_OK)
        return status;
    struct fm_server *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    made->content = content;
    made->tile_counts = count_tiles(content);
    made->service.runs = content->run_count;
    made->service.tiles = made->tile_counts;
    status = made->tile_counts == NULL ? fm_fail(error, FM_ERR_SYSTEM, "out of memory")
                                       : make_token(made->service.token, error);
    if (status != FM_OK) {
        free_server(made);
        return status;
    }
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    made->daemon = mhd.start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD, port, NULL, NULL, handle, made, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        STRANGER_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, note_connection, made,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *bound =
        made->daemon == NULL ? NULL : mhd.get_daemon_info(made->daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (bound == NULL) {
        if (made->daemon != NULL)
            mhd.stop_daemon(made->daemon);
        free_server(made);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot listen on 127.0.0.1, port %u: %m", port);
    }
    made->port = bound->port;
    snprintf(made->url, sizeof made->url, "http://127.0.0.1:%u/%s/", made->port,
             made->service.token);
    *server = made;
    return FM_OK;
}

uint16_t fm_server_port(const struct fm_server *server)
{
    return server->port;
}

const char *fm_server_url(const struct fm_server *server)
{
    return server->url;
}

void fm_server_stop(struct fm_server *server)
{
    if (server == NULL)
        return;
    mhd.stop_daemon(server->daemon);
    free_server(server);
}
