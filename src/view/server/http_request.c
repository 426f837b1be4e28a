/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/server/http_request.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/** Compares tokens in constant time, so that a token cannot be guessed character by character. */
static bool begins_with_token(const struct fm_service *service, const char *path)
{
    unsigned char difference = 0;
    if (path[0] != '/' || strnlen(path + 1, FM_TOKEN_LENGTH) < FM_TOKEN_LENGTH)
        return false;
    for (unsigned i = 0; i < FM_TOKEN_LENGTH; i++)
        difference |= (unsigned char)(path[1 + i] ^ service->token[i]);
    return difference == 0;
}

/** Parses a decimal number without sign, blank or leading zero. */
static bool read_number(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0'))
        return false;
    for (; *text != '\0'; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

/** @return whether the text is a port: 1 to 65535. */
static bool is_port(const char *text)
{
    uint64_t port;
    return read_number(text, &port) && port >= 1 && port <= UINT16_MAX;
}

/** The port is not compared with the server's own: a tunnel (`ssh -L`) may have any other. */
static bool is_loopback_host(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) == 0)
            return host[length] == '\0' || (host[length] == ':' && is_port(host + length + 1));
    }
    return false;
}

/** Matches the begin of a resource's name: WORD of the first run, WORD-1, WORD-2 of others.
 * @param end  out: the text after it, which is empty or begins with a slash
 * @return whether it matches, for a run of the service */
static bool names_run(const struct fm_service *service, const char *name, const char *word,
                      uint64_t *run, const char **end)
{
    char number[24];
    size_t length = strlen(word);
    if (strncmp(name, word, length) != 0)
        return false;
    name += length;
    *run = 0;
    *end = name + strcspn(name, "/");
    if (name == *end)
        return true;
    size_t digits = (size_t)(*end - name) - 1;
    if (name[0] != '-' || digits >= sizeof number)
        return false;
    memcpy(number, name + 1, digits);
    number[digits] = '\0';
    return read_number(number, run) && *run > 0 && *run < service->runs;
}

static bool find(const struct fm_service *service, const char *name, struct fm_found *found)
{
    uint64_t run, number = 0;
    const char *end;
    if (name[0] == '\0') {
        *found = (struct fm_found){FM_RESOURCE_PAGE, 0, 0};
    } else if (names_run(service, name, "report", &run, &end) && end[0] == '\0') {
        *found = (struct fm_found){FM_RESOURCE_REPORT, run, 0};
    } else if (names_run(service, name, "timeline", &run, &end) && end[0] == '\0' &&
               service->tiles[run] > 0) {
        *found = (struct fm_found){FM_RESOURCE_INDEX, run, service->tiles[run] - 1};
    } else if (names_run(service, name, "tiles", &run, &end) && end[0] == '/' &&
               read_number(end + 1, &number) && number < service->tiles[run]) {
        *found = (struct fm_found){FM_RESOURCE_TILE, run, number};
    } else {
        return false;
    }
    return true;
}

unsigned fm_request_decide(const struct fm_service *service, const struct fm_http_request *request,
                           struct fm_found *found)
{
    if (request->method == NULL ||
        (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0))
        return 405;
    if (request->hosts != 1 || request->host == NULL)
        return 400;
    if (!is_loopback_host(request->host))
        return 421;
    if (request->path == NULL || !begins_with_token(service, request->path))
        return 403;
    const char *rest = request->path + 1 + FM_TOKEN_LENGTH;
    if (rest[0] != '/' || !find(service, rest + 1, found))
        return 404;
    return 200;
}
