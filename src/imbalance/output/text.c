/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/output/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes a number right-aligned in `columns` columns; "-" if it is not known. */
static void put(FILE *stream, int columns, const char *format, double value)
{
    char number[64];
    if (isnan(value)) {
        snprintf(number, sizeof number, "-");
    } else {
        /* formats are constants of this file with one %f or %g */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(number, sizeof number, format, value);
#pragma GCC diagnostic pop
    }
    fprintf(stream, "%*s", columns, number);
}

static void put_heading(const struct fm_terminal *terminal, const struct fm_gpu_run *run)
{
    char text[512];
    snprintf(text, sizeof text, "Loads of %zu rank%s%s%.200s%s%.200s", run->ranks.count,
             run->ranks.count == 1 ? "" : "s", run->label[0] != '\0' ? ": " : "", run->set,
             run->set[0] != '\0' ? " " : "", run->label);
    char *name = fm_terminal_name(terminal, text);
    fm_terminal_heading(terminal, name);
    free(name);
    if (run->is_modelled) {
        fm_terminal_paragraph(terminal, "", 0,
                              "The efficiencies are those of a model, not of a device.");
    }
}

static void put_loads(const struct fm_terminal *terminal, const struct fm_gpu_run *run)
{
    FILE *stream = terminal->stream;
    fprintf(stream, "%-15s%13s%13s%7s%11s%13s%8s\n", "load", "largest", "average", "rank",
            "imbalance", "r with work", "gain");
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        const struct fm_load_imbalance *load = &run->loads[l];
        if (load->count == 0) {
            continue;
        }
        fprintf(stream, "%-15s", fm_load_name((fm_load_t)l));
        const char *format = l == FM_LOAD_WORK ? "%.10g" : "%.5g s";
        put(stream, 13, format, load->largest);
        put(stream, 13, format, load->average);
        fprintf(stream, "%7" PRIu32, run->ranks.items[load->where].rank);
        put(stream, 11, "%.2f%%", 100 * load->imbalance);
        put(stream, 13, "%.6f", run->correlation[l]);
        const double gain =
            100 * fm_gpu_improvement(run->correlation[FM_LOAD_MEASURED], run->correlation[l]);
        const double shown = fabs(gain) < 0.005 ? 0 : gain; /* not -0.00 */
        put(stream, 8, "%+.2f%%", l > FM_LOAD_MEASURED ? shown : NAN);
        putc('\n', stream);
    }
}

static void put_ranks(const struct fm_terminal *terminal, const struct fm_gpu_run *run, size_t top)
{
    FILE *stream = terminal->stream;
    const bool has_work = run->loads[FM_LOAD_WORK].count > 0;
    fprintf(stream, "\n%6s%12s%12s%8s%8s%8s%12s%12s%9s%9s\n", "rank", "work", "measured", "SM",
            "warp", "GPU", "adjusted", "composite", "meas-w", "adj-w");
    for (size_t i = 0; i < run->ranks.count && i < top; i++) {
        const struct fm_gpu_rank *rank = &run->ranks.items[i];
        fprintf(stream, "%6" PRIu32, rank->rank);
        put(stream, 12, "%.10g", rank->loads[FM_LOAD_WORK]);
        put(stream, 12, "%.4g s", rank->loads[FM_LOAD_MEASURED]);
        put(stream, 8, "%.1f%%", 100 * rank->sm);
        put(stream, 8, "%.1f%%", 100 * rank->warp);
        put(stream, 8, "%.1f%%", 100 * rank->efficiency);
        put(stream, 12, "%.4g s", rank->loads[FM_LOAD_ADJUSTED]);
        put(stream, 12, "%.4g s", rank->loads[FM_LOAD_COMPOSITE]);
        put(stream, 9, "%+.1f%%", has_work ? 100 * rank->difference[FM_LOAD_MEASURED] : NAN);
        put(stream, 9, "%+.1f%%", has_work ? 100 * rank->difference[FM_LOAD_ADJUSTED] : NAN);
        putc('\n', stream);
    }
    if (run->ranks.count > top) {
        fm_terminal_print(terminal, "", 2, "%zu more (--top N shows more)", run->ranks.count - top);
    }
}

