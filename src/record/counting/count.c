/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/count.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/thread.h"
#include "record/counting/counter_file.h"
#include "record/counting/profile/profile.h"
#include "record/counting/size_counter.h"
#include "record/counting/traffic/peer_traffic.h"
#include "record/counting/user_counters.h"
#include "record/paradigm/region.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/otf2.h>

static uint64_t message_boundary; /* bytes of the largest small message */

void fm_count_begin(void)
{
    message_boundary = fm_counter_boundary(FM_BOUNDARY_MESSAGE);
}

/* By function: enum fm_counter_model. */
static uint8_t models[FM_FUNCTIONS_MOST];

void fm_count_model(uint32_t function, uint32_t model)
{
    models[function] = (uint8_t)model;
}

/* Readers see each word as a whole; the order is that of the sequence numbers. */
FM_INLINE void add(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, *word + value, __ATOMIC_RELAXED);
}

FM_INLINE void count_call(const struct fm_counting *counting, uint64_t *values, uint32_t function,
                          uint64_t enter, uint64_t duration)
{
    if (FM_LIKELY(function < counting->functions)) {
        uint64_t *words = values + FM_SLOTS + (size_t)FM_FUNCTION_WORDS * function;
        add(&words[0], 1);
        add(&words[1], duration);
    } else {
        add(&values[FM_SLOT_CALLS_ELSEWHERE], 1);
    }
    if (counting->profile != NULL) {
        fm_profile_call(counting->profile, function, enter, duration);
    }
}

/* Bytes of an operation of the open call. */
FM_INLINE void attribute(const struct fm_counting *counting, uint64_t sent, uint64_t received)
{
    if (counting->profile != NULL) {
        counting->profile->entry->sent += sent;
        counting->profile->entry->received += received;
    }
}

static void count_requests(uint64_t *values, int64_t change)
{
    add(&values[FM_SLOT_REQUESTS_OPEN], (uint64_t)change);
    if ((int64_t)values[FM_SLOT_REQUESTS_OPEN] > (int64_t)values[FM_SLOT_REQUESTS_OPEN_MOST]) {
        __atomic_store_n(&values[FM_SLOT_REQUESTS_OPEN_MOST], values[FM_SLOT_REQUESTS_OPEN],
                         __ATOMIC_RELAXED);
    }
}

FM_INLINE uint64_t bytes_of(struct fm_counting *counting, uint64_t header)
{
    uint64_t bytes = fm_record_bytes(header, counting->above);
    counting->above = 0;
    return bytes;
}

FM_INLINE void count_send(const struct fm_counting *counting, uint64_t *values,
                          const uint64_t *record, uint64_t bytes)
{
    attribute(counting, bytes, 0);
    if (counting->traffic != NULL) {
        fm_peer_traffic_count(counting->traffic, FM_PEER_MESSAGES, FM_PEER_FOR_SENDS, FM_PEER_SENT,
                              record, bytes);
    }
    unsigned bin = bytes != 0 ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
    add(&values[FM_SLOT_MESSAGES_SENT], 1);
    add(&values[FM_SLOT_BYTES_SENT], bytes);
    add(&values[FM_SLOT_MESSAGES_BY_BOUNDARY + (bytes > message_boundary)], 1);
    add(&values[FM_SLOT_MESSAGE_SIZES + bin], 1);
    if (FM_UNLIKELY(fm_size_counter.slot != 0)) {
        add(&values[fm_size_counter.slot + fm_size_bin(&fm_size_counter.bins, bytes)], 1);
    }
}

FM_INLINE void count_receipt(const struct fm_counting *counting, uint64_t *values,
                             const uint64_t *record, uint64_t bytes)
{
    attribute(counting, 0, bytes);
    if (counting->traffic != NULL) {
        fm_peer_traffic_count(counting->traffic, FM_PEER_MESSAGES, FM_PEER_FOR_RECEIPTS,
                              FM_PEER_RECEIVED, record, bytes);
    }
    add(&values[FM_SLOT_MESSAGES_RECEIVED], 1);
    add(&values[FM_SLOT_BYTES_RECEIVED], bytes);
}

/* First word of the counters of the model that the open call belongs to; NULL: none is counted. */
static uint64_t *model_of(const struct fm_counting *counting, uint64_t *values)
{
    uint32_t function = counting->function;
    uint32_t model = function < FM_FUNCTIONS_MOST ? models[function] : FM_COUNTER_MODELS;
    return model < FM_COUNTER_MODELS ? values + FM_SLOTS_SINGLE + (size_t)model * FM_MODEL_SLOTS
                                     : NULL;
}

static uint32_t operation_bin(uint64_t header)
{
    uint32_t operation = fm_record_aux(header);
    return operation < FM_COLLECTIVE_BINS - 1 ? operation : FM_COLLECTIVE_BINS - 1;
}

