/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/sockets.h"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

static bool is_tcp(int file)
{
    int domain = 0, type = 0;
    socklen_t domain_size = sizeof domain, type_size = sizeof type;
    return getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) == 0 &&
           getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 &&
           (domain == AF_INET || domain == AF_INET6) && type == SOCK_STREAM;
}

void fm_sockets_send_at_once(void)
{
    static const int yes = 1;
    DIR *files = opendir("/proc/self/fd");
    if (files == NULL) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
        int file = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && is_tcp(file)) {
            (void)setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        }
    }
    closedir(files);
}
