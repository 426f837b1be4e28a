#include "base/memory.h"
#include "base/vector.h"
#include "report/format.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 13
#define RANGE_LIMIT   8

/** Below this part of CPU time a wait state is no problem to speak of. */
#define SMALLEST_SHARE 0.005

/** This part of the waiting time tells which ranks it is that wait. */
#define WAITING_RANKS_SHARE 0.9

/** All wait states of one kind in calls of one region. */
struct problem {
    fm_metric_t kind;
    uint32_t region;
    int64_t wait;
};

struct problems {
    struct problem *items;
    size_t count, capacity;
};

static int compare_problems(const void *left, const void *right)
{
    const struct problem *a = left;
    const struct problem *b = right;
    if (a->wait != b->wait)
        return a->wait > b->wait ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->region > b->region) - (a->region < b->region);
}

/** Prepares the view of one kind of wait state. */
static bool look_at(const struct fm_report *report, fm_metric_t kind, struct fm_view *view)
{
    struct fm_selection selection = fm_selection_all();
    selection.metric = kind;
    return fm_view_prepare(view, report->cube, &selection, NULL) == FM_OK;
}

/** Appends the problems of one kind. */
static void collect(const struct fm_report *report, fm_metric_t kind, struct problems *problems)
{
    const struct fm_cube *cube = report->cube;
    struct fm_view view;
    if (report->metrics[kind] == 0 || !look_at(report, kind, &view))
        return;
    int64_t *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    int64_t *regions = fm_allocate(cube->region_count, sizeof *regions);
    fm_view_callpaths(&view, callpaths, NULL);
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        regions[cube->callpaths[i].region] += callpaths[i];
    for (uint32_t i = 0; i < cube->region_count; i++) {
        if (regions[i] > 0)
            fm_vector_push(problems, (struct problem){kind, i, regions[i]});
    }
    fm_free(regions);
    fm_free(callpaths);
    fm_view_release(&view);
}

char *fm_report_ranks(const struct fm_report *report, const struct fm_view *view)
{
    const struct fm_cube *cube = report->cube;
    uint32_t rank_count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].rank >= rank_count && cube->locations[i].rank < FM_CUBE_NONE)
            rank_count = cube->locations[i].rank + 1;
    }
    /* The numbers come from the trace: if ranks are not dense, locations stand for them. */
    bool dense = rank_count <= cube->location_count;
    uint32_t count = dense ? rank_count : cube->location_count;
    struct problem *sorted = fm_allocate(count, sizeof *sorted); /* region: the rank */
    int64_t *values = fm_allocate(cube->location_count, sizeof *values);
    bool *member = fm_allocate(count, sizeof *member);
    fm_view_locations(view, values);
    int64_t whole = 0;
    for (uint32_t i = 0; i < count; i++)
        sorted[i].region = i;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        sorted[dense ? cube->locations[i].rank : i].wait += values[i];
        whole += values[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_problems);
    int64_t covered = 0;
    uint32_t waiting = 0;
    while (waiting < count && (double)covered < WAITING_RANKS_SHARE * (double)whole) {
        covered += sorted[waiting].wait;
        member[sorted[waiting++].region] = true;
    }
    char *ranges = fm_format_ranges(member, count, RANGE_LIMIT);
    char *text = NULL;
    const char *noun = dense ? waiting == 1 ? "rank" : "ranks" : "locations";
    int length = waiting == count && count > 1 ? asprintf(&text, "all %u %s", count, noun)
                                               : asprintf(&text, "%s %s", noun, ranges);
    if (length < 0)
        abort(); /* memory for one line is missing: nothing can be said any more */
    free(ranges);
    fm_free(member);
    fm_free(values);
    fm_free(sorted);
    return text;
}

/** Tells at which call path most of it happens. */
static void print_place(const struct fm_report *report, const struct fm_view *view, uint32_t region,
                        int64_t wait)
{
    const struct fm_cube *cube = report->cube;
    int64_t *values = fm_allocate(cube->callpath_count, sizeof *values);
    fm_view_callpaths(view, values, NULL);
    uint32_t hottest = FM_CUBE_NONE;
    uint32_t others = 0;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].region != region || values[i] == 0)
            continue;
        others++;
        if (hottest == FM_CUBE_NONE || values[i] > values[hottest])
            hottest = i;
    }
    char *path = fm_report_callpath(report, hottest);
    char percent[FM_FORMAT_SIZE];
    if (others == 1)
        fm_terminal_paragraph(report->terminal, "     Where", LABEL_COLUMNS, path);
    else
        fm_terminal_print(report->terminal, "     Where", LABEL_COLUMNS,
                          "%s (%s of it; the rest at %u other call %s)", path,
                          fm_format_percent(percent, values[hottest], wait), others - 1,
                          others == 2 ? "path" : "paths");
    free(path);
    fm_free(values);
}

