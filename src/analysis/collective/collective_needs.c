/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages:
 *
 *   member's owner          home of the collective              owner of the completing call
 *   --------------          ----------------------              ----------------------------
 *   add: members      ->    judge: who needs whom, since when
 *   answer_ask        <-    what do you do in this time?   ->   keep_note
 *                     ->    keep_state                          ask_homes: of all collectives of
 *                           answer_question               <-    a call, from when on
 *                                                         ->    keep_answer
 *
 * The calls of a member matter from its start on, up to its completion, as long as others wait. */
#include "analysis/collective/collective_needs.h"

#include "analysis/collective/collective_home.h"
#include "analysis/collective/collective_names.h"
#include "analysis/collective/rooted.h"
#include "analysis/progress/progress_evidence.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"
#include "trace/tables/nodes.h"

/* ---- tables ---- */

/* A member needs others. */
struct note {
    struct fm_call_ref call; /* that completes its part */
    uint64_t event;          /* t_c, by the members that it needs */
    uint64_t ends;           /* of the calls of this event, the latest Leave */
    struct fm_call_ref late; /* the first one of these calls by rank */
    uint32_t home, instance, part;
    uint32_t names;
    uint8_t size_class;
    uint8_t order; /* of its rule */
    bool is_persistent;
    bool is_far;
};

struct ask {
    uint64_t from, to;
    uint32_t home;
    uint32_t part;
};

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
    FM_VECTOR(struct note) notes; /* by call, once sorted */
    fm_collective_calls calls;
    FM_VECTOR(struct answer) cover;
    FM_VECTOR(struct answer) partners;
    FM_VECTOR(struct fm_call_ref) partner_calls; /* of `partners` */
};

struct fm_collective_needs {
    struct fm_analysis *analysis;
    struct fm_collective_name *regions;
    uint32_t *nodes;
    struct fm_partner_calls *partner_calls;
    struct fm_join *join;
    struct fm_collective_home *homes; /* by process */
    struct of_process *of_process;    /* by process */
    struct fm_dispatch *asks, *states, *notes, *questions, *answers;
};

/* ---- members ---- */

/* Notes what the owner of a member alone knows: the name of its operation. */
static void name_member(const struct fm_collective_needs *needs, struct fm_member *member)
{
    const struct fm_location *location = &needs->analysis->trace->locations[member->start_location];
    const uint32_t started = fm_trace_region(location, member->start_activity);
    const struct fm_collective_name found =
        needs->regions[member->init != FM_NONE ? member->init : started];
    member->name = found.number;
    member->is_persistent = !found.starts;
    if (found.number == FM_COLLECTIVE_NAMES) {
        member->name = fm_collective_name_of_operation(member->operation);
    }
}

static uint8_t order_of(uint8_t call)
{
    static const uint8_t calls[] = {FM_CALL_BARRIER, FM_CALL_ALL_TO_ALL, FM_CALL_ONE_TO_ALL,
                                    FM_CALL_ALL_TO_ONE, FM_CALL_SCAN};
    uint8_t order = 0;
    while (order < sizeof calls && calls[order] != call) {
        ++order;
    }
    return order;
}

void fm_collective_needs_add(struct fm_collective_needs *needs, unsigned worker,
                             const struct fm_member *member)
{
    const bool is_blocking =
        !member->non_blocking || (member->start_location == member->wait_location &&
                                  member->start_activity == member->wait_activity);
    if (needs != NULL && !is_blocking && fm_member_paradigm(member) == FM_PARADIGM_MPI &&
        order_of(member->call) <= order_of(FM_CALL_SCAN)) {
        struct fm_member named = *member;
        name_member(needs, &named);
        if (named.name < FM_COLLECTIVE_NAMES) {
            fm_join_post(needs->join, worker, &named);
        }
    }
}

/* ---- who needs whom ---- */

/* The last of some members to start. */
struct last_start {
    uint64_t enter; /* 0 and FM_NONE: there is none */
    uint64_t leave; /* the latest of the calls that begin with it */
    uint32_t number;
};

static void add_start(struct last_start *last, const struct fm_home_part *part, uint32_t number)
{
    if (last->number == FM_NONE || part->start_enter > last->enter) {
        *last = (struct last_start){part->start_enter, part->start_leave, number};
    } else if (part->start_enter == last->enter && part->start_leave > last->leave) {
        last->leave = part->start_leave;
    }
}

