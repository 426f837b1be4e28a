/* POSIX threads from their creation to their end: where they begin, how long that takes, and who
 * waits for their end. */
#include "analysis/pattern.h"
#include "analysis/threads/thread_starts.h"

#include "base/containers/sort.h"

/* A record about a thread. */
struct thread_event {
    uint64_t sequence;
    uint32_t team;
    uint32_t type; /* fm_thread_record_type_t */
    uint32_t location;
    uint32_t record;
};

typedef FM_VECTOR(struct thread_event) thread_events;

/* Orders the records of one thread: its creation, begin, waits for it, its end. */
static int compare_events(const void *a, const void *b)
{
    const struct thread_event *left = a, *right = b;
    if (left->team != right->team) {
        return left->team < right->team ? -1 : 1;
    }
    if (left->sequence != right->sequence) {
        return left->sequence < right->sequence ? -1 : 1;
    }
    if (left->type != right->type) {
        return left->type < right->type ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->record < right->record ? -1 : left->record > right->record;
}

static void list_events(const struct fm_trace *trace, uint32_t process, thread_events *events)
{
    events->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t i = 0; i < location->threads.count; i++) {
            const struct fm_thread_record *record = &location->threads.items[i];
            if (record->type >= FM_THREAD_CREATE && record->type <= FM_THREAD_END) {
                fm_vector_push(
                    events, ((struct thread_event){record->id, record->team, record->type, l, i}));
            }
        }
    }
    fm_sort(events->items, events->count, sizeof *events->items, compare_events);
}

static const struct fm_thread_record *record_of(const struct fm_trace *trace,
                                                const struct thread_event *event)
{
    return &trace->locations[event->location].threads.items[event->record];
}

/* A thread begins where it was created. */
static void add_begin(const struct fm_finder *finder, const struct thread_event *create,
                      const struct thread_event *begin)
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
static void add_wait(const struct fm_finder *finder, const struct thread_event *wait,
                     const struct thread_event *end)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_thread_record *ended = record_of(trace, end);
    const uint32_t activity = record_of(trace, wait)->activity;
    if (activity != FM_NONE && ended->activity != FM_NONE && wait->location != end->location) {
        fm_found_wait(finder, (struct fm_call_ref){wait->location, activity}, ended->time,
                      (struct fm_call_ref){end->location, ended->activity},
                      FM_METRIC_PTHREAD_JOIN_WAIT);
    }
}

/* Handles the records of one thread. */
static void find_thread(const struct fm_finder *finder, const struct thread_event *events,
                        size_t count)
{
    const struct thread_event *first[FM_THREAD_END + 1] = {NULL};
    for (size_t i = 0; i < count; i++) {
        if (first[events[i].type] == NULL) {
            first[events[i].type] = &events[i];
        }
    }
    if (first[FM_THREAD_CREATE] != NULL && first[FM_THREAD_BEGIN] != NULL) {
        add_begin(finder, first[FM_THREAD_CREATE], first[FM_THREAD_BEGIN]);
    }
    for (size_t i = 0; first[FM_THREAD_END] != NULL && i < count; i++) {
        if (events[i].type == FM_THREAD_WAIT) {
            add_wait(finder, &events[i], first[FM_THREAD_END]);
        }
    }
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_trace *trace = finder.analysis->trace;
    thread_events events = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        list_events(trace, process, &events);
        for (size_t begin = 0, end; begin < events.count; begin = end) {
            end = begin + 1;
            while (end < events.count && events.items[end].team == events.items[begin].team &&
                   events.items[end].sequence == events.items[begin].sequence) {
                end++;
            }
            find_thread(&finder, &events.items[begin], end - begin);
        }
    }
    fm_vector_free(&events);
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
