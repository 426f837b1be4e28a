/** @file
 * The report for people: what `fermata report` prints. Each part has a file of its own.
 */
#ifndef FERMATA_REPORT_REPORT_H
#define FERMATA_REPORT_REPORT_H

#include "cube/model/view.h"
#include "diagnosis/efficiency.h"
#include "report/lines.h"
#include "report/terminal.h"

#include <stdbool.h>

/** What of the report is wanted. */
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

/** Everything that the parts of a report need. */
struct fm_report {
    const struct fm_cube *cube; /**< sealed */
    const struct fm_report_options *options;
    const struct fm_terminal *terminal;
    int64_t metrics[FM_METRIC_COUNT]; /**< inclusive totals of the whole cube */
    int64_t exclusive[FM_METRIC_COUNT];
    int64_t waiting; /**< sum of all wait states, ticks */
};

/** Adds up what all parts of a report need.
 * @param report  out: refers to the other arguments; nothing to be released */
fm_status_t fm_report_prepare(struct fm_report *report, const struct fm_cube *cube,
                              const struct fm_report_options *options,
                              const struct fm_terminal *terminal, struct fm_error *error);

/** Writes the whole report to the terminal's stream. */
fm_status_t fm_report_write(const struct fm_cube *cube, const struct fm_report_options *options,
                            const struct fm_terminal *terminal, struct fm_error *error);

/** @return the kind of wait state that `metric` is or belongs to; FM_METRIC_NONE: none. */
fm_metric_t fm_report_kind(fm_metric_t metric);

/** A class of time in the overview. */
struct fm_share {
    const char *name; /**< a constant: "Waiting" */
    int64_t ticks;    /**< what of the class is not waiting; of "Waiting", what is */
};

#define FM_SHARE_COUNT 9

/** Splits the CPU time of the run. */
void fm_shares_compute(const struct fm_report *report, struct fm_share shares[FM_SHARE_COUNT]);

/** First lines: what ran, how long, and where the time went. */
void fm_report_summary(const struct fm_report *report);

/** The worst problems as sentences, with their causes and what to do. */
void fm_report_problems(const struct fm_report *report);

/** How many of the ranks these are. */
typedef enum { FM_RANKS_ONE, FM_RANKS_SOME, FM_RANKS_ALL } fm_ranks_t;

/** @param extent  out: how many these are; NULL: it does not matter
 * @return on which ranks most of the selected time is spent, "ranks 0-3 and 8"; to be freed with
 * free(). */
char *fm_report_ranks(const struct fm_report *report, const struct fm_view *view,
                      fm_ranks_t *extent);

/** Why a kind of wait state comes about: the call path and ranks that most of its costs lead to
 * ("Why"), and what balancing it would gain ("Gain"). If most of it is passed on by ranks that
 * waited themselves, that is told, and the call path in which the longest waits began.
 * @param lines  what is found is appended
 * @return the call path, or FM_CUBE_NONE if none stands out: then nothing is appended */
uint32_t fm_report_root_cause(const struct fm_report *report, fm_metric_t wait,
                              struct fm_lines *lines);

/** Tells how to learn more of a function that computes ("Inside"), if the run was recorded such
 * that the functions that it calls are not seen. */
void fm_report_inside(const struct fm_report *report, uint32_t callpath, struct fm_lines *lines);

/** @return whether the run, or the part that is shown, has efficiencies: set in that case. */
bool fm_efficiency_compute(const struct fm_report *report, struct fm_efficiency *efficiency);

/** @return "good", "acceptable" or "poor". */
const char *fm_efficiency_verdict(double efficiency);

/** Efficiencies of the run, or of the part that is shown, with verdicts. */
void fm_report_efficiency(const struct fm_report *report);

/** The same, then those of the phases and of the call paths that take most time. */
void fm_report_efficiencies(const struct fm_report *report);

/** A sentence for each phase of the program. */
void fm_report_phase_overview(const struct fm_report *report);

/** The iterations of the phases: how they developed, and the worst ones. */
void fm_report_phases(const struct fm_report *report);

/** Who had to do with whom, of ranks or groups of them, and the pairs with the largest amounts. */
void fm_report_matrix(const struct fm_report *report);

/** The call paths that the critical path leads through. */
void fm_report_critical_path(const struct fm_report *report);

/** The chains of causes of the longest waits of a kind, restricted by the options' call path and
 * location. */
void fm_report_why(const struct fm_report *report, fm_metric_t wait);

/** Finds what is remarkable, yet no waiting time: cost of calls, overhead, unneeded
 * synchronization; one line each, without label. */
void fm_observations_find(const struct fm_report *report, struct fm_lines *lines);

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

/** @return the call path as printable text, to be freed with free(); never NULL. Where it does not
 * fit into a line behind a label, "..." stands for its middle (cube/model/callpath_pattern.h). */
char *fm_report_callpath(const struct fm_report *report, uint32_t callpath);

/** @return the same, for a place of so many columns. */
char *fm_report_callpath_within(const struct fm_report *report, uint32_t callpath,
                                unsigned columns);

/** @return fm_report_callpath(), with where its region stands in the source, if that is known:
 * "main/solve/matvec (solver.c:42)". */
char *fm_report_callpath_placed(const struct fm_report *report, uint32_t callpath);

/** @return name and place of a region: "matvec (solver.c:42)"; to be freed by the caller. Not made
 * printable. */
char *fm_report_region_placed(const struct fm_cube_region *region);

/** @return who a location is, "rank 3" (its first thread) or "rank 3, thread 1", to be freed with
 * free(); never NULL.
 */
char *fm_report_location(const struct fm_report *report, uint32_t location);

#endif
