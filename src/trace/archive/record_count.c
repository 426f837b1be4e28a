/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/archive/record_count.h"

typedef enum { CUT, NEXT_CHUNK, END } outcome_t;

enum { SIZED, BARE };

/* Whether an event record has one field only, without its length in front. */
static bool is_bare(uint8_t record)
{
    static const bool bare[UINT8_MAX + 1] = {
#define FM_EVENT_RECORD(number, symbol, name, framing, ...) [number] = (framing) == BARE,
#define FM_OPENMP_RECORD                                    FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    };
    return bare[record];
}

/* @return whether the record lies within the chunk */
static bool skip(struct fm_event_bytes *bytes, bool bare)
{
    if (bare) {
        (void)fm_bytes_long(bytes);
        return fm_bytes_fit(bytes, 0) && !bytes->damaged;
    }
    const uint8_t *end = fm_bytes_open(bytes);
    if (end != NULL) {
        bytes->at = end;
    }
    return end != NULL;
}

static outcome_t count_in_chunk(struct fm_event_bytes *bytes, bool of_events, uint64_t *count)
{
    for (;;) {
        /* At least one byte is left: skip() has checked that. */
        uint8_t record = *bytes->at++;
        if (of_events && record == FM_FILE_TIME) {
            (void)fm_bytes_full(bytes);
            if (!fm_bytes_fit(bytes, 0)) {
                return CUT;
            }
            record = *bytes->at++;
        }
        if (record == FM_FILE_END || record == FM_FILE_NEXT_CHUNK) {
            return record == FM_FILE_END ? END : NEXT_CHUNK;
        }
        if (!skip(bytes, of_events && is_bare(record))) {
            return CUT;
        }
        *count += !of_events || record != FM_FILE_ATTRIBUTES;
    }
}

static uint64_t count_records(struct fm_event_files *files, uint64_t location, bool of_events)
{
    struct fm_event_bytes bytes;
    uint64_t count = 0;
    if (!fm_event_files_usable(files) || !fm_event_files_select(files, location)) {
        return UINT64_MAX;
    }
    if (!fm_event_files_next(files, &bytes)) {
        return files->size <= FM_FILE_HEADER ? 0 : UINT64_MAX;
    }
    outcome_t outcome = count_in_chunk(&bytes, of_events, &count);
    while (outcome == NEXT_CHUNK) {
        outcome =
            fm_event_files_next(files, &bytes) ? count_in_chunk(&bytes, of_events, &count) : CUT;
    }
    return outcome == END ? count + 1 : count;
}

uint64_t fm_record_count_events(struct fm_event_files *files, uint64_t location)
{
    return count_records(files, location, true);
}

uint64_t fm_record_count_definitions(struct fm_event_files *files, uint64_t location)
{
    return count_records(files, location, false);
}
