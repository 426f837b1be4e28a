/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/cubex/cubex_anchor.h"

#include "base/text.h"
#include "cube/view/view.h"
#include "diagnosis/process_word.h"

#include <stdlib.h>
#include <string.h>

bool fm_cubex_is_integer(const struct fm_cube *cube, fm_metric_t metric)
{
    if (fm_unit_is_time(fm_metric_info(metric)->unit)) {
        return false;
    }
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        size_t count = 0;
        const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, (fm_metric_t)i, &count);
        for (size_t c = 0; fm_metric_is_within((fm_metric_t)i, metric) && c < count; c++) {
            if (cells[c].value < 0) {
                return false;
            }
        }
    }
    return true;
}

static void put_element(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "<%s>", name);
    fm_text_write_xml(stream, text);
    fprintf(stream, "</%s>\n", name);
}

static void put_attribute(FILE *stream, const char *key, const char *value)
{
    if (value == NULL) {
        return;
    }
    fprintf(stream, "<attr key=\"%s\" value=\"", key);
    fm_text_write_xml(stream, value);
    fputs("\"/>\n", stream);
}

static void put_metric(const struct fm_cube *cube, fm_metric_t metric, FILE *stream)
{
    const struct fm_metric_info *info = fm_metric_info(metric);
    fprintf(stream, "<metric id=\"%u\" type=\"EXCLUSIVE\">\n", (unsigned)metric);
    put_element(stream, "disp_name", info->name);
    put_element(stream, "uniq_name", info->id);
    put_element(stream, "dtype", fm_cubex_is_integer(cube, metric) ? "UINT64" : "DOUBLE");
    put_element(stream, "uom", fm_unit_name(info->unit));
    put_element(stream, "url", "");
    fputs("<descr>", stream);
    fm_text_write_xml(stream, info->description);
    fputs(info->formula[0] != '\0' ? " Formula: " : "", stream);
    fm_text_write_xml(stream, info->formula);
    fputs(info->advice[0] != '\0' ? " What to do: " : "", stream);
    fm_text_write_xml(stream, info->advice);
    fputs("</descr>\n", stream);
    /* The descendants of a metric follow it in the table, but not always directly. */
    for (unsigned child = metric + 1; child < fm_metric_end(); child++) {
        if (fm_metric_info((fm_metric_t)child)->parent == metric) {
            put_metric(cube, (fm_metric_t)child, stream);
        }
    }
    fputs("</metric>\n", stream);
}

static void put_metrics(const struct fm_cube *cube, FILE *stream)
{
    fputs("<metrics>\n", stream);
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        if (fm_metric_info((fm_metric_t)i)->parent == FM_METRIC_NONE) {
            put_metric(cube, (fm_metric_t)i, stream);
        }
    }
    fputs("</metrics>\n", stream);
}

static void put_region(const struct fm_cube_region *region, uint32_t id, FILE *stream)
{
    int line = region->line == 0 ? -1 : (int)region->line;
    fprintf(stream, "<region id=\"%u\" mod=\"", id);
    fm_text_write_xml(stream, region->file);
    fprintf(stream, "\" begin=\"%d\" end=\"-1\">\n", line);
    put_element(stream, "name", region->name);
    put_element(stream, "mangled_name", region->name);
    put_element(stream, "paradigm", region->paradigm);
    put_element(stream, "role", "function");
    put_element(stream, "url", "");
    put_element(stream, "descr", "");
    fputs("</region>\n", stream);
}

/* Score-P's and Scalasca's way to state a parameter; tools that do not know it show the name of the
 * region. A number is numeric, everything else a text. */
static void put_parameter(const struct fm_cube_region *region, FILE *stream)
{
    const char *equals = strchr(region->name, '=');
    if (strcmp(region->paradigm, FM_CUBE_PARAMETER) != 0 || equals == NULL) {
        return;
    }
    const char *digits = equals + 1 + (equals[1] == '-');
    bool is_number = digits[0] != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    char *name = strndup(region->name, (size_t)(equals - region->name));
    fprintf(stream, "<parameter partype=\"%s\" parkey=\"", is_number ? "numeric" : "string");
    fm_text_write_xml(stream, name);
    fputs("\" parvalue=\"", stream);
    fm_text_write_xml(stream, equals + 1);
    fputs("\"/>\n", stream);
    free(name);
}

