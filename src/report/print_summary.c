/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"
#include "diagnosis/efficiency/idle_threads.h"
#include "diagnosis/efficiency/transfer.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/observations.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/machine_load.h"
#include "diagnosis/startup.h"
#include "diagnosis/time_shares.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 16
#define BAR_LIMIT     44

/** Smallest share of all time without a processor that is stated. */
#define SMALLEST_STOLEN 0.01
#define SMALLEST_WAITED 0.01
/* Of the run without a processor, from which on that is stated first. */
#define CROWDED_PERCENT 25

#define SHOWN_WARNINGS 3

/** Widths of the columns of percentages and times, including the blanks before them. */
#define PERCENT_COLUMNS     7
#define TIME_COLUMNS        12
#define NARROW_TIME_COLUMNS 9

void fm_report_shares(const struct fm_report *report)
{
    const struct fm_terminal *terminal = report->terminal;
    struct fm_time_share shares[FM_TIME_SHARE_COUNT];
    fm_time_shares(&report->diagnosis, shares);
    int64_t whole = report->diagnosis.time;
    unsigned names = LABEL_COLUMNS;
    if (fm_time_is_unknown(&report->diagnosis))
        return;
    for (size_t i = 0; i < FM_TIME_SHARE_COUNT; i++) {
        size_t length = shares[i].ticks == 0 ? 0 : strlen(shares[i].name);
        names = length > names ? (unsigned)length : names;
    }
    bool narrow = terminal->width < 2 + names + PERCENT_COLUMNS + TIME_COLUMNS;
    unsigned times = narrow ? NARROW_TIME_COLUMNS : TIME_COLUMNS;
    unsigned numbers = 2 + names + PERCENT_COLUMNS + times + 1;
    unsigned columns = terminal->width > numbers + 8 ? terminal->width - numbers : 0;
    if (columns > BAR_LIMIT)
        columns = BAR_LIMIT;
    fm_terminal_heading(terminal, "Shares of all time");
    for (size_t i = 0; i < FM_TIME_SHARE_COUNT; i++) {
        if (shares[i].ticks == 0)
            continue;
        char percent[FM_FORMAT_SIZE];
        char value[FM_FORMAT_SIZE];
        bool alarm = strcmp(shares[i].name, "Waiting") == 0;
        fm_terminal_style(terminal, alarm ? FM_STYLE_ALARM : FM_STYLE_PLAIN);
        fprintf(terminal->stream, "  %-*s%*s%*s", (int)names, shares[i].name, PERCENT_COLUMNS,
                fm_format_percent(percent, shares[i].ticks, whole), (int)times,
                fm_format_ticks(value, report->diagnosis.cube, shares[i].ticks));
        if (columns > 0) {
            putc(' ', terminal->stream);
            fm_terminal_bar(terminal, fm_fraction(shares[i].ticks, whole), columns);
        }
        fm_terminal_style(terminal, FM_STYLE_PLAIN);
        putc('\n', terminal->stream);
    }
}

/** Prints the two kinds of wait states with most of the waiting. */
static void print_waiting(const struct fm_report *report)
{
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    fm_metric_t first = FM_METRIC_NONE;
    fm_metric_t second = FM_METRIC_NONE;
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        fm_metric_t kind = (fm_metric_t)i;
        if (fm_wait_state_kind(kind) != kind || diagnosis->metrics[kind] == 0 ||
            fm_is_startup(kind)) {
            continue;
        }
        if (first == FM_METRIC_NONE || diagnosis->metrics[kind] > diagnosis->metrics[first]) {
            second = first;
            first = kind;
        } else if (second == FM_METRIC_NONE ||
                   diagnosis->metrics[kind] > diagnosis->metrics[second]) {
            second = kind;
        }
    }
    char percent[FM_UNCERTAIN_SIZE];
    char parts[2][FM_UNCERTAIN_SIZE];
    if (diagnosis->cube->is_profile) {
        fm_terminal_paragraph(report->terminal, "  Waiting", LABEL_COLUMNS + 2,
                              "Not known: the report has totals only, without a trace.");
        return;
    }
    if (first == FM_METRIC_NONE) {
        fm_terminal_paragraph(report->terminal, "  Waiting", LABEL_COLUMNS + 2,
                              diagnosis->cube->switched_off_count > 0
                                  ? "No wait states of those searched for were found."
                              : diagnosis->cube->hang.open_ends > 0
                                  ? "No wait states were found in calls that were left."
                                  : "No wait states were found.");
        return;
    }
    fm_format_uncertain(percent, diagnosis, diagnosis->waiting,
                        fm_error_of_waiting(diagnosis->cube, diagnosis->waiting), diagnosis->time);
    fm_format_uncertain(parts[0], diagnosis, diagnosis->metrics[first],
                        fm_error_of_kind(diagnosis, first), diagnosis->time);
    if (second == FM_METRIC_NONE) {
        fm_terminal_print(report->terminal, "  Waiting", LABEL_COLUMNS + 2,
                          "%s of all time, all of it %s", percent, fm_metric_info(first)->name);
        return;
    }
    fm_format_uncertain(parts[1], diagnosis, diagnosis->metrics[second],
                        fm_error_of_kind(diagnosis, second), diagnosis->time);
    fm_terminal_print(report->terminal, "  Waiting", LABEL_COLUMNS + 2,
                      "%s of all time, above all %s (%s) and %s (%s)", percent,
                      fm_metric_info(first)->name, parts[0], fm_metric_info(second)->name,
                      parts[1]);
}

