/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/problem_predictions.h"

#include "analysis/causes/charge.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/problems/shown.h"
#include "base/containers/sort.h"
#include "base/memory.h"
#include "whatif/changes/callpath_selection.h"
#include "whatif/changes/pieces.h"
#include "whatif/consequences.h"
#include "whatif/identity.h"
#include "whatif/prediction.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many of the largest problems of waiting, and of idle threads, are predicted. */
#define PREDICTED_PROBLEMS 3
#define PREDICTED_IDLE     2

/* A function runs under a lock if so much of its time is spent while a lock is held. */
#define LEAST_HELD 0.9

/* Gains below this share of the run time are called none. */
#define LEAST_SAVED 0.0005

/* So many steps of a replay take as long as the analysis of an event, at least (P16 in
 * docs/performance.md). */
#define STEPS_OF_EVENT 3

struct predictor {
    struct fm_cube *cube;
    const struct fm_detail *detail;
    struct fm_decisions *decisions;
    const bool *has_load; /* [problem] */
    unsigned workers;
    uint64_t *waiting;                 /* [call path]: in the replay without changes */
    uint64_t *new_waiting;             /* [call path]: in the last prediction */
    struct fm_replay_waiting measured; /* by location */
};

/* ---- what a replay shows ---- */

static void sum_waiting(const struct fm_trace *trace, const struct fm_replay *replay,
                        uint64_t *waiting)
{
    memset(waiting, 0, trace->callpaths.count * sizeof *waiting);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; v < location->profile.count; v++) {
            const uint32_t callpath = location->profile.items[v].callpath;
            if (callpath != FM_NONE) {
                waiting[callpath] += replay->locations[l].waiting[v];
            }
        }
    }
}

/* @return the longest time of a location, without Init, and of Finalize with its waiting only */
static uint64_t duration_of(const struct fm_trace *trace, const struct fm_replay *replay)
{
    uint64_t longest = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        const struct fm_new_times *times = &replay->locations[l];
        if (location->begin > location->end || location->is_stream) {
            continue;
        }
        uint64_t duration = times->end - times->begin, left = 0;
        for (uint32_t a = 0; a < location->enter.count; a++) {
            const fm_call_t call = trace->regions[fm_trace_region(location, a)].call;
            const uint64_t enter = times->enter[a], leave = times->leave[a];
            if ((call == FM_CALL_INIT || call == FM_CALL_FINALIZE) && enter >= left) {
                duration -= leave - enter;
                left = leave;
            }
        }
        for (size_t v = 0; v < location->profile.count; v++) {
            const bool ends =
                trace->regions[location->profile.items[v].region].call == FM_CALL_FINALIZE;
            duration += ends ? times->waiting[v] : 0;
        }
        longest = duration > longest ? duration : longest;
    }
    return longest;
}

/* Describes how the waiting of a predicted run differs from that of the measured one. */
static void compare_waiting(const struct predictor *predictor,
                            struct fm_cube_prediction *prediction)
{
    prediction->instead = FM_CUBE_NONE;
    for (uint32_t c = 0; c < predictor->cube->callpath_count; c++) {
        const uint64_t before = predictor->waiting[c], after = predictor->new_waiting[c];
        if (after < before) {
            prediction->freed += before - after;
        } else if (after - before > prediction->moved) {
            prediction->moved = after - before;
            prediction->instead = c;
        }
    }
}

/* Predicts a change of a problem. It is left out if the run has nothing of what it names. */
static void predict(struct predictor *predictor, uint32_t problem, enum fm_predicted_change change,
                    uint32_t callpath, const fm_changes *changes)
{
    struct fm_prediction made;
    struct fm_error error;
    if (fm_prediction_make(predictor->detail, predictor->decisions, changes, predictor->workers,
                           &made, &error) != FM_OK) {
        return;
    }
    struct fm_cube *cube = predictor->cube;
    const int64_t run_time = (int64_t)(made.replay->end - made.replay->begin);
    struct fm_cube_prediction prediction = {
        .change = change,
        .callpath = callpath,
        .saved = (int64_t)(cube->experiment.end - cube->experiment.begin) - run_time,
    };
    sum_waiting(predictor->detail->trace, made.replay, predictor->new_waiting);
    compare_waiting(predictor, &prediction);
    const bool is_without_problem = cube->problems[problem].prediction_count == 0 &&
                                    !fm_predicted_of_call(change) &&
                                    cube->problems[problem].kind != FM_CAUSE_IDLE;
    if (fm_cube_predict(cube, problem, &prediction) && is_without_problem) {
        fm_consequences_find(cube, predictor->detail->trace, &predictor->measured, made.replay,
                             problem);
    }
    fm_prediction_free(&made);
}

