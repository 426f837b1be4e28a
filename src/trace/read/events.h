/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * fm_trace_load() with a choice of the reader of events, for tests. */
#ifndef FERMATA_TRACE_READ_EVENTS_H
#define FERMATA_TRACE_READ_EVENTS_H

#include "trace/tables/trace.h"

/** How locations are read. */
struct fm_event_readers {
    bool only_otf2;   /**< read all with OTF2's reader, even files that can be decoded */
    uint32_t decoded; /**< out: locations read by the decoder */
    uint32_t by_otf2; /**< out: locations read by OTF2's reader */
};

/** As fm_trace_load(). @param readers  one of each thread */
fm_status_t fm_events_load(struct fm_trace *trace, uint32_t first, uint32_t last,
                           struct fm_event_readers *readers, struct fm_trace_defects *defects,
                           struct fm_error *error);

#endif
