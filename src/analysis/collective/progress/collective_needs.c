/* SPDX-License-Identifier: BSD-3-Clause */
/* The home of a collective answers the owners of the calls that complete it, as far as they are its
 * partners; a call that completes several collectives asks the homes of all. */
#include "analysis/collective/progress/collective_needs.h"

#include "analysis/collective/progress/collective_names.h"
#include "analysis/collective/progress/needed_members.h"
#include "analysis/progress/progress_evidence.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* ---- tables ---- */

enum { FOR_CALLS, FOR_COVER, FOR_PARTNERS };

struct question {
    uint64_t begin, until; /* FOR_COVER: the time; else `begin` and Leave */
    uint64_t leave;
    uint32_t process, call; /* that asks */
    uint32_t instance, part;
    uint32_t what; /* FOR_... */
    uint32_t unused;
};

/* FOR_CALLS: what matters of the partners in one instance. FOR_COVER: [latest, farthest) is not
 * covered. FOR_PARTNERS: a call of a partner. */
struct answer {
    uint64_t latest, farthest;
    struct fm_call_ref serving;
    uint32_t call;
    uint32_t what;
};

struct of_process {
    const fm_member_needs *needs; /* by call */
    fm_collective_calls calls;
    FM_VECTOR(struct answer) cover;
    FM_VECTOR(struct answer) partners;
    FM_VECTOR(struct fm_call_ref) partner_calls; /* of `partners` */
};

struct fm_collective_needs {
    struct fm_analysis *analysis;
    struct fm_needed_members *members;
    struct of_process *of_process; /* by process */
    struct fm_dispatch *questions, *answers;
};

/* ---- calls ---- */

void fm_collective_needs_add(struct fm_collective_needs *needs, unsigned worker,
                             const struct fm_member *member)
{
    if (needs != NULL) {
        fm_needed_members_add(needs->members, worker, member);
    }
}

static int compare_needs(const void *a, const void *b)
{
    const struct fm_member_need *left = a, *right = b;
    int order = fm_compare_calls(left->call, right->call);
    order = order != 0 ? order : fm_compare_numbers(right->event, left->event);
    order = order != 0 ? order : fm_compare_numbers(left->order, right->order);
    order = order != 0 ? order : fm_compare_calls(left->late, right->late);
    order = order != 0 ? order : fm_compare_numbers(left->home, right->home);
    return order != 0 ? order : fm_compare_numbers(left->instance, right->instance);
}

/* Describes the call of some needs. */
static struct fm_collective_call describe(const struct fm_collective_needs *needs,
                                          const struct fm_member_need *of, uint32_t count)
{
    const struct fm_call_ref ref = of[0].call;
    const struct fm_location *location = &needs->analysis->trace->locations[ref.location];
    const uint64_t enter = location->enter.items[ref.activity];
    struct fm_needed why = {.window = FM_NONE, .is_later = true};
    struct fm_collective_call call = {
        .call = ref,
        .enter = fm_trace_begin(location, ref.activity),
        .leave = location->leave.items[ref.activity],
        .event = of[0].event,
        .late = of[0].late,
        .need_count = count,
        .is_open = fm_trace_is_open(location, ref.activity),
        .is_judged = location->nested.count == 0 || fm_location_own_time(location, ref.activity) ==
                                                        location->leave.items[ref.activity] - enter,
    };
    call.begin = call.event > call.enter ? call.event : call.enter;
    bool is_far = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (of[i].event == call.event && of[i].ends > call.begin) {
            call.begin = of[i].ends;
        }
        why.what |= of[i].names;
        why.size_class = of[i].size_class > why.size_class ? of[i].size_class : why.size_class;
        why.epoch = of[i].is_persistent ? FM_NEEDS_OF_PERSISTENT : why.epoch;
        is_far |= of[i].is_far;
    }
    why.what |= FM_NEEDS_FOR_COLLECTIVES;
    call.begin = call.begin < call.leave ? call.begin : UINT64_MAX;
    call.key = fm_need_key(&why, is_far);
    return call;
}

static void send_question(const struct fm_collective_needs *needs, unsigned worker,
                          uint32_t process, uint32_t number, uint64_t until, uint32_t what)
{
    const struct of_process *own = &needs->of_process[process];
    const struct fm_collective_call *call = &own->calls.items[number];
    for (uint32_t i = 0; i < call->need_count; ++i) {
        const struct fm_member_need *need = &own->needs->items[call->first_need + i];
        const struct question question = {
            .begin = call->begin,
            .until = until,
            .leave = call->leave,
            .process = process,
            .call = number,
            .instance = need->instance,
            .part = need->part,
            .what = what,
        };
        fm_dispatch_send(needs->questions, worker, need->home, &question);
    }
}

