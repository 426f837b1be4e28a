/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample with a call path: Leaves and Enters of functions around it, all at its time, as
 * recorders write what only a sample has shown. */
#include "functions/function_kind.h"
#include "scenario/parser.h"
#include "scenario/region_kind.h"

#include <stdlib.h>
#include <string.h>

static fm_status_t add(struct fm_parser *parser, uint32_t location, uint64_t time,
                       enum fm_scenario_kind kind, uint32_t region)
{
    const struct fm_scenario_event event = {.time = time, .kind = (uint8_t)kind, .object = region};
    return fm_scenario_append(parser->scenario, location, &event) ? FM_OK
                                                                  : fm_parser_no_memory(parser);
}

/* Whether a region is known by call stacks only. */
static bool is_function(const struct fm_scenario *scenario, uint32_t region)
{
    const char *name = scenario->regions.keys[region].bytes;
    const struct fm_region_kind kind = fm_region_kind(name);
    return kind.paradigm == OTF2_PARADIGM_USER && kind.role == OTF2_REGION_ROLE_FUNCTION &&
           fm_key_table_find(&scenario->phases, name, strlen(name)) == FM_KEY_NONE;
}

/* Takes the next function of a path. @return FM_SCENARIO_NONE without memory */
static uint32_t take(struct fm_parser *parser, struct fm_word *path)
{
    const char *slash = memchr(path->text, '/', path->length);
    const size_t length = slash == NULL ? path->length : (size_t)(slash - path->text);
    const uint32_t region = fm_key_table_add(&parser->scenario->regions, path->text, length);
    const size_t taken = length + (slash != NULL);
    path->text += taken;
    path->length -= taken;
    return region;
}

/* Reads a path as regions. @return their number; 0: no memory, or an empty name */
static size_t read_path(struct fm_parser *parser, struct fm_word path, uint32_t **regions)
{
    size_t count = 0;
    *regions = calloc(path.length, sizeof **regions);
    while (*regions != NULL && path.length > 0) {
        (*regions)[count] = path.text[0] == '/' ? FM_KEY_NONE : take(parser, &path);
        if ((*regions)[count++] == FM_KEY_NONE) {
            return 0;
        }
    }
    return count;
}

/* Writes the events. @param open  regions that are open at the sample */
static fm_status_t write_events(struct fm_parser *parser, uint32_t location, uint64_t time,
                                const uint32_t *open, size_t depth, const uint32_t *path,
                                size_t count)
{
    size_t common = 0;
    while (common < depth && common < count && open[common] == path[common]) {
        common++;
    }
    for (size_t i = common; i < depth; i++) {
        if (!is_function(parser->scenario, open[i])) {
            const char *name = parser->scenario->regions.keys[open[i]].bytes;
            return fm_parser_fail_at(parser, (struct fm_word){name, strlen(name)},
                                     "the sample is not in a region that is open");
        }
    }
    fm_status_t status = FM_OK;
    for (size_t i = depth; i-- > common && status == FM_OK;) {
        status = add(parser, location, time, FM_SCENARIO_LEAVE, open[i]);
    }
    for (size_t i = common; i < count && status == FM_OK; i++) {
        status = add(parser, location, time, FM_SCENARIO_ENTER, path[i]);
    }
    if (status == FM_OK) {
        status = add(parser, location, time, FM_SCENARIO_SAMPLE, 0);
    }
    for (size_t i = count; i-- > common && status == FM_OK;) {
        status = add(parser, location, time, FM_SCENARIO_LEAVE, path[i]);
    }
    for (size_t i = common; i < depth && status == FM_OK; i++) {
        status = add(parser, location, time, FM_SCENARIO_ENTER, open[i]);
    }
    return status;
}

fm_status_t fm_parser_sample(struct fm_parser *parser, uint32_t location, uint64_t time,
                             struct fm_word path)
{
    const struct fm_scenario_location *timeline = &parser->scenario->locations[location];
    const size_t depth = timeline->depth;
    uint32_t *regions = NULL, *open = malloc(depth * sizeof *open + 1);
    const size_t count = read_path(parser, path, &regions);
    fm_status_t status = FM_OK;
    if (open == NULL || regions == NULL) {
        status = fm_parser_no_memory(parser);
    } else if (count == 0) {
        status = fm_parser_fail_at(parser, path, "not a call path:");
    } else {
        if (depth != 0) {
            memcpy(open, timeline->open_regions, depth * sizeof *open);
        }
        status = write_events(parser, location, time, open, depth, regions, count);
    }
    free(regions);
    free(open);
    return status;
}
