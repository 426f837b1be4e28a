/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters matrix: who has sent how much to whom, by an experiment's own counters or by
 * Open MPI's monitoring components, as a picture (SVG) or as numbers. */
#include "cli/counters/counter_grid.h"
#include "cli/counters/counter_output.h"
#include "cli/counters/traffic/traffic_gaps.h"
#include "counters/traffic/job_traffic.h"
#include "counters/traffic/monitoring.h"
#include "diagnosis/number_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LEFT = 60, TOP = 60, RIGHT = 150, BOTTOM = 50, PLANE = 640, CELL_MOST = 48, LABELS = 10 };

/* Kinds of traffic, and what their links count. */
struct kinds {
    const char *(*name)(uint32_t kind);
    uint32_t count;
    const char *list; /* of names, for messages */
};

/* A matrix of ranks. */
struct matrix {
    uint32_t ranks;
    const struct fm_rank_link *links;
    size_t count;
    const struct kinds *kinds;
    const uint64_t *sizes; /* messages by FM_MONITORED_BINS bins of sizes; NULL: not known */
};

static const char *monitored_name(uint32_t kind)
{
    return fm_monitored_name((enum fm_monitored)kind);
}

static const char *flow_name(uint32_t kind)
{
    return fm_traffic_flow_name((enum fm_traffic_flow)kind);
}

static const struct kinds monitored_kinds = {monitored_name, FM_MONITORED_KINDS,
                                             "user, library, put, get, collective"};
static const struct kinds flow_kinds = {flow_name, FM_FLOWS, "sent, received, put, get, atomic"};

/* Finds a kind by its name; NULL: the first one. */
static fm_status_t kind_named(const struct kinds *kinds, const char *name, uint32_t *kind,
                              struct fm_error *error)
{
    *kind = 0;
    while (name != NULL && *kind < kinds->count && strcmp(name, kinds->name(*kind)) != 0) {
        ++*kind;
    }
    return *kind < kinds->count
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE, "%s is none of %s", name, kinds->list);
}

static uint64_t most_bytes(const struct matrix *matrix, uint32_t kind)
{
    uint64_t most = 0;
    for (size_t i = 0; i < matrix->count; i++) {
        const struct fm_rank_link *link = &matrix->links[i];
        most = link->kind == kind && link->bytes > most ? link->bytes : most;
    }
    return most;
}

static void print_axes(const struct matrix *matrix, double cell)
{
    uint32_t step = (matrix->ranks + LABELS - 1) / LABELS;
    double side = cell * matrix->ranks;
    for (uint32_t rank = 0; rank < matrix->ranks; rank += step) {
        double at = (rank + 0.5) * cell;
        printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%" PRIu32 "</text>\n", LEFT + at,
               TOP + side + 16, rank);
        printf("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%" PRIu32 "</text>\n", LEFT - 6,
               TOP + at + 4, rank);
    }
    printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">to rank</text>\n", LEFT + side / 2,
           TOP + side + 36);
    printf(
        "<text x=\"16\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\">from "
        "rank</text>\n",
        TOP + side / 2, TOP + side / 2);
}

static void print_svg(const struct matrix *matrix, uint32_t kind)
{
    uint64_t most = most_bytes(matrix, kind);
    double cell = (double)PLANE / matrix->ranks;
    cell = cell < CELL_MOST ? cell : CELL_MOST;
    double side = cell * matrix->ranks;
    bool is_one_sided = matrix->kinds == &flow_kinds && kind >= FM_FLOW_PUT;
    const char *operations = is_one_sided ? "operations" : "messages";
    char bytes[FM_FORMAT_SIZE], messages[FM_FORMAT_SIZE], colour[8];
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
           "<text x=\"%d\" y=\"26\" font-size=\"15\">Bytes between ranks (%s), at most %s</text>\n"
           "<g shape-rendering=\"crispEdges\">\n",
           LEFT + (side > 260 ? side : 260) + RIGHT, TOP + side + BOTTOM, LEFT,
           matrix->kinds->name(kind), fm_format_count(bytes, (int64_t)most));
    for (size_t i = 0; i < matrix->count; i++) {
        const struct fm_rank_link *link = &matrix->links[i];
        if (link->kind == kind) {
            printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"><title>"
                   "%" PRIu32 " to %" PRIu32 ": %s bytes, %s %s</title></rect>\n",
                   LEFT + link->to * cell, TOP + link->from * cell, cell, cell,
                   fm_counter_colour(colour, most > 0 ? (double)link->bytes / (double)most : 0),
                   link->from, link->to, fm_format_count(bytes, (int64_t)link->bytes),
                   fm_format_count(messages, (int64_t)link->messages), operations);
        }
    }
    printf("<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
           "stroke=\"#888\"/>\n</g>\n",
           LEFT, TOP, side, side);
    print_axes(matrix, cell);
    puts("</svg>");
}