FM_INLINE void count_one_sided(const struct fm_counting *counting, const uint64_t *record,
                               unsigned number, uint64_t bytes)
{
    if (counting->traffic != NULL) {
        fm_peer_traffic_count(counting->traffic, FM_PEER_ONE_SIDED, FM_PEER_FOR_ONE_SIDED, number,
                              record, bytes);
    }
}

static void count_collective(const struct fm_counting *counting, uint64_t *model,
                             const uint64_t *record)
{
    add(&model[FM_MODEL_SLOT_COLLECTIVES + operation_bin(record[0])], 1);
    add(&model[FM_MODEL_SLOT_COLLECTIVE_SENT], record[2]);
    add(&model[FM_MODEL_SLOT_COLLECTIVE_RECEIVED], record[3]);
    attribute(counting, record[2], record[3]);
    if (counting->traffic != NULL) {
        bool is_of_window = fm_record_kind(record[0]) == FM_RECORD_RMA_COLLECTIVE;
        fm_peer_traffic_collective(counting->traffic,
                                   is_of_window ? FM_PEER_WINDOW_COLLECTIVES : FM_PEER_COLLECTIVES,
                                   record);
    }
}

/* Records of operations that only some functions have. */
static void count_of_model(struct fm_counting *counting, uint64_t *values, const uint64_t *record)
{
    uint64_t *model = model_of(counting, values), bytes;
    if (model == NULL) {
        counting->above = 0;
        return;
    }
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_COLLECTIVE_END:
    case FM_RECORD_COLLECTIVE_COMPLETE:
    case FM_RECORD_PERSISTENT_COMPLETE:
    case FM_RECORD_RMA_COLLECTIVE:
        count_collective(counting, model, record);
        break;
    case FM_RECORD_WIN_COLLECTIVE_END:
        add(&model[FM_MODEL_SLOT_WINDOW_COLLECTIVES + operation_bin(record[0])], 1);
        break;
    case FM_RECORD_PUT:
        add(&model[FM_MODEL_SLOT_PUTS], 1);
        bytes = bytes_of(counting, record[0]);
        add(&model[FM_MODEL_SLOT_BYTES_PUT], bytes);
        attribute(counting, bytes, 0);
        count_one_sided(counting, record, FM_PEER_PUTS, bytes);
        break;
    case FM_RECORD_GET:
        add(&model[FM_MODEL_SLOT_GETS], 1);
        bytes = bytes_of(counting, record[0]);
        add(&model[FM_MODEL_SLOT_BYTES_GOT], bytes);
        attribute(counting, 0, bytes);
        count_one_sided(counting, record, FM_PEER_GETS, bytes);
        break;
    case FM_RECORD_ATOMIC:
        add(&model[FM_MODEL_SLOT_ATOMICS], 1);
        add(&model[FM_MODEL_SLOT_BYTES_ATOMIC], record[2] + record[3]);
        attribute(counting, record[2], record[3]);
        count_one_sided(counting, record, FM_PEER_ATOMICS, record[2] + record[3]);
        break;
    case FM_RECORD_LOCK_ACQUIRE:
    case FM_RECORD_LOCK_RELEASE: /* of a window: MPI does not state when it was acquired */
        add(&model[FM_MODEL_SLOT_LOCKS], 1);
        break;
    case FM_RECORD_LOCK_TRY:
        add(&model[FM_MODEL_SLOT_LOCKS_TRIED], 1);
        break;
    default:
        break;
    }
}

static void count_lock(uint64_t *values, uint64_t header)
{
    add(&values[fm_record_aux(header) == OTF2_PARADIGM_OPENMP ? FM_SLOT_OPENMP_LOCKS
                                                              : FM_SLOT_PTHREAD_LOCKS],
        1);
}

static void count_function(const struct fm_counting *counting, uint64_t *values,
                           const uint64_t *record)
{
    if (fm_record_kind(record[0]) == FM_RECORD_FUNCTION_ENTER) {
        add(&values[FM_SLOT_FUNCTIONS_ENTERED], 1);
    }
    if (counting->profile != NULL) {
        fm_profile_function(counting->profile, record);
    }
}

static void count_communicator(const struct fm_counting *counting, uint64_t *values,
                               const uint64_t *record)
{
    add(&values[FM_SLOT_COMMUNICATORS_CREATED], 1);
    if (counting->traffic != NULL) {
        fm_peer_traffic_made(counting->traffic, fm_record_ref(record[0]), counting->function);
    }
}

