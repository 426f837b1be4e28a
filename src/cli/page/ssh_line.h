/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How the user of a remote machine reaches a server on that machine's loopback interface.
 */
#ifndef FERMATA_CLI_PAGE_SSH_LINE_H
#define FERMATA_CLI_PAGE_SSH_LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Composes the command that forwards the port, to be run on the user's machine. The user reaches
 * this machine by the address in SSH_CONNECTION; if that is the address of another machine (a login
 * node whose environment a batch system has passed on), it is the hop to this one.
 * @param connection  value of SSH_CONNECTION: client, its port, server, its port; may be anything
 * @param is_here     whether an address is one of this machine
 * @param host        name of this machine
 * @return the command, to be freed by the caller; NULL: no ssh session, or out of memory */
char *fm_ssh_line(const char *connection, bool (*is_here)(const char *address), const char *host,
                  uint16_t port);

/** fm_ssh_line() for this process's environment and machine. */
char *fm_ssh_line_here(uint16_t port);

#endif
