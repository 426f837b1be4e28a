/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/critical_path/critical_path.h"

#include "analysis/causes/critical_path/path_sample_errors.h"
#include "analysis/threads/thread_starts.h"
#include "base/containers/sort.h"
#include "engine/mailbox/mailbox.h"

#include <inttypes.h>

/* When a location entered Finalize. */
struct ending {
    uint64_t finalize;
    uint32_t location; /* FM_NONE: none of the process's locations did */
};

/* @return the location that entered Finalize last; in a run without Finalize, the location with the
 * latest event */
static uint32_t find_last_location(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct ending own = {0, FM_NONE};
    uint32_t by_end = FM_NONE;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        if (location->event_count == 0) {
            continue;
        }
        uint32_t call = fm_last_call(trace, location, FM_CALL_FINALIZE);
        if (call != FM_NONE &&
            (own.location == FM_NONE || location->enter.items[call] > own.finalize)) {
            own = (struct ending){location->enter.items[call], l};
        }
        if (by_end == FM_NONE || location->end > trace->locations[by_end].end) {
            by_end = l;
        }
    }
    size_t bytes;
    struct ending *all = fm_team_share(analysis->team, &own, sizeof own, &bytes);
    own = (struct ending){0, FM_NONE};
    for (size_t i = 0; i < bytes / sizeof *all; ++i) {
        bool is_later = own.location == FM_NONE || all[i].finalize > own.finalize;
        own = all[i].location != FM_NONE && is_later ? all[i] : own;
    }
    fm_free(all);
    return own.location != FM_NONE ? own.location : by_end;
}

/* ---- spans of the path ---- */

/* @return the span of a location that is owned here */
static struct fm_path_span span_of(const struct fm_critical_path *path,
                                   const struct fm_trace *trace, uint32_t location)
{
    return path->spans != NULL ? path->spans[location]
                               : (struct fm_path_span){trace->locations[location].begin,
                                                       trace->locations[location].end};
}

/* ---- the walk ---- */

/* State of the backward walk; sent between workers and processes of the analysis. */
struct token {
    uint64_t time;
    uint32_t location;
    uint32_t moves_at_once; /* consecutive moves between locations at the current time */
    uint32_t segments;      /* number of segments so far */
    struct fm_path_position position;
};

struct walking {
    struct fm_critical_path *path;
    const struct fm_formation *formation;
};

/* @return the start that the path on a location leads to before its position; NULL: none */
static const struct fm_thread_start *start_before(const struct fm_critical_path *path,
                                                  const struct fm_formation *formation,
                                                  const struct token *token)
{
    const struct fm_analysis *analysis = formation->analysis;
    const struct fm_trace *trace = analysis->trace;
    const struct fm_thread_start *start = fm_thread_starts_before(
        analysis->thread_starts, token->location, token->time, token->position);
    bool moves = start != NULL && token->moves_at_once <= trace->location_count &&
                 start->begin >= span_of(path, trace, token->location).begin &&
                 start->time >= span_of(path, trace, start->origin_location).begin;
    return moves ? start : NULL;
}

/* Notes that the path turns from a location to the one for which it waited. */
static void note_turn(struct fm_critical_path *path, const struct fm_analysis *analysis,
                      uint32_t location, const struct fm_wait *wait)
{
    const struct fm_location *waiting = &analysis->trace->locations[location];
    const struct fm_wait_errors *errors = analysis->wait_errors;
    const uint32_t visit = waiting->visit.items[wait->activity];
    fm_path_moves_note(&path->moves, location, wait);
    if (path->turn_errors != NULL) {
        path->turn_errors[waiting->profile.items[visit].callpath] +=
            fm_turn_error(errors, location, wait->cause_location);
        path->turns++;
        path->insignificant_turns +=
            fm_wait_ticks(wait) <
            fm_wait_error(errors, (struct fm_call_ref){location, wait->activity},
                          (struct fm_call_ref){wait->cause_location, wait->cause_activity},
                          fm_wait_ticks(wait));
    }
}

