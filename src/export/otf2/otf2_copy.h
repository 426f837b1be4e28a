/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Copies an OTF2 archive record by record and inserts further records. Clock offsets and mapping
 * tables are applied during the copy, and so are repairs of the trace's times: the copy needs none.
 */
#ifndef FERMATA_EXPORT_OTF2_OTF2_COPY_H
#define FERMATA_EXPORT_OTF2_OTF2_COPY_H

#include "base/error.h"
#include "trace/tables/trace.h"

#include <otf2/otf2.h>

/** First unused references of the archive, for additional definitions; and references of the
 * archive that additions need. */
struct fm_otf2_references {
    OTF2_StringRef string;
    OTF2_RegionRef region;
    OTF2_AttributeRef attribute;
    OTF2_MetricMemberRef metric_member;
    OTF2_MetricRef metric;
    const OTF2_CommRef *window_communicators; /**< [window of the trace]: its communicator, as
                                                 defined in the archive */
};

/** Events whose times a copy may change. */
typedef enum { FM_OTF2_RECORD, FM_OTF2_CALL_ENTER, FM_OTF2_CALL_LEAVE } fm_otf2_event_t;

/** An event that is not copied. */
#define FM_OTF2_LEFT_OUT UINT64_MAX

/** Callbacks that add records to the copy. They write with the given writer and return the code of
 * OTF2; NULL callbacks are not called. Activities are the calls of trace.h. */
struct fm_otf2_additions {
    void *context;
    const char *property; /**< of the copy besides those of the archive, with the value "true";
                             NULL: none */
    /** Called after all definitions of the archive have been copied: writes additional definitions,
     * including strings. */
    OTF2_ErrorCode (*define)(void *context, OTF2_GlobalDefWriter *writer,
                             const struct fm_otf2_references *unused);
    /** Called before the first event of a location. */
    OTF2_ErrorCode (*begin)(void *context, OTF2_EvtWriter *writer, uint32_t location,
                            const struct fm_otf2_references *unused);
    /** Called before the next event, at `time`: writes all additions with earlier times. Called
     * with UINT64_MAX after the last event. */
    OTF2_ErrorCode (*advance)(void *context, OTF2_EvtWriter *writer, uint64_t time);
    /** Called after the Enter of a call. */
    OTF2_ErrorCode (*entered)(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time);
    /** Called before the Leave of a call. */
    OTF2_ErrorCode (*leaving)(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time);
    /** Called for each event of a location in its order: gives it another time.
     * @param call  of Enter and Leave of a call: its number among the location's Enter events of
     * calls
     * @return its new time, not earlier than that of the event before; FM_OTF2_LEFT_OUT */
    uint64_t (*retime)(void *context, fm_otf2_event_t event, uint32_t call, uint64_t time);
    /** Called behind `retime` for an event that states when a lock was acquired. @return the new
     * time of the acquisition */
    uint64_t (*retime_acquisition)(void *context);
    /** Called for the acquisition and the release of a lock of threads: numbers the acquisition.
     * @param location  of the trace
     * @param lock      as `id` of struct fm_thread_record
     * @return its new number */
    uint32_t (*renumber)(void *context, uint32_t location, uint64_t lock, uint32_t order);
};

/** Writes the copy as a new directory with traces.otf2.
 * @param trace      the loaded archive to copy
 * @param directory  must not exist; is created completely or not at all */
fm_status_t fm_otf2_copy(const struct fm_trace *trace, const char *directory,
                         const struct fm_otf2_additions *additions, struct fm_error *error);

#endif
