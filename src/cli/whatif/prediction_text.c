/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/whatif/prediction_text.h"

#include "analysis/dependencies/dependencies.h"
#include "cli/text/safe_text.h"
#include "diagnosis/number_format.h"
#include "whatif/fixed_behavior.h"

#include <inttypes.h>
#include <stdio.h>

/* @return a duration of the trace's clock */
static char *duration(char buffer[FM_FORMAT_SIZE], const struct fm_trace *trace, int64_t ticks)
{
    return fm_format_duration(buffer, ticks, trace->ticks_per_second);
}

static uint64_t measured_begin(const struct fm_trace *trace, uint64_t *end)
{
    uint64_t begin = UINT64_MAX;
    *end = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        if (location->begin <= location->end) {
            begin = location->begin < begin ? location->begin : begin;
            *end = location->end > *end ? location->end : *end;
        }
    }
    return begin == UINT64_MAX ? 0 : begin;
}

void fm_print_identity(const char *archive, const struct fm_detail *detail,
                       const struct fm_identity *identity)
{
    const struct fm_trace *trace = detail->trace;
    char calls[FM_FORMAT_SIZE], time[FM_FORMAT_SIZE], moved[FM_FORMAT_SIZE];
    char name[256];
    fm_format_count(calls, (int64_t)identity->calls);
    if (identity->moved == 0) {
        printf("The replay without changes gives all %s calls exactly the times that were "
               "measured.\n",
               calls);
        return;
    }
    const struct fm_location *location = &trace->locations[identity->location];
    const bool is_call = identity->activity < location->enter.count;
    fm_safe_copy(name, sizeof name,
                 is_call ? fm_trace_called(trace, location, identity->activity)->name
                         : "the trace");
    uint64_t end = 0;
    const uint64_t begin = measured_begin(trace, &end);
    printf("%s: the replay without changes is not exact: %s of the times of %s calls differ; the "
           "first is the %s of %s on location %" PRIu32 " at %s, which the replay moves by %" PRId64
           " ticks.\n",
           archive, fm_format_count(moved, (int64_t)identity->moved), calls,
           !is_call             ? "end"
           : identity->is_leave ? "Leave"
                                : "Enter",
           name, identity->location, duration(time, trace, (int64_t)(identity->measured - begin)),
           (int64_t)(identity->replayed - identity->measured));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_effect(const struct fm_trace *trace, const struct fm_run_change *change,
                         const struct fm_change_effect *effect)
{
    char before[FM_FORMAT_SIZE], after[FM_FORMAT_SIZE], calls[FM_FORMAT_SIZE];
    char text[256];
    fm_safe_copy(text, sizeof text, change->text);
    fm_format_count(calls, (int64_t)effect->calls);
    printf("%s: on %" PRIu32 " of %" PRIu32 " location%s, ", text, effect->locations,
           trace->location_count, plural(trace->location_count));
    static const char *const of_calls[] = {
        [FM_CHANGE_REMOVE] = "of barriers removed",
        [FM_CHANGE_NARROW] = "of fences wait only for processes that they exchange data with",
        [FM_CHANGE_NO_LOCK] = "free of the lock that another owner had before",
        [FM_CHANGE_NO_PROGRESS] = "free of the progress of their partners",
        [FM_CHANGE_NETWORK] = "without remaining time",
        [FM_CHANGE_INIT] = "of Init without waiting and remaining time",
        [FM_CHANGE_NO_WAIT] = "that a later call waits for",
        [FM_CHANGE_LATENCY] = "with another latency",
        [FM_CHANGE_BANDWIDTH] = "with another bandwidth",
        [FM_CHANGE_SPLIT_LOCK] = "that wait for one of several locks",
    };
    if (change->kind >= FM_CHANGE_REMOVE) {
        printf("%s call%s %s.\n", calls, plural(effect->calls), of_calls[change->kind]);
        if (change->kind == FM_CHANGE_LATENCY || change->kind == FM_CHANGE_BANDWIDTH) {
            printf("A constant and a time for each byte, for each function, differ from the "
                   "remaining time of the calls by %.0f%% of it.\n",
                   100 * effect->error);
        }
        return;
    }
    if (effect->before != 0 || effect->calls == 0) {
        printf("%s of computation become%s %s", duration(before, trace, (int64_t)effect->before),
               effect->before == 0 ? "s" : "", duration(after, trace, (int64_t)effect->after));
    }
    if (effect->calls != 0) {
        printf("%sthe remaining time of %s call%s is scaled", effect->before != 0 ? "; " : "",
               calls, plural(effect->calls));
    }
    puts(effect->is_of_totals
             ? ". The locations share no calls by which iterations could be paired: totals of the "
               "run are compared."
             : ".");
}

/* @return the longest computation of a location */
static uint64_t longest_computation(const struct fm_trace *trace)
{
    uint64_t longest = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        uint64_t computation = 0;
        for (size_t v = 0; v < location->profile.count; v++) {
            const struct fm_visit_profile *node = &location->profile.items[v];
            computation += trace->regions[node->region].is_computation ? node->time : 0;
        }
        longest = computation > longest ? computation : longest;
    }
    return longest;
}

