/* SPDX-License-Identifier: BSD-3-Clause */
/* POSIX threads from their creation to their end: where they begin, how long that takes, and who
 * waits for their end. */
#include "analysis/dependencies/dependencies.h"
#include "analysis/pattern.h"
#include "analysis/threads/thread_lives.h"
#include "analysis/threads/thread_starts.h"

static const struct fm_thread_record *record_of(const struct fm_trace *trace,
                                                const struct fm_life_record *event)
{
    return &trace->locations[event->location].threads.items[event->record];
}

/* A thread begins where it was created. */
static void add_begin(const struct fm_finder *finder, const struct fm_life_record *create,
                      const struct fm_life_record *begin)
{
    const struct fm_analysis *analysis = finder->analysis;
    const struct fm_trace *trace = analysis->trace;
    const struct fm_thread_record *created = record_of(trace, create);
    const struct fm_thread_record *begun = record_of(trace, begin);
    const uint32_t community = fm_creation_community(trace, begin->location);
    fm_thread_starts_add(analysis->thread_starts, trace,
                         (struct fm_thread_record_ref){create->location, create->record},
                         (struct fm_thread_record_ref){begin->location, begin->record});
    const struct fm_group_point point = {
        .t = created->time, .communicator = community, .meeting = begin->record & INT32_MAX};
    fm_found_group_point(finder, create->location, &point);
    fm_found_group_point(finder, begin->location, &point);
    if (analysis->dependencies != NULL && create->location != begin->location) {
        fm_depend_start(analysis, begin->location, begin->record, create->location, create->record,
                        FM_DEPENDS_ON_START);
    }
    if (created->activity == FM_NONE) {
        return;
    }
    const struct fm_call_ref call = {create->location, created->activity};
    const uint64_t enter = fm_call_enter(trace, call);
    if (begun->time > enter) {
        fm_found_count(finder, call, FM_METRIC_THREAD_START_DELAY, begun->time - enter);
    }
}

/* A call waits for the end of a thread. */
static void add_wait(const struct fm_finder *finder, const struct fm_life_record *wait,
                     const struct fm_life_record *end)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_thread_record *ended = record_of(trace, end);
    const uint32_t activity = record_of(trace, wait)->activity;
    if (activity != FM_NONE && ended->activity != FM_NONE && wait->location != end->location) {
        if (finder->analysis->dependencies != NULL) {
            fm_depend(finder->analysis, finder->worker,
                      (struct fm_call_ref){wait->location, activity},
                      fm_awaited_enter((struct fm_call_ref){end->location, ended->activity}),
                      FM_DEPENDS_ON_THREAD_END);
        }
        fm_found_wait(finder, (struct fm_call_ref){wait->location, activity}, ended->time,
                      (struct fm_call_ref){end->location, ended->activity},
                      FM_METRIC_PTHREAD_JOIN_WAIT);
    }
}

static void find_thread(const struct fm_finder *finder, const fm_life_records *lives,
                        const struct fm_life *life)
{
    if (life->created != NULL && life->begun != NULL) {
        add_begin(finder, life->created, life->begun);
    }
    for (size_t i = life->first; life->ended != NULL && i < life->end; i++) {
        if (lives->items[i].type == FM_THREAD_WAIT) {
            add_wait(finder, &lives->items[i], life->ended);
        }
    }
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_trace *trace = finder.analysis->trace;
    fm_life_records lives = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        fm_life_records_list(trace, process, &lives);
        for (size_t at = 0; at < lives.count;) {
            const struct fm_life life = fm_thread_life_at(&lives, at);
            find_thread(&finder, &lives, &life);
            at = life.end;
        }
    }
    fm_vector_free(&lives);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find, &own);
}

const struct fm_pattern fm_pattern_join_wait = {
    .name = "Wait for end of thread",
    .detect = detect,
    .of_threads = true,
};