/* Follows the path backwards through the locations that are owned here. */
static void walk(struct walking *walking, struct fm_mailboxes *mailboxes, unsigned worker,
                 struct token token)
{
    struct fm_critical_path *path = walking->path;
    const struct fm_formation *formation = walking->formation;
    const struct fm_trace *trace = formation->analysis->trace;
    for (;;) {
        uint32_t at = token.location;
        const struct fm_wait_list *waits = &formation->busy_times[at].waits;
        uint64_t begin = span_of(path, trace, at).begin;
        uint32_t behind = fm_wait_list_behind(waits, token.time);
        /* Wait states of one tick form no circle: the path visits a location once per tick. */
        const struct fm_wait *wait = &waits->items[behind - 1];
        bool moves =
            behind > 0 && wait->until > begin && token.moves_at_once <= trace->location_count;
        /* A thread's work for another one begins where that has started it: also before its first
         * event. */
        const struct fm_thread_start *start = start_before(path, formation, &token);
        bool starts = start != NULL && (!moves || start->first_activity > wait->activity);
        uint64_t from = starts ? start->time : moves ? wait->until : begin;
        if (from < token.time) {
            fm_vector_push(&path->segments,
                           (struct fm_path_segment){from, token.time, at, token.segments++});
            path->length += token.time - from;
            token.moves_at_once = 0;
        }
        if (starts) {
            ++token.moves_at_once;
            token.time = from;
            token.location = start->origin_location;
            token.position = start->origin;
            continue;
        }
        if (!moves) {
            /* With unsynchronized clocks, the path may reach a location before its begin. */
            path->begin = from < token.time ? from : token.time;
            return;
        }
        note_turn(path, formation->analysis, at, wait);
        ++token.moves_at_once;
        token.time = from;
        token.location = wait->cause_location;
        token.position = (struct fm_path_position){wait->cause_activity, FM_NONE};
        uint32_t process = fm_trace_process(trace, token.location);
        if (!fm_engine_owns(formation->analysis->engine, process)) {
            fm_mailbox_send(mailboxes, worker, process, &token, sizeof token);
            return;
        }
    }
}

static void start_walk(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                       uint32_t first, uint32_t last)
{
    struct walking *walking = context;
    const struct fm_trace *trace = walking->formation->analysis->trace;
    uint32_t location = walking->path->last_location;
    if (location != FM_NONE && fm_trace_process(trace, location) >= first &&
        fm_trace_process(trace, location) < last) {
        walking->path->end = span_of(walking->path, trace, location).end;
        walk(walking, mailboxes, worker,
             (struct token){walking->path->end, location, 0, 0, {FM_NONE, FM_NONE}});
    }
}

static void go_on(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                  const void *message, size_t size)
{
    (void)process;
    (void)size;
    const struct token *token = message;
    walk(context, mailboxes, worker, *token);
}

/* ---- profiles ---- */

struct profiling {
    struct fm_critical_path *path;
    const struct fm_formation *formation;
};

/* @return [node of the location's call tree]: ticks without waiting between two moments */
static uint64_t *busy_between(const struct fm_busy_time *busy_time, uint64_t from, uint64_t to,
                              struct fm_profile *profile)
{
    uint64_t *busy = fm_allocate(busy_time->location->profile.count, sizeof *busy);
    fm_busy_time_profile(busy_time, from, to, profile);
    for (uint32_t i = 0; i < profile->count; ++i) {
        busy[profile->visits[i]] = profile->time[profile->visits[i]];
    }
    return busy;
}

static void profile_busy(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct profiling *profiling = context;
    struct fm_critical_path *path = profiling->path;
    const struct fm_trace *trace = profiling->formation->analysis->trace;
    struct fm_profile profile = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_busy_time *busy_time = &profiling->formation->busy_times[l];
        path->time[l] = fm_allocate(trace->locations[l].profile.count, sizeof(uint64_t));
        path->serialized[l] = fm_allocate(trace->locations[l].profile.count, sizeof(uint64_t));
        path->busy[l] = busy_between(busy_time, 0, UINT64_MAX, &profile);
        if (path->spans != NULL) {
            path->span_busy[l] =
                busy_between(busy_time, path->spans[l].begin, path->spans[l].end, &profile);
        }
    }
    fm_profile_free(&profile);
}

static void add_profile(const struct fm_profile *profile, uint64_t *time)
{
    for (uint32_t i = 0; i < profile->count; ++i) {
        time[profile->visits[i]] += profile->time[profile->visits[i]];
    }
}