static void __attribute__((format(printf, 5, 6)))
predict_text(struct predictor *predictor, uint32_t problem, enum fm_predicted_change change,
             uint32_t callpath, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    fm_changes changes = {0};
    struct fm_error error;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        fm_memory_exhausted();
    }
    va_end(arguments);
    if (fm_changes_add(&changes, text, &error) == FM_OK) {
        predict(predictor, problem, change, callpath, &changes);
    }
    fm_changes_free(&changes);
    free(text);
}

/* ---- imbalance ---- */

/* @return whether the time of a call path is that of a problem: it is in its call path itself, in a
 * library that it calls, or in what it stands for */
static bool is_part(const struct fm_trace *trace, const struct fm_cube_problem *problem,
                    uint32_t callpath)
{
    const bool in_all = problem->is_function && !problem->in_one_callpath;
    uint32_t at = fm_trace_function_of(trace, callpath);
    while (problem->is_function && at != FM_NONE &&
           !fm_problem_is_at(trace, problem->callpath, in_all, at) &&
           trace->regions[trace->callpaths.items[at].region].call == FM_CALL_USER) {
        at = trace->callpaths.items[at].parent;
    }
    return at != FM_NONE && fm_problem_is_at(trace, problem->callpath, in_all, at);
}

/* @return whether a location computes in a problem */
static bool computes_in(const struct fm_trace *trace, uint32_t l,
                        const struct fm_cube_problem *problem)
{
    const struct fm_location *location = &trace->locations[l];
    for (size_t v = 0; v < location->profile.count; v++) {
        if (location->profile.items[v].time > 0 &&
            is_part(trace, problem, location->profile.items[v].callpath)) {
            return true;
        }
    }
    return false;
}

/* @return the function of a problem, or its call path, as changes name it; unless callees are
 * wanted, the call path is meant without what it calls in the program if some of that computes */
static char *where_of(const struct fm_trace *trace, const struct fm_cube_problem *problem,
                      bool with_callees)
{
    const uint32_t callpath = problem->callpath;
    if (problem->in_one_callpath) {
        return fm_callpath_where(trace, callpath);
    }
    if (problem->is_function) {
        char *name = fm_trace_callpath_name(trace, &trace->callpaths.items[callpath]);
        if (name == NULL) {
            fm_memory_exhausted();
        }
        return name;
    }
    bool *is_within = fm_allocate(trace->callpaths.count, sizeof *is_within);
    bool has_others = false;
    for (uint32_t c = 0; c < trace->callpaths.count; c++) { /* parents precede children */
        const struct fm_callpath *node = &trace->callpaths.items[c];
        is_within[c] = c == callpath || (node->parent != FM_NONE && is_within[node->parent]);
        has_others |= is_within[c] && trace->regions[node->region].call == FM_CALL_USER &&
                      fm_trace_function_of(trace, c) != callpath;
    }
    char *path = fm_callpath_where(trace, callpath);
    char *where = NULL;
    const bool is_whole = !has_others || with_callees;
    if (asprintf(&where, "%s%s", path, is_whole ? "" : "/.") < 0) {
        fm_memory_exhausted();
    }
    fm_free(path);
    fm_free(is_within);
    return where;
}

/* Which processes a problem is of. */
struct subject {
    bool *processes;    /* [process] */
    bool is_whole;      /* with all of their locations that compute in the call path */
    bool has_others;    /* other processes compute in it, too */
    bool is_of_threads; /* it is not whole, but all locations in it of some threads of these
                           processes, and others compute in it, too */
    bool *threads;      /* [position in a process]: whether it is of one */
    uint32_t thread_count;
};