/* Cube's attributes of a call path for the line that calls it. */
static void put_site(const struct fm_cube *cube, uint32_t site, FILE *stream)
{
    if (site == FM_CUBE_NONE) {
        return;
    }
    if (cube->sites[site].line != 0) {
        fprintf(stream, " line=\"%u\"", cube->sites[site].line);
    }
    fputs(" mod=\"", stream);
    fm_text_write_xml(stream, cube->sites[site].file);
    fputs("\"", stream);
}

static void put_program(const struct fm_cube *cube, const struct fm_call_tree *tree, FILE *stream)
{
    fputs("<program>\n", stream);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        put_region(&cube->regions[i], i, stream);
    }
    uint32_t open = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        for (; open > tree->depth[i]; open--) {
            fputs("</cnode>\n", stream);
        }
        fprintf(stream, "<cnode id=\"%u\"", tree->order[i]);
        put_site(cube, cube->callpaths[tree->order[i]].site, stream);
        fprintf(stream, " calleeId=\"%u\">\n", cube->callpaths[tree->order[i]].region);
        put_parameter(&cube->regions[cube->callpaths[tree->order[i]].region], stream);
        open++;
    }
    for (; open > 0; open--) {
        fputs("</cnode>\n", stream);
    }
    fputs("</program>\n", stream);
}

static void put_location(const struct fm_cube_location *location, uint32_t index, FILE *stream)
{
    fprintf(stream, "<location Id=\"%u\">\n", index);
    put_element(stream, "name", location->name);
    fprintf(stream, "<rank>%u</rank>\n<type>%s</type>\n</location>\n", location->thread,
            location->is_stream ? "gpu" : "thread");
}

/* Writes a rank with all its threads. */
static void put_process(const struct fm_cube *cube, const struct fm_process_word *process,
                        uint32_t first, FILE *stream)
{
    uint32_t rank = cube->locations[first].rank;
    fprintf(stream,
            "<locationgroup Id=\"%u\">\n<name>%s %u</name>\n<rank>%u</rank>\n"
            "<type>process</type>\n",
            rank, process->title, rank + process->first, rank);
    for (uint32_t i = first; i < cube->location_count && cube->locations[i].rank == rank; i++) {
        put_location(&cube->locations[i], i, stream);
    }
    fputs("</locationgroup>\n", stream);
}

static int compare_nodes(const void *left, const void *right, void *locations)
{
    const struct fm_cube_location *all = locations;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = strcmp(all[a].node, all[b].node);
    return order != 0 ? order : (a > b) - (a < b);
}

static bool has_threads(const struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].thread > 0) {
            return true;
        }
    }
    return false;
}

static uint32_t most_threads(const struct fm_cube *cube)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        most = cube->locations[i].thread > most ? cube->locations[i].thread : most;
    }
    return most + 1;
}

static void put_dimension(FILE *stream, const char *name, uint32_t size, bool periodic)
{
    fputs("<dim name=\"", stream);
    fm_text_write_xml(stream, name);
    fprintf(stream, "\" size=\"%u\" periodic=\"%s\"/>\n", size, periodic ? "true" : "false");
}

/* Each location has its own place: if there are threads, they are an additional dimension. */
static void put_member(const struct fm_cube *cube, const struct fm_cube_topology *topology,
                       uint32_t member, bool threads, FILE *stream)
{
    uint32_t first = topology->locations[member], rank = cube->locations[first].rank;
    for (uint32_t i = first; i < cube->location_count && cube->locations[i].rank == rank; i++) {
        fprintf(stream, "<coord locId=\"%u\">", i);
        for (uint32_t d = 0; d < topology->dimension_count; d++) {
            fprintf(stream, "%s%u", d == 0 ? "" : " ",
                    topology->coordinates[(size_t)member * topology->dimension_count + d]);
        }
        if (threads) {
            fprintf(stream, " %u", cube->locations[i].thread);
        }
        fputs("</coord>\n", stream);
    }
}

