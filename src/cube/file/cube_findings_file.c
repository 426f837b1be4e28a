/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings, and their section of the file. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void free_finding(struct fm_cube_finding *finding)
{
    free(finding->id);
    free(finding->statement);
    free(finding->advice);
}

void fm_cube_free_findings(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->finding_count; i++) {
        free_finding(&cube->findings[i]);
    }
    free(cube->findings);
    cube->findings = NULL;
    cube->finding_count = 0;
}

void fm_cube_add_finding(struct fm_cube *cube, const struct fm_cube_finding *finding)
{
    struct fm_cube_finding copy = {.id = strdup(finding->id),
                                   .statement = strdup(finding->statement),
                                   .advice = strdup(finding->advice),
                                   .is_contradiction = finding->is_contradiction};
    struct fm_cube_finding *longer =
        realloc(cube->findings, (cube->finding_count + (size_t)1) * sizeof *longer);
    if (longer == NULL || copy.id == NULL || copy.statement == NULL || copy.advice == NULL) {
        fm_memory_exhausted();
    }
    cube->findings = longer;
    cube->findings[cube->finding_count++] = copy;
}

void fm_cube_put_findings(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_FINDINGS_VERSION);
    fm_sink_u32(sink, cube->finding_count);
    for (uint32_t i = 0; i < cube->finding_count; i++) {
        fm_sink_string(sink, cube->findings[i].id);
        fm_sink_string(sink, cube->findings[i].statement);
        fm_sink_string(sink, cube->findings[i].advice);
        fm_sink_u8(sink, cube->findings[i].is_contradiction);
    }
}

fm_status_t fm_cube_read_findings(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_FIND];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_FIND, FM_CUBE_FINDINGS_VERSION,
                                                "The findings of counters are", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, 3 * sizeof(uint32_t) + 1);
    for (uint32_t i = 0; i < count && !source->failed; i++) {
        struct fm_cube_finding finding = {.id = fm_source_string(source, false),
                                          .statement = fm_source_string(source, false),
                                          .advice = fm_source_string(source, false),
                                          .is_contradiction = fm_source_u8(source) != 0};
        if (!source->failed) {
            fm_cube_add_finding(reader->cube, &finding);
        }
        free_finding(&finding);
    }
    return fm_cube_check_used_up(reader, FM_SECTION_FIND);
}