/* The path may reach a location while it waits: an owner of all locks of a window that has released
 * one of them and still waits for another, or a polling loop of which a test has served a partner.
 * The path has no gaps, so that this waiting is on it. */
static void add_unfinished_wait(const struct fm_formation *formation,
                                const struct fm_path_segment *segment, struct fm_profile *profile,
                                uint64_t *time)
{
    uint32_t l = segment->location;
    const struct fm_busy_time *busy_time = &formation->busy_times[l];
    uint32_t next = fm_wait_list_behind(&busy_time->waits, segment->to);
    const struct fm_wait *wait = &busy_time->waits.items[next];
    if (next == busy_time->waits.count || wait->enter >= segment->to) {
        return;
    }
    uint64_t begin = wait->enter > segment->from ? wait->enter : segment->from;
    const struct fm_location *location = &formation->analysis->trace->locations[l];
    if (fm_trace_loop(location, wait->activity) == NULL) {
        time[location->visit.items[wait->activity]] += segment->to - begin;
    } else {
        fm_busy_time_whole_profile(busy_time, begin, segment->to, profile);
        add_profile(profile, time);
    }
}

/* Adds the time of a part of the path in each node of its location's call tree. */
static void add_time(const struct fm_formation *formation, const struct fm_path_segment *part,
                     struct fm_profile *profile, uint64_t *time)
{
    fm_busy_time_profile(&formation->busy_times[part->location], part->from, part->to, profile);
    add_profile(profile, time);
    add_unfinished_wait(formation, part, profile, time);
}

/* Adds what of a segment is serialized by locks. */
static void add_serialized(struct fm_critical_path *path, const struct fm_formation *formation,
                           const struct fm_path_segment *segment, struct fm_profile *profile)
{
    for (size_t h = fm_path_holds_behind(&path->holds, segment->location, segment->from);
         h < path->holds.count; ++h) {
        const struct fm_path_hold *hold = &path->holds.items[h];
        if (hold->location != segment->location || hold->from >= segment->to) {
            return;
        }
        struct fm_path_segment part = *segment;
        part.from = hold->from > part.from ? hold->from : part.from;
        part.to = hold->to < part.to ? hold->to : part.to;
        add_time(formation, &part, profile, path->serialized[segment->location]);
    }
}

static void profile_segments(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct profiling *profiling = context;
    struct fm_critical_path *path = profiling->path;
    const struct fm_trace *trace = profiling->formation->analysis->trace;
    uint32_t begin = fm_trace_first_location(trace, first);
    uint32_t end = fm_trace_first_location(trace, last);
    struct fm_profile profile = {0};
    for (size_t s = 0; s < path->segments.count; ++s) {
        const struct fm_path_segment *segment = &path->segments.items[s];
        if (segment->location < begin || segment->location >= end) {
            continue;
        }
        add_time(profiling->formation, segment, &profile, path->time[segment->location]);
        add_serialized(path, profiling->formation, segment, &profile);
    }
    fm_profile_free(&profile);
}

static void add_up_callpaths(struct fm_critical_path *path, const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        const uint64_t *busy = path->spans == NULL ? path->busy[l] : path->span_busy[l];
        for (size_t v = 0; v < location->profile.count; ++v) {
            uint32_t callpath = location->profile.items[v].callpath;
            path->path_total[callpath] += path->time[l][v];
            path->serialized_total[callpath] += path->serialized[l][v];
            path->busy_total[callpath] += busy[v];
        }
    }
    fm_team_sum(analysis->team, path->path_total, trace->callpaths.count);
    fm_team_sum(analysis->team, path->busy_total, trace->callpaths.count);
    fm_team_sum(analysis->team, path->serialized_total, trace->callpaths.count);
    if (path->turn_errors != NULL) {
        fm_team_sum(analysis->team, path->turn_errors, trace->callpaths.count);
    }
}

