/* Threads that wait for others at objects: conditions, semaphores, POSIX barriers. Each call names
 * its object by a record. */
#include "analysis/pattern.h"

#include "base/containers/sort.h"

/* A call on an object. */
struct object_call {
    uint64_t object;
    uint64_t enter, leave;
    uint32_t location;
    uint32_t activity;
    fm_call_t call;
};

typedef FM_VECTOR(struct object_call) object_calls;

static int compare_calls(const void *a, const void *b)
{
    const struct object_call *left = a, *right = b;
    if (left->object != right->object) {
        return left->object < right->object ? -1 : 1;
    }
    if (left->enter != right->enter) {
        return left->enter < right->enter ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->activity < right->activity ? -1 : left->activity > right->activity;
}

/* Lists the calls of some kinds in a process, by object and Enter. */
static void list_calls(const struct fm_trace *trace, uint32_t process, uint64_t kinds,
                       object_calls *calls)
{
    calls->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->threads.count; i++) {
            const struct fm_thread_record *record = &location->threads.items[i];
            if (record->type != FM_THREAD_OBJECT || record->activity == FM_NONE) {
                continue;
            }
            const fm_call_t call = fm_trace_called(trace, location, record->activity)->call;
            if ((kinds >> call & 1) != 0) {
                fm_vector_push(calls, ((struct object_call){
                                          .object = record->id,
                                          .enter = location->enter.items[record->activity],
                                          .leave = location->leave.items[record->activity],
                                          .location = l,
                                          .activity = record->activity,
                                          .call = call,
                                      }));
            }
        }
    }
    fm_sort(calls->items, calls->count, sizeof *calls->items, compare_calls);
}

static struct fm_call_ref ref(const struct object_call *call)
{
    return (struct fm_call_ref){call->location, call->activity};
}

/* ---- conditions and semaphores ---- */

/* The calls that wait for others and those that wake them. */
struct awakening {
    fm_call_t waits, wakes;
    fm_metric_t metric;
};

/* @return the last of the calls of one object that another thread has entered in a call, (Enter,
 * Leave], to wake it; NULL: none. Of simultaneous ones that of the lowest location. */
static const struct object_call *last_inside(const struct object_call *wakes, size_t count,
                                             const struct object_call *wait)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (wakes[middle].enter <= wait->leave) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct object_call *last = NULL;
    for (; low > 0 && wakes[low - 1].enter > wait->enter; low--) {
        if (last != NULL && wakes[low - 1].enter < last->enter) {
            break;
        }
        last = wakes[low - 1].location == wait->location ? last : &wakes[low - 1];
    }
    return last;
}

static void find_awakened(const struct fm_finder *finder, const struct awakening *awakening,
                          uint32_t process, object_calls *waits, object_calls *wakes)
{
    const struct fm_trace *trace = finder->analysis->trace;
    list_calls(trace, process, (uint64_t)1 << awakening->waits, waits);
    if (waits->count == 0) {
        return;
    }
    list_calls(trace, process, (uint64_t)1 << awakening->wakes, wakes);
    size_t begin = 0, end = 0;
    for (size_t i = 0; i < waits->count; i++) {
        const struct object_call *wait = &waits->items[i];
        while (begin < wakes->count && wakes->items[begin].object < wait->object) {
            begin++;
        }
        end = end > begin ? end : begin;
        while (end < wakes->count && wakes->items[end].object == wait->object) {
            end++;
        }
        const struct object_call *last = last_inside(wakes->items + begin, end - begin, wait);
        if (last != NULL) {
            fm_found_wait(finder, ref(wait), last->enter, ref(last), awakening->metric);
        }
    }
}

/* ---- barriers ---- */

/* All calls of a round of a barrier were in it when the last one was entered. */
static void add_round(const struct fm_finder *finder, const struct object_call *calls, size_t count,
                      uint32_t object, size_t meeting)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct object_call *last = &calls[0];
    for (size_t i = 1; i < count; i++) {
        last = calls[i].enter > last->enter ? &calls[i] : last;
    }
    for (size_t i = 0; count > 1 && i < count; i++) {
        fm_found_group_point(finder, calls[i].location,
                             &(struct fm_group_point){
                                 .t = last->enter,
                                 .communicator = fm_object_community(trace, object),
                                 .meeting = (uint32_t)meeting & INT32_MAX,
                             });
        fm_found_wait(finder, ref(&calls[i]), last->enter, ref(last),
                      FM_METRIC_PTHREAD_BARRIER_WAIT);
    }
}

static bool takes_part(const struct object_call *calls, size_t count, uint32_t location)
{
    for (size_t i = 0; i < count; i++) {
        if (calls[i].location == location) {
            return true;
        }
    }
    return false;
}

/* A round is the calls, by Enter, that were entered before the first of them was left. */
static void find_rounds(const struct fm_finder *finder, uint32_t process, object_calls *calls)
{
    list_calls(finder->analysis->trace, process, FM_CALLS(THREAD_BARRIER), calls);
    uint32_t object = 0;
    uint64_t first_leave = UINT64_MAX;
    size_t begin = 0;
    for (size_t i = 0; i < calls->count; i++) {
        const struct object_call *call = &calls->items[i];
        const bool is_other = i > 0 && call->object != call[-1].object;
        if (is_other || call->enter > first_leave ||
            takes_part(&calls->items[begin], i - begin, call->location)) {
            add_round(finder, &calls->items[begin], i - begin, object, begin);
            begin = i;
            first_leave = UINT64_MAX;
            object += is_other;
        }
        first_leave = call->leave < first_leave ? call->leave : first_leave;
    }
    if (calls->count != 0) {
        add_round(finder, &calls->items[begin], calls->count - begin, object, begin);
    }
}

/* ---- the patterns ---- */

struct search {
    const struct fm_finder *finder;
    const struct awakening *awakening; /* NULL: barriers */
};

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct search *search = context;
    struct fm_finder finder = *search->finder;
    object_calls waits = {0}, wakes = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        if (search->awakening == NULL) {
            find_rounds(&finder, process, &waits);
        } else {
            find_awakened(&finder, search->awakening, process, &waits, &wakes);
        }
    }
    fm_vector_free(&waits);
    fm_vector_free(&wakes);
}

static void detect_conditions(const struct fm_finder *finder)
{
    static const struct awakening conditions = {FM_CALL_CONDITION_WAIT, FM_CALL_CONDITION_SIGNAL,
                                                FM_METRIC_PTHREAD_CONDITION_WAIT};
    fm_engine_run(finder->analysis->engine, find, &(struct search){finder, &conditions});
}

static void detect_semaphores(const struct fm_finder *finder)
{
    static const struct awakening semaphores = {FM_CALL_SEMAPHORE_WAIT, FM_CALL_SEMAPHORE_POST,
                                                FM_METRIC_PTHREAD_SEMAPHORE_WAIT};
    fm_engine_run(finder->analysis->engine, find, &(struct search){finder, &semaphores});
}

static void detect_barriers(const struct fm_finder *finder)
{
    fm_engine_run(finder->analysis->engine, find, &(struct search){finder, NULL});
}

const struct fm_pattern fm_pattern_condition_wait = {
    .name = "Wait for condition",
    .detect = detect_conditions,
    .of_threads = true,
};

const struct fm_pattern fm_pattern_semaphore_wait = {
    .name = "Wait for semaphore",
    .detect = detect_semaphores,
    .of_threads = true,
};

const struct fm_pattern fm_pattern_thread_barrier = {
    .name = "Wait at barrier of threads",
    .detect = detect_barriers,
    .of_threads = true,
};