static struct subject subject_of(const struct fm_trace *trace,
                                 const struct fm_cube_problem *problem)
{
    struct subject subject = {
        .processes = fm_allocate(trace->process_count, sizeof *subject.processes),
        .is_whole = true,
    };
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const uint32_t thread = trace->locations[l].thread;
        subject.thread_count = thread >= subject.thread_count ? thread + 1 : subject.thread_count;
    }
    subject.threads = fm_allocate(subject.thread_count, sizeof *subject.threads);
    for (uint32_t i = 0; i < problem->location_count; i++) {
        subject.processes[fm_trace_process(trace, problem->locations[i])] = true;
        subject.threads[trace->locations[problem->locations[i]].thread] = true;
    }
    bool shares_threads = false; /* others on the same threads of these processes compute in it */
    for (uint32_t l = 0, next = 0; l < trace->location_count; l++) {
        while (next < problem->location_count && problem->locations[next] < l) {
            next++;
        }
        if (next < problem->location_count && problem->locations[next] == l) {
            continue;
        }
        if (computes_in(trace, l, problem)) {
            const bool is_of_subject = subject.processes[fm_trace_process(trace, l)];
            subject.is_whole &= !is_of_subject;
            subject.has_others |= !is_of_subject;
            shares_threads |= is_of_subject && subject.threads[trace->locations[l].thread];
        }
    }
    subject.is_of_threads = !subject.is_whole && !shares_threads;
    return subject;
}

/* @return how many locations share the work of a problem if it is spread evenly: those of the
 * problem, and one of each process that does not execute the call path; in the only process all its
 * threads */
static uint32_t sharing_locations(const struct predictor *predictor,
                                  const struct fm_cube_problem *problem,
                                  const struct subject *subject)
{
    const struct fm_trace *trace = predictor->detail->trace;
    uint32_t count = 0;
    if (trace->process_count == 1) {
        for (uint32_t l = 0; l < trace->location_count; l++) {
            count += !trace->locations[l].is_stream;
        }
        return count;
    }
    count = problem->location_count;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        count += !subject->processes[p];
    }
    return count;
}

/* The processes of the problem keep their part of the work; the others, which do not execute the
 * call path, are taken to do theirs while they wait. */
static void predict_shared(struct predictor *predictor, uint32_t number, const char *where,
                           const char *ranks, const struct subject *subject)
{
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    const uint32_t sharing = sharing_locations(predictor, problem, subject);
    if (sharing > problem->location_count) {
        predict_text(predictor, number, FM_PREDICTED_BALANCED, FM_CUBE_NONE,
                     "scale=%s:0.%09" PRIu64 ",ranks=%s", where,
                     UINT64_C(1000000000) * problem->location_count / sharing, ranks);
    }
}

/* @return the numbers whose flags are set, "0-3,7", to be freed with free() */
static char *numbers_of(const bool *flags, uint32_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        fm_memory_exhausted();
    }
    const char *separator = "";
    for (uint32_t first = 0; first < count; first++) {
        if (!flags[first]) {
            continue;
        }
        uint32_t last = first;
        while (last + 1 < count && flags[last + 1]) {
            last++;
        }
        fprintf(stream, "%s%" PRIu32 "-%" PRIu32, separator, first, last);
        separator = ",";
        first = last;
    }
    if (fclose(stream) != 0) {
        fm_memory_exhausted();
    }
    return text;
}