static int compare_segments(const void *a, const void *b)
{
    const struct fm_path_segment *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Collects the whole path at process 0, and shares its length, begin and end with all processes. */
static void join_segments(struct fm_critical_path *path, struct fm_team *team)
{
    if (fm_team_size(team) == 1) {
        return;
    }
    FM_VECTOR(struct fm_path_segment) all = {0};
    fm_team_collect_vector(team, &path->segments, &all);
    fm_sort(all.items, all.count, sizeof *all.items, compare_segments);
    path->segments.count = 0;
    for (size_t s = 0; s < all.count; ++s) {
        fm_vector_push(&path->segments, all.items[s]);
    }
    fm_vector_free(&all);
    /* Exactly one process has set the begin, and one the end; the others have 0. */
    uint64_t sums[] = {path->length, path->begin, path->end, path->turns,
                       path->insignificant_turns};
    fm_team_sum(team, sums, sizeof sums / sizeof *sums);
    path->length = sums[0];
    path->begin = sums[1];
    path->end = sums[2];
    path->turns = sums[3];
    path->insignificant_turns = sums[4];
}

void fm_critical_path_open(struct fm_critical_path *path, struct fm_formation *formation)
{
    struct fm_analysis *analysis = formation->analysis;
    const struct fm_trace *trace = analysis->trace;
    *path = (struct fm_critical_path){
        .last_location = find_last_location(analysis),
        .time = fm_allocate(trace->location_count, sizeof *path->time),
        .busy = fm_allocate(trace->location_count, sizeof *path->busy),
        .path_total = fm_allocate(trace->callpaths.count, sizeof *path->path_total),
        .busy_total = fm_allocate(trace->callpaths.count, sizeof *path->busy_total),
        .serialized = fm_allocate(trace->location_count, sizeof *path->serialized),
        .serialized_total = fm_allocate(trace->callpaths.count, sizeof *path->serialized_total),
    };
    if (analysis->wait_errors != NULL) {
        path->turn_errors = fm_allocate(trace->callpaths.count, sizeof *path->turn_errors);
    }
    if (analysis->path_from_init_to_finalize) {
        path->spans = fm_path_spans(analysis);
        path->span_busy = fm_allocate(trace->location_count, sizeof *path->span_busy);
    }
    struct profiling profiling = {path, formation};
    fm_mailboxes_run(analysis->engine, start_walk, go_on, &(struct walking){path, formation});
    fm_path_holds_find(analysis, &path->moves, &path->holds);
    fm_vector_free(&path->moves);
    fm_engine_run(analysis->engine, profile_busy, &profiling);
    fm_engine_run(analysis->engine, profile_segments, &profiling);
    path->sample_errors = fm_path_sample_errors(path, formation);
    add_up_callpaths(path, analysis);
    join_segments(path, analysis->team);
}

void fm_critical_path_close(struct fm_critical_path *path, uint32_t location_count)
{
    for (uint32_t l = 0; l < location_count; ++l) {
        fm_free(path->time[l]);
        fm_free(path->busy[l]);
        fm_free(path->serialized[l]);
        if (path->spans != NULL) {
            fm_free(path->span_busy[l]);
        }
    }
    fm_free(path->spans);
    fm_free(path->span_busy);
    fm_vector_free(&path->segments);
    fm_free(path->time);
    fm_free(path->busy);
    fm_free(path->path_total);
    fm_free(path->busy_total);
    fm_free(path->serialized);
    fm_free(path->serialized_total);
    fm_free(path->turn_errors);
    fm_free(path->sample_errors);
    fm_vector_free(&path->holds);
}

double fm_critical_path_imbalance(const struct fm_critical_path *path, const struct fm_trace *trace,
                                  uint32_t callpath)
{
    double excess = (double)path->path_total[callpath] -
                    (double)path->busy_total[callpath] / (double)trace->location_count;
    return excess > 0 ? excess : 0;
}

/* A call path's imbalance on one location: what of it is serialization, and the rest. */
struct share {
    double serialization, rest;
};

/* Serialization, at most the imbalance as a whole, is booked in proportion to the serialized time
 * on the path, the rest in proportion to the rest of the time. */
static struct share share_of(const struct fm_critical_path *path, const struct fm_trace *trace,
                             uint32_t callpath, uint64_t time, uint64_t serialized)
{
    double imbalance = fm_critical_path_imbalance(path, trace, callpath);
    uint64_t all = path->path_total[callpath], all_serialized = path->serialized_total[callpath];
    double whole = (double)all_serialized < imbalance ? (double)all_serialized : imbalance;
    struct share share = {0, 0};
    if (all_serialized > 0) {
        share.serialization = whole * ((double)serialized / (double)all_serialized);
    }
    if (all > all_serialized) {
        share.rest =
            (imbalance - whole) * ((double)(time - serialized) / (double)(all - all_serialized));
    }
    return share;
}

struct booking {
    const struct fm_critical_path *path;
    struct fm_formation *formation;
};

static void book(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct booking *booking = context;
    const struct fm_critical_path *path = booking->path;
    struct fm_formation *formation = booking->formation;
    const struct fm_trace *trace = formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t v = 0; v < location->profile.count; ++v) {
            uint64_t time = path->time[l][v];
            if (time == 0) {
                continue;
            }
            uint32_t callpath = location->profile.items[v].callpath;
            struct share share = share_of(path, trace, callpath, time, path->serialized[l][v]);
            /* Both are sums of rounded products: together they may exceed the time by a rounding.
             */
            const double balanced = (double)time - share.serialization - share.rest;
            fm_formation_add_cost(formation, worker, l, v, FM_METRIC_CRITICAL_PATH,
                                  balanced > 0 ? balanced : 0);
            fm_formation_add_cost(formation, worker, l, v, FM_METRIC_CRITICAL_PATH_IMBALANCE,
                                  share.rest);
            fm_formation_add_cost(formation, worker, l, v, FM_METRIC_CRITICAL_PATH_SERIALIZATION,
                                  share.serialization);
        }
    }
}

