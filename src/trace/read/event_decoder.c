/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/event_decoder.h"

#include "trace/archive/event_fields.h"
#include "trace/read/calling_contexts.h"
#include "trace/read/event_attributes.h"

enum { FIRST_EVENT = 10 };

enum {
#define FM_EVENT_RECORD(number, symbol, ...) RECORD_##symbol = (number),
#define FM_OPENMP_RECORD                     FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    RECORD_NUMBERS
};

struct decoder {
    struct fm_event_sink *sink;
    const struct fm_clock_correction *clock;
    struct fm_event_bytes bytes; /* only current while functions run that are not inlined */
    size_t interval;
    uint64_t raw_time, time;
    struct fm_event_attributes attributes; /* of the next event */
    uint64_t events;
};

/* The begin and the end of a record. Newer versions of OTF2 may have appended fields to a SIZED
 * one. */
#define BEGIN_SIZED                                                                                \
    const uint8_t *end = fm_bytes_open(bytes);                                                     \
    if (end == NULL) {                                                                             \
        return false;                                                                              \
    }
#define END_SIZED                                                                                  \
    if (bytes->damaged || bytes->at > end) {                                                       \
        return false;                                                                              \
    }                                                                                              \
    bytes->at = end;
#define BEGIN_BARE
#define END_BARE                                                                                   \
    if (bytes->damaged || !fm_bytes_fit(bytes, 0)) {                                               \
        return false;                                                                              \
    }

/* Reads the fields of a record into variables of their names. */
#define READ_1(kind, name) FM_FIELD_##kind(READ, name) READ_2
#define READ_2(kind, name) FM_FIELD_##kind(READ, name) READ_1
#define READ_1_END
#define READ_2_END
#define READ(name, coding, member, check) READ_##coding(name)
#define READ_NUMBER(type, name, value)                                                             \
    type name = value;                                                                             \
    (void)(name);
#define READ_BYTE(name)   READ_NUMBER(uint8_t, name, fm_bytes_byte(bytes))
#define READ_WORD(name)   READ_NUMBER(uint32_t, name, fm_bytes_word(bytes))
#define READ_LONG(name)   READ_NUMBER(uint64_t, name, fm_bytes_long(bytes))
#define READ_SIGNED(name) READ_NUMBER(int64_t, name, (int64_t)fm_bytes_long(bytes))
#define READ_TIMESTAMP(name)                                                                       \
    uint64_t name = fm_bytes_full(bytes);                                                          \
    if (!fm_clock_correct(decoder->clock, &decoder->interval, &name)) {                            \
        return false;                                                                              \
    }
#define READ_VALUES(name)                                                                          \
    uint8_t name##_count = fm_bytes_byte(bytes);                                                   \
    OTF2_Type name##_types[UINT8_MAX];                                                             \
    OTF2_MetricValue name[UINT8_MAX];                                                              \
    if (!read_values(bytes, end, name##_count, name##_types, name)) {                              \
        return false;                                                                              \
    }
#define READ_STRINGS(name) skip_strings(bytes, end);

static bool read_values(struct fm_event_bytes *bytes, const uint8_t *end, uint8_t count,
                        OTF2_Type *types, OTF2_MetricValue *values)
{
    for (uint8_t i = 0; i < count; i++) {
        if (bytes->at > end) {
            return false;
        }
        types[i] = fm_bytes_byte(bytes);
        values[i].unsigned_int = fm_bytes_long(bytes);
    }
    return true;
}

static void skip_strings(struct fm_event_bytes *bytes, const uint8_t *end)
{
    uint32_t count = fm_bytes_word(bytes);
    for (uint32_t i = 0; i < count && bytes->at <= end; i++) {
        (void)fm_bytes_word(bytes);
    }
}

static struct fm_event_extras extras_of(const struct fm_event_sink *sink,
                                        const struct fm_event_attributes *attributes)
{
    struct fm_event_extras extras;
    fm_event_extras_open(&extras);
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct fm_event_attribute *attribute = &attributes->items[i];
        fm_event_extras_add(sink, &extras, attribute->reference, attribute->type, attribute->value);
    }
    return extras;
}

/* A function for each SINK_APART record. A timestamp among its fields may have ended the interval
 * of the clock in which the time of the event itself was corrected; as in OTF2's reader, the new
 * interval applies to the events that follow at the same time. */
