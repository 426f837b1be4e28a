/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/left_out.h"

#include "record/archive/attribute.h"
#include "record/conversion/team_events.h"
#include "record/conversion/visits.h"
#include "record/selection/unrecorded.h"

#include <string.h>

void fm_convert_unrecorded(struct fm_thread *thread, const uint64_t *r)
{
    static const enum fm_attribute counts[] = {
        [FM_SERIES_SENDS] = FM_ATTRIBUTE_SENDS,
        [FM_SERIES_RECEIVES] = FM_ATTRIBUTE_RECEIVES,
        [FM_SERIES_COLLECTIVES] = FM_ATTRIBUTE_COLLECTIVES,
        [FM_SERIES_WINDOW_COLLECTIVES] = FM_ATTRIBUTE_WINDOW_COLLECTIVES,
        [FM_SERIES_ACCESS_EPOCHS] = FM_ATTRIBUTE_ACCESS_EPOCHS,
        [FM_SERIES_EXPOSURE_EPOCHS] = FM_ATTRIBUTE_EXPOSURE_EPOCHS,
    };
    uint32_t series = fm_record_aux(r[0]), ref = fm_record_ref(r[0]), peer = (uint32_t)r[1];
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    if (list == NULL) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    OTF2_AttributeList_AddUint64(list, counts[series], r[2]);
    if (series <= FM_SERIES_COLLECTIVES) {
        OTF2_AttributeList_AddCommRef(list, FM_ATTRIBUTE_COMMUNICATOR, ref);
    } else {
        OTF2_AttributeList_AddRmaWinRef(list, FM_ATTRIBUTE_WINDOW, ref);
    }
    if (series <= FM_SERIES_RECEIVES) {
        OTF2_AttributeList_AddUint32(list, FM_ATTRIBUTE_PEER, peer);
        OTF2_AttributeList_AddUint32(list, FM_ATTRIBUTE_TAG, (uint32_t)(r[1] >> 32));
    } else if (series == FM_SERIES_COLLECTIVES && peer != 0) {
        OTF2_AttributeList_AddUint32(list, FM_ATTRIBUTE_PERSISTENT, peer - 1);
    } else if (series >= FM_SERIES_ACCESS_EPOCHS) {
        OTF2_AttributeList_AddGroupRef(list, FM_ATTRIBUTE_GROUP, peer);
    }
    fm_attributes_used = true;
    fm_convert_count_bytes(thread, FM_COUNT_BYTES,
                           OTF2_EvtWriter_MeasurementOnOff(thread->writer, list, thread->last_time,
                                                           OTF2_MEASUREMENT_OFF));
    OTF2_AttributeList_Delete(list);
}

void fm_convert_begin_pause(struct fm_thread *thread, uint64_t time)
{
    fm_convert_pending(thread, time);
    fm_team_events_end_fork(thread, time);
    if (!thread->off) {
        fm_convert_count(thread, OTF2_EvtWriter_MeasurementOnOff(
                                     thread->writer, NULL, fm_convert_not_before(thread, time),
                                     OTF2_MEASUREMENT_OFF));
    }
    thread->off = true;
    thread->stretch[0] = 0;
}

void fm_convert_end_pause(struct fm_thread *thread, uint32_t regions, uint64_t time)
{
    fm_convert_count(thread, OTF2_EvtWriter_MeasurementOnOff(thread->writer, NULL,
                                                             fm_convert_not_before(thread, time),
                                                             OTF2_MEASUREMENT_ON));
    thread->off = false;
    fm_team_events_end_behind(thread, regions, time);
    fm_visits_end_marked_behind(thread, regions, time);
}

/* ---- records that are left out ---- */

static const char *function_name(uint32_t function)
{
    return function < fm_convert_state.limits.function_count
               ? fm_convert_state.limits.functions[function].name
               : "";
}

bool fm_left_out_is_kept(const uint64_t *record)
{
    const char *phase = fm_convert_region_name(fm_record_ref(record[0]));
    return fm_convert_state.limits.thinning == NULL ||
           fm_thinning_keeps(fm_convert_state.limits.thinning,
                             fm_thinning_bucket(phase, strlen(phase)), record[2]);
}

