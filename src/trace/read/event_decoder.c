#include "trace/read/event_decoder.h"

#include "trace/read/event_attributes.h"

enum { FIRST_EVENT = 10 };

enum {
#define FM_EVENT_RECORD(number, name, layout, meaning) RECORD_##name = (number),
#include "trace/read/event_records.def"
#undef FM_EVENT_RECORD
    RECORD_NUMBERS
};

enum meaning { UNKNOWN, OWN, ALIVE, SILENT };

static const struct {
    const char *layout;
    enum meaning meaning;
} records[RECORD_NUMBERS] = {
#define FM_EVENT_RECORD(number, name, layout, meaning) [number] = {layout, meaning},
#include "trace/read/event_records.def"
#undef FM_EVENT_RECORD
};

struct decoder {
    struct fm_event_sink *sink;
    const struct fm_clock_correction *clock;
    struct fm_event_bytes
        bytes; /* kept up to date where functions are called that are not inlined */
    size_t interval;
    uint64_t raw_time, time;
    struct fm_event_attributes attributes; /* of the next event */
    uint64_t events;
};

/* Opens a record that tells its length. */
#define OPEN                                                                                       \
    const uint8_t *end = fm_bytes_open(bytes);                                                     \
    if (end == NULL) {                                                                             \
        return false;                                                                              \
    }
/* Closes it, behind what newer versions of OTF2 may have added, and takes note of the event's time.
 */
#define CLOSE                                                                                      \
    if (bytes->damaged || bytes->at > end) {                                                       \
        return false;                                                                              \
    }                                                                                              \
    bytes->at = end;                                                                               \
    fm_builder_time(&sink->builder, decoder->time)
#define CLOSE_SINGLE                                                                               \
    if (bytes->damaged || !fm_bytes_fit(bytes, 0)) {                                               \
        return false;                                                                              \
    }                                                                                              \
    fm_builder_time(&sink->builder, decoder->time)

static bool decode_flush(struct decoder *decoder)
{
    struct fm_event_bytes *bytes = &decoder->bytes;
    struct fm_event_sink *sink = decoder->sink;
    OPEN;
    uint64_t stop = fm_bytes_full(bytes);
    if (!fm_clock_correct(decoder->clock, &decoder->interval, &stop)) {
        return false;
    }
    CLOSE;
    fm_event_flush(sink, stop);
    /* That may have been the end of the interval in which the time was corrected. */
    decoder->time = decoder->raw_time;
    return fm_clock_correct(decoder->clock, &decoder->interval, &decoder->time);
}

static bool decode_measurement(struct decoder *decoder)
{
    struct fm_event_bytes *bytes = &decoder->bytes;
    struct fm_event_sink *sink = decoder->sink;
    OPEN;
    OTF2_MeasurementMode mode = fm_bytes_byte(bytes);
    CLOSE;
    struct fm_event_gap gap;
    fm_event_gap_open(&gap);
    for (uint32_t i = 0; i < decoder->attributes.count; ++i) {
        const struct fm_event_attribute *attribute = &decoder->attributes.items[i];
        fm_event_gap_add(sink, &gap, attribute->reference, attribute->type, attribute->value);
    }
    fm_event_measurement(sink, mode, &gap);
    return true;
}

static bool decode_metric(struct decoder *decoder)
{
    struct fm_event_bytes *bytes = &decoder->bytes;
    struct fm_event_sink *sink = decoder->sink;
    OTF2_Type types[UINT8_MAX];
    OTF2_MetricValue values[UINT8_MAX];
    OPEN;
    uint32_t metric = fm_bytes_word(bytes);
    uint8_t count = fm_bytes_byte(bytes);
    for (uint8_t i = 0; i < count; ++i) {
        if (bytes->at > end) {
            return false;
        }
        types[i] = fm_bytes_byte(bytes);
        values[i].unsigned_int = fm_bytes_long(bytes);
    }
    CLOSE;
    fm_event_metric(sink, metric, count, types, values);
    return true;
}

