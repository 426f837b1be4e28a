/** @file
 * Which reader reads the events of a trace: what fm_trace_load() leaves open. For tests. */
#ifndef FERMATA_TRACE_READ_EVENTS_H
#define FERMATA_TRACE_READ_EVENTS_H

#include "trace/tables/trace.h"

/** How locations are read. */
struct fm_event_readers {
    bool only_otf2;   /**< by OTF2's reader, even if their files could be decoded */
    uint32_t decoded; /**< out: locations that were decoded */
    uint32_t by_otf2; /**< out: others */
};

/** As fm_trace_load(). @param readers  one of each thread */
fm_status_t fm_events_load(struct fm_trace *trace, uint32_t first, uint32_t last,
                           struct fm_event_readers *readers, struct fm_trace_defects *defects,
                           struct fm_error *error);

#endif
