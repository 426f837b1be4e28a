/** @file
 * Reports of several variants of a program side by side: what `fermata diff` prints. The first
 * variant is the base that the others are compared with.
 */
#ifndef FERMATA_REPORT_COMPARISON_COMPARISON_H
#define FERMATA_REPORT_COMPARISON_COMPARISON_H

#include "cube/merge/combine.h"
#include "report/terminal.h"

#include <stdint.h>

/** Time that a call path itself spends in one property, in all variants. */
struct fm_change {
    fm_metric_t metric; /**< a metric of the time tree: all changes together are the whole time */
    uint32_t callpath;  /**< of the common dimensions */
    uint32_t location;  /**< of the common dimensions: where variants differ most */
    int64_t difference; /**< largest deviation of a variant from the base, ticks */
    int64_t *values;    /**< [variant], ticks */
};

struct fm_comparison {
    struct fm_combination combination; /**< its frame has the common dimensions and the scale */
    const char *const *names;          /**< of the variants */
    size_t count;                      /**< of the variants, at least 2 */
    int64_t *lengths;                  /**< [variant]: run time, ticks of the common scale */
    double *efficiencies;              /**< [variant]: parallel efficiency; 0: unknown */
    int64_t *totals;                   /**< [variant][FM_METRIC_COUNT]: inclusive, common scale */
    struct fm_change *changes;         /**< the largest deviation first */
    size_t change_count;
};

/** Compares reports; they and `names` must live as long.
 * @param cubes       `count` sealed cubes, at least 2
 * @param comparison  out: to be released with fm_comparison_release(); set only on success */
fm_status_t fm_comparison_make(struct fm_comparison *comparison, const struct fm_cube *const *cubes,
                               const char *const *names, size_t count, struct fm_error *error);

/** Frees what fm_comparison_make() made. */
void fm_comparison_release(struct fm_comparison *comparison);

/** @return the inclusive total of a metric in a variant, in ticks, occurrences, bytes or costs of
 * the common scale. */
static inline int64_t fm_comparison_total(const struct fm_comparison *comparison, size_t variant,
                                          fm_metric_t metric)
{
    return comparison->totals[variant * FM_METRIC_COUNT + metric];
}

/** @return a value for people and tools: seconds for times, else the number itself. */
double fm_comparison_scaled(const struct fm_comparison *comparison, fm_metric_t metric,
                            int64_t value);

/** A condition on how a metric changes, such as "mpi_late* > +5%": a wildcard pattern of metric
 * ids, > or <, and a change relative to the base in percent, or in the metric's unit. */
struct fm_condition {
    const char *text; /**< as given */
    char pattern[64];
    bool above; /**< > */
    bool relative;
    double limit; /**< 0.05 for 5 %, else seconds, occurrences or bytes */
};

/** Reads a condition; FM_ERR_USAGE: it makes no sense, or names no metric. `text` must live as
 * long. */
fm_status_t fm_condition_parse(struct fm_condition *condition, const char *text,
                               struct fm_error *error);

/** @return whether the metric meets the condition in a variant. A metric that the base lacks grows
 * by infinitely many percent. */
bool fm_condition_met(const struct fm_condition *condition, const struct fm_comparison *comparison,
                      size_t variant, fm_metric_t metric);

/** What of a comparison is shown. */
struct fm_diff_options {
    const char *pattern; /**< wildcards: metrics of this id only; NULL: those that matter */
    unsigned top;        /**< how many changes to show */
    const struct fm_condition *conditions;
    size_t condition_count;
};

/** @return whether the table of metrics has a row for this one: it fits the pattern or, without
 * one, belongs to the time tree, or is the root of a tree of counts, and is large enough somewhere.
 */
bool fm_diff_shows(const struct fm_comparison *comparison, const struct fm_diff_options *options,
                   fm_metric_t metric);

/** Writes the comparison for the terminal. */
void fm_diff_write_text(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, const struct fm_terminal *terminal);

/** Writes it as tables in Markdown. Errors are left in the stream. */
void fm_diff_write_markdown(const struct fm_comparison *comparison,
                            const struct fm_diff_options *options, FILE *stream);

/** Writes it as JSON (docs/report-json.md), with all metrics and changes. Errors are left in the
 * stream. */
void fm_diff_write_json(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, FILE *stream);

#endif
