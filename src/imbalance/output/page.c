/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"
#include "imbalance/output/output.h"

#include <inttypes.h>
#include <math.h>

/* Colours and fonts of web/src/styles/base.css. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<title>fermata: load imbalance</title><style>"
    ":root{--b:#f6f6f3;--p:#fff;--i:#1c1f24;--m:#646a73;--l:#e2e2dc;color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){:root{--b:#15171a;--p:#1c1f23;--i:#e6e7e9;--m:#9aa1aa;"
    "--l:#31363c}}"
    "body{margin:0 auto;max-width:1500px;padding:1.5em;background:var(--b);color:var(--i);"
    "font:13px/1.45 Inter,system-ui,'Segoe UI',Roboto,sans-serif;font-variant-numeric:tabular-nums}"
    "h1{font-size:20px}h2{font-size:15px;margin:1.6em 0 .5em}"
    ".x{overflow-x:auto}table{border-collapse:collapse;background:var(--p);border:1px solid "
    "var(--l)}td,th{padding:.25em .8em;text-align:right;border-bottom:1px solid var(--l)}"
    "th{color:var(--m);font-weight:500}td:first-child,th:first-child{text-align:left}"
    ".f{display:flex;flex-wrap:wrap;gap:1em;margin:1em 0}.f svg{max-width:100%;height:auto;"
    "border:1px solid var(--l)}p{color:var(--m);max-width:60em}</style></head><body>\n"
    "<h1>Load imbalance</h1>\n";

static void put_cell(FILE *stream, const char *format, double value)
{
    fputs("<td>", stream);
    if (isnan(value)) {
        fputs("-", stream);
    } else {
        /* formats are constants of this file with one %f or %g */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        fprintf(stream, format, value);
#pragma GCC diagnostic pop
    }
    fputs("</td>", stream);
}

static void put_title(FILE *stream, const char *text, const char *set, const char *label)
{
    fprintf(stream, "<h2>%s ", text);
    fm_text_write_xml(stream, set);
    putc(' ', stream);
    fm_text_write_xml(stream, label);
    fputs("</h2>\n", stream);
}

static void put_loads(FILE *stream, const struct fm_gpu_run *run)
{
    fputs("<div class=\"x\"><table><tr><th>Load</th><th>largest</th><th>average</th><th>rank</th>"
          "<th>imbalance</th><th>r with work</th><th>gain</th><th>meaning</th></tr>\n",
          stream);
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        const struct fm_load_imbalance *load = &run->loads[l];
        if (load->count == 0) {
            continue;
        }
        fprintf(stream, "<tr><td>%s</td>", fm_load_name((fm_load_t)l));
        put_cell(stream, l == FM_LOAD_WORK ? "%.10g" : "%.6g s", load->largest);
        put_cell(stream, l == FM_LOAD_WORK ? "%.10g" : "%.6g s", load->average);
        fprintf(stream, "<td>%" PRIu32 "</td>", run->ranks.items[load->where].rank);
        put_cell(stream, "%.2f %%", 100 * load->imbalance);
        put_cell(stream, "%.6f", run->correlation[l]);
        put_cell(stream, "%+.2f %%",
                 l > FM_LOAD_MEASURED ? 100 * fm_gpu_improvement(run->correlation[FM_LOAD_MEASURED],
                                                                 run->correlation[l])
                                      : NAN);
        fprintf(stream, "<td>%s</td></tr>\n", fm_load_meaning((fm_load_t)l));
    }
    fputs("</table></div>\n", stream);
}

