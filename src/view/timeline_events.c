#include "view/timeline_events.h"

#include "export/arrows.h"
#include "export/slices.h"

typedef FM_VECTOR(uint64_t) column;

static void add(struct fm_bundle *bundle, const char *name, column *values, bool delta)
{
    fm_bundle_add(bundle, name, values->items, values->count, delta);
    fm_vector_free(values);
}

/* ---- segments ---- */

enum { NO_CALL, CALL_BEGINS, CALL_GOES_ON };

struct slice {
    uint32_t callpath;
    bool is_call;
};

struct lanes {
    column window, location, count;
    column since, callpath, kind;
    const struct fm_location *where; /* whose lane is being made */
    uint64_t begin;
    size_t first; /* segment of that lane */
    FM_VECTOR(struct slice) open;
};

/** What is innermost from `time` on. */
static void change(struct lanes *lanes, uint64_t time, bool opens)
{
    const struct slice *top =
        lanes->open.count == 0 ? NULL : &lanes->open.items[lanes->open.count - 1];
    if (lanes->since.count > lanes->first &&
        lanes->since.items[lanes->since.count - 1] == time - lanes->begin) {
        lanes->since.count--; /* it lasted no time */
        lanes->callpath.count--;
        lanes->kind.count--;
    }
    fm_vector_push(&lanes->since, time - lanes->begin);
    fm_vector_push(&lanes->callpath, top == NULL ? 0 : top->callpath + UINT64_C(1));
    fm_vector_push(&lanes->kind, top == NULL || !top->is_call ? NO_CALL
                                 : opens                      ? CALL_BEGINS
                                                              : CALL_GOES_ON);
}

static void open_slice(void *context, uint64_t time, uint32_t visit, uint32_t activity)
{
    struct lanes *lanes = context;
    uint32_t callpath = lanes->where->profile.items[visit].callpath;
    fm_vector_push(&lanes->open, (struct slice){callpath, activity != FM_NONE});
    change(lanes, time, true);
}

static void close_slice(void *context, uint64_t time)
{
    struct lanes *lanes = context;
    lanes->open.count--;
    change(lanes, time, false);
}

static void add_segments(struct fm_bundle *bundle, const struct fm_trace *trace, uint64_t begin,
                         const fm_timeline_windows *windows)
{
    struct lanes lanes = {.begin = begin};
    const struct fm_slice_sink sink = {open_slice, close_slice, &lanes};
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        for (size_t i = 0; i < window->locations.count; i++) {
            lanes.where = &trace->locations[window->locations.items[i]];
            lanes.first = lanes.since.count;
            fm_slices_walk(lanes.where, begin + window->from, begin + window->to, &sink);
            fm_vector_push(&lanes.window, w);
            fm_vector_push(&lanes.location, window->locations.items[i]);
            fm_vector_push(&lanes.count, lanes.since.count - lanes.first);
        }
    }
    add(bundle, "lane_window", &lanes.window, true);
    add(bundle, "lane_location", &lanes.location, true);
    add(bundle, "lane_count", &lanes.count, false);
    add(bundle, "segment_since", &lanes.since, true);
    add(bundle, "segment_callpath", &lanes.callpath, false);
    add(bundle, "segment_kind", &lanes.kind, false);
    fm_vector_free(&lanes.open);
}

/* ---- wait states ---- */

struct waits {
    column window, location, enter, time, rest, metric, callpath, cause_location, cause_callpath;
};

static uint32_t callpath_of(const struct fm_location *location, uint32_t activity)
{
    return location->profile.items[location->visit.items[activity]].callpath;
}

static void add_wait(struct waits *waits, const struct fm_trace *trace, uint64_t begin,
                     uint32_t where, const struct fm_candidate *wait)
{
    const struct fm_location *location = &trace->locations[where];
    uint64_t enter = location->enter.items[wait->activity];
    bool is_known = wait->cause_location < trace->location_count &&
                    wait->cause_activity < trace->locations[wait->cause_location].enter.count;
    fm_vector_push(&waits->location, where);
    fm_vector_push(&waits->enter, enter - begin);
    fm_vector_push(&waits->time, wait->t - enter);
    fm_vector_push(&waits->rest, location->leave.items[wait->activity] - wait->t);
    fm_vector_push(&waits->metric, wait->metric);
    fm_vector_push(&waits->callpath, callpath_of(location, wait->activity));
    fm_vector_push(&waits->cause_location, is_known ? wait->cause_location + UINT64_C(1) : 0);
    fm_vector_push(
        &waits->cause_callpath,
        is_known ? callpath_of(&trace->locations[wait->cause_location], wait->cause_activity) +
                       UINT64_C(1)
                 : 0);
}