void fm_critical_path_book(const struct fm_critical_path *path, struct fm_formation *formation)
{
    fm_engine_run(formation->analysis->engine, book, &(struct booking){path, formation});
}

static fm_status_t fill_errors(const struct fm_critical_path *path,
                               const struct fm_recorder_time *recorder, struct fm_cube *cube,
                               struct fm_error *error)
{
    if (path->turn_errors == NULL) {
        return FM_OK;
    }
    struct fm_cube_path_errors errors = {
        .turns = path->turns,
        .insignificant = path->insignificant_turns,
        .of_callpath = fm_allocate(cube->callpath_count, sizeof *errors.of_callpath),
    };
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        errors.of_callpath[c] = path->turn_errors[c] +
                                fm_recorder_share(recorder, path->path_total[c]) +
                                (path->sample_errors == NULL ? 0 : path->sample_errors[c]);
    }
    const fm_status_t status = fm_cube_set_path_errors(cube, &errors, error);
    fm_free(errors.of_callpath);
    return status;
}

fm_status_t fm_critical_path_fill(const struct fm_critical_path *path,
                                  const struct fm_recorder_time *recorder, struct fm_cube *cube,
                                  struct fm_error *error)
{
    fm_status_t status = fill_errors(path, recorder, cube, error);
    for (size_t s = path->segments.count; s-- > 0 && status == FM_OK;) {
        const struct fm_path_segment *segment = &path->segments.items[s];
        status = fm_cube_add_segment(cube,
                                     &(struct fm_cube_segment){
                                         .location = segment->location,
                                         .begin = segment->from - cube->experiment.begin,
                                         .end = segment->to - cube->experiment.begin,
                                     },
                                     error);
    }
    return status;
}

fm_status_t fm_critical_path_check(const struct fm_critical_path *path, struct fm_error *error)
{
    const struct fm_path_segment *segments = path->segments.items;
    size_t count = path->segments.count;
    uint64_t expected = path->end - path->begin;
    for (size_t s = 0; s + 1 < count; ++s) {
        if (segments[s].from != segments[s + 1].to) {
            return fm_fail(error, FM_ERR_FAILED,
                           "invariant violated: the critical path has a gap at tick %" PRIu64,
                           segments[s].from);
        }
    }
    if (path->length != expected || (count != 0 && segments[count - 1].from != path->begin) ||
        (count != 0 && segments[0].to != path->end)) {
        return fm_fail(error, FM_ERR_FAILED,
                       "invariant violated: the critical path is %" PRIu64
                       " ticks long instead of %" PRIu64,
                       path->length, expected);
    }
    return FM_OK;
}
