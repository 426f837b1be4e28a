/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/lock_events.h"

#include "record/archive/attribute.h"
#include "record/archive/callsites.h"

/* ---- events ---- */

static void add_acquisition(OTF2_AttributeList *list, const uint64_t *r)
{
    uint32_t function = fm_callsite_function(fm_convert_state.callsites, (uint32_t)r[3]);
    OTF2_AttributeList_AddUint64(list, FM_ATTRIBUTE_ACQUIRED_AT, r[2]);
    if (function != FM_DEFINE_NONE) {
        OTF2_AttributeList_AddRegionRef(list, FM_ATTRIBUTE_ACQUIRED_IN,
                                        fm_event_region(fm_convert_state.regions,
                                                        FM_FUNCTIONS_MOST + function,
                                                        FM_DEFINE_NONE));
    }
    if ((r[3] >> FM_NOTED_LOCK_SHARED_BIT & 1) != 0) {
        OTF2_AttributeList_AddUint8(list, FM_ATTRIBUTE_ACQUIRED_SHARED, 1);
    }
    fm_attributes_used = true;
}

void fm_lock_event(struct fm_thread *thread, const uint64_t *r)
{
    OTF2_EvtWriter *w = thread->writer;
    OTF2_Paradigm paradigm = (OTF2_Paradigm)fm_record_aux(r[0]);
    uint32_t lock = fm_record_ref(r[0]), order = (uint32_t)r[1];
    if (fm_record_kind(r[0]) == FM_RECORD_ACQUIRE_LOCK) {
        uint64_t time = fm_convert_not_before(thread, thread->pending_leave);
        fm_convert_count(thread,
                         OTF2_EvtWriter_ThreadAcquireLock(w, NULL, time, paradigm, lock, order));
        return;
    }
    OTF2_AttributeList *list = NULL;
    if (fm_record_kind(r[0]) == FM_RECORD_RELEASE_NOTED_LOCK) {
        list = OTF2_AttributeList_New();
        fm_convert_check(list != NULL);
        add_acquisition(list, r);
    }
    fm_convert_count_bytes(
        thread, FM_COUNT_BYTES,
        OTF2_EvtWriter_ThreadReleaseLock(w, list, thread->last_time, paradigm, lock, order));
    OTF2_AttributeList_Delete(list);
}

/* ---- holds ---- */

/* Whether a record lies between the samples before a call and the call. */
static bool is_before_call(enum fm_record_kind kind)
{
    return kind == FM_RECORD_STACK || kind == FM_RECORD_STACK_SITE || kind == FM_RECORD_SAMPLE ||
           kind == FM_RECORD_SAMPLE_LOST || kind == FM_RECORD_PROCESSOR;
}

/* The record behind one, if both are complete; else NULL. */
static const uint64_t *behind(const uint64_t *record, const uint64_t *end)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    if (kind >= FM_RECORD_KIND_COUNT || fm_record_words[kind] >= end - record) {
        return NULL;
    }
    const uint64_t *next = record + fm_record_words[kind];
    kind = fm_record_kind(next[0]);
    return kind < FM_RECORD_KIND_COUNT && fm_record_words[kind] <= end - next ? next : NULL;
}

/* Least ticks of a long hold: half a period of the samples, of which `reach` is twice that. */
static uint64_t least_hold(const struct fm_thread *thread, uint64_t reach)
{
    enum { REACHES = 4 };
    if (reach == 0 && thread->sampled != 0 && thread->sample_reach != UINT64_MAX) {
        reach = thread->sample_reach;
    }
    return reach / REACHES;
}

const uint64_t *fm_lock_find_hold(struct fm_thread *thread, const uint64_t *records,
                                  const uint64_t *end)
{
    const uint64_t *call = records;
    uint64_t reach = 0;
    thread->held_since = 0;
    while (call != NULL && is_before_call(fm_record_kind(call[0]))) {
        reach = fm_record_kind(call[0]) == FM_RECORD_SAMPLE ? fm_record_ref(call[0]) : reach;
        call = behind(call, end);
    }
    if (call == NULL) {
        return end;
    }
    const uint64_t *release = fm_record_kind(call[0]) == FM_RECORD_CALL ? behind(call, end) : NULL;
    if (release != NULL && fm_record_kind(release[0]) == FM_RECORD_RELEASE_NOTED_LOCK &&
        release[2] + least_hold(thread, reach) <= call[1]) {
        thread->held_since = release[2];
        thread->held_in = fm_callsite_function(fm_convert_state.callsites, (uint32_t)release[3]);
    }
    return call + 1;
}

static bool took_lock(const struct fm_thread *thread, size_t function)
{
    return thread->held_in != FM_DEFINE_NONE &&
           fm_callsite_function(fm_convert_state.callsites, thread->path.sites[function]) ==
               thread->held_in;
}

bool fm_lock_was_taken_by_innermost(const struct fm_thread *thread)
{
    return thread->path.site_count != 0 && took_lock(thread, thread->path.site_count - 1);
}

bool fm_lock_was_taken_on_stack(const struct fm_thread *thread)
{
    bool is_found = false;
    for (size_t i = 0; i < thread->path.site_count && !is_found; i++) {
        is_found = took_lock(thread, i);
    }
    return is_found;
}