/* The two factors of communication efficiency that the ideal network separates. */
static void print_efficiencies(const struct fm_trace *trace, int64_t ideal, int64_t measured)
{
    char transfer[FM_FORMAT_SIZE], serialization[FM_FORMAT_SIZE];
    printf("Transfer efficiency %s (run time on the ideal network / run time), serialization "
           "efficiency %s (longest computation / run time on the ideal network).\n",
           fm_format_percent(transfer, ideal, measured),
           fm_format_percent(serialization, (int64_t)longest_computation(trace), ideal));
}

void fm_print_prediction(const struct fm_detail *detail, const fm_changes *changes,
                         const struct fm_prediction *prediction)
{
    const struct fm_trace *trace = detail->trace;
    char before[FM_FORMAT_SIZE], after[FM_FORMAT_SIZE], gain[FM_FORMAT_SIZE];
    char share[FM_FORMAT_SIZE];
    for (size_t c = 0; c < changes->count; c++) {
        print_effect(trace, &changes->items[c], &prediction->effects[c]);
    }
    uint64_t end = 0;
    const uint64_t begin = measured_begin(trace, &end);
    const int64_t measured = (int64_t)(end - begin);
    const int64_t predicted = (int64_t)(prediction->replay->end - prediction->replay->begin);
    const bool is_ideal = changes->count == 1 && changes->items[0].kind == FM_CHANGE_NETWORK &&
                          changes->items[0].ranks.count == 0 &&
                          changes->items[0].iterations.count == 0;
    if (predicted == measured) {
        printf("Predicted run time: %s, as measured: nothing that the run's end depends on "
               "changes.\n",
               duration(before, trace, measured));
    }
    const int64_t difference = predicted - measured;
    if (difference != 0) {
        printf("Predicted run time: %s instead of %s: %s %s (%s).\n",
               duration(after, trace, predicted), duration(before, trace, measured),
               duration(gain, trace, difference < 0 ? -difference : difference),
               difference < 0 ? "less" : "more",
               fm_format_percent(share, difference < 0 ? -difference : difference, measured));
    }
    if (is_ideal) {
        print_efficiencies(trace, predicted, measured);
    }
}

/* Savings below this share of the run time are not printed. */
#define LEAST_SAVING 0.005

#define MOST_SINGLES 10
#define MOST_PAIRS   3

/* What a change does, in a few words. */
static const char *meaning(fm_change_kind_t kind)
{
    static const char *const meanings[] = {
        [FM_CHANGE_SCALE] =
            "if it took no time: a bound; the others, which do not execute it, can share it",
        [FM_CHANGE_LEVEL] = "nowhere longer than the median",
        [FM_CHANGE_BALANCE] = "spread evenly",
        [FM_CHANGE_REMOVE] = "without this barrier, if it protects nothing",
        [FM_CHANGE_NARROW] = "post, start, complete, wait with the partners instead of fences",
        [FM_CHANGE_NO_LOCK] = "without waiting for locks",
        [FM_CHANGE_NO_PROGRESS] = "targets make progress at any time",
    };
    return meanings[kind] != NULL ? meanings[kind] : "";
}

