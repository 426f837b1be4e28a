/** @file
 * Copies an OTF2 archive record by record, with further records in between. Clock offsets and
 * mapping tables are applied on the way: the copy needs none.
 */
#ifndef FERMATA_EXPORT_OTF2_OTF2_COPY_H
#define FERMATA_EXPORT_OTF2_OTF2_COPY_H

#include "base/error.h"
#include "trace/tables/trace.h"

#include <otf2/otf2.h>

/** First references that the archive does not use, for definitions that come to it; and those of
 * the archive that additions need. */
struct fm_otf2_references {
    OTF2_StringRef string;
    OTF2_RegionRef region;
    OTF2_AttributeRef attribute;
    OTF2_MetricMemberRef metric_member;
    OTF2_MetricRef metric;
    const OTF2_CommRef *window_communicators; /**< of each window of the trace, in use */
};

/** What comes to the archive. Functions write with the given writer and return what OTF2 returns;
 * those that are NULL are not called. Activities are the calls of trace.h. */
struct fm_otf2_additions {
    void *context;
    /** All definitions but those of strings that others need may be written here, strings too. */
    OTF2_ErrorCode (*define)(void *context, OTF2_GlobalDefWriter *writer,
                             const struct fm_otf2_references *unused);
    /** The events of a location begin. */
    OTF2_ErrorCode (*begin)(void *context, OTF2_EvtWriter *writer, uint32_t location,
                            const struct fm_otf2_references *unused);
    /** The next event is at `time`: what is earlier comes now. Called with UINT64_MAX behind the
     * last event. */
    OTF2_ErrorCode (*advance)(void *context, OTF2_EvtWriter *writer, uint64_t time);
    /** Behind the Enter of a call. */
    OTF2_ErrorCode (*entered)(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time);
    /** Before the Leave of a call. */
    OTF2_ErrorCode (*leaving)(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time);
};

/** Writes the copy as a new directory with traces.otf2.
 * @param trace      the archive to be copied, loaded
 * @param directory  must not exist; appears complete or not at all */
fm_status_t fm_otf2_copy(const struct fm_trace *trace, const char *directory,
                         const struct fm_otf2_additions *additions, struct fm_error *error);

#endif
