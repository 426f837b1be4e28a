/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/archive_bytes.h"

#include "record/capture/record.h"
#include "record/conversion/convert_state.h"

/* An event at a time of its own; Enter and Leave of a region; the metrics of a stretch of
 * computation. */
enum {
    RARE_BYTES = FM_TIMESTAMP_BYTES + FM_RARE_BYTES,
    VISIT_BYTES = 2 * (FM_TIMESTAMP_BYTES + 5),
    STRETCH_BYTES = FM_TIMESTAMP_BYTES + 8 * FM_RARE_BYTES
};

static uint64_t bytes_of(const uint64_t *record, uint64_t above)
{
    const enum fm_record_kind kind = fm_record_kind(record[0]);
    switch (kind) {
    case FM_RECORD_CALL:
    case FM_RECORD_CALL_LONG:
    case FM_RECORD_STACK_SITE:
    case FM_RECORD_REGION_ENTER:
    case FM_RECORD_FUNCTION_ENTER:
        return VISIT_BYTES;
    case FM_RECORD_STACK:
        return fm_record_ref(record[0]) != FM_STACK_NO_SITE ? VISIT_BYTES : 0;
    case FM_RECORD_REGION_LEAVE: /* counted with the begin */
    case FM_RECORD_FUNCTION_LEAVE:
    case FM_RECORD_BYTES_ABOVE:
    case FM_RECORD_SAMPLE_LOST:
    case FM_RECORD_ITERATION:
        return 0;
    case FM_RECORD_PROCESSOR:
        return STRETCH_BYTES;
    case FM_RECORD_MERGED:
        return fm_record_merged_calls(record[0]) > 1 ? 2 * FM_RARE_BYTES : 0;
    case FM_RECORD_UNRECORDED:
    case FM_RECORD_PERSISTENT_COMPLETE:
        return FM_COUNT_BYTES;
    case FM_RECORD_SAMPLE:
    case FM_RECORD_METRIC:
    case FM_RECORD_PARAMETER:
    case FM_RECORD_PARAMETER_TEXT:
    case FM_RECORD_MARKER:
    case FM_RECORD_STREAM_ACTIVITY:
        return RARE_BYTES;
    case FM_RECORD_STREAM_WORK:
    case FM_RECORD_FLUSH:
        return 2 * RARE_BYTES;
    case FM_RECORD_RELEASE_NOTED_LOCK:
        return FM_COUNT_BYTES;
    case FM_RECORD_FORK:
    case FM_RECORD_TEAM_BEGIN:
    case FM_RECORD_TEAM_END:
    case FM_RECORD_TASK_CREATE:
    case FM_RECORD_TASK_SWITCH:
    case FM_RECORD_TASK_COMPLETE:
    case FM_RECORD_LOCK_TAKEN:
    case FM_RECORD_LOCK_GIVEN:
        return RARE_BYTES;
    default:
        return fm_operation_event_bytes(record, fm_record_bytes(record[0], above));
    }
}

uint64_t fm_archive_bytes(const uint64_t *records, const uint64_t *end)
{
    uint64_t bytes = 0, above = 0;
    while (records < end) {
        const enum fm_record_kind kind = fm_record_kind(records[0]);
        if (kind >= FM_RECORD_KIND_COUNT || fm_record_words[kind] > end - records) {
            break;
        }
        bytes += bytes_of(records, above);
        above = kind == FM_RECORD_BYTES_ABOVE ? records[0] : 0;
        records += fm_record_words[kind];
    }
    return bytes;
}
