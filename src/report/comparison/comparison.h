/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reports of several variants of a program side by side, as `fermata diff` prints them. The first
 * variant is the base with which all other variants are compared.
 */
#ifndef FERMATA_REPORT_COMPARISON_COMPARISON_H
#define FERMATA_REPORT_COMPARISON_COMPARISON_H

#include "cube/merge/combine.h"
#include "diagnosis/efficiency/hybrid_efficiency.h"
#include "report/terminal.h"

#include <stdint.h>

/** The time of a call path alone in one property, in all variants. */
struct fm_change {
    fm_metric_t metric; /**< a metric of the time tree; all changes together cover the whole time */
    uint32_t callpath;  /**< of the common dimensions */
    uint32_t location;  /**< of the common dimensions: location of the largest deviation */
    int64_t difference; /**< largest deviation of a variant from the base, ticks */
    int64_t *values;    /**< [variant], ticks */
};

struct fm_comparison {
    struct fm_combination combination; /**< its frame has the common dimensions and scale */
    const char *const *names;          /**< [variant] */
    size_t count;                      /**< number of variants, at least 2 */
    char **ends;                       /**< [variant]: how a run ended that ended inside of calls, a
                                            sentence; NULL: it did not */
    int64_t *lengths;                  /**< [variant]: run time, ticks of the common scale */
    double *efficiencies;              /**< [variant]: parallel efficiency; NAN: unknown */
    struct fm_hybrid_row (*hybrids)[FM_HYBRID_ROWS]; /**< [variant]: its factors; a value of NAN:
                                                        not defined */
    bool has_hybrids;                                /**< some variant has them */
    int64_t *totals;           /**< [variant][FM_METRIC_COUNT]: inclusive, common scale */
    struct fm_change *changes; /**< in descending order of deviation */
    size_t change_count;
};

/** Compares reports; the reports and `names` must outlive the comparison.
 * @param cubes       `count` sealed cubes, at least 2
 * @param comparison  out: to be released with fm_comparison_release(); set only on success */
fm_status_t fm_comparison_make(struct fm_comparison *comparison, const struct fm_cube *const *cubes,
                               const char *const *names, size_t count, struct fm_error *error);

/** Frees the memory of a comparison. */
void fm_comparison_release(struct fm_comparison *comparison);

/** @return whether a variant is compared with the base. A run that ended inside of calls did only a
 * part of its work, and its last calls last until it was killed: neither its run time nor what
 * depends on it can be compared. */
static inline bool fm_comparison_compares(const struct fm_comparison *comparison, size_t variant)
{
    return comparison->ends[0] == NULL && comparison->ends[variant] == NULL;
}

/** @return whether all variants are compared with the base. */
static inline bool fm_comparison_is_whole(const struct fm_comparison *comparison)
{
    bool is_whole = true;
    for (size_t c = 0; c < comparison->count; c++) {
        is_whole = is_whole && comparison->ends[c] == NULL;
    }
    return is_whole;
}

/** @return the inclusive total of a metric in a variant, in ticks, occurrences, bytes or costs of
 * the common scale. */
static inline int64_t fm_comparison_total(const struct fm_comparison *comparison, size_t variant,
                                          fm_metric_t metric)
{
    return comparison->totals[variant * FM_METRIC_COUNT + metric];
}

/** @return an efficiency of a variant; NAN: not defined.
 * @param row  of its hybrid efficiencies; FM_HYBRID_ROWS: parallel efficiency */
static inline double fm_comparison_ratio(const struct fm_comparison *comparison, size_t variant,
                                         unsigned row)
{
    return row == FM_HYBRID_ROWS ? comparison->efficiencies[variant]
                                 : comparison->hybrids[variant][row].value;
}

/** @return whether the values of a change are estimates: only samples tell of the times in its call
 * path. */
static inline bool fm_change_is_estimated(const struct fm_comparison *comparison,
                                          const struct fm_change *change)
{
    const struct fm_cube *frame = comparison->combination.united.frame;
    return frame->regions[frame->callpaths[change->callpath].region].is_estimated;
}

/** @return a value in the unit of the output: seconds for times, otherwise the number itself. */
double fm_comparison_scaled(const struct fm_comparison *comparison, fm_metric_t metric,
                            int64_t value);

/** A condition on how a metric changes, such as "mpi_late* > +5%": a wildcard pattern of metric
 * ids, > or <, and a change relative to the base in percent, or in the metric's unit. */
struct fm_condition {
    const char *text; /**< text of the condition */
    char pattern[64];
    bool above; /**< operator: true for >, false for < */
    bool relative;
    double limit; /**< 0.05 for 5 %, otherwise seconds, occurrences or bytes */
};

/** Parses a condition. FM_ERR_USAGE: it is invalid. `text` must outlive the condition. */
fm_status_t fm_condition_parse(struct fm_condition *condition, const char *text,
                               struct fm_error *error);

/** Checks a condition after the reports are read, whose metrics of the user's patterns are known
 * then. FM_ERR_USAGE: it matches no metric. */
fm_status_t fm_condition_check(const struct fm_condition *condition, struct fm_error *error);

/** @return whether the metric meets the condition in a variant; false if the variant is not
 * compared with the base (fm_comparison_compares()). A metric that is 0 in the base grows by
 * infinitely many percent. */
bool fm_condition_met(const struct fm_condition *condition, const struct fm_comparison *comparison,
                      size_t variant, fm_metric_t metric);

/** Selection of the parts of a comparison to show. */
struct fm_diff_options {
    const char *pattern; /**< wildcard pattern of metric ids; NULL: the significant metrics */
    unsigned top;        /**< number of changes to show */
    const struct fm_condition *conditions;
    size_t condition_count;
};

/** @return whether the table of metrics has a row for this metric: it matches the pattern or,
 * without a pattern, belongs to the time tree or is the root of a tree of counts, and is large
 * enough in any variant. */
bool fm_diff_shows(const struct fm_comparison *comparison, const struct fm_diff_options *options,
                   fm_metric_t metric);

/** Writes the comparison for the terminal. */
void fm_diff_write_text(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, const struct fm_terminal *terminal);

/** Writes the comparison as tables in Markdown. Errors are left in the stream. */
void fm_diff_write_markdown(const struct fm_comparison *comparison,
                            const struct fm_diff_options *options, FILE *stream);

/** Writes the comparison as JSON (docs/report-json.md), with all metrics and changes. Errors are
 * left in the stream. */
void fm_diff_write_json(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, FILE *stream);

#endif