static struct last_start last_needed(const struct fm_collective_home *home,
                                     const struct fm_home_instance *instance, uint32_t number)
{
    struct last_start last = {.number = FM_NONE};
    const struct fm_needed_parts range = fm_home_needed(instance, number);
    for (uint32_t i = range.first; i < range.last; ++i) {
        if (fm_home_needs(home, instance, number, i)) {
            add_start(&last, fm_home_part(home, instance, i), i);
        }
    }
    return last;
}

struct judging {
    struct fm_collective_needs *needs;
    const struct fm_member **members;
    struct fm_collective_home *home;
    const struct fm_home_instance *instance;
    uint32_t home_process;
    unsigned worker;
    uint64_t from, to; /* some member needs others in this time */
};

static void send_note(struct judging *judging, uint32_t number, const struct last_start *last,
                      bool is_far)
{
    const struct fm_collective_needs *needs = judging->needs;
    const struct fm_member *member = judging->members[number];
    const struct fm_home_part *part = fm_home_part(judging->home, judging->instance, number);
    const uint64_t begin = part->wait_enter > last->enter ? part->wait_enter : last->enter;
    judging->from = begin < judging->from ? begin : judging->from;
    judging->to = part->leave > judging->to ? part->leave : judging->to;
    const bool has_size =
        needs->analysis->counts_collective_bytes && member->call != FM_CALL_BARRIER;
    const struct note note = {
        .call = part->wait,
        .event = last->enter,
        .ends = last->leave,
        .late = fm_home_part(judging->home, judging->instance, last->number)->start,
        .home = judging->home_process,
        .instance = (uint32_t)(judging->instance - judging->home->instances.items),
        .part = number,
        .names = 1U << member->name,
        .size_class = has_size ? member->size_class : 0,
        .order = order_of(member->call),
        .is_persistent = member->is_persistent,
        .is_far = is_far,
    };
    fm_dispatch_send(needs->notes, judging->worker, part->process, &note);
}

/* @return whether a member needs one on another node */
static bool is_far(const struct judging *judging, uint32_t number, bool several_nodes)
{
    const struct fm_collective_home *home = judging->home;
    const struct fm_home_instance *instance = judging->instance;
    const uint32_t *nodes = judging->needs->nodes;
    const uint32_t own = nodes[fm_home_part(home, instance, number)->process];
    const struct fm_needed_parts range = fm_home_needed(instance, number);
    if (!several_nodes || fm_home_needs_all(instance)) {
        return several_nodes;
    }
    for (uint32_t i = range.first; i < range.last; ++i) {
        if (fm_home_needs(home, instance, number, i) &&
            nodes[fm_home_part(home, instance, i)->process] != own) {
            return true;
        }
    }
    return false;
}

static void send_notes(struct judging *judging)
{
    const struct fm_collective_home *home = judging->home;
    const struct fm_home_instance *instance = judging->instance;
    const uint32_t *nodes = judging->needs->nodes;
    struct last_start all = {.number = FM_NONE}, lower = {.number = FM_NONE};
    bool several_nodes = false;
    for (uint32_t i = 0; i < instance->count; ++i) {
        add_start(&all, fm_home_part(home, instance, i), i);
        several_nodes |= nodes[fm_home_part(home, instance, i)->process] !=
                         nodes[fm_home_part(home, instance, 0)->process];
    }
    for (uint32_t i = 0; i < instance->count; ++i) {
        struct last_start last = lower;
        if (fm_home_needs_all(instance) && i != all.number) {
            last = all;
        } else if (instance->call != FM_CALL_SCAN) {
            last = last_needed(home, instance, i);
        }
        if (last.number != FM_NONE) {
            send_note(judging, i, &last, is_far(judging, i, several_nodes));
        }
        add_start(&lower, fm_home_part(home, instance, i), i);
    }
}

/* Asks the members that others need what they do while these wait. */
static void send_asks(const struct judging *judging)
{
    const struct fm_home_instance *instance = judging->instance;
    for (uint32_t i = 0; i < instance->count; ++i) {
        const struct fm_home_part *part = fm_home_part(judging->home, instance, i);
        const bool is_needed = instance->call == FM_CALL_ONE_TO_ALL   ? i == instance->root
                               : instance->call == FM_CALL_ALL_TO_ONE ? i != instance->root
                                                                      : true;
        const struct ask ask = {
            .from = judging->from > part->start_enter ? judging->from : part->start_enter,
            .to = judging->to < part->leave ? judging->to : part->leave,
            .home = judging->home_process,
            .part = instance->first_part + i,
        };
        if (is_needed && ask.from < ask.to) {
            fm_dispatch_send(judging->needs->asks, judging->worker, part->process, &ask);
        }
    }
}