void fm_left_out_begin(struct fm_thread *thread, uint64_t time, bool to_the_end)
{
    bool off = thread->off;
    fm_convert_begin_pause(thread, time);
    fm_dropped_begin(&thread->dropped, &thread->path, to_the_end, off);
}

static void write_counts(struct fm_thread *thread, const struct fm_unrecorded_table *table)
{
    for (size_t i = 0; table->count != 0 && i < table->capacity; i++) {
        const struct fm_unrecorded_count *entry = &table->slots[i];
        if (entry->series != 0) {
            const uint64_t record[FM_WORDS_UNRECORDED] = {
                fm_record_header(FM_RECORD_UNRECORDED, entry->series, entry->reference),
                entry->peer | (uint64_t)entry->tag << 32, entry->count};
            fm_convert_unrecorded(thread, record);
        }
    }
}

/* Instrumented functions that ended or began in what was left out. */
static void change_functions(struct fm_thread *thread, const struct fm_dropped *dropped,
                             uint64_t time)
{
    if (dropped->functions_stay < thread->path.instrumented) {
        fm_visits_leave_functions(thread, dropped->functions_stay, time);
    }
    for (size_t i = 0; i < dropped->functions.count; i++) {
        fm_visits_begin_region(thread,
                               fm_record_header(FM_RECORD_FUNCTION_ENTER, FM_PATH_APART,
                                                (uint32_t)dropped->functions.regions[i]),
                               time);
    }
}

void fm_left_out_end(struct fm_thread *thread, uint64_t time, bool resumes)
{
    struct fm_dropped *dropped = &thread->dropped;
    if (!dropped->active) {
        return;
    }
    write_counts(thread, &dropped->unrecorded);
    fm_convert_check(!dropped->broken);
    if (resumes && !dropped->off) {
        fm_convert_end_pause(thread, (uint32_t)dropped->stay, time);
        change_functions(thread, dropped, time);
        for (size_t i = 0; i < dropped->regions.count; i++) {
            if (!fm_convert_is_phase((uint32_t)dropped->regions.regions[i])) {
                fm_visits_begin_region(thread,
                                       fm_record_header(FM_RECORD_REGION_ENTER, 0,
                                                        (uint32_t)dropped->regions.regions[i]),
                                       time);
            }
        }
    }
    fm_dropped_end(dropped);
}

bool fm_left_out_pass(struct fm_thread *thread, const uint64_t *record)
{
    struct fm_dropped *dropped = &thread->dropped;
    enum fm_record_kind kind = fm_record_kind(record[0]);
    if (kind == FM_RECORD_PROGRAM_BEGIN) {
        return false;
    }
    if (kind == FM_RECORD_STACK || kind == FM_RECORD_STACK_SITE) {
        fm_visits_change_stack(thread, record[0]);
        return true;
    }
    if (dropped->lingers && kind == FM_RECORD_ITERATION && !fm_left_out_is_kept(record)) {
        dropped->lingers = false;
        return true;
    }
    if (dropped->lingers || kind == FM_RECORD_PROGRAM_END) {
        bool resumes = dropped->lingers;
        fm_left_out_end(thread, resumes ? dropped->ended : record[1], resumes);
        return false;
    }
    fm_dropped_pass(dropped, &thread->path, record, function_name);
    return true;
}

void fm_left_out_at_limit(struct fm_thread *thread, const uint64_t *record, bool is_between)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    bool is_call = kind == FM_RECORD_CALL || kind == FM_RECORD_CALL_LONG;
    bool has_time = is_call || (is_between && kind != FM_RECORD_STACK &&
                                kind != FM_RECORD_STACK_SITE && kind != FM_RECORD_UNRECORDED);
    if (!has_time || kind == FM_RECORD_PROGRAM_BEGIN || kind == FM_RECORD_PROGRAM_END) {
        return;
    }
    fm_convert_state.has_exceeded = true;
    if (thread->dropped.active && !thread->dropped.lingers) {
        thread->dropped.to_the_end = true;
        return;
    }
    fm_left_out_end(thread, thread->dropped.ended, true);
    fm_left_out_begin(thread, record[1], true);
}
