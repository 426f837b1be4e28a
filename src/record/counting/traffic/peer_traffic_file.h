/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes the traffic of all threads of a process at the end of a recording without a trace:
 * EXPERIMENT/counters/links.N (counters/traffic/job_traffic_rows.h). Peers are translated from
 * ranks of their communicators to ranks of MPI_COMM_WORLD by the definitions of the process, which
 * keep the members of freed communicators and windows.
 */
#ifndef FERMATA_RECORD_COUNTING_TRAFFIC_PEER_TRAFFIC_FILE_H
#define FERMATA_RECORD_COUNTING_TRAFFIC_PEER_TRAFFIC_FILE_H

#include "record/archive/exchange.h"

#include <stdbool.h>

/** Numbers the communicators of all processes and writes the file of this one. Collective; called
 * when no process defines anything any more. Definitions of communicators of other processes are
 * added to the session's definitions. errno is the reason of a failure.
 * @return false: the file cannot be written; the other processes continue as if it were */
bool fm_peer_traffic_write(const struct fm_exchange *exchange, const char *directory);

#endif