static bool decode_program_begin(struct decoder *decoder)
{
    struct fm_event_bytes *bytes = &decoder->bytes;
    struct fm_event_sink *sink = decoder->sink;
    OPEN;
    uint32_t name = fm_bytes_word(bytes), arguments = fm_bytes_word(bytes);
    for (uint32_t i = 0; i < arguments && bytes->at <= end; ++i) {
        (void)fm_bytes_word(bytes);
    }
    CLOSE;
    fm_event_program_begin(sink, name);
    return true;
}

static void skip_numbers(struct fm_event_bytes *bytes, const char *layout)
{
    for (; *layout != '\0'; ++layout) {
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

/* Of other events no number matters. As OTF2 does, all are read nevertheless: damage is to be seen.
 */
static bool decode_other(struct decoder *decoder, unsigned number)
{
    struct fm_event_bytes *bytes = &decoder->bytes;
    bool is_known = number < RECORD_NUMBERS;
    const char *layout = is_known ? records[number].layout : "";
    if (layout[0] == '.') {
        skip_numbers(bytes, layout + 1);
        if (bytes->damaged || !fm_bytes_fit(bytes, 0)) {
            return false;
        }
    } else {
        const uint8_t *end = fm_bytes_open(bytes);
        if (end == NULL) {
            return false;
        }
        skip_numbers(bytes, layout);
        if (bytes->damaged || bytes->at > end) {
            return false;
        }
        bytes->at = end;
    }
    if (!is_known || records[number].meaning == ALIVE) {
        fm_builder_time(&decoder->sink->builder, decoder->time);
    }
    return true;
}

static __attribute__((noinline)) bool decode_rare(struct decoder *decoder, unsigned number)
{
    switch (number) {
    case FM_FILE_ATTRIBUTES:
        return fm_event_attributes_decode(&decoder->attributes, &decoder->bytes,
                                          decoder->sink->maps);
    case RECORD_BUFFER_FLUSH:
        return decode_flush(decoder);
    case RECORD_MEASUREMENT_ON_OFF:
        return decode_measurement(decoder);
    case RECORD_METRIC:
        return decode_metric(decoder);
    case RECORD_PROGRAM_BEGIN:
        return decode_program_begin(decoder);
    default:
        return decode_other(decoder, number);
    }
}

/* The place in the chunk is a variable of decode_chunk(), which can stay in registers. */
FM_ALWAYS_INLINE bool call_decode_rare(struct decoder *decoder, struct fm_event_bytes *bytes,
                                       unsigned number)
{
    decoder->bytes = *bytes;
    bool result = decode_rare(decoder, number);
    *bytes = decoder->bytes;
    return result;
}

/* @return false if it is not fully understood */
FM_ALWAYS_INLINE bool decode_event(struct decoder *decoder, struct fm_event_bytes *bytes,
                                   unsigned number)
{
    struct fm_event_sink *sink = decoder->sink;
    switch (number) {
    case RECORD_ENTER: {
        uint32_t region = fm_bytes_word(bytes);
        CLOSE_SINGLE;
        fm_event_enter(sink, region);
        return true;
    }
    case RECORD_LEAVE: {
        uint32_t region = fm_bytes_word(bytes);
        CLOSE_SINGLE;
        fm_event_leave(sink, region);
        return true;
    }
    case RECORD_MPI_SEND:
    case RECORD_MPI_RECV: {
        OPEN;
        uint32_t peer = fm_bytes_word(bytes), communicator = fm_bytes_word(bytes);
        uint32_t tag = fm_bytes_word(bytes);
        uint64_t length = fm_bytes_long(bytes);
        CLOSE;
        if (number == RECORD_MPI_SEND) {
            fm_event_send(sink, peer, communicator, tag, length);
        } else {
            fm_event_recv(sink, peer, communicator, tag, length);
        }
        return true;
    }
    case RECORD_MPI_ISEND:
    case RECORD_MPI_IRECV: {
        OPEN;
        uint32_t peer = fm_bytes_word(bytes), communicator = fm_bytes_word(bytes);
        uint32_t tag = fm_bytes_word(bytes);
        uint64_t length = fm_bytes_long(bytes), request = fm_bytes_long(bytes);
        CLOSE;
        if (number == RECORD_MPI_ISEND) {
            fm_event_isend(sink, peer, communicator, tag, length, request);
        } else {
            fm_event_irecv(sink, peer, communicator, tag, length, request);
        }
        return true;
    }
    case RECORD_MPI_ISEND_COMPLETE:
    case RECORD_MPI_IRECV_REQUEST:
    case RECORD_MPI_REQUEST_CANCELLED: {
        uint64_t request = fm_bytes_long(bytes);
        CLOSE_SINGLE;
        if (number == RECORD_MPI_ISEND_COMPLETE) {
            fm_event_isend_complete(sink, request);
        } else if (number == RECORD_MPI_IRECV_REQUEST) {
            fm_event_irecv_request(sink, request);
        } else {
            fm_event_cancelled(sink, request);
        }
        return true;
    }
    case RECORD_MPI_COLLECTIVE_END: {
        OPEN;
        OTF2_CollectiveOp operation = fm_bytes_byte(bytes);
        uint32_t communicator = fm_bytes_word(bytes), root = fm_bytes_word(bytes);
        uint64_t sent = fm_bytes_long(bytes), received = fm_bytes_long(bytes);
        CLOSE;
        fm_event_collective(sink, operation, communicator, root, sent, received);
        return true;
    }
    case RECORD_NON_BLOCKING_COLLECTIVE_REQUEST: {
        OPEN;
        uint64_t request = fm_bytes_long(bytes);
        CLOSE;
        fm_event_collective_request(sink, request);
        return true;
    }
    case RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE: {
        OPEN;
        OTF2_CollectiveOp operation = fm_bytes_byte(bytes);
        uint32_t communicator = fm_bytes_word(bytes), root = fm_bytes_word(bytes);
        uint64_t sent = fm_bytes_long(bytes), received = fm_bytes_long(bytes);
        uint64_t request = fm_bytes_long(bytes);
        CLOSE;
        fm_event_collective_complete(sink, operation, communicator, root, sent, received, request);
        return true;
    }
    case RECORD_COMM_CREATE: {
        OPEN;
        uint32_t communicator = fm_bytes_word(bytes);
        CLOSE;
        fm_event_communicator_created(sink, communicator);
        return true;
    }
    case RECORD_RMA_COLLECTIVE_END: {
        OPEN;
        (void)fm_bytes_byte(bytes);
        (void)fm_bytes_word(bytes);
        uint32_t window = fm_bytes_word(bytes);
        (void)fm_bytes_word(bytes);
        uint64_t sent = fm_bytes_long(bytes), received = fm_bytes_long(bytes);
        CLOSE;
        fm_event_rma_collective(sink, window, sent, received);
        return true;
    }
    case RECORD_RMA_GROUP_SYNC: {
        OPEN;
        (void)fm_bytes_word(bytes);
        uint32_t window = fm_bytes_word(bytes), group = fm_bytes_word(bytes);
        CLOSE;
        fm_event_group_sync(sink, window, group);
        return true;
    }
    case RECORD_RMA_REQUEST_LOCK:
    case RECORD_RMA_ACQUIRE_LOCK: {
        OPEN;
        uint32_t window = fm_bytes_word(bytes), target = fm_bytes_word(bytes);
        (void)fm_bytes_long(bytes);
        OTF2_LockType type = fm_bytes_byte(bytes);
        CLOSE;
        fm_event_lock(sink,
                      number == RECORD_RMA_REQUEST_LOCK ? FM_RMA_LOCK_REQUEST : FM_RMA_LOCK_ACQUIRE,
                      window, target, type);
        return true;
    }
    case RECORD_RMA_RELEASE_LOCK: {
        OPEN;
        uint32_t window = fm_bytes_word(bytes), target = fm_bytes_word(bytes);
        (void)fm_bytes_long(bytes);
        CLOSE;
        fm_event_lock_release(sink, window, target);
        return true;
    }
    case RECORD_RMA_PUT:
    case RECORD_RMA_GET: {
        OPEN;
        uint32_t window = fm_bytes_word(bytes), target = fm_bytes_word(bytes);
        uint64_t length = fm_bytes_long(bytes), id = fm_bytes_long(bytes);
        CLOSE;
        if (number == RECORD_RMA_PUT) {
            fm_event_put(sink, window, target, length, id);
        } else {
            fm_event_get(sink, window, target, length, id);
        }
        return true;
    }
    case RECORD_RMA_ATOMIC: {
        OPEN;
        uint32_t window = fm_bytes_word(bytes), target = fm_bytes_word(bytes);
        (void)fm_bytes_byte(bytes);
        uint64_t sent = fm_bytes_long(bytes), received = fm_bytes_long(bytes);
        uint64_t id = fm_bytes_long(bytes);
        CLOSE;
        fm_event_atomic(sink, window, target, sent, received, id);
        return true;
    }
    case RECORD_RMA_OP_COMPLETE_BLOCKING:
    case RECORD_RMA_OP_COMPLETE_NON_BLOCKING:
    case RECORD_RMA_OP_COMPLETE_REMOTE: {
        OPEN;
        uint32_t window = fm_bytes_word(bytes);
        uint64_t id = fm_bytes_long(bytes);
        CLOSE;
        fm_event_done(sink,
                      number == RECORD_RMA_OP_COMPLETE_REMOTE ? FM_RMA_DONE_REMOTELY
                                                              : FM_RMA_DONE_LOCALLY,
                      window, id);
        return true;
    }
    case RECORD_PROGRAM_END: {
        OPEN;
        (void)fm_bytes_long(bytes);
        CLOSE;
        fm_event_program_end(sink);
        return true;
    }
    default:
        return call_decode_rare(decoder, bytes, number);
    }
}

/* Reads the time in front of a record. */
FM_ALWAYS_INLINE bool decode_time(struct decoder *decoder, struct fm_event_bytes *bytes)
{
    decoder->raw_time = decoder->time = fm_bytes_full(bytes);
    /* Some event follows, and that itself is no time. */
    return fm_bytes_fit(bytes, 0) && *bytes->at >= FM_FILE_ATTRIBUTES &&
           fm_clock_correct(decoder->clock, &decoder->interval, &decoder->time);
}

typedef enum { FAILED, NEXT_CHUNK, DONE } outcome_t;

/* @param begin  where the records of the chunk are */
static outcome_t decode_chunk(struct decoder *decoder, const struct fm_event_bytes *begin)
{
    struct fm_event_bytes bytes = *begin;
    for (;;) {
        /* At least one byte is left: every record sees to that. */
        unsigned number = *bytes.at++;
        if (number == FM_FILE_TIME) {
            if (!decode_time(decoder, &bytes)) {
                return FAILED;
            }
            number = *bytes.at++;
        }
        if (__builtin_expect(number < FIRST_EVENT, 0)) {
            if (number == FM_FILE_ATTRIBUTES) {
                if (!call_decode_rare(decoder, &bytes, number)) {
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
        ++decoder->events;
    }
}

bool fm_events_decode(struct fm_event_sink *sink, struct fm_event_files *files,
                      const struct fm_clock_correction *clock, uint64_t *events)
{
    struct decoder decoder = {.sink = sink, .clock = clock};
    struct fm_event_bytes chunk;
    /* The first event always comes with its time. */
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
