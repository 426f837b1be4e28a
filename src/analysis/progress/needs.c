/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/needs.h"

#include "trace/tables/nodes.h"

#include "engine/dispatch/dispatch.h"

/* What a partner is asked. */
struct question {
    uint64_t begin;
    uint64_t until;   /* Leave of the needing call */
    uint32_t process; /* that asks */
    uint32_t state;   /* of it, where the answer belongs */
    uint32_t paradigm;
    bool is_counted; /* it is reported if the answer is not known */
};

struct answer {
    struct fm_partner_state found;
    uint32_t state;
    uint32_t unused;
};

/* Handler of `questions`. */
static void answer(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fm_progress *progress = context;
    const struct question *asked = record;
    const struct answer given = {
        .found = fm_partner_calls_find(progress->partner_calls, process, (uint8_t)asked->paradigm,
                                       asked->begin, asked->until),
        .state = asked->state,
    };
    progress->analysis->omissions.unknown_progress +=
        asked->is_counted && given.found.is_unknown && given.found.enter <= asked->until;
    fm_dispatch_send(progress->answers, worker, asked->process, &given);
}

/* Handler of `answers`. */
static void keep(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    const struct fm_progress *progress = context;
    const struct answer *given = record;
    progress->of_process[process].states.items[given->state] = given->found;
}

void fm_progress_try(struct fm_process_needs *needs, uint32_t call, uint64_t since)
{
    fm_vector_push(&needs->trials, (struct fm_need_trial){since, call, FM_NONE});
}

void fm_progress_forget_trials(struct fm_process_needs *needs)
{
    needs->trials.count = needs->states.count = 0;
}

static void ask_partners(const struct fm_progress *progress, unsigned worker, uint32_t process,
                         const struct fm_need_trial *trial)
{
    const struct fm_trace *trace = progress->analysis->trace;
    struct fm_process_needs *needs = &progress->of_process[process];
    const struct fm_needing_call *needing = &needs->calls.items[trial->call];
    const struct fm_location *location = &trace->locations[needing->call.location];
    const uint32_t count = fm_partner_count(needs, trial->call);
    const uint64_t enter = fm_trace_begin(location, needing->call.activity);
    struct question asked = {
        .until = location->leave.items[needing->call.activity],
        .process = process,
        .is_counted = progress->reports_unknown &&
                      fm_need_key_window(needs->kinds.items[needing->kind].key) != FM_NONE,
        .paradigm = (uint32_t)fm_trace_called(trace, location, needing->call.activity)->paradigm,
    };
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_partner *partner = &needs->partners.items[needing->first_partner + i];
        asked.begin = fm_need_begin(needs, partner, trial, enter);
        asked.state = trial->first_state + i;
        if (asked.begin < asked.until) {
            fm_dispatch_send(progress->questions, worker, partner->process, &asked);
        } else {
            needs->states.items[asked.state] = (struct fm_partner_state){.is_unknown = true};
        }
    }
}

static void ask(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct fm_progress *progress = context;
    for (uint32_t process = first; process < last; ++process) {
        struct fm_process_needs *needs = &progress->of_process[process];
        for (size_t i = 0; i < needs->trials.count; ++i) {
            struct fm_need_trial *trial = &needs->trials.items[i];
            const uint32_t count = fm_partner_count(needs, trial->call);
            trial->first_state = (uint32_t)needs->states.count;
            fm_vector_reserve(&needs->states, count);
            needs->states.count += count;
        }
        for (size_t i = 0; i < needs->trials.count; ++i) {
            ask_partners(progress, worker, process, &needs->trials.items[i]);
        }
    }
}

void fm_progress_ask(struct fm_progress *progress)
{
    fm_dispatch_run(progress->questions, ask, progress);
    fm_dispatch_deliver(progress->answers);
}

/* ---- needs ---- */

/* @return the number of a kind in a process */
static uint32_t kind_of(struct fm_process_needs *needs, uint64_t key)
{
    const uint32_t next = (uint32_t)needs->kinds.count;
    const uint32_t kind = *fm_map_at(&needs->kind_of_key, key, next);
    if (kind == next) {
        fm_vector_push(&needs->kinds, (struct fm_need_kind){key, FM_NONE});
    }
    return kind;
}

/* Adds a reason to a call; the call is appended if it is not the latest one. */
static void add_reason(struct fm_process_needs *needs, struct fm_call_ref call, uint64_t key)
{
    struct fm_needing_call *latest =
        needs->calls.count == 0 ? NULL : &needs->calls.items[needs->calls.count - 1];
    if (latest != NULL && fm_same_call(latest->call, call)) {
        const uint64_t before = needs->kinds.items[latest->kind].key;
        const uint64_t both = fm_need_key_merge(before, key);
        latest->kind = both == before ? latest->kind : kind_of(needs, both);
        return;
    }
    needs->are_unordered |= latest != NULL && fm_compare_calls(latest->call, call) >= 0;
    fm_vector_push(&needs->calls, (struct fm_needing_call){call, kind_of(needs, key),
                                                           (uint32_t)needs->partners.count});
}

static void add_partner(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                        const struct fm_partner *partner, const struct fm_needed *why)
{
    struct fm_process_needs *needs = &progress->of_process[process];
    const bool is_far = partner->process != FM_NONE &&
                        progress->nodes[partner->process] != progress->nodes[process];
    add_reason(needs, call, fm_need_key(why, is_far));
    if (partner->process != FM_NONE) {
        fm_vector_push(&needs->partners, *partner);
    }
}

