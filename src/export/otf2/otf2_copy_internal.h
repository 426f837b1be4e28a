/** @file
 * Inside of otf2_copy: the state of a copy and the callbacks for all records.
 */
#ifndef FERMATA_EXPORT_OTF2_OTF2_COPY_INTERNAL_H
#define FERMATA_EXPORT_OTF2_OTF2_COPY_INTERNAL_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "export/otf2/otf2_copy.h"

/** A location of the archive. */
struct fm_otf2_location {
    OTF2_LocationRef id;
    uint32_t index;  /**< in the trace; FM_NONE: it has only metrics */
    uint64_t events; /**< number of events that were written */
};

struct fm_otf2_copier {
    const struct fm_trace *trace;
    const struct fm_otf2_additions *additions;
    struct fm_otf2_references unused;
    OTF2_Reader *reader;
    OTF2_Archive *archive;
    OTF2_EvtReaderCallbacks *callbacks;
    OTF2_EvtWriter *writer;            /**< of the location that is copied */
    OTF2_GlobalDefWriter *definitions; /**< while definitions are copied */
    OTF2_ErrorCode code;               /**< the first failure; nothing is written after it */
    FM_VECTOR(struct fm_otf2_location) locations; /**< in the order of their definitions */
    struct fm_map number_of_location;             /**< id -> position in `locations` */
    struct fm_map index_of_location;              /**< id -> location of the trace */
    FM_VECTOR(OTF2_CommRef) window_communicators; /**< in the order of their definitions */
    FM_VECTOR(const char *) strings;              /**< by reference; NULL: not defined */
    FM_VECTOR(bool) is_call;                      /**< by reference of a region */
    bool known;                                   /**< the trace knows the location */
    uint32_t activity;                            /**< of the location: the next call */
    FM_VECTOR(uint32_t) open;                     /**< open regions: activity, FM_NONE: none */
};

/** Notes a failure. @return what a callback returns */
OTF2_CallbackCode fm_otf2_copy_keep(struct fm_otf2_copier *copier, OTF2_ErrorCode code);

/** Callbacks, with the copier as user data: for all events; for the definitions that must be known
 * before; for copying all definitions. To be deleted by OTF2's functions. */
OTF2_EvtReaderCallbacks *fm_otf2_event_callbacks(void);
OTF2_GlobalDefReaderCallbacks *fm_otf2_surveying_callbacks(void);
OTF2_GlobalDefReaderCallbacks *fm_otf2_copying_callbacks(void);

#endif
