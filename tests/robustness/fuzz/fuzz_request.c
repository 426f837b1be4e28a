/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever a request says: it gets something only from the server's own address, with the token,
 * and only what there is. */
#include "view/server/http_request.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t tiles[] = {1000, 0, 20};
static const struct fm_service service = {
    .token = "0123456789abcdef0123456789abcdef", .runs = 3, .tiles = tiles};

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* Cuts the next line off. */
static char *next_line(char **rest)
{
    char *line = *rest;
    size_t length = strcspn(line, "\n");
    *rest = line + length + (line[length] != '\0');
    line[length] = '\0';
    return line;
}

/* Whether the text is a name of the loopback interface, with any port or none. */
static int is_loopback(const char *host)
{
    const char *colon = strrchr(host, ':');
    size_t name = strlen(host);
    if (colon != NULL && host[name - 1] != ']') {
        int port = atoi(colon + 1);
        char again[16];
        snprintf(again, sizeof again, "%d", port);
        if (port < 1 || port > 65535 || strcmp(again, colon + 1) != 0)
            return 0;
        name = (size_t)(colon - host);
    }
    return (name == 9 && strncmp(host, "127.0.0.1", name) == 0) ||
           (name == 9 && strncasecmp(host, "localhost", name) == 0) ||
           (name == 5 && strncmp(host, "[::1]", name) == 0);
}

static void check(const struct fm_http_request *request)
{
    struct fm_found found = {FM_RESOURCE_PAGE, UINT64_MAX, UINT64_MAX};
    unsigned status = fm_request_decide(&service, request, &found);
    if (status != 200) {
        require(status == 400 || status == 403 || status == 404 || status == 405 || status == 421,
                "status");
        require(found.number == UINT64_MAX, "found without success");
        return;
    }
    require(strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0, "method");
    require(request->hosts == 1, "number of hosts");
    require(is_loopback(request->host), "host");
    require(request->path[0] == '/' && strncmp(request->path + 1, service.token, 32) == 0 &&
                request->path[33] == '/',
            "token");
    static const char *const words[] = {"", "report", "timeline", "tiles"};
    char expected[96], of_run[32] = "", tile[32] = "";
    require(found.run < service.runs, "run");
    if (found.run > 0)
        snprintf(of_run, sizeof of_run, "-%llu", (unsigned long long)found.run);
    if (found.resource == FM_RESOURCE_TILE)
        snprintf(tile, sizeof tile, "/%llu", (unsigned long long)found.number);
    snprintf(expected, sizeof expected, "%s%s%s", words[found.resource], of_run, tile);
    require(strcmp(request->path + 34, expected) == 0, "path");
    if (found.resource == FM_RESOURCE_TILE || found.resource == FM_RESOURCE_INDEX)
        require(found.number < tiles[found.run], "number");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *rest = text;
    memcpy(text, data, size);
    text[size] = '\0';
    struct fm_http_request request = {NULL, NULL, 0, NULL};
    check(&request);
    request.method = next_line(&rest);
    check(&request);
    request.host = next_line(&rest);
    check(&request);
    request.hosts = 2;
    check(&request);
    request.hosts = 1;
    request.path = next_line(&rest);
    check(&request);
    free(text);
    return 0;
}
