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

uint32_t fm_progress_try(struct fm_process_needs *needs, uint32_t call, uint64_t since)
{
    fm_vector_push(&needs->trials, (struct fm_need_trial){since, call, FM_NONE});
    return (uint32_t)needs->trials.count - 1;
}

static void ask_partners(const struct fm_progress *progress, unsigned worker, uint32_t process,
                         const struct fm_need_trial *trial)
{
    const struct fm_trace *trace = progress->analysis->trace;
    struct fm_process_needs *needs = &progress->of_process[process];
    const struct fm_needing_call *needing = &needs->calls.items[trial->call];
    const struct fm_location *location = &trace->locations[needing->call.location];
    struct question asked = {
        .until = location->leave.items[needing->call.activity],
        .process = process,
        .is_counted = needing->why.window != FM_NONE && trial == &needs->trials.items[trial->call],
        .paradigm = (uint32_t)fm_trace_called(trace, location, needing->call.activity)->paradigm,
    };
    for (uint32_t i = 0; i < needing->partner_count; ++i) {
        const struct fm_partner *partner = &needs->partners.items[needing->first_partner + i];
        asked.begin =
            fm_need_begin(partner, trial, fm_trace_begin(location, needing->call.activity));
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
        size_t begin = 0;
        while (begin < needs->trials.count && needs->trials.items[begin].first_state != FM_NONE) {
            ++begin;
        }
        for (size_t i = begin; i < needs->trials.count; ++i) {
            struct fm_need_trial *trial = &needs->trials.items[i];
            const uint32_t count = needs->calls.items[trial->call].partner_count;
            trial->first_state = (uint32_t)needs->states.count;
            fm_vector_reserve(&needs->states, count);
            needs->states.count += count;
        }
        for (size_t i = begin; i < needs->trials.count; ++i) {
            ask_partners(progress, worker, process, &needs->trials.items[i]);
        }
    }
}

void fm_progress_ask(struct fm_progress *progress)
{
    fm_dispatch_run(progress->questions, ask, progress);
    fm_dispatch_deliver(progress->answers);
}

/* @return the call's need; a new one is appended if the call is not the latest one */
static struct fm_needing_call *need_of(struct fm_process_needs *needs, struct fm_call_ref call)
{
    const size_t count = needs->calls.count;
    if (count == 0 || !fm_same_call(needs->calls.items[count - 1].call, call)) {
        fm_vector_push(&needs->calls,
                       (struct fm_needing_call){.call = call,
                                                .why.window = FM_NONE,
                                                .first_partner = (uint32_t)needs->partners.count});
    }
    return &needs->calls.items[needs->calls.count - 1];
}

void fm_progress_need(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                      uint32_t partner, const struct fm_needed *why)
{
    struct fm_process_needs *needs = &progress->of_process[process];
    struct fm_needing_call *needing = need_of(needs, call);
    struct fm_needed *all = &needing->why;
    all->what |= why->what;
    all->window = why->window < all->window ? why->window : all->window;
    all->size_class = why->size_class > all->size_class ? why->size_class : all->size_class;
    all->epoch = why->epoch > all->epoch ? why->epoch : all->epoch;
    all->is_later |= why->is_later;
    if (partner != FM_NONE) {
        fm_vector_push(&needs->partners,
                       (struct fm_partner){.until = UINT64_MAX, .process = partner});
        ++needing->partner_count;
    }
}

void fm_progress_need_of(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                         const struct fm_partner *partner, const struct fm_needed *why)
{
    fm_progress_need(progress, process, call, FM_NONE, why);
    struct fm_process_needs *needs = &progress->of_process[process];
    fm_vector_push(&needs->partners, *partner);
    ++needs->calls.items[needs->calls.count - 1].partner_count;
}

static uint64_t key_of(struct fm_call_ref call)
{
    return (uint64_t)call.location << 32 | call.activity;
}

void fm_progress_set_event(struct fm_progress *progress, struct fm_call_ref call, uint32_t partner,
                           uint64_t event, uint64_t ends)
{
    const uint32_t process = fm_trace_process(progress->analysis->trace, call.location);
    struct fm_process_needs *needs = &progress->of_process[process];
    if (needs->number_of_call.count == 0) {
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            *fm_map_at(&needs->number_of_call, key_of(needs->calls.items[i].call), i) = i;
        }
    }
    const uint32_t number = fm_map_get(&needs->number_of_call, key_of(call));
    if (number == FM_MAP_ABSENT) {
        return;
    }
    const struct fm_needing_call *needing = &needs->calls.items[number];
    for (uint32_t i = 0; i < needing->partner_count; ++i) {
        struct fm_partner *needed = &needs->partners.items[needing->first_partner + i];
        if (needed->process == partner && event >= needed->event) {
            needed->event = event;
            needed->begin = ends;
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
