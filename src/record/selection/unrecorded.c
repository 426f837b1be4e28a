/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/unrecorded.h"

#include "functions/function_kind.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BYTES = 4096 };

static size_t place_of(const struct fm_unrecorded_table *table,
                       const struct fm_unrecorded_count *entry)
{
    uint64_t hash = ((uint64_t)entry->reference << 32 | entry->peer) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ entry->tag ^ (uint64_t)entry->series << 32) * 0x9e3779b97f4a7c15u;
    size_t mask = table->capacity - 1, place = (size_t)(hash >> 32) & mask;
    for (;; place = (place + 1) & mask) {
        const struct fm_unrecorded_count *slot = &table->slots[place];
        if (slot->series == 0 ||
            (slot->series == entry->series && slot->reference == entry->reference &&
             slot->peer == entry->peer && slot->tag == entry->tag)) {
            return place;
        }
    }
}

static bool grow(struct fm_unrecorded_table *table)
{
    int saved = errno;
    size_t before = table->capacity * sizeof *table->slots;
    size_t bytes = before != 0 ? 2 * before : FIRST_BYTES;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    if (pages == MAP_FAILED) {
        return false;
    }
    struct fm_unrecorded_table larger = {.slots = pages, .count = table->count, .capacity = 1};
    while (2 * larger.capacity * sizeof *larger.slots <= bytes) {
        larger.capacity *= 2;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].series != 0) {
            larger.slots[place_of(&larger, &table->slots[i])] = table->slots[i];
        }
    }
    if (before != 0) {
        munmap(table->slots, before);
    }
    *table = larger;
    return true;
}

bool fm_unrecorded_add(struct fm_unrecorded_table *table, const struct fm_unrecorded_count *entry)
{
    if (2 * (table->count + 1) > table->capacity && !grow(table)) {
        return false;
    }
    struct fm_unrecorded_count *slot = &table->slots[place_of(table, entry)];
    if (slot->series == 0) {
        *slot = *entry;
        table->count++;
    } else {
        slot->count += entry->count;
    }
    return true;
}

static bool add(struct fm_unrecorded_table *table, enum fm_series series, uint32_t reference,
                uint32_t peer, uint32_t tag)
{
    return fm_unrecorded_add(table, &(struct fm_unrecorded_count){1, series, reference, peer, tag});
}

/* The rule class of a call's function, whose name has the prefix of its programming model. */
static fm_call_t call_kind(const char *function)
{
    return fm_function_kind(fm_paradigm_of_function(function), function).call;
}

/* Counts an epoch at the function that opens it; the closing functions have the same record. */
static bool add_epoch(struct fm_unrecorded_table *table, const uint64_t *record, fm_call_t call)
{
    uint32_t window = fm_record_ref(record[0]), group = (uint32_t)record[1];
    if (call == FM_CALL_START) {
        return add(table, FM_SERIES_ACCESS_EPOCHS, window, group, 0);
    }
    return call != FM_CALL_POST || add(table, FM_SERIES_EXPOSURE_EPOCHS, window, group, 0);
}

/* The creation of a communicator by its members alone counts on no other communicator; MPI_Init and
 * MPI_Finalize are numbered separately, by their calls. */
static bool counts_on_communicator(fm_call_t call)
{
    return call != FM_CALL_DETACHED_COMMUNICATOR && call != FM_CALL_INIT &&
           call != FM_CALL_FINALIZE;
}

bool fm_unrecorded_note(struct fm_unrecorded_table *table, const uint64_t *r, const char *function)
{
    uint32_t ref = fm_record_ref(r[0]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_SEND:
    case FM_RECORD_ISEND:
        return add(table, FM_SERIES_SENDS, ref, (uint32_t)r[1], (uint32_t)(r[1] >> 32));
    case FM_RECORD_RECV:
    case FM_RECORD_IRECV:
        return add(table, FM_SERIES_RECEIVES, ref, (uint32_t)r[1], (uint32_t)(r[1] >> 32));
    case FM_RECORD_COLLECTIVE_END:
    case FM_RECORD_COLLECTIVE_COMPLETE:
        return !counts_on_communicator(call_kind(function)) ||
               add(table, FM_SERIES_COLLECTIVES, ref, 0, 0);
    case FM_RECORD_PERSISTENT_COMPLETE:
        return add(table, FM_SERIES_COLLECTIVES, ref, (uint32_t)r[5] + 1, 0);
    case FM_RECORD_WIN_COLLECTIVE_END:
    case FM_RECORD_RMA_COLLECTIVE:
        return add(table, FM_SERIES_WINDOW_COLLECTIVES, ref, 0, 0);
    case FM_RECORD_GROUP_SYNC:
        return add_epoch(table, r, call_kind(function));
    default:
        return true;
    }
}

void fm_unrecorded_clear(struct fm_unrecorded_table *table)
{
    if (table->count != 0) {
        memset(table->slots, 0, table->capacity * sizeof *table->slots);
        table->count = 0;
    }
}

void fm_unrecorded_free(struct fm_unrecorded_table *table)
{
    if (table->capacity != 0) {
        munmap(table->slots, table->capacity * sizeof *table->slots);
    }
    *table = (struct fm_unrecorded_table){0};
}
