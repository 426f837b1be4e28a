/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The kinds of fields in OTF2's event records, for the code that is generated from
 * event_records.def. Private to src/trace.
 *
 * FM_FIELD_<KIND>(USE, name) is USE(name, CODING, member, check):
 *   CODING  in the file, with the type of FM_PARAMETER_<CODING>: BYTE; WORD, LONG and SIGNED are
 * numbers of at most 4, 8 and 8 bytes that begin with their length (event_bytes.h); TIMESTAMP has 8
 * bytes; VALUES and STRINGS are lists that begin with the number of their elements member  of
 * struct fm_survey_event that receives the field, or none. At most one field of a record goes to
 * each member. check   of the validator (validate_events.c), or none
 */
#ifndef FERMATA_TRACE_ARCHIVE_EVENT_FIELDS_H
#define FERMATA_TRACE_ARCHIVE_EVENT_FIELDS_H

#include <otf2/otf2.h>

/* References of definitions; DEFINITION: of a kind that is neither surveyed nor checked. */
#define FM_FIELD_REGION(USE, name)     USE(name, WORD, reference, none)
#define FM_FIELD_STRING(USE, name)     USE(name, WORD, reference, none)
#define FM_FIELD_COMM(USE, name)       USE(name, WORD, reference, comm)
#define FM_FIELD_WINDOW(USE, name)     USE(name, WORD, reference, window)
#define FM_FIELD_GROUP(USE, name)      USE(name, WORD, group, group)
#define FM_FIELD_PARAMETER(USE, name)  USE(name, WORD, parameter, parameter)
#define FM_FIELD_DEFINITION(USE, name) USE(name, WORD, none, none)

/* Ranks of the record's communicator or window. A root may also be one of OTF2_CollectiveRoot; a
 * lock may be that of all ranks, which is OTF2_UNDEFINED_UINT32. */
#define FM_FIELD_RANK(USE, name)        USE(name, WORD, peer, rank)
#define FM_FIELD_ROOT(USE, name)        USE(name, WORD, peer, root)
#define FM_FIELD_RANK_OR_ALL(USE, name) USE(name, WORD, peer, rank_or_all)

/* Numbers of requests, one-sided operations and locks; tag of a message; bytes of a message, or
 * sent and received by a record that has both. */
#define FM_FIELD_ID(USE, name)       USE(name, LONG, id, none)
#define FM_FIELD_SHORT_ID(USE, name) USE(name, WORD, id, none)
#define FM_FIELD_TAG(USE, name)      USE(name, WORD, tag, none)
#define FM_FIELD_BYTES(USE, name)    USE(name, LONG, bytes, none)
#define FM_FIELD_RECEIVED(USE, name) USE(name, LONG, received, none)

/* The value of a parameter. */
#define FM_FIELD_VALUE(USE, name) USE(name, LONG, value, none)

/* Other numbers, enumerations and lists, by their coding. */
#define FM_FIELD_BYTE(USE, name)      USE(name, BYTE, none, none)
#define FM_FIELD_WORD(USE, name)      USE(name, WORD, none, none)
#define FM_FIELD_LONG(USE, name)      USE(name, LONG, none, none)
#define FM_FIELD_SIGNED(USE, name)    USE(name, SIGNED, none, none)
#define FM_FIELD_TIMESTAMP(USE, name) USE(name, TIMESTAMP, none, none)
#define FM_FIELD_VALUES(USE, name)    USE(name, VALUES, none, none)
#define FM_FIELD_STRINGS(USE, name)   USE(name, STRINGS, none, none)

/** The fields of a record that has none. */
#define FM_NO_FIELDS

/** FM_EACH_FIELD(X, fields) replaces each (KIND, name) of a record by what X_1 and X_2 make of it.
 * No macro expands within itself; therefore the two take turns, each ending in the name of the
 * other one, and X_1_END and X_2_END are empty:
 *
 *   #define X_1(kind, name) FM_FIELD_##kind(USE, name) X_2
 *   #define X_2(kind, name) FM_FIELD_##kind(USE, name) X_1
 *   #define X_1_END
 *   #define X_2_END */
#define FM_EACH_FIELD(X, fields) FM_END_FIELDS(X##_1 fields)
#define FM_END_FIELDS(...)       FM_END_FIELDS_(__VA_ARGS__)
#define FM_END_FIELDS_(...)      __VA_ARGS__##_END

/** The parameters of OTF2's callback for a record with these fields. */
#define FM_EVENT_PARAMETERS(fields)                                                                \
    (OTF2_LocationRef self, OTF2_TimeStamp time, uint64_t position, void *data,                    \
     OTF2_AttributeList *attributes FM_EACH_FIELD(FM_PARAMETER, fields))
#define FM_PARAMETER_1(kind, name) FM_FIELD_##kind(FM_PARAMETER, name) FM_PARAMETER_2
#define FM_PARAMETER_2(kind, name) FM_FIELD_##kind(FM_PARAMETER, name) FM_PARAMETER_1
#define FM_PARAMETER_1_END
#define FM_PARAMETER_2_END
#define FM_PARAMETER(name, coding, member, check) FM_PARAMETER_##coding(name)

#define FM_PARAMETER_BYTE(name)      , uint8_t name
#define FM_PARAMETER_WORD(name)      , uint32_t name
#define FM_PARAMETER_LONG(name)      , uint64_t name
#define FM_PARAMETER_SIGNED(name)    , int64_t name
#define FM_PARAMETER_TIMESTAMP(name) , uint64_t name
#define FM_PARAMETER_VALUES(name)                                                                  \
    , uint8_t name##_count, const OTF2_Type *name##_types, const OTF2_MetricValue *name
#define FM_PARAMETER_STRINGS(name) , uint32_t name##_count, const OTF2_StringRef *name

#endif