/** Prints how many waits are shorter than their error. */
static void print_insignificant(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    const struct fm_insignificant_waits waits = fm_insignificant_waits(cube);
    char numbers[3][FM_FORMAT_SIZE];
    if (waits.count > 0) {
        fm_terminal_print(report->terminal, "  Not significant", LABEL_COLUMNS + 2,
                          waits.count == 1
                              ? "%s of %s waits is shorter than the error of its time: %s"
                              : "%s of %s waits are shorter than the error of their times: %s "
                                "together",
                          fm_format_count(numbers[0], (int64_t)waits.count),
                          fm_format_count(numbers[1], (int64_t)waits.of),
                          fm_format_ticks(numbers[2], cube, (int64_t)waits.ticks));
    }
}

/** Prints for which share of all time threads have nothing to do, and, unless problems say so,
 * where their masters are. */
static void print_idle_threads(const struct fm_report *report)
{
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    struct fm_idle_threads idle = fm_idle_threads_find(diagnosis);
    if (idle.is_notable && idle.has_problems) {
        char percent[FM_FORMAT_SIZE], share[FM_FORMAT_SIZE], waited[3 * FM_FORMAT_SIZE] = "";
        if (fm_fraction(idle.waited, diagnosis->time) >= SMALLEST_WAITED) {
            snprintf(waited, sizeof waited, ", %s while their masters wait",
                     fm_format_percent(share, idle.waited, diagnosis->time));
        }
        fm_terminal_print(report->terminal, "  Idle threads", LABEL_COLUMNS + 2, "%s of all time%s",
                          fm_format_percent(percent, idle.ticks, diagnosis->time), waited);
    } else if (idle.is_notable) {
        char percent[FM_FORMAT_SIZE];
        char *place = fm_place_function(diagnosis, idle.most.callpath);
        fm_terminal_print(report->terminal, "  Idle threads", LABEL_COLUMNS + 2,
                          "%s of all time, most while the masters are in %s",
                          fm_format_percent(percent, idle.ticks, diagnosis->time), place);
        free(place);
    }
}

/** Prints for which share of all time the ranks communicate without waiting, and where most: "80
 * calls of 24.60 ms and 4.000 MiB each, 162.6 MiB/s a rank". */
