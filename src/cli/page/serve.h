/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * `fermata view` as a server.
 */
#ifndef FERMATA_CLI_PAGE_SERVE_H
#define FERMATA_CLI_PAGE_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_serve_request {
    const char *const *places; /**< experiment directories or report files */
    size_t count;              /**< at least one */
    uint16_t port;             /**< 0: any */
    bool timeline;             /**< show those of the runs whose traces are there */
    bool sources;              /**< show excerpts of the program's sources */
    bool browser;              /**< open one, if there is a screen */
};

/** Serves one report, or several for comparison, until SIGINT or SIGTERM comes; prints the address
 * and what fails.
 * @return exit status; interrupted: FM_OK */
int fm_serve(const struct fm_serve_request *request);

#endif
