/* fermata counters matrix: who has sent how much to whom, by Open MPI's monitoring components, as a
 * picture (SVG) or as numbers. */
#include "cli/counters/counter_grid.h"
#include "cli/counters/counter_output.h"
#include "counters/monitoring.h"
#include "diagnosis/number_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 60, TOP = 60, RIGHT = 150, BOTTOM = 50, PLANE = 640, CELL_MOST = 48, LABELS = 10 };

static bool kind_named(const char *name, enum fm_monitored *kind)
{
    for (int i = 0; i < FM_MONITORED_KINDS; i++) {
        if (strcmp(name, fm_monitored_name((enum fm_monitored)i)) == 0) {
            *kind = (enum fm_monitored)i;
            return true;
        }
    }
    return false;
}

static uint64_t most_bytes(const struct fm_monitoring *monitoring, enum fm_monitored kind)
{
    uint64_t most = 0;
    for (size_t i = 0; i < monitoring->links.count; i++) {
        const struct fm_monitored_link *link = &monitoring->links.items[i];
        most = link->kind == kind && link->bytes > most ? link->bytes : most;
    }
    return most;
}

static void print_axes(const struct fm_monitoring *monitoring, double cell)
{
    uint32_t step = (monitoring->ranks + LABELS - 1) / LABELS;
    double side = cell * monitoring->ranks;
    for (uint32_t rank = 0; rank < monitoring->ranks; rank += step) {
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

static void print_svg(const struct fm_monitoring *monitoring, enum fm_monitored kind)
{
    uint64_t most = most_bytes(monitoring, kind);
    double cell = (double)PLANE / monitoring->ranks;
    cell = cell < CELL_MOST ? cell : CELL_MOST;
    double side = cell * monitoring->ranks;
    char bytes[FM_FORMAT_SIZE], messages[FM_FORMAT_SIZE], colour[8];
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
           "<text x=\"%d\" y=\"26\" font-size=\"15\">Bytes between ranks (%s), at most %s</text>\n"
           "<g shape-rendering=\"crispEdges\">\n",
           LEFT + (side > 260 ? side : 260) + RIGHT, TOP + side + BOTTOM, LEFT,
           fm_monitored_name(kind), fm_format_count(bytes, (int64_t)most));
    for (size_t i = 0; i < monitoring->links.count; i++) {
        const struct fm_monitored_link *link = &monitoring->links.items[i];
        if (link->kind == kind) {
            printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"><title>"
                   "%" PRIu32 " to %" PRIu32 ": %s bytes, %s messages</title></rect>\n",
                   LEFT + link->to * cell, TOP + link->from * cell, cell, cell,
                   fm_counter_colour(colour, most > 0 ? (double)link->bytes / (double)most : 0),
                   link->from, link->to, fm_format_count(bytes, (int64_t)link->bytes),
                   fm_format_count(messages, (int64_t)link->messages));
        }
    }
    printf("<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
           "stroke=\"#888\"/>\n</g>\n",
           LEFT, TOP, side, side);
    print_axes(monitoring, cell);
    puts("</svg>");
}

static void print_csv(const struct fm_monitoring *monitoring)
{
    puts("kind,from,to,messages,bytes");
    for (size_t i = 0; i < monitoring->links.count; i++) {
        const struct fm_monitored_link *link = &monitoring->links.items[i];
        printf("%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 "\n",
               fm_monitored_name(link->kind), link->from, link->to, link->messages, link->bytes);
    }
}

static void print_json(const struct fm_monitoring *monitoring)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_unsigned(&json, "ranks", monitoring->ranks);
    fm_json_array(&json, "links");
    for (size_t i = 0; i < monitoring->links.count; i++) {
        const struct fm_monitored_link *link = &monitoring->links.items[i];
        fm_json_object(&json, NULL);
        fm_json_string(&json, "kind", fm_monitored_name(link->kind));
        fm_json_unsigned(&json, "from", link->from);
        fm_json_unsigned(&json, "to", link->to);
        fm_json_unsigned(&json, "messages", link->messages);
        fm_json_unsigned(&json, "bytes", link->bytes);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_array(&json, "sizes"); /* bin 0: empty, 1: 1 byte, 2: 2-3, ... */
    for (int i = 0; i < FM_MONITORED_BINS; i++) {
        fm_json_unsigned(&json, NULL, monitoring->sizes[i]);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    putchar('\n');
}

fm_status_t fm_counters_matrix(const struct fm_counter_request *request, const char *prefix,
                               const char *kind_name, struct fm_error *error)
{
    struct fm_monitoring monitoring;
    enum fm_monitored kind = FM_MONITORED_USER;
    if (kind_name != NULL && !kind_named(kind_name, &kind)) {
        return fm_fail(error, FM_ERR_USAGE, "%s is none of user, library, put, get, collective",
                       kind_name);
    }
    fm_status_t status = fm_monitoring_read(prefix, &monitoring, error);
    if (status == FM_OK && monitoring.ranks == 0) {
        status = fm_fail(error, FM_ERR_DATA, "%s: no rank has sent anything", prefix);
    }
    if (status == FM_OK && request->format == FM_COUNTERS_CSV) {
        print_csv(&monitoring);
    } else if (status == FM_OK && request->format == FM_COUNTERS_JSON) {
        print_json(&monitoring);
    } else if (status == FM_OK) {
        print_svg(&monitoring, kind);
    }
    fm_monitoring_free(&monitoring);
    return status;
}