static void print_transfer(const struct fm_report *report)
{
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_transfer_time transfer = fm_transfer_find(diagnosis);
    if (!transfer.is_notable || cube->is_profile) {
        return;
    }
    char percent[FM_FORMAT_SIZE], calls[FM_FORMAT_SIZE], time[FM_FORMAT_SIZE];
    char size[FM_FORMAT_SIZE], rate[FM_FORMAT_SIZE], moved[3 * FM_FORMAT_SIZE] = "";
    const int64_t count = transfer.calls > 0 ? transfer.calls : 1;
    if (transfer.bytes > 0) {
        const double seconds = (double)transfer.most / (double)cube->experiment.ticks_per_second;
        snprintf(
            moved, sizeof moved, " and %s each, %s/s a %s",
            fm_format_value(size, cube, FM_UNIT_BYTES, transfer.bytes / count),
            fm_format_value(rate, cube, FM_UNIT_BYTES, (int64_t)((double)transfer.bytes / seconds)),
            diagnosis->process.one);
    } else {
        snprintf(moved, sizeof moved, " each");
    }
    char *place = fm_place_function(diagnosis, transfer.callpath);
    fm_terminal_print(report->terminal, "  Transfer", LABEL_COLUMNS + 2,
                      "%s of all time is communication itself, without waiting: most in %s, %s "
                      "%s of %s%s",
                      fm_format_percent(percent, transfer.ticks, diagnosis->time), place,
                      fm_format_count(calls, transfer.calls),
                      transfer.calls == 1 ? "call" : "calls",
                      fm_format_ticks(time, cube, transfer.most / count), moved);
    free(place);
}

/** Prints for which share of all time threads have no task. Not all of this is waiting for a late
 * thread or for the creation of a task: the shares of waiting may be smaller. */
static void print_missing_tasks(const struct fm_report *report)
{
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    const int64_t starved = fm_starved_time(diagnosis);
    if (starved > 0) {
        char percent[FM_FORMAT_SIZE];
        fm_terminal_print(report->terminal, "  No task", LABEL_COLUMNS + 2,
                          "for %s of all time, while other threads execute theirs",
                          fm_format_percent(percent, starved, diagnosis->time));
    }
}

/** Prints for which share of all time the ranks had no processor. */
static void print_stolen(const struct fm_report *report)
{
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    bool is_estimated;
    int64_t stolen = fm_load_of_run(diagnosis, &is_estimated);
    if (stolen > 0 && fm_fraction(stolen, diagnosis->time) >= SMALLEST_STOLEN) {
        char percent[FM_FORMAT_SIZE];
        fm_terminal_style(report->terminal, FM_STYLE_ALARM);
        fm_terminal_print(
            report->terminal, "  No processor", LABEL_COLUMNS + 2,
            "for %s%s of all time, while %s were ready to compute", is_estimated ? "about " : "",
            fm_format_percent(percent, stolen, diagnosis->time), fm_location_set_all(diagnosis));
        fm_terminal_style(report->terminal, FM_STYLE_PLAIN);
    }
    int64_t unresolved = diagnosis->metrics[FM_METRIC_UNRESOLVED_TIME];
    if (unresolved > 0 && fm_fraction(unresolved, diagnosis->time) >= SMALLEST_STOLEN) {
        char percent[FM_FORMAT_SIZE];
        fm_terminal_print(
            report->terminal, "  Not running", LABEL_COLUMNS + 2,
            "for %s of all time: unknown whether without a processor or waiting in the "
            "operating system",
            fm_format_percent(percent, unresolved, diagnosis->time));
    }
}

static void print_ratios(const struct fm_report *report)
{
    struct fm_efficiency efficiency;
    if (report->diagnosis.cube->hang.open_ends != 0) {
        fm_terminal_paragraph(report->terminal, "  Efficiency", LABEL_COLUMNS + 2,
                              "Not stated: the run did not reach its end.");
    }
    if (fm_diagnosis_efficiency(&report->diagnosis, &efficiency)) {
        const struct fm_efficiency errors =
            fm_errors_of_efficiency(report->diagnosis.cube, &efficiency);
        char factors[4][FM_UNCERTAIN_SIZE] = {""};
        const bool offloads = !isnan(efficiency.offload);
        if (offloads) {
            fm_format_efficiency(factors[3], &report->diagnosis, efficiency.offload,
                                 errors.offload);
        }
        fm_terminal_print(report->terminal, "  Efficiency", LABEL_COLUMNS + 2,
                          "%s (%s) = load balance %s x communication %s%s%s",
                          fm_format_efficiency(factors[0], &report->diagnosis, efficiency.parallel,
                                               errors.parallel),
                          fm_efficiency_verdict(efficiency.parallel),
                          fm_format_efficiency(factors[1], &report->diagnosis,
                                               efficiency.load_balance, errors.load_balance),
                          fm_format_efficiency(factors[2], &report->diagnosis,
                                               efficiency.communication, errors.communication),
                          offloads ? " x offload " : "", factors[3]);
    }
}