static void predict_imbalance(struct predictor *predictor, uint32_t number)
{
    const struct fm_trace *trace = predictor->detail->trace;
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    if (trace->regions[trace->callpaths.items[problem->callpath].region].call != FM_CALL_USER) {
        return;
    }
    char *where = where_of(trace, problem, false);
    const struct subject subject = subject_of(trace, problem);
    char *ranks = numbers_of(subject.processes, trace->process_count);
    char *threads = numbers_of(subject.threads, subject.thread_count);
    if (subject.is_whole && subject.has_others) {
        predict_text(predictor, number, FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE, "level=%s,ranks=%s",
                     where, ranks);
    } else if (subject.is_whole && problem->location_count < predictor->cube->location_count) {
        predict_text(predictor, number, FM_PREDICTED_ABSENT, FM_CUBE_NONE, "scale=%s:0,ranks=%s",
                     where, ranks);
    } else if (subject.is_of_threads) {
        predict_text(predictor, number, FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE,
                     "level=%s,ranks=%s,threads=%s", where, ranks, threads);
    } else {
        predict_text(predictor, number, FM_PREDICTED_MEDIAN, FM_CUBE_NONE, "level=%s", where);
    }
    if (subject.is_whole && !subject.has_others &&
        problem->location_count < predictor->cube->location_count) {
        predict_shared(predictor, number, where, ranks, &subject);
    } else if (subject.has_others || problem->location_count > 1) {
        predict_text(predictor, number, FM_PREDICTED_BALANCED, FM_CUBE_NONE, "balance=%s", where);
    }
    free(ranks);
    free(threads);
    fm_free(subject.processes);
    fm_free(subject.threads);
    free(where);
}

/* ---- locks, progress, barriers ---- */

/* @return [call path]: whether calls wait for locks there */
static bool *find_lock_waits(const struct fm_detail *detail)
{
    const struct fm_trace *trace = detail->trace;
    bool *waits = fm_allocate(trace->callpaths.count, sizeof *waits);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
        for (size_t d = 0; d < dependencies->count; d++) {
            const struct fm_dependency *dependency = &dependencies->items[d];
            const uint32_t callpath =
                location->profile.items[location->visit.items[dependency->activity]].callpath;
            if (callpath != FM_NONE && (dependency->rule == FM_DEPENDS_ON_LOCK ||
                                        dependency->rule == FM_DEPENDS_ON_THREAD_LOCK)) {
                waits[callpath] = true;
            }
        }
    }
    return waits;
}

/* Changes the locks that are waited for where the problem shows.
 * @param kind    of the change, in front of the call path
 * @param behind  what follows the call path */
static void predict_locks(struct predictor *predictor, uint32_t number,
                          enum fm_predicted_change change, const char *kind, const char *behind)
{
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    bool *waits = find_lock_waits(predictor->detail);
    fm_changes changes = {0};
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const uint32_t callpath = problem->symptoms[i].callpath;
        struct fm_error error;
        if (waits[callpath]) {
            char *where = fm_callpath_where(predictor->detail->trace, callpath), *text = NULL;
            if (asprintf(&text, "%s=%s%s", kind, where, behind) < 0) {
                fm_memory_exhausted();
            }
            fm_changes_add(&changes, text, &error);
            free(text);
            fm_free(where);
            waits[callpath] = false;
        }
    }
    if (changes.count != 0) {
        predict(predictor, number, change, FM_CUBE_NONE, &changes);
    }
    fm_changes_free(&changes);
    fm_free(waits);
}

/* Nobody waits for a lock where the problem shows. */
static void predict_no_lock(struct predictor *predictor, uint32_t number)
{
    predict_locks(predictor, number, FM_PREDICTED_NO_LOCK, "nolock", "");
}

/* Several locks stand for each lock of a window for which calls wait where the problem shows. */
static void predict_split_lock(struct predictor *predictor, uint32_t number)
{
    char behind[16];
    snprintf(behind, sizeof behind, ":%d", FM_CUBE_SPLIT_LOCKS);
    predict_locks(predictor, number, FM_PREDICTED_SPLIT_LOCK, "split-lock", behind);
}

/* Several locks help only where none would. */
static void predict_without_lock(struct predictor *predictor, uint32_t number)
{
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    const struct fm_cube_experiment *experiment = &predictor->cube->experiment;
    predict_no_lock(predictor, number);
    if (problem->prediction_count > 0 &&
        (double)problem->predictions[0].saved >=
            LEAST_SAVED * (double)(experiment->end - experiment->begin)) {
        predict_split_lock(predictor, number);
    }
}

/* A location holds a lock. */
struct hold_span {
    uint64_t from, to;
    uint32_t owner; /* location, or the first one of a process */
};

typedef FM_VECTOR(struct hold_span) hold_spans;