#define FUNCTION_SINK(symbol, framing, fields, meaning)
#define FUNCTION_TIME(symbol, framing, fields, meaning)
#define FUNCTION_IGNORE(symbol, framing, fields, meaning)
#define FUNCTION_SINK_APART(symbol, framing, fields, meaning)                                      \
    static bool decode_##symbol(struct decoder *decoder)                                           \
    {                                                                                              \
        struct fm_event_bytes *bytes = &decoder->bytes;                                            \
        struct fm_event_sink *sink = decoder->sink;                                                \
        const struct fm_event_attributes *attributes = &decoder->attributes;                       \
        (void)attributes;                                                                          \
        size_t interval = decoder->interval;                                                       \
        BEGIN_##framing;                                                                           \
        FM_EACH_FIELD(READ, fields);                                                               \
        END_##framing;                                                                             \
        fm_builder_time(&sink->builder, decoder->time);                                            \
        meaning;                                                                                   \
        if (decoder->interval != interval) {                                                       \
            decoder->time = decoder->raw_time;                                                     \
            return fm_clock_correct(decoder->clock, &decoder->interval, &decoder->time);           \
        }                                                                                          \
        return true;                                                                               \
    }

#define FM_EVENT_RECORD(number, symbol, record, framing, fields, use, ...)                         \
    FUNCTION_##use(symbol, framing, fields, __VA_ARGS__)
#define FM_OPENMP_RECORD FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD

/* Layouts of the records of which no field is used: a letter for each field. */
#define LAYOUT_1(kind, name) FM_FIELD_##kind(LAYOUT, name) LAYOUT_2
#define LAYOUT_2(kind, name) FM_FIELD_##kind(LAYOUT, name) LAYOUT_1
#define LAYOUT_1_END
#define LAYOUT_2_END
#define LAYOUT(name, coding, member, check) LAYOUT_##coding
#define LAYOUT_BYTE                         "b"
#define LAYOUT_WORD                         "w"
#define LAYOUT_LONG                         "l"
#define LAYOUT_SIGNED                       "l"

enum { BARE, SIZED };