static uint32_t number_of_root(const struct fm_analysis *analysis,
                               const struct fm_member *const *members, uint32_t count)
{
    if (members[0]->call != FM_CALL_ONE_TO_ALL && members[0]->call != FM_CALL_ALL_TO_ONE) {
        return FM_NONE;
    }
    const struct fm_member *root =
        fm_rooted_root(analysis, members, count,
                       members[0]->call == FM_CALL_ONE_TO_ALL ? FM_RULE_BROADCAST : FM_RULE_REDUCE);
    uint32_t number = 0;
    while (number < count && members[number] != root) {
        ++number;
    }
    return number < count ? number : FM_NONE;
}

static void judge(void *context, unsigned worker, const struct fm_member **members, uint32_t count)
{
    struct fm_collective_needs *needs = context;
    const uint32_t process = fm_join_home(needs->analysis, members[0]);
    struct fm_collective_home *home = &needs->homes[process];
    fm_members_sort(members, count);
    const struct fm_home_instance instance = {
        .first_part = (uint32_t)home->parts.count,
        .count = count,
        .root = number_of_root(needs->analysis, members, count),
        .call = members[0]->call,
    };
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_member *member = members[i];
        const struct fm_home_part part = {
            .start_enter = member->enter,
            .start_leave = member->start_leave,
            .wait_enter = member->wait_enter,
            .leave = member->leave,
            .process = member->process,
            .takes_part =
                instance.root != FM_NONE && fm_rooted_takes_part(member, members[instance.root]),
            .start = {member->start_location, member->start_activity},
            .wait = {member->wait_location, member->wait_activity},
        };
        fm_vector_push(&home->parts, part);
    }
    fm_vector_push(&home->instances, instance);
    struct judging judging = {
        .needs = needs,
        .members = members,
        .home = home,
        .instance = &home->instances.items[home->instances.count - 1],
        .home_process = process,
        .worker = worker,
        .from = UINT64_MAX,
    };
    send_notes(&judging);
    send_asks(&judging);
}

static void keep_note(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    fm_vector_push(&needs->of_process[process].notes, *(const struct note *)record);
}

/* ---- what members do ---- */

/* Handler of `asks`. Times in which the recording paused are left out. */
static void answer_ask(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fm_collective_needs *needs = context;
    const struct ask *ask = record;
    uint64_t time = ask->from;
    while (time < ask->to) {
        struct fm_home_state state = {
            .from = time,
            .of = fm_partner_calls_find(needs->partner_calls, process, FM_PARADIGM_MPI, time,
                                        ask->to),
            .part = ask->part,
        };
        state.to = fm_partner_is_outside(&state.of, time) ? state.of.enter : state.of.leave;
        if (!state.of.is_unknown) {
            fm_dispatch_send(needs->states, worker, ask->home, &state);
        }
        time = state.to;
    }
}

static void keep_state(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    fm_vector_push(&needs->homes[process].states, *(const struct fm_home_state *)record);
}

static void sort_homes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        fm_home_sort(&needs->homes[process]);
    }
}

/* ---- calls ---- */

static int compare_notes(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = fm_compare_calls(left->call, right->call);
    order = order != 0 ? order : fm_compare_numbers(right->event, left->event);
    order = order != 0 ? order : fm_compare_numbers(left->order, right->order);
    order = order != 0 ? order : fm_compare_calls(left->late, right->late);
    order = order != 0 ? order : fm_compare_numbers(left->home, right->home);
    return order != 0 ? order : fm_compare_numbers(left->instance, right->instance);
}

/* Describes the call of some notes. */
static struct fm_collective_call describe(const struct fm_collective_needs *needs,
                                          const struct note *notes, uint32_t count)
{
    const struct fm_call_ref ref = notes[0].call;
    const struct fm_location *location = &needs->analysis->trace->locations[ref.location];
    const uint64_t enter = location->enter.items[ref.activity];
    struct fm_needed why = {.window = FM_NONE, .is_later = true};
    struct fm_collective_call call = {
        .call = ref,
        .enter = fm_trace_begin(location, ref.activity),
        .leave = location->leave.items[ref.activity],
        .event = notes[0].event,
        .late = notes[0].late,
        .note_count = count,
        .is_open = ref.activity >= location->truncated_at,
        .is_judged = location->nested.count == 0 || fm_location_own_time(location, ref.activity) ==
                                                        location->leave.items[ref.activity] - enter,
    };
    call.begin = call.event > call.enter ? call.event : call.enter;
    bool is_far = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (notes[i].event == call.event && notes[i].ends > call.begin) {
            call.begin = notes[i].ends;
        }
        why.what |= notes[i].names;
        why.size_class =
            notes[i].size_class > why.size_class ? notes[i].size_class : why.size_class;
        why.epoch = notes[i].is_persistent ? FM_NEEDS_OF_PERSISTENT : why.epoch;
        is_far |= notes[i].is_far;
    }
    why.what |= FM_NEEDS_FOR_COLLECTIVES;
    call.begin = call.begin < call.leave ? call.begin : UINT64_MAX;
    call.key = fm_progress_key(&why, is_far);
    return call;
}

