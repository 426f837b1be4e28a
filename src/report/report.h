/** @file
 * The report in the terminal: what `fermata report` prints. Each part has a file of its own,
 * print_*.c.
 */
#ifndef FERMATA_REPORT_REPORT_H
#define FERMATA_REPORT_REPORT_H

#include "cube/model/view.h"
#include "diagnosis/efficiency.h"
#include "diagnosis/sentences.h"
#include "report/terminal.h"

#include <stdbool.h>

/** The part of the report to print. */
enum fm_report_part {
    FM_REPORT_OVERVIEW, /**< or what the selection leaves */
    FM_REPORT_LOCKS,
    FM_REPORT_EFFICIENCY,
    FM_REPORT_PHASES,
    FM_REPORT_MATRIX
};

struct fm_report_options {
    const char *directory;         /**< as the user named it, for the commands shown */
    struct fm_selection selection; /**< metric FM_METRIC_NONE: overview */
    const char *root;              /**< call path the cube was restricted to; NULL: whole run */
    unsigned problems;             /**< how many problems to show */
    unsigned top;                  /**< how many branches of each tree node to show */
    bool exclusive;
    fm_metric_t why; /**< only the chains of this kind; FM_METRIC_NONE: not */
    enum fm_report_part part;
    enum fm_cube_matrix_kind
        matrix; /**< of FM_REPORT_MATRIX; of the delays only the selected kind */
};

/** What the parts of a report are printed from. */
struct fm_report {
    struct fm_diagnosis diagnosis;
    const struct fm_report_options *options;
    const struct fm_terminal *terminal;
};

/** Writes the whole report to the terminal's stream. */
fm_status_t fm_report_write(const struct fm_cube *cube, const struct fm_report_options *options,
                            const struct fm_terminal *terminal, struct fm_error *error);

/** First lines: what ran, how long, and where the time went. */
void fm_report_summary(const struct fm_report *report);

/** The worst problems as sentences, with their causes and what to do. */
void fm_report_problems(const struct fm_report *report);

/** Efficiencies of the run, or of the part that is shown, with verdicts. */
void fm_report_efficiency(const struct fm_report *report);

/** The same, then those of the phases and of the call paths that take most time. */
void fm_report_efficiencies(const struct fm_report *report);

/** A sentence for each phase of the program. */
void fm_report_phase_overview(const struct fm_report *report);

/** The iterations of the phases: how they developed, and the worst ones. */
void fm_report_phases(const struct fm_report *report);

/** The selected matrix (messages, one-sided operations or delays) by rank or groups of ranks, and
 * the pairs of locations with the largest amounts. */
void fm_report_matrix(const struct fm_report *report);

/** The call paths that the critical path leads through. */
void fm_report_critical_path(const struct fm_report *report);

/** The chains of causes of the longest waits of a kind, restricted by the options' call path and
 * location. */
void fm_report_why(const struct fm_report *report, fm_metric_t wait);

/** Prints the observations. */
void fm_report_observations(const struct fm_report *report);

/** Metric tree, call tree and system tree. */
fm_status_t fm_report_trees(const struct fm_report *report, struct fm_error *error);

/** Distribution and worst instances of the selected wait state. */
void fm_report_statistics(const struct fm_report *report);

/** The locks of windows, those with the longest waiting first. */
void fm_report_locks(const struct fm_report *report);

/** What is missing or left out. */
void fm_report_warnings(const struct fm_report *report);

/** Explains a metric: place, unit, description, formula, advice. */
void fm_report_explain(fm_metric_t metric, const struct fm_terminal *terminal);

/** Prints "Label: fermata report DIR ..." with the options that lead to more about something.
 * @param arguments  options behind the directory, printable */
void fm_report_more(const struct fm_report *report, const char *label, unsigned indent,
                    const char *arguments);

#endif