static void set_user_counter(uint64_t *values, const uint64_t *record)
{
    uint32_t slot = fm_user_counter_slot(fm_record_ref(record[0]));
    if (slot != 0) {
        __atomic_store_n(&values[slot], record[2], __ATOMIC_RELAXED);
    }
}

/* Records that are rare, or belong to no call. */
static void count_other(struct fm_counting *counting, uint64_t *values, const uint64_t *record)
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_BYTES_ABOVE:
        counting->above = record[0];
        break;
    case FM_RECORD_REQUEST_CANCELLED:
        count_requests(values, -1);
        break;
    case FM_RECORD_REQUEST_TEST:
        add(&values[FM_SLOT_REQUESTS_TESTED], 1);
        break;
    case FM_RECORD_COLLECTIVE_REQUEST:
        count_requests(values, 1);
        break;
    case FM_RECORD_PARTITIONED_SEND:
        count_send(counting, values, record, record[3]);
        count_requests(values, 1);
        break;
    case FM_RECORD_PARTITIONED_RECEIVE:
        count_receipt(counting, values, record, record[3]);
        count_requests(values, -1);
        break;
    case FM_RECORD_COLLECTIVE_COMPLETE:
    case FM_RECORD_PERSISTENT_COMPLETE:
        count_requests(values, -1);
        count_of_model(counting, values, record);
        break;
    case FM_RECORD_COMM_CREATE:
        count_communicator(counting, values, record);
        break;
    case FM_RECORD_FORK:
        add(&values[FM_SLOT_PARALLEL_REGIONS], 1);
        break;
    case FM_RECORD_TASK_CREATE:
        add(&values[FM_SLOT_TASKS_CREATED], 1);
        break;
    case FM_RECORD_LOCK_TAKEN:
    case FM_RECORD_ACQUIRE_LOCK:
        count_lock(values, record[0]);
        break;
    case FM_RECORD_THREAD_CREATE:
        add(&values[FM_SLOT_THREADS_CREATED], 1);
        break;
    case FM_RECORD_REGION_ENTER:
        add(&values[FM_SLOT_REGIONS_ENTERED], 1);
        break;
    case FM_RECORD_FUNCTION_ENTER:
    case FM_RECORD_FUNCTION_LEAVE:
        count_function(counting, values, record);
        break;
    case FM_RECORD_METRIC:
        set_user_counter(values, record);
        break;
    case FM_RECORD_SAMPLE:
        add(&values[FM_SLOT_SAMPLES], 1);
        break;
    case FM_RECORD_FLUSH:
        add(&values[FM_SLOT_FLUSHES], 1);
        break;
    case FM_RECORD_PROCESSOR:
        if (counting->profile != NULL) {
            fm_profile_stretch(counting->profile, record);
        }
        break;
    default:
        break;
    }
}

static void count_record(struct fm_counting *counting, uint64_t *values, const uint64_t *record)
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_CALL:
        counting->function = fm_record_aux(record[0]);
        count_call(counting, values, counting->function, record[1], fm_record_duration(record[0]));
        break;
    case FM_RECORD_CALL_LONG:
        counting->function = fm_record_aux(record[0]);
        count_call(counting, values, counting->function, record[1], record[2] - record[1]);
        break;
    case FM_RECORD_SEND:
        count_send(counting, values, record, bytes_of(counting, record[0]));
        break;
    case FM_RECORD_ISEND:
        count_send(counting, values, record, bytes_of(counting, record[0]));
        count_requests(values, 1);
        break;
    case FM_RECORD_RECV:
        count_receipt(counting, values, record, bytes_of(counting, record[0]));
        break;
    case FM_RECORD_IRECV:
        count_receipt(counting, values, record, bytes_of(counting, record[0]));
        count_requests(values, -1);
        break;
    case FM_RECORD_IRECV_REQUEST:
        count_requests(values, 1);
        break;
    case FM_RECORD_ISEND_COMPLETE:
        count_requests(values, -1);
        break;
    case FM_RECORD_COLLECTIVE_BEGIN:
        break;
    case FM_RECORD_STACK:
    case FM_RECORD_STACK_SITE:
        if (counting->profile != NULL) {
            fm_profile_follow(counting->profile, record[0]);
        }
        break;
    case FM_RECORD_COLLECTIVE_END:
    case FM_RECORD_PUT:
    case FM_RECORD_GET:
    case FM_RECORD_ATOMIC:
    case FM_RECORD_LOCK_ACQUIRE:
    case FM_RECORD_LOCK_RELEASE:
    case FM_RECORD_LOCK_TRY:
    case FM_RECORD_RMA_COLLECTIVE:
    case FM_RECORD_WIN_COLLECTIVE_END:
        count_of_model(counting, values, record);
        break;
    default:
        count_other(counting, values, record);
        break;
    }
}

