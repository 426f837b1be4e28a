/* SPDX-License-Identifier: BSD-3-Clause */
/* The chains of causes of the longest waits as a graph in the DOT language of Graphviz: `dot -Tsvg`
 * draws it. Boxes are waits, rounded boxes the delays that cause them. */
#include "base/text.h"
#include "cube/view/callpath_pattern.h"
#include "diagnosis/place.h"
#include "diagnosis/process_word.h"
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a call path beyond which its middle is left out, to limit the width of boxes. */
#define LONGEST_PATH 72

/* Writes text inside a quoted string; escapes the characters that are special to Graphviz. */
static void put_text(FILE *stream, const char *text)
{
    char *printable = fm_text_printable(text, true);
    for (const char *c = printable; c != NULL && *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            putc('\\', stream);
        }
        putc(*c, stream);
    }
    free(printable);
}

static void put_place(FILE *stream, const struct fm_cube *cube, uint32_t location,
                      uint32_t callpath)
{
    const struct fm_cube_location *where = &cube->locations[location];
    char *path = fm_cube_callpath_short(cube, callpath, LONGEST_PATH);
    char *process = fm_process_name(fm_process_word(cube), where);
    fputs(process, stream);
    free(process);
    if (where->thread != 0) {
        fprintf(stream, ", %s %u", fm_place_kind(where), where->thread);
    }
    fputs("\\n", stream);
    put_text(stream, path == NULL ? "?" : path);
    free(path);
}

static double seconds(const struct fm_cube *cube, uint64_t ticks)
{
    return (double)ticks / (double)cube->experiment.ticks_per_second;
}

static void put_chain(FILE *stream, const struct fm_cube *cube, fm_metric_t metric,
                      const struct fm_cube_instance *instance, unsigned number)
{
    fprintf(stream, "  subgraph chain%u {\n    w%u_0 [shape=box, label=\"%s: %.6g s\\n", number,
            number, fm_metric_info(metric)->name, seconds(cube, instance->wait));
    put_place(stream, cube, instance->location, instance->callpath);
    fprintf(stream, "\\nat %.6g s\"];\n", seconds(cube, instance->enter));
    for (uint32_t i = 0; i < instance->chain_length; i++) {
        const struct fm_cube_cause *cause = &instance->chain[i];
        bool is_wait = cause->metric != FM_METRIC_NONE;
        fprintf(stream, "    w%u_%u [shape=box%s, label=\"%s %.6g s\\n", number, i + 1,
                is_wait ? "" : ", style=\"rounded,filled\", fillcolor=\"#fde0c5\"",
                is_wait ? fm_metric_info((fm_metric_t)cause->metric)->name : "takes longer by",
                seconds(cube, cause->ticks));
        put_place(stream, cube, cause->location, cause->callpath);
        fprintf(stream, "\"];\n    w%u_%u -> w%u_%u [label=\"%.1f %%\"];\n", number, i + 1, number,
                i, (double)cause->permille / 10);
    }
    fputs("  }\n", stream);
}

static fm_status_t write_graph(const struct fm_export_request *request, FILE *stream,
                               struct fm_error *error)
{
    (void)error;
    const struct fm_cube *cube = request->cube;
    unsigned number = 0;
    fputs("digraph causes {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n"
          "  edge [fontname=\"sans-serif\", fontsize=9];\n",
          stream);
    for (uint32_t s = 0; s < cube->statistics_count; s++) {
        const struct fm_cube_statistics *record = &cube->statistics[s];
        fm_metric_t metric = (fm_metric_t)record->metric;
        if (!fm_metric_is_within(metric, request->metric) &&
            !fm_metric_is_within(request->metric, metric)) {
            continue;
        }
        for (uint32_t i = 0; i < record->worst_count; i++) {
            put_chain(stream, cube, metric, &record->worst[i], number++);
        }
    }
    fputs("}\n", stream);
    return FM_OK;
}

const struct fm_export_format fm_export_graphviz = {
    .name = "graphviz",
    .file = "causes.dot",
    .summary = "why the longest waits of --metric (default: all) came about; for dot -Tsvg",
    .of_one_metric = true,
    .write = write_graph,
};