static void list_calls(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct of_process *own = &needs->of_process[process];
        fm_member_needs *of = fm_needed_members_of(needs->members, process);
        own->needs = of;
        fm_sort(of->items, of->count, sizeof *of->items, compare_needs);
        for (size_t i = 0, end; i < of->count; i = end) {
            for (end = i;
                 end < of->count && fm_same_call(of->items[end].call, of->items[i].call);) {
                ++end;
            }
            struct fm_collective_call call = describe(needs, &of->items[i], (uint32_t)(end - i));
            call.first_need = (uint32_t)i;
            fm_vector_push(&own->calls, call);
        }
        for (uint32_t i = 0; i < own->calls.count; ++i) {
            if (own->calls.items[i].is_judged && own->calls.items[i].begin != UINT64_MAX) {
                send_question(needs, worker, process, i, 0, FOR_CALLS);
            }
        }
    }
}

/* ---- questions ---- */

static void answer_cover(const struct fm_collective_needs *needs, unsigned worker,
                         const struct question *question, const fm_partner_states *first_calls)
{
    struct answer answer = {.call = question->call, .what = FOR_COVER};
    uint64_t covered = question->begin;
    for (size_t i = 0; i <= first_calls->count && covered < question->until; ++i) {
        const uint64_t enter =
            i < first_calls->count ? first_calls->items[i].enter : question->until;
        answer.latest = covered;
        answer.farthest = enter < question->until ? enter : question->until;
        if (answer.latest < answer.farthest) {
            fm_dispatch_send(needs->answers, worker, question->process, &answer);
        }
        if (i < first_calls->count && first_calls->items[i].leave > covered) {
            covered = first_calls->items[i].leave;
        }
    }
}

static void answer_partners(const struct fm_collective_needs *needs, unsigned worker,
                            const struct question *question, const fm_partner_states *first_calls)
{
    const size_t count = first_calls->count;
    for (size_t i = count > FM_COLLECTIVE_PARTNERS ? count - FM_COLLECTIVE_PARTNERS : 0; i < count;
         ++i) {
        const struct answer answer = {
            .serving = first_calls->items[i].call, .call = question->call, .what = FOR_PARTNERS};
        fm_dispatch_send(needs->answers, worker, question->process, &answer);
    }
}

/* Handler of `questions`. */
static void answer_question(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fm_collective_needs *needs = context;
    const struct question *question = record;
    const struct fm_collective_home *home = fm_needed_members_home(needs->members, process);
    const struct fm_home_instance *instance = &home->instances.items[question->instance];
    const struct fm_home_need need = {question->begin, question->leave, question->part};
    if (question->what == FOR_CALLS) {
        const struct fm_home_calls calls = fm_home_find(home, instance, &need);
        const struct answer answer = {calls.latest, calls.farthest, calls.serving, question->call,
                                      FOR_CALLS};
        fm_dispatch_send(needs->answers, worker, question->process, &answer);
        return;
    }
    fm_partner_states first_calls = {0};
    if (question->what == FOR_COVER) {
        fm_home_list_cover(home, instance, &need, question->until, &first_calls);
        answer_cover(needs, worker, question, &first_calls);
    } else {
        fm_home_list_last(home, instance, &need, FM_COLLECTIVE_PARTNERS, &first_calls);
        answer_partners(needs, worker, question, &first_calls);
    }
    fm_vector_free(&first_calls);
}

/* Handler of `answers`. */
static void keep_answer(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    const struct answer *answer = record;
    struct of_process *own = &needs->of_process[process];
    struct fm_collective_call *call = &own->calls.items[answer->call];
    if (answer->what == FOR_COVER) {
        fm_vector_push(&own->cover, *answer);
    } else if (answer->what == FOR_PARTNERS) {
        fm_vector_push(&own->partners, *answer);
    } else {
        call->farthest = answer->farthest > call->farthest ? answer->farthest : call->farthest;
        if (answer->latest > call->latest ||
            (answer->latest == call->latest && answer->latest != 0 &&
             fm_compare_calls(answer->serving, call->serving) < 0)) {
            call->latest = answer->latest;
            call->serving = answer->serving;
        }
    }
}

/* ---- what others ask ---- */

const fm_collective_calls *fm_collective_needs_calls(const struct fm_collective_needs *needs,
                                                     uint32_t process)
{
    return &needs->of_process[process].calls;
}

void fm_collective_needs_ask(struct fm_collective_needs *needs, unsigned worker, uint32_t process,
                             uint32_t call, uint64_t until)
{
    send_question(needs, worker, process, call, until, FOR_COVER);
}

void fm_collective_needs_ask_partners(struct fm_collective_needs *needs, unsigned worker,
                                      uint32_t process, uint32_t call)
{
    send_question(needs, worker, process, call, 0, FOR_PARTNERS);
}

