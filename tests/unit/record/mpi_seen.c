/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi_seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct mpi_seen seen;

static void add(struct ledger *ledger, uint64_t id)
{
    __atomic_add_fetch(&ledger->count, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&ledger->sum, id, __ATOMIC_RELAXED);
}

static void count(uint64_t *number)
{
    __atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
}

static void note(uint64_t ids[], uint32_t *length, uint64_t header, uint64_t id)
{
    if (fm_record_ref(header) == seen.window) {
        uint32_t place = __atomic_fetch_add(length, 1, __ATOMIC_RELAXED);
        assert_true(place < EVER);
        ids[place] = id;
    }
}

static void take(const uint64_t *r)
{
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_PARTITIONED_SEND:
        add(&seen.sends, r[2]);
        if (r[1] >> 32 == COMMON_TAG) {
            add(&seen.numbers, r[4] >> 32);
        }
        break;
    case FM_RECORD_ISEND:
        add(&seen.sends, r[2]);
        break;
    case FM_RECORD_ISEND_COMPLETE:
        add(&seen.sent, r[1]);
        break;
    case FM_RECORD_IRECV_REQUEST:
        add(&seen.receives, r[1]);
        break;
    case FM_RECORD_IRECV:
    case FM_RECORD_PARTITIONED_RECEIVE:
        add(&seen.received, r[2]);
        break;
    case FM_RECORD_COLLECTIVE_REQUEST:
        add(&seen.collectives, r[1]);
        break;
    case FM_RECORD_COLLECTIVE_COMPLETE:
    case FM_RECORD_PERSISTENT_COMPLETE:
        add(&seen.collected, r[4]);
        break;
    case FM_RECORD_IO_BEGIN:
        add(&seen.accesses, r[1]);
        break;
    case FM_RECORD_IO_COMPLETE:
        add(&seen.accessed, r[1]);
        break;
    case FM_RECORD_PARTITIONS:
        add(&seen.partitions, fm_record_ref(r[0]));
        break;
    case FM_RECORD_PUT:
    case FM_RECORD_GET:
        note(seen.begun, &seen.begun_count, r[0], r[2]);
        break;
    case FM_RECORD_ATOMIC:
        note(seen.begun, &seen.begun_count, r[0], r[4]);
        break;
    case FM_RECORD_COMPLETE_FULLY:
    case FM_RECORD_COMPLETE_REMOTE:
        note(seen.ended, &seen.ended_count, r[0], r[1]);
        break;
    case FM_RECORD_COMPLETE_LOCAL:
        if (fm_record_ref(r[0]) == seen.window) {
            add(&seen.local, r[1]);
        }
        break;
    case FM_RECORD_REQUEST_TEST:
    case FM_RECORD_OPERATION_TEST:
        count(&seen.tests);
        break;
    case FM_RECORD_BYTES_ABOVE:
        count(&seen.large);
        break;
    case FM_RECORD_COMM_CREATE:
        count(&seen.created);
        break;
    case FM_RECORD_COMM_DESTROY:
        count(&seen.destroyed);
        break;
    case FM_RECORD_WIN_CREATE:
        count(&seen.wins);
        break;
    case FM_RECORD_WIN_DESTROY:
        count(&seen.wins_freed);
        break;
    case FM_RECORD_LOCK_REQUEST:
        count(&seen.locks);
        break;
    case FM_RECORD_LOCK_RELEASE:
        count(&seen.releases);
        break;
    case FM_RECORD_COLLECTIVE_END:
        count(&seen.blocking);
        break;
    default:
        break;
    }
}

bool take_all(struct fm_thread *thread, bool full)
{
    (void)full;
    thread->current->used = thread->cursor;
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        for (const uint64_t *r = chunk->words; r < chunk->used;
             r += fm_record_words[fm_record_kind(r[0])]) {
            take(r);
        }
    }
    fm_thread_reuse(thread);
    return true;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

void check_common_window(void)
{
    uint32_t distinct = 0;
    qsort(seen.begun, seen.begun_count, sizeof seen.begun[0], compare);
    qsort(seen.ended, seen.ended_count, sizeof seen.ended[0], compare);
    for (uint32_t i = 0; i < seen.begun_count; i++) {
        if (i == 0 || seen.begun[i] != seen.begun[i - 1]) {
            assert_true(distinct < seen.ended_count);
            assert_int_equal(seen.ended[distinct], seen.begun[i]);
            distinct++;
        }
    }
    assert_int_equal(seen.ended_count, distinct);
}
