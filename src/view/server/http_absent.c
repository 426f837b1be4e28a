/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces the server in builds without libmicrohttpd. */
#include "view/server/server.h"

fm_status_t fm_server_start(const struct fm_server_content *content, uint16_t port,
                            struct fm_server **server, struct fm_error *error)
{
    (void)content;
    (void)port;
    (void)server;
    return fm_fail(error, FM_ERR_USAGE,
                   "this fermata was built without libmicrohttpd and has no server: write a page "
                   "with --html FILE");
}

const char *fm_server_url(const struct fm_server *server)
{
    (void)server;
    return "";
}

uint16_t fm_server_port(const struct fm_server *server)
{
    (void)server;
    return 0;
}

void fm_server_stop(struct fm_server *server)
{
    (void)server;
}
