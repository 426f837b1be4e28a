/* The largest problems, and the observations. */
#include "diagnosis/number_format.h"
#include "diagnosis/observations.h"
#include "diagnosis/problems.h"
#include "report/report.h"

#include <string.h>

#define MARGIN        5
#define LABEL_COLUMNS 13

static void print_problem(const struct fm_report *report, unsigned number,
                          const struct fm_problem *problem)
{
    const struct fm_terminal *terminal = report->terminal;
    const char *id = fm_metric_info(problem->kind)->id;
    char label[16];
    char command[128];
    snprintf(label, sizeof label, "%3u.", number);
    putc('\n', terminal->stream);
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(terminal, label, MARGIN, problem->headline.items[0].text);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    fm_terminal_sentences(terminal, &problem->lines, MARGIN, LABEL_COLUMNS);
    snprintf(command, sizeof command, "--metric %s", id);
    fm_report_more(report, "     More", LABEL_COLUMNS, command);
    snprintf(command, sizeof command, "--why %s", id);
    fm_report_more(report, "     Chain", LABEL_COLUMNS, command);
    if (report->diagnosis.cube->lock_count > 0 &&
        (problem->kind == FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION ||
         problem->kind == FM_METRIC_MPI_RMA_COMM_LOCK_COMPETITION))
        fm_report_more(report, "     Queue", LABEL_COLUMNS, "--locks");
}

void fm_report_problems(const struct fm_report *report)
{
    struct fm_problems problems;
    fm_problems_find(&report->diagnosis, report->options->problems, &problems);
    if (problems.shown > 0)
        fm_terminal_heading(report->terminal, "Top problems");
    for (size_t i = 0; i < problems.shown; i++)
        print_problem(report, (unsigned)i + 1, &problems.items[i]);
    if (problems.rest > 0) {
        size_t others = problems.count - problems.shown;
        char percent[FM_FORMAT_SIZE];
        char label[FM_FORMAT_SIZE];
        fm_format_percent(percent, problems.rest, report->diagnosis.metrics[FM_METRIC_TIME]);
        fm_format_count(label, (int64_t)others);
        putc('\n', report->terminal->stream);
        fm_terminal_print(report->terminal, "", 2, "%s%s smaller %s: together %s of CPU time%s.",
                          "  ", label, others == 1 ? "problem" : "problems", percent,
                          problems.shown == report->options->problems ? " (--top N shows more)"
                                                                      : "");
    }
    fm_problems_free(&problems);
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