static int compare_spans(const void *a, const void *b)
{
    const struct hold_span *left = a, *right = b;
    if (left->owner != right->owner) {
        return left->owner < right->owner ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

/* Lists when locks are held: by owner and time, those that overlap joined. */
static hold_spans list_holds(const struct fm_detail *detail)
{
    hold_spans spans = {0};
    for (size_t i = 0; i < detail->holds.count; i++) {
        const struct fm_lock_hold *hold = &detail->holds.items[i].hold;
        fm_vector_push(&spans, ((struct hold_span){hold->held_from, hold->released, hold->owner}));
    }
    fm_sort(spans.items, spans.count, sizeof *spans.items, compare_spans);
    size_t joined = 0;
    for (size_t i = 0; i < spans.count; i++) {
        const struct hold_span span = spans.items[i];
        struct hold_span *last = joined > 0 ? &spans.items[joined - 1] : NULL;
        if (last != NULL && last->owner == span.owner && span.from <= last->to) {
            last->to = span.to > last->to ? span.to : last->to;
        } else {
            spans.items[joined++] = span;
        }
    }
    spans.count = joined;
    return spans;
}

/* @return the part of a piece of computation during which its owner holds a lock, ticks */
static uint64_t held_part(const hold_spans *spans, uint32_t owner, const struct fm_piece *piece)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct hold_span *span = &spans->items[middle];
        if (span->owner < owner || (span->owner == owner && span->to <= piece->begin)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint64_t held = 0;
    for (; low < spans->count && spans->items[low].owner == owner &&
           spans->items[low].from < piece->end;
         low++) {
        const struct hold_span *span = &spans->items[low];
        const uint64_t from = span->from > piece->begin ? span->from : piece->begin;
        const uint64_t to = span->to < piece->end ? span->to : piece->end;
        held += to > from ? to - from : 0;
    }
    return held;
}

/* @return whether nearly all that locations compute in a problem is computed while they hold locks
 */
static bool runs_under_locks(const struct fm_detail *detail, const struct fm_cube_problem *problem)
{
    const struct fm_trace *trace = detail->trace;
    hold_spans spans = list_holds(detail);
    uint64_t all = 0, held = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        const uint32_t first = fm_trace_first_location(trace, fm_trace_process(trace, l));
        uint8_t *wanted = fm_allocate(location->profile.count + 1, sizeof *wanted);
        for (size_t v = 0; v < location->profile.count; v++) {
            const uint32_t callpath = location->profile.items[v].callpath;
            wanted[v] = callpath != FM_NONE && is_part(trace, problem, callpath) ? FM_PIECE_WANTED
                                                                                 : FM_PIECE_APART;
        }
        struct fm_pieces pieces;
        struct fm_piece piece;
        fm_pieces_begin(&pieces, trace, l, wanted);
        while (fm_pieces_next(&pieces, &piece)) {
            const uint64_t own = held_part(&spans, l, &piece);
            const uint64_t of_process = l == first ? own : held_part(&spans, first, &piece);
            all += piece.end - piece.begin;
            held += own > of_process ? own : of_process;
        }
        fm_free(wanted);
    }
    fm_vector_free(&spans);
    return all > 0 && (double)held >= LEAST_HELD * (double)all;
}

/* Less is done while the lock is held. Changes cannot tell one visit of a function from another: of
 * those that also run without the lock nothing is predicted. */
static void predict_shorter(struct predictor *predictor, uint32_t number)
{
    const struct fm_trace *trace = predictor->detail->trace;
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    if (runs_under_locks(predictor->detail, problem)) {
        char *where = where_of(trace, problem, false);
        predict_text(predictor, number, FM_PREDICTED_SHORTER, FM_CUBE_NONE, "scale=%s:0.5", where);
        free(where);
    }
}

/* @return whether some of the problem's waiting is waiting for progress: of what nobody who waits
 * for a lock gets without it, replays know nothing */
static bool shows_as_progress(const struct fm_cube_problem *problem)
{
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const fm_delay_kind_t kind = fm_delay_kind((fm_metric_t)problem->symptoms[i].metric);
        if (kind != FM_DELAY_NONE && fm_charge_of(kind) == FM_CHARGE_PROGRESS) {
            return true;
        }
    }
    return false;
}

