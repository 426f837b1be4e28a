/* SPDX-License-Identifier: BSD-3-Clause */
#include "outcome.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what, const char *path)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

static void read_file(const char *path, struct outcome *outcome)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail("cannot read the report", path);
    }
    outcome->bytes = (size_t)ftell(file);
    outcome->report = fm_allocate(outcome->bytes, 1);
    rewind(file);
    if (fread(outcome->report, 1, outcome->bytes, file) != outcome->bytes) {
        fail("cannot read the report", path);
    }
    fclose(file);
}

struct outcome outcome_of(struct fm_team *team, unsigned workers,
                          const struct fm_partitions *partitions, const char *scratch,
                          const char *archive)
{
    const struct fm_analysis_options options = {
        .team = team,
        .workers = workers,
        .check = true,
        .path_from_init_to_finalize = partitions != NULL,
        .partitions = partitions,
        .errors = {.are_known = partitions != NULL, .call = 3, .clock = 1000},
    };
    struct outcome outcome = {0};
    struct fm_error error = {""};
    struct fm_cube *cube = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/report.fer", scratch);
    fm_status_t status = fm_analysis_run(archive, &options, &cube, &error);
    if (!fm_team_leads(team)) {
        if (cube != NULL) {
            fail("a process other than the first one has a report", archive);
        }
        return outcome;
    }
    outcome.status = status;
    if (status == FM_OK) {
        if (fm_cube_write(cube, path, &error) != FM_OK) {
            fail(error.message, path);
        }
        read_file(path, &outcome);
        fm_cube_free(cube);
    } else {
        outcome.report = fm_copy_string(error.message);
        outcome.bytes = strlen(error.message);
    }
    return outcome;
}

bool outcome_equals(const struct outcome *one, const struct outcome *other)
{
    return one->status == other->status && one->bytes == other->bytes &&
           memcmp(one->report, other->report, one->bytes) == 0;
}

void outcome_free(struct outcome *outcome)
{
    fm_free(outcome->report);
    *outcome = (struct outcome){0};
}
