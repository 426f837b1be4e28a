/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest problems, the kinds of wait states with most waiting, and the observations. */
#include "cube/model/delay_kind.h"
#include "diagnosis/number_format.h"
#include "diagnosis/observations.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/problems/wait_groups.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN        5
#define LABEL_COLUMNS 13

/** Maximum number of problems and of symptoms, unless the number is chosen. */
#define MOST_PROBLEMS    8
#define DEFAULT_SYMPTOMS 3

/** Lines before the problems, and behind them. */
#define HEADING_LINES 2
#define CLOSING_LINES 6

/** Prints a problem into a buffer: whole, or its headline only.
 * @param apart  behind an empty line
 * @return the text, to be freed with free() */
static char *draw_problem(const struct fm_report *report, unsigned number,
                          const struct fm_cause_text *problem, bool whole, bool apart)
{
    char *text = NULL;
    size_t size = 0;
    char label[16];
    struct fm_terminal terminal = *report->terminal;
    terminal.stream = open_memstream(&text, &size);
    if (terminal.stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    snprintf(label, sizeof label, "%3u.", number);
    if (apart) {
        putc('\n', terminal.stream);
    }
    fm_terminal_style(&terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(&terminal, label, MARGIN, problem->headline.items[0].text);
    fm_terminal_style(&terminal, FM_STYLE_PLAIN);
    if (whole) {
        fm_terminal_sentences(&terminal, &problem->lines, MARGIN, LABEL_COLUMNS);
    }
    if (fclose(terminal.stream) != 0) {
        abort();
    }
    return text;
}

/** Prints problems until the lines are full: as many as possible with all that is known about them,
 * then as many as possible with their headlines only.
 * @return number of printed problems */
static size_t print_problems(const struct fm_report *report, const struct fm_answer *problems,
                             unsigned lines)
{
    bool all = report->options->problems != 0; /* as many as were asked for */
    bool whole = true, apart = true;
    unsigned used = HEADING_LINES + CLOSING_LINES;
    size_t shown = 0;
    while (shown < problems->count) {
        char *text =
            draw_problem(report, (unsigned)shown + 1, &problems->items[shown], whole, apart);
        unsigned more = fm_terminal_lines(text);
        bool fits = all || shown == 0 || used + more <= lines;
        if (fits) {
            fputs(text, report->terminal->stream);
            used += more;
            shown++;
            apart = whole;
        }
        free(text);
        if (!fits && !whole) {
            break;
        }
        whole = whole && fits;
    }
    return shown;
}

void fm_report_problems(const struct fm_report *report, unsigned lines)
{
    const struct fm_terminal *terminal = report->terminal;
    struct fm_answer problems;
    unsigned chosen = report->options->problems;
    fm_answer_make(&report->diagnosis, chosen == 0 ? MOST_PROBLEMS : chosen, &problems);
    if (problems.count > 0) {
        fm_terminal_heading(terminal, "Top problems");
    }
    size_t shown = print_problems(report, &problems, lines);
    for (size_t i = shown; i < problems.count; i++) {
        problems.omitted += problems.items[i].cost;
        problems.omitted_count++;
    }
    putc('\n', terminal->stream);
    if (problems.without_cause.count > 0) {
        fm_terminal_paragraph(terminal, "", 2, problems.without_cause.items[0].text);
    }
    if (problems.omitted > 0) {
        char percent[FM_FORMAT_SIZE], count[FM_FORMAT_SIZE];
        fm_terminal_print(terminal, "", 2, "%s %s %s: together %s of all time%s.",
                          fm_format_count(count, (int64_t)problems.omitted_count),
                          shown == 0 ? "small" : "more",
                          problems.omitted_count == 1 ? "problem" : "problems",
                          fm_format_percent(percent, problems.omitted, report->diagnosis.time),
                          shown < problems.count || shown == chosen ? " (--top N shows more)" : "");
    }
    fm_report_more(report, "  More", LABEL_COLUMNS, "--by symptom");
    fm_answer_free(&problems);
}

static void print_symptom(const struct fm_report *report, unsigned number,
                          const struct fm_wait_group *symptom)
{
    const struct fm_terminal *terminal = report->terminal;
    const char *id = fm_metric_info(symptom->kind)->id;
    char label[16];
    char command[128];
    snprintf(label, sizeof label, "%3u.", number);
    putc('\n', terminal->stream);
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(terminal, label, MARGIN, symptom->headline.items[0].text);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    fm_terminal_sentences(terminal, &symptom->lines, MARGIN, LABEL_COLUMNS);
    snprintf(command, sizeof command, "--metric %s", id);
    fm_report_more(report, "     More", LABEL_COLUMNS, command);
    snprintf(command, sizeof command, "--why %s", id);
    fm_report_more(report, "     Chain", LABEL_COLUMNS, command);
    if (report->diagnosis.cube->lock_count > 0 &&
        fm_delay_metrics(fm_delay_kind(symptom->kind))->is_contention)
        fm_report_more(report, "     Queue", LABEL_COLUMNS, "--locks");
}

void fm_report_symptoms(const struct fm_report *report)
{
    struct fm_wait_groups symptoms;
    unsigned limit = report->options->problems == 0 ? DEFAULT_SYMPTOMS : report->options->problems;
    fm_wait_groups_find(&report->diagnosis, limit, &symptoms);
    if (symptoms.shown > 0)
        fm_terminal_heading(report->terminal, "Kinds of wait states with most waiting");
    for (size_t i = 0; i < symptoms.shown; i++)
        print_symptom(report, (unsigned)i + 1, &symptoms.items[i]);
    if (symptoms.rest > 0) {
        size_t others = symptoms.count - symptoms.shown;
        char percent[FM_FORMAT_SIZE];
        char label[FM_FORMAT_SIZE];
        fm_format_percent(percent, symptoms.rest, report->diagnosis.time);
        fm_format_count(label, (int64_t)others);
        putc('\n', report->terminal->stream);
        fm_terminal_print(report->terminal, "", 2, "%s%s smaller %s: together %s of all time%s.",
                          "  ", label, others == 1 ? "kind" : "kinds", percent,
                          symptoms.shown == limit ? " (--top N shows more)" : "");
    }
    fm_wait_groups_free(&symptoms);
}

void fm_report_observations(const struct fm_report *report)
{
    struct fm_sentences sentences = {0};
    fm_observations_find(&report->diagnosis, &sentences);
    if (sentences.count > 0) {
        fm_terminal_heading(report->terminal, "Also worth knowing");
    }
    for (size_t i = 0; i < sentences.count; i++) {
        fm_terminal_paragraph(report->terminal, "  *", 4, sentences.items[i].text);
    }
    fm_sentences_free(&sentences);
}