static bool saves(const struct fm_advice *advice, const struct fm_tried_change *tried,
                  uint64_t than)
{
    return tried->run_time < than &&
           (double)(than - tried->run_time) >= LEAST_SAVING * (double)advice->measured;
}

/* @return whether the program has iterations; else those of a call path are its visits */
static bool has_phases(const struct fm_trace *trace)
{
    uint32_t l = 0;
    while (l < trace->location_count && trace->locations[l].phases.count == 0) {
        l++;
    }
    return l < trace->location_count;
}

static void print_tried(const struct fm_trace *trace, const struct fm_advice *advice,
                        const struct fm_tried_change *tried)
{
    char time[FM_FORMAT_SIZE], share[FM_FORMAT_SIZE], text[256];
    printf("  %9s  -%-6s", duration(time, trace, (int64_t)tried->run_time),
           fm_format_percent(share, (int64_t)(advice->measured - tried->run_time),
                             (int64_t)advice->measured));
    for (size_t c = 0; c < tried->changes.count; c++) {
        printf(" %s", fm_safe_copy(text, sizeof text, tried->changes.items[c].text));
    }
    puts(tried->changes.count == 1 ? "" : "  (both)");
    if (tried->changes.count == 1) {
        const fm_change_kind_t kind = tried->changes.items[0].kind;
        const bool iterates = kind == FM_CHANGE_LEVEL || kind == FM_CHANGE_BALANCE;
        printf("                     %s%s\n", meaning(kind),
               !iterates           ? ""
               : has_phases(trace) ? ", in each iteration"
                                   : ", in each visit");
    }
}

/* The ideal network is no change that anybody could make. */
static bool is_bound(const struct fm_tried_change *tried)
{
    return tried->changes.items[0].kind == FM_CHANGE_NETWORK;
}

static void print_singles(const struct fm_trace *trace, const struct fm_advice *advice)
{
    size_t tried = 0, printed = 0;
    for (size_t i = 0; i < advice->singles.count; i++) {
        const struct fm_tried_change *single = &advice->singles.items[i];
        if (is_bound(single)) {
            continue;
        }
        tried++;
        if (printed < MOST_SINGLES && saves(advice, single, advice->measured)) {
            print_tried(trace, advice, single);
            printed++;
        }
    }
    if (printed == 0) {
        printf("  none of the %zu changes that were tried saves 0.5%% of it\n", tried);
    } else if (printed < tried) {
        printf("  %zu more saved less than 0.5%%, or less than these\n", tried - printed);
    }
}

static void print_pairs(const struct fm_trace *trace, const struct fm_advice *advice)
{
    size_t best = 0, printed = 0;
    while (best < advice->singles.count && is_bound(&advice->singles.items[best])) {
        best++;
    }
    for (size_t i = 0; i < advice->pairs.count && printed < MOST_PAIRS; i++) {
        const struct fm_tried_change *pair = &advice->pairs.items[i];
        if (saves(advice, pair, advice->singles.items[best].run_time)) {
            if (printed++ == 0) {
                puts("Predicted with two changes:");
            }
            print_tried(trace, advice, pair);
        }
    }
}

static void print_bound(const struct fm_trace *trace, const struct fm_advice *advice)
{
    for (size_t i = 0; i < advice->singles.count; i++) {
        const struct fm_tried_change *single = &advice->singles.items[i];
        if (is_bound(single) && single->run_time < advice->measured) {
            char time[FM_FORMAT_SIZE], share[FM_FORMAT_SIZE];
            printf("If communication took no time beside waiting (an ideal network): %s, -%s.\n",
                   duration(time, trace, (int64_t)single->run_time),
                   fm_format_percent(share, (int64_t)(advice->measured - single->run_time),
                                     (int64_t)advice->measured));
        }
    }
}

