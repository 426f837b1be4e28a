/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Begin and end of teams in their members and in the thread that forks them, for all runtimes.
 */
#ifndef FERMATA_RECORD_OPENMP_FORK_JOIN_H
#define FERMATA_RECORD_OPENMP_FORK_JOIN_H

#include "record/constructs/team_end.h"
#include "record/openmp/openmp.h"

/** What distinguishes a location among those of all teams: who forks the team, at which level, and
 * the number in it. */
static inline uint64_t fm_omp_part(const struct fm_omp_team *team, uint32_t level, uint32_t number)
{
    enum { LEVEL_BITS = 8, NUMBER_BITS = 24 };
    return ((uint64_t)team->forker->index + 1) << (LEVEL_BITS + NUMBER_BITS) |
           (uint64_t)(level & ((1u << LEVEL_BITS) - 1)) << NUMBER_BITS | number;
}

/** Adds a thread to the members that learn the end of the team from the forking thread. */
static inline void fm_omp_join_list(struct fm_omp_team *team, struct fm_thread *thread)
{
    thread->member.next = atomic_load_explicit(&team->members, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&team->members, &thread->member.next, thread,
                                                  memory_order_release, memory_order_relaxed)) {
    }
}

/** Records the begin of the team in a thread that executes its body.
 * @param number  of the thread in the team
 * @param size    threads of the team
 * @param level   of nested parallel regions, from 1 on */
static inline __attribute__((always_inline)) void
fm_omp_begin_team(struct fm_omp_team *team, struct fm_thread *thread, struct fm_here here,
                  uint32_t number, uint32_t size, uint32_t level)
{
    bool is_forker = number == 0;
    thread->depth = 0;
    if (!is_forker) {
        thread->left = thread->enter = fm_clock_now(); /* what it did before was no computation */
    }
    uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, here, !is_forker);
    size_t item = thread->open.count;
    fm_construct_note(thread, FM_RECORD_TEAM_BEGIN, level, team->forker->index, now,
                      size | (uint64_t)number << 32);
    fm_construct_enter(thread, team->parallel, now);
    if (team->inner != NULL) {
        fm_construct_enter(thread, team->inner, now);
    }
    thread->member.number = number;
    thread->member.team = team;
    if (is_forker) {
        team->item = item;
    } else {
        thread->member.item = item;
        fm_omp_join_list(team, thread);
        fm_construct_computes(thread, now);
    }
    fm_construct_done(thread);
}

/** The runtime has returned: all threads have left the barrier at the end. */
static inline void fm_omp_join_team(struct fm_omp_team *team)
{
    struct fm_thread *thread = team->forker, *next;
    uint64_t now = fm_omp_release(thread, FM_METER_CONSTRUCTS);
    for (struct fm_thread *member = team->members; member != NULL; member = next) {
        next = member->member.next;
        member->member.ended_at = now;
        __atomic_store_n(&member->member.ended, team->instance, __ATOMIC_RELEASE);
    }
    if (team->item != SIZE_MAX) {
        fm_construct_leave(thread, team->item, now);
        uint64_t *place = fm_thread_reserve(thread, FM_WORDS_TEAM_END);
        place[0] = fm_record_header(FM_RECORD_TEAM_END, 0, 0);
        place[1] = now;
    }
    thread->member.team = team->outer;
    thread->member.number = team->outer_number;
    fm_construct_computes(thread, now);
    fm_construct_done(thread);
}

#endif