/* A line for each load, a column for each rank. */
static void put_histograms(const struct fm_terminal *terminal, const struct fm_gpu_run *run)
{
    static const fm_load_t shown[] = {FM_LOAD_WORK, FM_LOAD_MEASURED, FM_LOAD_ADJUSTED,
                                      FM_LOAD_COMPOSITE};
    const unsigned room = terminal->width - 17;
    const size_t count = run->ranks.count < room ? run->ranks.count : room;
    putc('\n', terminal->stream);
    for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++) {
        if (run->loads[shown[s]].count == 0) {
            continue;
        }
        double *series = fm_gpu_run_series(run, shown[s]);
        for (size_t i = 0; i < count; i++) {
            series[i] = isnan(series[i]) ? 0 : series[i];
        }
        fprintf(terminal->stream, "%-15s ", fm_load_name(shown[s]));
        fm_terminal_graph(terminal, series, (unsigned)count);
        putc('\n', terminal->stream);
        fm_free(series);
    }
}

static void put_warnings(const struct fm_terminal *terminal, const struct fm_gpu_run *run)
{
    for (size_t i = 0; i < run->warnings.count; i++) {
        char *text = fm_terminal_name(terminal, run->warnings.items[i]);
        fm_terminal_print(terminal, "  Note", 10, "%s", text);
        free(text);
    }
}

static void put_threads(const struct fm_terminal *terminal, const struct fm_gpu_run *run)
{
    const struct fm_load_imbalance spread =
        fm_load_imbalance_of(run->threads.items, run->threads.count);
    size_t idle = 0;
    for (size_t i = 0; i < run->threads.count; i++) {
        idle += run->threads.items[i] == 0;
    }
    fm_terminal_print(terminal, "", 0,
                      "%zu threads of a block: largest work %.6g (thread %zu), average %.6g, "
                      "imbalance %.1f %%; %zu threads have none.",
                      run->threads.count, spread.largest, spread.where, spread.average,
                      100 * spread.imbalance, idle);
}

static void put_run(const struct fm_terminal *terminal, const struct fm_gpu_run *run, size_t top)
{
    put_heading(terminal, run);
    if (run->ranks.count > 0) {
        put_loads(terminal, run);
        put_histograms(terminal, run);
        put_ranks(terminal, run, top);
    }
    if (run->threads.count > 0) {
        put_threads(terminal, run);
    }
    put_warnings(terminal, run);
}

/* ---- sweeps ---- */

static void put_rows(const struct fm_terminal *terminal, const struct fm_sweep *sweep,
                     const struct fm_sweep_set *set)
{
    static const fm_sweep_column_t imbalances[] = {FM_SWEEP_WORK,        FM_SWEEP_INTERACTION_WORK,
                                                   FM_SWEEP_COMPUTATION, FM_SWEEP_MEASURED,
                                                   FM_SWEEP_ADJUSTED,    FM_SWEEP_COMPOSITE};
    static const fm_sweep_column_t correlations[] = {FM_SWEEP_R_MEASURED, FM_SWEEP_R_ADJUSTED,
                                                     FM_SWEEP_R_COMPOSITE};
    FILE *stream = terminal->stream;
    fprintf(stream, "%-10s%8s%10s%8s%8s%8s%8s%8s%8s%10s%10s%10s\n", "problem", "removed",
            "parameter", "work", "inter.", "comp.", "meas.", "adj.", "compos.", "r meas.", "r adj.",
            "r compos.");
    for (size_t i = set->begin; i < set->end; i++) {
        const struct fm_sweep_row *row = &sweep->rows.items[i];
        char *name = fm_terminal_name(terminal, row->problem);
        fprintf(stream, "%-10.9s", name);
        free(name);
        put(stream, 8, "%.1f%%", row->values[FM_SWEEP_REMOVED]);
        put(stream, 10, "%.6g", row->values[FM_SWEEP_PARAMETER]);
        for (size_t c = 0; c < sizeof imbalances / sizeof imbalances[0]; c++) {
            put(stream, 8, "%.2f", row->values[imbalances[c]]);
        }
        for (size_t c = 0; c < sizeof correlations / sizeof correlations[0]; c++) {
            put(stream, 10, "%.4f", row->values[correlations[c]]);
        }
        putc('\n', stream);
    }
}