static int compare_answers(const void *a, const void *b)
{
    const struct answer *left = a, *right = b;
    int order = fm_compare_numbers(left->call, right->call);
    order = order != 0 ? order : fm_compare_numbers(left->latest, right->latest);
    order = order != 0 ? order : fm_compare_numbers(left->farthest, right->farthest);
    return order != 0 ? order : fm_compare_calls(left->serving, right->serving);
}

static void sort_answers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct of_process *own = &needs->of_process[process];
        fm_sort(own->cover.items, own->cover.count, sizeof *own->cover.items, compare_answers);
        fm_sort(own->partners.items, own->partners.count, sizeof *own->partners.items,
                compare_answers);
        for (size_t i = 0; i < own->partners.count; ++i) {
            fm_vector_push(&own->partner_calls, own->partners.items[i].serving);
        }
    }
}

void fm_collective_needs_run(struct fm_collective_needs *needs, fm_stage_t *stage, void *context)
{
    fm_dispatch_run(needs->questions, stage, context);
    fm_dispatch_deliver(needs->answers);
    fm_engine_run(needs->analysis->engine, sort_answers, needs);
}

/* @return the position of the first answer to a call */
static size_t first_answer(const struct answer *answers, size_t count, uint32_t call)
{
    return count == 0 ? 0 : fm_count_below_32(&answers->call, count, sizeof *answers, call);
}

static int compare_times(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return fm_compare_numbers(*left, *right);
}

uint64_t fm_collective_needs_uncovered(const struct fm_collective_needs *needs, uint32_t process,
                                       uint32_t call)
{
    const struct of_process *own = &needs->of_process[process];
    const uint32_t all = own->calls.items[call].need_count;
    FM_VECTOR(uint64_t) times = {0}; /* of begins and ends: 2 t + 1 and 2 t */
    for (size_t i = first_answer(own->cover.items, own->cover.count, call);
         i < own->cover.count && own->cover.items[i].call == call; ++i) {
        fm_vector_push(&times, 2 * own->cover.items[i].latest + 1);
        fm_vector_push(&times, 2 * own->cover.items[i].farthest);
    }
    fm_sort(times.items, times.count, sizeof *times.items, compare_times);
    uint64_t uncovered = 0, since = 0;
    uint32_t open = 0; /* collectives that do not cover the time; all: nothing covers it */
    for (size_t i = 0; i < times.count; ++i) {
        const bool begins = times.items[i] % 2 != 0;
        uncovered += open == all ? times.items[i] / 2 - since : 0;
        open = begins ? open + 1 : open - 1;
        since = times.items[i] / 2;
    }
    fm_vector_free(&times);
    return uncovered;
}

size_t fm_collective_needs_partners(const struct fm_collective_needs *needs, uint32_t process,
                                    uint32_t call, const struct fm_call_ref **partners)
{
    const struct of_process *own = &needs->of_process[process];
    const size_t first = first_answer(own->partners.items, own->partners.count, call);
    size_t end = first;
    while (end < own->partners.count && own->partners.items[end].call == call) {
        ++end;
    }
    *partners = own->partner_calls.items + first;
    return end - first;
}

/* ---- all ---- */

void fm_collective_needs_find(struct fm_collective_needs *needs)
{
    if (needs == NULL) {
        return;
    }
    fm_needed_members_find(needs->members);
    fm_dispatch_run(needs->questions, list_calls, needs);
    fm_dispatch_deliver(needs->answers);
}

struct fm_collective_needs *fm_collective_needs_create(struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    bool may_start = false;
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        may_start |= fm_may_start_collectives(&trace->regions[r]);
    }
    if (analysis->asynchronous_progress || !may_start) {
        return NULL;
    }
    struct fm_engine *engine = analysis->engine;
    struct fm_collective_needs *needs = fm_allocate(1, sizeof *needs);
    *needs = (struct fm_collective_needs){
        .analysis = analysis,
        .members = fm_needed_members_create(analysis),
        .of_process = fm_allocate(trace->process_count, sizeof *needs->of_process),
        .questions = fm_dispatch_create(engine, sizeof(struct question), answer_question, needs),
        .answers = fm_dispatch_create(engine, sizeof(struct answer), keep_answer, needs),
    };
    return needs;
}

void fm_collective_needs_free(struct fm_collective_needs *needs)
{
    if (needs == NULL) {
        return;
    }
    for (uint32_t p = 0; p < needs->analysis->trace->process_count; ++p) {
        fm_vector_free(&needs->of_process[p].calls);
        fm_vector_free(&needs->of_process[p].cover);
        fm_vector_free(&needs->of_process[p].partners);
        fm_vector_free(&needs->of_process[p].partner_calls);
    }
    fm_dispatch_free(needs->questions);
    fm_dispatch_free(needs->answers);
    fm_needed_members_free(needs->members);
    fm_free(needs->of_process);
    fm_free(needs);
}
