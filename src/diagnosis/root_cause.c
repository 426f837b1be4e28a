#include "diagnosis/root_cause.h"

#include "base/memory.h"
#include "cube/model/delay_kind.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/rank_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Call paths that cause a smaller share of a kind's waiting are not reported. */
#define SMALLEST_CAUSE 0.05

/** If a larger share of the waiting is indirect, its origin is reported. */
#define MOSTLY 0.5

/** Sum of a COST metric and all metrics below it at one call path (FM_CUBE_NONE: at all call
 * paths), in ticks. */
static double cost_at(const struct fm_diagnosis *diagnosis, fm_metric_t metric, uint32_t callpath)
{
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = metric;
    selection.callpath = callpath;
    selection.callpath_exclusive = callpath != FM_CUBE_NONE;
    if (fm_view_prepare(&view, diagnosis->cube, &selection, NULL) != FM_OK)
        return 0;
    double sum = (double)fm_view_total(&view);
    fm_view_release(&view);
    return ldexp(sum, -(int)diagnosis->cube->experiment.cost_shift);
}

/** @return the call path with the highest costs in the view, or FM_CUBE_NONE */
static uint32_t costliest_callpath(const struct fm_cube *cube, const struct fm_view *view)
{
    int64_t *values = fm_allocate(cube->callpath_count, sizeof *values);
    uint32_t costliest = FM_CUBE_NONE;
    fm_view_callpaths(view, values, NULL);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (values[i] > 0 && (costliest == FM_CUBE_NONE || values[i] > values[costliest]))
            costliest = i;
    }
    fm_free(values);
    return costliest;
}

/** Mean time of the call path on the causing ranks, minus the mean over all ranks, in ticks.
 * Waiting inside the call path is excluded, because delay costs exclude it too. */
static double excess_time(const struct fm_diagnosis *diagnosis, const struct fm_view *costs,
                          uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_TIME;
    selection.callpath = callpath;
    selection.callpath_exclusive = true;
    if (fm_view_prepare(&view, cube, &selection, NULL) != FM_OK)
        return 0;
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++)
        view.metrics[i] = view.metrics[i] && !fm_metric_info((fm_metric_t)i)->is_wait_state;
    int64_t *time = fm_allocate(cube->location_count, sizeof *time);
    int64_t *cost = fm_allocate(cube->location_count, sizeof *cost);
    fm_view_locations(&view, time);
    fm_view_locations(costs, cost);
    fm_view_release(&view);
    double whole = 0, weighted = 0, all = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        whole += (double)cost[i];
        weighted += (double)cost[i] * (double)time[i];
        all += (double)time[i];
    }
    fm_free(time);
    fm_free(cost);
    return whole == 0 ? 0 : weighted / whole - all / (double)cube->location_count;
}

static void describe_saving(const struct fm_diagnosis *diagnosis, uint32_t callpath,
                            struct fm_sentences *lines)
{
    double saving = cost_at(diagnosis, FM_METRIC_CRITICAL_PATH_IMBALANCE, callpath);
    double run = (double)(diagnosis->cube->experiment.end - diagnosis->cube->experiment.begin);
    if (saving < 0.005 * run)
        return;
    char time[FM_FORMAT_SIZE];
    char percent[FM_FORMAT_SIZE];
    fm_sentences_add(lines, "Gain",
                     "Perfect balance of it would make the run up to %s shorter (%s).",
                     fm_format_ticks(time, diagnosis->cube, (int64_t)saving),
                     fm_format_percent(percent, (int64_t)saving, (int64_t)run));
}

static bool is_of_user(const struct fm_cube *cube, uint32_t callpath)
{
    return strcmp(cube->regions[cube->callpaths[callpath].region].paradigm, "user") == 0;
}

/** @return whether the call tree contains only functions that lead to MPI calls: a recording
 * without samples, instrumentation and marks. */
static bool lacks_other_functions(const struct fm_cube *cube)
{
    const char *creator = cube->experiment.creator;
    if (creator == NULL || strncmp(creator, "fermata", 7) != 0)
        return false;
    bool *calls = fm_allocate(cube->callpath_count, sizeof *calls);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].parent != FM_CUBE_NONE)
            calls[cube->callpaths[i].parent] = true;
    }
    bool lacks = true;
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        lacks = lacks && (calls[i] || !is_of_user(cube, i));
    fm_free(calls);
    return lacks;
}