void fm_progress_need(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                      uint32_t partner, const struct fm_needed *why)
{
    add_partner(progress, process, call, &(struct fm_partner){partner, FM_NONE}, why);
}

/* @return the position of times in a process; those of the last call are often the same */
static uint32_t add_times(struct fm_process_needs *needs, const struct fm_partner_times *times)
{
    const struct fm_partner_times *last =
        needs->times.count == 0 ? NULL : &needs->times.items[needs->times.count - 1];
    if (last == NULL || last->event != times->event || last->begin != times->begin ||
        last->until != times->until) {
        fm_vector_push(&needs->times, *times);
    }
    return (uint32_t)needs->times.count - 1;
}

void fm_progress_need_of(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                         uint32_t partner, const struct fm_partner_times *times,
                         const struct fm_needed *why)
{
    const uint32_t position = add_times(&progress->of_process[process], times);
    add_partner(progress, process, call, &(struct fm_partner){partner, position}, why);
}

void fm_progress_trim(struct fm_progress *progress, uint32_t process)
{
    fm_vector_trim(&progress->of_process[process].calls);
    fm_vector_trim(&progress->of_process[process].partners);
}

/* ---- events ---- */

static uint64_t key_of(struct fm_call_ref call)
{
    return (uint64_t)call.location << 32 | call.activity;
}

static uint32_t find_unordered(struct fm_process_needs *needs, struct fm_call_ref call)
{
    if (needs->number_of_call.count == 0) {
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            *fm_map_at(&needs->number_of_call, key_of(needs->calls.items[i].call), i) = i;
        }
    }
    const uint32_t number = fm_map_get(&needs->number_of_call, key_of(call));
    return number == FM_MAP_ABSENT ? FM_NONE : number;
}

/* Exponential search from the call that was found last: events arrive about in the order of the
 * calls. */
static uint32_t find_ordered(struct fm_process_needs *needs, struct fm_call_ref call)
{
    const struct fm_needing_call *calls = needs->calls.items;
    const size_t count = needs->calls.count;
    size_t low = needs->recent, high = low, step = 1;
    while (low > 0 && fm_compare_calls(calls[low].call, call) > 0) {
        low = low > step ? low - step : 0;
        step *= 2;
    }
    for (step = 1; high < count && fm_compare_calls(calls[high].call, call) < 0; step *= 2) {
        high += step;
    }
    high = high < count ? high + 1 : count;
    low += fm_count_calls_before(&calls[low].call, high - low, sizeof *calls, call);
    if (low == count || !fm_same_call(calls[low].call, call)) {
        return FM_NONE;
    }
    needs->recent = (uint32_t)low;
    return needs->recent;
}

void fm_progress_set_event(struct fm_progress *progress, struct fm_call_ref call, uint32_t partner,
                           uint64_t event, uint64_t ends)
{
    const uint32_t process = fm_trace_process(progress->analysis->trace, call.location);
    struct fm_process_needs *needs = &progress->of_process[process];
    if (needs->calls.count == 0) {
        return;
    }
    const uint32_t number =
        needs->are_unordered ? find_unordered(needs, call) : find_ordered(needs, call);
    const uint32_t count = number == FM_NONE ? 0 : fm_partner_count(needs, number);
    for (uint32_t i = 0; i < count; ++i) {
        struct fm_partner *needed =
            &needs->partners.items[needs->calls.items[number].first_partner + i];
        if (needed->process == partner && event >= fm_need_event(needs, needed)) {
            needed->times = add_times(needs, &(struct fm_partner_times){event, ends, UINT64_MAX});
        }
    }
}

struct fm_progress *fm_progress_create(struct fm_analysis *analysis)
{
    struct fm_progress *progress = fm_allocate(1, sizeof *progress);
    *progress = (struct fm_progress){
        .analysis = analysis,
        .of_process = fm_allocate(analysis->trace->process_count, sizeof *progress->of_process),
        .partner_calls = fm_partner_calls_create(analysis),
        .nodes = fm_number_nodes(analysis->trace),
        .questions =
            fm_dispatch_create(analysis->engine, sizeof(struct question), answer, progress),
        .answers = fm_dispatch_create(analysis->engine, sizeof(struct answer), keep, progress),
    };
    return progress;
}

void fm_progress_free(struct fm_progress *progress)
{
    if (progress == NULL) {
        return;
    }
    for (uint32_t process = 0; process < progress->analysis->trace->process_count; ++process) {
        struct fm_process_needs *needs = &progress->of_process[process];
        fm_vector_free(&needs->calls);
        fm_vector_free(&needs->partners);
        fm_vector_free(&needs->times);
        fm_vector_free(&needs->kinds);
        fm_map_free(&needs->kind_of_key);
        fm_vector_free(&needs->trials);
        fm_vector_free(&needs->states);
        fm_map_free(&needs->number_of_call);
    }
    fm_dispatch_free(progress->questions);
    fm_dispatch_free(progress->answers);
    fm_partner_calls_free(progress->partner_calls);
    fm_free(progress->nodes);
    fm_free(progress->of_process);
    fm_free(progress);
}