static void put_ranks(FILE *stream, const struct fm_gpu_run *run)
{
    fputs("<details><summary>Ranks</summary><div class=\"x\"><table><tr><th>rank</th><th>work</th>"
          "<th>measured [s]</th><th>SM</th><th>warp</th><th>GPU</th><th>adjusted [s]</th>"
          "<th>composite [s]</th><th>measured - work</th><th>adjusted - work</th></tr>\n",
          stream);
    for (size_t i = 0; i < run->ranks.count; i++) {
        const struct fm_gpu_rank *rank = &run->ranks.items[i];
        fprintf(stream, "<tr><td>%" PRIu32 "</td>", rank->rank);
        put_cell(stream, "%.10g", rank->loads[FM_LOAD_WORK]);
        put_cell(stream, "%.6g", rank->loads[FM_LOAD_MEASURED]);
        put_cell(stream, "%.1f %%", 100 * rank->sm);
        put_cell(stream, "%.1f %%", 100 * rank->warp);
        put_cell(stream, "%.1f %%", 100 * rank->efficiency);
        put_cell(stream, "%.6g", rank->loads[FM_LOAD_ADJUSTED]);
        put_cell(stream, "%.6g", rank->loads[FM_LOAD_COMPOSITE]);
        put_cell(stream, "%+.1f %%", 100 * rank->difference[FM_LOAD_MEASURED]);
        put_cell(stream, "%+.1f %%", 100 * rank->difference[FM_LOAD_ADJUSTED]);
        fputs("</tr>\n", stream);
    }
    fputs("</table></div></details>\n", stream);
}

static void put_run(FILE *stream, const struct fm_gpu_run *run)
{
    put_title(stream, "Run", run->set, run->label);
    if (run->is_modelled) {
        fputs("<p>The efficiencies are those of a model, not of a device.</p>\n", stream);
    }
    if (run->ranks.count > 0) {
        put_loads(stream, run);
        put_ranks(stream, run);
    }
    for (size_t i = 0; i < run->warnings.count; i++) {
        fputs("<p>", stream);
        fm_text_write_xml(stream, run->warnings.items[i]);
        fputs("</p>\n", stream);
    }
}

static void put_set(FILE *stream, const struct fm_sweep *sweep, const struct fm_sweep_set *set)
{
    put_title(stream, "Imbalances in %", set->name, "");
    fputs("<div class=\"x\"><table><tr><th>problem</th>", stream);
    for (int c = 0; c < FM_SWEEP_COLUMN_COUNT; c++) {
        fprintf(stream, "<th>%s</th>", fm_sweep_column_name((fm_sweep_column_t)c));
    }
    fputs("</tr>\n", stream);
    for (size_t i = set->begin; i < set->end; i++) {
        const struct fm_sweep_row *row = &sweep->rows.items[i];
        fputs("<tr><td>", stream);
        fm_text_write_xml(stream, row->problem);
        fputs("</td>", stream);
        for (int c = 0; c < FM_SWEEP_COLUMN_COUNT; c++) {
            put_cell(stream,
                     c >= FM_SWEEP_R_MEASURED ? "%.4f"
                     : c >= FM_SWEEP_WORK     ? "%.2f"
                                              : "%.12g",
                     row->values[c]);
        }
        fputs("</tr>\n", stream);
    }
    fputs("</table></div>\n<p>Mean distance to the imbalance of the work, percentage points:",
          stream);
    for (int l = 0; l < FM_SWEEP_LOADS; l++) {
        if (!isnan(set->error[l])) {
            fprintf(stream, " %s %.2f;", fm_sweep_load_name((enum fm_sweep_load)l), set->error[l]);
        }
    }
    fputs("</p>\n", stream);
}

void fm_imbalance_write_page(const struct fm_imbalance_result *result, FILE *stream)
{
    fputs(head, stream);
    if (result->sweep != NULL) {
        for (size_t s = 0; s < result->sweep->sets.count; s++) {
            put_set(stream, result->sweep, &result->sweep->sets.items[s]);
        }
        if (result->sweep->is_composite_estimated) {
            fputs("<p>Composites are estimated from the imbalances of measured and adjusted "
                  "time.</p>\n",
                  stream);
        }
    }
    fm_figure_list figures = {0};
    fm_figures_draw(result, &figures);
    fputs("<div class=\"f\">\n", stream);
    for (size_t i = 0; i < figures.count; i++) {
        fwrite(figures.items[i].content, 1, figures.items[i].size, stream);
    }
    fputs("</div>\n", stream);
    fm_figures_free(&figures);
    for (size_t i = 0; i < result->run_count; i++) {
        put_run(stream, &result->runs[i]);
    }
    fputs("</body></html>\n", stream);
}