void fm_root_cause_inside(const struct fm_diagnosis *diagnosis, uint32_t callpath,
                          struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    /* The time of a root call path is outside of MPI and is not sampled. */
    bool outside_of_mpi = cube->callpaths[callpath].parent == FM_CUBE_NONE;
    if (outside_of_mpi || !is_of_user(cube, callpath) || !lacks_other_functions(cube))
        return;
    char *name = fm_place_name(diagnosis, cube->regions[cube->callpaths[callpath].region].name);
    fm_sentences_add(
        lines, "Inside",
        "What %s calls counts as its own time where it leads to no MPI call: record with "
        "--sample 1kHz to see these functions, too.",
        name);
    free(name);
}

/** Formats the share of a kind's waiting that a call path causes directly, and its share of all
 * waiting of the run. */
static void describe_shares(const struct fm_diagnosis *diagnosis, fm_delay_kind_t kind,
                            uint32_t callpath, char direct[FM_FORMAT_SIZE],
                            char stems[FM_FORMAT_SIZE])
{
    double whole = cost_at(diagnosis, fm_delay_metrics(kind)->direct, FM_CUBE_NONE) +
                   cost_at(diagnosis, fm_delay_metrics(kind)->indirect, FM_CUBE_NONE);
    fm_format_percent(direct,
                      (int64_t)cost_at(diagnosis, fm_delay_metrics(kind)->short_term, callpath),
                      (int64_t)whole);
    fm_format_percent(stems,
                      (int64_t)(cost_at(diagnosis, FM_METRIC_DELAY, callpath) +
                                cost_at(diagnosis, FM_METRIC_INTERVAL_DELAY, callpath)),
                      diagnosis->waiting);
}

/** Describes the call path with the highest costs of a kind, and the causing ranks.
 * @return the call path, or FM_CUBE_NONE if no call path stands out */
static uint32_t describe_delay(const struct fm_diagnosis *diagnosis, fm_delay_kind_t kind,
                               struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = fm_delay_metrics(kind)->costs;
    if (fm_view_prepare(&view, cube, &selection, NULL) != FM_OK)
        return FM_CUBE_NONE;
    uint32_t callpath = costliest_callpath(cube, &view);
    double whole = cost_at(diagnosis, selection.metric, FM_CUBE_NONE);
    if (callpath == FM_CUBE_NONE ||
        cost_at(diagnosis, selection.metric, callpath) < SMALLEST_CAUSE * whole) {
        fm_view_release(&view);
        return FM_CUBE_NONE;
    }
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        view.callpaths[i] = i == callpath;
    char *path = fm_place_callpath_with_line(diagnosis, callpath);
    fm_ranks_t extent;
    char *ranks = fm_rank_set(diagnosis, &view, &extent);
    char direct[FM_FORMAT_SIZE], stems[FM_FORMAT_SIZE], excess[FM_FORMAT_SIZE];
    describe_shares(diagnosis, kind, callpath, direct, stems);
    double longer = excess_time(diagnosis, &view, callpath);
    bool several = extent != FM_RANKS_ONE;
    static const char shares[] = "This causes %s of this kind of waiting directly, and %s of all "
                                 "waiting of the run.";
    char share[sizeof shares + 2 * FM_FORMAT_SIZE];
    snprintf(share, sizeof share, shares, direct, stems);
    if (fm_delay_metrics(kind)->is_contention)
        fm_sentences_add(lines, "Why", "Because %s on %s %s long in %s before %s the lock on. %s",
                         several ? "the owners" : "the owner", ranks, several ? "spend" : "spends",
                         path, several ? "they pass" : "it passes", share);
    else if (longer > 0 && extent != FM_RANKS_ALL)
        fm_sentences_add(lines, "Why", "Because %s takes %s longer on %s than on average. %s", path,
                         fm_format_ticks(excess, cube, (int64_t)longer), ranks, share);
    else if (several)
        fm_sentences_add(lines, "Why",
                         "Because %s takes now longer on one rank, now on another (%s). %s", path,
                         ranks, share);
    else
        fm_sentences_add(
            lines, "Why",
            "Because %s takes longer on %s just before others wait for it, if not in the "
            "whole run. %s",
            path, ranks, share);
    free(ranks);
    free(path);
    fm_view_release(&view);
    return callpath;
}