static void send_question(const struct fm_collective_needs *needs, unsigned worker,
                          uint32_t process, uint32_t number, uint64_t until, uint32_t what)
{
    const struct of_process *own = &needs->of_process[process];
    const struct fm_collective_call *call = &own->calls.items[number];
    for (uint32_t i = 0; i < call->note_count; ++i) {
        const struct note *note = &own->notes.items[call->first_note + i];
        const struct question question = {
            .begin = call->begin,
            .until = until,
            .leave = call->leave,
            .process = process,
            .call = number,
            .instance = note->instance,
            .part = note->part,
            .what = what,
        };
        fm_dispatch_send(needs->questions, worker, note->home, &question);
    }
}

static void list_calls(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct of_process *own = &needs->of_process[process];
        const struct note *notes = own->notes.items;
        fm_sort(own->notes.items, own->notes.count, sizeof *notes, compare_notes);
        for (size_t i = 0, end; i < own->notes.count; i = end) {
            for (end = i; end < own->notes.count && fm_same_call(notes[end].call, notes[i].call);) {
                ++end;
            }
            struct fm_collective_call call = describe(needs, notes + i, (uint32_t)(end - i));
            call.first_note = (uint32_t)i;
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
    const struct fm_collective_home *home = &needs->homes[process];
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
    const uint32_t notes = own->calls.items[call].note_count;
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
        uncovered += open == notes ? times.items[i] / 2 - since : 0;
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
    struct fm_engine *engine = needs->analysis->engine;
    fm_join_judge(needs->join, judge, needs);
    fm_dispatch_deliver(needs->notes);
    fm_dispatch_deliver(needs->asks);
    fm_dispatch_deliver(needs->states);
    fm_engine_run(engine, sort_homes, needs);
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
        .regions = fm_allocate(trace->region_count + (size_t)1, sizeof *needs->regions),
        .nodes = fm_number_nodes(trace),
        .partner_calls = fm_partner_calls_create(analysis),
        .join = fm_join_create(analysis),
        .homes = fm_allocate(trace->process_count, sizeof *needs->homes),
        .of_process = fm_allocate(trace->process_count, sizeof *needs->of_process),
        .asks = fm_dispatch_create(engine, sizeof(struct ask), answer_ask, needs),
        .states = fm_dispatch_create(engine, sizeof(struct fm_home_state), keep_state, needs),
        .notes = fm_dispatch_create(engine, sizeof(struct note), keep_note, needs),
        .questions = fm_dispatch_create(engine, sizeof(struct question), answer_question, needs),
        .answers = fm_dispatch_create(engine, sizeof(struct answer), keep_answer, needs),
    };
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        needs->regions[r] = fm_collective_name(&trace->regions[r]);
    }
    return needs;
}

void fm_collective_needs_free(struct fm_collective_needs *needs)
{
    if (needs == NULL) {
        return;
    }
    for (uint32_t p = 0; p < needs->analysis->trace->process_count; ++p) {
        fm_home_free(&needs->homes[p]);
        fm_vector_free(&needs->of_process[p].notes);
        fm_vector_free(&needs->of_process[p].calls);
        fm_vector_free(&needs->of_process[p].cover);
        fm_vector_free(&needs->of_process[p].partners);
        fm_vector_free(&needs->of_process[p].partner_calls);
    }
    fm_dispatch_free(needs->asks);
    fm_dispatch_free(needs->states);
    fm_dispatch_free(needs->notes);
    fm_dispatch_free(needs->questions);
    fm_dispatch_free(needs->answers);
    fm_join_free(needs->join);
    fm_partner_calls_free(needs->partner_calls);
    fm_free(needs->homes);
    fm_free(needs->of_process);
    fm_free(needs->nodes);
    fm_free(needs->regions);
    fm_free(needs);
}