#define RECORD_SINK(symbol, framing, fields)
#define RECORD_SINK_APART(symbol, framing, fields)
#define RECORD_TIME(symbol, framing, fields)                                                       \
    [RECORD_##symbol] = {"" FM_EACH_FIELD(LAYOUT, fields), framing == SIZED, true},
#define RECORD_IGNORE(symbol, framing, fields)                                                     \
    [RECORD_##symbol] = {"" FM_EACH_FIELD(LAYOUT, fields), framing == SIZED, false},

static const struct unused_record {
    const char *layout;
    bool is_sized, has_time;
} unused_records[RECORD_NUMBERS] = {
#define FM_EVENT_RECORD(number, symbol, record, framing, fields, use, ...)                         \
    RECORD_##use(symbol, framing, fields)
#define FM_OPENMP_RECORD FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
};

static void skip_numbers(struct fm_event_bytes *bytes, const char *layout)
{
    for (; *layout != '\0'; layout++) {
        switch (*layout) {
        case 'b':
            (void)fm_bytes_byte(bytes);
            break;
        case 'w':
            (void)fm_bytes_word(bytes);
            break;
        default:
            (void)fm_bytes_long(bytes);
            break;
        }
    }
}

static bool skip_sized(struct fm_event_bytes *bytes, const char *layout)
{
    BEGIN_SIZED;
    skip_numbers(bytes, layout);
    END_SIZED;
    return true;
}

static bool skip_bare(struct fm_event_bytes *bytes, const char *layout)
{
    BEGIN_BARE;
    skip_numbers(bytes, layout);
    END_BARE;
    return true;
}

/* No field of these events is used. All are read nevertheless, as OTF2 does, to detect damage. */
static bool decode_unused(struct decoder *decoder, unsigned number)
{
    const struct unused_record *record =
        &unused_records[number < RECORD_NUMBERS ? number : RECORD_UNKNOWN];
    if (!(record->is_sized ? skip_sized : skip_bare)(&decoder->bytes, record->layout)) {
        return false;
    }
    if (record->has_time) {
        fm_builder_time(&decoder->sink->builder, decoder->time);
    }
    return true;
}

#define CALL_SINK(symbol)
#define CALL_TIME(symbol)
#define CALL_IGNORE(symbol)
#define CALL_SINK_APART(symbol)                                                                    \
    case RECORD_##symbol:                                                                          \
        return decode_##symbol(decoder);

static __attribute__((noinline)) bool decode_apart(struct decoder *decoder, unsigned number)
{
    switch (number) {
    case FM_FILE_ATTRIBUTES:
        return fm_event_attributes_decode(&decoder->attributes, &decoder->bytes,
                                          decoder->sink->maps);
#define FM_EVENT_RECORD(number, symbol, record, framing, fields, use, ...) CALL_##use(symbol)
#define FM_OPENMP_RECORD                                                   FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    default:
        return decode_unused(decoder, number);
    }
}

/* The place in the chunk is a variable of decode_chunk(), which can stay in registers. */
FM_ALWAYS_INLINE bool call_decode_apart(struct decoder *decoder, struct fm_event_bytes *bytes,
                                        unsigned number)
{
    decoder->bytes = *bytes;
    bool result = decode_apart(decoder, number);
    *bytes = decoder->bytes;
    return result;
}

/* A case for each SINK record. */
#define CASE_SINK_APART(symbol, framing, fields, meaning)
#define CASE_TIME(symbol, framing, fields, meaning)
#define CASE_IGNORE(symbol, framing, fields, meaning)
#define CASE_SINK(symbol, framing, fields, meaning)                                                \
    case RECORD_##symbol: {                                                                        \
        BEGIN_##framing;                                                                           \
        FM_EACH_FIELD(READ, fields);                                                               \
        END_##framing;                                                                             \
        fm_builder_time(&sink->builder, decoder->time);                                            \
        meaning;                                                                                   \
        return true;                                                                               \
    }

/* @return false if the record is not fully understood */
FM_ALWAYS_INLINE bool decode_event(struct decoder *decoder, struct fm_event_bytes *bytes,
                                   unsigned number)
{
    struct fm_event_sink *sink = decoder->sink;
    switch (number) {
#define FM_EVENT_RECORD(number, symbol, record, framing, fields, use, ...)                         \
    CASE_##use(symbol, framing, fields, __VA_ARGS__)
#define FM_OPENMP_RECORD FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    default:
        return call_decode_apart(decoder, bytes, number);
    }
}

/* Reads a time record. */
FM_ALWAYS_INLINE bool decode_time(struct decoder *decoder, struct fm_event_bytes *bytes)
{
    decoder->raw_time = decoder->time = fm_bytes_full(bytes);
    /* An event follows, not another time. */
    return fm_bytes_fit(bytes, 0) && *bytes->at >= FM_FILE_ATTRIBUTES &&
           fm_clock_correct(decoder->clock, &decoder->interval, &decoder->time);
}

typedef enum { FAILED, NEXT_CHUNK, DONE } outcome_t;

/* @param begin  first record of the chunk */
static outcome_t decode_chunk(struct decoder *decoder, const struct fm_event_bytes *begin)
{
    struct fm_event_bytes bytes = *begin;
    for (;;) {
        /* At least one byte is left: fm_bytes_fit() was checked at the end of each record. */
        unsigned number = *bytes.at++;
        if (number == FM_FILE_TIME) {
            if (!decode_time(decoder, &bytes)) {
                return FAILED;
            }
            number = *bytes.at++;
        }
        if (__builtin_expect(number < FIRST_EVENT, 0)) {
            if (number == FM_FILE_ATTRIBUTES) {
                if (!call_decode_apart(decoder, &bytes, number)) {
                    return FAILED;
                }
                continue;
            }
            /* Attributes belong to an event. */
            bool is_end = decoder->attributes.count == 0 &&
                          (number == FM_FILE_END || number == FM_FILE_NEXT_CHUNK);
            return !is_end ? FAILED : number == FM_FILE_END ? DONE : NEXT_CHUNK;
        }
        if (!decode_event(decoder, &bytes, number)) {
            return FAILED;
        }
        decoder->attributes.count = 0;
        decoder->events++;
    }
}

bool fm_events_decode(struct fm_event_sink *sink, struct fm_event_files *files,
                      const struct fm_clock_correction *clock, uint64_t *events)
{
    struct decoder decoder = {.sink = sink, .clock = clock};
    struct fm_event_bytes chunk;
    /* A time record precedes the first event. */
    outcome_t outcome = fm_event_files_next(files, &chunk) &&
                                (*chunk.at == FM_FILE_TIME || *chunk.at == FM_FILE_END)
                            ? decode_chunk(&decoder, &chunk)
                            : FAILED;
    while (outcome == NEXT_CHUNK) {
        outcome = fm_event_files_next(files, &chunk) ? decode_chunk(&decoder, &chunk) : FAILED;
    }
    *events = decoder.events;
    return outcome == DONE;
}