/* The barrier or fence in which most of the problem's waiting shows. */
static void predict_call(struct predictor *predictor, uint32_t number)
{
    const struct fm_trace *trace = predictor->detail->trace;
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    for (uint32_t i = 0; i < problem->symptom_count; i++) { /* largest first */
        const uint32_t callpath = problem->symptoms[i].callpath;
        const fm_call_t call = trace->regions[trace->callpaths.items[callpath].region].call;
        if (call == FM_CALL_BARRIER || call == FM_CALL_FENCE) {
            const bool is_fence = call == FM_CALL_FENCE;
            char *where = fm_callpath_where(trace, callpath);
            predict_text(predictor, number,
                         is_fence ? FM_PREDICTED_PARTNERS : FM_PREDICTED_NO_BARRIER, callpath,
                         "%s=%s", is_fence ? "narrow" : "remove", where);
            fm_free(where);
            return;
        }
    }
}

/* ---- idle threads ---- */

/* @return whether idle time is charged to a problem that arises in functions which it calls */
static bool includes_callees(const struct fm_trace *trace, const struct fm_cube_problem *problem)
{
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        if (fm_trace_function_of(trace, problem->symptoms[i].callpath) != problem->callpath) {
            return true;
        }
    }
    return false;
}

/* @return whether a problem is a parallel region with fewer threads than its process */
static bool is_of_a_team(const struct fm_cube_problem *problem)
{
    return problem->symptom_count > 0 &&
           problem->symptoms[0].metric == FM_METRIC_OMP_LIMITED_PARALLELISM;
}

/* The idle threads take part in the work of their masters, or of the threads of a team. */
static void predict_idle(struct predictor *predictor, uint32_t number)
{
    const struct fm_trace *trace = predictor->detail->trace;
    const struct fm_cube_problem *problem = &predictor->cube->problems[number];
    const struct fm_cube_gain *gain = &problem->gain;
    if (gain->balanced == 0) {
        return; /* nothing of it is on the critical path */
    }
    char *where = where_of(trace, problem, includes_callees(trace, problem));
    const struct subject subject = subject_of(trace, problem);
    char *ranks = numbers_of(subject.processes, trace->process_count);
    char *threads = numbers_of(subject.threads, subject.thread_count);
    const uint64_t kept = (uint64_t)((unsigned __int128)UINT64_C(1000000000) *
                                     (gain->removed - gain->balanced) / gain->removed);
    const bool is_of_team = is_of_a_team(problem); /* other threads have a part of its work */
    predict_text(predictor, number, FM_PREDICTED_BALANCED, FM_CUBE_NONE,
                 "scale=%s:0.%09" PRIu64 ",ranks=%s%s%s", where, kept, ranks,
                 is_of_team ? "" : ",threads=", is_of_team ? "" : threads);
    predict_text(predictor, number, FM_PREDICTED_ABSENT, FM_CUBE_NONE, "scale=%s:0,ranks=%s%s%s",
                 where, ranks, is_of_team ? "" : ",threads=", is_of_team ? "" : threads);
    free(ranks);
    free(threads);
    fm_free(subject.processes);
    fm_free(subject.threads);
    free(where);
}

static void predict_problem(struct predictor *predictor, uint32_t number)
{
    switch (predictor->cube->problems[number].kind) {
    case FM_CAUSE_IMBALANCE:
        if (!predictor->has_load[number]) {
            predict_imbalance(predictor, number);
        }
        break;
    case FM_CAUSE_SERIALIZATION:
        predict_without_lock(predictor, number);
        predict_shorter(predictor, number);
        break;
    case FM_CAUSE_CONTENTION:
        predict_without_lock(predictor, number);
        break;
    case FM_CAUSE_PROGRESS:
        if (shows_as_progress(&predictor->cube->problems[number])) {
            predict_text(predictor, number, FM_PREDICTED_PROGRESS, FM_CUBE_NONE, "noprogress-wait");
        }
        break;
    default:
        return;
    }
    predict_call(predictor, number);
}

/* ---- the run ---- */

