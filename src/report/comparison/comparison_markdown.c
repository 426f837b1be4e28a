/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as Markdown: for merge requests and pages. */
#include "cube/model/callpath_text.h"
#include "report/comparison/change_format.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/** Writes a name with all characters escaped that have a meaning in Markdown or HTML. */
static void put_name(FILE *stream, const char *name)
{
    char *printable = fm_text_printable(name, true);
    for (const char *c = printable; c != NULL && *c != '\0'; c++) {
        if (*c == '<' || *c == '>' || *c == '&')
            fputs(*c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;", stream);
        else {
            if (strchr("\\`*_{}[]()#+-.!|~", *c) != NULL)
                putc('\\', stream);
            putc(*c, stream);
        }
    }
    free(printable);
}

static void put_values(const struct fm_comparison *comparison, fm_metric_t metric,
                       const int64_t *values, size_t stride, FILE *stream)
{
    char text[FM_FORMAT_SIZE];
    for (size_t c = 0; c < comparison->count; c++) {
        fprintf(stream, " %s |", fm_diff_format(text, comparison, metric, values[c * stride]));
        if (c > 0)
            fprintf(stream, " %s |",
                    fm_diff_format_change(text, comparison, c, values[0], values[c * stride]));
    }
    putc('\n', stream);
}

static void put_lengths(const struct fm_comparison *comparison, FILE *stream)
{
    char text[FM_FORMAT_SIZE];
    const int64_t *lengths = comparison->lengths;
    fputs("| Run time |", stream);
    for (size_t c = 0; c < comparison->count; c++) {
        fprintf(stream, " %s |", fm_diff_format_length(text, comparison, c));
        if (c > 0)
            fprintf(stream, " %s |",
                    fm_diff_format_change(text, comparison, c, lengths[0], lengths[c]));
    }
    putc('\n', stream);
}

/** Writes how the runs ended that ended inside of calls. */
static void put_ends(const struct fm_comparison *comparison, FILE *stream)
{
    for (size_t c = 0; c < comparison->count; c++) {
        if (comparison->ends[c] != NULL) {
            fputs("- ", stream);
            put_name(stream, comparison->names[c]);
            fputs(" ended inside of calls, and is not compared: ", stream);
            put_name(stream, comparison->ends[c]);
            putc('\n', stream);
        }
    }
    if (!fm_comparison_is_whole(comparison))
        putc('\n', stream);
}

static void put_header(const struct fm_comparison *comparison, const char *first, FILE *stream)
{
    fprintf(stream, "| %s |", first);
    for (size_t c = 0; c < comparison->count; c++) {
        putc(' ', stream);
        put_name(stream, comparison->names[c]);
        fputs(c > 0 ? " | change |" : " |", stream);
    }
    fputs("\n|---|", stream);
    for (size_t c = 0; c < comparison->count; c++)
        fputs(c > 0 ? "--:|--:|" : "--:|", stream);
    putc('\n', stream);
}

/** Writes a row of efficiencies; see fm_comparison_ratio(). */
static void put_ratios(const struct fm_comparison *comparison, const char *name, unsigned depth,
                       unsigned row, FILE *stream)
{
    char text[FM_FORMAT_SIZE];
    const double base = fm_comparison_ratio(comparison, 0, row);
    fputs("| ", stream);
    for (unsigned i = 0; i < depth; i++)
        fputs("&emsp;", stream);
    fprintf(stream, "%s |", name);
    for (size_t c = 0; c < comparison->count; c++) {
        const double ratio = fm_comparison_ratio(comparison, c, row);
        fprintf(stream, " %s |", fm_diff_format_ratio(text, ratio));
        if (c > 0)
            fprintf(stream, " %s |", fm_diff_format_points(text, base, ratio));
    }
    putc('\n', stream);
}

static void put_metrics(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, FILE *stream)
{
    put_header(comparison, "Property", stream);
    if (options->pattern == NULL) {
        put_lengths(comparison, stream);
        put_ratios(comparison, "Parallel efficiency", 0, FM_HYBRID_ROWS, stream);
        for (unsigned i = 0; i < FM_HYBRID_ROWS && comparison->has_hybrids; i++) {
            const struct fm_hybrid_row *row = &comparison->hybrids[0][i];
            put_ratios(comparison, row->name, 1 + row->depth, i, stream);
        }
    }
    fm_metric_t order[FM_METRIC_COUNT];
    unsigned count = fm_metrics_in_order(order);
    for (unsigned k = 0; k < count; k++) {
        fm_metric_t m = order[k];
        if (!fm_diff_shows(comparison, options, m))
            continue;
        fputs("| ", stream);
        unsigned depth = options->pattern == NULL ? fm_metric_depth(m) : 0;
        for (unsigned i = 0; i < depth; i++)
            fputs("&emsp;", stream);
        fprintf(stream, "%s |", fm_metric_info(m)->name);
        put_values(comparison, m, &comparison->totals[m], FM_METRIC_COUNT, stream);
    }
}

static void put_changes(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, FILE *stream)
{
    fputs("\n### Largest changes\n\n", stream);
    put_header(comparison, "Property in call path", stream);
    for (size_t i = 0; i < comparison->change_count && i < options->top; i++) {
        const struct fm_change *change = &comparison->changes[i];
        if (change->difference == 0)
            break;
        char *path =
            fm_cube_callpath_text(comparison->combination.united.frame, change->callpath, "/");
        fprintf(stream, "| %s in ", fm_metric_info(change->metric)->name);
        put_name(stream, path == NULL ? "?" : path);
        fputs(fm_change_is_estimated(comparison, change) ? ", by samples |" : " |", stream);
        put_values(comparison, change->metric, change->values, 1, stream);
        free(path);
    }
}

static void put_conditions(const struct fm_comparison *comparison,
                           const struct fm_diff_options *options, FILE *stream)
{
    if (options->condition_count > 0)
        fputs("\n### Conditions\n\n", stream);
    for (size_t i = 0; i < options->condition_count; i++) {
        bool met = false;
        for (size_t c = 1; c < comparison->count; c++) {
            for (unsigned m = 0; m < fm_metric_end(); m++) {
                if (!fm_condition_met(&options->conditions[i], comparison, c, (fm_metric_t)m))
                    continue;
                fputs(met ? ", " : "- **met**: ", stream);
                if (!met) {
                    put_name(stream, options->conditions[i].text);
                    fputs(" by ", stream);
                }
                met = true;
                put_name(stream, fm_metric_info((fm_metric_t)m)->id);
                fputs(" in ", stream);
                put_name(stream, comparison->names[c]);
            }
        }
        if (!met) {
            fputs(fm_comparison_is_whole(comparison)
                      ? "- not met: "
                      : "- not known, as a run ended inside of calls: ",
                  stream);
            put_name(stream, options->conditions[i].text);
        }
        putc('\n', stream);
    }
}

void fm_diff_write_markdown(const struct fm_comparison *comparison,
                            const struct fm_diff_options *options, FILE *stream)
{
    put_ends(comparison, stream);
    put_metrics(comparison, options, stream);
    put_changes(comparison, options, stream);
    put_conditions(comparison, options, stream);
}
