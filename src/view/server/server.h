/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The viewer's server: serves the page, the reports and the tiles of an experiment to browsers of
 * this machine with the token. It listens on 127.0.0.1 only and serves no other files.
 */
#ifndef FERMATA_VIEW_SERVER_SERVER_H
#define FERMATA_VIEW_SERVER_SERVER_H

#include "base/error.h"
#include "view/tiles/tile_store.h"

#include <stddef.h>
#include <stdint.h>

/** A bundle: report_data.h. */
struct fm_served_report {
    const unsigned char *bytes;
    size_t size;
};

/** The served data; must outlive the server. */
struct fm_server_content {
    const char *page; /**< HTML */
    size_t page_size;
    size_t run_count;
    const struct fm_served_report *reports; /**< [run] */
    struct fm_tile_store *const *tiles;     /**< [run]; NULL: there is no timeline */
};

struct fm_server;

/** Starts the server in threads of its own, which inherit the signal mask of the caller.
 * @param port    0: any free port
 * @param server  out: to be stopped with fm_server_stop(); set only on success
 * @return FM_ERR_SYSTEM: the port is in use, or another system error; FM_ERR_USAGE: this program
 * was built without a server */
fm_status_t fm_server_start(const struct fm_server_content *content, uint16_t port,
                            struct fm_server **server, struct fm_error *error);

/** @return the address of the page, with the token; belongs to the server. */
const char *fm_server_url(const struct fm_server *server);

/** @return the port on which the server listens. */
uint16_t fm_server_port(const struct fm_server *server);

/** Ends open connections, stops the threads and frees the server. */
void fm_server_stop(struct fm_server *server);

#endif