/** Tells who ended the longest waits, from the worst instances. */
static void print_cause(const struct fm_report *report, fm_metric_t kind, uint32_t region)
{
    const struct fm_cube *cube = report->cube;
    const struct fm_cube_statistics *record = fm_cube_metric_statistics(cube, kind);
    const struct fm_cube_instance *worst = NULL;
    uint32_t known = 0;
    uint32_t same = 0;
    for (uint32_t i = 0; record != NULL && i < record->worst_count; i++) {
        const struct fm_cube_instance *instance = &record->worst[i];
        if (cube->callpaths[instance->callpath].region != region ||
            instance->cause_location == FM_CUBE_NONE)
            continue;
        if (worst == NULL)
            worst = instance;
        known++;
        same += instance->cause_location == worst->cause_location;
    }
    if (worst == NULL)
        return;
    char *cause = fm_report_location(report, worst->cause_location);
    char *waiter = fm_report_location(report, worst->location);
    char *path = worst->cause_callpath == FM_CUBE_NONE
                     ? NULL
                     : fm_report_callpath(report, worst->cause_callpath);
    char wait[FM_FORMAT_SIZE];
    char begin[FM_FORMAT_SIZE];
    char frequency[64] = "";
    if (known > 1 && same == known)
        snprintf(frequency, sizeof frequency, ", as in all of the %u longest waits here", known);
    else if (known > 1)
        snprintf(frequency, sizeof frequency, ", as in %u of the %u longest waits here", same,
                 known);
    fm_terminal_print(report->terminal, "     Last", LABEL_COLUMNS,
                      "%s came last%s%s%s. The longest wait: %s on %s, %s after the start.", cause,
                      path == NULL ? "" : " to ", path == NULL ? "" : path, frequency,
                      fm_format_ticks(wait, cube, (int64_t)worst->wait), waiter,
                      fm_format_ticks(begin, cube, (int64_t)worst->enter));
    free(path);
    free(waiter);
    free(cause);
}

static void print_problem(const struct fm_report *report, unsigned number,
                          const struct problem *problem)
{
    const struct fm_cube *cube = report->cube;
    const struct fm_terminal *terminal = report->terminal;
    const struct fm_metric_info *info = fm_metric_info(problem->kind);
    struct fm_view view;
    if (!look_at(report, problem->kind, &view))
        return;
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        view.callpaths[i] = cube->callpaths[i].region == problem->region;

    char label[16];
    char percent[FM_FORMAT_SIZE];
    char value[FM_FORMAT_SIZE];
    char command[128];
    char *ranks = fm_report_ranks(report, &view);
    char *region = fm_terminal_name(terminal, cube->regions[problem->region].name);
    snprintf(label, sizeof label, "%3u.", number);
    putc('\n', terminal->stream);
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_print(terminal, label, 5, "%s of CPU time (%s) is lost waiting in %s (%s) on %s.",
                      fm_format_percent(percent, problem->wait, report->metrics[FM_METRIC_TIME]),
                      fm_format_ticks(value, cube, problem->wait), region, info->name, ranks);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    fm_terminal_paragraph(terminal, "     What", LABEL_COLUMNS, info->description);
    print_place(report, &view, problem->region, problem->wait);
    fm_report_root_cause(report, problem->kind);
    print_cause(report, problem->kind, problem->region);
    fm_terminal_paragraph(terminal, "     Try", LABEL_COLUMNS, info->advice);
    snprintf(command, sizeof command, "--metric %s", info->id);
    fm_report_more(report, "     More", LABEL_COLUMNS, command);
    snprintf(command, sizeof command, "--why %s", info->id);
    fm_report_more(report, "     Chain", LABEL_COLUMNS, command);
    if (cube->lock_count > 0 && (problem->kind == FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION ||
                                 problem->kind == FM_METRIC_MPI_RMA_COMM_LOCK_COMPETITION))
        fm_report_more(report, "     Queue", LABEL_COLUMNS, "--locks");
    free(region);
    free(ranks);
    fm_view_release(&view);
}

void fm_report_problems(const struct fm_report *report)
{
    struct problems problems = {0};
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        if (fm_report_kind((fm_metric_t)i) == (fm_metric_t)i)
            collect(report, (fm_metric_t)i, &problems);
    }
    if (problems.count > 0)
        qsort(problems.items, problems.count, sizeof *problems.items, compare_problems);
    double whole = (double)report->metrics[FM_METRIC_TIME];
    size_t shown = 0;
    while (shown < problems.count && shown < report->options->problems) {
        /* Many small problems can make a big one: then the largest of them stands for them. */
        int64_t weight = shown == 0 ? report->waiting : problems.items[shown].wait;
        if ((double)weight < SMALLEST_SHARE * whole)
            break;
        shown++;
    }
    if (shown > 0)
        fm_terminal_heading(report->terminal, "Top problems");
    for (size_t i = 0; i < shown; i++)
        print_problem(report, (unsigned)i + 1, &problems.items[i]);
    int64_t rest = 0;
    for (size_t i = shown; i < problems.count; i++)
        rest += problems.items[i].wait;
    if (rest > 0) {
        char percent[FM_FORMAT_SIZE];
        char label[FM_FORMAT_SIZE];
        fm_format_percent(percent, rest, report->metrics[FM_METRIC_TIME]);
        fm_format_count(label, (int64_t)(problems.count - shown));
        putc('\n', report->terminal->stream);
        fm_terminal_print(report->terminal, "", 2, "%s%s smaller %s: together %s of CPU time%s.",
                          "  ", label, problems.count - shown == 1 ? "problem" : "problems",
                          percent,
                          shown == report->options->problems ? " (--top N shows more)" : "");
    }
    fm_vector_free(&problems);
}
