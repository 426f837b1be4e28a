/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches the members of collective operations and calls the patterns for them.
 *
 * Patterns that need only the last Enter and the first Leave of an operation are called for each
 * member, on the worker that owns it: a few numbers for each operation are exchanged (gathering.h).
 * For patterns that need all members at once, these are sent to one process (instance.h). */
#include "analysis/collective/collective_matching.h"

#include "analysis/collective/clock_condition.h"
#include "analysis/collective/collective_walk.h"
#include "analysis/collective/gathering.h"
#include "analysis/collective/progress/collective_needs.h"
#include "analysis/dependencies/collective_dependencies.h"
#include "analysis/pattern.h"

/* The patterns for one kind of call. */
struct takers {
    FM_VECTOR(uint8_t) of_members; /* positions in fm_patterns */
    FM_VECTOR(uint8_t) of_instances;
};

struct matching {
    struct fm_analysis *analysis;
    struct fm_gathering *gathering;
    struct fm_join *join;
    struct fm_collective_needs *needs; /* for progress; NULL: not wanted */
    struct takers takers[FM_CALL_KINDS];
    atomic_bool moved_bytes;  /* some record of a collective counts bytes */
    atomic_bool not_blocking; /* some collective is non-blocking */
};

static void list_takers(struct matching *matching)
{
    for (unsigned p = 0; fm_patterns[p] != NULL; ++p) {
        for (unsigned call = 0; call < FM_CALL_KINDS; ++call) {
            if ((fm_patterns[p]->members >> call & 1) != 0) {
                fm_vector_push(&matching->takers[call].of_members, (uint8_t)p);
            }
            if ((fm_patterns[p]->instances >> call & 1) != 0) {
                fm_vector_push(&matching->takers[call].of_instances, (uint8_t)p);
            }
        }
    }
}

static void free_takers(struct matching *matching)
{
    for (unsigned call = 0; call < FM_CALL_KINDS; ++call) {
        fm_vector_free(&matching->takers[call].of_members);
        fm_vector_free(&matching->takers[call].of_instances);
    }
}

static void post_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct matching *matching = context;
    struct fm_collective_walk walk = {0};
    struct fm_member member;
    bool not_blocking = false;
    for (uint32_t process = first; process < last; ++process) {
        fm_collective_walk_begin(&walk, matching->analysis->trace, process);
        while (fm_collective_walk_next(&walk, &member)) {
            not_blocking |= member.non_blocking;
            fm_collective_needs_add(matching->needs, worker, &member);
            /* Members of all kinds: those of one instance may have called different operations. */
            fm_gathering_add(matching->gathering, worker, &member);
            if (matching->takers[member.call].of_instances.count != 0 ||
                matching->analysis->dependencies != NULL) {
                fm_join_post(matching->join, worker, &member);
            }
        }
    }
    if (walk.counts_bytes) {
        matching->moved_bytes = true;
    }
    if (not_blocking) {
        matching->not_blocking = true;
    }
    matching->analysis->omissions.unrecorded_inits += walk.without_record;
    fm_collective_walk_free(&walk);
}

static void judge_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct matching *matching = context;
    struct fm_collective_walk walk = {0};
    struct fm_member member;
    struct fm_gathered all;
    uint64_t early = 0;
    for (uint32_t process = first; process < last; ++process) {
        fm_collective_walk_begin(&walk, matching->analysis->trace, process);
        while (fm_collective_walk_next(&walk, &member)) {
            const struct takers *takers = &matching->takers[member.call];
            if (takers->of_members.count == 0 ||
                !fm_gathering_find(matching->gathering, worker, &member, &all)) {
                continue;
            }
            early +=
                member.leave < all.enter && fm_member_must_synchronize(matching->analysis, &member);
            for (size_t i = 0; i < takers->of_members.count; ++i) {
                const uint8_t position = takers->of_members.items[i];
                fm_patterns[position]->member(
                    &(struct fm_finder){matching->analysis, worker, position}, &member, &all);
            }
        }
    }
    matching->analysis->omissions.clock_violating_members += early;
    fm_collective_walk_free(&walk);
}

static void judge_instance(void *context, unsigned worker, const struct fm_member **members,
                           uint32_t count)
{
    struct matching *matching = context;
    const struct takers *takers = &matching->takers[members[0]->call];
    for (size_t i = 0; i < takers->of_instances.count; ++i) {
        const uint8_t position = takers->of_instances.items[i];
        fm_patterns[position]->instance(&(struct fm_finder){matching->analysis, worker, position},
                                        members, count);
    }
    matching->analysis->omissions.clock_violating_members +=
        fm_rooted_violations(matching->analysis, members, count);
    if (matching->analysis->dependencies != NULL) {
        fm_depend_by_collective(&(struct fm_finder){matching->analysis, worker, 0}, members, count);
    }
}

void fm_collectives_match(struct fm_analysis *analysis)
{
    struct matching matching = {
        .analysis = analysis,
        .gathering = fm_gathering_create(analysis),
        .join = fm_join_create(analysis),
        .needs = fm_collective_needs_create(analysis),
    };
    list_takers(&matching);
    fm_engine_run(analysis->engine, post_members, &matching);
    analysis->counts_collective_bytes = fm_team_largest(analysis->team, matching.moved_bytes) != 0;
    fm_gathering_close(matching.gathering);
    fm_finders_run(analysis, judge_members, &matching);
    fm_join_judge(matching.join, judge_instance, &matching);
    if (fm_team_largest(analysis->team, matching.not_blocking) == 0) {
        fm_collective_needs_free(matching.needs);
        matching.needs = NULL;
    }
    fm_collective_needs_find(matching.needs);
    analysis->collective_needs = matching.needs;
    fm_gathering_free(matching.gathering);
    fm_join_free(matching.join);
    free_takers(&matching);
}
