/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the monitoring components of Open MPI write at the end of a run: files PREFIX.N.prof of each
 * rank N (`--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca
 * pml_monitoring_filename PREFIX`), with the messages and bytes that it has sent to each other one.
 * Not thread-safe.
 */
#ifndef FERMATA_COUNTERS_TRAFFIC_MONITORING_H
#define FERMATA_COUNTERS_TRAFFIC_MONITORING_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "counters/traffic/rank_link.h"

#include <stdint.h>

/** Kinds of traffic, as the first letter of a row states: messages of the program (E), of the
 * library (I), one-sided operations that put (S) and get (R), collectives (C). */
enum fm_monitored {
    FM_MONITORED_USER,
    FM_MONITORED_LIBRARY,
    FM_MONITORED_PUT,
    FM_MONITORED_GET,
    FM_MONITORED_COLLECTIVE,
    FM_MONITORED_KINDS
};

/** Bins of the histogram of message sizes: 0 bytes, 1, 2-3, 4-7, ... */
enum { FM_MONITORED_BINS = 66 };

struct fm_monitoring {
    uint32_t ranks; /**< largest rank that occurs, and 1 */
    FM_VECTOR(struct fm_rank_link)
    links;                             /**< of enum fm_monitored; ascending by kind, from, to;
                                            each once */
    uint64_t sizes[FM_MONITORED_BINS]; /**< messages of the program and of the library */
};

/** @return "user", "library", "put", "get", "collective" */
const char *fm_monitored_name(enum fm_monitored kind);

/** Reads the files PREFIX.N.prof of all ranks.
 * @param monitoring  out: to be freed with fm_monitoring_free(), also after a failure
 * @return FM_OK; FM_ERR_DATA: there is none, or a row is damaged; FM_ERR_SYSTEM */
fm_status_t fm_monitoring_read(const char *prefix, struct fm_monitoring *monitoring,
                               struct fm_error *error);

void fm_monitoring_free(struct fm_monitoring *monitoring);

#endif
