/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the tests of OpenMP's wrappers share: the sizes of their program, and the counts of its
 * records.
 */
#ifndef FERMATA_TESTS_OMP_RECORDS_H
#define FERMATA_TESTS_OMP_RECORDS_H

#include "record/capture/thread.h"
#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    THREADS = 4,
    NESTED = 2, /* threads of the inner teams */
    REGIONS = 30,
    ROUNDS = 20,
    TASKS = 5, /* of each thread in a round */
    TASKS_ALL = REGIONS * THREADS * ROUNDS * TASKS,
    ACQUISITIONS = REGIONS * THREADS * ROUNDS
};

/** The records so far. */
static struct {
    uint64_t forks, begun, ended, created, switched, completed; /* records */
    uint8_t taken[ACQUISITIONS + 1], given[ACQUISITIONS + 1];
    uint32_t counted_lock; /* of these acquisitions */
} seen;

static void take(const uint64_t *r)
{
    uint64_t *count = NULL;
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_FORK:
        count = &seen.forks;
        break;
    case FM_RECORD_TEAM_BEGIN:
        count = &seen.begun;
        break;
    case FM_RECORD_TEAM_END:
        count = &seen.ended;
        break;
    case FM_RECORD_TASK_CREATE:
        count = &seen.created;
        break;
    case FM_RECORD_TASK_SWITCH:
        count = &seen.switched;
        break;
    case FM_RECORD_TASK_COMPLETE:
        count = &seen.completed;
        break;
    case FM_RECORD_LOCK_TAKEN:
    case FM_RECORD_LOCK_GIVEN:
        if (fm_record_ref(r[0]) == seen.counted_lock) {
            assert_true(r[2] >= 1 && r[2] <= ACQUISITIONS);
            const bool takes = fm_record_kind(r[0]) == FM_RECORD_LOCK_TAKEN;
            __atomic_add_fetch(takes ? &seen.taken[r[2]] : &seen.given[r[2]], 1, __ATOMIC_RELAXED);
        }
        break;
    default:
        break;
    }
    if (count != NULL) {
        __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    }
}

static bool take_all(struct fm_thread *thread, bool full)
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

/** Takes the records of all threads, and checks that teams, locks and tasks are complete.
 * @param forks, begun  of teams, and members that begin them */
static void check_records(uint64_t forks, uint64_t begun)
{
    /* The end of a member's team is recorded when it begins the next one, of the last one when the
     * run ends. */
    uint64_t last_ones = 0;
    for (struct fm_thread *each = fm_threads_end(); each != NULL; each = each->next) {
        take_all(each, false);
        last_ones += each->member.instance != 0 && each->member.ended == each->member.instance;
    }
    assert_int_equal(seen.forks, forks);
    assert_int_equal(seen.begun, begun);
    assert_int_equal(seen.ended + last_ones, begun);
    assert_true(last_ones <= THREADS - 1 + THREADS * (NESTED - 1));
    assert_int_equal(seen.created, TASKS_ALL);
    assert_int_equal(seen.switched, TASKS_ALL);
    assert_int_equal(seen.completed, TASKS_ALL);
    for (int i = 1; i <= ACQUISITIONS; i++) {
        assert_int_equal(seen.taken[i], 1);
        assert_int_equal(seen.given[i], 1);
    }
}

#endif