static void put_topologies(const struct fm_cube *cube, FILE *stream)
{
    bool threads = has_threads(cube);
    if (cube->topology_count == 0) {
        return;
    }
    fputs("<topologies>\n", stream);
    for (uint32_t i = 0; i < cube->topology_count; i++) {
        const struct fm_cube_topology *topology = &cube->topologies[i];
        fputs("<cart name=\"", stream);
        fm_text_write_xml(stream, topology->name == NULL ? "topology" : topology->name);
        fprintf(stream, "\" ndims=\"%u\">\n", topology->dimension_count + threads);
        for (uint32_t d = 0; d < topology->dimension_count; d++) {
            char number[32];
            const char *name = topology->dimensions[d].name;
            snprintf(number, sizeof number, "dimension %u", d);
            put_dimension(stream, name != NULL ? name : number, topology->dimensions[d].size,
                          topology->dimensions[d].periodic);
        }
        if (threads) {
            put_dimension(stream, "Thread", most_threads(cube), false);
        }
        for (uint32_t m = 0; m < topology->member_count; m++) {
            put_member(cube, topology, m, threads, stream);
        }
        fputs("</cart>\n", stream);
    }
    fputs("</topologies>\n", stream);
}

/* Writes the machine with its nodes, each with its ranks. */
static fm_status_t put_system(const struct fm_cube *cube, FILE *stream, struct fm_error *error)
{
    uint32_t *first = calloc(cube->location_count + (size_t)1, sizeof *first);
    if (first == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the system tree");
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (i == 0 || cube->locations[i - 1].rank != cube->locations[i].rank) {
            first[count++] = i;
        }
    }
    qsort_r(first, count, sizeof *first, compare_nodes, cube->locations);

    fputs("<system>\n<systemtreenode Id=\"0\">\n", stream);
    put_element(stream, "name",
                cube->experiment.machine == NULL ? "machine" : cube->experiment.machine);
    fputs("<class>machine</class>\n", stream);
    const struct fm_process_word process = fm_process_word(cube);
    unsigned id = 0;
    const char *open = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *node = cube->locations[first[i]].node;
        if (open == NULL || strcmp(open, node) != 0) {
            fputs(open == NULL ? "" : "</systemtreenode>\n", stream);
            fprintf(stream, "<systemtreenode Id=\"%u\">\n", ++id);
            put_element(stream, "name", node);
            fputs("<class>node</class>\n", stream);
            open = node;
        }
        put_process(cube, &process, first[i], stream);
    }
    fputs(open == NULL ? "" : "</systemtreenode>\n", stream);
    fputs("</systemtreenode>\n", stream);
    put_topologies(cube, stream);
    fputs("</system>\n", stream);
    free(first);
    return FM_OK;
}

fm_status_t fm_cubex_write_anchor(const struct fm_cube *cube, const struct fm_call_tree *tree,
                                  FILE *stream, struct fm_error *error)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n", stream);
    put_attribute(stream, "CubePL Version", "1.1");
    put_attribute(stream, "Cube Version", "4.6");
    put_attribute(stream, "Creator", "fermata " FERMATA_VERSION);
    put_attribute(stream, "Experiment", cube->experiment.title);
    put_attribute(stream, "Command", cube->experiment.command);
    put_attribute(stream, "Recorder", cube->experiment.creator);
    for (uint32_t i = 0; i < cube->warning_count; i++) {
        char key[32];
        snprintf(key, sizeof key, "Warning %u", i + 1);
        put_attribute(stream, key, cube->warnings[i]);
    }
    put_metrics(cube, stream);
    put_program(cube, tree, stream);
    fm_status_t status = put_system(cube, stream, error);
    fputs("</cube>\n", stream);
    return status;
}
