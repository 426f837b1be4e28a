#include "diagnosis/problems.h"

#include "base/containers/vector.h"
#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/rank_set.h"
#include "diagnosis/root_cause.h"

#include <stdio.h>
#include <stdlib.h>

/** Problems with a smaller share of CPU time are not described. */
#define SMALLEST_SHARE 0.005

static int compare_problems(const void *left, const void *right)
{
    const struct fm_problem *a = left;
    const struct fm_problem *b = right;
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

/** Appends the problems of one kind of wait state. */
static void collect(const struct fm_diagnosis *diagnosis, fm_metric_t kind,
                    struct fm_problems *problems)
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
            fm_vector_push(problems,
                           (struct fm_problem){.kind = kind, .region = i, .wait = regions[i]});
    }
    fm_free(regions);
    fm_free(callpaths);
    fm_view_release(&view);
}

/** Describes the call path with the longest waiting. */
static void describe_place(const struct fm_diagnosis *diagnosis, const struct fm_view *view,
                           struct fm_problem *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    int64_t *values = fm_allocate(cube->callpath_count, sizeof *values);
    fm_view_callpaths(view, values, NULL);
    uint32_t hottest = FM_CUBE_NONE;
    uint32_t others = 0;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].region != problem->region || values[i] == 0)
            continue;
        others++;
        if (hottest == FM_CUBE_NONE || values[i] > values[hottest])
            hottest = i;
    }
    char *path = fm_place_callpath(diagnosis, hottest);
    char percent[FM_FORMAT_SIZE];
    if (others == 1)
        fm_sentences_add(&problem->lines, "Where", "%s", path);
    else
        fm_sentences_add(&problem->lines, "Where", "%s (%s of it; the rest at %u other call %s)",
                         path, fm_format_percent(percent, values[hottest], problem->wait),
                         others - 1, others == 2 ? "path" : "paths");
    problem->callpath = hottest;
    free(path);
    fm_free(values);
}

/** @return whether the release of a lock ends the wait, instead of the arrival of a process. */
static bool is_lock_contention(fm_metric_t kind)
{
    return kind == FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION ||
           kind == FM_METRIC_MPI_RMA_COMM_LOCK_COMPETITION;
}

/** Describes the location that ended the longest waits, as found in the worst instances. */
static void describe_last(const struct fm_diagnosis *diagnosis, struct fm_problem *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_statistics *record = fm_cube_metric_statistics(cube, problem->kind);
    const struct fm_cube_instance *worst = NULL;
    uint32_t known = 0;
    uint32_t same = 0;
    for (uint32_t i = 0; record != NULL && i < record->worst_count; i++) {
        const struct fm_cube_instance *instance = &record->worst[i];
        if (cube->callpaths[instance->callpath].region != problem->region ||
            instance->cause_location == FM_CUBE_NONE)
            continue;
        if (worst == NULL)
            worst = instance;
        known++;
        same += instance->cause_location == worst->cause_location;
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
    bool is_lock = is_lock_contention(problem->kind);
    const char *what = is_lock ? "released the lock last" : "came last";
    const char *where = path == NULL ? "" : is_lock ? ", in " : " to ";
    fm_sentences_add(&problem->lines, "Last",
                     "%s %s%s%s%s. The longest wait: %s on %s, %s after the start.", cause, what,
                     where, path == NULL ? "" : path, frequency,
                     fm_format_ticks(wait, cube, (int64_t)worst->wait), waiter,
                     fm_format_ticks(begin, cube, (int64_t)worst->enter));
    free(path);
    free(waiter);
    free(cause);
}

/** Describes the causes. Costs are known for each kind of wait state, not for each waiting call:
 * the first problem of a kind describes the causes, the following ones refer to it. */
static void describe_cause(const struct fm_diagnosis *diagnosis, const struct fm_problems *problems,
                           struct fm_problem *problem)
{
    for (const struct fm_problem *earlier = problems->items; earlier < problem; earlier++) {
        if (earlier->kind != problem->kind)
            continue;
        fm_sentences_add(&problem->lines, "Why",
                         "The causes are those of %s in all calls together: see problem %zu.",
                         fm_metric_info(problem->kind)->name,
                         (size_t)(earlier - problems->items) + 1);
        problem->cause = earlier->cause;
        return;
    }
    problem->cause = fm_root_cause_explain(diagnosis, problem->kind, &problem->lines);
    bool is_new = problem->cause != FM_CUBE_NONE;
    for (const struct fm_problem *earlier = problems->items; earlier < problem; earlier++)
        is_new = is_new && earlier->cause != problem->cause;
    if (is_new)
        fm_root_cause_inside(diagnosis, problem->cause, &problem->lines);
}

static void describe(const struct fm_diagnosis *diagnosis, const struct fm_problems *problems,
                     struct fm_problem *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_metric_info *info = fm_metric_info(problem->kind);
    struct fm_view view;
    if (!look_at(diagnosis, problem->kind, &view))
        return;
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        view.callpaths[i] = cube->callpaths[i].region == problem->region;
    char percent[FM_FORMAT_SIZE];
    char value[FM_FORMAT_SIZE];
    char *ranks = fm_rank_set(diagnosis, &view, NULL);
    char *region = fm_place_name(diagnosis, cube->regions[problem->region].name);
    fm_sentences_add(&problem->headline, "",
                     "%s of CPU time (%s) is lost waiting in %s (%s) on %s.",
                     fm_format_percent(percent, problem->wait, diagnosis->metrics[FM_METRIC_TIME]),
                     fm_format_ticks(value, cube, problem->wait), region, info->name, ranks);
    fm_sentences_add(&problem->lines, "What", "%s", info->description);
    describe_place(diagnosis, &view, problem);
    describe_cause(diagnosis, problems, problem);
    describe_last(diagnosis, problem);
    fm_sentences_add(&problem->lines, "Try", "%s", info->advice);
    free(region);
    free(ranks);
    fm_view_release(&view);
}

void fm_problems_find(const struct fm_diagnosis *diagnosis, unsigned limit,
                      struct fm_problems *problems)
{
    *problems = (struct fm_problems){0};
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        if (fm_wait_state_kind((fm_metric_t)i) == (fm_metric_t)i)
            collect(diagnosis, (fm_metric_t)i, problems);
    }
    if (problems->count > 0)
        qsort(problems->items, problems->count, sizeof *problems->items, compare_problems);
    double whole = (double)diagnosis->metrics[FM_METRIC_TIME];
    while (problems->shown < problems->count && problems->shown < limit) {
        /* If only the sum of many small problems is significant, the largest of them is reported
         * for all. */
        int64_t weight =
            problems->shown == 0 ? diagnosis->waiting : problems->items[problems->shown].wait;
        if ((double)weight < SMALLEST_SHARE * whole)
            break;
        describe(diagnosis, problems, &problems->items[problems->shown]);
        problems->shown++;
    }
    for (size_t i = problems->shown; i < problems->count; i++)
        problems->rest += problems->items[i].wait;
}

void fm_problems_free(struct fm_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        fm_sentences_free(&problems->items[i].headline);
        fm_sentences_free(&problems->items[i].lines);
    }
    fm_vector_free(problems);
}
