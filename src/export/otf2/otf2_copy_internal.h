/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Internal interface of otf2_copy: the state of a copy and the callbacks for all records.
 */
#ifndef FERMATA_EXPORT_OTF2_OTF2_COPY_INTERNAL_H
#define FERMATA_EXPORT_OTF2_OTF2_COPY_INTERNAL_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "export/otf2/otf2_copy.h"

/** A location of the archive. */
struct fm_otf2_location {
    OTF2_LocationRef id;
    uint32_t index;  /**< in the trace; FM_NONE: the location has only metrics */
    uint64_t events; /**< number of events written */
};

struct fm_otf2_copier {
    const struct fm_trace *trace;
    const struct fm_otf2_additions *additions;
    struct fm_otf2_references unused;
    OTF2_Reader *reader;
    OTF2_Archive *archive;
    OTF2_EvtReaderCallbacks *callbacks;
    OTF2_EvtWriter *writer;            /**< of the location being copied */
    OTF2_GlobalDefWriter *definitions; /**< during the copy of definitions */
    OTF2_ErrorCode code;               /**< first failure; afterwards nothing is written */
    OTF2_ErrorCode refused;            /**< first failure of the file system to take data */
    FM_VECTOR(struct fm_otf2_location) locations; /**< in order of definition */
    struct fm_map number_of_location;             /**< id -> position in `locations` */
    struct fm_map index_of_location;              /**< id -> location of the trace */
    FM_VECTOR(OTF2_CommRef) window_communicators; /**< in order of definition */
    FM_VECTOR(const char *) strings;              /**< [reference]; NULL: not defined */
    FM_VECTOR(bool) is_call;                      /**< [reference of a region] */
    bool known;                                   /**< the location exists in the trace */
    uint32_t activity;                            /**< next call of the location */
    FM_VECTOR(uint32_t) open;                     /**< open regions: activity; FM_NONE: no call */
    fm_otf2_event_t event;                        /**< that is being copied */
    uint32_t call;                                /**< ... and its call */
    OTF2_AttributeRef acquired_at;                /**< OTF2_UNDEFINED_ATTRIBUTE: not defined */
    uint32_t location;                            /**< that is being copied, if it is known */
    struct fm_time_cursors cursors;               /**< in the maps of its times */
    uint64_t last_time;                           /**< latest time of a copy with other times */
};

/** Stores the first failure. @return the value for a callback to return */
OTF2_CallbackCode fm_otf2_copy_keep(struct fm_otf2_copier *copier, OTF2_ErrorCode code);

/** Callbacks, with the copier as user data: for all events; for the definitions needed before; for
 * the copy of all definitions. The caller deletes them with OTF2's functions. */
OTF2_EvtReaderCallbacks *fm_otf2_event_callbacks(void);
OTF2_GlobalDefReaderCallbacks *fm_otf2_surveying_callbacks(void);
OTF2_GlobalDefReaderCallbacks *fm_otf2_copying_callbacks(void);

#endif
