/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/call_facts.h"

#include "base/partitioned_names.h"
#include "base/polling_names.h"
#include "base/probe_names.h"
#include "record/archive/archive.h"
#include "record/archive/attribute.h"
#include "record/conversion/convert_state.h"

void fm_convert_fact(struct fm_thread *thread, uint64_t time, const char *name, uint64_t value)
{
    const uint32_t words[] = {fm_define_string(fm_convert_state.definitions, name),
                              OTF2_PARAMETER_TYPE_UINT64};
    uint32_t parameter = fm_define(fm_convert_state.definitions, FM_DEFINE_PARAMETER, words, 2);
    fm_convert_check(words[0] != FM_DEFINE_NONE && parameter != FM_DEFINE_NONE);
    fm_convert_count(
        thread, OTF2_EvtWriter_ParameterUnsignedInt(thread->writer, NULL, time, parameter, value));
}

/* Writes which object a call is about. */
static void convert_object(struct fm_thread *thread, uint32_t object)
{
    fm_convert_fact(thread, thread->last_time, "synchronization object", object);
}

/* A message in partitions: its operation and start, and its number of partitions, stand in front.
 */
static void convert_partitioned(struct fm_thread *thread, const uint64_t *r)
{
    const bool sends = fm_record_kind(r[0]) == FM_RECORD_PARTITIONED_SEND;
    const uint64_t time =
        fm_convert_not_before(thread, sends ? thread->last_time : thread->pending_leave);
    const uint32_t comm = fm_record_ref(r[0]), peer = (uint32_t)r[1], tag = (uint32_t)(r[1] >> 32);
    fm_convert_fact(thread, time, FM_PARTITIONED_OPERATION, r[4]);
    fm_convert_fact(thread, time, FM_PARTITIONED_PARTITIONS, r[5]);
    fm_convert_count_bytes(
        thread, fm_operation_event_bytes(r, r[3]),
        sends ? OTF2_EvtWriter_MpiIsend(thread->writer, NULL, time, peer, comm, tag, r[3], r[2])
              : OTF2_EvtWriter_MpiIrecv(thread->writer, NULL, time, peer, comm, tag, r[3], r[2]));
}

/* The partitions that a call makes ready, or that have arrived. */
static void convert_partitions(struct fm_thread *thread, const uint64_t *r)
{
    fm_convert_fact(thread, thread->last_time, FM_PARTITIONED_REQUEST, r[1]);
    fm_convert_fact(thread, thread->last_time, FM_PARTITIONED_PARTITION, fm_record_ref(r[0]));
    if (r[2] != fm_record_ref(r[0])) {
        fm_convert_fact(thread, thread->last_time, FM_PARTITIONED_LAST, r[2]);
    }
}

/* The message that a probe has found. */
static void convert_probed(struct fm_thread *thread, const uint64_t *r)
{
    const uint64_t time = fm_convert_not_before(thread, thread->pending_leave);
    fm_convert_fact(thread, time, FM_PROBE_COMMUNICATOR, fm_record_ref(r[0]));
    fm_convert_fact(thread, time, FM_PROBE_SOURCE, (uint32_t)r[1]);
    fm_convert_fact(thread, time, FM_PROBE_TAG, (uint32_t)(r[1] >> 32));
}

/* A call that stands for several calls of a loop. It begins where the one before it in the records
 * of the loop ends: its own Enter is that of its first call, while its duration is that of all. */
static void convert_merged(struct fm_thread *thread, uint64_t header)
{
    const uint32_t calls = fm_record_merged_calls(header);
    const uint64_t length = thread->pending_length, gaps = fm_record_merged_gaps(header);
    if (calls > 1 || gaps != 0) {
        thread->pending_leave = thread->last_time + (length != 0 ? length : 1);
        fm_convert_fact(thread, thread->last_time, FM_MERGED_CALLS, calls);
        fm_convert_fact(thread, thread->last_time, FM_MERGED_GAPS, gaps < length ? gaps : length);
    }
}

/* A completion of a persistent collective, with the attributes that name it. */
static void convert_persistent(struct fm_thread *thread, const uint64_t *r)
{
    const uint32_t init = (uint32_t)(r[5] >> 32);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    fm_convert_check(list != NULL);
    OTF2_AttributeList_AddUint32(list, FM_ATTRIBUTE_PERSISTENT, (uint32_t)r[5]);
    fm_functions_used[init] = true;
    OTF2_AttributeList_AddRegionRef(
        list, FM_ATTRIBUTE_PERSISTENT_INIT,
        fm_event_region(fm_convert_state.regions, init, FM_DEFINE_NONE));
    fm_attributes_used = true;
    fm_convert_count_bytes(thread, FM_COUNT_BYTES,
                           OTF2_EvtWriter_NonBlockingCollectiveComplete(
                               thread->writer, list,
                               fm_convert_not_before(thread, thread->pending_leave),
                               (OTF2_CollectiveOp)fm_record_aux(r[0]), fm_record_ref(r[0]),
                               (uint32_t)r[1], r[2], r[3], r[4]));
    OTF2_AttributeList_Delete(list);
}

void fm_convert_call_fact(struct fm_thread *thread, const uint64_t *record)
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_SYNCHRONIZATION_OBJECT:
        convert_object(thread, fm_record_ref(record[0]));
        break;
    case FM_RECORD_PERSISTENT_COMPLETE:
        convert_persistent(thread, record);
        break;
    case FM_RECORD_PARTITIONS:
        convert_partitions(thread, record);
        break;
    case FM_RECORD_MERGED:
        convert_merged(thread, record[0]);
        break;
    case FM_RECORD_PROBED:
        convert_probed(thread, record);
        break;
    default:
        convert_partitioned(thread, record);
        break;
    }
}
