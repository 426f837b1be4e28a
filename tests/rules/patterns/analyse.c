/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"

#include "analysis/analysis.h"
#include "scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>

static void require(fm_status_t status, const struct fm_error *error)
{
    if (status != FM_OK) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
}

struct fm_cube *analyse(const char *scenario_path)
{
    struct fm_error error;
    struct fm_scenario *scenario;
    struct fm_cube *cube;
    char directory[] = "/tmp/fermata-patterns-XXXXXX";
    char archive[sizeof directory + 16], command[sizeof directory + 16];
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        exit(1);
    }
    snprintf(archive, sizeof archive, "%s/archive", directory);
    require(fm_scenario_read(scenario_path, &scenario, &error), &error);
    require(fm_scenario_write_archive(scenario, archive, &error), &error);
    const struct fm_analysis_options options = {.workers = 2, .check = true};
    require(fm_analysis_run(archive, &options, &cube, &error), &error);
    fm_scenario_free(scenario);
    snprintf(command, sizeof command, "rm -r %s", directory);
    if (system(command) != 0) {
        exit(1);
    }
    return cube;
}