/* A reader has requested it: the levels are those of the end of the previous call. */
FM_COLD static void reset_watermarks(uint64_t *block, uint64_t resets)
{
    uint64_t *values = block + FM_BLOCK_HEAD;
    __atomic_store_n(&values[FM_SLOT_REQUESTS_OPEN_MOST], values[FM_SLOT_REQUESTS_OPEN],
                     __ATOMIC_RELAXED);
    __atomic_store_n(&block[FM_BLOCK_RESETS], resets, __ATOMIC_RELAXED);
}

/* @param words  that count as recorded ones */
static void count_words(struct fm_thread *thread, const uint64_t *record, const uint64_t *end,
                        uint64_t words)
{
    struct fm_counting *counting = thread->counting;
    uint64_t *values = counting->block + FM_BLOCK_HEAD;
    if (record >= end) {
        return;
    }
    uint64_t sequence = counting->block[FM_BLOCK_SEQUENCE];
    __atomic_store_n(&counting->block[FM_BLOCK_TIME], thread->left, __ATOMIC_RELAXED);
    __atomic_store_n(&counting->block[FM_BLOCK_SEQUENCE], sequence + 1, __ATOMIC_RELAXED);
    fm_counter_fence();
    uint64_t resets = __atomic_load_n(counting->resets, __ATOMIC_RELAXED);
    if (FM_UNLIKELY(resets != counting->block[FM_BLOCK_RESETS])) {
        reset_watermarks(counting->block, resets);
    }
    const uint64_t paid = counting->removed < words ? counting->removed : words;
    counting->removed -= paid; /* the counter never falls */
    add(&values[FM_SLOT_RECORDS], (words - paid) * sizeof *record);
    while (record < end) {
        enum fm_record_kind kind = fm_record_kind(record[0]);
        if (FM_UNLIKELY(counting->off)) {
            counting->off = kind != FM_RECORD_RECORDING_ON;
        } else if (FM_UNLIKELY(kind == FM_RECORD_RECORDING_OFF)) {
            counting->off = !thread->pause.is_counted;
        } else {
            count_record(counting, values, record);
        }
        record += fm_record_words[kind];
    }
    __atomic_store_n(&counting->block[FM_BLOCK_SEQUENCE], sequence + 2, __ATOMIC_RELEASE);
}

static void count(struct fm_thread *thread, const uint64_t *record, const uint64_t *end)
{
    count_words(thread, record, end, (uint64_t)(end - record));
}

/* The thread has recorded calls before its process had a file for counters. */
FM_COLD static void count_all(struct fm_thread *thread)
{
    for (struct fm_chunk *chunk = thread->first; chunk != thread->current; chunk = chunk->next) {
        count(thread, chunk->words, chunk->used);
    }
    count(thread, thread->current->words, thread->cursor);
}

static void count_new(struct fm_thread *thread)
{
    const uint64_t *from = thread->counting->from;
    if (FM_UNLIKELY(from == NULL)) {
        count_all(thread);
    } else {
        count(thread, from, thread->cursor);
    }
    thread->counting->from = thread->cursor;
}

/* Begins again where the thread's records began. In a pause the records are folded instead. */
static void discard(struct fm_thread *thread)
{
    if (FM_LIKELY(thread->first == thread->current)) {
        thread->cursor = thread->first->words;
        thread->counting->from = thread->cursor;
    } else {
        fm_thread_rewind(thread, thread->first, thread->first->words);
    }
}

void fm_count_call(struct fm_thread *thread)
{
    count_new(thread);
    if (thread->counting->discards && !thread->pause.paused) {
        discard(thread);
    }
}

void fm_count_merged(struct fm_thread *thread, uint64_t kept)
{
    if (thread->counting->from == NULL) {
        count_new(thread);
    } else {
        count_words(thread, thread->counting->from, thread->cursor, kept);
        thread->counting->from = thread->cursor;
    }
}

void fm_count_removed(struct fm_thread *thread, uint64_t words)
{
    if (thread->counting != NULL) {
        count_new(thread);
        thread->counting->removed += words;
    }
}

void fm_count_rest(struct fm_thread *thread)
{
    if (thread->counting != NULL) {
        count_new(thread);
    }
}

void fm_count_others(const struct fm_thread *self)
{
    for (struct fm_thread *each = fm_threads_all(); each != NULL; each = each->next) {
        bool is_idle = (each->depth == 0 || each->depth == FM_DEPTH_RUNTIME) &&
                       each->is_marking == 0 && !each->is_stream;
        if (each != self && is_idle) {
            fm_count_rest(each);
        }
    }
}

void fm_count_from_here(struct fm_thread *thread)
{
    if (thread->counting != NULL && thread->counting->from != NULL) {
        thread->counting->from = thread->cursor;
    }
}