static void add_waits(struct fm_bundle *bundle, const struct fm_detail *detail, uint64_t begin,
                      const fm_timeline_windows *windows)
{
    struct waits waits = {0};
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        for (size_t i = 0; i < window->locations.count; i++) {
            uint32_t where = window->locations.items[i];
            const struct fm_findings *findings = &detail->findings[where];
            const struct fm_location *location = &detail->trace->locations[where];
            for (size_t k = 0; k < findings->waits.count; k++) {
                const struct fm_candidate *wait =
                    &findings->candidates.items[findings->waits.items[k]];
                if (location->enter.items[wait->activity] <= begin + window->to &&
                    wait->t >= begin + window->from) {
                    fm_vector_push(&waits.window, w);
                    add_wait(&waits, detail->trace, begin, where, wait);
                }
            }
        }
    }
    add(bundle, "wait_window", &waits.window, true);
    add(bundle, "wait_location", &waits.location, true);
    add(bundle, "wait_enter", &waits.enter, true);
    add(bundle, "wait_time", &waits.time, false);
    add(bundle, "wait_rest", &waits.rest, false);
    add(bundle, "wait_metric", &waits.metric, false);
    add(bundle, "wait_callpath", &waits.callpath, false);
    add(bundle, "wait_cause_location", &waits.cause_location, false);
    add(bundle, "wait_cause_callpath", &waits.cause_callpath, false);
}

/* ---- arrows ---- */

#define LOCK 4

struct arrows {
    column window, kind, tail, head, since, time;
};

static void add_arrow(struct arrows *arrows, uint64_t begin,
                      const struct fm_timeline_window *window, size_t number, uint64_t kind,
                      const struct fm_arrow_end *tail, const struct fm_arrow_end *head)
{
    if (head->time < tail->time || !fm_timeline_window_has(window, tail->location) ||
        !fm_timeline_window_has(window, head->location))
        return;
    fm_vector_push(&arrows->window, number);
    fm_vector_push(&arrows->kind, kind);
    fm_vector_push(&arrows->tail, tail->location);
    fm_vector_push(&arrows->head, head->location);
    fm_vector_push(&arrows->since, tail->time - begin);
    fm_vector_push(&arrows->time, head->time - tail->time);
}

/** Adds the locks that a location got: from the call to its end at the target. */
static void add_locks(struct arrows *arrows, const struct fm_trace *trace, uint64_t begin,
                      const struct fm_timeline_window *window, size_t number, uint32_t where)
{
    const struct fm_location *location = &trace->locations[where];
    for (size_t i = 0; i < location->rma.count; i++) {
        const struct fm_rma *rma = &location->rma.items[i];
        if (rma->type != FM_RMA_LOCK_ACQUIRE || rma->window >= trace->window_count ||
            rma->peer == FM_NONE)
            continue;
        uint64_t enter = location->enter.items[rma->activity];
        uint64_t leave = location->leave.items[rma->activity];
        uint32_t target = fm_trace_member(trace, trace->windows[rma->window].communicator,
                                          rma->peer, location->process);
        if (enter < begin + window->from || leave > begin + window->to || target == FM_NONE ||
            target == location->process)
            continue;
        const struct fm_arrow_end tail = {where, rma->activity, enter};
        const struct fm_arrow_end head = {trace->processes[target].first_location, FM_NONE, leave};
        add_arrow(arrows, begin, window, number, LOCK, &tail, &head);
    }
}

static void add_arrows(struct fm_bundle *bundle, const struct fm_detail *detail, uint64_t begin,
                       const fm_timeline_windows *windows)
{
    struct arrows arrows = {0};
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        fm_arrows all = fm_arrows_collect(detail, begin + window->from, begin + window->to);
        for (size_t i = 0; i < all.count; i++) {
            const struct fm_arrow *arrow = &all.items[i];
            if (arrow->kind != FM_ARROW_CAUSE) /* the waits tell of these */
                add_arrow(&arrows, begin, window, w, arrow->kind, &arrow->tail, &arrow->head);
        }
        fm_vector_free(&all);
        for (size_t i = 0; i < window->locations.count; i++)
            add_locks(&arrows, detail->trace, begin, window, w, window->locations.items[i]);
    }
    add(bundle, "arrow_window", &arrows.window, true);
    add(bundle, "arrow_kind", &arrows.kind, false);
    add(bundle, "arrow_tail", &arrows.tail, true);
    add(bundle, "arrow_head", &arrows.head, true);
    add(bundle, "arrow_since", &arrows.since, true);
    add(bundle, "arrow_time", &arrows.time, false);
}

void fm_timeline_events_add(struct fm_bundle *bundle, const struct fm_detail *detail,
                            uint64_t begin, const fm_timeline_windows *windows)
{
    add_segments(bundle, detail->trace, begin, windows);
    add_waits(bundle, detail, begin, windows);
    add_arrows(bundle, detail, begin, windows);
}