/** Prints the first warnings, shortened to a line each; all follow at the end of the report. */
static void print_warnings(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    const struct fm_terminal *terminal = report->terminal;
    size_t room = terminal->width - LABEL_COLUMNS - 2;
    for (uint32_t i = 0; i < cube->warning_count && i < SHOWN_WARNINGS; i++) {
        char *text = fm_terminal_name(terminal, cube->warnings[i]);
        bool fits = fm_text_columns(text) <= room;
        if (!fits) {
            text[fm_text_fit(text, room - 3)] = '\0';
        }
        fprintf(terminal->stream, "%-*s%s%s\n", LABEL_COLUMNS + 2, "  Warning", text,
                fits ? "" : "...");
        free(text);
    }
    if (cube->warning_count > SHOWN_WARNINGS) {
        fprintf(terminal->stream, "%-*s%u more at the end\n", LABEL_COLUMNS + 2, "",
                cube->warning_count - SHOWN_WARNINGS);
    }
}

/** Prints, in front of all else, that recording has changed the times notably. @return whether it
 * has */
static bool print_overhead_first(const struct fm_report *report)
{
    struct fm_sentences sentences = {0};
    const bool is_notable = fm_overhead_warn(report->diagnosis.cube, &sentences);
    if (is_notable) {
        fm_terminal_paragraph(report->terminal, "  Recording", LABEL_COLUMNS + 2,
                              sentences.items[0].text);
    }
    fm_sentences_free(&sentences);
    return is_notable;
}

/** Prints, in front of all shares, that the run lacked processors for much of its time: what these
 * show may be nothing else. */
static void print_crowding(const struct fm_report *report)
{
    const uint32_t percent = report->diagnosis.cube->experiment.lack_of_processors;
    if (percent < CROWDED_PERCENT) {
        return;
    }
    fm_terminal_style(report->terminal, FM_STYLE_ALARM);
    fm_terminal_print(
        report->terminal, "  Processors", LABEL_COLUMNS + 2,
        "none for %u%% of the run, while %s were ready to run, in calls, too: what looks "
        "like waiting or communication may be that",
        percent, fm_location_set_all(&report->diagnosis));
    fm_terminal_style(report->terminal, FM_STYLE_PLAIN);
}

/** Prints what recording has cost, as the recorder has measured it. */
static void print_overhead(const struct fm_report *report)
{
    char longer[FM_TEXT_NUMBER];
    if (fm_overhead_text(report->diagnosis.cube, longer)) {
        fm_terminal_print(report->terminal, "  Recording", LABEL_COLUMNS + 2,
                          "makes the run %s by its measured costs", longer);
    }
}

static uint32_t count_nodes(const struct fm_cube *cube)
{
    /* Locations of one node are mostly consecutive. Otherwise the number of different nodes limits
     * the quadratic search. */
    uint32_t count = 0;
    const char **nodes = calloc(cube->location_count + (size_t)1, sizeof *nodes);
    for (uint32_t i = 0; nodes != NULL && i < cube->location_count; i++) {
        const char *node = cube->locations[i].node;
        if (i > 0 && strcmp(node, cube->locations[i - 1].node) == 0)
            continue;
        uint32_t known = 0;
        while (known < count && strcmp(nodes[known], node) != 0)
            known++;
        if (known == count)
            nodes[count++] = node;
    }
    free(nodes);
    return count;
}

/** Prints which ranks the worlds of the program have, if it has several. */
static void print_worlds(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    const struct fm_process_word *process = &report->diagnosis.process;
    enum { WORLDS = 4 };
    char text[512] = "";
    size_t length = 0;
    uint32_t worlds = 0;
    for (uint32_t i = 0, end; i < cube->location_count; i = end) {
        const struct fm_cube_location *first = &cube->locations[i];
        for (end = i + 1; end < cube->location_count && cube->locations[end].world == first->world;
             end++) {
        }
        const uint32_t from = first->rank + process->first;
        const uint32_t to = cube->locations[end - 1].rank + process->first;
        if (worlds++ < WORLDS) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%sworld %u is %s %u",
                                       length == 0 ? "" : ", ", first->world,
                                       from == to ? process->one : process->many, from);
            length +=
                from == to ? 0 : (size_t)snprintf(text + length, sizeof text - length, "-%u", to);
        }
    }
    if (worlds > 1) {
        fm_terminal_print(report->terminal, "  Worlds", LABEL_COLUMNS + 2, "%u: %s%s", worlds, text,
                          worlds > WORLDS ? ", ..." : "");
    }
}

