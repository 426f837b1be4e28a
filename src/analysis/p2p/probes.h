/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which message each probe has found: a probe waits for it as a receive does.
 *
 * Records of fermata's recorder name the sender and the tag: it is the oldest message from there
 * whose receive is posted behind the probe, or never; of a matched probe that of its own receive.
 * Without records it is the next message whose receive the thread posts behind a blocking probe and
 * whose send began during the probe.
 */
#ifndef FERMATA_ANALYSIS_P2P_PROBES_H
#define FERMATA_ANALYSIS_P2P_PROBES_H

#include "analysis/model/call_ref.h"
#include "analysis/p2p/matching.h"

/** A probe and the message that it has found. */
struct fm_probed {
    struct fm_call_ref probe;
    struct fm_call_ref send; /**< call that started it */
    uint64_t sent;           /**< Enter of that call */
    uint32_t stream;         /**< of the receiver */
};

/** Memory for one process after the other, and the result. Zeroed = empty. */
struct fm_probes {
    FM_VECTOR(struct fm_probed) found;
    FM_VECTOR(uint32_t) by_stream;  /**< receives with a message, by stream, then as posted */
    FM_VECTOR(uint32_t) first;      /**< [stream], and the end: position in `by_stream` */
    FM_VECTOR(uint32_t) unreceived; /**< [stream]: its oldest message without a receive; FM_NONE */
    FM_VECTOR(uint32_t) activities; /**< blocking probes of a location */
    FM_VECTOR(uint8_t) have_messages; /**< [of these] */
};

/** Finds the messages of the probes of a process, whose messages are matched. O(messages log
 * probes) if it has probes. */
void fm_probes_find(struct fm_probes *probes, const struct fm_trace *trace, uint32_t process,
                    const struct fm_receiver *receiver);

void fm_probes_free(struct fm_probes *probes);

#endif