static void print_csv(const struct matrix *matrix)
{
    puts("kind,from,to,messages,bytes");
    for (size_t i = 0; i < matrix->count; i++) {
        const struct fm_rank_link *link = &matrix->links[i];
        printf("%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 "\n",
               matrix->kinds->name(link->kind), link->from, link->to, link->messages, link->bytes);
    }
}

static void print_json(const struct matrix *matrix)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_unsigned(&json, "ranks", matrix->ranks);
    fm_json_array(&json, "links");
    for (size_t i = 0; i < matrix->count; i++) {
        const struct fm_rank_link *link = &matrix->links[i];
        fm_json_object(&json, NULL);
        fm_json_string(&json, "kind", matrix->kinds->name(link->kind));
        fm_json_unsigned(&json, "from", link->from);
        fm_json_unsigned(&json, "to", link->to);
        fm_json_unsigned(&json, "messages", link->messages);
        fm_json_unsigned(&json, "bytes", link->bytes);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    if (matrix->sizes != NULL) {
        fm_json_array(&json, "sizes"); /* bin 0: empty, 1: 1 byte, 2: 2-3, ... */
        for (int i = 0; i < FM_MONITORED_BINS; i++) {
            fm_json_unsigned(&json, NULL, matrix->sizes[i]);
        }
        fm_json_end(&json);
    }
    fm_json_end(&json);
    putchar('\n');
}

static fm_status_t print(const struct fm_counter_request *request, const struct matrix *matrix,
                         const char *kind_name, const char *of, struct fm_error *error)
{
    uint32_t kind;
    fm_status_t status = kind_named(matrix->kinds, kind_name, &kind, error);
    bool is_picture = request->format == FM_COUNTERS_TEXT;
    if (status == FM_OK && (matrix->ranks == 0 || (matrix->count == 0 && is_picture))) {
        status = fm_fail(error, FM_ERR_DATA, "%s: no rank has sent anything", of);
    }
    if (status != FM_OK) {
        return status;
    }
    if (request->format == FM_COUNTERS_CSV) {
        print_csv(matrix);
    } else if (request->format == FM_COUNTERS_JSON) {
        print_json(matrix);
    } else {
        print_svg(matrix, kind);
    }
    return FM_OK;
}

static fm_status_t print_monitoring(const struct fm_counter_request *request, const char *prefix,
                                    const char *kind, struct fm_error *error)
{
    struct fm_monitoring monitoring;
    fm_status_t status = fm_monitoring_read(prefix, &monitoring, error);
    if (status == FM_OK) {
        const struct matrix matrix = {.ranks = monitoring.ranks,
                                      .links = monitoring.links.items,
                                      .count = monitoring.links.count,
                                      .kinds = &monitored_kinds,
                                      .sizes = monitoring.sizes};
        status = print(request, &matrix, kind, prefix, error);
    }
    fm_monitoring_free(&monitoring);
    return status;
}

static fm_status_t print_experiment(const struct fm_counter_request *request, const char *directory,
                                    const char *kind, struct fm_error *error)
{
    struct fm_counter_job job;
    struct fm_job_traffic traffic;
    fm_status_t status = fm_counter_job_open(directory, &job, error);
    if (status != FM_OK) {
        return status;
    }
    status = fm_job_traffic_read(&job, &traffic, error);
    if (status == FM_OK) {
        const struct matrix matrix = {.ranks = traffic.ranks,
                                      .links = traffic.links.items,
                                      .count = traffic.links.count,
                                      .kinds = &flow_kinds};
        fm_counters_note_cut(&job, directory, traffic.files);
        fm_traffic_print_gaps(&traffic, directory);
        status = print(request, &matrix, kind, directory, error);
    }
    fm_job_traffic_free(&traffic);
    fm_counter_job_close(&job);
    return status;
}

fm_status_t fm_counters_matrix(const struct fm_counter_request *request, const char *name,
                               const char *kind, struct fm_error *error)
{
    struct stat properties;
    bool is_directory = stat(name, &properties) == 0 && S_ISDIR(properties.st_mode);
    return is_directory ? print_experiment(request, name, kind, error)
                        : print_monitoring(request, name, kind, error);
}
