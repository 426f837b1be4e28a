/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/wait_groups.h"

#include "base/containers/vector.h"
#include "base/memory.h"
#include "cube/model/delay_kind.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/rank_set.h"
#include "diagnosis/uncertainty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Groups with a smaller share of all time are not described. */
#define SMALLEST_SHARE 0.005

/** Causes of a smaller share of a group are not named. */
#define SMALLEST_CAUSE 0.05

#define SHOWN_CAUSES 3

static int compare_groups(const void *left, const void *right)
{
    const struct fm_wait_group *a = left;
    const struct fm_wait_group *b = right;
    if (a->wait != b->wait)
        return a->wait > b->wait ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->region > b->region) - (a->region < b->region);
}

/** Sets up the view of one kind of wait state. */
static bool look_at(const struct fm_diagnosis *diagnosis, fm_metric_t kind, struct fm_view *view)
{
    struct fm_selection selection = fm_selection_all();
    selection.metric = kind;
    return fm_view_prepare(view, diagnosis->cube, &selection, NULL) == FM_OK;
}

/** Appends the groups of one kind of wait state. */
static void collect(const struct fm_diagnosis *diagnosis, fm_metric_t kind,
                    struct fm_wait_groups *groups)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_view view;
    if (diagnosis->metrics[kind] == 0 || !look_at(diagnosis, kind, &view))
        return;
    int64_t *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    int64_t *regions = fm_allocate(cube->region_count, sizeof *regions);
    fm_view_callpaths(&view, callpaths, NULL);
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        regions[cube->callpaths[i].region] += callpaths[i];
    for (uint32_t i = 0; i < cube->region_count; i++) {
        if (regions[i] > 0)
            fm_vector_push(groups,
                           (struct fm_wait_group){.kind = kind, .region = i, .wait = regions[i]});
    }
    fm_free(regions);
    fm_free(callpaths);
    fm_view_release(&view);
}

/** Describes the call path with the longest waiting. */
static void describe_place(const struct fm_diagnosis *diagnosis, const struct fm_view *view,
                           struct fm_wait_group *group)
{
    const struct fm_cube *cube = diagnosis->cube;
    int64_t *values = fm_allocate(cube->callpath_count, sizeof *values);
    fm_view_callpaths(view, values, NULL);
    uint32_t hottest = FM_CUBE_NONE;
    uint32_t others = 0;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].region != group->region || values[i] == 0)
            continue;
        others++;
        if (hottest == FM_CUBE_NONE || values[i] > values[hottest])
            hottest = i;
    }
    char *path = fm_place_callpath(diagnosis, hottest);
    char percent[FM_FORMAT_SIZE];
    if (others == 1)
        fm_sentences_add(&group->lines, "Where", "%s", path);
    else
        fm_sentences_add(&group->lines, "Where", "%s (%s of it; the rest at %u other call %s)",
                         path, fm_format_percent(percent, values[hottest], group->wait), others - 1,
                         others == 2 ? "path" : "paths");
    group->callpath = hottest;
    free(path);
    fm_free(values);
}

/** @return whether the release of a lock ends the wait, instead of the arrival of a process. */
static bool is_lock_contention(fm_metric_t kind)
{
    const fm_delay_kind_t delay_kind = fm_delay_kind(kind);
    return delay_kind != FM_DELAY_NONE && fm_delay_metrics(delay_kind)->is_contention;
}

/** @return whether the creation of a task ended a wait. */
static bool is_ended_by_creation(const struct fm_cube *cube, const struct fm_cube_instance *wait)
{
    static const char creation[] = "!$omp create task";
    return wait->cause_callpath != FM_CUBE_NONE &&
           strncmp(cube->regions[cube->callpaths[wait->cause_callpath].region].name, creation,
                   sizeof creation - 1) == 0;
}

/** @return what a location did that ended a wait, up to the call path where it did so */
static const char *ending(const struct fm_cube *cube, const struct fm_cube_instance *wait,
                          fm_metric_t kind)
{
    const bool has_path = wait->cause_callpath != FM_CUBE_NONE;
    if (is_lock_contention(kind))
        return has_path ? "released the lock last, in " : "released the lock last";
    if (is_ended_by_creation(cube, wait))
        return "created the task that was missing, in ";
    return has_path ? "came last to " : "came last";
}

/** Describes the location that ended the longest waits, as found in the worst instances. */
static void describe_last(const struct fm_diagnosis *diagnosis, struct fm_wait_group *group)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_statistics *record = fm_cube_metric_statistics(cube, group->kind);
    const struct fm_cube_instance *worst = NULL;
    uint32_t known = 0;
    uint32_t same = 0;
    for (uint32_t i = 0; record != NULL && i < record->worst_count; i++) {
        const struct fm_cube_instance *instance = &record->worst[i];
        if (cube->callpaths[instance->callpath].region != group->region ||
            instance->cause_location == FM_CUBE_NONE)
            continue;
        if (worst == NULL)
            worst = instance;
        known++;
        same += instance->cause_location == worst->cause_location &&
                is_ended_by_creation(cube, instance) == is_ended_by_creation(cube, worst);
    }
    if (worst == NULL)
        return;
    char *cause = fm_place_location(diagnosis, worst->cause_location);
    char *waiter = fm_place_location(diagnosis, worst->location);
    char *path = worst->cause_callpath == FM_CUBE_NONE
                     ? NULL
                     : fm_place_callpath(diagnosis, worst->cause_callpath);
    char wait[FM_FORMAT_SIZE];
    char begin[FM_FORMAT_SIZE];
    char longest[FM_LONGEST_SIZE];
    char frequency[FM_LONGEST_SIZE + 16] = "";
    if (same > 1)
        snprintf(frequency, sizeof frequency, ", as in %s here",
                 fm_format_longest(longest, same, known));
    fm_sentences_add(&group->lines, "Last",
                     "%s %s%s%s. The longest wait: %s on %s, %s after the start.", cause,
                     ending(cube, worst, group->kind), path == NULL ? "" : path, frequency,
                     fm_format_ticks(wait, cube, (int64_t)worst->wait), waiter,
                     fm_format_ticks(begin, cube, (int64_t)worst->enter));
    free(path);
    free(waiter);
    free(cause);
}

