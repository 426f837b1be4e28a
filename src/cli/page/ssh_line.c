/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/page/ssh_line.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WHITE " \t"

/** Copies the server's address, the third word, if it is one: nothing else is printed as a part of
 * a command. */
static bool read_server(const char *connection, char *address, size_t size)
{
    unsigned char binary[sizeof(struct in6_addr)];
    for (int word = 0; word < 2; word++) {
        connection += strcspn(connection, WHITE);
        connection += strspn(connection, WHITE);
    }
    size_t length = strcspn(connection, WHITE);
    if (length >= size)
        return false;
    memcpy(address, connection, length);
    address[length] = '\0';
    return inet_pton(AF_INET, address, binary) == 1 || inet_pton(AF_INET6, address, binary) == 1;
}

/** @return whether the text consists of the characters of host names. */
static bool is_host_name(const char *host)
{
    return host[0] != '\0' && host[0] != '-' &&
           host[strspn(
               host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")] == '\0';
}

char *fm_ssh_line(const char *connection, bool (*is_here)(const char *address), const char *host,
                  uint16_t port)
{
    char server[INET6_ADDRSTRLEN];
    char *line = NULL;
    if (connection == NULL || !read_server(connection, server, sizeof server))
        return NULL;
    bool direct = is_here(server) || !is_host_name(host);
    /* A hop has its IPv6 address in brackets, a destination has none. */
    bool brackets = !direct && strchr(server, ':') != NULL;
    int length = direct
                     ? asprintf(&line, "ssh -L %u:127.0.0.1:%u %s", port, port, server)
                     : asprintf(&line, "ssh -J %s%s%s -L %u:127.0.0.1:%u %s", brackets ? "[" : "",
                                server, brackets ? "]" : "", port, port, host);
    return length < 0 ? NULL : line;
}

static bool is_own_address(const char *address)
{
    struct ifaddrs *interfaces;
    if (getifaddrs(&interfaces) != 0)
        return true; /* unknown: the usual case */
    bool found = false;
    for (const struct ifaddrs *each = interfaces; each != NULL && !found; each = each->ifa_next) {
        char text[INET6_ADDRSTRLEN] = "";
        if (each->ifa_addr == NULL)
            continue;
        if (each->ifa_addr->sa_family == AF_INET)
            inet_ntop(AF_INET,
                      &((const struct sockaddr_in *)(const void *)each->ifa_addr)->sin_addr, text,
                      sizeof text);
        else if (each->ifa_addr->sa_family == AF_INET6)
            inet_ntop(AF_INET6,
                      &((const struct sockaddr_in6 *)(const void *)each->ifa_addr)->sin6_addr, text,
                      sizeof text);
        found = strcmp(text, address) == 0;
    }
    freeifaddrs(interfaces);
    return found;
}

char *fm_ssh_line_here(uint16_t port)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return fm_ssh_line(getenv("SSH_CONNECTION"), is_own_address, host, port);
}