void fm_print_advice(const struct fm_detail *detail, const struct fm_advice *advice)
{
    const struct fm_trace *trace = detail->trace;
    char time[FM_FORMAT_SIZE];
    printf("Measured run time: %s. Predicted with one change:\n",
           duration(time, trace, (int64_t)advice->measured));
    print_singles(trace, advice);
    print_pairs(trace, advice);
    print_bound(trace, advice);
    puts("Where the waiting goes then: fermata whatif DIR CHANGE... -o OUT; fermata report OUT");
}

/* Prints what a prediction leaves as it was measured. */
static void print_fixed(uint64_t count, const char *what)
{
    char text[FM_FORMAT_SIZE];
    if (count != 0) {
        printf("  %s: %s\n", what, fm_format_count(text, (int64_t)count));
    }
}

/* Prints what a prediction decides otherwise than the measured run. */
static void print_decisions(const struct fm_prediction *prediction)
{
    const struct fm_decision_counts *counts = &prediction->decisions;
    char count[FM_FORMAT_SIZE];
    const bool is_one = counts->overtaking == 1;
    if (counts->overtaking != 0) {
        printf("%s acquisition%s overtake%s others that had the lock first when measured, and "
               "request it later here.\n",
               fm_format_count(count, (int64_t)counts->overtaking),
               is_one ? " of a lock" : "s of locks", is_one ? "s" : "");
    }
    if (counts->served != 0) {
        printf(
            "%s call%s served by another call of %s target%s than when measured, or need%s none.\n",
            fm_format_count(count, (int64_t)counts->served), counts->served == 1 ? " is" : "s are",
            counts->served == 1 ? "its" : "their", counts->served == 1 ? "" : "s",
            counts->served == 1 ? "s" : "");
    }
    if (counts->kept != 0) {
        printf("%s acquisition%s behind another owner keep%s the measured order of %s lock: a "
               "change concerns the lock, some process locks all targets of its window at once, or "
               "its measured order is not that of the measured times.\n",
               fm_format_count(count, (int64_t)counts->kept), plural(counts->kept),
               counts->kept == 1 ? "s" : "", counts->kept == 1 ? "its" : "their");
    }
}

void fm_print_limits(const struct fm_detail *detail, const struct fm_prediction *prediction)
{
    char count[FM_FORMAT_SIZE];
    const struct fm_fixed_behavior fixed = fm_fixed_behavior_find(detail);
    print_decisions(prediction);
    if (fixed.tasks != 0 || fixed.unaided != 0) {
        puts("In every prediction as measured:");
    }
    print_fixed(fixed.tasks, "which thread executes a task that is waited for");
    print_fixed(
        fixed.unaided,
        "calls that could wait for a condition, semaphore, event, variable or neighbour, and "
        "that nothing is known to have awakened");
    for (unsigned m = 0; m < FM_METRIC_COUNT; m++) {
        char time[FM_FORMAT_SIZE];
        if (fixed.unfollowed[m] != 0) {
            printf("%s is not followed: %s call%s, which waited %s, take%s as long as measured.\n",
                   fm_metric_info((fm_metric_t)m)->name,
                   fm_format_count(count, (int64_t)fixed.unfollowed[m]),
                   plural(fixed.unfollowed[m]),
                   duration(time, detail->trace, (int64_t)fixed.unfollowed_ticks[m]),
                   fixed.unfollowed[m] == 1 ? "s" : "");
        }
    }
    const uint64_t unbound = detail->dependencies->unbound;
    if (unbound != 0) {
        printf("%s dependenc%s not followed: the event lies behind the end of the call that "
               "depends on it (the clocks disagree, or the call did not need it).\n",
               fm_format_count(count, (int64_t)unbound), unbound == 1 ? "y is" : "ies are");
    }
    const uint64_t circles = prediction->replay->circles;
    if (circles != 0) {
        printf("%s dependenc%s not followed: calls would wait for one another in a circle.\n",
               fm_format_count(count, (int64_t)circles), circles == 1 ? "y is" : "ies are");
    }
}
