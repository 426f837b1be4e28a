/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The traffic of all processes of a run without a trace: by pair of ranks, and by communicator.
 * Read from the files links.N (job_traffic_rows.h). Ranks are those in the run, counted on over the
 * worlds (counter_job.h). Not thread-safe.
 */
#ifndef FERMATA_COUNTERS_TRAFFIC_JOB_TRAFFIC_H
#define FERMATA_COUNTERS_TRAFFIC_JOB_TRAFFIC_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "counters/counter_job.h"
#include "counters/traffic/rank_link.h"

/** Kinds of traffic between ranks: messages as their senders and as their receivers have counted
 * them, both from sender to receiver; one-sided operations from the process that makes them to the
 * target. */
enum fm_traffic_flow {
    FM_FLOW_SENT,
    FM_FLOW_RECEIVED,
    FM_FLOW_PUT,
    FM_FLOW_GET,
    FM_FLOW_ATOMIC,
    FM_FLOWS
};

/** @return "sent", "received", "put", "get", "atomic" */
const char *fm_traffic_flow_name(enum fm_traffic_flow flow);

/** Operations and their bytes. */
struct fm_traffic_sum {
    uint64_t count, bytes;
};

/** A communicator of a world: all that its processes have counted. */
struct fm_traffic_communicator {
    uint32_t world;             /**< number of the world */
    uint32_t number;            /**< in the world, by its files */
    uint32_t size, remote_size; /**< of the group with the lowest first rank, and of the
                                     other one; 0: there is none */
    uint32_t first;             /**< rank of the first member; FM_JOB_TRAFFIC_NONE: unknown */
    uint32_t parent;            /**< position; FM_JOB_TRAFFIC_NONE: none */
    char *maker, *name;         /**< "": not known */
    uint32_t ranks;             /**< that have traffic on it */
    struct fm_traffic_sum flows[FM_FLOWS];
    uint64_t collectives, collective_sent, collective_received; /**< calls of processes, bytes */
    uint32_t most_rank;  /**< with the most bytes; of equal ones the first */
    uint64_t most_bytes; /**< of this rank, as fm_traffic_communicator_bytes */
};

/** All traffic of a run. */
struct fm_job_traffic {
    uint32_t ranks;                       /**< of the run */
    size_t files;                         /**< processes with a file */
    FM_VECTOR(struct fm_rank_link) links; /**< ascending by flow, from, to; each once */
    FM_VECTOR(struct fm_traffic_communicator) communicators; /**< ascending by world, number */
    struct fm_traffic_sum lost[FM_FLOWS];                    /**< without room in the recorder */
    uint64_t lost_collectives;
    struct fm_traffic_sum elsewhere[FM_FLOWS]; /**< with processes of other worlds: in no link */
};

/** Bytes of a communicator: messages as sent, one-sided operations, and collectives as sent and as
 * received. */
uint64_t fm_traffic_communicator_bytes(const struct fm_traffic_communicator *communicator);

/** Reads the traffic of all processes of a job; those without a file have not ended regularly.
 * @param traffic  out: to be freed with fm_job_traffic_free(), also after a failure
 * @return FM_OK; FM_ERR_DATA: a file is damaged, or no process has one; FM_ERR_SYSTEM */
fm_status_t fm_job_traffic_read(const struct fm_counter_job *job, struct fm_job_traffic *traffic,
                                struct fm_error *error);

void fm_job_traffic_free(struct fm_job_traffic *traffic);

#endif