/* Lists the problems in which one load is nearer to the work than another one. */
static void put_nearer(const struct fm_terminal *terminal, const struct fm_sweep *sweep,
                       const struct fm_sweep_set *set, enum fm_sweep_load left,
                       enum fm_sweep_load right)
{
    char text[1024];
    size_t length = 0, count = 0, both = 0;
    text[0] = '\0';
    for (size_t i = set->begin; i < set->end; i++) {
        const struct fm_sweep_row *row = &sweep->rows.items[i];
        both += !isnan(fm_sweep_difference(row, left)) && !isnan(fm_sweep_difference(row, right));
        if (fm_sweep_is_nearer(row, left, right)) {
            char *name = fm_terminal_name(terminal, row->problem);
            if (length < sizeof text - 64) {
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%.40s",
                                           count > 0 ? ", " : "", name);
            }
            count++;
            free(name);
        }
    }
    if (both > 0) {
        fm_terminal_print(terminal, "", 2, "%s is nearer than %s in %zu of %zu problems%s%s",
                          fm_sweep_load_name(left), fm_sweep_load_name(right), count, both,
                          count > 0 ? ": " : "", text);
    }
}

static void put_set(const struct fm_terminal *terminal, const struct fm_sweep *sweep,
                    const struct fm_sweep_set *set)
{
    char text[300];
    snprintf(text, sizeof text, "Imbalances in %%%s%.200s", set->name[0] != '\0' ? ": " : "",
             set->name);
    char *name = fm_terminal_name(terminal, text);
    fm_terminal_heading(terminal, name);
    free(name);
    put_rows(terminal, sweep, set);
    fputs("\nDistance to the imbalance of the work, percentage points\n", terminal->stream);
    for (int l = 0; l < FM_SWEEP_LOADS; l++) {
        if (!isnan(set->error[l])) {
            fprintf(terminal->stream, "  %-16smean %6.2f   largest %+7.2f\n",
                    fm_sweep_load_name((enum fm_sweep_load)l), set->error[l], set->worst[l]);
        }
    }
    put_nearer(terminal, sweep, set, FM_SWEEP_LOAD_ADJUSTED, FM_SWEEP_LOAD_MEASURED);
    put_nearer(terminal, sweep, set, FM_SWEEP_LOAD_COMPOSITE, FM_SWEEP_LOAD_MEASURED);
    put_nearer(terminal, sweep, set, FM_SWEEP_LOAD_COMPOSITE, FM_SWEEP_LOAD_ADJUSTED);
}

void fm_imbalance_write_text(const struct fm_imbalance_result *result, size_t top,
                             const struct fm_terminal *terminal)
{
    if (result->sweep == NULL) {
        for (size_t i = 0; i < result->run_count; i++) {
            put_run(terminal, &result->runs[i], top);
        }
        return;
    }
    for (size_t s = 0; s < result->sweep->sets.count; s++) {
        put_set(terminal, result->sweep, &result->sweep->sets.items[s]);
    }
    for (size_t i = 0; i < result->run_count; i++) {
        if (result->runs[i].is_modelled) {
            fm_terminal_paragraph(terminal, "", 0,
                                  "The efficiencies are those of a model, not of a device.");
            break;
        }
    }
    if (result->sweep->is_composite_estimated) {
        fm_terminal_paragraph(terminal, "", 0,
                              "Composites are estimated from the imbalances of measured and "
                              "adjusted time: there are no loads of ranks.");
    }
}