/** @return the last link of an instance's chain if it is a delay propagated by another wait. */
static const struct fm_cube_cause *passed_on_delay(const struct fm_cube_instance *instance)
{
    if (instance->chain_length < 2)
        return NULL;
    const struct fm_cube_cause *last = &instance->chain[instance->chain_length - 1];
    return last->metric == FM_METRIC_NONE ? last : NULL;
}

/** If a kind of wait state is mostly indirect, reports the call path where the longest chains
 * begin.
 * @return that call path, or FM_CUBE_NONE if most of it is direct or no chain is known */
static uint32_t describe_origin(const struct fm_diagnosis *diagnosis, fm_metric_t wait,
                                fm_delay_kind_t kind, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    double direct = cost_at(diagnosis, fm_delay_metrics(kind)->direct, FM_CUBE_NONE);
    double indirect = cost_at(diagnosis, fm_delay_metrics(kind)->indirect, FM_CUBE_NONE);
    const struct fm_cube_statistics *record = fm_cube_metric_statistics(cube, wait);
    const struct fm_cube_instance *worst = NULL;
    uint32_t same = 0;
    for (uint32_t i = 0; record != NULL && i < record->worst_count; i++) {
        const struct fm_cube_cause *delay = passed_on_delay(&record->worst[i]);
        if (delay != NULL && worst == NULL)
            worst = &record->worst[i];
        same += delay != NULL && delay->callpath == passed_on_delay(worst)->callpath;
    }
    if (worst == NULL || indirect <= MOSTLY * (direct + indirect))
        return FM_CUBE_NONE;
    const struct fm_cube_cause *delay = passed_on_delay(worst);
    const struct fm_cube_cause *between = &worst->chain[0];
    char passed[FM_FORMAT_SIZE], time[FM_FORMAT_SIZE], own[FM_FORMAT_SIZE], stems[FM_FORMAT_SIZE];
    char *path = fm_place_callpath_with_line(diagnosis, delay->callpath);
    char *who = fm_place_location(diagnosis, delay->location);
    char *passer = fm_place_location(diagnosis, between->location);
    char *place = fm_place_callpath(diagnosis, between->callpath);
    describe_shares(diagnosis, kind, delay->callpath, own, stems);
    char longest[FM_LONGEST_SIZE];
    fm_sentences_add(
        lines, "Why",
        "%s of this kind of waiting is passed on by ranks that have waited themselves. In "
        "%s it began with %s: in the longest of these, %s took %s longer there, so that "
        "%s waited in "
        "%s (%s). Delays there cause %s of all waiting of the run.",
        fm_format_percent(passed, (int64_t)indirect, (int64_t)(direct + indirect)),
        fm_format_longest(longest, same, record->worst_count), path, who,
        fm_format_ticks(time, cube, (int64_t)delay->ticks), passer, place,
        fm_metric_info((fm_metric_t)between->metric)->name, stems);
    free(place);
    free(passer);
    free(who);
    free(path);
    return delay->callpath;
}

uint32_t fm_root_cause_explain(const struct fm_diagnosis *diagnosis, fm_metric_t wait,
                               struct fm_sentences *lines)
{
    fm_delay_kind_t kind = fm_delay_kind(wait);
    /* A rank in the queue of a lock waits for the ranks before it: only the first owner explains
     * the queue. */
    uint32_t callpath = fm_delay_metrics(kind)->is_contention
                            ? FM_CUBE_NONE
                            : describe_origin(diagnosis, wait, kind, lines);
    if (callpath == FM_CUBE_NONE)
        callpath = describe_delay(diagnosis, kind, lines);
    if (callpath != FM_CUBE_NONE)
        describe_saving(diagnosis, callpath, lines);
    return callpath;
}