/** Prints the time of all threads, and how much was recorded. */
static void print_all_time(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    char numbers[3][FM_FORMAT_SIZE];
    const char *kind = cube->is_profile ? "calls" : "events";
    int64_t count = cube->is_profile ? report->diagnosis.metrics[FM_METRIC_VISITS]
                                     : (int64_t)cube->experiment.event_count;
    fm_terminal_print(report->terminal, "  All time", LABEL_COLUMNS + 2, "%s on %s %s, %s %s",
                      fm_format_ticks(numbers[1], cube, report->diagnosis.time),
                      fm_format_count(numbers[0], cube->location_count),
                      cube->location_count == 1           ? "thread"
                      : fm_location_set_has_streams(cube) ? "threads and streams"
                                                          : "threads",
                      fm_format_count(numbers[2], count), kind);
}

void fm_report_error_meaning(const struct fm_report *report)
{
    char label[8];
    snprintf(label, sizeof label, "  %s", fm_error_sign(&report->diagnosis));
    fm_terminal_paragraph(report->terminal, label, LABEL_COLUMNS + 2,
                          report->diagnosis.metrics[FM_METRIC_SAMPLES] > 0
                              ? FM_SAMPLED_ERROR_MEANING
                              : FM_ERROR_MEANING);
}

void fm_report_summary(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    const struct fm_terminal *terminal = report->terminal;
    const struct fm_cube_experiment *experiment = &cube->experiment;
    char numbers[3][FM_FORMAT_SIZE];
    char *title =
        fm_terminal_name(terminal, experiment->title != NULL ? experiment->title : "Experiment");
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(terminal, "", 0, title);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    free(title);
    const bool is_slow = print_overhead_first(report);
    print_crowding(report);
    if (report->options->root != NULL) {
        char *root = fm_terminal_name(terminal, report->options->root);
        fm_terminal_print(terminal, "  Part", LABEL_COLUMNS + 2, "%s and all that it calls", root);
        free(root);
    }
    bool is_known = !fm_time_is_unknown(&report->diagnosis);
    uint32_t nodes = count_nodes(cube);
    fm_terminal_print(
        terminal, "  Run time", LABEL_COLUMNS + 2, "%s on %s %s, %s %s%s",
        is_known ? fm_format_ticks(numbers[0], cube, (int64_t)(experiment->end - experiment->begin))
                 : "Not known,",
        fm_format_count(numbers[1], experiment->process_count),
        experiment->process_count == 1 ? report->diagnosis.process.one
                                       : report->diagnosis.process.many,
        fm_format_count(numbers[2], nodes), nodes == 1 ? "node" : "nodes",
        is_known ? "" : ": none of them reached its regular end");
    print_worlds(report);
    if (cube->hang.open_ends != 0) {
        fm_terminal_style(terminal, FM_STYLE_ALARM);
        fm_terminal_print(terminal, "  Ended", LABEL_COLUMNS + 2,
                          "inside of calls on %s of %s %s: see below who waits for whom",
                          fm_format_count(numbers[0], cube->hang.open_ends),
                          fm_format_count(numbers[1], cube->location_count),
                          fm_location_set_all(&report->diagnosis));
        fm_terminal_style(terminal, FM_STYLE_PLAIN);
    }
    if (report->diagnosis.startup > 0) {
        fm_terminal_print(terminal, "  Start-up", LABEL_COLUMNS + 2,
                          "Init and Finalize: up to %s, left out of all shares",
                          fm_format_ticks(numbers[0], cube, report->diagnosis.longest_startup));
    }
    if (is_known) {
        print_all_time(report);
    } else {
        fm_terminal_paragraph(terminal, "  Calls", LABEL_COLUMNS + 2,
                              "Not known by call path. Number and time of the calls of each "
                              "function, up to the last one counted: fermata counters show.");
    }
    print_waiting(report);
    print_insignificant(report);
    print_transfer(report);
    print_idle_threads(report);
    print_missing_tasks(report);
    print_stolen(report);
    print_ratios(report);
    if (!is_slow) {
        print_overhead(report);
    }
    print_warnings(report);
}