/** @return the waiting of a group that stems from a problem, in units of cost. */
static int64_t share_of_problem(const struct fm_cube *cube, const struct fm_cube_problem *problem,
                                const struct fm_wait_group *group)
{
    int64_t cost = 0;
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const struct fm_cube_symptom *part = &problem->symptoms[i];
        if (fm_wait_state_kind((fm_metric_t)part->metric) == group->kind &&
            (group->region == FM_CUBE_NONE ||
             cube->callpaths[part->callpath].region == group->region)) {
            cost += part->cost;
        }
    }
    return cost;
}

/** Describes the problems that most of the waiting stems from ("Why").
 * @return the call path of the largest problem; FM_CUBE_NONE: unknown */
static uint32_t describe_causes(const struct fm_diagnosis *diagnosis,
                                const struct fm_wait_group *group, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct {
        const struct fm_cube_problem *problem;
        int64_t ticks;
    } largest[SHOWN_CAUSES] = {{0}};
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *problem = &cube->problems[i];
        int64_t ticks = fm_cause_ticks(cube, share_of_problem(cube, problem, group));
        for (unsigned k = 0; k < SHOWN_CAUSES && ticks > 0; k++) {
            if (ticks > largest[k].ticks) {
                const struct fm_cube_problem *smaller = largest[k].problem;
                int64_t less = largest[k].ticks;
                largest[k].problem = problem;
                largest[k].ticks = ticks;
                problem = smaller;
                ticks = less;
            }
        }
    }
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    for (unsigned k = 0; k < SHOWN_CAUSES && largest[k].problem != NULL; k++) {
        char percent[FM_FORMAT_SIZE];
        if (fm_fraction(largest[k].ticks, group->wait) < SMALLEST_CAUSE) {
            break;
        }
        char *name = fm_cause_name(diagnosis, largest[k].problem);
        fprintf(stream, "%s%s (%s)", k == 0 ? "" : ", ", name,
                fm_format_percent(percent, largest[k].ticks, group->wait));
        free(name);
    }
    if (fclose(stream) != 0) {
        abort();
    }
    uint32_t callpath = FM_CUBE_NONE;
    if (size > 0) {
        callpath = largest[0].problem->callpath;
        fm_sentences_add(lines, "Why", "%s", text);
    }
    free(text);
    return callpath;
}

void fm_wait_groups_explain(const struct fm_diagnosis *diagnosis, fm_metric_t kind,
                            struct fm_sentences *lines)
{
    const struct fm_wait_group all = {
        .kind = kind, .region = FM_CUBE_NONE, .wait = diagnosis->metrics[kind]};
    describe_causes(diagnosis, &all, lines);
}

static void describe(const struct fm_diagnosis *diagnosis, struct fm_wait_group *group)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_metric_info *info = fm_metric_info(group->kind);
    struct fm_view view;
    if (!look_at(diagnosis, group->kind, &view))
        return;
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        view.callpaths[i] = cube->callpaths[i].region == group->region;
    char percent[FM_UNCERTAIN_SIZE];
    char value[FM_FORMAT_SIZE];
    char *ranks = fm_rank_set(diagnosis, &view, NULL);
    char *region = fm_place_name(diagnosis, cube->regions[group->region].name);
    fm_sentences_add(&group->headline, "", "%s of all time (%s) is lost waiting in %s (%s) on %s.",
                     fm_format_uncertain(percent, diagnosis, group->wait,
                                         fm_error_of_waiting(diagnosis->cube, group->wait),
                                         diagnosis->time),
                     fm_format_ticks(value, cube, group->wait), region, info->name, ranks);
    fm_sentences_add(&group->lines, "What", "%s", info->description);
    describe_place(diagnosis, &view, group);
    group->cause = describe_causes(diagnosis, group, &group->lines);
    describe_last(diagnosis, group);
    fm_sentences_add(&group->lines, "Try", "%s", info->advice);
    free(region);
    free(ranks);
    fm_view_release(&view);
}

void fm_wait_groups_find(const struct fm_diagnosis *diagnosis, unsigned limit,
                         struct fm_wait_groups *groups)
{
    *groups = (struct fm_wait_groups){0};
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        if (fm_wait_state_kind((fm_metric_t)i) == (fm_metric_t)i)
            collect(diagnosis, (fm_metric_t)i, groups);
    }
    if (groups->count > 0)
        qsort(groups->items, groups->count, sizeof *groups->items, compare_groups);
    double whole = (double)diagnosis->time;
    while (groups->shown < groups->count && groups->shown < limit) {
        /* If only the sum of many small groups is significant, the largest of them is reported
         * for all. */
        int64_t weight =
            groups->shown == 0 ? diagnosis->waiting : groups->items[groups->shown].wait;
        if ((double)weight < SMALLEST_SHARE * whole)
            break;
        describe(diagnosis, &groups->items[groups->shown]);
        groups->shown++;
    }
    for (size_t i = groups->shown; i < groups->count; i++)
        groups->rest += groups->items[i].wait;
}

void fm_wait_groups_free(struct fm_wait_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        fm_sentences_free(&groups->items[i].headline);
        fm_sentences_free(&groups->items[i].lines);
    }
    fm_vector_free(groups);
}
