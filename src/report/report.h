/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The report in the terminal, as printed by `fermata report`. Each part is in a separate file,
 * print_*.c.
 */
#ifndef FERMATA_REPORT_REPORT_H
#define FERMATA_REPORT_REPORT_H

#include "cube/derived/expression.h"
#include "cube/view/view.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/sentences.h"
#include "report/terminal.h"

#include <stdbool.h>

/** The part of the report to print. */
enum fm_report_part {
    FM_REPORT_OVERVIEW, /**< the overview, or the selected data */
    FM_REPORT_LOCKS,
    FM_REPORT_EFFICIENCY,
    FM_REPORT_PHASES,
    FM_REPORT_MATRIX
};

struct fm_report_options {
    const char *directory;         /**< experiment as given by the user, for the printed commands */
    struct fm_selection selection; /**< metric FM_METRIC_NONE: overview */
    const char *root;  /**< call path to which the cube is restricted; NULL: whole run */
    unsigned problems; /**< number of problems to show; 0: as many as fit on the first screen */
    unsigned top;      /**< number of branches to show of each tree node */
    bool exclusive;
    bool by_symptom; /**< rank kinds of wait states instead of their causes */
    fm_metric_t why; /**< print only the chains of this kind; FM_METRIC_NONE: off */
    enum fm_report_part part;
    const struct fm_expression *const *definitions; /**< derived metrics */
    unsigned definition_count;
    const struct fm_expression *derived; /**< the one to print in detail; NULL: none */
    const char
        *parameter; /**< print the values of this parameter instead of the report; NULL: off */
    enum fm_cube_matrix_kind
        matrix; /**< for FM_REPORT_MATRIX; of the delays only the selected kind */
};

/** The input of the parts of a report. */
struct fm_report {
    struct fm_diagnosis diagnosis;
    const struct fm_report_options *options;
    const struct fm_terminal *terminal;
    const char *const *now; /**< as of fm_hang_text() */
};

/** Writes the whole report to the terminal's stream. */
fm_status_t fm_report_write(const struct fm_cube *cube, const struct fm_report_options *options,
                            const struct fm_terminal *terminal, struct fm_error *error);

/** First lines: program and run, waiting, efficiencies, warnings in one line each. */
void fm_report_summary(const struct fm_report *report);

/** Who waits for whom, if the run ended inside of calls; else a sentence that it did not. */
void fm_report_hang(const struct fm_report *report);

/** One line: what the sign of errors means. */
void fm_report_error_meaning(const struct fm_report *report);

/** The shares of all time as bars. */
void fm_report_shares(const struct fm_report *report);

/** The largest problems as sentences, and waiting without a cause in the program. If the number of
 * problems is not chosen, as many as fit.
 * @param lines  number of lines that are left */
void fm_report_problems(const struct fm_report *report, unsigned lines);

/** The kinds of wait states with most waiting, by the waiting function. */
void fm_report_symptoms(const struct fm_report *report);

/** Efficiencies of the run, or of the selected call path, with verdicts. */
void fm_report_efficiency(const struct fm_report *report);

/** The imbalances of accelerators, processes and nodes, of their times and of their adjusted loads;
 * nothing if there is only one of each. */
void fm_report_load_levels(const struct fm_report *report);

/** As fm_report_efficiency(), followed by the load imbalances and the efficiencies of the phases
 * and of the call paths with most time. */
void fm_report_efficiencies(const struct fm_report *report);

/** A sentence for each phase of the program. */
void fm_report_phase_overview(const struct fm_report *report);

/** The iterations of the phases: their values over time, and the worst iterations. */
void fm_report_phases(const struct fm_report *report);

/** The selected matrix (messages, one-sided operations or delays) by rank or groups of ranks, and
 * the pairs of locations with the largest amounts. */
void fm_report_matrix(const struct fm_report *report);

/** The call paths on the critical path. */
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

/** The locks of windows, in descending order of waiting time. */
void fm_report_locks(const struct fm_report *report);

/** The values of the derived metrics in the selection. */
fm_status_t fm_report_definitions(const struct fm_report *report, struct fm_error *error);

/** A derived metric by call path and by location. */
fm_status_t fm_report_derived(const struct fm_report *report, struct fm_error *error);

/** Time, waiting and derived metrics for each value of a parameter.
 * @return FM_ERR_USAGE: there is no such parameter */
fm_status_t fm_report_parameter(const struct fm_report *report, struct fm_error *error);

/** Warnings: missing data and parts left out. */
void fm_report_warnings(const struct fm_report *report);

/** Explains a metric: place in its tree, unit, description, formula, advice. */
void fm_report_explain(fm_metric_t metric, const struct fm_terminal *terminal);

/** Prints "Label: fermata report DIR ..." with the options that print more details of a result.
 * @param arguments  options after the directory, printable */
void fm_report_more(const struct fm_report *report, const char *label, unsigned indent,
                    const char *arguments);

#endif