static void predict_ideal_network(struct predictor *predictor)
{
    struct fm_cube_experiment *experiment = &predictor->cube->experiment;
    fm_changes changes = {0};
    struct fm_prediction made;
    struct fm_error error;
    if (predictor->detail->trace->process_count > 1 &&
        fm_changes_add(&changes, "network=ideal", &error) == FM_OK &&
        fm_prediction_make(predictor->detail, predictor->decisions, &changes, predictor->workers,
                           &made, &error) == FM_OK) {
        const uint64_t duration = duration_of(predictor->detail->trace, made.replay);
        experiment->ideal_duration =
            duration < experiment->duration ? duration : experiment->duration;
        fm_prediction_free(&made);
    }
    fm_changes_free(&changes);
}

/* The replay without changes: whether it is exact, and how long each call path waits. */
static fm_status_t replay_measured(struct predictor *predictor, struct fm_error *error)
{
    const struct fm_detail *detail = predictor->detail;
    struct fm_replay *replay = fm_replay_run(detail, NULL, NULL, predictor->workers);
    const struct fm_identity identity = fm_identity_check(detail, replay);
    if (identity.moved == 0) {
        sum_waiting(detail->trace, replay, predictor->waiting);
        predictor->measured = fm_replay_waiting_of(detail->trace, replay);
        predictor->cube->experiment.duration = duration_of(detail->trace, replay);
    }
    fm_replay_free(replay);
    return identity.moved == 0
               ? FM_OK
               : fm_fail(error, FM_ERR_FAILED,
                         "a replay without changes moves %" PRIu64 " of the measured times",
                         identity.moved);
}

/* @return whether a replay takes less than the analysis, by what they do: the answer is the same on
 * each machine, for any number of workers */
static bool pays(const struct fm_detail *detail, const struct fm_decisions *decisions)
{
    const struct fm_dependencies *dependencies = detail->dependencies;
    uint64_t steps = fm_decisions_steps(decisions), events = 0;
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const struct fm_location *location = &detail->trace->locations[l];
        events += location->event_count;
        steps += 2 * location->enter.count + dependencies->marks[l].count +
                 dependencies->of_location[l].count + dependencies->of_marks[l].count;
    }
    for (unsigned t = 0; t < dependencies->table_count; t++) {
        steps += dependencies->tables[t].inputs.count;
    }
    return steps / STEPS_OF_EVENT < events;
}

fm_status_t fm_problem_predictions_add(struct fm_cube *cube, const struct fm_detail *detail,
                                       const bool *has_load, enum fm_predicting when,
                                       unsigned workers, struct fm_error *error)
{
    const size_t callpaths = detail->trace->callpaths.count;
    if (detail->open_ends != 0) {
        return FM_OK; /* how the run would have gone on is not known */
    }
    struct predictor predictor = {
        .cube = cube,
        .detail = detail,
        .decisions = fm_decisions_create(detail),
        .has_load = has_load,
        .workers = workers,
        .waiting = fm_allocate(callpaths, sizeof *predictor.waiting),
        .new_waiting = fm_allocate(callpaths, sizeof *predictor.new_waiting),
    };
    const bool is_worth_it = when == FM_PREDICTING_ALWAYS || pays(detail, predictor.decisions);
    fm_status_t status = is_worth_it ? replay_measured(&predictor, error) : FM_OK;
    if (status == FM_OK && is_worth_it) {
        predict_ideal_network(&predictor);
        uint32_t waiting = 0, idle = 0;
        for (uint32_t i = 0; i < cube->problem_count; i++) {
            const struct fm_cube_problem *problem = &cube->problems[i];
            if (problem->kind == FM_CAUSE_IDLE) {
                if (problem->gain.is_known && idle++ < PREDICTED_IDLE) {
                    predict_idle(&predictor, i);
                }
            } else if (problem->consequence_of == 0 && waiting++ < PREDICTED_PROBLEMS) {
                predict_problem(&predictor, i);
            }
        }
    }
    fm_decisions_free(predictor.decisions);
    fm_replay_waiting_free(&predictor.measured);
    fm_free(predictor.waiting);
    fm_free(predictor.new_waiting);
    return status;
}
